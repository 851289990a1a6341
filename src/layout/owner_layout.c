/*
 * Layouts of owner maps and patterns, and owner maps of layouts.
 *
 * Storage of a part: the column classes in which it owns the same row classes form one group, and the cells of a group
 * form one subarray. Groups of row classes are used instead if there are fewer of them. A subarray stores one class
 * after the other. If ascending storage is requested, groups are always groups of columns, and an axis whose classes
 * would be mixed in a subarray is refined: each run becomes a class. Time: O(cells + runs), plus sorting the classes of
 * each part.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "layout/line_groups.h"
#include "partition/owner_map.h"
#include "partition/pattern.h"

/* -------------------------------------------------------------------------------------------------------- subarrays */

/* Returns the offset of the first element of a cell that lies in the window. */
static int64_t first_element(const scalay_layout *layout, int64_t row_class, int64_t col_class)
{
    const int64_t cell = row_class * layout->col.classes + col_class;
    return layout->cells->offset[cell] + scalay_axis_get_run(&layout->row, row_class, 0).local +
           scalay_axis_get_run(&layout->col, col_class, 0).local * layout->cells->ld[cell];
}

/* Returns the end of the row classes from k on that are contiguous in memory. */
static int64_t end_of_rows(const scalay_layout *layout, const scalay_class_product *product, int64_t k)
{
    const int64_t col = product->col[0];
    int64_t at = first_element(layout, product->row[k], col);
    for (; k + 1 < product->rows; k++) {
        at += scalay_axis_count(&layout->row, product->row[k]);
        if (first_element(layout, product->row[k + 1], col) != at) break;
    }
    return k + 1;
}

static int64_t end_of_cols(const scalay_layout *layout, const scalay_class_product *product, int64_t k)
{
    const int64_t row = product->row[0];
    const int64_t ld = layout->cells->ld[row * layout->col.classes + product->col[k]];
    int64_t at = first_element(layout, row, product->col[k]);
    for (; k + 1 < product->cols; k++) {
        at += scalay_axis_count(&layout->col, product->col[k]) * ld;
        if (first_element(layout, row, product->col[k + 1]) != at) break;
    }
    return k + 1;
}

/* Appends classes to the list. Returns the number of their indices in *indices. */
static scalay_status add_classes(const scalay_axis *axis, const int64_t *class, int64_t count,
                                 scalay_subarray_list *list, int64_t *indices)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->class, list->class_capacity, list->classes + count));
    *indices = 0;
    for (int64_t k = 0; k < count; k++) {
        list->class[list->classes++] = class[k];
        *indices += scalay_axis_count(axis, class[k]);
    }
cleanup:
    return status;
}

static scalay_status add_subarray(scalay_layout *layout, const scalay_class_product *dense)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_subarray_list *list = &layout->cells->subarrays;
    scalay_class_subarray subarray = {.first = list->classes, .row_classes = dense->rows, .col_classes = dense->cols};
    SCALAY_TRY(SCALAY_GROW(list->subarray, list->capacity, list->subarrays + 1));
    SCALAY_TRY(add_classes(&layout->row, dense->row, dense->rows, list, &subarray.shape.rows));
    SCALAY_TRY(add_classes(&layout->col, dense->col, dense->cols, list, &subarray.shape.cols));
    subarray.shape.offset = first_element(layout, dense->row[0], dense->col[0]);
    subarray.shape.ld = layout->cells->ld[dense->row[0] * layout->col.classes + dense->col[0]];
    list->subarray[list->subarrays++] = subarray;
cleanup:
    return status;
}

/* Appends the subarrays of a product: one, or several if a window has removed classes from the middle. */
static scalay_status add_product(scalay_layout *layout, const scalay_class_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t c = 0, right; c < product->cols; c = right) {
        right = end_of_cols(layout, product, c);
        for (int64_t r = 0, bottom; r < product->rows; r = bottom) {
            bottom = end_of_rows(layout, product, r);
            const scalay_class_product dense = {bottom - r, product->row + r, right - c, product->col + c};
            SCALAY_TRY(add_subarray(layout, &dense));
        }
    }
