#ifndef SCALAY_WORKLOAD_MIN_TIME_H
#define SCALAY_WORKLOAD_MIN_TIME_H

/** @file Least time: how many processors may be, or have to be, active; and the two solvers. */

#include "workload/solvers.h"

/** At most or exactly so many active processors. */
typedef struct {
    int64_t active;
    int exactly;
    double up_to; /* longer times may come out as infinity */
} scalay_active_limit;

/** Least time for identical processors: limit.active is from 1 to problem->n and problem->processors, problem->n at
 *  least 1. As scalay_solve_min_time(); the distribution is cleared. */
scalay_status scalay_min_time_identical(const scalay_problem *problem, scalay_active_limit limit, double *time,
                                        scalay_distribution *distribution);

/** The same for processors that differ. */
scalay_status scalay_min_time_groups(const scalay_problem *problem, scalay_active_limit limit, double *time,
                                     scalay_distribution *distribution);

/** The totals next to n for identical processors; 1 <= n < processors * largest. */
scalay_status scalay_nearest_identical(const scalay_problem *problem, int64_t *below, int64_t *above);

#endif
