#include "layout/tiles.h"

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"

/* ------------------------------------------------------------------------------------------------- tables */

scalay_tile_table *scalay_tile_table_retain(scalay_tile_table *table)
{
    atomic_fetch_add(&table->references, 1);
    return table;
}

void scalay_tile_table_release(scalay_tile_table *table)
{
    if (table == NULL || atomic_fetch_sub(&table->references, 1) > 1) return;
    scalay_release(table->part);
    scalay_release(table->offset);
    scalay_release(table->start);
    scalay_release(table->tile);
    scalay_release(table->size);
    scalay_release(table->ld);
    scalay_release(table->rectangles);
    scalay_subarray_list_free(&table->pieces);
    scalay_release(table);
}

scalay_status scalay_tile_table_create(int64_t row_classes, int64_t col_classes, int parts, scalay_tile_table **table)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_tile_table *made = NULL;
    int64_t tiles = row_classes * col_classes; /* at most m n, which was checked */
    SCALAY_TRY(SCALAY_NEW(made, 1));
    atomic_init(&made->references, 1);
    SCALAY_TRY(SCALAY_NEW(made->part, tiles));
    SCALAY_TRY(SCALAY_NEW(made->offset, tiles));
    SCALAY_TRY(SCALAY_NEW(made->start, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(made->tile, tiles));
    SCALAY_TRY(SCALAY_NEW(made->size, parts));
    *table = made;
    made = NULL;
cleanup:
    scalay_tile_table_release(made);
    return status;
}

scalay_status scalay_tile_table_add_subarrays(scalay_tile_table *table, int64_t row_classes, int64_t col_classes,
                                              int parts)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(table->ld, row_classes * col_classes));
    SCALAY_TRY(SCALAY_NEW(table->rectangles, row_classes * col_classes + 1));
    SCALAY_TRY(SCALAY_NEW(table->pieces.start, (int64_t)parts + 1));
cleanup:
    return status;
}

void scalay_tile_table_list(scalay_tile_table *table, int64_t row_classes, int64_t col_classes, int parts)
{
    /* A counting sort: start[p] first counts up to the end of part p, then runs back to its beginning. */
    for (int64_t k = 0; k < row_classes * col_classes; k++) table->start[table->part[k]]++;
    for (int p = 0; p < parts; p++) table->start[p + 1] += table->start[p];
    for (int64_t c = col_classes - 1; c >= 0; c--)
        for (int64_t r = row_classes - 1; r >= 0; r--) {
            int64_t tile = r * col_classes + c;
            table->tile[--table->start[table->part[tile]]] = tile;
        }
}

/* ------------------------------------------------------------------------------------------------ tile maps */

static scalay_status check_owners(const char *function, int64_t tiles, int parts, const int *owner)
{
    if (tiles > 0 && owner == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "owner is NULL; pass the part of each of the %lld tiles",
                           (long long)tiles);
    for (int64_t k = 0; k < tiles; k++)
        if (owner[k] < 0 || owner[k] >= parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "owner[%lld] = %d is not a part; pass 0 to %d",
                               (long long)k, owner[k], parts - 1);
    return SCALAY_SUCCESS;
}

/* Lays the tiles of each part out one after the other, column by column. */
static void store_tiles(const scalay_axis *row, const scalay_axis *col, scalay_tile_table *table)
{
    for (int64_t c = 0; c < col->classes; c++) {
        int64_t cols = scalay_axis_count(col, c);
        for (int64_t r = 0; r < row->classes; r++) {
            int64_t tile = r * col->classes + c;
            table->offset[tile] = table->size[table->part[tile]];
            table->size[table->part[tile]] += cols * scalay_min_int64(row->block, row->whole - r * row->block);
        }
    }
}

static scalay_status fill_tiles(scalay_layout *layout, const int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_axis *row = &layout->row, *col = &layout->col;
    int64_t tiles = row->classes * col->classes;
    SCALAY_TRY(check_owners("scalay_layout_tiles", tiles, layout->parts, owner));
    SCALAY_TRY(scalay_tile_table_create(row->classes, col->classes, layout->parts, &layout->tiles));
    for (int64_t k = 0; k < tiles; k++) layout->tiles->part[k] = owner[k];
    scalay_tile_table_list(layout->tiles, row->classes, col->classes, layout->parts);
    store_tiles(row, col, layout->tiles);
cleanup:
    return status;
}

scalay_status scalay_layout_tiles(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, const int *owner,
                                  scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *made = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass an address");
    *layout = NULL;
    if (parts < 1) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "parts = %d; pass at least 1", parts);
    scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = 1};
    scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = 1};
    SCALAY_TRY(scalay_layout_start(__func__, row, col, parts, &made));
    if (m > 0 && n > 0) {
        made->row.classes = scalay_ceil_div(m, mb);
        made->col.classes = scalay_ceil_div(n, nb);
        SCALAY_TRY(fill_tiles(made, owner));
    } else {
        /* Without an element there is no tile: one cell, which no part lists. */
        SCALAY_TRY(scalay_tile_table_create(1, 1, parts, &made->tiles));
    }
    *layout = made;
    made = NULL;
cleanup:
    scalay_layout_destroy(&made);
    return status;
}
