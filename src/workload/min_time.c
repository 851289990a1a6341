/* Least time: checks the trivial cases and calls the solver for identical or for different processors. */
#include "workload/min_time.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"

static scalay_status solve(const scalay_problem *problem, scalay_active_limit limit, double *time,
                           scalay_distribution *distribution)
{
    *time = INFINITY;
    scalay_distribution_clear(distribution);
    if (!problem->divisible) return SCALAY_SUCCESS;
    if (problem->n == 0) {
        distribution->feasible = !limit.exactly || limit.active == 0;
        *time = distribution->feasible ? 0.0 : INFINITY;
        return SCALAY_SUCCESS;
    }
    /* Everybody who is active gets at least one unit. */
    const int64_t most = scalay_min_int64(problem->n, problem->processors);
    if (limit.exactly && limit.active > most) return SCALAY_SUCCESS;
    limit.active = scalay_min_int64(limit.active, most);
    if (limit.active == 0) return SCALAY_SUCCESS;
    return problem->groups == 1 ? scalay_min_time_identical(problem, limit, time, distribution)
                                : scalay_min_time_groups(problem, limit, time, distribution);
}

scalay_status scalay_solve_min_time(const scalay_problem *problem, int64_t most, double *time,
                                    scalay_distribution *distribution)
{
    return solve(problem, (scalay_active_limit){most, 0, INFINITY}, time, distribution);
}

scalay_status scalay_solve_min_time_exactly(const scalay_problem *problem, int64_t active, double up_to, double *time,
                                            scalay_distribution *distribution)
{
    return solve(problem, (scalay_active_limit){active, 1, up_to}, time, distribution);
}