cleanup:
    return status;
}

static void count_rectangles(scalay_layout *layout)
{
    scalay_cell_table *table = layout->cells;
    for (int64_t k = 0; k < table->start[layout->parts]; k++) {
        const int64_t row = table->cell[k] / layout->col.classes, col = table->cell[k] % layout->col.classes;
        table->rectangles[k + 1] =
            table->rectangles[k] + scalay_axis_run_count(&layout->row, row) * scalay_axis_run_count(&layout->col, col);
    }
}

static scalay_status create_table(scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = layout->row.classes, cols = layout->col.classes;
    SCALAY_TRY(scalay_cell_table_create(rows, cols, layout->parts, &layout->cells));
    SCALAY_TRY(SCALAY_NEW(layout->cells->ld, rows * cols));
    SCALAY_TRY(SCALAY_NEW(layout->cells->rectangles, rows * cols + 1));
    SCALAY_TRY(SCALAY_NEW(layout->cells->subarrays.start, (int64_t)layout->parts + 1));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- storage */

/* The cells of a table of owners, by part. */
typedef struct {
    int64_t rows, cols;
    int64_t *start;  /* shape [parts + 1]: part p has the cells by_row[start[p]] .. and by_col[start[p]] .. */
    int64_t *by_row; /* row class * column classes + column class, ascending */
    int64_t *by_col; /* column class * row classes + row class, ascending */
    scalay_line_groups row_groups, col_groups;
    int64_t *list; /* shape [row classes + column classes]: the classes of a product */
} part_cells;

static void part_cells_free(part_cells *cells)
{
    scalay_release(cells->start);
    scalay_release(cells->by_row);
    scalay_release(cells->by_col);
    scalay_release(cells->list);
    scalay_release(cells->row_groups.line);
    scalay_release(cells->col_groups.line);
}

/* Lists the cells of each part twice (counting sort). */
static scalay_status part_cells_create(int64_t rows, int64_t cols, int parts, const int *owner, part_cells *cells)
{
    scalay_status status = SCALAY_SUCCESS;
    *cells = (part_cells){.rows = rows, .cols = cols};
    SCALAY_TRY(SCALAY_NEW(cells->start, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(cells->by_row, rows * cols));
    SCALAY_TRY(SCALAY_NEW(cells->by_col, rows * cols));
    SCALAY_TRY(SCALAY_NEW(cells->list, rows + cols));
    for (int64_t k = 0; k < rows * cols; k++) cells->start[owner[k]]++;
    for (int part = 0; part < parts; part++) cells->start[part + 1] += cells->start[part];
    for (int64_t k = rows * cols - 1; k >= 0; k--) cells->by_row[--cells->start[owner[k]]] = k;
    /* start[p] is at the first cell of p: advance it to the end, then list by columns */
    for (int64_t k = 0; k < rows * cols; k++) cells->start[owner[k]]++;
    for (int64_t c = cols - 1; c >= 0; c--)
        for (int64_t r = rows - 1; r >= 0; r--) cells->by_col[--cells->start[owner[r * cols + c]]] = c * rows + r;
cleanup:
    return status;
}

static scalay_status find_groups(part_cells *cells, int part)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t first = cells->start[part], count = cells->start[part + 1] - first;
    SCALAY_TRY(scalay_line_groups_find(count, cells->by_row + first, cells->cols, &cells->row_groups));
    SCALAY_TRY(scalay_line_groups_find(count, cells->by_col + first, cells->rows, &cells->col_groups));
cleanup:
    return status;
}

/* Stores the cells of a product as one subarray, behind what the part has so far. */
static scalay_status store_product(scalay_layout *layout, int part, const scalay_class_product *product,
                                   int64_t *listed)
{
    scalay_cell_table *table = layout->cells;
    int64_t ld = 0, local_col = 0;
    for (int64_t r = 0; r < product->rows; r++) ld += scalay_axis_count(&layout->row, product->row[r]);
    for (int64_t c = 0; c < product->cols; c++) {
        int64_t offset = table->size[part] + local_col * ld;
        for (int64_t r = 0; r < product->rows; r++) {
            const int64_t cell = product->row[r] * layout->col.classes + product->col[c];
            table->offset[cell] = offset;
            table->ld[cell] = ld;
            table->cell[(*listed)++] = cell;
            offset += scalay_axis_count(&layout->row, product->row[r]);
        }
        local_col += scalay_axis_count(&layout->col, product->col[c]);
    }
    table->size[part] += local_col * ld;
    return add_product(layout, product);
}

/* Stores a part group by group. The lines of `groups` are rows (by_rows) or columns. */
static scalay_status store_groups(scalay_layout *layout, part_cells *cells, int part, int by_rows, int64_t *listed)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_line_groups *groups = by_rows ? &cells->row_groups : &cells->col_groups;
    const int64_t *cell = (by_rows ? cells->by_row : cells->by_col) + cells->start[part];
    const int64_t crosses = by_rows ? cells->cols : cells->rows;
    for (int64_t k = 0, end; k < groups->lines; k = end) {
        const scalay_owned_line *leader = &groups->line[k];
        const int64_t across = leader->end - leader->begin;
        for (end = k; end < groups->lines && groups->line[end].leader == leader->line; end++)
            cells->list[end - k] = groups->line[end].line;
        int64_t *cross = cells->list + (end - k);
        for (int64_t c = 0; c < across; c++) cross[c] = cell[leader->begin + c] % crosses;
        const scalay_class_product rows = {end - k, cells->list, across, cross};
        const scalay_class_product cols = {across, cross, end - k, cells->list};
        SCALAY_TRY(store_product(layout, part, by_rows ? &rows : &cols, listed));
    }
cleanup:
    return status;
}

