#ifndef SCALAY_LAYOUT_LAYOUT_H
#define SCALAY_LAYOUT_LAYOUT_H

/**
 * @file
 * The layout object.
 *
 * A layout is a row axis, a column axis (axis.h), and a cell for each pair (row class, column class). A cell has one
 * owner and one address: the element with local indices (r, c) in the two classes is at offset + r + c * ld in the
 * local array of the owner. There are three forms of cells:
 * - grid: cell (r, c) is the local matrix of grid position (r, c); no table is stored;
 * - tile map: each cell is a tile, stored densely with leading dimension equal to its rows;
 * - owner map: a table with leading dimensions. Several cells of a part form one subarray.
 * A further kind of layout needs a new axis or a new form of cells, and no change outside this folder.
 */

#include "base/status.h"
#include "layout/axis.h"
#include "scalay/layout.h"

/** Row classes times column classes. */
typedef struct {
    int64_t rows;
    const int64_t *row; /* shape [rows] */
    int64_t cols;
    const int64_t *col; /* shape [cols] */
} scalay_class_product;

/** A subarray. Its rows are those of its row classes, one class after the other; its columns likewise. */
typedef struct {
    scalay_subarray shape;
    int64_t first; /* the row classes are class[first] .., followed by the column classes */
    int64_t row_classes;
    int64_t col_classes;
} scalay_class_subarray;

/** The subarrays of all parts. Zeroed is empty. */
typedef struct {
    int64_t *start; /* shape [parts + 1]: part p has the subarrays start[p] .. start[p + 1] - 1 */
    int64_t subarrays;
    int64_t capacity;
    scalay_class_subarray *subarray; /* shape [capacity] */
    int64_t classes;
    int64_t class_capacity;
    int64_t *class; /* shape [class_capacity] */
} scalay_subarray_list;

/** The cells of a tile map or an owner map. Layouts that differ only in the processes of their parts share a table. */
typedef struct {
    int *part;                      /* shape [row classes][column classes], row by row: owners */
    int64_t *offset;                /* same shape: offset of local indices (0, 0) in the owner's local array */
    int64_t *ld;                    /* same shape: leading dimensions; NULL: a tile map */
    int64_t *rectangles;            /* owner map: shape [cells + 1], as cell[]: rectangles of the cells before */
    scalay_subarray_list subarrays; /* owner map */
    int64_t *start;                 /* shape [parts + 1]: part p has the cells cell[start[p]] .. */
    int64_t *cell;                  /* row class * column classes + column class, in storage order */
    int64_t *size;                  /* shape [parts]: elements of each part's local array */
    _Atomic int references;
} scalay_cell_table;

struct scalay_layout {
    scalay_axis row;
    scalay_axis col;
    int parts;
    int processes;
    int *process;             /* shape [parts]: process of each part; NULL: part p is on process p */
    int *part;                /* shape [processes]: part of each process, -1: none; NULL: likewise */
    scalay_order order;       /* grid: numbering of the parts */
    scalay_cell_table *cells; /* NULL: a grid */
    int own_process;          /* process to which own_ld applies; -1: none */
    int64_t own_ld;           /* leading dimension of the descriptor of this rank */
};

/** A cell: a pair of classes and its address. */
typedef struct {
    int64_t row_class;
    int64_t col_class;
    int64_t offset; /* offset of local indices (0, 0) in the part's local array */
    int64_t ld;
} scalay_cell;

/* --------------------------------------------------------------------------------------------------------- creation */

/**
 * Creates a row-major grid, which the caller completes. Checks the extents. Part p is on process p.
 * @param[in]  function  public function, for messages
 * @param[in]  row, col  whole axes; classes and source are valid
 * @param[in]  parts     at least 1
 * @param[out] layout    to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an extent), SCALAY_ERROR_RANGE (m n), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_layout_start(const char *function, scalay_axis row, scalay_axis col, int parts,
                                  scalay_layout **layout);

/** Assigns the parts of a new layout to processes, as scalay_layout_relabel(). On failure the layout does not change.
 */
scalay_status scalay_layout_set_processes(const char *function, scalay_layout *layout, int processes,
                                          const int *process);

/** Creates a copy, with the leading dimension of this rank. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_layout_copy(const scalay_layout *layout, scalay_layout **copy);

/**
 * Makes the columns of a local array a cache line longer if their distance is a multiple of SCALAY_SET_BYTES. p?getrf
 * of order 1024 then takes half the time (docs/benchmarks.md).
 * @param[in,out] layout   block-cyclic; another layout takes its place
 * @param[in]     process  of the local array; one without a part changes nothing
 * @param[in]     size     bytes of an element
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY: the layout does not change
 */
SCALAY_API scalay_status scalay_layout_spread(scalay_layout **layout, int process, size_t size);

