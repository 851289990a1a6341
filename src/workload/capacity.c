/*
 * Largest total that the processors can compute within a time. The least time with sufficient capacity is a lower bound
 * on the time of every distribution; a weighted selection finds it.
 */
#include "workload/capacity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/candidates.h"

enum {
    SAMPLES = 15, /* groups that a pivot is chosen from */
    FEW_SIZES = 64,
    MOST_PIVOTS = 200 /* a bound on the work: pivots mostly halve what is open */
};

scalay_status scalay_capacity_create(const scalay_problem *problem, int64_t most, scalay_capacity *capacity)
{
    scalay_status status = SCALAY_SUCCESS;
    *capacity = (scalay_capacity){0};
    capacity->problem = problem;
    capacity->most = most;
    SCALAY_TRY(SCALAY_NEW(capacity->fit, 3 * (int64_t)problem->groups));
    capacity->low = capacity->fit + problem->groups;
    capacity->high = capacity->low + problem->groups;
    SCALAY_TRY(SCALAY_NEW(capacity->order, problem->groups));
    for (int j = 0; j < problem->groups; j++) capacity->order[j] = j;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_capacity_free(capacity);
    return status;
}

void scalay_capacity_free(scalay_capacity *capacity)
{
    scalay_release(capacity->fit);
    scalay_release(capacity->order);
    *capacity = (scalay_capacity){0};
}

/* The largest size above `low`, up to `high`, within a time; `low` when there is none. Sizes above `high` take longer.
 */
static int64_t fit_between(const scalay_problem *problem, int group, double time, int64_t low, int64_t high)
{
    const double *soonest = scalay_problem_soonest(problem, group);
    if (soonest != NULL) return scalay_last_soon(soonest, time, low, high);
    while (high > low && !(problem->group[group].time[high] <= time)) high--;
    return high;
}

void scalay_capacity_fit(scalay_capacity *capacity, double time)
{
    for (int j = 0; j < capacity->problem->groups; j++) {
        const scalay_problem *problem = capacity->problem;
        capacity->fit[j] = fit_between(problem, j, time, 0, problem->group[j].largest);
    }
}

/* ---------------------------------------------------------------------------------------------- sorting */

static int before(const scalay_capacity *capacity, int a, int b)
{
    return capacity->fit[a] != capacity->fit[b] ? capacity->fit[a] > capacity->fit[b] : a < b;
}