static scalay_status store_parts(scalay_layout *layout, const int *owner, int ascending)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = layout->row.classes, cols = layout->col.classes;
    scalay_cell_table *table = layout->cells;
    part_cells cells = {0};
    int64_t listed = 0;
    SCALAY_TRY(part_cells_create(rows, cols, layout->parts, owner, &cells));
    for (int64_t k = 0; k < rows * cols; k++) table->part[k] = owner[k];
    for (int part = 0; part < layout->parts; part++) {
        SCALAY_TRY(find_groups(&cells, part));
        const int by_rows = !ascending && cells.row_groups.groups < cells.col_groups.groups;
        SCALAY_TRY(store_groups(layout, &cells, part, by_rows, &listed));
        table->start[part + 1] = listed;
        table->subarrays.start[part + 1] = table->subarrays.subarrays;
    }
    count_rectangles(layout);
cleanup:
    part_cells_free(&cells);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- creation */

/* An owner map's table and axes, some of them refined. */
typedef struct {
    int refine_rows, refine_cols; /* 1: each run is a class */
    int64_t rows, cols;           /* classes */
    int *owner;                   /* shape [rows][cols] */
} refined_map;

static int has_mixed_rows(const scalay_line_groups *col_groups)
{
    for (int64_t k = 0; k < col_groups->lines; k++)
        if (col_groups->line[k].end - col_groups->line[k].begin > 1) return 1;
    return 0;
}

/* Finds out whether a subarray of any part would contain several row classes, or several column classes. */
static scalay_status find_mixed_axes(const scalay_owner_map *map, refined_map *refined)
{
    scalay_status status = SCALAY_SUCCESS;
    part_cells cells = {0};
    SCALAY_TRY(part_cells_create(map->row.classes, map->col.classes, map->parts, map->owner, &cells));
    for (int part = 0; part < map->parts; part++) {
        SCALAY_TRY(find_groups(&cells, part));
        refined->refine_rows |= has_mixed_rows(&cells.col_groups);
        refined->refine_cols |= cells.col_groups.groups < cells.col_groups.lines;
    }
cleanup:
    part_cells_free(&cells);
    return status;
}

