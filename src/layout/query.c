#include "base/integer.h"
#include "layout/layout.h"

/* ------------------------------------------------------------------------------------------------- cells */

int scalay_layout_is_grid(const scalay_layout *layout)
{
    return layout->tiles == NULL;
}

int scalay_layout_cell_part(const scalay_layout *layout, int64_t row_class, int64_t col_class)
{
    if (layout->tiles != NULL) return layout->tiles->part[row_class * layout->col.classes + col_class];
    return (int)(layout->order == SCALAY_ROW_MAJOR ? row_class * layout->col.classes + col_class
                                                   : col_class * layout->row.classes + row_class);
}

int64_t scalay_layout_cells(const scalay_layout *layout, int part)
{
    return layout->tiles == NULL ? 1 : layout->tiles->start[part + 1] - layout->tiles->start[part];
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

static scalay_cell tile_cell(const scalay_layout *layout, int64_t tile)
{
    scalay_cell cell = {.row_class = tile / layout->col.classes,
                        .col_class = tile % layout->col.classes,
                        .offset = layout->tiles->offset[tile]};
    if (layout->tiles->ld != NULL)
        cell.ld = layout->tiles->ld[tile];
    else
        cell.ld = scalay_min_int64(layout->row.block, layout->row.whole - cell.row_class * layout->row.block);
    return cell;
}

scalay_cell scalay_layout_cell(const scalay_layout *layout, int part, int64_t k)
{
    if (layout->tiles == NULL) return grid_cell(layout, part);
    return tile_cell(layout, layout->tiles->tile[layout->tiles->start[part] + k]);
}

scalay_cell scalay_layout_cell_at(const scalay_layout *layout, int64_t row_class, int64_t col_class)
{
    if (layout->tiles == NULL) return grid_cell(layout, scalay_layout_cell_part(layout, row_class, col_class));
    return tile_cell(layout, row_class * layout->col.classes + col_class);
}

/* ------------------------------------------------------------------------------------------------ owners */

int scalay_layout_owner(const scalay_layout *layout, int64_t i, int64_t j)
{
    if (layout == NULL || i < 0 || j < 0 || i >= layout->row.extent || j >= layout->col.extent) return -1;
    int part = scalay_layout_cell_part(layout, scalay_axis_class(&layout->row, i), scalay_axis_class(&layout->col, j));
    return scalay_layout_process_of_part(layout, part);
}

int64_t scalay_layout_elements(const scalay_layout *layout, int process)
{
    int part = scalay_layout_part_of_process(layout, process);
    int64_t count = 0;
    if (part < 0) return 0;
    for (int64_t k = 0; k < scalay_layout_cells(layout, part); k++) {
        scalay_cell cell = scalay_layout_cell(layout, part, k);
        count += scalay_axis_count(&layout->row, cell.row_class) * scalay_axis_count(&layout->col, cell.col_class);
    }
    return count;
}

int64_t scalay_layout_local_size(const scalay_layout *layout, int process)
{
    if (scalay_layout_rectangle_count(layout, process) == 0) return 0;
    int part = scalay_layout_part_of_process(layout, process);
    if (layout->tiles != NULL) return layout->tiles->size[part];
    const scalay_axis *row = &layout->row, *col = &layout->col;
    scalay_cell cell = grid_cell(layout, part);
    int64_t rows = scalay_axis_count_upto(row, cell.row_class, row->first + row->extent);
    int64_t cols = scalay_axis_count_upto(col, cell.col_class, col->first + col->extent);
    return (cols - 1) * cell.ld + rows;
}

/* --------------------------------------------------------------------------------------------- rectangles */

/* The rectangles of a part of an owner map's layout: those of its cells, one after the other. */
static int64_t count_in_cells(const scalay_tile_table *table, int part)
{
    return table->rectangles[table->start[part + 1]] - table->rectangles[table->start[part]];
}

/* The cell that the k-th of them is in; k becomes its number there. Logarithmic. */
static int64_t find_cell(const scalay_tile_table *table, int part, int64_t *k)
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
    int part = scalay_layout_part_of_process(layout, process);
    if (part < 0) return 0;
    if (layout->tiles != NULL)
        return layout->tiles->ld != NULL ? count_in_cells(layout->tiles, part) : scalay_layout_cells(layout, part);
    scalay_cell cell = grid_cell(layout, part);
    return scalay_axis_run_count(&layout->row, cell.row_class) * scalay_axis_run_count(&layout->col, cell.col_class);
}

scalay_status scalay_layout_rectangle(const scalay_layout *layout, int process, int64_t k, scalay_rectangle *rectangle)
{
    int64_t rectangles = scalay_layout_rectangle_count(layout, process);
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass a layout");
    if (rectangle == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "rectangle is NULL; pass an address");
    if (k < 0 || k >= rectangles)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "k = %lld: process %d has %lld rectangles; pass less", (long long)k,
                           process, (long long)rectangles);
    int part = scalay_layout_part_of_process(layout, process);
    int64_t nth = 0; /* cell; k is the number in it */
    if (layout->tiles != NULL && layout->tiles->ld != NULL) {
        nth = find_cell(layout->tiles, part, &k);
    } else if (layout->tiles != NULL) {
        nth = k;
        k = 0;
    }
    scalay_cell cell = scalay_layout_cell(layout, part, nth);
    int64_t down = scalay_axis_run_count(&layout->row, cell.row_class);
    scalay_axis_run rows = scalay_axis_get_run(&layout->row, cell.row_class, k % down);
    scalay_axis_run cols = scalay_axis_get_run(&layout->col, cell.col_class, k / down);
    *rectangle = (scalay_rectangle){
        rows.index, cols.index, rows.count, cols.count, cell.offset + rows.local + cols.local * cell.ld, cell.ld};
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------ equality */

/* Every pair of classes that meet in the rows, with every pair that meet in the columns, is a place to compare. */
static int owners_agree(const scalay_layout *a, const scalay_layout *b, const scalay_axis_overlap *cols, int64_t row_a,
                        int64_t row_b)
{
    for (int64_t col_a = 0; col_a < cols->classes_a; col_a++) {
        if (cols->start[col_a] == cols->start[col_a + 1]) continue;
        int owner = scalay_layout_process_of_part(a, scalay_layout_cell_part(a, row_a, col_a));
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
