#ifndef SCALAY_PARTITION_H
#define SCALAY_PARTITION_H

/**
 * @file
 * Partitions: which part of an m x n matrix each processor should get, given how much it should get.
 *
 * When C := A B (C m x n, A m x k, B k x n) is computed where C is and the three matrices are cut alike, a processor
 * needs the rows of A and the columns of B in which it owns anything of C. What is sent is therefore decided by how
 * many owners a line of C's map has:
 *
 *     f_c = k (sum over rows of (owners - 1) + sum over columns of (owners - 1)),
 *
 * k being n unless said otherwise (a square product, in the papers). The fewer lines a part touches, the better, and
 * shapes that are not rectangles can win.
 *
 * An owner map (scalay_owner_map) is the exact, integer object: who owns each element. scalay_multiply_cost_create()
 * computes what it costs, by definition. scalay_partition_create() finds a good one for given areas: for two and
 * three processors the optimum over all shapes, for more the best of a portfolio of published methods and ours, with
 * a lower bound that no partition can beat.
 *
 * Shapes and methods: "auto"; for two and three processors "square-corner", "square-rectangle", "block-rectangle",
 * "straight-line", "rectangle-corner", "skewed-block" (different heights), "adjacent-corner" (two side by side in one
 * band), "nested-corner" (tree broadcasts only); for any number "columns", "nagamochi-abe",
 * "recursive" (published, not rectangular), "recursive-best", "slicing" (slicing tree with square holes), "grid"
 * (Kalinov-Lastovetsky). scalay_partition_shapes() lists them.
 *
 * Everything here is pure: no MPI. Whatever is random takes a seed and is the same everywhere. Indices are 0-based.
 *
 * Source: Malik, Lastovetsky (2021; three processors, exact communication cost); where its figures are wrong, and the
 * bounds and shapes beyond it: docs/partition.md.
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ owner maps */

/** Who owns each element of a matrix. */
typedef struct scalay_owner_map scalay_owner_map;

/**
 * An owner map from a grid of cells between cuts. Not collective.
 * @param[in]  row_cells, col_cells  numbers of cells, at least 0
 * @param[in]  row_cut   shape [row_cells + 1]: 0 = row_cut[0] <= row_cut[1] <= ...; the last is the number of rows
 * @param[in]  col_cut   shape [col_cells + 1]: likewise
 * @param[in]  parts     at least 1
 * @param[in]  owner     shape [row_cells][col_cells], row by row: 0 <= owner < parts; copied
 * @param[out] map       to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_create(int64_t row_cells, int64_t col_cells, const int64_t *row_cut,
                                                 const int64_t *col_cut, int parts, const int *owner,
                                                 scalay_owner_map **map);

/**
 * The same map on a matrix of other extents: line l of the new axis has the owners of line floor(l * old / new).
 * Not collective. This is how A (m x k) and B (k x n) are cut like C (m x n).
 * @param[in]  map        any owner map
 * @param[in]  m, n       extents, at least 0; an axis without lines cannot be stretched to one with lines
 * @param[out] stretched  to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_resize(const scalay_owner_map *map, int64_t m, int64_t n,
                                                 scalay_owner_map **stretched);

/** Releases an owner map and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_owner_map_destroy(scalay_owner_map **map);

/** Rows of the matrix; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_owner_map_rows(const scalay_owner_map *map);

/** Columns of the matrix; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_owner_map_cols(const scalay_owner_map *map);

/** The number of parts, empty ones included; 0 for NULL. Not collective. */
SCALAY_API int scalay_owner_map_parts(const scalay_owner_map *map);

/** The part that owns element (i, j); -1 outside the matrix. Not collective. Logarithmic in the cuts. */
SCALAY_API int scalay_owner_map_owner(const scalay_owner_map *map, int64_t i, int64_t j);

/** The elements of a part; 0 when part is none. Not collective. */
SCALAY_API int64_t scalay_owner_map_elements(const scalay_owner_map *map, int part);