static scalay_status refine(const scalay_owner_map *map, refined_map *refined)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t cells;
    refined->rows = refined->refine_rows ? map->row.runs : map->row.classes;
    refined->cols = refined->refine_cols ? map->col.runs : map->col.classes;
    if (!scalay_multiply_int64(refined->rows, refined->cols, &cells))
        return scalay_no_memory(__func__, "refined cells", INT64_MAX, sizeof *refined->owner);
    SCALAY_TRY(SCALAY_NEW(refined->owner, cells));
    for (int64_t r = 0; r < refined->rows; r++) {
        const int64_t row = refined->refine_rows ? map->row.run_class[r] : r;
        for (int64_t c = 0; c < refined->cols; c++) {
            const int64_t col = refined->refine_cols ? map->col.run_class[c] : c;
            refined->owner[r * refined->cols + c] = map->owner[row * map->col.classes + col];
        }
    }
cleanup:
    return status;
}

static scalay_status set_runs(const scalay_map_axis *from, int refined, scalay_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis_runs *runs = NULL;
    int64_t *class = NULL;
    if (refined) {
        SCALAY_TRY(SCALAY_NEW(class, from->runs));
        for (int64_t r = 0; r < from->runs; r++) class[r] = r;
    }
    axis->classes = refined ? from->runs : from->classes;
    SCALAY_TRY(scalay_axis_runs_create(from->runs, from->end, refined ? class : from->run_class, axis->classes, &runs));
cleanup:
    axis->runs = runs;
    scalay_release(class);
    return status;
}

static scalay_status create(const char *function, const scalay_owner_map *map, int ascending, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *new_layout = NULL;
    refined_map refined = {0};
    SCALAY_TRY(scalay_check_not_null(layout, function, "layout"));
    *layout = NULL;
    SCALAY_TRY(scalay_check_not_null(map, function, "map"));
    const scalay_axis row = {.extent = map->row.extent, .whole = map->row.extent, .block = 1, .classes = 1};
    const scalay_axis col = {.extent = map->col.extent, .whole = map->col.extent, .block = 1, .classes = 1};
    SCALAY_TRY(scalay_layout_start(function, row, col, map->parts, &new_layout));
    const int empty = row.extent == 0 || col.extent == 0;
    if (!empty) {
        if (ascending) SCALAY_TRY(find_mixed_axes(map, &refined));
        SCALAY_TRY(refine(map, &refined));
        SCALAY_TRY(set_runs(&map->row, refined.refine_rows, &new_layout->row));
        SCALAY_TRY(set_runs(&map->col, refined.refine_cols, &new_layout->col));
    }
    SCALAY_TRY(create_table(new_layout));
    if (!empty) SCALAY_TRY(store_parts(new_layout, refined.owner, ascending));
    *layout = new_layout;
    new_layout = NULL;
cleanup:
    scalay_layout_destroy(&new_layout);
    scalay_release(refined.owner);
    return status;
}

scalay_status scalay_layout_from_owner_map(const scalay_owner_map *map, scalay_layout **layout)
{
    return create(__func__, map, 0, layout);
}

scalay_status scalay_layout_from_owner_map_ascending(const scalay_owner_map *map, scalay_layout **layout)
{
    return create(__func__, map, 1, layout);
}

/* The axes are block-cyclic, with one class for each line of the pattern's period. */
scalay_status scalay_layout_from_pattern(const scalay_pattern *pattern, int64_t m, int64_t n, int64_t mb, int64_t nb,
                                         scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *new_layout = NULL;
    int *owner = NULL;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    *layout = NULL;
    SCALAY_TRY(scalay_check_not_null(pattern, __func__, "pattern"));
    const scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = 1};
    const scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = 1};
    SCALAY_TRY(scalay_layout_start(__func__, row, col, pattern->parts, &new_layout));
    const int empty = m == 0 || n == 0;
    if (!empty)
        SCALAY_TRY(scalay_pattern_owners(pattern, scalay_ceil_div(m, mb), scalay_ceil_div(n, nb),
                                         &new_layout->row.classes, &new_layout->col.classes, &owner));
    SCALAY_TRY(create_table(new_layout));
    if (!empty) SCALAY_TRY(store_parts(new_layout, owner, 0));
    *layout = new_layout;
    new_layout = NULL;
