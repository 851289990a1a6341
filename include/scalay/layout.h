#ifndef SCALAY_LAYOUT_H
#define SCALAY_LAYOUT_H

/**
 * @file
 * Layouts. A layout maps each element of an m x n matrix to a process and to a position in the local array of that
 * process.
 *
 * A layout has parts 0 .. parts - 1. Each part is assigned to one process, and each process holds at most one part. By
 * default, part j is on process j. A descriptor or a mapping can assign it to another process. A process is a rank of
 * the communicator that the layout is used with. Parts may be empty.
 *
 * Kinds of layouts:
 * - block-cyclic: those of ScaLAPACK, and submatrices of them;
 * - tile maps: any owner for each mb x nb tile;
 * - patterns: a table of owners that is repeated (pattern.h);
 * - owner maps (partition.h): results of partitions, and maps for processors of different speeds.
 *
 * Functions are not collective and do not communicate, except scalay_layout_from_desc(), which reads the BLACS grid.
 * Layouts are immutable; threads may share them. Indices are 0-based. Local arrays are column-major. Offsets and
 * leading dimensions count elements.
 */

#include "scalay/partition.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A layout. */
typedef struct scalay_layout scalay_layout;

/* ------------------------------------------------------------------------------------------------------ creation */

/**
 * Creates a block-cyclic layout: block (I, J) belongs to grid position ((I + rsrc) mod nprow, (J + csrc) mod npcol).
 * Not collective. Local arrays are those of ScaLAPACK, with leading dimension max(1, local rows).
 * @param[in]  m, n          extents, at least 0
 * @param[in]  mb, nb        block extents, at least 1
 * @param[in]  nprow, npcol  grid extents, at least 1; nprow * npcol is at most 2^31 - 1
 * @param[in]  rsrc, csrc    grid position of the first block, 0 <= rsrc < nprow, 0 <= csrc < npcol
 * @param[in]  order         numbering of the parts on the grid
 * @param[out] layout        to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_block_cyclic(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol,
                                                    int rsrc, int csrc, scalay_order order, scalay_layout **layout);

/**
 * Creates the layout of a ScaLAPACK descriptor. Collective over comm. Each part is on the rank at its position of the
 * BLACS grid. Grids of gridinit and gridmap are allowed, on all or on some ranks of comm.
 * @param[in]  comm    contains all ranks of the grid
 * @param[in]  desc    shape [9]: a descriptor of type 1 (dense). LLD is the leading dimension of the local array of
 * this rank. Ranks outside the grid pass NULL or a descriptor with context -1
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an invalid entry, or no rank in the grid), SCALAY_ERROR_MISMATCH
 * (ranks of the grid have different descriptors or are not in comm), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_layout_from_desc(scalay_comm *comm, const int *desc, scalay_layout **layout);

/**
 * Creates a tile map. Not collective. The tiles of a part are stored one after the other, column by column, each dense.
 * @param[in]  m, n    extents, at least 0
 * @param[in]  mb, nb  tile extents, at least 1; the last tiles may be smaller
 * @param[in]  parts   number of parts, at least 1
 * @param[in]  owner   shape [ceil(m / mb)][ceil(n / nb)], row by row: part of each tile, 0 <= owner < parts; copied
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_tiles(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, const int *owner,
                                             scalay_layout **layout);

/**
 * Creates the layout of an owner map. Not collective. A part has one subarray for each set of columns in which it owns
 * the same rows, or for each set of rows in which it owns the same columns, whichever gives fewer. A rectangle is one
 * subarray, even if its rows and columns are scattered. Within a subarray, rows with the same owners are contiguous.
 * @param[in]  map     any owner map; not needed after the call
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_from_owner_map(const scalay_owner_map *map, scalay_layout **layout);

/**
 * Creates the layout of an owner map with rows and columns in ascending order. Not collective. A part has one subarray
 * for each set of columns in which it owns the same rows. In each subarray, rows and columns have ascending matrix
 * indices. Therefore the part of a trailing matrix is a trailing block of each subarray. The layout needs memory for
 * each pair of runs of an axis that has several classes of lines in a subarray: at most (tile rows) * (tile columns)
 * entries.
 * @param[in]  map     any owner map; not needed after the call
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return as scalay_layout_from_owner_map()
 */
SCALAY_API scalay_status scalay_layout_from_owner_map_ascending(const scalay_owner_map *map, scalay_layout **layout);

