#ifndef SCALAY_MAPPING_PRODUCT_H
#define SCALAY_MAPPING_PRODUCT_H

/**
 * @file
 * Least volume or steps between two grids, without their traffic.
 *
 * Between block-cyclic layouts the traffic is a product: what part (r, c) holds of part (r', c') is R[r][r'] C[c][c'].
 * The assignment is solved on a core of the heaviest products of each row and column; the others are priced through
 * the factors, sorted by weight, so that only those that could matter are looked at. What no product contradicts is
 * optimal, with the same certificate as for any other traffic. Least steps look only at the heavy products of what is
 * heavier than a lower bound.
 */

#include "layout/layout.h"
#include "mapping/solve.h"

/** Whether this is the way to go: two grids of many parts. */
int scalay_product_applies(const scalay_layout *source, const scalay_layout *target);

/**
 * Solves for SCALAY_MIN_VOLUME.
 * @param[in]     source, target  grids of the same extents
 * @param[in]     problem         processes, canonical and deadline are read; nobody is barred
 * @param[in,out] mapping         process, costs and certificate are filled in; proof and bound when the deadline came
 * first
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_product_solve(const scalay_layout *source, const scalay_layout *target,
                                   const scalay_mapping_problem *problem, scalay_mapping *mapping);

/** Whether that is also the way to go for SCALAY_MIN_STEPS: not where the traffic has few entries for each part. */
scalay_status scalay_product_applies_to_steps(const scalay_layout *source, const scalay_layout *target, int *applies);

/** Solves for SCALAY_MIN_STEPS; the rest as in scalay_product_solve(). */
scalay_status scalay_product_solve_steps(const scalay_layout *source, const scalay_layout *target,
                                         const scalay_mapping_problem *problem, scalay_mapping *mapping);

/** Fills in what a mapping of the parts of one grid costs, given where those of the other are. */
scalay_status scalay_product_count(const scalay_layout *source, const scalay_layout *target, scalay_mapping *mapping);

#endif
