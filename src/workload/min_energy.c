/*
 * Minimum energy: order of the methods. min_energy.h describes the problem and the terms.
 *
 * Cost, for groups whose largest sizes sum to s, and span the largest of them: O(s) for the hulls and O(groups log s)
 * for the break solution. Mostly, the moves then take microseconds. At worst they take O(span^2 log span) for one
 * group, and O(k w s) or O(s^2 log span) for several groups, where k processors can move and their sums have w values.
 * Memory: O(s).
 */
#include "workload/min_energy.h"

#include "base/integer.h"
#include "base/memory.h"

enum {
    MIN_SLOT_BYTES = 512,
    KEPT_ENTRIES = 8192,
    KEPT_ENTRIES_PER_SIZE = 16,
    MAX_FACTOR_GROWTH = 64,
    MANY_SIZES = 4096
};

/* Up to about this reduced cost, int64_t holds sums of reduced costs. */
static const double SMALL_COST = 0x1p56;

scalay_status scalay_energy_scratch(scalay_energy_search *search, int slot, int64_t count, size_t size, void *array)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_memory *scratch = &search->scratch[slot];
    int64_t bytes = 0;
    if (!scalay_multiply_int64(count, (int64_t)size, &bytes)) return scalay_no_memory(__func__, "array", count, size);
    if (scratch->array == NULL) {
        /* Not zeroed: zeroing some kilobytes takes as long as many a solution. */
        const int64_t first_bytes = scalay_max_int64(bytes, MIN_SLOT_BYTES);
        scratch->array = scalay_allocate_unset(first_bytes, 1);
        if (scratch->array == NULL) return scalay_no_memory(__func__, "array", count, size);
        scratch->bytes = first_bytes;
    }
    SCALAY_TRY(SCALAY_GROW(scratch->array, scratch->bytes, bytes));
    *(void **)array = scratch->array;
cleanup:
    return status;
}

/* Steinitz's lemma: moves with a small sum have an order in which all partial sums are in [-span, span], and in
 * [-2 span, 2 span] x [-2, 2] if active processors count too. A repeated partial sum encloses moves that sum to 0. */
int64_t scalay_energy_max_moves(const scalay_energy_search *search)
{
    const scalay_break_solution *solution = &search->solution;
    const double span = (double)search->span;
    if (!search->target.is_given) return 2 * search->span;
    const double distance =
        fabs((double)solution->active_deficit) / 2.0 + fabs((double)solution->deficit) / (2.0 * span);
    return (int64_t)fmin(5.0 * (4.0 * span + 1.0) * (1.0 + floor(distance)), 0x1p60 / span);
}

/* ------------------------------------------------------------------------------------------------- numbers */

static int64_t max_energy_of(const scalay_problem_group *group, int64_t last_index)
{
    int64_t max_energy = 0;
    if (group->whole != NULL && last_index == group->largest) return (int64_t)group->whole->most_per_share;
    for (int64_t x = 1; x <= last_index; x++)
        if (group->energy[x] > max_energy && group->energy[x] != SCALAY_NO_ENERGY) max_energy = group->energy[x];
    return max_energy;
}

/* More than the largest difference of active processors between two candidates. If sizes are many and energies
 * small, it is larger than necessary: then bounds on weights are sharper bounds on energies. */
static int64_t factor_of(const scalay_energy_search *search, double energy)
{
    const int64_t processors = search->multiplicity >= 0 ? search->multiplicity : search->problem->processors;
    const double span = (double)search->span;
    if (search->target.is_given) return 1;
    const int64_t least = scalay_min_int64(2 * scalay_energy_max_moves(search), processors) + 1;
    int64_t factor = least;
    while (search->span >= MANY_SIZES && factor < MAX_FACTOR_GROWTH * least &&
           (energy + 1.0) * (double)factor * span * span < SMALL_COST)
        factor *= 2;
    return factor;
}

static void set_numbers(scalay_energy_search *search)
{
    search->span = 1;
    search->max_energy = 0;
    search->max_entries = KEPT_ENTRIES;
    for (int j = 0; j < search->problem->groups; j++) {
        const int64_t last = scalay_energy_last_index(search, j);
        search->span = scalay_max_int64(search->span, last);
        search->max_entries += KEPT_ENTRIES_PER_SIZE * last;
        search->max_energy = scalay_max_int64(search->max_energy, max_energy_of(&search->problem->group[j], last));
    }
    const double energy = (double)search->max_energy * (double)search->scale + fabs((double)search->charge);
    search->factor = factor_of(search, energy);
    search->max_weight = (energy + 1.0) * (double)search->factor;
    search->energies_fit = energy * (double)search->span < 0x1p60;
    search->slopes_fit = search->max_weight * (double)search->span < 0x1p60;
    search->weight_gcd = 0;
}

