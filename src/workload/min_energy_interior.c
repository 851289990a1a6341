/*
 * Interior sizes: sizes of which at most one processor has one in an optimal distribution. Most sizes are interior if
 * energies are concave, linear or periodic up to rounding. The other sizes are called fixed.
 *
 * Let d be a fixed distance. Let F = e(x + d) - e(x) and B = e(x) - e(x - d), if x - d and x + d are allowed too. An
 * exchange of d units between processors i and j changes the energy by F_i - B_j or by F_j - B_i. Neither is negative
 * in an optimal distribution. So i and j cannot both have the sizes x_i and x_j
 *   - if the intervals between B and F of all sizes of i and of j are disjoint, or
 *   - if F_i <= B_i and F_j <= B_j. If both changes are 0, one of them increases the sum of the squared sizes, so that
 *     repeated exchanges end.
 * A size is interior if F <= B, or if the interval of its group is disjoint from those of all other groups and the
 * group has one processor. So some optimal distribution has at most one processor with an interior size.
 *
 * The distance d is chosen once, from a sample of the sizes. Cost: O(s) for s sizes, once. Lists of fixed sizes are
 * made again for groups whose allowed sizes change.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum {
    MAX_PERIOD = 1024,
    LONG_SPAN = 4096, /* from this one on, a period is looked for, and the sample is larger */
    SAMPLES = 16,
    CONSECUTIVE_SAMPLES = 256, /* likewise */
    SOME_SIZES = 64            /* that may always be fixed */
};

/* Of all sizes, at most this part may be fixed. */
static const double MAX_FIXED_PART = 0.5;

/* Of all sizes, at most this part may be fixed if sums of moves to them are to be few. */
static const double MAX_FEW_PART = 0.125;

/* ------------------------------------------------------------------------------------------------- interior sizes */

/* Values of B and F of a group. */
typedef struct {
    int64_t least;
    int64_t greatest;
    int group;
} interval;

/* 1 if the sizes x - d and x + d are listed. */
static int has_differences(const scalay_problem_group *group, int64_t last, int64_t x, int64_t distance)
{
    return x > distance && x + distance <= last && group->energy[x] != SCALAY_NO_ENERGY &&
           group->energy[x - distance] != SCALAY_NO_ENERGY && group->energy[x + distance] != SCALAY_NO_ENERGY;
}

/* Adds B and F of a size; 1 if F <= B. */
static int add_differences(const scalay_problem_group *group, int64_t x, int64_t distance, interval *range)
{
    const int64_t before = group->energy[x] - group->energy[x - distance];
    const int64_t after = group->energy[x + distance] - group->energy[x];
    range->least = scalay_min_int64(range->least, scalay_min_int64(before, after));
    range->greatest = scalay_max_int64(range->greatest, scalay_max_int64(before, after));
    return after <= before;
}

static int by_least(const void *a, const void *b)
{
    return scalay_compare_int64(((const interval *)a)->least, ((const interval *)b)->least);
}

/* Sorts the intervals, and marks the groups of one processor whose interval is disjoint from all others. */
static int64_t find_isolated(const scalay_energy_search *search, interval *range, char *isolated)
{
    const int groups = search->problem->groups;
    int64_t greatest = INT64_MIN;
    int64_t found = 0;
    qsort(range, (size_t)groups, sizeof *range, by_least);
    for (int k = 0; k < groups; k++) {
        const int j = range[k].group;
        const int is_apart = range[k].least > greatest && (k + 1 == groups || range[k + 1].least > range[k].greatest);
        isolated[j] = is_apart && search->problem->group[j].multiplicity == 1;
        found += isolated[j];
        greatest = scalay_max_int64(greatest, range[k].greatest);
    }
    return found;
}

/* Estimates from a sample how many sizes are not interior. Sets the intervals of the sample. */
static double estimate(const scalay_energy_search *search, int64_t distance, interval *range, double *concave_part,
                       char *isolated)
{
    double listed = 0.0;
    const int64_t samples = search->span < LONG_SPAN ? SAMPLES : SAMPLES + CONSECUTIVE_SAMPLES;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        const int64_t last = scalay_energy_last_index(search, j);
        int64_t concave = 0;
        range[j] = (interval){INT64_MAX, INT64_MIN, j};
        for (int64_t k = 0; k < samples; k++) {
            const int64_t x = k < SAMPLES ? last * (k + 1) / (SAMPLES + 1) : last / 2 + k - SAMPLES;
            if (has_differences(group, last, x, distance)) concave += add_differences(group, x, distance, &range[j]);
        }
        concave_part[j] = (double)concave / (double)samples;
    }
    find_isolated(search, range, isolated);
    for (int j = 0; j < search->problem->groups; j++) {
        const double last = (double)scalay_energy_last_index(search, j);
        listed += fmin(last, 2.0 * (double)distance + (isolated[j] ? 0.0 : (1.0 - concave_part[j]) * last));
    }
    return listed;
}

/* The intervals of all sizes. */
static void measure(const scalay_energy_search *search, int64_t distance, interval *range)
{
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        const int64_t last = scalay_energy_last_index(search, j);
        range[j] = (interval){INT64_MAX, INT64_MIN, j};
        for (int64_t x = distance + 1; x + distance <= last; x++)
            if (has_differences(group, last, x, distance)) add_differences(group, x, distance, &range[j]);
    }
}

