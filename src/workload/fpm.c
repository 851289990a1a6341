/* The functional performance model: the load is balanced, all processors finish at the same time as nearly as can be.
 *
 * In the plane of size and speed, processors that finish together lie on one line through the origin; for smooth
 * functions a line cuts each of them once. Sizes are discrete here and functions need not be smooth, so the balanced
 * distribution is the one of Khaleghzadeh et al. (2020): the least difference between the times of the processors, an
 * idle one counting with time 0. With an idle processor the difference is the largest time, for which the exact solver
 * knows the least; with none, all times lie in a window, and a window slides upwards over the times: the line through
 * the origin turns. Of equal differences, the one with the least time is taken. */
#include <math.h>
#include <stdlib.h>

#include "core/integer.h"
#include "core/memory.h"
#include "workload/window.h"

enum { MOST_PROCESSORS = 65536 };

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

scalay_status scalay_fpm(const scalay_problem *problem, const scalay_workload_options *options,
                         scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_window window = {0};
    double time = 0.0;
    int64_t first = 0;
    int64_t end = 0;
    (void)options;
    if (problem->processors > MOST_PROCESSORS)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "fpm",
                           "fpm balances at most %d processors, not %lld; use method \"auto\"", MOST_PROCESSORS,
                           (long long)problem->processors);
    SCALAY_TRY(scalay_solve_min_time(problem, problem->processors, &time, distribution));
    if (!distribution->feasible || problem->n == 0) goto cleanup;
    SCALAY_TRY(scalay_window_create(problem, &window));
    SCALAY_TRY(slide(&window, time, &first, &end));
    if (end > 0) SCALAY_TRY(scalay_window_read(&window, first, end, distribution));
cleanup:
    scalay_window_free(&window);
    return status;
}
