#ifndef SCALAY_PARTITION_H
#define SCALAY_PARTITION_H

/**
 * @file
 * Partitions: the assignment of the elements of an m x n matrix to processors, for given shares of the matrix.
 *
 * An owner map (scalay_owner_map) assigns each element to one of several parts. A part becomes the data of one process
 * when a layout is made of the map (layout.h).
 *
 * Let C := A B be computed where C is (C m x n, A m x k, B k x n), and let A and B be cut like C. A processor needs the
 * rows of A and the columns of B in which it owns elements of C. A line is a row or a column. The elements sent are
 *
 *     f_c = k (sum over rows of (owners - 1) + sum over columns of (owners - 1)),
 *
 * with k = n by default. Fewer lines per part are better, and shapes that are not rectangles can be optimal.
 *
 * - scalay_partition_create() finds a map for given areas: for two and three parts the optimum over all shapes, for
 * more parts the best result of published methods and ours, with a lower bound.
 * - scalay_multiply_cost_create() computes the exact cost of a product on given maps.
 * - scalay_owner_map_1d1d() creates a map for LU, QR or Cholesky on processors of different speeds.
 *
 * Names of shapes and methods:
 * - "auto" (default): the best of all that apply;
 * - two parts: "square-corner", "straight-line";
 * - three parts: these, "square-rectangle", "block-rectangle", "rectangle-corner", "skewed-block", "adjacent-corner",
 *   "nested-corner" (tree broadcasts only);
 * - any number of parts: "columns", "nagamochi-abe", "recursive", "recursive-best", "slicing", "grid".
 *
 * No function communicates. Functions with a seed return the same result on every machine. Indices are 0-based.
 *
 * Source: Malik, Lastovetsky (2021) for three processors and exact costs. docs/partition.md lists the errors of the
 * paper, and the bounds and shapes beyond it.
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------- owner maps */

/** An owner map: the part that owns each element of a matrix. Immutable. */
typedef struct scalay_owner_map scalay_owner_map;

/**
 * Creates an owner map from a grid of cells. Not collective.
 * @param[in]  row_cells, col_cells  numbers of cells, at least 0
 * @param[in]  row_cut   shape [row_cells + 1]: 0 = row_cut[0] <= row_cut[1] <= ...; the last one is the number of rows
 * @param[in]  col_cut   shape [col_cells + 1]: likewise for the columns
 * @param[in]  parts     at least 1
 * @param[in]  owner     shape [row_cells][col_cells], row by row: 0 <= owner < parts; copied
 * @param[out] map       to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_create(int64_t row_cells, int64_t col_cells, const int64_t *row_cut,
                                                 const int64_t *col_cut, int parts, const int *owner,
                                                 scalay_owner_map **map);

/**
 * Creates a map in the same proportions for other extents: new line l has the owners of line floor(l * old / new). Not
 * collective. The default maps of A (m x k) and B (k x n) are the map of C (m x n), resized.
 * @param[in]  map      any owner map
 * @param[in]  m, n     extents, at least 0; an extent of 0 cannot be enlarged
 * @param[out] resized  to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_resize(const scalay_owner_map *map, int64_t m, int64_t n,
                                                 scalay_owner_map **resized);

/** Releases an owner map and sets it to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_owner_map_destroy(scalay_owner_map **map);

/** Returns the number of rows; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_owner_map_rows(const scalay_owner_map *map);

/** Returns the number of columns; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_owner_map_cols(const scalay_owner_map *map);

/** Returns the number of parts, with the empty ones; 0 for NULL. Not collective. */
SCALAY_API int scalay_owner_map_parts(const scalay_owner_map *map);

/** Returns the part that owns element (i, j); -1 outside the matrix. Not collective. Time: O(log runs). */
SCALAY_API int scalay_owner_map_owner(const scalay_owner_map *map, int64_t i, int64_t j);

/** Returns the number of elements of a part; 0 if there is no such part. Not collective. */
SCALAY_API int64_t scalay_owner_map_elements(const scalay_owner_map *map, int part);

/** A rectangle with one owner. */
typedef struct {
    int part;     /**< owner */
    int64_t row;  /**< first row */
    int64_t col;  /**< first column */
    int64_t rows; /**< at least 1 */
    int64_t cols; /**< at least 1 */
} scalay_part_rectangle;

/**
 * Returns a map as disjoint rectangles that cover the matrix. Not collective. Neighbours with one owner are merged
 * greedily. The rectangles are sorted by part, row and column.
 * @param[in]  map        an owner map
 * @param[in]  capacity   elements of `rectangle`; 0: only the number is returned
 * @param[out] rectangle  shape [capacity], caller-owned: the first rectangles; NULL if capacity is 0
 * @param[out] count      number of rectangles of the map
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (more than 2^26 rectangles), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_rectangles(const scalay_owner_map *map, int64_t capacity,
                                                     scalay_part_rectangle *rectangle, int64_t *count);

/** Half perimeters, summed over the parts. */
typedef struct {
    int64_t projection; /**< numbers of rows and of columns in which a part owns elements */
    int64_t box;        /**< rows and columns of the bounding boxes, as in the papers */
} scalay_half_perimeter;

