#ifndef SCALAY_MAPPING_BOTTLENECK_H
#define SCALAY_MAPPING_BOTTLENECK_H

/**
 * @file
 * Bottleneck assignment: the least number of one-port steps.
 *
 * A process with `held` items that takes a part of `wanted` items, q of which it holds, sends held - q and receives
 * wanted - q: the pair costs max(held, wanted) - q steps. Whoever has no partner with q > 0 costs all its items. So b
 * steps suffice if and only if, on the edges that cost at most b, everything that has more than b items can be
 * matched: the rest can be completed anyhow. By the theorem of Mendelsohn and Dulmage it is enough to cover the heavy
 * rows by one matching and the heavy columns by another.
 *
 * Source: Mendelsohn and Dulmage, Canadian Journal of Mathematics 10 (1958); Herrmann et al. (2016), section 4.2, solve
 * the same problem by removing edges from the complete graph one after the other.
 */

#include "mapping/edges.h"

/** What to solve. */
typedef struct {
    const scalay_edges *edges;    /* the edges that may be used; none at rows that are out */
    const int64_t *held;          /* shape [rows]: the items of each row */
    const int64_t *wanted;        /* shape [cols] */
    const unsigned char *row_out; /* shape [rows]: takes no part; NULL: all do */
    scalay_cover must;            /* covered whatever the steps; not owned */
} scalay_bottleneck;

/** The solution. */
typedef struct {
    int64_t steps;
    scalay_matching matching; /* covers everything heavier than `steps` on edges of at most that cost */
    int *crowd;               /* shape [crowd_size]: see scalay_certificate */
    int crowd_size;
    int crowd_of_parts;
} scalay_bottleneck_solution;

/** What an edge costs. */
int64_t scalay_bottleneck_cost(const scalay_bottleneck *problem, int i, int j, int64_t weight);

/**
 * Solves exactly.
 * @param[in]  problem   there is a matching that covers `must`
 * @param[out] solution  to be released with scalay_bottleneck_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INTERNAL (there is no such matching), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_bottleneck_solve(const scalay_bottleneck *problem, scalay_bottleneck_solution *solution);

/** Releases what a solution holds. A zeroed one is fine. */
void scalay_bottleneck_free(scalay_bottleneck_solution *solution);

#endif
