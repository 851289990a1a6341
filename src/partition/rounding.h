#ifndef SCALAY_PARTITION_ROUNDING_H
#define SCALAY_PARTITION_ROUNDING_H

/**
 * @file
 * Rounding: from a drawing with real-valued edges to an owner map.
 *
 * Each edge is rounded once, so that neighbours keep sharing it. Then edges are moved by single lines (or tiles) as
 * long as the worst relative load error decreases. Exact counts: surplus cells are transferred between neighbours, with
 * at most one ragged line for each pair (exact_counts.h), and a local search exchanges cells of small matrices to
 * reduce the objective (push.h). Memory depends on the edges, not on the elements, except for the local search.
 */

#include "base/status.h"
#include "partition/drawing.h"

/** A map to be made. */
typedef struct {
    int64_t m, n; /* at least 1; the domain of the drawing has these extents */
    int parts;
    const double *area; /* shape [parts]: in elements; their sum is m n. 0: the part stays empty */
    int64_t tile;       /* edges are multiples of it; at least 1 */
    int exact_counts;   /* 1: the counts are the areas rounded by largest remainders, in tiles if tile > 1 */
    double tolerance;   /* largest load error that is accepted; 0: any. Ignored for exact counts */
    uint64_t seed;      /* of the local search */
    scalay_partition_objective objective; /* of the local search */
    const scalay_links *links;            /* checked; for time and energy */
} scalay_rounding_request;

/** Why a part is empty. */
typedef enum {
    SCALAY_EMPTY_NO_AREA,      /* its area is 0 */
    SCALAY_EMPTY_TOO_FEW_TILES /* there are more parts than tiles: the parts with the smallest areas are empty */
} scalay_empty_reason;

/** An empty part. */
typedef struct {
    int part;
    scalay_empty_reason reason;
} scalay_empty_part;

/** A map and its load error. Zeroed is empty. */
typedef struct {
    scalay_owner_map *map;
    double load_error; /* max over the parts with a positive area of |count / area - 1| */
    int empty_parts;
    scalay_empty_part *empty; /* shape [empty_parts], by ascending part */
} scalay_rounding;

/**
 * Rounds a drawing.
 * @param[in]  function  public function, for messages
 * @param[in]  drawing   covers the domain; rectangles of parts without area are ignored
 * @param[in]  request   the map to be made
 * @param[out] rounding  to be released with scalay_rounding_free(); zeroed on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (the tolerance cannot be met), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_rounding_create(const char *function, const scalay_drawing *drawing,
                                     const scalay_rounding_request *request, scalay_rounding *rounding);

/** Releases what a rounding holds and zeroes it. Zeroed is allowed. */
void scalay_rounding_free(scalay_rounding *rounding);

/**
 * Rounds areas to integers with a given sum (largest remainders; of equal remainders, the lower part first). Parts with
 * a positive area get at least 1. If the sum is less than the number of these parts, the largest areas get 1 each.
 * @param[in]  parts   at least 1
 * @param[in]  area    shape [parts]: at least 0, not all 0; any scale
 * @param[in]  total   the sum, at least 0
 * @param[out] target  shape [parts], caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_largest_remainders(int parts, const double *area, int64_t total, int64_t *target);

#endif
