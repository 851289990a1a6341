/* The public call of PARALEPH: checks the arguments, lets the ranks agree on them, and returns the result. */
#include <string.h>

#include "base/fingerprint.h"
#include "parallel/agree.h"
#include "profile/profile.h"
#include "published/paraleph.h"
#include "scalay/published.h"
#include "workload/workload.h"

static const char FUNCTION[] = "scalay_published_paraleph";

static scalay_status check(const scalay_profile *profile, int64_t n, scalay_published_objective objective, int threads,
                           scalay_workload *const *workload)
{
    scalay_status status = SCALAY_SUCCESS;
    if (workload == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, FUNCTION, "workload is NULL: pass the address of a pointer");
    SCALAY_TRY(scalay_workload_check(FUNCTION, profile, n));
    if (objective != SCALAY_OBJECTIVE_TIME && objective != SCALAY_OBJECTIVE_ENERGY)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, FUNCTION,
                           "objective = %d; use SCALAY_OBJECTIVE_TIME or SCALAY_OBJECTIVE_ENERGY", (int)objective);
    if (profile->groups > 1)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, FUNCTION,
                           "the profile has %d groups, but PARALEPH is for identical processors; use "
                           "scalay_workload_min_time() or scalay_workload_min_energy()",
                           profile->groups);
    if (threads < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, FUNCTION,
                           "threads = %d: give at least 1, or 0 for the number of OpenMP", threads);
cleanup:
    return status;
}

static uint64_t add_doubles(uint64_t fingerprint, const double *values, int64_t count)
{
    for (int64_t k = 0; k < count && values != NULL; k++) {
        int64_t bits = 0;
        memcpy(&bits, &values[k], sizeof bits);
        fingerprint = scalay_fingerprint_add(fingerprint, bits);
    }
    return fingerprint;
}

static uint64_t fingerprint_of(const scalay_profile *profile)
{
    const scalay_profile_group *group = &profile->group[0];
    uint64_t fingerprint = scalay_fingerprint_add(scalay_fingerprint_start(), group->count);
    fingerprint = scalay_fingerprint_add(fingerprint, group->points);
    for (int64_t k = 0; k < group->points; k++) fingerprint = scalay_fingerprint_add(fingerprint, group->size[k]);
    fingerprint = add_doubles(fingerprint, group->time, group->points);
    return add_doubles(fingerprint, profile->has_energy ? group->energy : NULL, group->points);
}

static scalay_status agree_on_arguments(scalay_comm *comm, const scalay_profile *profile, int64_t n,
                                        scalay_published_objective objective)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree_value(comm, (uint64_t)n, FUNCTION, "n"));
    SCALAY_TRY(scalay_comm_agree_value(comm, (uint64_t)objective, FUNCTION, "objective"));
    SCALAY_TRY(scalay_comm_agree_value(comm, fingerprint_of(profile), FUNCTION, "profile"));
cleanup:
    return status;
}

scalay_status scalay_published_paraleph(scalay_comm *comm, const scalay_profile *profile, int64_t n,
                                        scalay_published_objective objective, int threads, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    const int sums = objective == SCALAY_OBJECTIVE_ENERGY;
    scalay_problem problem = {0};
    scalay_distribution distribution = {0};
    scalay_workload *new_workload = NULL;
    if (workload != NULL) *workload = NULL;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; create one with scalay_comm_create()");
    SCALAY_TRY(scalay_comm_agree(comm, check(profile, n, objective, threads, workload)));
    SCALAY_TRY(agree_on_arguments(comm, profile, n, objective));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_problem_create(FUNCTION, profile, n, sums, &problem)));
    status = scalay_paraleph_solve(comm, &problem, sums, threads, &distribution);
    SCALAY_TRY(scalay_published_named(FUNCTION, status));
    status = scalay_workload_make(&problem, n, &distribution, sums ? SCALAY_MAKE_ENERGY_SMALL : SCALAY_MAKE_TIME_SMALL,
                                  "paraleph", &new_workload);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    *workload = new_workload;
    new_workload = NULL;
cleanup:
    scalay_workload_destroy(&new_workload);
    scalay_problem_free(&problem);
    scalay_distribution_free(&distribution);
    return status;
}
