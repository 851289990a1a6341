/*
 * Least energy with a given number of active processors, exactly or at most.
 *
 * One group: that many identical processors, none of which is idle if it is "exactly". Several groups: by a charge per
 * active processor (Lagrange's multiplier). Two numbers of active processors around the given one, and the charge at
 * which they cost the same: either something else costs less, then it takes the place of one of them, or the charge is
 * right, and what the best distribution with the given number costs more is small. That is found by moves whose sums
 * have two components, size and active processors. "At most": processors that are charged for and get nothing fill the
 * number up.
 *
 * Cost: a solution for each charge, usually fewer than ten; then moves (min_energy_moves.c), with one more dimension.
 */
#include "core/integer.h"
#include "core/memory.h"
#include "workload/min_energy.h"

enum { CHARGES = 200 /* any charge will do, a good one is faster */ };

/* A distribution's energy and active processors. */
typedef struct {
    int64_t energy;
    int64_t active;
} point;

static point sum_up(const scalay_energy_search *search)
{
    point sum = {0, 0};
    for (int64_t k = 0; k < search->lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        if (lot->index == 0 || lot->copies == 0) continue;
        sum.energy += lot->copies * search->problem->group[lot->group].energy[lot->index];
        sum.active += lot->copies;
    }
    return sum;
}

/* The best distribution when an active processor's energy counts scale * energy + charge. */
static scalay_status solve_charged(scalay_energy_search *search, int64_t scale, int64_t charge, int *feasible,
                                   point *found)
{
    scalay_status status = SCALAY_SUCCESS;
    search->scale = scale;
    search->charge = charge;
    search->gap = -1.0;
    SCALAY_TRY(scalay_energy_search_hulls(search));
    SCALAY_TRY(scalay_energy_search_solve(search, feasible));
    if (*feasible) *found = sum_up(search);
cleanup:
    return status;
}

static scalay_wide value_of(const scalay_energy_search *search, const point *at)
{
    return scalay_wide_product(search->scale, at->energy) + scalay_wide_product(search->charge, at->active);
}

/* The charge at which two points cost the same, or nearly so where the numbers would be too large. */
static void charge_between(const point *fewer, const point *more, int64_t *scale, int64_t *charge)
{
    *scale = more->active - fewer->active;
    *charge = fewer->energy - more->energy;
    int64_t divisor = scalay_gcd(*charge < 0 ? -*charge : *charge, *scale);
    *scale /= divisor;
    *charge /= divisor;
    while (*scale > 1 && (*scale > 256 || *charge > INT64_C(1) << 60 || -*charge > INT64_C(1) << 60)) {
        *scale /= 2;
        *charge /= 2;
    }
}

/* Brings two points together until they are ends of a straight piece around the number wanted, or one has it. */
static scalay_status close_in(scalay_energy_search *search, int64_t active, point fewer, point more, int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    *found = 0;
    for (int charges = 0; charges < CHARGES; charges++) {
        int feasible = 0;
        int64_t scale = 0;
        int64_t charge = 0;
        point at = {0, 0};
        charge_between(&fewer, &more, &scale, &charge);
        SCALAY_TRY(solve_charged(search, scale, charge, &feasible, &at));
        *found = at.active == active;
        if (*found || value_of(search, &at) >= value_of(search, &fewer) ||
            value_of(search, &at) >= value_of(search, &more))
            break;
        if (at.active < active)
            fewer = at;
        else
            more = at;
    }
cleanup:
    return status;
}

/* The best with exactly that many active processors from moves, at the charge at hand. */
static scalay_status solve_counted(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    search->counted = 1;
    search->wanted = active;
    search->fillers = exactly ? 0 : active;
    search->gap = -1.0;
    SCALAY_TRY(scalay_energy_search_hulls(search));
    SCALAY_TRY(scalay_energy_search_solve(search, feasible));
cleanup:
    return status;
}

/* The best distribution with the fewest (direction 1) or the most (-1) active processors. */
static scalay_status solve_extreme(scalay_energy_search *search, int direction, int *feasible, point *found)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(solve_charged(search, 0, direction, feasible, found));
    if (*feasible) SCALAY_TRY(solve_charged(search, 1, direction * (found->energy + 1), feasible, found));
cleanup:
    return status;
}

