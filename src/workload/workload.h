#ifndef SCALAY_WORKLOAD_WORKLOAD_H
#define SCALAY_WORKLOAD_WORKLOAD_H

/** @file Distributions and fronts as callers get them. */

#include "workload/solvers.h"

/** Objective. */
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

/** Checks the arguments that all calls share. `function` is the public function, for messages. SCALAY_SUCCESS,
 *  SCALAY_ERROR_ARGUMENT. */
scalay_status scalay_workload_check(const char *function, const scalay_profile *profile, int64_t n);

/** As scalay_workload_check(), and reads the caller's options. SCALAY_ERROR_UNSUPPORTED: an option is not known. */
scalay_status scalay_workload_read_options(const char *function, const scalay_profile *profile, int64_t n,
                                           const scalay_workload_options *given, scalay_workload_options *options);

/* --------------------------------------------------------------------------------------------------- fronts */

/** Points of a front. */
typedef struct {
    int64_t count;
    scalay_point *point;               /* shape [count]: times ascend */
    scalay_distribution *distribution; /* shape [count]; NULL: computed on request */
} scalay_front_points;

/** Releases points; zeroed ones are allowed. */
void scalay_front_points_free(scalay_front_points *points);

/** Converts watts to energy units per second. Negative watts, for dynamic energy, stay negative. SCALAY_ERROR_RANGE:
 *  total energies would be infinite. */
scalay_status scalay_front_power(const char *function, const scalay_problem *problem, double watts, double *power);

/**
 * Creates a front from its points.
 * @param[in]     problem  the solved problem; its profile is retained
 * @param[in]     n        in the caller's units
 * @param[in]     watts    base power; negative: dynamic energy
 * @param[in]     method   name of the method; static
 * @param[in,out] points   moved to the front
 * @param[out]    front    release with scalay_workload_front_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_front_make(const scalay_problem *problem, int64_t n, double watts, const char *method,
                                scalay_front_points *points, scalay_workload_front **front);

#endif