static void sift_down(const scalay_capacity *capacity, int *heap, int count, int k)
{
    const int group = heap[k];
    for (int child = 2 * k + 1; child < count; child = 2 * k + 1) {
        if (child + 1 < count && before(capacity, heap[child], heap[child + 1])) child++;
        if (before(capacity, heap[child], group)) break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = group;
}

void scalay_capacity_sort(scalay_capacity *capacity)
{
    const int groups = capacity->problem->groups;
    int *order = capacity->order;
    for (int k = groups / 2 - 1; k >= 0; k--) sift_down(capacity, order, groups, k);
    for (int k = groups - 1; k > 0; k--) {
        const int last = order[0];
        order[0] = order[k];
        order[k] = last;
        sift_down(capacity, order, k, 0);
    }
}

/* ------------------------------------------------------------------------------------------------- selecting */

/* Are the fits enough for a total? Never adds up more than the total. */
static int is_enough(scalay_capacity *capacity, int64_t total)
{
    const scalay_problem *problem = capacity->problem;
    int64_t left = capacity->most;
    if (left < problem->processors) scalay_capacity_sort(capacity);
    for (int k = 0; k < problem->groups && total > 0 && left > 0; k++) {
        const int j = capacity->order[k];
        if (capacity->fit[j] == 0) continue;
        const int64_t copies = scalay_min_int64(problem->group[j].multiplicity, left);
        if (scalay_ceil_div(total, capacity->fit[j]) <= copies) return 1;
        total -= copies * capacity->fit[j];
        left -= copies;
    }
    return total <= 0;
}

/* Is a time enough? Only looks between the fits that are known; narrows them. */
static int narrow(scalay_capacity *capacity, int64_t total, double time)
{
    const scalay_problem *problem = capacity->problem;
    for (int j = 0; j < problem->groups; j++)
        capacity->fit[j] = fit_between(problem, j, time, capacity->low[j], capacity->high[j]);
    const int enough = is_enough(capacity, total);
    int64_t *side = enough ? capacity->high : capacity->low;
    for (int j = 0; j < problem->groups; j++) side[j] = capacity->fit[j];
    return enough;
}

/* Sizes that are open. */
static int64_t open_sizes(const scalay_capacity *capacity)
{
    int64_t open = 0;
    for (int j = 0; j < capacity->problem->groups; j++) open += capacity->high[j] - capacity->low[j];
    return open;
}

/* The median, over some groups, of the least time for half the sizes that are open: more than what is too short. */
static double choose_pivot(const scalay_capacity *capacity)
{
    double sample[SAMPLES];
    int samples = 0;
    const int groups = capacity->problem->groups;
    const int stride = groups / SAMPLES + 1;
    for (int start = 0; start < stride && samples == 0; start++)
        for (int j = start; j < groups && samples < SAMPLES; j += stride) {
            const double *time = capacity->problem->group[j].time;
            const double *soonest = scalay_problem_soonest(capacity->problem, j);
            const int64_t middle = capacity->low[j] + (capacity->high[j] - capacity->low[j] + 1) / 2;
            if (capacity->high[j] == capacity->low[j]) continue;
            double least = soonest != NULL ? soonest[middle] : INFINITY;
            for (int64_t x = middle; soonest == NULL && x <= capacity->high[j]; x++)
                least = time[x] < least ? time[x] : least;
            int at = samples++;
            for (; at > 0 && sample[at - 1] > least; at--) sample[at] = sample[at - 1];
            sample[at] = least;
        }
    return sample[samples / 2];
}

/* A question about the times that are open. */
typedef struct {
    scalay_capacity *capacity;
    int64_t total;
} question;

static scalay_status test_enough(void *context, double time, int *enough)
{
    const question *of = context;
    *enough = narrow(of->capacity, of->total, time);
    return SCALAY_SUCCESS;
}

/* The least time of the sizes that are open that is enough; `upper` is. */
static scalay_status search_open(scalay_capacity *capacity, int64_t total, double upper, double *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_candidates candidates = {0};
    question of = {capacity, total};
    for (int j = 0; j < capacity->problem->groups; j++)
        for (int64_t x = capacity->low[j] + 1; x <= capacity->high[j]; x++) {
            const double open = capacity->problem->group[j].time[x];
            if (open <= upper) SCALAY_TRY(scalay_candidates_add(&candidates, open));
        }
    scalay_candidates_close(&candidates);
    SCALAY_TRY(scalay_candidates_first(&candidates, test_enough, &of, time));
cleanup:
    scalay_candidates_free(&candidates);
    return status;
}

scalay_status scalay_capacity_time(scalay_capacity *capacity, int64_t total, double *time)
{
    const scalay_problem *problem = capacity->problem;
    double upper = DBL_MAX;
    *time = INFINITY;
    for (int j = 0; j < problem->groups; j++) {
        capacity->low[j] = 0;
        capacity->high[j] = problem->group[j].largest;
        capacity->fit[j] = problem->group[j].largest;
    }
    if (!is_enough(capacity, total)) return SCALAY_SUCCESS;
    for (int pivots = 0; pivots < MOST_PIVOTS && open_sizes(capacity) > FEW_SIZES; pivots++) {
        double pivot = choose_pivot(capacity);
        const int at_upper = pivot >= upper;
        if (at_upper) pivot = nextafter(upper, -INFINITY);
        if (narrow(capacity, total, pivot)) {
            upper = pivot;
        } else if (at_upper) {
            *time = upper;
            return SCALAY_SUCCESS;
        }
    }
    return search_open(capacity, total, upper, time);
}
