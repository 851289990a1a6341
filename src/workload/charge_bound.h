#ifndef SCALAY_WORKLOAD_CHARGE_BOUND_H
#define SCALAY_WORKLOAD_CHARGE_BOUND_H

/** @file Lower bounds on the time or energy of n units on at most, or exactly, so many processors. */

#include "workload/problem.h"

/** What is known of a problem; start with zeroes. */
typedef struct {
    const scalay_problem *problem;
    int64_t largest;
    double *time;    /* shape [largest + 1]: the least time of that size or a larger one; NULL: of energies */
    double *energy;  /* shape [largest + 1]: the least energy of that size */
    int64_t *corner; /* shape [corners]: sizes at the corners of the lower convex hull of the energies */
    int64_t corners;
    int64_t best; /* the corner with the least energy per unit */
} scalay_charge_bound;

/** Prepares bounds on the time or the energy, in joules; `exactly`: no processor is idle. SCALAY_SUCCESS,
 *  SCALAY_ERROR_MEMORY. */
scalay_status scalay_charge_bound_create(const scalay_problem *problem, int energy, int exactly,
                                         scalay_charge_bound *bound);

/** Releases the memory. */
void scalay_charge_bound_free(scalay_charge_bound *bound);

/** The bound for first to last processors; infinity: not possible. */
double scalay_charge_bound_get(const scalay_charge_bound *bound, int64_t first, int64_t last);

#endif
