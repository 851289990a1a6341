#ifndef SCALAY_LAYOUT_H
#define SCALAY_LAYOUT_H

/**
 * @file
 * Layouts: who owns which element of an m x n matrix, and where it lies in the owner's memory.
 *
 * A layout cuts the matrix into parts 0 .. parts-1. A part sits on a process: on the process of the same number as
 * long as nothing else is said, otherwise where the descriptor's grid or a mapping puts it, never two parts on one
 * process. A process is a rank of the communicator that the layout is used with. Empty parts are fine.
 *
 * Kinds: block-cyclic (ScaLAPACK's; also a submatrix of one), tile maps (any owner per mb x nb tile), and owner maps
 * (partition.h: what a partition or a heterogeneous block-cyclic distribution looks like). Everything
 * here is pure: no MPI, any number of processes, except scalay_layout_from_desc(), which must ask BLACS for the
 * grid. Layouts are immutable and may be shared by threads.
 *
 * Indices are 0-based. Local arrays are column-major; "offset" and "ld" count elements.
 */

#include "scalay/partition.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A layout. */
typedef struct scalay_layout scalay_layout;

/** A rectangle of the matrix that is contiguous by columns in its owner's memory. */
typedef struct {
    int64_t row;    /**< its first row */
    int64_t col;    /**< its first column */
    int64_t rows;   /**< at least 1 */
    int64_t cols;   /**< at least 1 */
    int64_t offset; /**< of element (row, col) in the local array */
    int64_t ld;     /**< from one column to the next in the local array */
} scalay_rectangle;

/**
 * A block-cyclic partition: block (I, J) belongs to grid position ((I + rsrc) mod nprow, (J + csrc) mod npcol).
 * Not collective. Local storage is ScaLAPACK's, with leading dimension max(1, local rows).
 * @param[in]  m, n          extents, at least 0
 * @param[in]  mb, nb        block extents, at least 1
 * @param[in]  nprow, npcol  grid extents, at least 1; nprow * npcol fits an int
 * @param[in]  rsrc, csrc    grid position of the first block, 0 <= rsrc < nprow, 0 <= csrc < npcol
 * @param[in]  order         how parts are numbered on the grid
 * @param[out] layout        to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_block_cyclic(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol,
                                                    int rsrc, int csrc, scalay_order order, scalay_layout **layout);

/**
 * The layout that a ScaLAPACK descriptor describes, parts on the ranks of comm where its BLACS grid has them.
 * Collective over comm. Any grid goes: gridinit's, gridmap's, on some of the ranks.
 * @param[in]  comm    contains every rank of the grid
 * @param[in]  desc    shape [9], a descriptor of type 1 (dense); ranks outside the grid pass NULL or a context of -1.
 *                     On each rank of the grid LLD is its own local array's.
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an entry is not valid, no rank is in the grid),
 *         SCALAY_ERROR_MISMATCH (ranks of the grid hold different descriptors, or ranks of the grid are missing in
 *         comm), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_layout_from_desc(scalay_comm *comm, const int *desc, scalay_layout **layout);

/**
 * A tile map: the owner of each mb x nb tile is given. Not collective. A part's tiles are stored one after the other,
 * each densely (leading dimension: the tile's rows), tile columns from left to right, in each from top to bottom.
 * @param[in]  m, n    extents, at least 0
 * @param[in]  mb, nb  tile extents, at least 1; the last tiles may be smaller
 * @param[in]  parts   number of parts, at least 1
 * @param[in]  owner   shape [ceil(m / mb)][ceil(n / nb)], row by row: each tile's part, 0 <= owner < parts; copied
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_tiles(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, const int *owner,
                                             scalay_layout **layout);

/**
 * A skewed tile map: a block-cyclic distribution whose process numbers are shifted by one, half of whose tiles (drawn
 * without replacement) then go to a random process, process i with probability 2 i / (P (P - 1)). Not collective.
 * @param[in]  m, n, mb, nb  as in scalay_layout_tiles()
 * @param[in]  nprow, npcol  the grid, row-major; P = nprow * npcol is at least 1 (P = 1: everything on process 0)
 * @param[in]  seed          the same seed gives the same map everywhere
 * @param[out] layout        to be released with scalay_layout_destroy()
 * @return as scalay_layout_tiles()
 * @par Source
 * Herrmann et al., Assessing the cost of redistribution followed by a computational kernel, Parallel Computing 52
 * (2016), section 6.3.2, SkewedSet; the probability is printed there as 2^i / (P (P - 1)), which does not sum to 1.
 */