/**
 * Creates a submatrix: its element (0, 0) is element (row, col) of the layout. Not collective. Local arrays stay those
 * of the whole matrix, as in ScaLAPACK.
 * @param[in]  layout    any layout
 * @param[in]  row, col  at least 0
 * @param[in]  m, n      extents, at least 0; row + m and col + n are at most the extents of the layout
 * @param[out] submatrix to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_submatrix(const scalay_layout *layout, int64_t row, int64_t col, int64_t m,
                                                 int64_t n, scalay_layout **submatrix);

/**
 * Creates the layout with its parts on other processes. Not collective. Leading dimensions of a descriptor are not
 * kept.
 * @param[in]  layout     any layout; the present processes of its parts are ignored
 * @param[in]  processes  number of processes, at least the number of parts
 * @param[in]  process    shape [parts]: process of each part, distinct; NULL: 0, 1, 2, ...
 * @param[out] relabelled to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_relabel(const scalay_layout *layout, int processes, const int *process,
                                               scalay_layout **relabelled);

/**
 * Copies a layout and sets the leading dimension of the local array of one process. Not collective. A program that
 * knows the grid of a descriptor creates its layout without communication: scalay_layout_block_cyclic(),
 * scalay_layout_relabel(), then this function with LLD_.
 * @param[in]  layout   block-cyclic
 * @param[in]  process  calling process; it holds a part
 * @param[in]  ld       elements between two columns of its local array, at least max(1, local rows)
 * @param[out] copy     release with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_with_ld(const scalay_layout *layout, int process, int64_t ld,
                                               scalay_layout **copy);

/**
 * Creates a layout from text. Not collective.
 *
 * - `cyclic:m=..,n=..,mb=..,nb=..,p=..,q=..[,rsrc=..,csrc=..,ia=..,ja=..,order=row|col]`: block-cyclic. m x n is the
 *   submatrix that starts at the 1-based indices ia, ja of the distributed matrix.
 * - `tiles:FILE`: tile map. The first line is `m n mb nb P`; then one owner per tile, row by row.
 * - `pattern:[m=..,][n=..,][mb=..,][nb=..,]FILE`: pattern (pattern.h), text or the output of `scalay pattern --json`.
 *   In text, the first line is `m n mb nb P r c`; then r lines of c owners. -1 is a diagonal tile of a symmetric
 *   pattern: the owners of its row take it in turn. Keys before the name replace the numbers of the file. Defaults if
 *   neither has them: n is m, mb is 64, nb is mb.
 * - `skewed:m=..,n=..,mb=..,nb=..,p=..,q=..[,seed=..]` and `chunks:m=..,n=..,mb=..,nb=..,p=..[,seed=..]`: the test
 *   layouts SkewedSet and ChunkSet of Herrmann et al. (2016). The default seed is 1.
 *
 * All but the first are limited to 2^24 processes.
 * @param[in]  text    the text
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names the key or the line), SCALAY_ERROR_ARGUMENT,
 *         SCALAY_ERROR_RANGE, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_parse(const char *text, scalay_layout **layout);

/** Releases a layout and sets it to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_layout_destroy(scalay_layout **layout);

/* ------------------------------------------------------------------------------------------------------- queries */

/** Returns the number of rows; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_layout_rows(const scalay_layout *layout);

/** Returns the number of columns; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_layout_cols(const scalay_layout *layout);

/** Returns the number of parts, with the empty ones; 0 for NULL. Not collective. */
SCALAY_API int scalay_layout_parts(const scalay_layout *layout);

/** Returns the number of processes; 0 for NULL. Not collective. All owners are less than it. */
SCALAY_API int scalay_layout_processes(const scalay_layout *layout);

/** Returns the process of a part; -1 if there is no such part. Not collective. */
SCALAY_API int scalay_layout_process_of_part(const scalay_layout *layout, int part);

/** Returns the part of a process; -1 if it holds none. Not collective. */
SCALAY_API int scalay_layout_part_of_process(const scalay_layout *layout, int process);

/** Returns the process that owns element (i, j); -1 outside the matrix. Not collective. */
SCALAY_API int scalay_layout_owner(const scalay_layout *layout, int64_t i, int64_t j);

/** Returns the number of elements that a process owns. Not collective. */
SCALAY_API int64_t scalay_layout_elements(const scalay_layout *layout, int process);

/**
 * Returns the number of elements of the smallest local array of a process; 0 if it owns no element. Not collective. For
 * a submatrix, this is the local array of the whole matrix; if it is block-cyclic, up to the last row and column of the
 * submatrix.
 */
SCALAY_API int64_t scalay_layout_local_size(const scalay_layout *layout, int process);

