/*
 * Necessary conditions on the number of active processors: sums of smallest and largest sizes, and common remainders.
 * They rule out numbers before a solver is called.
 */
#include "workload/active_numbers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

enum { SAMPLES = 1024 /* sizes that the times are chosen from */ };

/* What the sizes of a group within the time at hand are like. */
typedef struct {
    int64_t size; /* the least or the largest one; 0: there is none */
    int64_t count;
} extreme;

/* The times are looked at one after the other. */
typedef struct {
    const scalay_problem *problem;
    extreme *low;  /* shape [groups] */
    extreme *high; /* shape [groups] */
    int64_t base;  /* any size that is within the time; 0: none yet */
    int64_t divisor;
} survey;

/* ------------------------------------------------------------------------------------------------------- times */

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times of sizes all over the problem; returns their number. */
static int sample_times(const scalay_problem *problem, double *sample)
{
    int64_t sizes = 0;
    int64_t at = 0;
    int samples = 0;
    for (int j = 0; j < problem->groups; j++) sizes += problem->group[j].largest;
    const int64_t stride = sizes / SAMPLES + 1;
    for (int j = 0; j < problem->groups; j++) {
        const scalay_problem_group *group = &problem->group[j];
        for (; at < group->largest; at += stride)
            if (group->time[at + 1] < INFINITY) sample[samples++] = group->time[at + 1];
        at -= group->largest;
    }
    qsort(sample, (size_t)samples, sizeof *sample, compare_times);
    return samples;
}

static void choose_times(const scalay_problem *problem, scalay_active_numbers *numbers)
{
    double sample[SAMPLES];
    const int samples = sample_times(problem, sample);
    numbers->steps = 0;
    for (int k = 0; k < SCALAY_ACTIVE_STEPS - 1 && samples > 0; k++) {
        const double time = sample[(int64_t)k * samples / (SCALAY_ACTIVE_STEPS - 1)];
        if (numbers->steps == 0 || time > numbers->step[numbers->steps - 1].time)
            numbers->step[numbers->steps++].time = time;
    }
    numbers->step[numbers->steps++].time = DBL_MAX;
}

/* ------------------------------------------------------------------------------------------------------- sizes */

static void add_size(survey *of, int group, int64_t size)
{
    extreme *low = &of->low[group];
    extreme *high = &of->high[group];
    if (low->size == 0 || size < low->size) low->size = size;
    high->size = scalay_max_int64(high->size, size);
    if (of->base == 0) of->base = size;
    if (of->divisor != 1 && size != of->base)
        of->divisor = scalay_gcd(size > of->base ? size - of->base : of->base - size, of->divisor);
}

/* Adds the sizes that take longer than `after`, up to the step's time. */
static void add_sizes(survey *of, double after, scalay_active_step *step)
{
    step->least = INFINITY;
    for (int j = 0; j < of->problem->groups; j++) {
        const scalay_problem_group *group = &of->problem->group[j];
        for (int64_t x = 1; x <= group->largest; x++) {
            if (!(group->time[x] > after && group->time[x] <= step->time)) continue;
            step->least = fmin(step->least, group->time[x]);
            add_size(of, j, x);
        }
    }
}

/* ----------------------------------------------------------------------------------------------------- numbers */

static int compare_sizes(const void *a, const void *b)
{
    const int64_t x = ((const extreme *)a)->size;
    const int64_t y = ((const extreme *)b)->size;
    return (x > y) - (x < y);
}

/* The least number of the largest sizes that come to n or more; more than there are: none. */
static int64_t count_fewest(const survey *of, const extreme *high)
{
    int64_t left = of->problem->n;
    int64_t taken = 0;
    for (int k = of->problem->groups - 1; k >= 0 && high[k].size > 0; k--) {
        const int64_t enough = scalay_ceil_div(left, high[k].size);
        if (enough <= high[k].count) return taken + enough;
        taken += high[k].count;
        left -= high[k].count * high[k].size;
    }
    return INT64_MAX;
}

