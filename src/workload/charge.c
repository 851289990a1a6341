/*
 * Least time or energy with a communication cost: best-first search over sets of numbers of processors. A set is halved
 * while its lower bound is the least of all. A single number is solved exactly.
 */
#include "workload/charge.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/active_numbers.h"
#include "workload/capacity.h"
#include "workload/communication.h"
#include "workload/problem.h"

/* ----------------------------------------------------------------------------------------------- lower bounds */

/* What is known of a problem; start with zeroes. */
typedef struct {
    const scalay_problem *problem;
    int64_t largest;
    double *time;    /* shape [largest + 1]: the least time of that size or a larger one; NULL: of energies */
    double *energy;  /* shape [largest + 1]: the least energy of that size */
    int64_t *corner; /* shape [corners]: sizes at the corners of the lower convex hull of the energies */
    int64_t corners;
    int64_t best; /* the corner with the least energy per unit */
} scalay_charge_bound;

/* Prepares bounds on the time or the energy, in joules; `exactly`: no processor is idle. SCALAY_SUCCESS,
 *  SCALAY_ERROR_MEMORY. */
scalay_status scalay_charge_bound_create(const scalay_problem *problem, int energy, int exactly,
                                         scalay_charge_bound *bound);

/* Releases the memory. */
void scalay_charge_bound_free(scalay_charge_bound *bound);

/* The bound for first to last processors; infinity: not possible. */
double scalay_charge_bound_get(const scalay_charge_bound *bound, int64_t first, int64_t last);

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

/* ----------------------------------------------------------------------------------------------- search */

enum { MOST_LINES = 256 };

/* A line has to raise the bound by this much of it. */
static const double WORTHWHILE = 1e-10;

/* Numbers of processors, first to last in the list of costs, and a lower bound on what they can come to. */
typedef struct {
    double key;
    int64_t first;
    int64_t last;
    int refined; /* 1: with the bound that refine() gives */
} range;

/* A number of processors that was solved: any number from `active` to `processors` gives the same when some may stay
 * idle, fewer give something worse. */
typedef struct {
    int64_t active;
    int64_t processors;
    double value;
} fact;

/* The search at hand. */
typedef struct {
    const scalay_problem *problem;
    int exactly;
    int energy;
    scalay_cost_list costs;
    scalay_charge_bound bound;
    scalay_active_numbers numbers; /* made when a number of processors has turned out to be worse than its bound */
    scalay_capacity capacity;
    scalay_distribution trial;
    fact *facts;
    int64_t fact_count;
    int64_t fact_room;
    scalay_active_bound *lines; /* shape [line_count]: lower bounds on energies */
    int64_t line_count;
    int64_t line_room;
    range *heap;
    int64_t open;
    int64_t room;
    double best; /* infinity: none yet */
    int64_t best_k;
    scalay_distribution chosen;
    int64_t chosen_k; /* where in the list the chosen distribution is from; -1: none yet */
} search;

/* ------------------------------------------------------------------------------------------------------- the heap */

static int comes_before(const range *a, const range *b)
{
    return a->key != b->key ? a->key < b->key : a->first < b->first;
}

static scalay_status push(search *of, range added)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!(added.key < INFINITY)) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(of->heap, of->room, of->open + 1));
    int64_t k = of->open++;
    for (; k > 0 && comes_before(&added, &of->heap[(k - 1) / 2]); k = (k - 1) / 2) of->heap[k] = of->heap[(k - 1) / 2];
    of->heap[k] = added;
cleanup:
    return status;
}

static range pop(search *of)
{
    const range top = of->heap[0];
    const range moved = of->heap[--of->open];
    int64_t k = 0;
    for (int64_t child = 1; child < of->open; child = 2 * k + 1) {
        if (child + 1 < of->open && comes_before(&of->heap[child + 1], &of->heap[child])) child++;
        if (comes_before(&moved, &of->heap[child])) break;
        of->heap[k] = of->heap[child];
        k = child;
    }
    of->heap[k] = moved;
    return top;
}

