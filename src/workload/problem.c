#include "workload/problem.h"

#include <math.h>

#include "core/integer.h"
#include "core/memory.h"

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

/* The greatest common divisor of the sizes that n allows; 1 without any. */
static int64_t common_unit(const scalay_profile *profile, int64_t n)
{
    int64_t unit = 0;
    for (int j = 0; j < profile->groups && unit != 1; j++) {
        const scalay_profile_group *group = &profile->group[j];
        int64_t points = scalay_points_up_to(group, n);
        for (int64_t k = 0; k < points && unit != 1; k++) unit = scalay_gcd(group->size[k], unit);
    }
    return unit == 0 ? 1 : unit;
}

/* An upper bound on the energy of n units, relative to the limit: every unit costs at most the dearest, and there are
 * no more shares than processors or units. */
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
    return fmin(per_unit * (double)n, per_share * (double)scalay_min_int64(profile->processors, n));
}

static scalay_status check(const char *function, const scalay_profile *profile, int64_t n, int energies)
{
    if (n > LARGEST_TOTAL)
        return scalay_fail(SCALAY_ERROR_RANGE, function, "n = %lld is more than 2^60: use larger units", (long long)n);
    if (!energies) return SCALAY_SUCCESS;
    if (!profile->has_energy)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the profile has no energies: give every group of it energies, or ask for the time");
    if (greatest_energy(profile, n) >= ENERGY_LIMIT)
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

/* Index 0 costs nothing, what is not listed is a hole. */
static void fill_group(const scalay_profile_group *source, int64_t points, int64_t unit, double *time, int64_t *energy,
                       scalay_problem_group *group)
{
    group->count = source->count;
    group->largest = points > 0 ? source->size[points - 1] / unit : 0;
    for (int64_t x = 1; x <= group->largest; x++) time[x] = INFINITY;
    for (int64_t k = 0; k < points; k++) time[source->size[k] / unit] = source->time[k];
    time[0] = 0.0;
    group->time = time;
    group->energy = energy;
    if (energy == NULL) return;
    for (int64_t x = 1; x <= group->largest; x++) energy[x] = SCALAY_NO_ENERGY;
    for (int64_t k = 0; k < points; k++) energy[source->size[k] / unit] = source->energy_units[k];
    energy[0] = 0;
}

/* Elements of the dense arrays. */
static scalay_status dense_elements(const char *function, const scalay_profile *profile, int64_t n, int64_t unit,
                                    int64_t *elements)
{
    *elements = 0;
    for (int j = 0; j < profile->groups; j++) {
        const scalay_profile_group *group = &profile->group[j];
        int64_t points = scalay_points_up_to(group, n);
        int64_t largest = points > 0 ? group->size[points - 1] / unit : 0;
        if (largest > LARGEST_TOTAL || (*elements += largest + 1) > LARGEST_TOTAL)
            return scalay_fail(SCALAY_ERROR_RANGE, function,
                               "the largest sizes of all groups add up beyond 2^60: give them in a larger unit");
    }
    return SCALAY_SUCCESS;
}

static void fill(const scalay_profile *profile, int64_t n, double *time, int64_t *energy, scalay_problem *problem)
{
    for (int j = 0; j < profile->groups; j++) {
        int64_t points = scalay_points_up_to(&profile->group[j], n);
        fill_group(&profile->group[j], points, problem->unit, time, energy, &problem->group[j]);
        time += problem->group[j].largest + 1;
        if (energy != NULL) energy += problem->group[j].largest + 1;
    }
}

/* The dense arrays lie in one piece of storage: the times, then the energies. */
typedef union {
    double time;
    int64_t energy;
} element;

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
    problem->energy_unit = pow(10.0, -profile->energy_digits);
    SCALAY_TRY(dense_elements(function, profile, n, problem->unit, &elements));
    SCALAY_TRY(SCALAY_NEW(problem->group, problem->groups));
    SCALAY_TRY(SCALAY_NEW(storage, energies ? 2 * elements : elements));
    problem->storage = storage;
    fill(profile, n, &storage->time, energies ? &storage[elements].energy : NULL, problem);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_problem_free(problem);
    return status;
}

void scalay_problem_free(scalay_problem *problem)
{
    scalay_release(problem->group);
    scalay_release(problem->storage);
    *problem = (scalay_problem){0};
}