/* The greatest common divisor of all energies, at least 1. */
static int64_t find_energy_gcd(const scalay_energy_search *search)
{
    int64_t divisor = 0;
    for (int j = 0; j < search->problem->groups && divisor != 1; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        for (int64_t x = 1; x <= scalay_energy_last_index(search, j) && divisor != 1; x++)
            if (group->energy[x] != SCALAY_NO_ENERGY && (divisor == 0 || group->energy[x] % divisor != 0))
                divisor = scalay_gcd(group->energy[x], divisor);
    }
    return scalay_max_int64(divisor, 1);
}

/* The smallest distance at which the differences of many consecutive sizes of the first group are equal; 0: none. */
static int64_t find_period(const scalay_energy_search *search)
{
    const scalay_problem_group *group = &search->problem->group[0];
    const int64_t last = scalay_energy_last_index(search, 0);
    const int64_t first = last / 2 - MAX_PERIOD;
    if (search->span < LONG_SPAN || last < LONG_SPAN) return 0;
    for (int64_t distance = 1; distance <= MAX_PERIOD; distance++) {
        int64_t x = first;
        for (; x < first + 2 * MAX_PERIOD; x++) {
            if (!has_differences(group, last, x, distance)) break;
            if (2 * group->energy[x] != group->energy[x - distance] + group->energy[x + distance]) break;
        }
        if (x == first + 2 * MAX_PERIOD) return distance;
    }
    return 0;
}

/* Chooses the distance with the fewest sizes that are not interior; 0 if there are too many. */
static scalay_status choose_distance(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    interval *range = NULL;
    double *concave_part = NULL;
    const int groups = search->problem->groups;
    double total = 0.0;
    double least = INFINITY;
    search->exchange.distance = 0;
    SCALAY_TRY(SCALAY_NEW(search->exchange.isolated, groups));
    SCALAY_TRY(scalay_energy_scratch(search, 4, groups, sizeof *range, &range));
    SCALAY_TRY(scalay_energy_scratch(search, 5, groups, sizeof *concave_part, &concave_part));
    for (int j = 0; j < groups; j++) total += (double)scalay_energy_last_index(search, j);
    search->exchange.period = find_period(search);
    const int64_t distances[] = {1, 4, 16, 64, search->exchange.period};
    for (size_t k = 0; k < sizeof distances / sizeof *distances && distances[k] > 0; k++) {
        const double listed = estimate(search, distances[k], range, concave_part, search->exchange.isolated);
        if (listed >= least || listed > total * MAX_FIXED_PART) continue;
        least = listed;
        search->exchange.distance = distances[k];
    }
    search->exchange.energy_gcd = find_energy_gcd(search);
    if (search->exchange.distance > 0) {
        measure(search, search->exchange.distance, range);
        find_isolated(search, range, search->exchange.isolated);
    }
cleanup:
    return status;
}

scalay_status scalay_energy_find_exchanges(scalay_energy_search *search, int *applies)
{
    scalay_status status = SCALAY_SUCCESS;
    *applies = !search->target.is_given && search->min_index == 0 && search->scale == 1 && search->charge == 0;
    if (!*applies) return SCALAY_SUCCESS;
    if (search->exchange.isolated == NULL) SCALAY_TRY(choose_distance(search));
    *applies = search->exchange.distance > 0;
cleanup:
    return status;
}

int scalay_energy_is_interior(const scalay_energy_search *search, int group, int64_t index)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int64_t distance = search->exchange.distance;
    interval ignored = {0};
    if (!has_differences(sizes, scalay_energy_last_index(search, group), index, distance)) return 0;
    if (!(sizes->time[index + distance] < search->time_limit)) return 0;
    if (!(sizes->time[index - distance] < search->time_limit)) return 0;
    return search->exchange.isolated[group] || add_differences(sizes, index, distance, &ignored);
}

/* ---------------------------------------------------------------------------------------------------- fixed sizes */

/* Lists the allowed sizes of a group that are not interior. */
static scalay_status list_fixed(scalay_energy_search *search, int group, scalay_fixed_sizes *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int64_t last = scalay_energy_last_index(search, group);
    of->count = 0;
    of->limit = search->time_limit;
    of->max_time = -INFINITY;
    for (int64_t x = 1; x <= last; x++) {
        if (!scalay_energy_is_allowed(search, sizes, x)) continue;
        if (sizes->time[x] > of->max_time) of->max_time = sizes->time[x];
        if (scalay_energy_is_interior(search, group, x)) continue;
        SCALAY_TRY(SCALAY_GROW(of->index, of->capacity, of->count + 1));
        of->index[of->count++] = x;
    }
cleanup:
    return status;
}

/* Lists the fixed sizes of the groups whose allowed sizes have changed. *applies is 0 if too many sizes are fixed. */
scalay_status scalay_energy_list_fixed(scalay_energy_search *search, int *applies)
{
    scalay_status status = SCALAY_SUCCESS;
    double fixed = 0.0;
    double total = 0.0;
    if (search->exchange.fixed == NULL) SCALAY_TRY(SCALAY_NEW(search->exchange.fixed, search->problem->groups));
    for (int j = 0; j < search->problem->groups; j++) {
        scalay_fixed_sizes *of = &search->exchange.fixed[j];
        if (search->time_limit <= of->max_time || search->time_limit > of->limit) SCALAY_TRY(list_fixed(search, j, of));
        fixed += (double)of->count;
        total += (double)scalay_energy_last_index(search, j);
    }
    *applies = fixed <= MAX_FEW_PART * total + SOME_SIZES;
cleanup:
    return status;
}