/** Computes the half perimeters of a map. Not collective. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY.
 */
SCALAY_API scalay_status scalay_owner_map_half_perimeter(const scalay_owner_map *map, scalay_half_perimeter *half);

/* ------------------------------------------------------------------------------------------------------------ links */

/** Which messages are sent at the same time. */
typedef enum {
    SCALAY_LINKS_SERIAL = 0,   /**< none: the time is the sum over all links */
    SCALAY_LINKS_PARALLEL = 1, /**< those of all links: the time is that of the slowest link */
    SCALAY_LINKS_ONE_PORT = 2  /**< one-port model: the time is that of the busiest port */
} scalay_links_mode;

/**
 * How elements are sent to several processors. All elements that one processor sends to another one are one message.
 * Trees minimise the sum of costs. If links work at the same time, direct sending can be faster. Therefore the time
 * with trees is the minimum of trees and direct sending, and the time with relays is the minimum of all three.
 */
typedef enum {
    SCALAY_BROADCAST_DIRECT = 0, /**< the owner sends to each receiver */
    SCALAY_BROADCAST_TREE = 1,   /**< along a minimum spanning tree of the costs among the owners of a line */
    SCALAY_BROADCAST_RELAY =
        2 /**< along that tree, with each link replaced by its cheapest path through any processor */
} scalay_broadcast;

/** Costs of the links between processors. Create with scalay_links_default(). Arrays are not copied; they must live as
 * long as the call. Diagonals are ignored. */
typedef struct {
    size_t size;                       /**< set by scalay_links_default(): sizeof(scalay_links) */
    int processors;                    /**< extent of the arrays, at least the number of parts; 0 (default): no costs */
    const double *seconds_per_element; /**< shape [processors][processors], row = sender; NULL: time is unknown */
    const double *seconds_per_message; /**< likewise; NULL: 0 */
    const double *joules_per_element;  /**< likewise; NULL: energy is unknown */
    int symmetric;                     /**< 1: the matrices must be symmetric, which is checked */
    scalay_links_mode mode;            /**< for the time; default: SCALAY_LINKS_SERIAL */
    scalay_broadcast broadcast;        /**< trees need symmetric costs; default: SCALAY_BROADCAST_DIRECT */
} scalay_links;

/**
 * Sets links to their defaults. Not collective. C programs call scalay_links_default().
 * @param[out] links  caller-owned
 * @param[in]  size   sizeof *links as the caller knows it, in bytes
 */
SCALAY_API void scalay_links_init(scalay_links *links, size_t size);

/** Returns links without costs. Not collective. */
static inline scalay_links scalay_links_default(void)
{
    scalay_links links;
    scalay_links_init(&links, sizeof links);
    return links;
}

/* ------------------------------------------------------------------------------------------------ cost of a product */

/** The cost of C := A B on given maps, with C stationary. */
typedef struct scalay_multiply_cost scalay_multiply_cost;

/** Totals of a product. */
typedef struct {
    int64_t volume; /**< f_c: elements sent directly from owners to users */
    double time;    /**< seconds over the links; NaN: unknown */
    double energy;  /**< joules over the links; NaN: unknown */
} scalay_multiply_cost_summary;

/**
 * Computes the exact cost of C := A B with C (m x n) where it is. Not collective. Time: O(cells + sum over the classes
 * of lines of their owners).
 * @param[in]  a      m x k; NULL: the map of C, resized to m x k
 * @param[in]  b      k x n; NULL: the map of C, resized to k x n
 * @param[in]  c      m x n; if a and b are NULL, k is n
 * @param[in]  links  NULL: no costs of links
 * @param[out] cost   to be released with scalay_multiply_cost_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents, numbers of parts), SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_UNSUPPORTED (trees with different maps), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_multiply_cost_create(const scalay_owner_map *a, const scalay_owner_map *b,
                                                     const scalay_owner_map *c, const scalay_links *links,
                                                     scalay_multiply_cost **cost);

/** Releases a cost and sets it to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_multiply_cost_destroy(scalay_multiply_cost **cost);

/** Returns the totals. Not collective. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT. */
SCALAY_API scalay_status scalay_multiply_cost_get_summary(const scalay_multiply_cost *cost,
                                                          scalay_multiply_cost_summary *summary);

