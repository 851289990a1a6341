#ifndef SCALAY_PARTITION_ROUNDING_H
#define SCALAY_PARTITION_ROUNDING_H

/**
 * @file
 * From a drawing with real edges to an owner map.
 *
 * Every edge is rounded once, so that neighbours keep sharing it, and then moved by single lines (or tiles) as long as
 * that lowers the worst relative load error. Exact counts are reached from there: surplus cells go to neighbours, at
 * most one ragged line for each pair of neighbours that trade, and then a local search (Push) swaps cells such that
 * fewer owners meet on a line (exact_counts.h). Nothing is ever stored element by element, unless the matrix is small
 * enough for Push.
 */

#include "base/status.h"
#include "partition/drawing.h"
#include "scalay/partition.h"

/** What is wanted of a map. */
typedef struct {
    int64_t m, n; /* at least 1; the drawing's domain has these extents */
    int parts;
    const double *area; /* shape [parts]: in elements, they sum up to m n; 0: this part stays empty */
    int64_t tile;       /* edges lie on multiples of this, at least 1 */
    int exact_counts;   /* 1: counts are the areas rounded by largest remainders; with a tile, in tiles */
    double tolerance;   /* largest load error that is accepted; 0: any. Exact counts always are. */
    uint64_t seed;      /* of Push */
} scalay_rounding_request;

/** Why a part owns nothing. */
typedef enum {
    SCALAY_EMPTY_NO_AREA, /* its area is 0 */
    SCALAY_EMPTY_NO_ROOM  /* there are more parts than elements (or tiles): the smallest areas go without */
} scalay_empty_reason;

/** A part that owns nothing. */
typedef struct {
    int part;
    scalay_empty_reason reason;
} scalay_empty_part;

/** A map, and how near it comes to what was wanted. */
typedef struct {
    scalay_owner_map *map;
    double load_error; /* max over the parts of |count / area - 1|, areas of 0 left out */
    int empty_parts;
    scalay_empty_part *empty; /* shape [empty_parts], by ascending part */
} scalay_rounding;

/**
 * Rounds a drawing.
 * @param[in]  function  in whose name to fail
 * @param[in]  drawing   covers the domain; paints of parts without area are not looked at
 * @param[in]  request   what is wanted
 * @param[out] rounding  to be released with scalay_rounding_free(); zeroed on failure. The map may be taken out of it
 *                       (set it to NULL).
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (the tolerance cannot be kept; the message says what was reached),
 *         SCALAY_ERROR_MEMORY
 */
scalay_status scalay_rounding_create(const char *function, const scalay_drawing *drawing,
                                     const scalay_rounding_request *request, scalay_rounding *rounding);

/** Releases what a rounding holds; zeroed is fine. */
void scalay_rounding_free(scalay_rounding *rounding);

/**
 * Integers next to given areas that sum up to a total: whole parts, then one more each in the order of the largest
 * remainders (the lower part first), and at least 1 for a positive area as long as there is room; without room for
 * all, the largest areas get 1 each.
 * @param[in]  parts   at least 1
 * @param[in]  area    shape [parts]: at least 0, not all 0; any scale
 * @param[in]  total   at least 0
 * @param[out] target  shape [parts], caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_largest_remainders(int parts, const double *area, int64_t total, int64_t *target);

#endif