/**
 * Creates the owner map of a layout: the part that owns each element. Not collective. Time: O(runs of the axes +
 * cells).
 * @param[in]  layout  any layout
 * @param[out] map     to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_owner_map(const scalay_layout *layout, scalay_owner_map **map);

/** Returns 1 if two layouts have the same owner for each element, else 0. Not collective. Their local arrays may
 * differ. If memory is not sufficient, the result is 0 and scalay_error_message() has the reason. */
SCALAY_API int scalay_layout_same_owners(const scalay_layout *a, const scalay_layout *b);

/**
 * Returns the number of memory segments of a redistribution, column by column. Not collective. A segment is a run of
 * rows with the same source and the same target. If the target does not divide the rows, it is a run of rows that are
 * contiguous in the source. Time: O(sqrt(rows)) at most.
 * @param[in] source, target  layouts of the same extents; for an owner map, an upper bound is returned
 * @return segments of all columns; -1 if an argument is NULL or the extents differ
 */
SCALAY_API int64_t scalay_layout_segments(const scalay_layout *source, const scalay_layout *target);

/* -------------------------------------------------------------------------------------- rectangles and subarrays */

/** A rectangle of the matrix whose columns are contiguous in the local array of its owner. */
typedef struct {
    int64_t row;    /**< first row */
    int64_t col;    /**< first column */
    int64_t rows;   /**< at least 1 */
    int64_t cols;   /**< at least 1 */
    int64_t offset; /**< of element (row, col) in the local array */
    int64_t ld;     /**< leading dimension */
} scalay_rectangle;

/** Returns the number of rectangles of a process. Not collective. */
SCALAY_API int64_t scalay_layout_rectangle_count(const scalay_layout *layout, int process);

/**
 * Returns a rectangle of a process: a block, a tile, or a run of rows times a run of columns of an owner map. Not
 * collective. Time: O(1); for an owner map O(log cells).
 * @param[in]  layout     any layout
 * @param[in]  process    a process
 * @param[in]  k          0 <= k < scalay_layout_rectangle_count(layout, process)
 * @param[out] rectangle  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_layout_rectangle(const scalay_layout *layout, int process, int64_t k,
                                                 scalay_rectangle *rectangle);

/** A dense part of a local array: the elements at some rows and some columns of the matrix. */
typedef struct {
    int64_t rows;   /**< at least 1 */
    int64_t cols;   /**< at least 1 */
    int64_t offset; /**< of its first element in the local array */
    int64_t ld;     /**< leading dimension */
} scalay_subarray;

/**
 * Returns the number of subarrays of a process; 0 if it owns no element. Not collective. A block-cyclic layout has one
 * subarray, a tile map one per tile. A submatrix of an owner map may have more subarrays than the whole matrix.
 * @param[in]  layout   any layout
 * @param[in]  process  a process
 */
SCALAY_API int64_t scalay_layout_subarray_count(const scalay_layout *layout, int process);

/**
 * Returns a subarray of a process. Not collective.
 * @param[in]  layout    any layout
 * @param[in]  process   a process
 * @param[in]  k         0 <= k < scalay_layout_subarray_count(layout, process)
 * @param[out] subarray  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_layout_subarray(const scalay_layout *layout, int process, int64_t k,
                                                scalay_subarray *subarray);

/**
 * Returns the matrix indices of the rows and columns of a subarray, in the order of storage. Not collective.
 * @param[in]  layout   any layout
 * @param[in]  process  a process
 * @param[in]  k        as in scalay_layout_subarray()
 * @param[out] row      shape [rows of the subarray], caller-owned; NULL: not returned
 * @param[out] col      shape [columns of the subarray], caller-owned; NULL: not returned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_layout_subarray_indices(const scalay_layout *layout, int process, int64_t k,
                                                        int64_t *row, int64_t *col);

/* ---------------------------------------------------------------------------------------------------------- text */

/**
 * Describes a layout in one sentence, such as "1000 x 800 block-cyclic, blocks 64 x 64, grid 2 x 2". Not collective.
 * @param[in]  layout  any layout
 * @param[out] text    shape [size], NUL-terminated, truncated if it does not fit; may be NULL if size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole sentence, as snprintf
 */
SCALAY_API int scalay_layout_describe(const scalay_layout *layout, char *text, size_t size);

/**
 * Draws the owners as text, one line per row of cells, each ended by a newline. Not collective. A cell is a block, a
 * tile, or a run of rows times a run of columns. If there are more than max_cells cells in a direction, they are
 * sampled.
 * @param[in]  layout     any layout
 * @param[in]  max_cells  at least 1
 * @param[out] text       shape [size], as in scalay_layout_describe()
 * @param[in]  size       in bytes
 * @return the length of the whole drawing, as snprintf
 */
SCALAY_API int64_t scalay_layout_draw(const scalay_layout *layout, int max_cells, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