SCALAY_API scalay_status scalay_layout_skewed(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol,
                                              uint64_t seed, scalay_layout **layout);

/**
 * A tile map as an Earth-observing instrument leaves it: straight swaths through two random tiles, an eighth of the
 * matrix (the lesser extent) wide, the later over the earlier, until every tile is covered. Along a swath, line after
 * line across it, chunks of 16 consecutive tiles go to the processes round robin. Not collective.
 * @param[in]  m, n, mb, nb  as in scalay_layout_tiles(); at most 2^30 tiles in either direction
 * @param[in]  parts         number of processes, at least 1
 * @param[in]  seed          the same seed gives the same map everywhere
 * @param[out] layout        to be released with scalay_layout_destroy()
 * @return as scalay_layout_tiles()
 * @par Source
 * Herrmann et al. (2016), section 6.3.2, ChunkSet (figure 7); where swaths run and how wide they are is not said there.
 */
SCALAY_API scalay_status scalay_layout_chunks(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, uint64_t seed,
                                              scalay_layout **layout);

/**
 * The layout of an owner map (partition.h): its parts, wherever they are. Not collective. Local storage is as few dense
 * arrays as there are sets of columns (or of rows, whichever gives fewer) in which a part owns the same: one array,
 * column-major, for a rectangle, however its lines are scattered; two or three for the shapes that are none.
 * @param[in]  map     any owner map; not needed after the call
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_from_owner_map(const scalay_owner_map *map, scalay_layout **layout);

/**
 * The owner map of a layout: which part owns each element. Not collective. O(blocks of the axes + cells).
 * @param[in]  layout  any layout
 * @param[out] map     to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_owner_map(const scalay_layout *layout, scalay_owner_map **map);

/** A dense array in a part's local memory: the elements at some rows and some columns of the matrix. */
typedef struct {
    int64_t rows;   /**< at least 1 */
    int64_t cols;   /**< at least 1 */
    int64_t offset; /**< of its first element in the local array */
    int64_t ld;     /**< from one column to the next */
} scalay_subarray;

/**
 * The dense arrays that a process holds. Not collective. One for a block-cyclic layout, one per tile for a tile map. A
 * window of an owner map's layout may have more of them than the whole, where it leaves lines between them out.
 * @param[in]  layout   any layout
 * @param[in]  process  a process
 * @return their number; 0 when the process owns nothing
 */
SCALAY_API int64_t scalay_layout_subarray_count(const scalay_layout *layout, int process);

/**
 * One of the dense arrays that a process holds. Not collective.
 * @param[in]  layout   any layout
 * @param[in]  process  a process
 * @param[in]  k        0 <= k < scalay_layout_subarray_count(layout, process)
 * @param[out] piece    caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_layout_subarray(const scalay_layout *layout, int process, int64_t k,
                                                scalay_subarray *piece);

/**
 * The matrix indices of the rows or columns of a piece, in the order of storage. Not collective.
 * @param[in]  layout   any layout
 * @param[in]  process  a process
 * @param[in]  k        as in scalay_layout_subarray()
 * @param[out] row      shape [rows of the piece], caller-owned; NULL: not wanted
 * @param[out] col      shape [cols of the piece], caller-owned; NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_layout_subarray_indices(const scalay_layout *layout, int process, int64_t k,
                                                        int64_t *row, int64_t *col);

/**
 * A submatrix: element (0, 0) of the result is element (row, col) of the given layout. Not collective. Local arrays
 * stay those of the whole matrix, as in ScaLAPACK.
 * @param[in]  layout    any layout
 * @param[in]  row, col  0-based, at least 0
 * @param[in]  m, n      extents, at least 0; row + m and col + n lie within the layout
 * @param[out] submatrix to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_submatrix(const scalay_layout *layout, int64_t row, int64_t col, int64_t m,
                                                 int64_t n, scalay_layout **submatrix);

/**
 * The same partition with its parts on other processes. Not collective.
 * @param[in]  layout     any layout; where its parts sit now does not matter
 * @param[in]  processes  number of processes, at least the number of parts
 * @param[in]  process    shape [parts]: the process that takes each part, distinct; NULL means 0, 1, 2, ...
 * @param[out] relabelled to be released with scalay_layout_destroy(). Local leading dimensions taken over from a
 *                        descriptor are not kept.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_relabel(const scalay_layout *layout, int processes, const int *process,
                                               scalay_layout **relabelled);

/**
 * Reads a layout from a compact text. Not collective.
 *
 * `cyclic:m=..,n=..,mb=..,nb=..,p=..,q=..[,rsrc=..,csrc=..,ia=..,ja=..,order=row|col]` (m x n is the submatrix that
 * starts at the 1-based indices ia, ja of the distributed matrix),
 * `tiles:FILE` (first line `m n mb nb P`, then one owner per tile, row by row),
 * `skewed:m=..,n=..,mb=..,nb=..,p=..,q=..[,seed=..]`, `chunks:m=..,n=..,mb=..,nb=..,p=..[,seed=..]` (seed 1).
 * All but the first are limited to 2^24 processes.
 * @param[in]  text    the text
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names the key or the line), SCALAY_ERROR_ARGUMENT,
 *         SCALAY_ERROR_RANGE, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_parse(const char *text, scalay_layout **layout);

/**
 * Releases a layout. Not collective.
 * @param[in,out] layout  the object; set to NULL; a NULL pointer or object is fine
 */
