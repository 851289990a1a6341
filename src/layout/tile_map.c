/*
 * Tile maps: the owner of each mb x nb tile is given. Each tile row and each tile column is a class.
 *
 * Storage: the tiles of a part one after the other, column by column, each dense. Time and memory: O(tiles + parts).
 */
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"

/* ----------------------------------------------------------------------------------------------------------- tables */

void scalay_cell_table_retain(scalay_cell_table *table)
{
    if (table != NULL) atomic_fetch_add(&table->references, 1);
}

void scalay_cell_table_release(scalay_cell_table *table)
{
    if (table == NULL || atomic_fetch_sub(&table->references, 1) > 1) return;
    scalay_release(table->part);
    scalay_release(table->offset);
    scalay_release(table->ld);
    scalay_release(table->rectangles);
    scalay_release(table->subarrays.start);
    scalay_release(table->subarrays.subarray);
    scalay_release(table->subarrays.class);
    scalay_release(table->start);
    scalay_release(table->cell);
    scalay_release(table->size);
    scalay_release(table);
}

scalay_status scalay_cell_table_create(int64_t row_classes, int64_t col_classes, int parts, scalay_cell_table **table)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cell_table *new_table = NULL;
    const int64_t cells = row_classes * col_classes; /* at most m n, which was checked */
    SCALAY_TRY(SCALAY_NEW(new_table, 1));
    atomic_init(&new_table->references, 1);
    SCALAY_TRY(SCALAY_NEW(new_table->part, cells));
    SCALAY_TRY(SCALAY_NEW(new_table->offset, cells));
    SCALAY_TRY(SCALAY_NEW(new_table->start, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(new_table->cell, cells));
    SCALAY_TRY(SCALAY_NEW(new_table->size, parts));
    *table = new_table;
    new_table = NULL;
cleanup:
    scalay_cell_table_release(new_table);
    return status;
}

/* Fills start and cell from part (counting sort): cells column by column. */
static void list_cells(scalay_cell_table *table, int64_t row_classes, int64_t col_classes, int parts)
{
    for (int64_t k = 0; k < row_classes * col_classes; k++) table->start[table->part[k]]++;
    for (int p = 0; p < parts; p++) table->start[p + 1] += table->start[p];
    for (int64_t c = col_classes - 1; c >= 0; c--)
        for (int64_t r = row_classes - 1; r >= 0; r--) {
            const int64_t cell = r * col_classes + c;
            table->cell[--table->start[table->part[cell]]] = cell;
        }
}

/* --------------------------------------------------------------------------------------------------------- creation */

static scalay_status check_owners(const char *function, int64_t tiles, int parts, const int *owner)
{
    if (tiles > 0 && owner == NULL) return scalay_check_not_null(owner, function, "owner");
    for (int64_t k = 0; k < tiles; k++)
        if (owner[k] < 0 || owner[k] >= parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "owner[%lld] is %d; it must be in [0, %d]",
                               (long long)k, owner[k], parts - 1);
    return SCALAY_SUCCESS;
}

/* Stores the tiles of each part one after the other, column by column. */
static void store_tiles(const scalay_axis *row, const scalay_axis *col, scalay_cell_table *table)
{
    for (int64_t c = 0; c < col->classes; c++) {
        const int64_t cols = scalay_axis_count(col, c);
        for (int64_t r = 0; r < row->classes; r++) {
            const int64_t tile = r * col->classes + c;
            table->offset[tile] = table->size[table->part[tile]];
            table->size[table->part[tile]] += cols * scalay_min_int64(row->block, row->whole - r * row->block);
        }
    }
}

static scalay_status fill_tiles(const char *function, scalay_layout *layout, const int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_axis *row = &layout->row, *col = &layout->col;
    const int64_t tiles = row->classes * col->classes;
    SCALAY_TRY(check_owners(function, tiles, layout->parts, owner));
    SCALAY_TRY(scalay_cell_table_create(row->classes, col->classes, layout->parts, &layout->cells));
    for (int64_t k = 0; k < tiles; k++) layout->cells->part[k] = owner[k];
    list_cells(layout->cells, row->classes, col->classes, layout->parts);
    store_tiles(row, col, layout->cells);
cleanup:
    return status;
}

scalay_status scalay_layout_tiles(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, const int *owner,
                                  scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *new_layout = NULL;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    *layout = NULL;
    SCALAY_TRY(scalay_check_at_least(parts, 1, __func__, "parts"));
    const scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = 1};
    const scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = 1};
    SCALAY_TRY(scalay_layout_start(__func__, row, col, parts, &new_layout));
    if (m > 0 && n > 0) {
        new_layout->row.classes = scalay_ceil_div(m, mb);
        new_layout->col.classes = scalay_ceil_div(n, nb);
        SCALAY_TRY(fill_tiles(__func__, new_layout, owner));
    } else {
        /* an empty matrix has one cell, which no part lists */
        SCALAY_TRY(scalay_cell_table_create(1, 1, parts, &new_layout->cells));
    }
    *layout = new_layout;
    new_layout = NULL;
cleanup:
    scalay_layout_destroy(&new_layout);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- windows */

/* Removes the tiles outside a window from its axis. Returns the number of tiles removed before the window. */
static int64_t crop(scalay_axis *axis)
{
    const int64_t before = axis->first / axis->block;
    const int64_t behind = (axis->first + axis->extent - 1) / axis->block + 1;
    axis->whole -= before * axis->block;
    axis->first -= before * axis->block;
    axis->classes = behind - before;
    if (axis->whole / axis->block >= axis->classes) axis->whole = axis->classes * axis->block;
    return before;
}

scalay_status scalay_tile_map_window(const scalay_layout *whole, scalay_layout *window)
{
    scalay_status status = SCALAY_SUCCESS;
    const int empty = window->row.extent == 0 || window->col.extent == 0;
    int64_t rows_before = 0, cols_before = 0;
    if (empty) {
        window->row.classes = window->col.classes = 1;
    } else {
        rows_before = crop(&window->row);
        cols_before = crop(&window->col);
    }
    const int64_t rows = window->row.classes, cols = window->col.classes;
    SCALAY_TRY(scalay_cell_table_create(rows, cols, whole->parts, &window->cells));
    for (int part = 0; part < whole->parts; part++) window->cells->size[part] = whole->cells->size[part];
    if (empty) goto cleanup;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            const int64_t from = (r + rows_before) * whole->col.classes + c + cols_before;
            window->cells->part[r * cols + c] = whole->cells->part[from];
            window->cells->offset[r * cols + c] = whole->cells->offset[from];
        }
    list_cells(window->cells, rows, cols, whole->parts);
cleanup:
    return status;
}
