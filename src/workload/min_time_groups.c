/* Processors that differ (the problem of HPOPTA and HiPOPTA).
 *
 * The least time for which the largest sizes are enough is tested first, then longer ones. A time is feasible when
 * the fewest processors that are enough, those with the largest sizes, can be given altogether so much less: a set of
 * less than one size's bits. That also proves that no fewer can do it. When that fails, the sums of all processors
 * decide; and where that set would be large, or the number of active processors is bound, the least energy with one
 * unit of energy per active processor, which is exact for everything. */
#include <float.h>
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/candidates.h"
#include "workload/capacity.h"
#include "workload/deficits.h"
#include "workload/min_time.h"
#include "workload/unit_energy.h"

enum {
    SET_SIZES = 32,   /* sets of sums may be so many times the largest size, */
    SET_LEAST = 4096, /* or so large anyway */
    FREE_COPIES = 8,
    WIDE_MARGIN = 16, /* freedom, in largest sizes, where exactly so many have to be active */
    MORE_SIZES = 4    /* capacity beyond n, in largest sizes, up to which times are looked at first */
};

/* ... and as long as sums do not overflow. */
static const int64_t MORE_LIMIT = INT64_C(1) << 60;

/* n units on processors that differ. */
typedef struct {
    const scalay_problem *problem;
    scalay_active_limit limit;
    int64_t largest; /* of all groups */
    scalay_capacity capacity;
    scalay_deficits deficits;
    scalay_unit_energy unit_energy;
    scalay_distribution trial;
    scalay_distribution found; /* by the least energy: the last one that was */
    double found_time;         /* its time limit; -1: none yet */
} search;

static int64_t largest_set(const search *of)
{
    return scalay_max_int64(SET_LEAST, SET_SIZES * of->largest);
}

/* -------------------------------------------------------------------------------------------- as few as can be */

/* Takes the largest fits until they are enough, or exactly so many; *missing is negative when they are more than
 * enough, and positive when they are not. */
static scalay_status take_largest(search *of, int64_t *missing)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *problem = of->problem;
    int64_t left = of->limit.active;
    *missing = problem->n;
    for (int k = 0; k < problem->groups && left > 0; k++) {
        const int j = of->capacity.order[k];
        const int64_t fit = of->capacity.fit[j];
        if (fit == 0 || (*missing <= 0 && !of->limit.exactly)) break;
        int64_t copies = scalay_min_int64(problem->group[j].multiplicity, left);
        if (!of->limit.exactly) copies = scalay_min_int64(copies, scalay_ceil_div(*missing, fit));
        int64_t taken = 0;
        if (!scalay_multiply_int64(copies, fit, &taken) || taken > INT64_MAX / 2 + *missing) {
            *missing = 1; /* beyond all bounds: for another test */
            goto cleanup;
        }
        *missing -= taken;
        left -= copies;
        SCALAY_TRY(scalay_deficits_add(&of->deficits, (scalay_deficit_part){j, copies, fit, 0}));
    }
    if (left > 0 && of->limit.exactly) *missing = 1;
cleanup:
    return status;
}

/* The least size within a time of a group that has one. */
static int64_t least_size(const scalay_problem_group *group, double time)
{
    int64_t size = 1;
    while (!(group->time[size] <= time)) size++;
    return size;
}

/* Where exactly so many are more than enough, some of them get their least size instead of their largest, until not
 * much more than a margin is left; of every part, some keep their freedom. */
static scalay_status lower_some(search *of, double time, int64_t margin, int64_t keep, int64_t *missing)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_deficits *deficits = &of->deficits;
    for (int64_t k = deficits->parts - 1; k >= 0 && -*missing > margin; k--) {
        scalay_deficit_part lowered = deficits->part[k];
        const int64_t least = least_size(&of->problem->group[lowered.group], time);
        if (least == lowered.base || lowered.copies <= keep) continue;
        const int64_t wanted = (-*missing - margin + of->largest) / (lowered.base - least);
        lowered.copies = scalay_min_int64(lowered.copies - keep, wanted);
        *missing += lowered.copies * (lowered.base - least);
        deficits->part[k].copies -= lowered.copies;
        lowered.base = least;
        SCALAY_TRY(scalay_deficits_add(deficits, lowered));
    }
