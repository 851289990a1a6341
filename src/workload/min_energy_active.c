/*
 * Least energy with a given number of active processors, exactly or at most.
 *
 * One group: that many identical processors, none of which is idle if it is "exactly". Several groups: by a charge per
 * active processor (Lagrange's multiplier), at which the relaxed problem, where a processor may be part of the way
 * along an edge of a hull, has the number wanted among its best. Whole processors come close to that
 * (min_energy_face.c), and what is lacking is made up for by moves whose sums have two components, size and active
 * processors (min_energy_pairs.c; where processors are short, min_energy_moves.c). "At most": processors that are
 * charged for and get nothing fill the number up.
 *
 * Cost: hulls for each charge, usually fewer than ten; then moves. The relaxed problem's best at a charge is a lower
 * bound for every other number of active processors, too.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum {
    CHARGES = 200, /* any charge will do, a good one is faster */
    MOST_SCALE = 1 << 21
};

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

/* Whether a point costs less at the charge than one that has been found, both of the relaxed problem. */
static int is_below(const scalay_energy_search *search, const scalay_relaxed_point *at,
                    const scalay_relaxed_point *known)
{
    scalay_wide value = at->energy * search->scale + at->active * search->charge;
    scalay_wide before = known->energy * search->scale + known->active * search->charge;
    return value * known->length < before * at->length;
}

static scalay_wide divisor_of(scalay_wide a, scalay_wide b)
{
    if (a < 0) a = -a;
    while (b != 0) {
        scalay_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The last convergent of a fraction whose terms are at most so much: a fraction with a small denominator that is very
 * close is that. Where even the first term is larger, the whole number below. */
static void approximate(scalay_wide *numerator, scalay_wide *denominator, scalay_wide most_denominator)
{
    const scalay_wide most = (scalay_wide)1 << 59;
    scalay_wide a = *numerator;
    scalay_wide b = *denominator;
    scalay_wide p[2] = {1, 0};
    scalay_wide q[2] = {0, 1};
    while (b != 0) {
        const scalay_wide whole = a / b - (a % b < 0);
        const scalay_wide next_p = whole * p[0] + p[1];
        const scalay_wide next_q = whole * q[0] + q[1];
        if (next_q > most_denominator || next_p > most || -next_p > most) break;
        p[1] = p[0];
        q[1] = q[0];
        p[0] = next_p;
        q[0] = next_q;
        const scalay_wide rest = a - whole * b;
        a = b;
        b = rest;
    }
    *numerator = q[0] > 0 ? p[0] : a / b - (a % b < 0);
    *denominator = q[0] > 0 ? q[0] : 1;
}

/* The charge at which two points cost the same, or nearly so where its scale would be larger than `most_scale`; 1: it
 * is that. */
static int charge_between(scalay_energy_search *search, const scalay_relaxed_point *fewer,
                          const scalay_relaxed_point *more, int64_t most_scale)
{
    const scalay_wide most = (scalay_wide)1 << 59;
    scalay_wide scale = more->active * fewer->length - fewer->active * more->length;
    scalay_wide charge = fewer->energy * more->length - more->energy * fewer->length;
    scalay_wide divisor = divisor_of(charge, scale);
    if (search->highest > 0 && most_scale > most / search->highest) most_scale = (int64_t)(most / search->highest);
    scale /= divisor;
    charge /= divisor;
    const int exact = scale <= most_scale && charge <= most && -charge <= most;
    if (!exact) approximate(&charge, &scale, scalay_max_int64(most_scale, 1));
    search->scale = (int64_t)scale;
    search->charge = (int64_t)charge;
    return exact;
}

/* The relaxed problem's best distribution at a charge. */
static scalay_status relax(scalay_energy_search *search, int64_t scale, int64_t charge, scalay_relaxed_point *found)
{
    scalay_status status = SCALAY_SUCCESS;
    int feasible = 0;
    search->scale = scale;
    search->charge = charge;
    SCALAY_TRY(scalay_energy_search_hulls(search));
    SCALAY_TRY(scalay_energy_place(search, &feasible));
    *found = scalay_energy_relaxed(search);
cleanup:
    return status;
}

/* Newton's method for the charge at which the relaxed problem has the number wanted among its best. */
static scalay_status find_charge(scalay_energy_search *search, int64_t active)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_relaxed_point fewer;
    scalay_relaxed_point more;
    scalay_relaxed_point at;
    SCALAY_TRY(relax(search, 0, 1, &fewer));
    SCALAY_TRY(relax(search, 0, -1, &more));
    search->scale = 1;
    search->charge = 0;
    for (int charges = 0; charges < CHARGES; charges++) {
        if (fewer.active * more.length >= more.active * fewer.length) break;
        const int exact = charge_between(search, &fewer, &more, MOST_SCALE);
        SCALAY_TRY(relax(search, search->scale, search->charge, &at));
        if (!exact && (!is_below(search, &at, &fewer) || !is_below(search, &at, &more))) {
            /* The right charge has a scale of at most the span: it follows from the slopes of two edges, or of an edge
             * and a size. What is next to it by less than rounding is it. */
            (void)charge_between(search, &fewer, &more, search->span);
            SCALAY_TRY(relax(search, search->scale, search->charge, &at));
        }
        if (!is_below(search, &at, &fewer) || !is_below(search, &at, &more)) break;
        if (at.active < (scalay_wide)active * at.length)
            fewer = at;
        else
            more = at;
    }
cleanup:
    return status;
}

scalay_status scalay_bound_min_energy_active(const scalay_problem *problem, int64_t active, scalay_active_bound *bound,
                                             int *known)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search search = {0};
    scalay_relaxed_point at;
    *known = 0;
    SCALAY_TRY(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    search.counted = 1;
    search.wanted = active;
    SCALAY_TRY(find_charge(&search, active));
    if (search.scale < 1) goto cleanup;
    SCALAY_TRY(relax(&search, search.scale, search.charge, &at));
    /* In whole numbers: energies and charges may nearly cancel. */
    const scalay_wide sum = at.energy * search.scale + at.active * search.charge;
    bound->charge = (double)search.charge / (double)search.scale;
    bound->at_none = (double)sum / ((double)search.scale * (double)at.length);
    *known = 1;
cleanup:
    scalay_energy_search_free(&search);
    return status;
}

/* The best with the number of active processors wanted, from moves at the right charge. */
static scalay_status solve_counted(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    search->counted = 1;
    search->wanted = active;
    search->fillers = exactly ? 0 : active;
    search->gap = -1.0;
    SCALAY_TRY(find_charge(search, active));
    if (!exactly && search->charge < 0) search->charge = 0;
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
    SCALAY_TRY(solve_charged(search, 1, 0, feasible, &best));
    if (!*feasible || best.active == active || (!exactly && best.active < active)) return SCALAY_SUCCESS;
    int direction = active < best.active ? 1 : -1;
    SCALAY_TRY(solve_extreme(search, direction, feasible, &extreme));
    if (extreme.active == active) return SCALAY_SUCCESS;
    *feasible = direction > 0 ? extreme.active < active : extreme.active > active;
    if (!*feasible) return SCALAY_SUCCESS;
    SCALAY_TRY(solve_counted(search, active, exactly, feasible));
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
        even->group[j].whole = NULL;
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
    *energy = scalay_distribution_energy(problem, made);
cleanup:
    scalay_release(even.group);
    scalay_release(squares);
    scalay_distribution_free(&own);
    return status;
}