/**
 * Creates the layout of the transpose: element (j, i) is on the process of element (i, j), and the local arrays are
 * transposed, too. The leading dimension of this rank is not kept.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_UNSUPPORTED (not block-cyclic), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_layout_transpose(const scalay_layout *layout, scalay_layout **transpose);

/**
 * Creates the layout of a pattern file, text or JSON, as scalay_layout_parse() without "pattern:". Keys before the name
 * replace entries of the file. Without an entry, mb is 64, nb is mb and n is m.
 * @param[in]  text    [m=..,][n=..,][mb=..,][nb=..,]FILE
 * @param[in]  m, n    extents if neither the text nor the file has them; -1: unknown
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return as scalay_layout_parse()
 */
scalay_status scalay_layout_read_pattern(const char *text, int64_t m, int64_t n, scalay_layout **layout);

/**
 * Creates the test layout SkewedSet: a block-cyclic tile map whose process numbers are shifted by one, and in which
 * half of the tiles, drawn without replacement, are given to random processes: to process i with probability 2 i / (P
 * (P - 1)).
 * @param[in]  m, n, mb, nb  as in scalay_layout_tiles()
 * @param[in]  nprow, npcol  row-major grid; P = nprow * npcol is at least 1
 * @param[in]  seed          the same seed gives the same map on every machine
 * @param[out] layout        to be released with scalay_layout_destroy()
 * @return as scalay_layout_tiles()
 */
scalay_status scalay_layout_skewed(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol, uint64_t seed,
                                   scalay_layout **layout);

/**
 * Creates the test layout ChunkSet: a tile map such as an Earth-observing instrument produces. Straight swaths through
 * two random tiles, an eighth of the lesser extent wide, cover the matrix; later swaths overwrite earlier ones. Along a
 * swath, line after line, chunks of 16 consecutive tiles are given to the processes in turn.
 * @param[in]  m, n, mb, nb  as in scalay_layout_tiles(); at most 2^30 tiles in either direction
 * @param[in]  parts         number of processes, at least 1
 * @param[in]  seed, layout  as in scalay_layout_skewed()
 * @return as scalay_layout_tiles()
 */
scalay_status scalay_layout_chunks(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, uint64_t seed,
                                   scalay_layout **layout);

/* ---------------------------------------------------------------------------------------------------------- queries */

/** Returns 1 for a block-cyclic layout, 0 for the others. */
int scalay_layout_is_grid(const scalay_layout *layout);

/** Returns 1 for a tile map, 0 for the others. */
int scalay_layout_is_tile_map(const scalay_layout *layout);

/** Returns the part that owns the cell of a pair of classes. Time: O(1). */
int scalay_layout_cell_part(const scalay_layout *layout, int64_t row_class, int64_t col_class);

/** Returns the number of cells of a part, with empty ones: 1 for a grid, the tiles for a tile map. Time: O(1). */
int64_t scalay_layout_cells(const scalay_layout *layout, int part);

/** Returns the k-th cell of a part, in storage order. Time: O(1). */
scalay_cell scalay_layout_cell(const scalay_layout *layout, int part, int64_t k);

/** Returns the cell of a pair of classes. Time: O(1). */
scalay_cell scalay_layout_cell_at(const scalay_layout *layout, int64_t row_class, int64_t col_class);

/**
 * Returns the classes of a subarray of a process, in the order of its rows and columns.
 * @param[in]  k        0 <= k < scalay_layout_subarray_count(layout, process)
 * @param[out] one      shape [2]: storage for the classes of a subarray that is a single cell
 * @param[out] product  its arrays belong to the layout, or are one[]
 */
void scalay_layout_subarray_classes(const scalay_layout *layout, int process, int64_t k, int64_t *one,
                                    scalay_class_product *product);

/**
 * Returns a fingerprint of the owners and of the storage. Equal layouts have equal fingerprints, whichever function
 * made them. The leading dimension of this rank is not part of it. Time: O(parts + cells).
 */
uint64_t scalay_layout_fingerprint(const scalay_layout *layout);

/* ----------------------------------------------------------------------------------------------------------- tables */

/** Creates a table with zeroed arrays and one reference. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_cell_table_create(int64_t row_classes, int64_t col_classes, int parts, scalay_cell_table **table);

/** Adds a reference. NULL is allowed. */
void scalay_cell_table_retain(scalay_cell_table *table);

/** Removes a reference; without references the table is freed. NULL is allowed. */
void scalay_cell_table_release(scalay_cell_table *table);

/** Completes a window of a tile map: crops its axes and creates its table. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_tile_map_window(const scalay_layout *whole, scalay_layout *window);

/**
 * Completes a window of the layout of an owner map: runs, cells and subarrays.
 * @param[in]     row, col  where the window starts in the window that `whole` is
 * @param[in,out] window    extent, first and whole of its axes are set
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_owner_layout_window(const scalay_layout *whole, int64_t row, int64_t col, scalay_layout *window);

#endif