/** Returns V[from][to]: the elements that one part sends directly to another one. Not collective. 0 if from == to, or
 * if there is no such part. */
SCALAY_API int64_t scalay_multiply_cost_sent(const scalay_multiply_cost *cost, int from, int to);

/* ------------------------------------------------------------------------------------------------------- partitions */

/** A partition: the chosen shape, its owner map, and all candidates. */
typedef struct scalay_partition scalay_partition;

/** What a partition minimises. */
typedef enum {
    SCALAY_PARTITION_VOLUME = 0, /**< elements sent */
    SCALAY_PARTITION_TIME = 1,   /**< seconds over the links */
    SCALAY_PARTITION_ENERGY = 2  /**< joules over the links */
} scalay_partition_objective;

/** Options of a partition. Create with scalay_partition_options_default(). */
typedef struct {
    size_t size;                          /**< set by scalay_partition_options_default() */
    scalay_partition_objective objective; /**< default: SCALAY_PARTITION_VOLUME */
    const char *shape;                    /**< name of a shape or method; NULL (default): "auto" */
    const scalay_links *links;            /**< required for time and energy; NULL (default): none */
    int64_t tile;                         /**< edges are multiples of this number of rows and columns; default: 1 */
    int exact_counts; /**< 1: each part gets exactly its area, rounded by largest remainders: in elements, or in tiles
                           if tile > 1. 0 (default): edges are rounded */
    double tolerance; /**< largest load error that is accepted, max over the parts of |count / area - 1|; ignored for
                           exact counts. 0 (default): any */
    uint64_t seed;    /**< of the local searches; default: 1 */
    double budget;    /**< CPU time of the search for a shape, in seconds. 0 (default): until it brings no gain; the
                           result is then reproducible */
} scalay_partition_options;