/* The largest number of the least sizes that come to n or less. */
static int64_t count_most(const survey *of, const extreme *low)
{
    int64_t left = of->problem->n;
    int64_t taken = 0;
    for (int k = 0; k < of->problem->groups; k++) {
        if (low[k].size == 0) continue;
        const int64_t fit = left / low[k].size;
        if (fit < low[k].count) return taken + fit;
        taken += low[k].count;
        left -= low[k].count * low[k].size;
    }
    return taken;
}

/* The x with a x = 1 modulo m; a and m have no common divisor. */
static int64_t inverse(int64_t a, int64_t m)
{
    int64_t x = 1;
    int64_t y = 0;
    for (int64_t b = m, r = a % m; r != 0;) {
        const int64_t quotient = b / r;
        const int64_t rest = b - quotient * r;
        const int64_t next = y - quotient * x;
        b = r;
        r = rest;
        y = x;
        x = next;
    }
    return y < 0 ? y + m : y;
}

/* The numbers q with q times base = n modulo the divisor of all differences of sizes. */
static void set_rest(const survey *of, scalay_active_step *step)
{
    step->divisor = 1;
    step->rest = 0;
    if (of->divisor <= 1) return; /* a single size's numbers are from fewest to most anyway */
    const int64_t common = scalay_gcd(of->base, of->divisor);
    if (of->problem->n % common != 0) {
        step->most = 0;
        return;
    }
    step->divisor = of->divisor / common;
    if (step->divisor == 1) return;
    const int64_t factor = inverse(of->base / common, step->divisor);
    step->rest =
        (int64_t)(scalay_wide_product(of->problem->n / common % step->divisor, factor) % (scalay_wide)step->divisor);
}

/* Sorts copies of the extremes, as those of the groups go on. */
static void set_step(const survey *of, extreme *sorted, scalay_active_step *step)
{
    const int groups = of->problem->groups;
    for (int j = 0; j < groups; j++) sorted[j] = of->high[j];
    qsort(sorted, (size_t)groups, sizeof *sorted, compare_sizes);
    step->fewest = count_fewest(of, sorted);
    for (int j = 0; j < groups; j++) sorted[j] = of->low[j];
    qsort(sorted, (size_t)groups, sizeof *sorted, compare_sizes);
    step->most = count_most(of, sorted);
    set_rest(of, step);
}

scalay_status scalay_active_numbers_make(const scalay_problem *problem, scalay_active_numbers *numbers)
{
    scalay_status status = SCALAY_SUCCESS;
    survey of = {.problem = problem};
    extreme *sorted = NULL;
    SCALAY_TRY(SCALAY_NEW(sorted, 3 * (int64_t)problem->groups));
    of.low = sorted + problem->groups;
    of.high = of.low + problem->groups;
    for (int j = 0; j < problem->groups; j++) of.low[j] = of.high[j] = (extreme){0, problem->group[j].multiplicity};
    choose_times(problem, numbers);
    for (int k = 0; k < numbers->steps; k++) {
        add_sizes(&of, k > 0 ? numbers->step[k - 1].time : -1.0, &numbers->step[k]);
        set_step(&of, sorted, &numbers->step[k]);
    }
cleanup:
    scalay_release(sorted);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- asking */

/* Is a number from first to last possible? */
static int is_possible(const scalay_active_step *step, int64_t first, int64_t last)
{
    const int64_t low = scalay_max_int64(first, step->fewest);
    const int64_t high = scalay_min_int64(last, step->most);
    if (low > high) return 0;
    const int64_t beyond = (low - step->rest) % step->divisor; /* negative below the rest */
    const int64_t more = beyond > 0 ? step->divisor - beyond : -beyond;
    return more <= high - low;
}

double scalay_active_numbers_time(const scalay_active_numbers *numbers, int64_t first, int64_t last)
{
    int low = 0;
    int high = numbers->steps; /* none is */
    if (numbers->steps == 0) return 0.0;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (is_possible(&numbers->step[middle], first, last))
            high = middle;
        else
            low = middle + 1;
    }
    return low < numbers->steps ? numbers->step[low].least : INFINITY;
}
