#ifndef SCALAY_MAPPING_ASSIGNMENT_H
#define SCALAY_MAPPING_ASSIGNMENT_H

/**
 * @file
 * Assignment: a matching of the largest total weight, with dual variables that prove it.
 *
 * Rows and columns may stay unmatched, except those that a cover names. On return
 *   - row_dual[i] + col_dual[j] >= weight for every edge, with equality on matched edges;
 *   - the dual of an unmatched row or column is 0, and only covered ones may be negative;
 *   - so the sum of the duals is the weight of the matching, and no matching that covers the cover weighs more.
 *
 * Source: shortest augmenting paths: Jonker and Volgenant, Computing 38 (1987); the row reductions are theirs too.
 */

#include "mapping/deadline.h"
#include "mapping/edges.h"

/** Up to this sum of the rows' largest weights no sum of two duals overflows when a cover makes them negative. */
#define SCALAY_COVERED_WEIGHT_MAX ((INT64_C(1) << 62) - 1)

/**
 * A matching and its dual variables; released by their owner. Where a deadline comes first, the matching is the best so
 * far, edges need not be tight, and the duals are feasible all the same: their sum is a bound. With a cover, the
 * matching covers that in any case: where the search did not get so far it is the one that there was to begin with.
 */
typedef struct {
    scalay_matching matching;
    int64_t *row_dual; /* shape [rows] */
    int64_t *col_dual; /* shape [cols] */
    scalay_deadline deadline;
    int unfinished; /* 1: the deadline came first */
} scalay_assignment;

/** Room for a matching and zero duals; to be released with scalay_assignment_free(). */
scalay_status scalay_assignment_allocate(int rows, int cols, scalay_assignment *assignment);

/** Releases what an assignment holds. A zeroed one is fine. */
void scalay_assignment_free(scalay_assignment *assignment);

/**
 * Solves on sparse edges.
 * @param[in]     edges       the graph; its weights sum up to at most 2^63 - 1
 * @param[in]     cover       what must be matched; NULL: nothing
 * @param[in,out] assignment  allocated; what it holds is overwritten
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (there is no matching that covers the cover), SCALAY_ERROR_RANGE
 *         (with a cover: the rows' largest weights sum up to 2^62 or more), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_assignment_sparse(const scalay_edges *edges, const scalay_cover *cover,
                                       scalay_assignment *assignment);

/**
 * Solves on any edges: where they are many, on the heaviest of them, adding those that the duals show to be missed
 * until there are none.
 * @param[in] feasible  a matching that covers the cover; NULL when there is no cover
 * The rest as in scalay_assignment_sparse().
 */
scalay_status scalay_assignment_solve(const scalay_edges *edges, const scalay_cover *cover,
                                      const scalay_matching *feasible, scalay_assignment *assignment);

/**
 * What no matching weighs more than: the sum of the duals, or, where that is more, of the rows' heaviest edges, which
 * then become the duals.
 */
int64_t scalay_assignment_bound(const scalay_edges *edges, scalay_assignment *assignment);

/** Whether a matching covers the cover. NULL: there is nothing to cover. */
int scalay_assignment_covers(const scalay_cover *cover, const scalay_matching *matching, int rows, int cols);

/** Gives rows without a column the heaviest edge to a free one. */
void scalay_assignment_complete(const scalay_edges *edges, scalay_matching *matching);

/** A first matching with duals that cannot overflow: row reductions, then paths of length 0. The duals are feasible and
 * exact, but unmatched rows may still have a positive one. */
scalay_status scalay_assignment_start(const scalay_edges *edges, scalay_assignment *assignment);

#endif
