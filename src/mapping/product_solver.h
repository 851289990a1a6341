#ifndef SCALAY_MAPPING_PRODUCT_SOLVER_H
#define SCALAY_MAPPING_PRODUCT_SOLVER_H

/** @file Assignment on a product of two factors: see product.h. Parts are numbered row by row here. */

#include "mapping/bottleneck.h"
#include "mapping/edge_core.h"
#include "mapping/factor.h"

/** The factors, a core of their products, and what has been found so far. */
typedef struct {
    scalay_factor row, col;
    int rows, cols;         /* parts of source and target */
    int64_t *held;          /* shape [rows]: the items of each part of the source */
    int64_t *wanted;        /* shape [cols]: of the target */
    unsigned char *row_out; /* shape [rows]: takes no part; NULL: all do */
    int64_t within;         /* products count that leave so many steps at most; INT64_MAX: all do */
    int only_tight;         /* 1: for bottleneck problems only those count that the duals sum up to */
    int64_t least_dual[2];  /* of the source's parts and of the target's, at most 0 */
    scalay_edge_core core;
    scalay_assignment assignment;
    int *best; /* shape [cols]: the source part of each target part in the best mapping so far; -1: none */
    int64_t best_kept;
} scalay_product_solver;

/** What source part `from` holds of target part `to`. */
int64_t scalay_product_items(const scalay_product_solver *s, int from, int to);

/** Whether a part of the source takes none. */
int scalay_product_is_out(const scalay_product_solver *s, int from);

/** Whether a product counts: see row_out, within and only_tight. */
int scalay_product_counts(const scalay_product_solver *s, int from, int to, int64_t product);

/** Finds the least duals. */
void scalay_product_find_least_duals(scalay_product_solver *s);

/** The best mapping so far is that of the best assignments of rows and of columns, put together. */
void scalay_product_start(scalay_product_solver *s);

/** Duals at once: no part keeps more than its heaviest product. Those of the side where that is less in all; returns
 * the sum. */
int64_t scalay_product_bound_at_once(scalay_product_solver *s);

/**
 * Solves round by round, to the end or to the deadline.
 * @param[in] cover     what must be matched; NULL: nothing
 * @param[in] feasible  a matching that does that, the best so far; NULL when there is no cover
 */
scalay_status scalay_product_rounds(scalay_product_solver *s, const scalay_cover *cover,
                                    const scalay_matching *feasible);

/** The products as the edges of a bottleneck problem; the context is a scalay_product_solver with its factors. */
extern const scalay_bottleneck_source scalay_bottleneck_products;

#endif
