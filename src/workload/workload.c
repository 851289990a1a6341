/* Distributions as objects: least time and least energy, their queries, and the options of all calls. */
#include "workload/workload.h"

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "profile/profile.h"
#include "workload/charge.h"

static const char AUTO[] = "auto";

enum { FEW_SHARES = 32 /* that are sorted by insertion */ };

struct scalay_workload {
    scalay_profile *profile;
    int feasible;
    int64_t below; /* the totals next to n */
    int64_t above;
    scalay_workload_aim aim;
    scalay_workload_summary summary;
    int64_t shares;
    scalay_workload_share share[]; /* shape [shares]: by ascending group, in each by descending size */
};

void scalay_workload_destroy(scalay_workload **workload)
{
    if (workload == NULL || *workload == NULL) return;
    scalay_profile_destroy(&(*workload)->profile);
    scalay_release(*workload);
    *workload = NULL;
}

/* ------------------------------------------------------------------------------------------------- nearest totals */

/* The smallest size beyond n of all groups; -1: there is none. */
static int64_t smallest_beyond(const scalay_profile *profile, int64_t n)
{
    int64_t smallest = -1;
    for (int j = 0; j < profile->groups; j++) {
        const scalay_profile_group *group = &profile->group[j];
        const int64_t next = scalay_points_up_to(group, n);
        if (next < group->points && (smallest < 0 || group->size[next] < smallest)) smallest = group->size[next];
    }
    return smallest;
}

scalay_status scalay_workload_totals(const scalay_problem *problem, int64_t n, int64_t *below, int64_t *above)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_solve_nearest(problem, below, above));
    *below *= problem->unit;
    if (*above >= 0) *above *= problem->unit;
    const int64_t beyond = smallest_beyond(problem->profile, n);
    if (*above < 0 || (beyond >= 0 && beyond < *above)) *above = beyond;
    if (*below == n) *above = n;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ histogram */

static int by_group_and_size(const void *a, const void *b)
{
    const scalay_workload_share *x = a;
    const scalay_workload_share *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->size < y->size) - (x->size > y->size);
}

/* Mostly there are a few, almost in order. */
static void sort_shares(scalay_workload_share *share, int64_t shares)
{
    if (shares > FEW_SHARES) {
        qsort(share, (size_t)shares, sizeof *share, by_group_and_size);
        return;
    }
    for (int64_t i = 1; i < shares; i++) {
        const scalay_workload_share moved = share[i];
        int64_t k = i;
        for (; k > 0 && by_group_and_size(&share[k - 1], &moved) > 0; k--) share[k] = share[k - 1];
        share[k] = moved;
    }
}

static void merge_equal(scalay_workload *workload)
{
    int64_t kept = 0;
    if (workload->shares == 0) return;
    for (int64_t k = 1; k < workload->shares; k++) {
        if (by_group_and_size(&workload->share[kept], &workload->share[k]) == 0)
            workload->share[kept].count += workload->share[k].count;
        else
            workload->share[++kept] = workload->share[k];
    }
    workload->shares = kept + 1;
}

/* Sorts the shares, those that are idle included: there is room for one more of each group. */
static void fill_shares(const scalay_problem *problem, const scalay_distribution *distribution,
                        scalay_workload *workload)
{
    scalay_workload_share *share = workload->share;
    int64_t filled = 0;
    const int groups = problem->profile->groups;
    for (int j = 0; j < groups; j++) share[j] = (scalay_workload_share){j, 0, problem->profile->group[j].count};
    for (int64_t k = 0; k < distribution->shares; k++)
        share[distribution->share[k].group].count -= distribution->share[k].count;
    for (int j = 0; j < groups; j++)
        if (share[j].count > 0) share[filled++] = share[j];
    for (int64_t k = 0; k < distribution->shares; k++) {
        const scalay_share *from = &distribution->share[k];
        workload->summary.active += from->count;
        share[filled++] = (scalay_workload_share){from->group, from->index * problem->unit, from->count};
    }
    workload->shares = filled;
    sort_shares(share, filled);
    merge_equal(workload);
}

/* The time, and the energy when it is known: exact, unless it is beyond 2^63 units. */
static void sum_up(const scalay_problem *problem, scalay_workload *workload)
{
    const scalay_profile *profile = workload->profile;
    double time = 0.0;
    double rough = 0.0;
    int64_t units = 0;
    int exact = 1;
    for (int64_t k = 0; k < workload->shares; k++) {
        const scalay_workload_share *share = &workload->share[k];
        const scalay_profile_group *group = &profile->group[share->group];
        int64_t product = 0;
        if (share->size == 0) continue;
        const int64_t point = scalay_points_up_to(group, share->size) - 1;
        time = fmax(time, group->time[point]);
        if (!profile->has_energy) continue;
        rough += (double)group->energy_units[point] * (double)share->count;
        exact = exact && scalay_multiply_int64(group->energy_units[point], share->count, &product) &&
                scalay_add_int64(units, product, &units);
    }
    workload->summary.time = time;
    if (profile->has_energy) workload->summary.energy = (exact ? (double)units : rough) / problem->units_per_joule;
}