/* ---------------------------------------------------------------------------------------------------------- bounds */

/* What fewer processors than those of a fact come to at least. */
static double worse_than(const search *of, double value)
{
    return of->energy ? value : nextafter(value, INFINITY);
}

/* The highest lower bound on the energy of so many to so many active processors that a line is; energies are whole
 * numbers of units. */
static double line_bound(const search *of, int64_t first, int64_t last)
{
    double bound = 0.0;
    for (int64_t k = 0; k < of->line_count; k++) {
        const scalay_active_bound *line = &of->lines[k];
        const double charged = line->charge * (double)(line->charge > 0.0 ? last : first);
        const double least = line->at_none - charged - ROUNDING * (fabs(line->at_none) + fabs(charged));
        bound = fmax(bound, ceil(least));
    }
    return bound / of->problem->units_per_joule;
}

/* A lower bound on the time or energy of so many to so many processors, by their mean and by facts. */
static double value_bound(const search *of, int64_t first, int64_t last)
{
    double bound = scalay_charge_bound_get(&of->bound, first, last);
    for (int64_t k = 0; k < of->fact_count; k++) {
        const fact *known = &of->facts[k];
        if (last < known->active)
            bound = fmax(bound, worse_than(of, known->value));
        else if (last <= known->processors)
            bound = fmax(bound, known->value);
    }
    return bound;
}

/* A lower bound on the time or energy of exactly so many to so many processors, by what sizes there are. */
static double number_bound(const search *of, int64_t first, int64_t last)
{
    const double time = scalay_active_numbers_time(&of->numbers, first, last);
    return of->energy && time < INFINITY ? 0.0 : time;
}

/* The bound on a range of the list. */
static double range_bound(const search *of, int64_t first, int64_t last)
{
    const int64_t least = scalay_cost_list_processors(&of->costs, first);
    const int64_t most = scalay_cost_list_processors(&of->costs, last);
    const double bound = fmax(line_bound(of, least, most), value_bound(of, least, most));
    return fmax(bound, number_bound(of, least, most)) + scalay_cost_list_least(&of->costs, first, last);
}

static scalay_status push_range(search *of, int64_t first, int64_t last)
{
    return push(of, (range){range_bound(of, first, last), first, last, 0});
}

/* The value of q processors when a fact tells it. */
static int is_known(const search *of, int64_t q, double *value)
{
    for (int64_t k = 0; k < of->fact_count; k++) {
        const fact *known = &of->facts[k];
        if (of->exactly ? q == known->active : q >= known->active && q <= known->processors) {
            *value = known->value;
            return 1;
        }
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- solving */

/* A value above `up_to` may come out as infinity. */
static scalay_status solve(const search *of, int64_t q, double up_to, double *value, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t energy = 0;
    *value = INFINITY;
    if (of->energy) {
        SCALAY_TRY(scalay_solve_min_energy_active(of->problem, q, of->exactly, &energy, distribution));
        if (energy < SCALAY_NO_ENERGY) *value = (double)energy / of->problem->units_per_joule;
    } else if (of->exactly) {
        SCALAY_TRY(scalay_solve_min_time_exactly(of->problem, q, up_to, value, distribution));
    } else {
        SCALAY_TRY(scalay_solve_min_time(of->problem, q, value, distribution));
    }
cleanup:
    return status;
}

static scalay_status note_fact(search *of, int64_t active, int64_t processors, double value)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(of->facts, of->fact_room, of->fact_count + 1));
    of->facts[of->fact_count++] = (fact){active, processors, value};
cleanup:
    return status;
}