/* -------------------------------------------------------------------------------------------------- search */

scalay_status scalay_energy_search_create(const scalay_problem *problem, int64_t n, double time_limit,
                                          scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    *search = (scalay_energy_search){
        .problem = problem, .n = n, .multiplicity = -1, .time_limit = time_limit, .scale = 1, .gap = -1.0};
    search->hull = &search->single_hull;
    if (problem->groups > 1) SCALAY_TRY(SCALAY_NEW(search->hull, problem->groups));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_energy_search_free(search);
    return status;
}

scalay_status scalay_energy_search_start(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    set_numbers(search);
    search->solution.slope = (scalay_slope){0, 0};
    for (int j = 0; j < search->problem->groups; j++) SCALAY_TRY(scalay_hull_build(search, j));
cleanup:
    return status;
}

void scalay_energy_search_free(scalay_energy_search *search)
{
    for (int j = 0; search->hull != NULL && j < search->problem->groups; j++) scalay_release(search->hull[j].vertex);
    if (search->hull != &search->single_hull) scalay_release(search->hull);
    scalay_release(search->spare_hull.vertex);
    scalay_release(search->pending.vertex);
    scalay_release(search->solution.share);
    scalay_release(search->moves.move);
    scalay_release(search->exchange.isolated);
    for (int j = 0; search->exchange.fixed != NULL && j < search->problem->groups; j++)
        scalay_release(search->exchange.fixed[j].index);
    scalay_release(search->exchange.fixed);
    for (int slot = 0; slot < SCALAY_ENERGY_SLOTS; slot++) scalay_release(search->scratch[slot].array);
    *search = (scalay_energy_search){0};
}

scalay_status scalay_energy_search_solve(scalay_energy_search *search, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_verdict verdict = SCALAY_ENERGY_UNKNOWN;
    scalay_wide bound = 0;
    SCALAY_TRY(scalay_energy_break(search, feasible));
    if (!*feasible || (search->solution.deficit == 0 && search->solution.active_deficit == 0)) return status;
    if (search->solution.slope.length == 0) verdict = SCALAY_ENERGY_NONE;
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_complete(search, 1, &verdict));
    if (verdict == SCALAY_ENERGY_UNKNOWN)
        SCALAY_TRY(search->target.is_given ? scalay_energy_pairs(search, &verdict, &bound)
                                           : scalay_energy_residues(search, &verdict, &bound));
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_sums_light(search, bound, &verdict));
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_complete(search, 0, &verdict));
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_exchange(search, &verdict));
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_sums(search, bound, &verdict));
    *feasible = verdict == SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- results */

scalay_point scalay_energy_sum(const scalay_energy_search *search)
{
    scalay_point sum = {0.0, 0, 0};
    for (int64_t k = 0; k < search->solution.shares; k++) {
        const scalay_energy_share *share = &search->solution.share[k];
        if (share->index == 0 || share->count == 0) continue;
        if (share->time > sum.time) sum.time = share->time;
        sum.energy += share->count * share->energy;
        sum.active += share->count;
    }
    return sum;
}

scalay_status scalay_energy_write(const scalay_energy_search *search, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < search->solution.shares; k++) {
        const scalay_energy_share *share = &search->solution.share[k];
        SCALAY_TRY(scalay_distribution_add(distribution, share->group, share->index, share->count));
    }
    distribution->feasible = 1;
cleanup:
    return status;
}

scalay_status scalay_solve_min_energy(const scalay_problem *problem, double time_below, int64_t *energy,
                                      int64_t *active, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search search = {0};
    int feasible = 0;
    *energy = SCALAY_NO_ENERGY;
    *active = 0;
    if (distribution != NULL) scalay_distribution_clear(distribution);
    if (!problem->divisible) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_search_create(problem, problem->n, time_below, &search));
    SCALAY_TRY(scalay_energy_search_start(&search));
    SCALAY_TRY(scalay_energy_search_solve(&search, &feasible));
    if (!feasible) goto cleanup;
    const scalay_point sum = scalay_energy_sum(&search);
    *energy = sum.energy;
    *active = sum.active;
    if (distribution != NULL) SCALAY_TRY(scalay_energy_write(&search, distribution));
cleanup:
    scalay_energy_search_free(&search);
    return status;
}