void scalay_workload_charge(scalay_workload *workload, int64_t taking_part, double communication)
{
    scalay_workload_summary *summary = &workload->summary;
    summary->taking_part = taking_part;
    summary->communication = communication;
    summary->total = (workload->aim == SCALAY_MAKE_TIME_SMALL ? summary->time : summary->energy) + communication;
}

/* One piece of memory with room for shares. */
static scalay_status allocate(int64_t shares, scalay_workload **workload)
{
    const size_t bytes = sizeof **workload + (size_t)shares * sizeof *(*workload)->share;
    *workload = scalay_allocate((int64_t)bytes, 1);
    return *workload != NULL ? SCALAY_SUCCESS
                             : scalay_no_memory(__func__, "shares", shares, sizeof *(*workload)->share);
}

scalay_status scalay_workload_make(const scalay_problem *problem, int64_t n, const scalay_distribution *distribution,
                                   scalay_workload_aim aim, const char *method, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload *new_workload = NULL;
    SCALAY_TRY(allocate(distribution->feasible ? distribution->shares + problem->profile->groups : 0, &new_workload));
    new_workload->profile = scalay_profile_retain(problem->profile);
    new_workload->feasible = distribution->feasible;
    new_workload->below = n;
    new_workload->above = n;
    new_workload->aim = aim;
    new_workload->summary = (scalay_workload_summary){.size = n, .processors = problem->processors, .method = method};
    new_workload->summary.time = NAN;
    new_workload->summary.energy = NAN;
    if (new_workload->feasible) {
        fill_shares(problem, distribution, new_workload);
        sum_up(problem, new_workload);
    } else {
        SCALAY_TRY(scalay_workload_totals(problem, n, &new_workload->below, &new_workload->above));
    }
    scalay_workload_charge(new_workload, new_workload->summary.active, 0.0);
    *workload = new_workload;
    new_workload = NULL;
cleanup:
    scalay_workload_destroy(&new_workload);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ arguments */

void scalay_workload_options_init(scalay_workload_options *options, size_t size)
{
    const scalay_workload_options defaults = {.size = sizeof defaults};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

scalay_status scalay_workload_check(const char *function, const scalay_profile *profile, int64_t n)
{
    if (profile == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "profile is NULL: make one with scalay_profile_table() or "
                           "read it with scalay_profile_read()");
    if (n < 0) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "n = %lld: give at least 0 units", (long long)n);
    return SCALAY_SUCCESS;
}

scalay_status scalay_workload_read_options(const char *function, const scalay_profile *profile, int64_t n,
                                           const scalay_workload_options *given, scalay_workload_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_workload_check(function, profile, n));
    *options = scalay_workload_options_default();
    SCALAY_TRY(scalay_option_struct_read(given, options, sizeof *options, function));
    if (options->variant != SCALAY_COMMUNICATION_EXACT && options->variant != SCALAY_COMMUNICATION_AT_MOST)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "variant = %d: give SCALAY_COMMUNICATION_EXACT or SCALAY_COMMUNICATION_AT_MOST",
                           (int)options->variant);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------------- solving */

/* Least time, and least energy among the distributions of that time if energies are known. */
static scalay_status solve_exactly(const scalay_problem *problem, scalay_workload_aim aim,
                                   scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    double limit = INFINITY;
    int64_t energy = 0;
    int64_t active = 0;
    if (aim == SCALAY_MAKE_TIME_SMALL) {
        SCALAY_TRY(scalay_solve_min_time(problem, problem->processors, &limit, distribution));
        if (!distribution->feasible || problem->group[0].energy == NULL) return SCALAY_SUCCESS;
        limit = nextafter(limit, INFINITY);
    }
    SCALAY_TRY(scalay_solve_min_energy(problem, limit, &energy, &active, distribution));
cleanup:
    return status;
}

/* The problem of a question. For the least time, energies only break ties: their sums need not fit. */
static scalay_status create_problem(const char *function, const scalay_profile *profile, int64_t n,
                                    const scalay_workload_options *options, scalay_workload_aim aim,
                                    scalay_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    const int breaks_ties = profile->has_energy && options->communication == NULL;
    if (aim == SCALAY_MAKE_ENERGY_SMALL || breaks_ties)
        status = scalay_problem_create(function, profile, n, 1, problem);
    if (aim == SCALAY_MAKE_TIME_SMALL && (!breaks_ties || status == SCALAY_ERROR_RANGE))
        status = scalay_problem_create(function, profile, n, 0, problem);
    if (status == SCALAY_SUCCESS) SCALAY_TRY(scalay_problem_merge(problem));
cleanup:
    return status;
}