SCALAY_API void scalay_layout_destroy(scalay_layout **layout);

/** Rows of the matrix; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_layout_rows(const scalay_layout *layout);

/** Columns of the matrix; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_layout_cols(const scalay_layout *layout);

/** The number of parts, empty ones included; 0 for NULL. Not collective. */
SCALAY_API int scalay_layout_parts(const scalay_layout *layout);

/** The number of processes: every owner is below it; 0 for NULL. Not collective. */
SCALAY_API int scalay_layout_processes(const scalay_layout *layout);

/** The process that holds a part, or -1 when part is none. Not collective. */
SCALAY_API int scalay_layout_process_of_part(const scalay_layout *layout, int part);

/** The part that a process holds, or -1 when it holds none. Not collective. */
SCALAY_API int scalay_layout_part_of_process(const scalay_layout *layout, int process);

/** The process that owns element (i, j), 0-based; -1 outside the matrix. Not collective. */
SCALAY_API int scalay_layout_owner(const scalay_layout *layout, int64_t i, int64_t j);

/** The number of elements that a process owns. Not collective. */
SCALAY_API int64_t scalay_layout_elements(const scalay_layout *layout, int process);

/**
 * The smallest local array, in elements, that holds what a process owns: of the whole matrix for a submatrix of a
 * tile map or owner map; up to the submatrix's last row and column for a block-cyclic one. 0 when the process owns
 * nothing. Not collective.
 */
SCALAY_API int64_t scalay_layout_local_size(const scalay_layout *layout, int process);

/** The number of rectangles that scalay_layout_rectangle() tells for a process. Not collective. */
SCALAY_API int64_t scalay_layout_rectangle_count(const scalay_layout *layout, int process);

/**
 * One of the rectangles that a process owns: a block or a tile, or a run of rows by a run of columns of an owner map.
 * Not collective. Constant time; for an owner map logarithmic in the pairs of classes that the process owns.
 * @param[in]  layout     any layout
 * @param[in]  process    a process
 * @param[in]  k          0 <= k < scalay_layout_rectangle_count(layout, process)
 * @param[out] rectangle  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_layout_rectangle(const scalay_layout *layout, int process, int64_t k,
                                                 scalay_rectangle *rectangle);

/**
 * 1 when two layouts give every element the same owner (storage may differ), 0 otherwise. Not collective. Without
 * memory to find out the answer is 0, and scalay_error_message() says so.
 */
SCALAY_API int scalay_layout_same_owners(const scalay_layout *a, const scalay_layout *b);

/**
 * In how many stretches of memory the elements lie, column by column, that go from one layout to another one: runs of
 * rows with the same two owners; where the target does not divide rows, runs of rows that are neighbours in the memory
 * of the source. Not collective. Takes at most the square root of the rows in time, mostly none; of an owner map, its
 * classes of rows.
 * @param[in] source, target  layouts of the same extents; of an owner map it is at most so many
 * @return the stretches of all columns; -1 when an argument is NULL or the extents differ
 */
SCALAY_API int64_t scalay_layout_segments(const scalay_layout *source, const scalay_layout *target);

/**
 * A sentence about a layout, such as "1000 x 800 block-cyclic, blocks 64 x 64, grid 2 x 2". Not collective.
 * @param[in]  layout  any layout
 * @param[out] text    shape [size], NUL-terminated, cut when it does not fit; may be NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole sentence, as snprintf
 */
SCALAY_API int scalay_layout_describe(const scalay_layout *layout, char *text, size_t size);

/**
 * Draws the owners as text, one line per row of cells, each line ended by a newline. Not collective. A cell is a
 * block, a tile or a run of lines of an owner map; a matrix with more than max_cells cells in a direction is sampled.
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
