#ifndef SCALAY_MAPPING_PRODUCT_H
#define SCALAY_MAPPING_PRODUCT_H

/**
 * @file
 * Mappings between two grids without their traffic matrix.
 *
 * Between block-cyclic layouts the traffic is a Kronecker product: part (r, c) of the source holds
 * R[r][r'] C[c][c'] elements of part (r', c') of the target. R and C are the factors. Their entries, sorted by weight,
 * show which products matter. Parts are numbered row by row of their grid here ("number").
 */

#include "layout/layout.h"
#include "mapping/bottleneck.h"
#include "mapping/problem.h"

/** An entry of a factor. */
typedef struct {
    int64_t weight;
    int other; /* class at the other end */
    int shift; /* order of equal weights, different for each class, so that classes prefer different partners */
} scalay_traffic_factor_entry;

/** The entries of a factor by the classes of one side, heaviest first. */
typedef struct {
    int classes;
    int64_t *start; /* shape [classes + 1] */
    scalay_traffic_factor_entry *entries;
} scalay_traffic_factor_side;

/** A factor: common elements of each source class and each target class of an axis. */
typedef struct {
    scalay_traffic_factor_side source;
    scalay_traffic_factor_side target;
    scalay_edges edges; /* the same as a graph */
    int *partner;       /* shape [source classes]: in a best assignment of this factor; -1: none */
} scalay_traffic_factor;

/** Creates the factor of two axes of the same extent, zeroed before; release with scalay_traffic_factor_free(), also on
 * failure. */
scalay_status scalay_traffic_factor_create(const scalay_axis *source, const scalay_axis *target,
                                           scalay_traffic_factor *factor);

/** Releases a factor. A zeroed factor is allowed. */
void scalay_traffic_factor_free(scalay_traffic_factor *factor);

/** Returns the elements that a class of one side has in common with all classes of the other side. */
int64_t scalay_traffic_factor_class_elements(const scalay_traffic_factor_side *side, int class);

/** Returns the elements that source class x and target class y have in common. Time: logarithmic. */
int64_t scalay_traffic_factor_weight(const scalay_traffic_factor *factor, int x, int y);

/** The overlaps of the two axes. */
typedef struct {
    scalay_axis_overlap row, col;
    int exists; /* 0: several pairs of layouts do not have the same grids, or share no factor */
    int summed; /* 1: of several pairs of layouts */
} scalay_product_overlap;

/** Two grids, their factors, and a search for a mapping. */
typedef struct {
    const scalay_layout *source, *target;  /* of the same extents; not owned */
    const scalay_mapping_problem *problem; /* not owned; processes, barred, canonical and deadline are used */
    int summed;                            /* 1: sum of several products; periods of the layouts do not apply */
    scalay_traffic_factor row, col;
    int rows, cols;         /* parts of source and target */
    int64_t *held;          /* shape [rows]: elements of each part of the source */
    int64_t *wanted;        /* shape [cols]: of the target */
    unsigned char *row_out; /* shape [rows]: 1: may take no part; NULL: all may */
    int64_t within;         /* only products that leave at most this number of steps count; INT64_MAX: all count */
    int only_tight;         /* 1: in bottleneck problems only products equal to the sum of their duals count */
    int64_t min_dual[2];    /* least dual of the source's parts and of the target's, at most 0 */
    scalay_edge_core core;
    scalay_assignment assignment;
    int *best; /* shape [cols]: source part of each target part in the best mapping so far; -1: none */
    int64_t best_kept;
} scalay_product;

/**
 * Finds the overlaps of the sum of pairs of grids; release with scalay_product_overlap_free(), also on failure.
 * @param[in] weight  shape [count]; NULL: 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (more than 2^63 - 1 elements), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_product_overlap_create(int count, const scalay_layout *const *source,
                                            const scalay_layout *const *target, const int64_t *weight,
                                            scalay_product_overlap *overlap);

/** Releases overlaps. Zeroed ones are allowed. */
void scalay_product_overlap_free(scalay_product_overlap *overlap);

/** Creates a product of grids; release with scalay_product_free(), also on failure. */
scalay_status scalay_product_create(const scalay_layout *source, const scalay_layout *target,
                                    const scalay_product_overlap *overlap, const scalay_mapping_problem *problem,
                                    scalay_product *product);

