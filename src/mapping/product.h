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
#include "mapping/product_solver.h"
#include "mapping/solve.h"

/** Two grids, their factors, and what is to be found. */
typedef struct {
    const scalay_layout *source, *target;  /* of the same extents; not owned, likewise the next */
    const scalay_mapping_problem *problem; /* processes, barred, canonical and deadline are read */
    scalay_product_solver solver;
    int summed; /* 1: of several matrices, whose periods are not looked at */
} scalay_product;

/** The two factors, as what classes of the grids have in common. */
typedef struct {
    scalay_axis_overlap row, col;
    int exists; /* 0: several pairs do not have one and the same grids and share a factor */
    int summed;
} scalay_product_overlap;

/**
 * The factors of the sum of pairs of grids, the entries of which go together; to be released with
 * scalay_product_overlap_free(), also on failure.
 * @param[in] weight  shape [count]; NULL: 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (more than 2^63 - 1 items), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_product_overlap_create(int count, const scalay_layout *const *source,
                                            const scalay_layout *const *target, const int64_t *weight,
                                            scalay_product_overlap *overlap);

/** Releases what factors hold. Zeroed ones are fine. */
void scalay_product_overlap_free(scalay_product_overlap *overlap);

/** Of the grids and factors; to be released with scalay_product_free(), also on failure. */
scalay_status scalay_product_create_from(const scalay_layout *source, const scalay_layout *target,
                                         const scalay_product_overlap *overlap, const scalay_mapping_problem *problem,
                                         scalay_product *product);

/** Of a pair of grids; the rest as in scalay_product_create_from(). */
scalay_status scalay_product_create(const scalay_layout *source, const scalay_layout *target,
                                    const scalay_mapping_problem *problem, scalay_product *product);

/** Releases what a product holds. */
void scalay_product_free(scalay_product *product);

/** The bottleneck problem of the least steps. */
scalay_bottleneck scalay_product_bottleneck(const scalay_product *product);

/** Whether this is the way to go: grids of many parts. */
int scalay_product_applies(int count, const scalay_layout *const *source, const scalay_layout *const *target);

/** Whether this is also the way to go when steps count: not where the traffic has few entries for each part. */
int scalay_product_applies_to_steps(const scalay_product_overlap *overlap);

/**
 * Solves for SCALAY_MIN_VOLUME.
 * @param[in,out] mapping  process, costs and certificate are filled in; proof and bound when the deadline came first
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_product_solve_volume(scalay_product *product, scalay_mapping *mapping);

/** What no mapping keeps more of: bound and duals of a mapping are filled in; proof, too, when the deadline came first.
 */
scalay_status scalay_product_bound_volume(scalay_product *product, scalay_mapping *mapping);

/** The process of a part of the source, by its number in the grid. */
int scalay_product_process(const scalay_product *product, int number);

/** The items of the matrix. */
int64_t scalay_product_all_items(const scalay_product *product);

/** Solves for SCALAY_MIN_GRID_VOLUME; process, costs, proof, bound and certificate are filled in. */
scalay_status scalay_product_solve_grid(scalay_product *product, scalay_mapping *mapping);

/**
 * Finds the best mapping of all, with its duals, where the matrix holds whole periods of both layouts and nobody is
 * barred; solver.best is it.
 * @param[out] solved  1: found; 0: there are no whole periods, or it would take too long
 */
scalay_status scalay_product_solve_orbits(scalay_product *product, int *solved);

/** Solves for SCALAY_MIN_STEPS; the rest as in scalay_product_solve_volume(). */
scalay_status scalay_product_solve_steps(scalay_product *product, scalay_mapping *mapping);

/** Likewise, and leaves a matching, by numbers in the grids, for scalay_product_solve_within(). To be released with
 * scalay_bottleneck_free(). */
scalay_status scalay_product_find_steps(scalay_product *product, scalay_mapping *mapping,
                                        scalay_bottleneck_solution *solution);

/** Solves for SCALAY_MIN_STEPS_THEN_VOLUME; the rest as in scalay_product_solve_volume(). */
scalay_status scalay_product_solve_steps_then_volume(scalay_product *product, scalay_mapping *mapping);

/** Solves for SCALAY_MIN_VOLUME_THEN_STEPS among the mappings of at most so many steps; with feasible as in
 * scalay_problem_solve_within(), the rest as in scalay_product_solve_volume(). */
scalay_status scalay_product_solve_within(scalay_product *product, int64_t steps, const scalay_matching *feasible,
                                          scalay_mapping *mapping);

/** Fills in what a mapping of the target's parts costs. */
scalay_status scalay_product_count(const scalay_product *product, scalay_mapping *mapping);

#endif