/** A rectangle of one owner. */
typedef struct {
    int part;     /**< the owner */
    int64_t row;  /**< its first row */
    int64_t col;  /**< its first column */
    int64_t rows; /**< at least 1 */
    int64_t cols; /**< at least 1 */
} scalay_part_rectangle;

/**
 * The map as rectangles: disjoint, covering the matrix, neighbours of one owner merged greedily; sorted by part, row,
 * column. Not collective.
 * @param[in]  map        an owner map
 * @param[out] count      their number
 * @param[out] rectangle  shape [count]; owned by the map
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (more than 2^26: a map of tiny blocks),
 * SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_rectangles(scalay_owner_map *map, int64_t *count,
                                                     const scalay_part_rectangle **rectangle);

/** The half perimeters of a map, summed over the parts. */
typedef struct {
    int64_t projection; /**< rows plus columns in which a part owns anything */
    int64_t box;        /**< rows plus columns of the bounding boxes: the papers' */
} scalay_half_perimeter;

/** The half perimeters of a map. Not collective. SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY. */
SCALAY_API scalay_status scalay_owner_map_half_perimeter(const scalay_owner_map *map, scalay_half_perimeter *half);

/* --------------------------------------------------------------------------------------------------- links */

/** When the messages of different links travel. */
typedef enum {
    SCALAY_LINKS_SERIAL = 0,   /**< one after the other: the sum over all links */
    SCALAY_LINKS_PARALLEL = 1, /**< every link at the same time: the slowest link */
    SCALAY_LINKS_ONE_PORT = 2  /**< a processor sends to one and receives from one at a time: the busiest port */
} scalay_links_mode;

/**
 * How elements get to the several processors that need them. Whatever is sent from one processor to another is one
 * message. Trees have the least sum of costs, which is not always the least time where links work at the same time:
 * with trees, time is the lesser of tree and direct, and with relays the least of all three.
 */
typedef enum {
    SCALAY_BROADCAST_DIRECT = 0, /**< the owner sends to each of them */
    SCALAY_BROADCAST_TREE = 1,   /**< the owners of a line pass them on, along a minimum spanning tree of the costs */
    SCALAY_BROADCAST_RELAY = 2   /**< along that tree of the costs after every link is replaced by its cheapest path,
                                      through processors that do not need the elements too */
} scalay_broadcast;

/** What the links between processors cost; start from scalay_links_default(). Arrays are not copied: they must live
 * as long as the call, and the diagonals are ignored. */
typedef struct {
    int processors;                    /**< extent of the arrays, at least the number of parts; 0: no link costs */
    const double *seconds_per_element; /**< shape [processors][processors], row = sender; NULL: time is not computed */
    const double *seconds_per_message; /**< likewise; NULL: 0 */
    const double *joules_per_element;  /**< likewise; NULL: energy is not computed */
    int symmetric;                     /**< 1: the matrices are claimed to be symmetric, and it is checked */
    scalay_links_mode mode;            /**< for the time */
    scalay_broadcast broadcast;        /**< trees need symmetric costs */
} scalay_links;

/** No link costs, serial, direct. */
SCALAY_API scalay_links scalay_links_default(void);

/* ---------------------------------------------------------------------------------------------------- cost */

/** What C := A B costs with C, A and B on given maps, C stationary. */
typedef struct scalay_multiply_cost scalay_multiply_cost;

/**
 * The exact cost of C := A B with C (m x n) where it is. Not collective. O(cells + lines * owners of a line), where
 * lines with the same owners count once.
 * @param[in]  a      m x k; NULL: c's map, stretched to m x k as by scalay_owner_map_resize()
 * @param[in]  b      k x n; NULL: c's map, stretched to k x n likewise
 * @param[in]  c      m x n; with a and b both NULL k is n
 * @param[in]  links  NULL: no link costs
 * @param[out] cost   to be released with scalay_multiply_cost_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents, numbers of parts),
 *         SCALAY_ERROR_RANGE, SCALAY_ERROR_UNSUPPORTED (trees with different maps), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_multiply_cost_create(const scalay_owner_map *a, const scalay_owner_map *b,
                                                     const scalay_owner_map *c, const scalay_links *links,
                                                     scalay_multiply_cost **cost);

/** Releases a cost and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_multiply_cost_destroy(scalay_multiply_cost **cost);

/** The elements that are sent, directly from owner to user: f_c; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_multiply_cost_volume(const scalay_multiply_cost *cost);

/** V[from][to], the elements that one part sends directly to another; 0 for from == to and outside. Not collective. */
SCALAY_API int64_t scalay_multiply_cost_sent(const scalay_multiply_cost *cost, int from, int to);