static scalay_status solve_groups(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    point best = {0, 0};
    point extreme = {0, 0};
    int found = 0;
    SCALAY_TRY(solve_charged(search, 1, 0, feasible, &best));
    if (!*feasible || best.active == active || (!exactly && best.active < active)) return SCALAY_SUCCESS;
    int direction = active < best.active ? 1 : -1;
    SCALAY_TRY(solve_extreme(search, direction, feasible, &extreme));
    if (extreme.active == active) return SCALAY_SUCCESS;
    *feasible = direction > 0 ? extreme.active < active : extreme.active > active;
    if (!*feasible) return SCALAY_SUCCESS;
    SCALAY_TRY(direction > 0 ? close_in(search, active, extreme, best, &found)
                             : close_in(search, active, best, extreme, &found));
    if (!found) SCALAY_TRY(solve_counted(search, active, exactly, feasible));
cleanup:
    return status;
}

static scalay_status solve_identical(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = search->problem->group[0].count;
    *feasible = 0;
    if (exactly && active > count) return SCALAY_SUCCESS;
    search->copies = scalay_min_int64(active, count);
    search->least = exactly && active > 0;
    SCALAY_TRY(scalay_energy_search_hulls(search));
    SCALAY_TRY(scalay_energy_search_solve(search, feasible));
cleanup:
    return status;
}

/* The energy that all sizes have in common; -1: they differ. */
static int64_t common_energy(const scalay_problem *problem)
{
    int64_t energy = -1;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= problem->group[j].largest; x++) {
            if (problem->group[j].energy[x] == SCALAY_NO_ENERGY) continue;
            if (energy >= 0 && problem->group[j].energy[x] != energy) return -1;
            energy = problem->group[j].energy[x];
        }
    return energy;
}

/* The same problem with squares of sizes for energies: they lead to even shares, constant ones lead nowhere. */
static scalay_status make_even(const scalay_problem *problem, scalay_problem *even, int64_t **energy)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t elements = 0;
    *even = *problem;
    even->group = NULL;
    for (int j = 0; j < problem->groups; j++) elements += problem->group[j].largest + 1;
    SCALAY_TRY(SCALAY_NEW(*energy, elements));
    SCALAY_TRY(SCALAY_NEW(even->group, problem->groups));
    int64_t *next = *energy;
    for (int j = 0; j < problem->groups; j++) {
        even->group[j] = problem->group[j];
        even->group[j].energy = next;
        for (int64_t x = 0; x <= problem->group[j].largest; x++)
            *next++ = problem->group[j].energy[x] == SCALAY_NO_ENERGY ? SCALAY_NO_ENERGY : x * x;
    }
cleanup:
    return status;
}

static int even_fits(const scalay_problem *problem)
{
    double largest = 0.0;
    for (int j = 0; j < problem->groups; j++) largest = fmax(largest, (double)problem->group[j].largest);
    return largest * (double)problem->n < 0x1p60;
}

static scalay_status solve(const scalay_problem *problem, int64_t active, int exactly, int any, int *feasible,
                           scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search search = {0};
    SCALAY_TRY(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    search.any = any;
    if (problem->groups == 1)
        SCALAY_TRY(solve_identical(&search, active, exactly, feasible));
    else
        SCALAY_TRY(solve_groups(&search, active, exactly, feasible));
    if (*feasible) SCALAY_TRY(scalay_energy_write_down(&search, distribution));
cleanup:
    scalay_energy_search_free(&search);
    return status;
}

scalay_status scalay_solve_min_energy_active(const scalay_problem *problem, int64_t active, int exactly,
                                             int64_t *energy, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_problem even = {0};
    int64_t *squares = NULL;
    scalay_distribution own = {0};
    scalay_distribution *made = distribution != NULL ? distribution : &own;
    int feasible = 0;
    *energy = SCALAY_NO_ENERGY;
    scalay_distribution_clear(made);
    if (!problem->divisible || problem->groups == 0) goto cleanup;
    int any = problem->groups > 1 && exactly && common_energy(problem) >= 0 && even_fits(problem);
    if (any) SCALAY_TRY(make_even(problem, &even, &squares));
    SCALAY_TRY(solve(any ? &even : problem, active, exactly, any, &feasible, made));
    if (!feasible) goto cleanup;
    *energy = 0;
    for (int64_t k = 0; k < made->shares; k++)
        *energy += made->share[k].count * problem->group[made->share[k].group].energy[made->share[k].index];
cleanup:
    scalay_release(even.group);
    scalay_release(squares);
    scalay_distribution_free(&own);
    return status;
}