cleanup:
    scalay_layout_destroy(&new_layout);
    scalay_release(owner);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- windows */

/* Creates the runs of a window. A block-cyclic axis, of a pattern, is converted to runs. */
static scalay_status create_window_runs(const scalay_axis *whole, int64_t first, int64_t extent, int64_t **old_class,
                                        scalay_axis_runs **window)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_axis_runs *runs = scalay_axis_runs_retain(whole->runs);
    scalay_axis_runs *converted = NULL;
    int64_t *end = NULL, *class = NULL;
    if (runs == NULL) {
        const int64_t blocks = scalay_ceil_div(whole->extent, whole->block);
        SCALAY_TRY(SCALAY_NEW(end, blocks));
        SCALAY_TRY(SCALAY_NEW(class, blocks));
        for (int64_t k = 0; k < blocks; k++) {
            end[k] = k + 1 < blocks ? (k + 1) * whole->block : whole->extent;
            class[k] = k % whole->classes;
        }
        SCALAY_TRY(scalay_axis_runs_create(blocks, end, class, whole->classes, &converted));
        runs = converted;
    }
    SCALAY_TRY(scalay_axis_runs_window(runs, first, extent, old_class, window));
cleanup:
    scalay_axis_runs_release(runs);
    scalay_release(end);
    scalay_release(class);
    return status;
}

static scalay_status set_window_runs(const scalay_axis *whole, int64_t first, scalay_axis *axis, int64_t **old_class)
{
    scalay_axis_runs *window = NULL;
    const scalay_status status = create_window_runs(whole, first, axis->extent, old_class, &window);
    axis->runs = window;
    if (status == SCALAY_SUCCESS) axis->classes = window->classes;
    return status;
}

/* Fills new_class[] with the new number of each old class; -1: removed. */
static scalay_status invert_classes(int64_t classes, const int64_t *old_class, int64_t kept, int64_t **new_class)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*new_class, classes));
    for (int64_t k = 0; k < classes; k++) (*new_class)[k] = -1;
    for (int64_t k = 0; k < kept; k++) (*new_class)[old_class[k]] = k;
cleanup:
    return status;
}

/* A window, and the numbers of its classes in the whole. */
typedef struct {
    const scalay_layout *whole;
    scalay_layout *window;
    int64_t *old_row, *old_col, *new_row, *new_col;
    int64_t *list; /* shape [row classes + column classes of the whole] */
} windowing;

static void copy_cells(const windowing *at)
{
    const scalay_cell_table *from = at->whole->cells;
    scalay_cell_table *to = at->window->cells;
    const int64_t cols = at->window->col.classes, old_cols = at->whole->col.classes;
    for (int64_t r = 0; r < at->window->row.classes; r++)
        for (int64_t c = 0; c < cols; c++) {
            const int64_t old = at->old_row[r] * old_cols + at->old_col[c];
            to->part[r * cols + c] = from->part[old];
            to->offset[r * cols + c] = from->offset[old];
            to->ld[r * cols + c] = from->ld[old];
        }
    int64_t listed = 0;
    for (int part = 0; part < at->whole->parts; part++) {
        for (int64_t k = from->start[part]; k < from->start[part + 1]; k++) {
            const int64_t r = at->new_row[from->cell[k] / old_cols], c = at->new_col[from->cell[k] % old_cols];
            if (r >= 0 && c >= 0) to->cell[listed++] = r * cols + c;
        }
        to->start[part + 1] = listed;
    }
    count_rectangles(at->window);
}