/** Seconds over the links; NaN when not known. Not collective. */
SCALAY_API double scalay_multiply_cost_time(const scalay_multiply_cost *cost);

/** Joules over the links; NaN when not known. Not collective. */
SCALAY_API double scalay_multiply_cost_energy(const scalay_multiply_cost *cost);

/* ----------------------------------------------------------------------------------------------- partitions */

/** A partition: the chosen shape, its owner map, and the candidates it was chosen from. */
typedef struct scalay_partition scalay_partition;

/** What a partition should make small. */
typedef enum {
    SCALAY_PARTITION_VOLUME = 0, /**< the elements sent */
    SCALAY_PARTITION_TIME = 1,   /**< seconds over the links */
    SCALAY_PARTITION_ENERGY = 2  /**< joules over the links */
} scalay_partition_objective;

/** How to partition; start from scalay_partition_options_default(). */
typedef struct {
    scalay_partition_objective objective; /**< what to make small */
    const char *shape;                    /**< NULL: "auto" */
    const scalay_links *links;            /**< needed for time and energy; NULL: none */
    int64_t tile;                         /**< edges lie on multiples of this many rows and columns; 1: anywhere */
    int exact_counts; /**< 1: every part gets exactly its area, rounded by largest remainders: in elements, or
                           in tiles when tile is above 1 (the last ones may be cut) */
    double tolerance; /**< largest relative load error that is accepted: max over parts of
                           |count / area - 1|; 0: whatever rounding of edges gives. Exact counts always are */
    uint64_t seed;    /**< of the local search */
    double budget;    /**< seconds for the local search; 0: the number of moves that suits p, reproducible */
} scalay_partition_options;

/** Volume, "auto", no links, tile 1, tolerance 0, seed 1, budget 0. */
SCALAY_API scalay_partition_options scalay_partition_options_default(void);

/**
 * The names of the shapes and methods. Not collective.
 * @param[in]  k  0, 1, 2, ...
 * @return a static string; NULL when k is out of range
 */
SCALAY_API const char *scalay_partition_shapes(int k);

/**
 * The best partition of an m x n matrix into parts of given areas. Not collective.
 *
 * The candidates of "auto" are compared by what their maps of whole elements cost, so that none of them asked for by
 * name costs less; for more than 1024 parts with an area, by what they cost for the areas as they are.
 *
 * A part is empty only when its area is 0 or the matrix has too few tiles for all: scalay_partition_describe() says
 * so. With a budget of 0 the result depends on nothing but the arguments.
 * @param[in]  m, n       extents, at least 1
 * @param[in]  parts      at least 1
 * @param[in]  area       shape [parts]: proportions, finite, at least 0, not all 0 (they are scaled to sum up to m n)
 * @param[in]  options    NULL: the default
 * @param[out] partition  to be released with scalay_partition_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (the shape asked for does not exist for these
 *         areas, or the tolerance cannot be kept), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_partition_create(int64_t m, int64_t n, int parts, const double *area,
                                                 const scalay_partition_options *options, scalay_partition **partition);

/** Releases a partition and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_partition_destroy(scalay_partition **partition);

/** The owner map, owned by the partition; NULL for NULL. Not collective. */
SCALAY_API scalay_owner_map *scalay_partition_map(const scalay_partition *partition);

/** What the integer map costs, owned by the partition; NULL for NULL. Not collective. */
SCALAY_API const scalay_multiply_cost *scalay_partition_cost(const scalay_partition *partition);

