/*
 * Problems: a profile and n as dense arrays in units of the common divisor. Merges equal groups, and splits
 * distributions of merged groups again.
 */
#include "workload/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"

/* Sums of energies stay below 2^62. */
static const double ENERGY_LIMIT = 4611686018427387904.0;

/* Twice n does not overflow, nor do the lengths of the dense arrays. */
static const int64_t LARGEST_TOTAL = INT64_C(1) << 60;

int64_t scalay_points_up_to(const scalay_profile_group *group, int64_t n)
{
    int64_t low = 0;
    int64_t high = group->points;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (group->size[middle] <= n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The greatest common divisor of the sizes of a group that n allows: none is less than that of all. 0 without any. */
static int64_t group_unit(const scalay_profile_group *group, int64_t n)
{
    int64_t unit = 0;
    for (int64_t k = 0; k < group->points && group->size[k] <= n && unit != group->unit; k++)
        unit = scalay_gcd(group->size[k], unit);
    return unit;
}

/* The same of all groups; 1 without any. */
static int64_t common_unit(const scalay_profile *profile, int64_t n)
{
    int64_t common = 0;
    for (int j = 0; j < profile->groups && common != 1; j++) {
        const int64_t unit = group_unit(&profile->group[j], n);
        if (unit > 0) common = scalay_gcd(unit, common);
    }
    return common == 0 ? 1 : common;
}

/* An upper bound on the energy of n units: every unit costs at most the dearest, and there are no more shares than
 * processors or units. */
static double bound_energy(const scalay_profile *profile, int64_t n, double per_unit, double per_share)
{
    return fmin(per_unit * (double)n, per_share * (double)scalay_min_int64(profile->processors, n));
}

/* The bound with all points, most of the time small enough. */
static double rough_energy(const scalay_profile *profile, int64_t n)
{
    double per_unit = 0.0;
    double per_share = 0.0;
    for (int j = 0; j < profile->groups; j++) {
        per_unit = fmax(per_unit, profile->group[j].most_per_unit);
        per_share = fmax(per_share, profile->group[j].most_per_share);
    }
    return bound_energy(profile, n, per_unit, per_share);
}

/* The bound with the points that n allows. */
static double greatest_energy(const scalay_profile *profile, int64_t n)
{
    double per_unit = 0.0;
    double per_share = 0.0;
    for (int j = 0; j < profile->groups; j++) {
        const scalay_profile_group *group = &profile->group[j];
        int64_t points = scalay_points_up_to(group, n);
        for (int64_t k = 0; k < points; k++) {
            double energy = (double)group->energy_units[k];
            per_share = fmax(per_share, energy);
            per_unit = fmax(per_unit, energy / (double)group->size[k]);
        }
    }
    return bound_energy(profile, n, per_unit, per_share);
}

static scalay_status check(const char *function, const scalay_profile *profile, int64_t n, int energies)
{
    if (n > LARGEST_TOTAL)
        return scalay_fail(SCALAY_ERROR_RANGE, function, "n = %lld is more than 2^60: use larger units", (long long)n);
    if (!energies) return SCALAY_SUCCESS;
    if (!profile->has_energy)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the profile has no energies: give every group of it energies, or ask for the time");
    if (rough_energy(profile, n) >= ENERGY_LIMIT && greatest_energy(profile, n) >= ENERGY_LIMIT)
        return scalay_fail(SCALAY_ERROR_RANGE, function,
                           "energies of n = %lld units add up beyond 2^62 units of 1e-%d joules: give them with fewer "
                           "decimals",
                           (long long)n, profile->energy_digits);
    return SCALAY_SUCCESS;
}

/* Exact up to 10^22. */
static double power_of_ten(int digits)
{
    double power = 1.0;
    for (int k = 0; k < digits; k++) power *= 10.0;
    return power;
}

/* Sizes ascend, so that as many as the largest of them leave no hole: the profile's arrays are dense. */
static int64_t missing_elements(const scalay_problem_group *group, int64_t points)
{
    return points < group->largest ? group->largest + 1 : 0;
}

/* Counts and largest sizes, and how long the dense arrays are that the profile does not have. */
static scalay_status fill_sizes(const char *function, int64_t n, int energies, scalay_problem *problem,
                                int64_t *elements)
{
    int64_t all = 0;
    *elements = 0;
    for (int j = 0; j < problem->groups; j++) {
        const scalay_profile_group *source = &problem->profile->group[j];
        const int64_t points = scalay_points_up_to(source, n);
        const int64_t largest = points > 0 ? source->size[points - 1] / problem->unit : 0;
        if (largest > LARGEST_TOTAL || (all += largest + 1) > LARGEST_TOTAL)
            return scalay_fail(SCALAY_ERROR_RANGE, function,
                               "the largest sizes of all groups add up beyond 2^60: give them in a larger unit");
        problem->group[j] =
            (scalay_problem_group){source->count, largest, source->times, energies ? source->energies : NULL,
                                   points == source->points ? source : NULL};
        *elements += missing_elements(&problem->group[j], points);
    }
    return SCALAY_SUCCESS;
}

/* Index 0 costs nothing, what is not listed is a hole. */
static void fill_group(const scalay_profile_group *source, int64_t points, int64_t unit, double *time, int64_t *energy,
                       scalay_problem_group *group)
{
    for (int64_t x = 1; x <= group->largest; x++) time[x] = INFINITY;
    for (int64_t k = 0; k < points; k++) time[source->size[k] / unit] = source->time[k];
    time[0] = 0.0;
    group->time = time;
    if (energy == NULL) return;
    for (int64_t x = 1; x <= group->largest; x++) energy[x] = SCALAY_NO_ENERGY;
    for (int64_t k = 0; k < points; k++) energy[source->size[k] / unit] = source->energy_units[k];
    energy[0] = 0;
    group->energy = energy;
}

/* The dense arrays of the groups with holes. */
static void fill_holes(int64_t n, double *time, int64_t *energy, scalay_problem *problem)
{
    for (int j = 0; j < problem->groups; j++) {
        const scalay_profile_group *source = &problem->profile->group[j];
        scalay_problem_group *group = &problem->group[j];
        const int64_t points = scalay_points_up_to(source, n);
        const int64_t missing = missing_elements(group, points);
        if (missing == 0) continue;
        fill_group(source, points, problem->unit, time, energy, group);
        time += missing;
        if (energy != NULL) energy += missing;
    }
}

/* The dense arrays lie in one piece of storage: the times, then the energies. */
typedef union {
    double time;
    int64_t energy;
} element;

static scalay_status fail_memory(const char *function, int64_t unit, int64_t elements)
{
    return scalay_fail(SCALAY_ERROR_MEMORY, function,
                       "no memory for %lld elements, one for each size up to the largest in steps of %lld, the sizes' "
                       "greatest common divisor: give sizes in larger units",
                       (long long)elements, (long long)unit);
}

scalay_status scalay_problem_create(const char *function, const scalay_profile *profile, int64_t n, int energies,
                                    scalay_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t elements = 0;
    element *storage = NULL;
    *problem = (scalay_problem){0};
    SCALAY_TRY(check(function, profile, n, energies));
    problem->profile = profile;
    problem->unit = common_unit(profile, n);
    problem->n = n / problem->unit;
    problem->divisible = n % problem->unit == 0;
    problem->groups = profile->groups;
    problem->processors = profile->processors;
    problem->units_per_joule = power_of_ten(profile->energy_digits);
    problem->group = &problem->only;
    if (problem->groups > 1) SCALAY_TRY(SCALAY_NEW(problem->group, problem->groups));
    SCALAY_TRY(fill_sizes(function, n, energies, problem, &elements));
    if (elements == 0) goto cleanup;
    storage = scalay_allocate(energies ? 2 * elements : elements, sizeof *storage);
    if (storage == NULL) SCALAY_TRY(fail_memory(function, problem->unit, elements));
    problem->storage = storage;
    fill_holes(n, &storage->time, energies ? &storage[elements].energy : NULL, problem);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_problem_free(problem);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- equal groups */

/* Compares two groups: first some values, then all of them. */
static int compare_groups(const scalay_problem_group *a, const scalay_problem_group *b)
{
    const int64_t last = a->largest;
    if (a->largest != b->largest) return scalay_compare_int64(a->largest, b->largest);
    for (int64_t x = last; x > 0; x /= 2)
        if (a->time[x] != b->time[x]) return scalay_compare_double(a->time[x], b->time[x]);
    const int order = a->energy == NULL || a->energy == b->energy
                          ? 0
                          : memcmp(a->energy, b->energy, (size_t)(last + 1) * sizeof *a->energy);
    return order != 0 || a->time == b->time ? order : memcmp(a->time, b->time, (size_t)(last + 1) * sizeof *a->time);
}

typedef struct {
    const scalay_problem_group *group;
    uint64_t key; /* of some values */
    int number;
} numbered_group;

/* The same for equal groups, and mostly different for others. */
static uint64_t key_of(const scalay_problem_group *group)
{
    uint64_t key = scalay_fingerprint_add(scalay_fingerprint_start(), group->largest);
    for (int64_t x = group->largest; x > 0; x /= 2) {
        int64_t bits = 0;
        memcpy(&bits, &group->time[x], sizeof bits);
        key = scalay_fingerprint_add(key, bits);
        if (group->energy != NULL) key = scalay_fingerprint_add(key, group->energy[x]);
    }
    return key;
}

/* Groups of a key by number, so that the first one represents those that are equal to it. */
static int by_key(const void *a, const void *b)
{
    const numbered_group *x = a;
    const numbered_group *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return scalay_compare_int64(x->number, y->number);
}

static int by_functions(const void *a, const void *b)
{
    const numbered_group *x = a;
    const numbered_group *y = b;
    const int order = compare_groups(x->group, y->group);
    return order != 0 ? order : scalay_compare_int64(x->number, y->number);
}

/* Groups of one key: compares each with the one before. If they are not all equal, sorts them. Returns how many groups
 * represent themselves. */
static int find_equal_of_key(numbered_group *sorted, int count, int *group_of)
{
    int are_equal = 1;
    int distinct = 0;
    for (int k = 1; k < count && are_equal; k++) are_equal = compare_groups(sorted[0].group, sorted[k].group) == 0;
    if (!are_equal) qsort(sorted, (size_t)count, sizeof *sorted, by_functions);
    for (int k = 0, first = 0; k < count; k++) {
        if (k == 0 || (!are_equal && compare_groups(sorted[k - 1].group, sorted[k].group) != 0))
            first = sorted[k].number;
        group_of[sorted[k].number] = first;
    }
    for (int k = 0; k < count; k++) distinct += group_of[sorted[k].number] == sorted[k].number;
    return distinct;
}

/* Sets group_of to the first group that is equal; returns how many groups represent themselves. */
static int find_equal(const scalay_problem *problem, numbered_group *sorted, int *group_of)
{
    int distinct = 0;
    for (int j = 0; j < problem->groups; j++)
        sorted[j] = (numbered_group){&problem->group[j], key_of(&problem->group[j]), j};
    qsort(sorted, (size_t)problem->groups, sizeof *sorted, by_key);
    for (int k = 0, end = 0; k < problem->groups; k = end) {
        for (end = k + 1; end < problem->groups && sorted[end].key == sorted[k].key;) end++;
        distinct += find_equal_of_key(sorted + k, end - k, group_of);
    }
    return distinct;
}

scalay_status scalay_problem_merge(scalay_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    numbered_group *sorted = NULL;
    int *group_of = NULL;
    const int groups = problem->groups;
    if (groups < 2) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(sorted, groups));
    SCALAY_TRY(SCALAY_NEW(group_of, groups));
    if (find_equal(problem, sorted, group_of) == groups) goto cleanup;
    problem->groups = 0;
    for (int j = 0; j < groups; j++) {
        if (group_of[j] < j) {
            group_of[j] = group_of[group_of[j]];
            problem->group[group_of[j]].multiplicity += problem->group[j].multiplicity;
        } else {
            problem->group[problem->groups] = problem->group[j];
            group_of[j] = problem->groups++;
        }
    }
    problem->group_of = group_of;
    group_of = NULL;
cleanup:
    scalay_release(sorted);
    scalay_release(group_of);
    return status;
}

static int by_group_and_index(const void *a, const void *b)
{
    const scalay_share *x = a;
    const scalay_share *y = b;
    return x->group != y->group ? scalay_compare_int64(x->group, y->group) : scalay_compare_int64(y->index, x->index);
}

/* In each merged group, the first processors get the largest sizes. */
scalay_status scalay_problem_split(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_distribution split = {.feasible = distribution->feasible};
    int64_t *next = NULL; /* share of each group that is not assigned yet */
    if (problem->group_of == NULL || distribution->shares == 0) return SCALAY_SUCCESS;
    qsort(distribution->share, (size_t)distribution->shares, sizeof *distribution->share, by_group_and_index);
    SCALAY_TRY(SCALAY_NEW(next, problem->groups));
    for (int64_t k = distribution->shares - 1; k >= 0; k--) next[distribution->share[k].group] = k;
    for (int j = 0; j < problem->profile->groups; j++) {
        const int group = problem->group_of[j];
        int64_t left = problem->profile->group[j].count;
        for (int64_t k = next[group]; left > 0 && k < distribution->shares && distribution->share[k].group == group;) {
            scalay_share *share = &distribution->share[k];
            const int64_t count = scalay_min_int64(left, share->count);
            SCALAY_TRY(scalay_distribution_add(&split, j, share->index, count));
            share->count -= count;
            left -= count;
            if (share->count == 0) next[group] = ++k;
        }
    }
    scalay_distribution_swap(&split, distribution);
cleanup:
    scalay_distribution_free(&split);
    scalay_release(next);
    return status;
}

void scalay_problem_free(scalay_problem *problem)
{
    if (problem->group != &problem->only) scalay_release(problem->group);
    scalay_release(problem->storage);
    scalay_release(problem->group_of);
    *problem = (scalay_problem){0};
}

/* ---------------------------------------------------------------------------------------------------- distributions */

scalay_status scalay_distribution_add(scalay_distribution *distribution, int group, int64_t index, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count == 0 || index == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(distribution->share, distribution->capacity, distribution->shares + 1));
    distribution->share[distribution->shares++] = (scalay_share){group, index, count};
cleanup:
    return status;
}

int64_t scalay_distribution_energy(const scalay_problem *problem, const scalay_distribution *distribution)
{
    int64_t energy = 0;
    for (int64_t k = 0; k < distribution->shares; k++) {
        const scalay_share *share = &distribution->share[k];
        energy += share->count * problem->group[share->group].energy[share->index];
    }
    return energy;
}

int64_t scalay_distribution_active(const scalay_distribution *distribution)
{
    int64_t active = 0;
    for (int64_t k = 0; k < distribution->shares; k++) active += distribution->share[k].count;
    return active;
}

void scalay_distribution_swap(scalay_distribution *a, scalay_distribution *b)
{
    const scalay_distribution swap = *a;
    *a = *b;
    *b = swap;
}

void scalay_distribution_clear(scalay_distribution *distribution)
{
    distribution->shares = 0;
    distribution->feasible = 0;
}

void scalay_distribution_free(scalay_distribution *distribution)
{
    scalay_release(distribution->share);
    *distribution = (scalay_distribution){0};
}