cleanup:
    return status;
}

static scalay_status test_with_margin(search *of, double time, int64_t margin, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t missing = 0;
    scalay_deficits_begin(&of->deficits, of->problem, time, 0);
    SCALAY_TRY(take_largest(of, &missing));
    if (of->limit.exactly) {
        SCALAY_TRY(lower_some(of, time, margin, FREE_COPIES, &missing));
        SCALAY_TRY(lower_some(of, time, margin, 0, &missing));
    }
    if (missing > 0 || -missing > largest_set(of)) goto cleanup;
    of->deficits.total = -missing;
    SCALAY_TRY(scalay_deficits_solve(&of->deficits, feasible));
cleanup:
    return status;
}

/* Do the processors with the largest sizes make n? The deficits are left for their distribution. When exactly so many
 * have to be active, "no" proves nothing, and more freedom may help. */
static scalay_status test_largest(search *of, double time, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    *feasible = 0;
    scalay_capacity_fit(&of->capacity, time);
    scalay_capacity_sort(&of->capacity);
    SCALAY_TRY(test_with_margin(of, time, of->largest, feasible));
    if (!*feasible && of->limit.exactly) SCALAY_TRY(test_with_margin(of, time, WIDE_MARGIN * of->largest, feasible));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ all of them */

/* How much the fits of all processors exceed n; -1 when that is more than a set may hold. */
static int64_t excess_of_all(const search *of)
{
    int64_t excess = -of->problem->n;
    for (int j = 0; j < of->problem->groups; j++) {
        int64_t product = 0;
        if (!scalay_multiply_int64(of->capacity.fit[j], of->problem->group[j].multiplicity, &product)) return -1;
        if (product > largest_set(of) - excess) return -1;
        excess += product;
    }
    return excess;
}

/* Can all processors together make n, some of them idle? Decides when *decided is 1. The fits are those of the time. */
static scalay_status test_all(search *of, double time, int *feasible, int *decided)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *problem = of->problem;
    const int64_t excess = excess_of_all(of);
    *decided = 0;
    if (of->limit.active < problem->processors) goto cleanup;
    if (excess < 0 && problem->n > largest_set(of)) goto cleanup;
    const int from_above = excess >= 0 && excess <= problem->n;
    scalay_deficits_begin(&of->deficits, problem, time, from_above ? excess : problem->n);
    for (int k = 0; k < problem->groups; k++) {
        const int j = of->capacity.order[k];
        const int64_t fit = of->capacity.fit[j];
        if (fit > 0)
            SCALAY_TRY(scalay_deficits_add(
                &of->deficits, (scalay_deficit_part){j, problem->group[j].multiplicity, from_above ? fit : 0, 1}));
    }
    SCALAY_TRY(scalay_deficits_solve(&of->deficits, feasible));
    *decided = 1;
cleanup:
    return status;
}

/* Sizes within a time that all have the same rest, modulo some divisor, make totals with a known rest. */
static int rest_fits(const search *of, double time)
{
    const scalay_problem *problem = of->problem;
    int64_t first =
        of->limit.exactly ? 0 : -1; /* 0: the first size is not known yet; -1: it is 0, as one may be idle */
    int64_t divisor = 0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= of->capacity.fit[j] && divisor != 1; x++) {
            if (!(problem->group[j].time[x] <= time)) continue;
            if (first == 0) first = x;
            const int64_t difference = first < 0 ? x : x > first ? x - first : first - x;
            if (difference > 0) divisor = scalay_gcd(difference, divisor);
        }
    if (first == 0) return 0;
    if (divisor == 0) divisor = problem->n + 1; /* all are the same */
    if (first < 0) return problem->n % divisor == 0;
    int64_t product = 0;
    if (!scalay_multiply_int64(of->limit.active % divisor, first % divisor, &product)) return 1;
    return product % divisor == problem->n % divisor;
}

/* The least energy decides, and has a distribution with it. */
static scalay_status test_energy(search *of, double time, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_unit_energy_test(&of->unit_energy, time, of->limit, feasible, &of->trial));
    if (!*feasible) goto cleanup;
    scalay_distribution_swap(&of->found, &of->trial);
    of->found_time = time;