/** A lower bound on f_c, with k = n, of any partition with the real-valued areas. Not collective. 0 for NULL. */
SCALAY_API double scalay_partition_lower_bound(const scalay_partition *partition);

/** The largest relative load error, max over the parts of |count / area - 1|, areas of 0 left out. Not collective. */
SCALAY_API double scalay_partition_load_error(const scalay_partition *partition);

/** A shape that was tried. */
typedef struct {
    const char *shape;      /**< static */
    int feasible;           /**< 0: it does not exist for these areas */
    const int *assignment;  /**< shape [parts]: the part at each region of the shape (docs/partition.md has the order);
                                 owned by the partition; NULL: regions are the parts */
    double continuous_cost; /**< f_c for the real-valued areas; infinity when not feasible */
    double time;            /**< seconds for them; NaN when not known */
    double energy;          /**< joules for them; NaN when not known */
    const char *reason;     /**< why it is not feasible; "" when it is; owned by the partition */
} scalay_partition_candidate;

/** The number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_partition_candidates(const scalay_partition *partition);

/** The index of the candidate that was chosen; -1 for NULL. Not collective. */
SCALAY_API int scalay_partition_chosen(const scalay_partition *partition);

/**
 * A candidate. Not collective.
 * @param[in]  partition  a partition
 * @param[in]  k          0 <= k < scalay_partition_candidates(partition)
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_partition_get_candidate(const scalay_partition *partition, int k,
                                                        scalay_partition_candidate *candidate);

/**
 * Why that shape was chosen, what the best others would have cost, and which parts are empty and why. Not collective.
 * @param[in]  partition  a partition
 * @param[out] text  caller-owned, terminated; NULL when size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_partition_describe(const scalay_partition *partition, char *text, size_t size);

/* ---------------------------------------------------------------------------- cyclic maps, for LU and QR */

/**
 * Heterogeneous columns: block columns of nb go to the parts so that every trailing matrix is balanced (greedily from
 * the last column). Not collective.
 * @param[in]  m, n   extents, at least 0
 * @param[in]  nb     width of a block column, at least 1
 * @param[in]  parts  at least 1
 * @param[in]  speed  shape [parts]: finite, at least 0, not all 0
 * @param[out] map    to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_cyclic_columns(int64_t m, int64_t n, int64_t nb, int parts, const double *speed,
                                               scalay_owner_map **map);

/**
 * Kalinov and Lastovetsky's heterogeneous block-cyclic distribution: a generalised block of G x G tiles is cut into
 * columns of a grid and each of them into its rows, by speed, and repeats. Not collective.
 * @param[in]  m, n          extents, at least 0
 * @param[in]  nb            tile extent, at least 1
 * @param[in]  block         G, tiles in a generalised block either way, at least max(nprow, npcol)
 * @param[in]  nprow, npcol  the grid; nprow * npcol = parts
 * @param[in]  speed         shape [nprow * npcol], row-major on the grid: positive, finite
 * @param[out] map           to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_cyclic_generalised_block(int64_t m, int64_t n, int64_t nb, int64_t block, int nprow,
                                                         int npcol, const double *speed, scalay_owner_map **map);

/**
 * The same map with its tile rows and tile columns permuted so that every trailing submatrix is as balanced as the
 * whole; f_c does not change. Not collective.
 * @param[in]  map       any owner map whose cuts lie on multiples of nb
 * @param[in]  nb        tile extent, at least 1
 * @param[out] balanced  to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_balance_suffixes(const scalay_owner_map *map, int64_t nb,
                                                           scalay_owner_map **balanced);

/**
 * How well a map keeps the parts busy while a factorisation shrinks: the work of all trailing submatrices (steps of nb)
 * over the sum of what the slowest part needs for each, 1 being perfect. Not collective.
 * @param[in]  map      an owner map
 * @param[in]  nb       step, at least 1
 * @param[in]  speed    shape [parts]: positive, finite
 * @param[out] balance  in (0, 1]
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_trailing_balance(const scalay_owner_map *map, int64_t nb, const double *speed,
                                                           double *balance);

#ifdef __cplusplus
}
#endif

#endif
