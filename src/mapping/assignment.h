#ifndef SCALAY_MAPPING_ASSIGNMENT_H
#define SCALAY_MAPPING_ASSIGNMENT_H

/**
 * @file
 * Assignment problem: a matching of maximum total weight, with dual variables that prove it.
 *
 * Rows and columns may stay unmatched, except those that a cover names. On return:
 *   - row_dual[i] + col_dual[j] >= weight for every edge, with equality on matched edges.
 *   - The dual of an unmatched row or column is 0. Only duals of covered rows and columns may be negative.
 *   - Therefore the sum of the duals is the weight of the matching, and no matching that covers the cover weighs more.
 */

#include "mapping/deadline.h"
#include "mapping/edges.h"

/** Maximum sum of the rows' heaviest weights with a cover. Sums of two duals do not overflow up to this value. */
#define SCALAY_COVERED_WEIGHT_MAX ((INT64_C(1) << 62) - 1)

/**
 * A matching and its dual variables; released by their owner.
 *
 * If the deadline passes first, the matching is the best so far and edges need not be tight. The duals are feasible in
 * any case, and their sum is a bound. With a cover, the matching covers it in any case: if the search did not complete,
 * the matching is the feasible one that the caller passed.
 */
typedef struct {
    scalay_matching matching;
    int64_t *row_dual; /* shape [rows] */
    int64_t *col_dual; /* shape [cols] */
    scalay_deadline deadline;
    int unfinished; /* 1: the deadline passed first */
} scalay_assignment;

/** Values that the solver starts from. */
typedef enum {
    SCALAY_START_EMPTY,   /* no matched edge, all duals 0 */
    SCALAY_START_PRICES,  /* no matched edge, duals of columns as in the assignment, at least 0 */
    SCALAY_START_MATCHING /* matching and duals of columns as in the assignment; edges that are not tight are unmatched
                           */
} scalay_assignment_start;

/** Allocates an empty matching and zero duals; release with scalay_assignment_free(). */
scalay_status scalay_assignment_allocate(int rows, int cols, scalay_assignment *assignment);

/** Releases the arrays of an assignment. A zeroed assignment is allowed. */
void scalay_assignment_free(scalay_assignment *assignment);

/**
 * Solves on sparse edges.
 * @param[in]     edges       the graph; the rows' heaviest weights sum up to at most 2^63 - 1
 * @param[in]     cover       rows and columns that must be matched; NULL: none
 * @param[in]     start       values in `assignment` to start from
 * @param[in,out] assignment  allocated
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (no matching covers the cover), SCALAY_ERROR_RANGE (with a cover: the
 *         rows' heaviest weights sum up to 2^62 or more), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_assignment_sparse(const scalay_edges *edges, const scalay_cover *cover,
                                       scalay_assignment_start start, scalay_assignment *assignment);

/** Edges that are too many to solve on: the solver adds them to a core as far as its duals require. */
typedef struct {
    int rows, cols;
    /** Prepares pricing with new duals. NULL: nothing to prepare. */
    void (*begin_pricing)(void *context, const scalay_assignment *assignment);
    /** Adds edges of a row that the duals do not dominate; at least one if there is any. */
    scalay_status (*price_row)(void *context, const scalay_assignment *assignment, int row, scalay_edge_core *core);
    /** Receives each solution on the core. NULL: not needed. */
    void (*receive)(void *context, const scalay_cover *cover, const scalay_assignment *assignment);
    void *context;
} scalay_edge_source;

/**
 * Solves on a core of edges, adds edges that the duals do not dominate, and repeats until the duals dominate all edges.
 * @param[in]     source      all edges
 * @param[in]     cover       as in scalay_assignment_sparse()
 * @param[in]     start       values in `assignment` that the first solution on the core starts from
 * @param[in,out] core        initial edges; a matching on them covers the cover
 * @param[in,out] assignment  allocated
 * @return as scalay_assignment_sparse()
 */
scalay_status scalay_assignment_on_core(const scalay_edge_source *source, const scalay_cover *cover,
                                        scalay_assignment_start start, scalay_edge_core *core,
                                        scalay_assignment *assignment);

/**
 * Solves on edges of any number: directly if they are few, otherwise with scalay_assignment_on_core().
 * @param[in] feasible  a matching that covers the cover; NULL if there is no cover
 * The other parameters and the return values are those of scalay_assignment_sparse().
 */
scalay_status scalay_assignment_solve(const scalay_edges *edges, const scalay_cover *cover,
                                      const scalay_matching *feasible, scalay_assignment *assignment);

/**
 * Returns an upper bound on the weight of every matching: the minimum of the sum of the duals and the sum of the rows'
 * heaviest weights. If the latter is smaller, these weights become the duals.
 */
int64_t scalay_assignment_bound(const scalay_edges *edges, scalay_assignment *assignment);

/** Returns 1 if a matching covers the cover. NULL: 1. */
int scalay_assignment_covers(const scalay_cover *cover, const scalay_matching *matching, int rows, int cols);

#endif
