#ifndef SCALAY_LAYOUT_TILES_H
#define SCALAY_LAYOUT_TILES_H

/**
 * @file
 * The cells of a tile map or of an owner map: who owns each, where it lies, and each part's cells in storage order.
 */

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "layout/pieces.h"

/** A map's cells. Those of a tile map are tiles, those of an owner map are as many rectangles as their classes have. */
typedef struct {
    int *part;           /* shape [row classes][column classes], row by row */
    int64_t *offset;     /* same shape: of place (0, 0) in its part's local array */
    int64_t *ld;         /* same shape: leading dimensions; NULL: a tile map, each tile is as high as its rows */
    int64_t *rectangles; /* owner map: shape [cells + 1], as tile[]: the rectangles of the cells before */
    scalay_subarray_list pieces; /* owner map: the dense arrays; each tile is one */
    int64_t *start;         /* shape [parts + 1]: the tiles of part p are tile[start[p]] .. tile[start[p + 1] - 1] */
    int64_t *tile;          /* row class * column classes + column class, in storage order (column by column) */
    int64_t *size;          /* shape [parts]: of each part's local array, in elements */
    _Atomic int references; /* a table is shared with relabelled layouts */
} scalay_tile_table;

/** A table with zeroed arrays and one reference. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_tile_table_create(int64_t row_classes, int64_t col_classes, int parts, scalay_tile_table **table);

/** Makes it the table of an owner map: with leading dimensions, rectangles and pieces, all zero. */
scalay_status scalay_tile_table_add_subarrays(scalay_tile_table *table, int64_t row_classes, int64_t col_classes,
                                              int parts);

/** Fills start and tile from part. */
void scalay_tile_table_list(scalay_tile_table *table, int64_t row_classes, int64_t col_classes, int parts);

/** One more owner of a table. */
scalay_tile_table *scalay_tile_table_retain(scalay_tile_table *table);

/** One owner less; the last one frees it. NULL is fine. */
void scalay_tile_table_release(scalay_tile_table *table);

#endif
