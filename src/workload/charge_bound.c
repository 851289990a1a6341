#include "workload/charge_bound.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"

/* Bounds are this much lower, for the rounding of sums and quotients. */
static const double ROUNDING = 1e-12;

/* Somebody gets n / q units or more. */
static scalay_status prepare_time(scalay_charge_bound *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *problem = bound->problem;
    SCALAY_TRY(SCALAY_NEW(bound->time, bound->largest + 1));
    for (int64_t x = 0; x <= bound->largest; x++) bound->time[x] = INFINITY;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 0; x <= problem->group[j].largest; x++)
            bound->time[x] = fmin(bound->time[x], problem->group[j].time[x]);
    for (int64_t x = bound->largest; x-- > 0;) bound->time[x] = fmin(bound->time[x], bound->time[x + 1]);
cleanup:
    return status;
}

/* Does the corner before the last lie on or above the line from the one before it to a new point? */
static int is_above(const scalay_charge_bound *bound, int64_t x)
{
    const int64_t a = bound->corner[bound->corners - 2];
    const int64_t b = bound->corner[bound->corners - 1];
    return (bound->energy[b] - bound->energy[a]) * (double)(x - a) >=
           (bound->energy[x] - bound->energy[a]) * (double)(b - a);
}

/* Size 0 has a part in it where processors may be idle. */
static scalay_status prepare_energy(scalay_charge_bound *bound, int64_t least)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *problem = bound->problem;
    SCALAY_TRY(SCALAY_NEW(bound->energy, bound->largest + 1));
    SCALAY_TRY(SCALAY_NEW(bound->corner, bound->largest + 1));
    for (int64_t x = 0; x <= bound->largest; x++) bound->energy[x] = INFINITY;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 0; x <= problem->group[j].largest; x++)
            if (problem->group[j].energy[x] < SCALAY_NO_ENERGY)
                bound->energy[x] =
                    fmin(bound->energy[x], (double)problem->group[j].energy[x] / problem->units_per_joule);
    for (int64_t x = least; x <= bound->largest; x++) {
        if (!(bound->energy[x] < INFINITY)) continue;
        while (bound->corners >= 2 && is_above(bound, x)) bound->corners--;
        bound->corner[bound->corners++] = x;
    }
    for (int64_t k = 0; k < bound->corners; k++) {
        const int64_t x = bound->corner[k];
        if (bound->best == 0 || bound->energy[x] * (double)bound->best < bound->energy[bound->best] * (double)x)
            bound->best = x;
    }
cleanup:
    return status;
}

scalay_status scalay_charge_bound_create(const scalay_problem *problem, int energy, int exactly,
                                         scalay_charge_bound *bound)
{
    *bound = (scalay_charge_bound){0};
    bound->problem = problem;
    for (int j = 0; j < problem->groups; j++)
        bound->largest = scalay_max_int64(bound->largest, problem->group[j].largest);
    return energy ? prepare_energy(bound, exactly) : prepare_time(bound);
}

void scalay_charge_bound_free(scalay_charge_bound *bound)
{
    scalay_release(bound->time);
    scalay_release(bound->energy);
    scalay_release(bound->corner);
    *bound = (scalay_charge_bound){0};
}

/* The last corner of the hull but one that a mean size is not below. */
static int64_t find_corner(const scalay_charge_bound *bound, int64_t mean)
{
    int64_t low = 0;
    int64_t high = bound->corners - 1;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (bound->corner[middle] <= mean)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* q shares cost at least q times the hull of all functions at the mean size. */
static double energy_of(const scalay_charge_bound *bound, int64_t q)
{
    const int64_t n = bound->problem->n;
    const int64_t k = find_corner(bound, n / q);
    const int64_t a = bound->corner[k];
    const int64_t b = bound->corner[scalay_min_int64(k + 1, bound->corners - 1)];
    const double start = (double)q * bound->energy[a];
    const double climb = a < b ? (double)(n - q * a) * ((bound->energy[b] - bound->energy[a]) / (double)(b - a)) : 0.0;
    return start + climb - ROUNDING * (start + fabs(climb));
}

/* That is convex in q, and least where the mean is the best size. */
static double least_energy(const scalay_charge_bound *bound, int64_t first, int64_t last)
{
    const int64_t n = bound->problem->n;
    if (first > n / bound->best) return energy_of(bound, first);
    if (last < scalay_ceil_div(n, bound->best)) return energy_of(bound, last);
    return (double)n / (double)bound->best * bound->energy[bound->best] * (1.0 - ROUNDING);
}

double scalay_charge_bound_get(const scalay_charge_bound *bound, int64_t first, int64_t last)
{
    const int64_t n = bound->problem->n;
    const int64_t share = scalay_ceil_div(n, last);
    if (share > bound->largest) return INFINITY;
    if (bound->time != NULL) return bound->time[share];
    return n / first < bound->corner[0] ? INFINITY : least_energy(bound, first, last);
}
