/*
 * Queries of layouts: cells, owners, sizes, rectangles, subarrays, equality, segments, fingerprints, and text.
 */
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"

int64_t scalay_layout_rows(const scalay_layout *layout)
{
    return layout != NULL ? layout->row.extent : 0;
}

int64_t scalay_layout_cols(const scalay_layout *layout)
{
    return layout != NULL ? layout->col.extent : 0;
}

int scalay_layout_parts(const scalay_layout *layout)
{
    return layout != NULL ? layout->parts : 0;
}

int scalay_layout_processes(const scalay_layout *layout)
{
    return layout != NULL ? layout->processes : 0;
}

/* ------------------------------------------------------------------------------------------------------------ cells */

int scalay_layout_is_grid(const scalay_layout *layout)
{
    return layout->cells == NULL;
}

int scalay_layout_is_tile_map(const scalay_layout *layout)
{
    return layout->cells != NULL && layout->cells->ld == NULL;
}

/* An owner map stores leading dimensions and lists of subarrays. */
static int is_owner_map(const scalay_layout *layout)
{
    return layout->cells != NULL && layout->cells->ld != NULL;
}

int scalay_layout_cell_part(const scalay_layout *layout, int64_t row_class, int64_t col_class)
{
    if (layout->cells != NULL) return layout->cells->part[row_class * layout->col.classes + col_class];
    return (int)(layout->order == SCALAY_ROW_MAJOR ? row_class * layout->col.classes + col_class
                                                   : col_class * layout->row.classes + row_class);
}

int64_t scalay_layout_cells(const scalay_layout *layout, int part)
{
    return layout->cells == NULL ? 1 : layout->cells->start[part + 1] - layout->cells->start[part];
}

static scalay_cell grid_cell(const scalay_layout *layout, int part)
{
    scalay_cell cell = {0};
    if (layout->order == SCALAY_ROW_MAJOR) {
        cell.row_class = part / layout->col.classes;
        cell.col_class = part % layout->col.classes;
    } else {
        cell.row_class = part % layout->row.classes;
        cell.col_class = part / layout->row.classes;
    }
    if (layout->own_process >= 0 && scalay_layout_process_of_part(layout, part) == layout->own_process)
        cell.ld = layout->own_ld;
    else
        cell.ld = scalay_max_int64(1, scalay_axis_count_upto(&layout->row, cell.row_class, layout->row.whole));
    return cell;
}

static scalay_cell table_cell(const scalay_layout *layout, int64_t k)
{
    scalay_cell cell = {
        .row_class = k / layout->col.classes, .col_class = k % layout->col.classes, .offset = layout->cells->offset[k]};
    if (layout->cells->ld != NULL)
        cell.ld = layout->cells->ld[k];
    else
        cell.ld = scalay_min_int64(layout->row.block, layout->row.whole - cell.row_class * layout->row.block);
    return cell;
}

scalay_cell scalay_layout_cell(const scalay_layout *layout, int part, int64_t k)
{
    if (layout->cells == NULL) return grid_cell(layout, part);
    return table_cell(layout, layout->cells->cell[layout->cells->start[part] + k]);
}

scalay_cell scalay_layout_cell_at(const scalay_layout *layout, int64_t row_class, int64_t col_class)
{
    if (layout->cells == NULL) return grid_cell(layout, scalay_layout_cell_part(layout, row_class, col_class));
    return table_cell(layout, row_class * layout->col.classes + col_class);
}

/* ------------------------------------------------------------------------------------------------- owners and sizes */

int scalay_layout_owner(const scalay_layout *layout, int64_t i, int64_t j)
{
    if (layout == NULL || i < 0 || j < 0 || i >= layout->row.extent || j >= layout->col.extent) return -1;
    const int part =
        scalay_layout_cell_part(layout, scalay_axis_class(&layout->row, i), scalay_axis_class(&layout->col, j));
    return scalay_layout_process_of_part(layout, part);
}

int64_t scalay_layout_elements(const scalay_layout *layout, int process)
{
    const int part = scalay_layout_part_of_process(layout, process);
    int64_t count = 0;
    if (part < 0) return 0;
    for (int64_t k = 0; k < scalay_layout_cells(layout, part); k++) {
        const scalay_cell cell = scalay_layout_cell(layout, part, k);
        count += scalay_axis_count(&layout->row, cell.row_class) * scalay_axis_count(&layout->col, cell.col_class);
    }
    return count;
}