cleanup:
    return status;
}

static scalay_status test_time(void *context, double time, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    search *of = context;
    int decided = 0;
    SCALAY_TRY(test_largest(of, time, feasible));
    if (*feasible || !rest_fits(of, time)) goto cleanup;
    if (!of->limit.exactly) SCALAY_TRY(test_all(of, time, feasible, &decided));
    if (!decided) SCALAY_TRY(test_energy(of, time, feasible));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- searching */

/* All times after `from`, up to `to`. */
static scalay_status collect_times(const search *of, double from, double to, scalay_candidates *candidates)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int j = 0; j < of->problem->groups; j++) {
        const scalay_problem_group *group = &of->problem->group[j];
        for (int64_t x = 1; x <= group->largest; x++)
            if (group->time[x] > from && group->time[x] <= to)
                SCALAY_TRY(scalay_candidates_add(candidates, group->time[x]));
    }
    scalay_candidates_close(candidates);
cleanup:
    return status;
}

/* The least feasible time after `from`; those within a capacity that is a little more than n come first. */
static scalay_status search_after(search *of, double from, double *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_candidates candidates = {0};
    int64_t more = MORE_SIZES * of->largest;
    const double last = fmin(of->limit.up_to, DBL_MAX);
    int feasible = 1;
    *time = INFINITY;
    /* Numbers of active processors that are not possible at all would be tested with many times. */
    if (of->limit.exactly && from < last) SCALAY_TRY(test_time(of, last, &feasible));
    while (feasible && !(*time < INFINITY) && from < last) {
        double to = INFINITY;
        if (more < MORE_LIMIT) SCALAY_TRY(scalay_capacity_time(&of->capacity, of->problem->n + more, &to));
        to = fmax(from, fmin(to, last));
        SCALAY_TRY(collect_times(of, from, to, &candidates));
        SCALAY_TRY(scalay_candidates_first(&candidates, test_time, of, time));
        scalay_candidates_free(&candidates);
        from = to;
        more *= MORE_SIZES;
    }
cleanup:
    scalay_candidates_free(&candidates);
    return status;
}

static scalay_status find_time(search *of, double *time)
{
    scalay_status status = SCALAY_SUCCESS;
    int feasible = 0;
    SCALAY_TRY(scalay_capacity_time(&of->capacity, of->problem->n, time));
    if (*time > of->limit.up_to) *time = INFINITY;
    if (!(*time < INFINITY)) goto cleanup;
    SCALAY_TRY(test_time(of, *time, &feasible));
    if (!feasible) SCALAY_TRY(search_after(of, *time, time));
cleanup:
    return status;
}

/* The fewest active processors within the least time. */
static scalay_status distribute(search *of, double time, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int feasible = 0;
    if (of->found_time != time) SCALAY_TRY(test_largest(of, time, &feasible));
    if (feasible) {
        SCALAY_TRY(scalay_deficits_collect(&of->deficits, distribution));
        goto cleanup;
    }
    if (of->found_time != time) SCALAY_TRY(test_energy(of, time, &feasible));
    scalay_distribution_swap(distribution, &of->found);
cleanup:
    return status;
}

scalay_status scalay_min_time_groups(const scalay_problem *problem, scalay_active_limit limit, double *time,
                                     scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search of = {.problem = problem, .limit = limit, .found_time = -1.0};
    scalay_unit_energy_begin(&of.unit_energy, problem);
    SCALAY_TRY(scalay_capacity_create(problem, limit.active, &of.capacity));
    for (int j = 0; j < problem->groups; j++) of.largest = scalay_max_int64(of.largest, problem->group[j].largest);
    SCALAY_TRY(find_time(&of, time));
    if (*time < INFINITY) SCALAY_TRY(distribute(&of, *time, distribution));
cleanup:
    scalay_distribution_free(&of.trial);
    scalay_distribution_free(&of.found);
    scalay_unit_energy_free(&of.unit_energy);
    scalay_deficits_free(&of.deficits);
    scalay_capacity_free(&of.capacity);
    return status;
}
