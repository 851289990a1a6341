#ifndef SCALAY_LAYOUT_LAYOUT_H
#define SCALAY_LAYOUT_LAYOUT_H

/**
 * @file
 * What a layout is made of.
 *
 * A layout is a row axis, a column axis (axis.h) and a cell for every pair (row class, column class): the part that
 * owns it and where it lies in the part's local array. There are three kinds of cell tables: a grid (block-cyclic: the
 * cell (r, c) is the whole local matrix of the part at (r, c)), tiles (each cell is one tile, stored densely), and the
 * pieces of an owner map (each cell is a part of a dense array, and the axes are runs).
 * Another kind of layout is another kind of table, or of axis; nothing outside this folder needs to know.
 */

#include "base/status.h"
#include "layout/axis.h"
#include "layout/tiles.h"
#include "scalay/layout.h"

struct scalay_layout {
    scalay_axis row;
    scalay_axis col;
    int parts;
    int processes;
    int *process;             /* shape [parts]: of each part; NULL: the same number */
    int *part;                /* shape [processes]: of each process, -1: none; NULL: the same number */
    scalay_order order;       /* grid: how parts are numbered */
    scalay_tile_table *tiles; /* NULL: a grid; with leading dimensions: an owner map */
    int own_process;          /* whose leading dimension own_ld is; -1: nobody's */
    int64_t own_ld;
};

/** A cell: a pair of classes, the rectangle of places in them, and where that lies in memory. */
typedef struct {
    int64_t row_class;
    int64_t col_class;
    int64_t offset; /* of place (0, 0) in the part's local array */
    int64_t ld;
} scalay_cell;

/**
 * The beginning of every layout: extents in the axes are checked, parts sit on the processes of the same numbers.
 * @param[in]  function  in whose name to fail
 * @param[in]  row, col  whole axes; their classes and sources are right
 * @param[in]  parts     at least 1
 * @param[out] layout    a grid in row-major order, for the caller to complete
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an extent), SCALAY_ERROR_RANGE (m n), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_layout_start(const char *function, scalay_axis row, scalay_axis col, int parts,
                                  scalay_layout **layout);

/**
 * Puts the parts of a new layout on processes: checks and copies. As scalay_layout_relabel(), in the name of
 * `function`. The layout keeps what it had when this fails.
 */
scalay_status scalay_layout_set_processes(const char *function, scalay_layout *layout, int processes,
                                          const int *process);

/** 1 for a block-cyclic layout, 0 for a tile map and an owner map. */
int scalay_layout_is_grid(const scalay_layout *layout);

/** The part that owns the cell of a pair of classes. Constant time. */
int scalay_layout_cell_part(const scalay_layout *layout, int64_t row_class, int64_t col_class);

/** The number of cells of a part, empty ones included: 1 for a grid, the tiles for a tile map. Constant time. */
int64_t scalay_layout_cells(const scalay_layout *layout, int part);

/** The k-th cell of a part, in storage order. Constant time. Element (place r, place c) is at offset + r + c * ld. */
scalay_cell scalay_layout_cell(const scalay_layout *layout, int part, int64_t k);

/** The cell of a pair of classes, in the local array of the part that owns it. Constant time. */
scalay_cell scalay_layout_cell_at(const scalay_layout *layout, int64_t row_class, int64_t col_class);

/** A copy, the leading dimension of the rank's own descriptor included. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_layout_copy(const scalay_layout *layout, scalay_layout **copy);

/**
 * The layout of the transpose: element (j, i) is where (i, j) of the layout is, and local arrays are transposed, too.
 * The rank's own leading dimension is gone.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_UNSUPPORTED (not block-cyclic), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_layout_transpose(const scalay_layout *layout, scalay_layout **turned);

/**
 * A fingerprint of who owns what and how it is stored: equal for equal layouts, however they were made, so that ranks
 * can compare theirs. A rank's own leading dimension does not enter. O(parts + tiles).
 */
uint64_t scalay_layout_fingerprint(const scalay_layout *layout);

#endif
