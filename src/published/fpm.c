/* The functional performance model: all processors finish at the same time as nearly as can be.
 *
 * In the plane of size and speed, processors that finish together lie on one line through the origin. Smooth functions,
 * whose times rise with the size and which list all sizes, are cut once by each line, and the line is turned until the
 * sizes add up to n (Lastovetsky, Reddy 2007): a bisection of the time. Everybody gets the whole units below the line,
 * and what is left goes, unit by unit, to whoever has it done first. That is, everybody has what fits into the least
 * time in which n fits, less the units that are too many: from those who take just that time, and of those first from
 * who is done least early without.
 *
 * Other functions are cut more than once, or nowhere. The balanced distribution of them is the one of Khaleghzadeh et
 * al. (2020): the least difference between the times of the processors, an idle one counting with time 0. With an idle
 * processor the difference is the largest time, for which the exact solver knows the least; with none, all times lie in
 * a window, and a window slides upwards over the times. Of equal differences, the one with the least time is taken. */
#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "published/window.h"
#include "workload/capacity.h"

enum { MOST_PROCESSORS = 65536 };

/* ------------------------------------------------------------------------------------------------------ the line */

/* Whether each line through the origin cuts the functions once. */
static int are_smooth(const scalay_problem *problem)
{
    for (int j = 0; j < problem->groups; j++) {
        const double *time = problem->group[j].time;
        for (int64_t x = 1; x <= problem->group[j].largest; x++)
            if (!(time[x] > time[x - 1])) return 0;
    }
    return 1;
}

/* A group that takes just the time at hand. */
typedef struct {
    double done; /* when a processor of it is with a unit less */
    int group;
} last_group;

/* Who is done least early comes first. */
static int compare_last(const void *a, const void *b)
{
    const last_group *x = a;
    const last_group *y = b;
    if (x->done != y->done) return x->done > y->done ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* The groups that take just a time, in the order in which they give units away. */
static scalay_status list_last(const scalay_problem *problem, const scalay_capacity *fits, double time,
                               last_group **list, int *count)
{
    scalay_status status = SCALAY_SUCCESS;
    *count = 0;
    SCALAY_TRY(SCALAY_NEW(*list, problem->groups));
    for (int j = 0; j < problem->groups; j++) {
        const int64_t fit = fits->fit[j];
        if (fit == 0 || problem->group[j].time[fit] < time) continue;
        (*list)[(*count)++] = (last_group){problem->group[j].time[fit - 1], j};
    }
    qsort(*list, (size_t)*count, sizeof **list, compare_last);
cleanup:
    return status;
}

/* How many units fit into the time beyond n: fewer than there are processors that take just that time. */
static int64_t count_excess(const scalay_problem *problem, const scalay_capacity *fits)
{
    scalay_wide excess = -(scalay_wide)problem->n;
    for (int j = 0; j < problem->groups; j++)
        excess += scalay_wide_product(fits->fit[j], problem->group[j].multiplicity);
    return (int64_t)excess;
}

/* Everybody gets what fits into a time, some a unit less. */
static scalay_status share_out(const scalay_problem *problem, scalay_capacity *fits, double time,
                               scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    last_group *last = NULL;
    int count = 0;
    int64_t excess = count_excess(problem, fits);
    SCALAY_TRY(list_last(problem, fits, time, &last, &count));
    for (int k = 0; k < count && excess > 0; k++) {
        const int j = last[k].group;
        const int64_t less = scalay_min_int64(excess, problem->group[j].multiplicity);
        SCALAY_TRY(scalay_distribution_add(distribution, j, fits->fit[j] - 1, less));
        SCALAY_TRY(scalay_distribution_add(distribution, j, fits->fit[j], problem->group[j].multiplicity - less));
        fits->fit[j] = 0;
        excess -= less;
    }
    for (int j = 0; j < problem->groups; j++)
        SCALAY_TRY(scalay_distribution_add(distribution, j, fits->fit[j], problem->group[j].multiplicity));
    distribution->feasible = 1;
cleanup:
    scalay_release(last);
    return status;
}

static scalay_status draw_line(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_capacity fits = {0};
    double time = INFINITY;
    SCALAY_TRY(scalay_capacity_create(problem, problem->processors, &fits));
    SCALAY_TRY(scalay_capacity_time(&fits, problem->n, &time));
    if (!(time < INFINITY)) goto cleanup;
    scalay_capacity_fit(&fits, time);
    SCALAY_TRY(share_out(problem, &fits, time, distribution));
cleanup:
    scalay_capacity_free(&fits);
    return status;
}

/* ---------------------------------------------------------------------------------------------- the least spread */

/* The latest end of what is left when equal times go together. */
static int64_t end_of_run(const scalay_window *window, int64_t first)
{
    int64_t end = first + 1;
    while (end < window->events && window->event[end].time == window->event[first].time) end++;
    return end;
}

/* With a window that is possible, the latest first event that still is. */
static scalay_status narrow(scalay_window *window, int64_t low, int64_t end, int64_t *first)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t high = end - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        int possible = 0;
        SCALAY_TRY(scalay_window_test(window, middle, end, &possible));
        if (possible)
            low = middle;
        else
            high = middle - 1;
    }
    *first = low;
cleanup:
    return status;
}

/* The narrowest window below a difference: events first <= k < end; end = 0: there is none. */
static scalay_status slide(scalay_window *window, double difference, int64_t *first, int64_t *end)
{
    scalay_status status = SCALAY_SUCCESS;
    *first = *end = 0;
    for (int64_t next = 0; next < window->events && difference > 0.0;) {
        const double top = window->event[next].time;
        const int64_t next_end = end_of_run(window, next);
        int possible = 0;
        for (; next < next_end; next++) scalay_window_enter(window, next);
        while (window->first < next && top - window->event[window->first].time >= difference)
            scalay_window_leave(window);
        if (!scalay_window_may_hold(window)) continue;
        SCALAY_TRY(scalay_window_test(window, window->first, next, &possible));
        if (!possible) continue;
        SCALAY_TRY(narrow(window, window->first, next, first));
        *end = next;
        difference = top - window->event[*first].time;
    }
cleanup:
    return status;
}

static scalay_status find_least_spread(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_window window = {0};
    double time = 0.0;
    int64_t first = 0;
    int64_t end = 0;
    if (problem->processors > MOST_PROCESSORS)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "fpm",
                           "fpm balances at most %d processors whose functions are not smooth, not %lld; use method "
                           "\"auto\"",
                           MOST_PROCESSORS, (long long)problem->processors);
    SCALAY_TRY(scalay_solve_min_time(problem, problem->processors, &time, distribution));
    if (!distribution->feasible) goto cleanup;
    SCALAY_TRY(scalay_window_create(problem, &window));
    SCALAY_TRY(slide(&window, time, &first, &end));
    if (end > 0) SCALAY_TRY(scalay_window_read(&window, first, end, distribution));
cleanup:
    scalay_window_free(&window);
    return status;
}

scalay_status scalay_fpm(const scalay_problem *problem, scalay_distribution *distribution)
{
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    return are_smooth(problem) ? draw_line(problem, distribution) : find_least_spread(problem, distribution);
}