/* The least time or energy, with or without communication. */
static scalay_status solve(const char *function, const scalay_problem *problem, int64_t n,
                           const scalay_workload_options *options, scalay_workload_aim aim, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_distribution distribution = {0};
    scalay_charge charge = {0, 0.0};
    const int charged = options->communication != NULL;
    if (charged)
        SCALAY_TRY(scalay_solve_charged(function, problem, n, options, aim == SCALAY_MAKE_ENERGY_SMALL, &charge,
                                        &distribution));
    else
        SCALAY_TRY(solve_exactly(problem, aim, &distribution));
    SCALAY_TRY(scalay_problem_split(problem, &distribution));
    SCALAY_TRY(scalay_workload_make(problem, n, &distribution, aim, AUTO, workload));
    if (charged && distribution.feasible) scalay_workload_charge(*workload, charge.taking_part, charge.communication);
cleanup:
    scalay_distribution_free(&distribution);
    return status;
}

static scalay_status minimize(const char *function, const scalay_profile *profile, int64_t n,
                              const scalay_workload_options *options, scalay_workload_aim aim,
                              scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_options read = scalay_workload_options_default();
    scalay_problem problem = {0};
    if (workload == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "workload is NULL: pass the address of a pointer");
    *workload = NULL;
    SCALAY_TRY(scalay_workload_read_options(function, profile, n, options, &read));
    SCALAY_TRY(create_problem(function, profile, n, &read, aim, &problem));
    SCALAY_TRY(solve(function, &problem, n, &read, aim, workload));
cleanup:
    scalay_problem_free(&problem);
    return status;
}

scalay_status scalay_workload_min_time(const scalay_profile *profile, int64_t n, const scalay_workload_options *options,
                                       scalay_workload **workload)
{
    return minimize(__func__, profile, n, options, SCALAY_MAKE_TIME_SMALL, workload);
}

scalay_status scalay_workload_min_energy(const scalay_profile *profile, int64_t n,
                                         const scalay_workload_options *options, scalay_workload **workload)
{
    return minimize(__func__, profile, n, options, SCALAY_MAKE_ENERGY_SMALL, workload);
}

/* --------------------------------------------------------------------------------------------------------- queries */

int scalay_workload_feasible(const scalay_workload *workload)
{
    return workload != NULL && workload->feasible;
}

scalay_status scalay_workload_nearest(const scalay_workload *workload, int64_t *below, int64_t *above)
{
    if (workload == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "workload is NULL: solve a problem first");
    if (below == NULL || above == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL: pass the address of a number",
                           below == NULL ? "below" : "above");
    *below = workload->below;
    *above = workload->above;
    return SCALAY_SUCCESS;
}

scalay_status scalay_workload_get_summary(const scalay_workload *workload, scalay_workload_summary *summary)
{
    if (workload == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "workload is NULL: solve a problem first");
    if (summary == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "summary is NULL: pass the address of one");
    *summary = workload->summary;
    return SCALAY_SUCCESS;
}

scalay_status scalay_workload_histogram(const scalay_workload *workload, int64_t *shares,
                                        const scalay_workload_share **share)
{
    if (shares != NULL) *shares = 0;
    if (share != NULL) *share = NULL;
    if (workload == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "workload is NULL: solve a problem first");
    if (shares == NULL || share == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL: pass the address of one",
                           shares == NULL ? "shares" : "share");
    *shares = workload->shares;
    *share = workload->share;
    return SCALAY_SUCCESS;
}

static scalay_status check_window(const scalay_workload *workload, int64_t first, int64_t count, const int64_t *size)
{
    static const char function[] = "scalay_workload_sizes";
    if (workload == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "workload is NULL: solve a problem first");
    if (!workload->feasible)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, function,
                           "%lld units cannot be distributed: %lld can be (scalay_workload_nearest)",
                           (long long)workload->summary.size, (long long)workload->below);
    if (first < 0 || count < 0 || first > workload->summary.processors - count)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "first = %lld and count = %lld: give a range of the %lld processors", (long long)first,
                           (long long)count, (long long)workload->summary.processors);
    if (size == NULL && count > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "size is NULL: pass an array of %lld elements",
                           (long long)count);
    return SCALAY_SUCCESS;
}

scalay_status scalay_workload_sizes(const scalay_workload *workload, int64_t first, int64_t count, int64_t *size)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_window(workload, first, count, size));
    int64_t filled = 0;
    for (int64_t k = 0; filled < count; k++) {
        const scalay_workload_share *share = &workload->share[k];
        const int64_t skipped = scalay_min_int64(first, share->count);
        const int64_t wanted = scalay_min_int64(share->count - skipped, count - filled);
        for (int64_t i = 0; i < wanted; i++) size[filled++] = share->size;
        first -= skipped;
    }
cleanup:
    return status;
}