int64_t scalay_layout_local_size(const scalay_layout *layout, int process)
{
    if (scalay_layout_rectangle_count(layout, process) == 0) return 0;
    const int part = scalay_layout_part_of_process(layout, process);
    if (layout->cells != NULL) return layout->cells->size[part];
    const scalay_axis *row = &layout->row, *col = &layout->col;
    const scalay_cell cell = grid_cell(layout, part);
    const int64_t rows = scalay_axis_count_upto(row, cell.row_class, row->first + row->extent);
    const int64_t cols = scalay_axis_count_upto(col, cell.col_class, col->first + col->extent);
    return (cols - 1) * cell.ld + rows;
}

/* ------------------------------------------------------------------------------------------------------- rectangles */

/* Returns the cell of an owner map's part that contains rectangle *k; *k becomes the number within the cell. */
static int64_t find_cell(const scalay_cell_table *table, int part, int64_t *k)
{
    int64_t low = table->start[part], high = table->start[part + 1] - 1;
    *k += table->rectangles[low];
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (table->rectangles[middle] <= *k)
            low = middle;
        else
            high = middle - 1;
    }
    *k -= table->rectangles[low];
    return low - table->start[part];
}

int64_t scalay_layout_rectangle_count(const scalay_layout *layout, int process)
{
    const int part = scalay_layout_part_of_process(layout, process);
    if (part < 0) return 0;
    if (is_owner_map(layout))
        return layout->cells->rectangles[layout->cells->start[part + 1]] -
               layout->cells->rectangles[layout->cells->start[part]];
    if (layout->cells != NULL) return scalay_layout_cells(layout, part);
    const scalay_cell cell = grid_cell(layout, part);
    return scalay_axis_run_count(&layout->row, cell.row_class) * scalay_axis_run_count(&layout->col, cell.col_class);
}

static scalay_status check_number(const char *function, const char *objects, int64_t k, int process, int64_t count)
{
    if (k >= 0 && k < count) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "k is %lld; it must be in [0, %lld): process %d has %lld %s",
                       (long long)k, (long long)count, process, (long long)count, objects);
}

scalay_status scalay_layout_rectangle(const scalay_layout *layout, int process, int64_t k, scalay_rectangle *rectangle)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t nth = 0; /* cell; k becomes the number of the rectangle within it */
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    SCALAY_TRY(scalay_check_not_null(rectangle, __func__, "rectangle"));
    SCALAY_TRY(check_number(__func__, "rectangles", k, process, scalay_layout_rectangle_count(layout, process)));
    const int part = scalay_layout_part_of_process(layout, process);
    if (is_owner_map(layout)) {
        nth = find_cell(layout->cells, part, &k);
    } else if (layout->cells != NULL) {
        nth = k;
        k = 0;
    }
    const scalay_cell cell = scalay_layout_cell(layout, part, nth);
    const int64_t down = scalay_axis_run_count(&layout->row, cell.row_class);
    const scalay_axis_run rows = scalay_axis_get_run(&layout->row, cell.row_class, k % down);
    const scalay_axis_run cols = scalay_axis_get_run(&layout->col, cell.col_class, k / down);
    *rectangle = (scalay_rectangle){
        rows.index, cols.index, rows.count, cols.count, cell.offset + rows.local + cols.local * cell.ld, cell.ld};
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------------- subarrays */

/* The subarray of a cell: it starts at the first element of the cell that lies in the window. */
static scalay_subarray cell_subarray(const scalay_layout *layout, const scalay_cell *cell)
{
    scalay_subarray subarray = {.rows = scalay_axis_count(&layout->row, cell->row_class),
                                .cols = scalay_axis_count(&layout->col, cell->col_class),
                                .offset = cell->offset,
                                .ld = cell->ld};
    if (subarray.rows > 0) subarray.offset += scalay_axis_get_run(&layout->row, cell->row_class, 0).local;
    if (subarray.cols > 0) subarray.offset += scalay_axis_get_run(&layout->col, cell->col_class, 0).local * cell->ld;
    return subarray;
}

int64_t scalay_layout_subarray_count(const scalay_layout *layout, int process)
{
    const int part = scalay_layout_part_of_process(layout, process);
    if (part < 0) return 0;
    if (is_owner_map(layout)) return layout->cells->subarrays.start[part + 1] - layout->cells->subarrays.start[part];
    if (layout->cells != NULL) return scalay_layout_cells(layout, part);
    return scalay_layout_rectangle_count(layout, process) > 0;
}

