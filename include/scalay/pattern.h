#ifndef SCALAY_PATTERN_H
#define SCALAY_PATTERN_H

/**
 * @file
 * Patterns. A pattern is a table of owners, r x c tiles, that is repeated over a matrix.
 *
 * A process grid is a pattern in which each process owns one tile. Other patterns use any number of processes, with
 * any speeds, and send fewer tiles than the nearest grid:
 * - for products, LU and QR: partitions of the unit square, cut into tiles (G-2DBC is one of them);
 * - for Cholesky and symmetric products: symmetric patterns, in which tile (i, j) has the owner of tile (j, i).
 *   Projective planes are the best ones.
 *
 * The cost of a pattern is the number of owners per tile row plus the number of owners per tile column (QR: per row
 * plus twice per column). The cost of a symmetric pattern is z, the number of owners per tile row and column together.
 * The elements that a factorisation sends are proportional to the cost minus a constant.
 *
 * Functions are not collective and do not communicate. Patterns are immutable; threads may share them.
 */

#include "scalay/layout.h"
#include "scalay/partition.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A pattern. */
typedef struct scalay_pattern scalay_pattern;

/** Kernels whose traffic is counted. */
typedef enum {
    SCALAY_PATTERN_GEMM = 0,    /**< C := A B, with C stationary */
    SCALAY_PATTERN_LU = 1,      /**< right-looking, without pivoting between processes */
    SCALAY_PATTERN_QR = 2,      /**< Householder; the sums over the processes of a column count as much as the panel */
    SCALAY_PATTERN_CHOLESKY = 3 /**< lower triangle, right-looking */
} scalay_pattern_kernel;

/**
 * The data of a pattern. Let tile (i, j) be in copy (I, J) of the table: I = (i + row_offset) / rows, and a = (i +
 * row_offset) mod rows; J and b likewise. Let t = (I + J) mod copies and x = owner[a][b]. The owner of the tile is x if
 * permutation is NULL, permutation[t][x] if not, and diagonal[a][t] if x is -1.
 */
typedef struct {
    int parts;              /**< number of processes, at least 1; each must own a tile */
    int rows;               /**< tile rows of the table, at least 1 */
    int cols;               /**< tile columns of the table, at least 1 */
    const int *owner;       /**< shape [rows][cols], row by row: 0 <= owner < parts; -1: see diagonal */
    int row_offset;         /**< 0 <= row_offset < rows */
    int col_offset;         /**< 0 <= col_offset < cols */
    int copies;             /**< number of copies that differ, at least 1; 0 means 1 */
    const int *permutation; /**< shape [copies][parts]: permutations of the processes; NULL: none */
    const int *diagonal;    /**< shape [rows][copies]: owners of diagonal tiles marked by -1. The table must then be
                                 symmetric. NULL: the owners of each row take its diagonal tiles in turn */
} scalay_pattern_table;

/**
 * Creates a pattern from its data.
 * @param[in]  table    copied
 * @param[out] pattern  to be released with scalay_pattern_destroy()
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT (a value out of range, a process that owns no tile, a table with -1
 *         that is not symmetric); SCALAY_ERROR_RANGE (an extent of the repeated table is above 2^31 - 1);
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_pattern_create(const scalay_pattern_table *table, scalay_pattern **pattern);

/**
 * Finds a pattern with a low cost for any number of processes and any speeds.
 *
 * - Products, LU and QR: the best of all partitions into columns of equal areas (this includes G-2DBC), and of the
 *   methods of scalay_partition_create(). For equal speeds, the cost is at most that of G-2DBC.
 * - Cholesky: the best of process grids, SBC, projective and affine planes, greedy covers (GCR&M), and local search
 *   from these.
 *
 * Rows and columns are ordered so that trailing matrices are balanced. The result is deterministic if budget is 0.
 * @param[in]  kernel   the kernel that sends
 * @param[in]  parts    number of processes, 1 to 4096
 * @param[in]  speed    shape [parts]: finite, positive; NULL: equal
 * @param[in]  budget   limit of the search in seconds of CPU time, at least 0; 0: a fixed number of steps
 * @param[out] pattern  to be released with scalay_pattern_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Beaumont, Collin, Eyraud-Dubois, Verite, Data distribution schemes for dense linear algebra factorizations on any
 * number of nodes, IPDPS (2023): G-2DBC, GCR&M. Beaumont, Duchon, Eyraud-Dubois, Langou, Verite, Symmetric
 * block-cyclic distribution, SC (2022): SBC. Singer, A theorem in finite projective geometry, Trans. AMS 43 (1938)
 */
SCALAY_API scalay_status scalay_pattern_find(scalay_pattern_kernel kernel, int parts, const double *speed,
                                             double budget, scalay_pattern **pattern);

/** Releases a pattern and sets it to NULL. NULL is allowed. */
SCALAY_API void scalay_pattern_destroy(scalay_pattern **pattern);