/* Without a bound on the processors: the first fact. */
static scalay_status solve_unbound(search *of, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    double value = INFINITY;
    int64_t energy = 0;
    int64_t active = 0;
    if (of->energy) {
        SCALAY_TRY(scalay_solve_min_energy(of->problem, INFINITY, &energy, &active, &of->trial));
        value = (double)energy / of->problem->units_per_joule;
    } else {
        SCALAY_TRY(scalay_solve_min_time(of->problem, of->problem->processors, &value, &of->trial));
    }
    *feasible = of->trial.feasible;
    if (*feasible) SCALAY_TRY(note_fact(of, scalay_distribution_active(&of->trial), of->problem->processors, value));
cleanup:
    return status;
}

static void note_total(search *of, int64_t k, double value)
{
    const double total = value + scalay_cost_list_get(&of->costs, k);
    if (total > of->best || (total == of->best && k > of->best_k) || !(total < INFINITY)) return;
    of->best = total;
    of->best_k = k;
}

/* Adds the line that is the best bound for a number of processors, unless those that there are come to as much. */
static scalay_status draw_line(search *of, int64_t q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_active_bound line = {0.0, 0.0};
    int known = 0;
    if (of->line_count == MOST_LINES) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_bound_min_energy_active(of->problem, q, &line, &known));
    /* Where fewer may be active than take part, a negative charge is no bound. */
    if (!known || (!of->exactly && line.charge < 0.0)) goto cleanup;
    const double before = line_bound(of, q, q);
    SCALAY_TRY(SCALAY_GROW(of->lines, of->line_room, of->line_count + 1));
    of->lines[of->line_count++] = line;
    if (line_bound(of, q, q) <= before * (1.0 + WORTHWHILE)) of->line_count--;
cleanup:
    return status;
}

/* What q processors come to, for which the range's key was a bound. */
static scalay_status note_value(search *of, const range *one, int64_t q, double value)
{
    scalay_status status = SCALAY_SUCCESS;
    if (of->exactly && of->numbers.steps == 0 && value + scalay_cost_list_get(&of->costs, one->first) > one->key)
        SCALAY_TRY(scalay_active_numbers_make(of->problem, &of->numbers));
    if (!of->trial.feasible) goto cleanup;
    note_total(of, one->first, value);
    if (!of->exactly) SCALAY_TRY(note_fact(of, scalay_distribution_active(&of->trial), q, value));
    if (of->best_k != one->first) goto cleanup;
    scalay_distribution_swap(&of->chosen, &of->trial);
    of->chosen_k = of->best_k;
cleanup:
    return status;
}

/* A better bound on a range, where there is one: by what so many processors can hold, or by a line. */
static scalay_status refine(search *of, range *one)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t least = scalay_cost_list_processors(&of->costs, one->first);
    const int64_t most = scalay_cost_list_processors(&of->costs, one->last);
    const double cost = scalay_cost_list_least(&of->costs, one->first, one->last);
    double value = 0.0;
    one->refined = 1;
    if (of->problem->groups == 1 || (least == most && is_known(of, least, &value))) goto cleanup;
    if (!of->energy) {
        of->capacity.most = most;
        SCALAY_TRY(scalay_capacity_time(&of->capacity, of->problem->n, &value));
    } else if (one->first == one->last) {
        if (fmax(value_bound(of, least, most), line_bound(of, least, most)) + cost <= of->best)
            SCALAY_TRY(draw_line(of, least));
        value = line_bound(of, least, most);
    }
    one->key = fmax(one->key, value + cost);
cleanup:
    return status;
}

/* A single number of processors. */
static scalay_status visit(search *of, const range *one)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t q = scalay_cost_list_processors(&of->costs, one->first);
    double value = INFINITY;
    if (is_known(of, q, &value)) {
        note_total(of, one->first, value);
    } else {
        /* What rounds to the best total with the cost is as good. */
        const double cost = scalay_cost_list_get(&of->costs, one->first);
        const double up_to = nextafter(nextafter(of->best, INFINITY) - cost, INFINITY);
        SCALAY_TRY(solve(of, q, up_to, &value, &of->trial));
        SCALAY_TRY(note_value(of, one, q, value));
    }
cleanup:
    return status;
}