scalay_status scalay_layout_subarray(const scalay_layout *layout, int process, int64_t k, scalay_subarray *subarray)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    SCALAY_TRY(check_number(__func__, "subarrays", k, process, scalay_layout_subarray_count(layout, process)));
    SCALAY_TRY(scalay_check_not_null(subarray, __func__, "subarray"));
    const int part = scalay_layout_part_of_process(layout, process);
    if (is_owner_map(layout)) {
        *subarray = layout->cells->subarrays.subarray[layout->cells->subarrays.start[part] + k].shape;
    } else {
        const scalay_cell cell = scalay_layout_cell(layout, part, k);
        *subarray = cell_subarray(layout, &cell);
    }
cleanup:
    return status;
}

void scalay_layout_subarray_classes(const scalay_layout *layout, int process, int64_t k, int64_t *one,
                                    scalay_class_product *product)
{
    const int part = scalay_layout_part_of_process(layout, process);
    if (is_owner_map(layout)) {
        const scalay_subarray_list *list = &layout->cells->subarrays;
        const scalay_class_subarray *subarray = &list->subarray[list->start[part] + k];
        const int64_t *class = list->class + subarray->first;
        *product =
            (scalay_class_product){subarray->row_classes, class, subarray->col_classes, class + subarray->row_classes};
        return;
    }
    const scalay_cell cell = scalay_layout_cell(layout, part, k);
    one[0] = cell.row_class;
    one[1] = cell.col_class;
    *product = (scalay_class_product){1, &one[0], 1, &one[1]};
}

/* Writes the window indices of a class. Returns the address after the last one. */
static int64_t *write_class(const scalay_axis *axis, int64_t class, int64_t *index)
{
    const int64_t runs = scalay_axis_run_count(axis, class);
    for (int64_t k = 0; k < runs; k++) {
        const scalay_axis_run run = scalay_axis_get_run(axis, class, k);
        for (int64_t i = 0; i < run.count; i++) *index++ = run.index + i;
    }
    return index;
}

scalay_status scalay_layout_subarray_indices(const scalay_layout *layout, int process, int64_t k, int64_t *row,
                                             int64_t *col)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t one[2];
    scalay_class_product product;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    SCALAY_TRY(check_number(__func__, "subarrays", k, process, scalay_layout_subarray_count(layout, process)));
    scalay_layout_subarray_classes(layout, process, k, one, &product);
    for (int64_t r = 0; row != NULL && r < product.rows; r++) row = write_class(&layout->row, product.row[r], row);
    for (int64_t c = 0; col != NULL && c < product.cols; c++) col = write_class(&layout->col, product.col[c], col);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------------- equality */

/* Compares the owners in all pairs of column classes that overlap, in a pair of row classes that overlap. */
static int owners_agree(const scalay_layout *a, const scalay_layout *b, const scalay_axis_overlap *cols, int64_t row_a,
                        int64_t row_b)
{
    for (int64_t col_a = 0; col_a < cols->classes_a; col_a++) {
        if (cols->start[col_a] == cols->start[col_a + 1]) continue;
        const int owner = scalay_layout_process_of_part(a, scalay_layout_cell_part(a, row_a, col_a));
        for (int64_t k = cols->start[col_a]; k < cols->start[col_a + 1]; k++)
            if (owner != scalay_layout_process_of_part(b, scalay_layout_cell_part(b, row_b, cols->class_b[k])))
                return 0;
    }
    return 1;
}

int scalay_layout_same_owners(const scalay_layout *a, const scalay_layout *b)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_overlap rows = {0}, cols = {0};
    int same = 0;
    if (a == NULL || b == NULL || a->row.extent != b->row.extent || a->col.extent != b->col.extent) return 0;
    SCALAY_TRY(scalay_axis_overlap_create(&a->row, &b->row, &rows));
    SCALAY_TRY(scalay_axis_overlap_create(&a->col, &b->col, &cols));
    same = 1;
    for (int64_t row_a = 0; row_a < rows.classes_a && same; row_a++)
        for (int64_t k = rows.start[row_a]; k < rows.start[row_a + 1] && same; k++)
            same = owners_agree(a, b, &cols, row_a, rows.class_b[k]);