/** Sets options to their defaults, as scalay_links_init(). Not collective. */
SCALAY_API void scalay_partition_options_init(scalay_partition_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_partition_options scalay_partition_options_default(void)
{
    scalay_partition_options options;
    scalay_partition_options_init(&options, sizeof options);
    return options;
}

/** Returns the name of shape or method k = 0, 1, 2, ..., a static string; NULL if there is none. Not collective. */
SCALAY_API const char *scalay_partition_shapes(int k);

/**
 * Creates the best partition of an m x n matrix into parts of given areas. Not collective. "auto" compares the
 * candidates by their maps; for more than 1024 parts with a positive area, by the costs before rounding. A part is
 * empty only if its area is 0 or the matrix has too few tiles; scalay_partition_describe() lists the empty parts.
 * @param[in]  m, n       extents, at least 1
 * @param[in]  parts      at least 1
 * @param[in]  area       shape [parts]: finite, at least 0, not all 0; scaled so that their sum is m n
 * @param[in]  options    NULL: default
 * @param[out] partition  to be released with scalay_partition_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (the shape does not exist for these areas, or
 * the tolerance cannot be met), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_partition_create(int64_t m, int64_t n, int parts, const double *area,
                                                 const scalay_partition_options *options, scalay_partition **partition);

/** Releases a partition and sets it to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_partition_destroy(scalay_partition **partition);

/** Returns the owner map, which belongs to the partition; NULL for NULL. Not collective. */
SCALAY_API const scalay_owner_map *scalay_partition_map(const scalay_partition *partition);

/** Returns the cost of the map, which belongs to the partition; NULL for NULL. Not collective. */
SCALAY_API const scalay_multiply_cost *scalay_partition_cost(const scalay_partition *partition);

/** Totals of a partition. */
typedef struct {
    int candidates;     /**< number of candidates, at least 1 */
    int chosen;         /**< index of the chosen candidate */
    int64_t volume;     /**< f_c of the map */
    double time;        /**< seconds of the map over the links; NaN: unknown */
    double energy;      /**< joules of the map over the links; NaN: unknown */
    double lower_bound; /**< lower bound on f_c with k = n, for the areas before rounding */
    double load_error;  /**< max over the parts with a positive area of |count / area - 1| */
} scalay_partition_summary;

/** Returns the totals. Not collective. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT. */
SCALAY_API scalay_status scalay_partition_get_summary(const scalay_partition *partition,
                                                      scalay_partition_summary *summary);

/** A shape that was tried. Costs are for the areas before rounding. */
typedef struct {
    const char *shape;      /**< static */
    int feasible;           /**< 0: the shape does not exist for these areas */
    const int *assignment;  /**< shape [parts]: part of each region (docs/partition.md lists the regions); owned by the
                                 partition. NULL: region k is part k */
    double continuous_cost; /**< f_c; infinity if not feasible */
    double time;            /**< seconds; NaN: unknown */
    double energy;          /**< joules; NaN: unknown */
    const char *reason;     /**< why the shape is not feasible, else ""; owned by the partition */
} scalay_partition_candidate;

/**
 * Returns a candidate. Not collective.
 * @param[in]  partition  a partition
 * @param[in]  k          0 <= k < candidates of the summary
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_partition_get_candidate(const scalay_partition *partition, int k,
                                                        scalay_partition_candidate *candidate);

/**
 * Describes the chosen shape, the costs of the other candidates, and the empty parts. Not collective.
 * @param[in]  partition  a partition
 * @param[out] text  shape [size], caller-owned, NUL-terminated; NULL if size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_partition_describe(const scalay_partition *partition, char *text, size_t size);

/* ------------------------------------------------------------------------------------------ maps for factorisations */

/** The part of the trailing matrix that a factorisation updates. */
typedef enum {
    SCALAY_TRAILING_FULL = 0, /**< all of it: LU, QR */
    SCALAY_TRAILING_LOWER = 1 /**< the tiles on and below the diagonal: Cholesky */
} scalay_trailing;

/**
 * Creates a 1D-1D map. Not collective. Tile columns are dealt to groups of processors, and the tile rows within a group
 * to its processors, so that each trailing matrix is shared in proportion to the speeds. Any number of processors is
 * allowed. Processors of similar speeds are spread over the groups, so that the groups deal their tile rows alike. If
 * each group has one processor, each tile column has one owner.
 *
 * Let the map be stored with scalay_layout_from_owner_map_ascending() (layout.h). A processor then has one subarray,
 * with its rows and columns in ascending order. Therefore its part of a trailing matrix is a trailing block of this
 * subarray.
 * @param[in]  m, n      extents, at least 0
 * @param[in]  nb        tile extent, at least 1
 * @param[in]  parts     at least 1
 * @param[in]  speed     shape [parts]: finite, at least 0, not all 0; a part of speed 0 is empty
 * @param[in]  trailing  what is balanced
 * @param[in]  groups    number of groups, at most parts; 0: chosen. For LU and QR on up to 4 parts it is the number of
 *                       parts. Else it is the one with the fewest owners per tile row and tile column, among those
 * whose balance is within 0.02 of the best
 * @param[out] map       to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 * @par Source
 * Beaumont, Boudet, Petitet, Rastello, Robert, A proposal for a heterogeneous cluster ScaLAPACK, IEEE Trans. Computers
 * 50 (2001)
 */
SCALAY_API scalay_status scalay_owner_map_1d1d(int64_t m, int64_t n, int64_t nb, int parts, const double *speed,
                                               scalay_trailing trailing, int groups, scalay_owner_map **map);

/**
 * Creates a heterogeneous block-cyclic map. Not collective. A generalised block of G x G tiles is cut by speed into the
 * columns of a grid, and each of these into its rows. The block is repeated.
 * @param[in]  m, n          extents, at least 0
 * @param[in]  nb            tile extent, at least 1
 * @param[in]  block         G, at least max(nprow, npcol)
 * @param[in]  nprow, npcol  the grid; part r * npcol + c is at (r, c)
 * @param[in]  speed         shape [nprow * npcol]: positive, finite
 * @param[out] map           to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 * @par Source
 * Kalinov, Lastovetsky, Heterogeneous distribution of computations solving linear algebra problems on networks of
 * heterogeneous computers, JPDC 61 (2001)
 */
SCALAY_API scalay_status scalay_owner_map_generalised_block(int64_t m, int64_t n, int64_t nb, int64_t block, int nprow,
                                                            int npcol, const double *speed, scalay_owner_map **map);

/**
 * Creates the map with its tile rows and tile columns permuted so that trailing matrices are better balanced. Not
 * collective. f_c does not change. If no permutation that is tried has a better trailing balance, the map is copied.
 * @param[in]  map       any owner map whose owners change at multiples of nb only
 * @param[in]  nb        tile extent, at least 1
 * @param[in]  speed     shape [parts]: positive, finite
 * @param[in]  trailing  what is balanced
 * @param[out] balanced  to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_balance_suffixes(const scalay_owner_map *map, int64_t nb, const double *speed,
                                                           scalay_trailing trailing, scalay_owner_map **balanced);

/**
 * Computes the trailing balance of a map: the work of all trailing matrices (steps of nb), divided by the sum over them
 * of the time of their slowest part and by the sum of the speeds. Not collective.
 * @param[in]  map       an owner map
 * @param[in]  nb        step, at least 1
 * @param[in]  speed     shape [parts]: positive, finite
 * @param[in]  trailing  what is updated
 * @param[out] balance   in (0, 1]; 1: perfectly balanced
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_trailing_balance(const scalay_owner_map *map, int64_t nb, const double *speed,
                                                           scalay_trailing trailing, double *balance);

#ifdef __cplusplus
}
#endif

#endif
