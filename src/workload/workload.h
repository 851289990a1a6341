#ifndef SCALAY_WORKLOAD_WORKLOAD_H
#define SCALAY_WORKLOAD_WORKLOAD_H

/** @file Distributions and fronts as callers get them. */

#include "workload/solvers.h"

/** What is made small. */
typedef enum { SCALAY_MAKE_TIME_SMALL, SCALAY_MAKE_ENERGY_SMALL } scalay_workload_aim;

/**
 * Makes a caller's distribution of one of a solver.
 * @param[in]  problem       what was solved; its profile is retained
 * @param[in]  n             in the caller's units
 * @param[in]  distribution  not feasible: the totals next to n are looked for
 * @param[in]  aim           what the total is of
 * @param[in]  method        static
 * @param[out] workload      to be released with scalay_workload_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_workload_make(const scalay_problem *problem, int64_t n, const scalay_distribution *distribution,
                                   scalay_workload_aim aim, const char *method, scalay_workload **workload);

/** Charges communication to a distribution. */
void scalay_workload_charge(scalay_workload *workload, int64_t taking_part, double communication);

/** The totals next to n in the caller's units, n included; sizes beyond n count. SCALAY_SUCCESS, SCALAY_ERROR_RANGE,
 *  SCALAY_ERROR_MEMORY. */
scalay_status scalay_workload_totals(const scalay_problem *problem, int64_t n, int64_t *below, int64_t *above);

/** What a problem is solved with. */
typedef struct {
    scalay_workload_options options;
    const scalay_workload_method *method; /* NULL: the exact solvers */
    const char *name;                     /* static */
} scalay_workload_choice;

/**
 * Checks the arguments that all problems share, and finds the method.
 * @param[in]  function           in whose name to fail
 * @param[in]  profile, n, options  as the caller gave them
 * @param[in]  solves             what the method must be able to do
 * @param[out] choice             options filled in
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED
 */
scalay_status scalay_workload_choose(const char *function, const scalay_profile *profile, int64_t n,
                                     const scalay_workload_options *options, int solves,
                                     scalay_workload_choice *choice);

#endif