cleanup:
    scalay_axis_overlap_free(&rows);
    scalay_axis_overlap_free(&cols);
    return same;
}

static uint64_t add_axis(uint64_t fingerprint, const scalay_axis *axis)
{
    const int64_t words[] = {axis->extent, axis->first, axis->whole, axis->block, axis->classes, axis->source};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        fingerprint = scalay_fingerprint_add(fingerprint, words[k]);
    for (int64_t r = 0; axis->runs != NULL && r < axis->runs->runs; r++) {
        fingerprint = scalay_fingerprint_add(fingerprint, axis->runs->end[r]);
        fingerprint = scalay_fingerprint_add(fingerprint, axis->runs->class[r]);
        fingerprint = scalay_fingerprint_add(fingerprint, axis->runs->local[r]);
    }
    return fingerprint;
}

uint64_t scalay_layout_fingerprint(const scalay_layout *layout)
{
    uint64_t fingerprint = add_axis(scalay_fingerprint_start(), &layout->row);
    fingerprint = add_axis(fingerprint, &layout->col);
    fingerprint = scalay_fingerprint_add(fingerprint, layout->parts);
    fingerprint = scalay_fingerprint_add(fingerprint, layout->process != NULL);
    for (int part = 0; layout->process != NULL && part < layout->parts; part++)
        fingerprint = scalay_fingerprint_add(fingerprint, layout->process[part]);
    if (scalay_layout_is_grid(layout)) return scalay_fingerprint_add(fingerprint, layout->order);
    const int64_t cells = layout->row.classes * layout->col.classes;
    for (int64_t k = 0; k < cells; k++) fingerprint = scalay_fingerprint_add(fingerprint, layout->cells->offset[k]);
    for (int64_t k = 0; layout->cells->ld != NULL && k < cells; k++)
        fingerprint = scalay_fingerprint_add(fingerprint, layout->cells->ld[k]);
    return scalay_fingerprint_add_ints(fingerprint, layout->cells->part, cells);
}

/* --------------------------------------------------------------------------------------------------------- segments */

/* The indices at which the class of an axis changes: index = offset (mod block), or the ends of runs. */
typedef struct {
    int64_t extent;
    int64_t offset; /* 0 <= offset < block */
    int64_t block;
    int64_t count;       /* number of changes in 1 .. extent - 1 */
    int is_block_cyclic; /* 0: offset and block are not set */
} class_changes;

static class_changes changes_of(const scalay_axis *axis)
{
    class_changes changes = {.extent = axis->extent, .block = axis->block, .is_block_cyclic = axis->runs == NULL};
    if (axis->extent < 2 || axis->classes < 2) return changes;
    if (!changes.is_block_cyclic) {
        for (int64_t class = 0; class < axis->classes; class ++) changes.count += scalay_axis_run_count(axis, class);
        changes.count--;
        return changes;
    }
    changes.offset = (axis->block - axis->first % axis->block) % axis->block;
    changes.count = (axis->first + axis->extent - 1) / axis->block - axis->first / axis->block;
    return changes;
}

/* Returns how many indices two block-cyclic axes change at together. Goes along the changes of the axis with the larger
 * blocks until one coincides; from there on, coincidences repeat. */
static int64_t count_common(const class_changes *a, const class_changes *b)
{
    const class_changes *large = a->block >= b->block ? a : b, *small = a->block >= b->block ? b : a;
    const int64_t period = small->block / scalay_gcd(small->block, large->block);
    int64_t index = large->offset > 0 ? large->offset : large->block;
    for (int64_t k = 0; k < period && index < a->extent; k++, index += large->block)
        if (index % small->block == small->offset) return 1 + (a->extent - 1 - index) / large->block / period;
    return 0;
}

int64_t scalay_layout_segments(const scalay_layout *source, const scalay_layout *target)
{
    if (source == NULL || target == NULL || source->row.extent != target->row.extent ||
        source->col.extent != target->col.extent)
        return -1;
    if (source->row.extent == 0) return 0;
    const class_changes a = changes_of(&source->row), b = changes_of(&target->row);
    const int may_coincide = a.is_block_cyclic && b.is_block_cyclic && a.count > 0 && b.count > 0;
    int64_t per_column = 1 + a.count + b.count - (may_coincide ? count_common(&a, &b) : 0);
    if (b.count == 0) per_column = scalay_min_int64(per_column, source->row.classes);
    return scalay_min_int64(per_column, source->row.extent) * source->col.extent;
}