static scalay_status find_best(search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    of->best = INFINITY;
    if (of->costs.length > 0) SCALAY_TRY(push_range(of, 0, of->costs.length - 1));
    while (of->open > 0) {
        range top = pop(of);
        if (top.key > of->best) break;
        if (top.key == of->best && top.first > of->best_k) continue;
        const double key = range_bound(of, top.first, top.last);
        if (key > top.key || !top.refined) { /* facts and lines may have come since */
            top.key = fmax(key, top.key);
            if (!top.refined && key <= of->best) SCALAY_TRY(refine(of, &top));
            SCALAY_TRY(push(of, top));
            continue;
        }
        if (top.first == top.last) {
            SCALAY_TRY(visit(of, &top));
            continue;
        }
        const int64_t middle = top.first + (top.last - top.first) / 2;
        SCALAY_TRY(push_range(of, top.first, middle));
        SCALAY_TRY(push_range(of, middle + 1, top.last));
    }
cleanup:
    return status;
}

/* Of the distributions with this least energy on at most so many active processors, one with the fewest. Where the
 * number binds, that of several groups need not be: the fewest are the smallest number at most of which do with this
 * energy. */
static scalay_status take_fewest(search *of, int64_t processors, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t energy = scalay_distribution_energy(of->problem, distribution);
    int64_t low = 1;
    if (of->problem->groups == 1 || of->facts[0].active <= processors) return SCALAY_SUCCESS;
    for (int64_t high = scalay_distribution_active(distribution); low < high;) {
        const int64_t middle = low + (high - low) / 2;
        int64_t least = 0;
        SCALAY_TRY(scalay_solve_min_energy_active(of->problem, middle, 0, &least, &of->trial));
        if (least != energy) {
            low = middle + 1;
            continue;
        }
        scalay_distribution_swap(distribution, &of->trial);
        high = scalay_distribution_active(distribution);
    }
cleanup:
    return status;
}

static void release(search *of)
{
    scalay_cost_list_free(&of->costs);
    scalay_charge_bound_free(&of->bound);
    scalay_capacity_free(&of->capacity);
    scalay_distribution_free(&of->trial);
    scalay_distribution_free(&of->chosen);
    scalay_release(of->facts);
    scalay_release(of->lines);
    scalay_release(of->heap);
}

scalay_status scalay_solve_charged(const char *function, const scalay_problem *problem, int64_t n,
                                   const scalay_workload_options *options, int energy, scalay_charge *charge,
                                   scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search of = {.problem = problem, .energy = energy, .chosen_k = -1};
    int feasible = 0;
    double value = INFINITY;
    of.exactly = options->variant == SCALAY_COMMUNICATION_EXACT;
    *charge = (scalay_charge){0, 0.0};
    scalay_distribution_clear(distribution);
    if (n == 0) {
        distribution->feasible = 1;
        return SCALAY_SUCCESS;
    }
    const int64_t most = of.exactly ? scalay_min_int64(problem->processors, problem->n) : problem->processors;
    if (!problem->divisible || most == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_cost_list_create(function, options->communication, n, most, &of.costs));
    SCALAY_TRY(solve_unbound(&of, &feasible));
    if (!feasible) goto cleanup;
    SCALAY_TRY(scalay_charge_bound_create(problem, energy, of.exactly, &of.bound));
    SCALAY_TRY(scalay_capacity_create(problem, most, &of.capacity));
    SCALAY_TRY(find_best(&of));
    if (!(of.best < INFINITY)) goto cleanup;
    charge->taking_part = scalay_cost_list_processors(&of.costs, of.best_k);
    charge->communication = scalay_cost_list_get(&of.costs, of.best_k);
    if (of.chosen_k != of.best_k) SCALAY_TRY(solve(&of, charge->taking_part, INFINITY, &value, &of.chosen));
    scalay_distribution_swap(distribution, &of.chosen);
    if (energy && !of.exactly) SCALAY_TRY(take_fewest(&of, charge->taking_part, distribution));
cleanup:
    release(&of);
    return status;
}