/** Releases the arrays of a product. A zeroed product is allowed. */
void scalay_product_free(scalay_product *product);

/** Returns 1 if a product is faster than the traffic matrix: all layouts are grids, with many parts. */
int scalay_product_applies(int count, const scalay_layout *const *source, const scalay_layout *const *target);

/** Returns 1 if a product is also faster for steps: the traffic matrix has many entries for each part. */
int scalay_product_applies_to_steps(const scalay_product_overlap *overlap);

/** Returns a part of the target, by its number. */
int scalay_product_part(const scalay_product *product, int number);

/** Returns the process of a part of the source, by its number. */
int scalay_product_process(const scalay_product *product, int number);

/** Returns the number of elements of the matrix. */
int64_t scalay_product_all_elements(const scalay_product *product);

/** Returns the elements that source part `from` holds of target part `to`. */
int64_t scalay_product_elements(const scalay_product *product, int from, int to);

/** Returns 1 if a part of the source may take no part. */
int scalay_product_is_out(const scalay_product *product, int from);

/** Returns 1 if a product counts: see row_out, within and only_tight. */
int scalay_product_counts(const scalay_product *product, int from, int to, int64_t elements);

/** Sets volume, steps and time of a mapping of the target's parts. */
scalay_status scalay_product_count(const scalay_product *product, scalay_mapping *mapping);

/** Assigns target parts to the processes of source parts, of_col[j] of part number j (-1: none), and counts. */
scalay_status scalay_product_place(const scalay_product *product, const int *of_col, scalay_mapping *mapping);

/* ------------------------------------------------------------------------------- volume: product_assignment.c */

/**
 * Finds the mapping of least volume within a number of steps, with its duals.
 * @param[in]     steps     INT64_MAX: any number
 * @param[in]     heavy     parts that must be matched; ignored for any number of steps
 * @param[in]     feasible  matching within the steps that covers them; ignored for any number of steps
 * @param[in,out] product   best, best_kept and assignment are set
 */
scalay_status scalay_product_find_volume(scalay_product *product, int64_t steps, const scalay_cover *heavy,
                                         const scalay_matching *feasible);

/** Finds the best mapping and its duals by the orbits of shifts, if the matrix holds whole periods of both layouts. The
 *  assignment is allocated before; *solved: 1: best and best_kept are set. */
scalay_status scalay_product_solve_by_orbits(scalay_product *product, int *solved);

/** Sets bound, duals and, after a deadline, proof of a mapping from the last scalay_product_find_volume(). */
scalay_status scalay_product_take_bound(scalay_product *product, scalay_mapping *mapping);

/** As scalay_product_take_bound(), and sets processes and costs. */
scalay_status scalay_product_take_volume(scalay_product *product, scalay_mapping *mapping);

/** Sets min_dual. */
void scalay_product_find_min_duals(scalay_product *product);

/* ------------------------------------------------------------------------------------ steps: product_steps.c */

/** Returns the bottleneck problem of the least steps. */
scalay_bottleneck scalay_product_bottleneck(const scalay_product *product);

/**
 * Solves for SCALAY_MIN_STEPS.
 * @param[in,out] mapping   process, costs and certificate are set; after a deadline, proof and bound too
 * @param[out]    solution  matching by numbers, for scalay_product_solve_within(); release with
 *                          scalay_bottleneck_free()
 */
scalay_status scalay_product_find_steps(scalay_product *product, scalay_mapping *mapping,
                                        scalay_bottleneck_solution *solution);

/** Solves for SCALAY_MIN_VOLUME_THEN_STEPS among the mappings of at most `steps` steps; feasible as in
 *  scalay_mapping_problem_solve_within(). */
scalay_status scalay_product_solve_within(scalay_product *product, int64_t steps, const scalay_matching *feasible,
                                          scalay_mapping *mapping);

/** Solves for SCALAY_MIN_STEPS_THEN_VOLUME. */
scalay_status scalay_product_solve_steps_then_volume(scalay_product *product, scalay_mapping *mapping);

/** Solves for SCALAY_MIN_GRID_VOLUME: grid.c. */
scalay_status scalay_product_solve_grid(scalay_product *product, scalay_mapping *mapping);

#endif