/* ------------------------------------------------------------------------------------------------------------- text */

static void describe_grid(const scalay_layout *layout, scalay_text *text)
{
    const scalay_axis *row = &layout->row, *col = &layout->col;
    scalay_text_append(text, "%lld x %lld block-cyclic, blocks %lld x %lld, grid %lld x %lld", (long long)row->whole,
                       (long long)col->whole, (long long)row->block, (long long)col->block, (long long)row->classes,
                       (long long)col->classes);
    if (row->source != 0 || col->source != 0)
        scalay_text_append(text, ", source (%lld, %lld)", (long long)row->source, (long long)col->source);
    if (layout->order == SCALAY_COLUMN_MAJOR) scalay_text_append(text, ", column order");
}

int scalay_layout_describe(const scalay_layout *layout, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (layout == NULL) {
        scalay_text_append(&all, "no layout");
        return (int)all.length;
    }
    const scalay_axis *row = &layout->row, *col = &layout->col;
    if (row->extent != row->whole || col->extent != col->whole)
        scalay_text_append(&all, "%lld x %lld from (%lld, %lld) of ", (long long)row->extent, (long long)col->extent,
                           (long long)row->first, (long long)col->first);
    if (scalay_layout_is_grid(layout))
        describe_grid(layout, &all);
    else if (is_owner_map(layout))
        scalay_text_append(&all, "%lld x %lld owner map, %d part%s", (long long)row->whole, (long long)col->whole,
                           layout->parts, layout->parts == 1 ? "" : "s");
    else
        scalay_text_append(&all, "%lld x %lld tile map, tiles %lld x %lld, %d part%s", (long long)row->whole,
                           (long long)col->whole, (long long)row->block, (long long)col->block, layout->parts,
                           layout->parts == 1 ? "" : "s");
    if (layout->process != NULL || layout->processes != layout->parts)
        scalay_text_append(&all, ", assigned to %d processes", layout->processes);
    return (int)all.length;
}

/* The blocks, tiles or runs of an axis that are drawn. */
typedef struct {
    const scalay_axis *axis;
    int64_t before; /* blocks before the window; 0 for runs */
    int64_t blocks;
    int64_t shown;
} drawn_axis;

static drawn_axis choose_blocks(const scalay_axis *axis, int64_t max_shown)
{
    drawn_axis drawn = {.axis = axis};
    if (axis->extent == 0) return drawn;
    if (axis->runs != NULL) {
        drawn.blocks = axis->runs->runs;
    } else {
        drawn.before = axis->first / axis->block;
        drawn.blocks = (axis->first + axis->extent - 1) / axis->block - drawn.before + 1;
    }
    drawn.shown = scalay_min_int64(drawn.blocks, max_shown);
    return drawn;
}

/* Returns a window index in the k-th block shown. If blocks are sampled, it is the middle one of equal portions. */
static int64_t shown_index(const drawn_axis *drawn, int64_t k)
{
    const int64_t portion = drawn->blocks / drawn->shown, rest = drawn->blocks % drawn->shown;
    int64_t block = k * portion + scalay_min_int64(k, rest);
    if (drawn->shown < drawn->blocks) block += portion / 2;
    if (drawn->axis->runs != NULL) return scalay_axis_runs_start(drawn->axis->runs, block);
    return scalay_max_int64(0, (drawn->before + block) * drawn->axis->block - drawn->axis->first);
}

static int decimal_width(int value)
{
    int width = 1;
    for (; value >= 10; value /= 10) width++;
    return width;
}

int64_t scalay_layout_draw(const scalay_layout *layout, int max_cells, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    scalay_text_append(&all, "%s", ""); /* an empty drawing is terminated, too */
    if (layout == NULL || layout->col.extent == 0) return 0;
    const drawn_axis rows = choose_blocks(&layout->row, scalay_max_int64(1, max_cells));
    const drawn_axis cols = choose_blocks(&layout->col, scalay_max_int64(1, max_cells));
    const int width = decimal_width(layout->processes - 1);
    for (int64_t r = 0; r < rows.shown; r++)
        for (int64_t c = 0; c < cols.shown; c++)
            scalay_text_append(&all, "%*d%c", width,
                               scalay_layout_owner(layout, shown_index(&rows, r), shown_index(&cols, c)),
                               c + 1 < cols.shown ? ' ' : '\n');
    return all.length;
}