/* Lists the new numbers of the classes that are kept. Returns how many there are. */
static int64_t keep_classes(const int64_t *class, int64_t count, const int64_t *new_class, int64_t *list)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++)
        if (new_class[class[k]] >= 0) list[kept++] = new_class[class[k]];
    return kept;
}

static scalay_status copy_subarrays(const windowing *at)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_subarray_list *from = &at->whole->cells->subarrays;
    scalay_subarray_list *to = &at->window->cells->subarrays;
    for (int part = 0; part < at->whole->parts; part++) {
        for (int64_t k = from->start[part]; k < from->start[part + 1]; k++) {
            const scalay_class_subarray *subarray = &from->subarray[k];
            const int64_t *row = from->class + subarray->first, *col = row + subarray->row_classes;
            const int64_t rows = keep_classes(row, subarray->row_classes, at->new_row, at->list);
            const int64_t cols = keep_classes(col, subarray->col_classes, at->new_col, at->list + rows);
            const scalay_class_product product = {rows, at->list, cols, at->list + rows};
            if (rows > 0 && cols > 0) SCALAY_TRY(add_product(at->window, &product));
        }
        to->start[part + 1] = to->subarrays;
    }
cleanup:
    return status;
}

scalay_status scalay_owner_layout_window(const scalay_layout *whole, int64_t row, int64_t col, scalay_layout *window)
{
    scalay_status status = SCALAY_SUCCESS;
    windowing at = {.whole = whole, .window = window};
    const int empty = window->row.extent == 0 || window->col.extent == 0;
    if (empty) {
        window->row.classes = window->col.classes = 1;
    } else {
        SCALAY_TRY(set_window_runs(&whole->row, row, &window->row, &at.old_row));
        SCALAY_TRY(set_window_runs(&whole->col, col, &window->col, &at.old_col));
    }
    SCALAY_TRY(create_table(window));
    for (int part = 0; part < whole->parts; part++) window->cells->size[part] = whole->cells->size[part];
    if (empty) goto cleanup;
    SCALAY_TRY(invert_classes(whole->row.classes, at.old_row, window->row.classes, &at.new_row));
    SCALAY_TRY(invert_classes(whole->col.classes, at.old_col, window->col.classes, &at.new_col));
    SCALAY_TRY(SCALAY_NEW(at.list, whole->row.classes + whole->col.classes));
    copy_cells(&at);
    SCALAY_TRY(copy_subarrays(&at));
cleanup:
    scalay_release(at.old_row);
    scalay_release(at.old_col);
    scalay_release(at.new_row);
    scalay_release(at.new_col);
    scalay_release(at.list);
    return status;
}

/* ---------------------------------------------------------------------------------------------- layout to owner map */

/* Appends the runs of a layout's axis: the common intervals of the axis with itself. */
static scalay_status collect_runs(const scalay_axis *from, scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_common_interval interval;
    scalay_interval_walk walk = scalay_interval_walk_start(from, from, 0, from->extent);
    axis->classes = from->classes;
    while (scalay_interval_walk_next(&walk, &interval))
        SCALAY_TRY(scalay_map_axis_add(axis, interval.index + interval.count, interval.class_a));
cleanup:
    return status;
}

static scalay_status collect_owners(const scalay_layout *layout, int **owner)
{
    const int64_t rows = layout->row.classes, cols = layout->col.classes;
    const scalay_status status = SCALAY_NEW(*owner, rows * cols);
    for (int64_t r = 0; status == SCALAY_SUCCESS && r < rows; r++)
        for (int64_t c = 0; c < cols; c++) (*owner)[r * cols + c] = scalay_layout_cell_part(layout, r, c);
    return status;
}

scalay_status scalay_layout_owner_map(const scalay_layout *layout, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0}, col = {0};
    int *owner = NULL;
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
    *map = NULL;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    SCALAY_TRY(collect_runs(&layout->row, &row));
    SCALAY_TRY(collect_runs(&layout->col, &col));
    SCALAY_TRY(collect_owners(layout, &owner));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row, &col, layout->parts, owner, map));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    scalay_release(owner);
    return status;
}
