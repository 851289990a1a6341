/* Identical processors (the problem of POPTA): binary search over the times, with k-fold sums of the sizes that are
 * fast enough as the test; then the fewest active processors by binary search with the same test. */
#include <float.h>
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/candidates.h"
#include "workload/min_time.h"
#include "workload/sums.h"

enum { STRIDE = 16 /* sizes that are looked at together: fast where most take too long */ };

/* n units on so many identical processors. */
typedef struct {
    const scalay_problem_group *group;
    int64_t n;
    int64_t largest;       /* that matters: at first what n allows, then what the even sizes' time allows */
    const double *soonest; /* shape [largest + 1]: the least time from a size on; NULL: not known */
    scalay_active_limit limit;
    scalay_sums sums; /* of the last test */
} search;

/* The last of the sizes up to `last`, behind which all take longer, that take no more than a time; 0: there is none. */
static int64_t last_within(const search *of, int64_t last, double time)
{
    const double *times = of->group->time;
    if (of->soonest != NULL) return scalay_last_soon(of->soonest, time, 0, last);
    for (; last >= STRIDE; last -= STRIDE) {
        int within = 0;
        for (int64_t k = 0; k < STRIDE; k++) within |= times[last - k] <= time;
        if (within) break;
    }
    while (last > 0 && !(times[last] <= time)) last--;
    return last;
}

/* The sizes up to a time; largest 0: there are none. */
static scalay_sum_items items_within(const search *of, double time)
{
    return (scalay_sum_items){of->group->time, last_within(of, of->largest, time), time, !of->limit.exactly};
}

/* Can n be made of so many items? */
static scalay_status can_be_made(search *of, const scalay_sum_items *items, int64_t copies, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    *feasible = 0;
    if (items->largest == 0 || scalay_ceil_div(of->n, items->largest) > copies) goto cleanup;
    SCALAY_TRY(scalay_sums_make(&of->sums, items, of->n, of->n, copies));
    *feasible = scalay_sums_has(&of->sums, of->n);
cleanup:
    return status;
}

static scalay_status test_time(void *context, double time, int *feasible)
{
    search *of = context;
    const scalay_sum_items items = items_within(of, time);
    return can_be_made(of, &items, of->limit.active, feasible);
}

/* Somebody gets n / k or more. */
static double least_possible_time(const search *of)
{
    const int64_t even = scalay_ceil_div(of->n, of->limit.active);
    double least = INFINITY;
    if (of->soonest != NULL) return even <= of->largest ? of->soonest[even] : INFINITY;
    for (int64_t x = even; x <= of->largest; x++)
        if (of->group->time[x] < least) least = of->group->time[x];
    return least;
}

/* The time of sizes n / k, rounded down and up: enough, when these sizes are there. */
static double time_of_even_sizes(const search *of)
{
    const int64_t size = of->n / of->limit.active;
    const int64_t rest = of->n % of->limit.active;
    if (size + (rest > 0) > of->largest) return INFINITY;
    return rest > 0 ? fmax(of->group->time[size], of->group->time[size + 1]) : of->group->time[size];
}

static scalay_status find_time(search *of, double *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_candidates candidates = {0};
    int feasible = 0;
    *time = INFINITY;
    const double enough = time_of_even_sizes(of);
    if (enough < INFINITY) of->largest = last_within(of, of->largest, enough);
    const double least = least_possible_time(of);
    if (!(least < INFINITY)) goto cleanup;
    SCALAY_TRY(test_time(of, least, &feasible));
    if (feasible) {
        *time = least;
        goto cleanup;
    }
    for (int64_t x = 1; x <= of->largest; x++) {
        const double candidate = of->group->time[x];
        if (candidate > least && candidate <= enough && candidate < INFINITY)
            SCALAY_TRY(scalay_candidates_add(&candidates, candidate));
    }
    scalay_candidates_close(&candidates);
    SCALAY_TRY(scalay_candidates_first(&candidates, test_time, of, time));
cleanup:
    scalay_candidates_free(&candidates);
    return status;
}

/* The fewest items that make n; the sums are left as they are for them. With size 0 among the items, more of them
 * never hurt. */
static scalay_status find_copies(search *of, const scalay_sum_items *items, int64_t *copies)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t bad = scalay_ceil_div(of->n, items->largest) - 1;
    int64_t good = -1;
    int64_t made = -1;
    for (int64_t step = 1; good < 0; step *= 2) {
        int feasible = 0;
        made = scalay_min_int64(of->limit.active, bad + step);
        SCALAY_TRY(can_be_made(of, items, made, &feasible));
        if (feasible)
            good = made;
        else
            bad = made;
    }
    while (good - bad > 1) {
        int feasible = 0;
        made = bad + (good - bad) / 2;
        SCALAY_TRY(can_be_made(of, items, made, &feasible));
        if (feasible)
            good = made;
        else
            bad = made;
    }
    if (made != good) SCALAY_TRY(scalay_sums_make(&of->sums, items, of->n, of->n, good));
    *copies = good;
cleanup:
    return status;
}

/* The sums are kilobytes: only what has to be set is. */
static void search_start(const scalay_problem *problem, scalay_active_limit limit, search *of)
{
    of->group = &problem->group[0];
    of->n = problem->n;
    of->largest = scalay_min_int64(of->group->largest, problem->n);
    of->soonest = scalay_problem_soonest(problem, 0);
    of->limit = limit;
    of->sums.arena = NULL;
    of->sums.capacity = 0;
}

scalay_status scalay_min_time_identical(const scalay_problem *problem, scalay_active_limit limit, double *time,
                                        scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search of;
    search_start(problem, limit, &of);
    SCALAY_TRY(find_time(&of, time));
    if (!(*time < INFINITY)) goto cleanup;
    int64_t copies = limit.active;
    const scalay_sum_items items = items_within(&of, *time);
    if (limit.exactly)
        SCALAY_TRY(scalay_sums_make(&of.sums, &items, of.n, of.n, copies));
    else
        SCALAY_TRY(find_copies(&of, &items, &copies));
    SCALAY_TRY(scalay_sums_split(&of.sums, of.n, 0, distribution));
    distribution->feasible = 1;
cleanup:
    scalay_sums_free(&of.sums);
    return status;
}

scalay_status scalay_nearest_identical(const scalay_problem *problem, int64_t *below, int64_t *above)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *group = &problem->group[0];
    const int64_t copies = scalay_min_int64(group->multiplicity, 2 * problem->n);
    const scalay_sum_items items = {group->time, group->largest, DBL_MAX, 1};
    scalay_sums sums = {0};
    /* One more item, or one less, changes a total by at most the largest size. */
    const int64_t low = scalay_max_int64(0, problem->n - group->largest);
    const int64_t high = problem->n + group->largest;
    SCALAY_TRY(scalay_sums_make(&sums, &items, low, high, copies));
    *below = problem->n;
    while (!scalay_sums_has(&sums, *below)) --*below;
    *above = problem->n + 1;
    while (!scalay_sums_has(&sums, *above)) ++*above;
cleanup:
    scalay_sums_free(&sums);
    return status;
}
