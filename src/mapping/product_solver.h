#ifndef SCALAY_MAPPING_PRODUCT_SOLVER_H
#define SCALAY_MAPPING_PRODUCT_SOLVER_H

/** @file Assignment on a product of two factors: see product.h. Parts are numbered row by row here. */

#include "mapping/bottleneck.h"
#include "mapping/edge_core.h"
#include "mapping/factor.h"

/** The factors, a core of their products, and what has been found so far. */
typedef struct {
    scalay_factor row, col;
    int rows, cols; /* parts of source and target */
    scalay_edge_core core;
    scalay_assignment assignment;
    int *best; /* shape [cols]: the source part of each target part in the best mapping so far; -1: none */
    int64_t best_kept;
} scalay_product_solver;

/** What source part `from` holds of target part `to`. */
int64_t scalay_product_items(const scalay_product_solver *s, int from, int to);

/** The best mapping so far is that of the best assignments of rows and of columns, put together. */
void scalay_product_start(scalay_product_solver *s);

/** Duals at once: no part keeps more than its heaviest product. Those of the side where that is less in all; returns
 * the sum. */
int64_t scalay_product_bound_at_once(scalay_product_solver *s);

/** Solves round by round, to the end or to the deadline. */
scalay_status scalay_product_rounds(scalay_product_solver *s);

/** The products as the edges of a bottleneck problem; the context is a scalay_product_solver with its factors. */
extern const scalay_bottleneck_source scalay_bottleneck_products;

#endif