/**
 * Returns the data of a pattern.
 * @param[in]  pattern  any pattern
 * @param[out] table    caller-owned; its arrays belong to the pattern
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_pattern_get_table(const scalay_pattern *pattern, scalay_pattern_table *table);

/** Returns the owner of tile (i, j), i and j at least 0; -1 for NULL. Time: O(1). */
SCALAY_API int scalay_pattern_owner(const scalay_pattern *pattern, int64_t i, int64_t j);

/** Cost of a pattern. */
typedef struct {
    double row_owners;    /**< owners per tile row, on average */
    double col_owners;    /**< owners per tile column, on average */
    double z;             /**< owners per tile row and column of equal index together, on average */
    double cost;          /**< gemm, LU: row_owners + col_owners; QR: row_owners + 2 col_owners; Cholesky: z */
    double bound;         /**< lower bound on the cost of each pattern whose loads are proportional to the speeds */
    double bound_uniform; /**< Cholesky: lower bound if each process has equally many pattern rows; otherwise bound */
    double balance;       /**< mean over maximum of load / speed. Load: tiles in one period; Cholesky: updates of the
                               tiles of the lower triangle of 8 x 8 copies */
    double trailing;      /**< trailing balance of 8 x 8 copies, as in scalay_owner_map_trailing_balance() */
    const char *method;   /**< name of the construction; "given" for scalay_pattern_create(); static */
} scalay_pattern_summary;

/**
 * Computes the cost of a pattern. Time: O(tiles in one period + steps of 8 x 8 copies).
 * @param[in]  pattern  any pattern
 * @param[in]  kernel   the kernel that sends
 * @param[in]  speed    shape [parts]: finite, positive; NULL: equal
 * @param[out] summary  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_pattern_get_summary(const scalay_pattern *pattern, scalay_pattern_kernel kernel,
                                                    const double *speed, scalay_pattern_summary *summary);

/**
 * Creates the owner map of a matrix with a pattern. Memory: O(tiles of one period + tile rows + tile columns).
 * @param[in]  pattern  any pattern; not needed after the call
 * @param[in]  m, n     extents, at least 0
 * @param[in]  mb, nb   tile extents, at least 1
 * @param[out] map      to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_from_pattern(const scalay_pattern *pattern, int64_t m, int64_t n, int64_t mb,
                                                       int64_t nb, scalay_owner_map **map);

/**
 * Creates the layout of a matrix with a pattern. Memory: O(tiles of one period), for any extents. Let a process own the
 * same tile rows in some tile columns of the pattern; these form one subarray.
 * @param[in]  pattern  any pattern; not needed after the call
 * @param[in]  m, n     extents, at least 0
 * @param[in]  mb, nb   tile extents, at least 1
 * @param[out] layout   to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_layout_from_pattern(const scalay_pattern *pattern, int64_t m, int64_t n, int64_t mb,
                                                    int64_t nb, scalay_layout **layout);

/** Tiles that a kernel sends, and balance. */
typedef struct {
    int64_t tiles;         /**< tiles sent: each tile once to each process that needs it and does not own it */
    int64_t along_columns; /**< those of them that are sent along tile columns; Cholesky: 0 */
    int64_t max_sent;      /**< tiles sent by the process that sends most */
    double balance;        /**< trailing balance; gemm: mean over maximum of load / speed */
} scalay_tile_traffic;

/**
 * Counts the tiles that a kernel sends on an owner map. Each tile counts as one, also if it is cut by the border.
 *
 * - gemm: tiles of A and B for C := A B. A, B and C have the same map; the tile extents of A and B are nb.
 * - LU: in step k, the tiles of the panel below the diagonal are sent along their rows, those of the row of U along
 *   their columns, and the diagonal tile along both, to the owners of the tiles that they update.
 * - QR: in step k, the tiles of the panel are sent along their rows. Each tile column is summed over its owners, and
 *   the sum is sent back: each owner of tiles in rows k and below, except the owner of tile (k, j), sends one tile and
 *   receives one.
 * - Cholesky: tile (i, k) is sent to the owners of tile row i and tile column i right of column k in the lower
 * triangle, the diagonal tile to the owners of its column.
 * @param[in]  map      an owner map; LU, QR and Cholesky use the leading min(m, n) columns as panels
 * @param[in]  nb       tile extent of rows and columns, at least 1; owners change at multiples of nb only
 * @param[in]  kernel   the kernel
 * @param[in]  speed    shape [parts]: finite, positive; NULL: equal
 * @param[out] traffic  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_owner_map_tile_traffic(const scalay_owner_map *map, int64_t nb,
                                                       scalay_pattern_kernel kernel, const double *speed,
                                                       scalay_tile_traffic *traffic);

#ifdef __cplusplus
}
#endif

#endif
