/*
 * Least energy: the order of the ways; see min_energy.h.
 *
 * Cost, with c groups whose sizes add up to s and span the largest size: O(s) for the hulls, O(c log s) for the base,
 * then usually a few microseconds. At worst, one group: O(span^2 log span). Several groups: O(k w s), k the processors
 * that can make moves, at most 2 span of each group, and w the range that their moves can sum up to, at most what
 * all of them hold and 2 span^2; or O(s^2 log span) by doubling. Memory: O(s).
 */
#include "workload/min_energy.h"

#include "base/integer.h"
#include "base/memory.h"

enum { LEAST_SCRATCH = 512, KEPT_CELLS = 8192, KEPT_CELLS_PER_SIZE = 16 };

scalay_status scalay_energy_scratch(scalay_energy_search *search, int slot, int64_t count, size_t size, void *array)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_memory *scratch = &search->scratch[slot];
    int64_t bytes = 0;
    if (!scalay_multiply_int64(count, (int64_t)size, &bytes)) return scalay_no_memory(__func__, "array", count, size);
    if (scratch->array == NULL) {
        /* Clearing kilobytes would take as long as many a solution. */
        scratch->array = scalay_allocate_unset(scalay_max_int64(bytes, LEAST_SCRATCH), 1);
        if (scratch->array == NULL) return scalay_no_memory(__func__, "array", count, size);
        scratch->room = scalay_max_int64(bytes, LEAST_SCRATCH);
    }
    SCALAY_TRY(SCALAY_GROW(scratch->array, scratch->room, bytes));
    *(void **)array = scratch->array;
cleanup:
    return status;
}

/* Prefixes of moves that add up to little can be ordered so that they stay within [-span, span] (and [-2, 2], with [-2
 * span, 2 span], where active processors are counted: Steinitz); twice the same prefix would be a sum of 0 between. */
int64_t scalay_energy_enough(const scalay_energy_search *search)
{
    if (!search->counted) return 2 * search->span;
    /* What is far away takes as many times as many. */
    const double far =
        fabs((double)search->rising) / 2.0 + fabs((double)search->missing) / (2.0 * (double)search->span);
    const double span = (double)search->span;
    return (int64_t)fmin(5.0 * (4.0 * span + 1.0) * (1.0 + floor(far)), 0x1p60 / span);
}

/* The most energy of a size up to `last`. */
static int64_t highest_energy(const scalay_problem_group *group, int64_t last)
{
    int64_t highest = 0;
    if (group->whole != NULL && last == group->largest) return (int64_t)group->whole->most_per_share;
    for (int64_t x = 1; x <= last; x++)
        if (group->energy[x] > highest && group->energy[x] != SCALAY_NO_ENERGY) highest = group->energy[x];
    return highest;
}

/* The factor of the energies, and whether int64 holds reduced costs. */
static void set_factor(scalay_energy_search *search)
{
    int64_t highest = 0;
    search->span = 1;
    search->most_cells = KEPT_CELLS;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        int64_t last = scalay_min_int64(group->largest, search->n);
        search->span = scalay_max_int64(search->span, last);
        search->most_cells += KEPT_CELLS_PER_SIZE * last;
        highest = scalay_max_int64(highest, highest_energy(group, last));
    }
    search->highest = highest;
    search->factor = search->counted ? 1 : 2 * scalay_energy_enough(search) + 1;
    double charge = fabs((double)search->charge);
    double weight = ((double)highest * (double)search->scale + charge + 1.0) * (double)search->factor;
    search->dearest = weight * (double)search->span;
    search->fits = search->dearest < 0x1p58;
    search->grain = 0;
}

scalay_status scalay_energy_search_create(const scalay_problem *problem, int64_t n, double limit,
                                          scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    *search = (scalay_energy_search){.problem = problem, .n = n, .copies = -1, .limit = limit, .scale = 1, .gap = -1.0};
    search->hull = &search->only;
    if (problem->groups > 1) SCALAY_TRY(SCALAY_NEW(search->hull, problem->groups));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_energy_search_free(search);
    return status;
}

scalay_status scalay_energy_search_hulls(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    set_factor(search);
    scalay_energy_branches_free(search);
    search->slope = (scalay_slope){0, 0, 0};
    for (int j = 0; j < search->problem->groups; j++) SCALAY_TRY(scalay_hull_build(search, j));
cleanup:
    return status;
}

void scalay_energy_search_free(scalay_energy_search *search)
{
    for (int j = 0; search->hull != NULL && j < search->problem->groups; j++) scalay_release(search->hull[j].vertex);
    if (search->hull != &search->only) scalay_release(search->hull);
    scalay_release(search->concave);
    scalay_energy_branches_free(search);
    scalay_release(search->spare.vertex);
    scalay_release(search->open.vertex);
    scalay_release(search->lot);
    scalay_release(search->move);
    for (int slot = 0; slot < SCALAY_SCRATCHES; slot++) scalay_release(search->scratch[slot].array);
    *search = (scalay_energy_search){0};
}

void scalay_energy_sum_up(const scalay_energy_search *search, int64_t *energy, int64_t *active)
{
    *energy = 0;
    *active = 0;
    for (int64_t k = 0; k < search->lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        if (lot->index == 0) continue;
        *energy += lot->copies * lot->energy;
        *active += lot->copies;
    }
}

scalay_status scalay_energy_solve_branch(scalay_energy_search *search, int branch, const scalay_energy_branch *known,
                                         int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_verdict verdict = SCALAY_ENERGY_UNKNOWN;
    scalay_wide bound = 0;
    SCALAY_TRY(scalay_energy_base(search, feasible));
    if (!*feasible || (search->missing == 0 && search->rising == 0)) return status;
    if (search->slope.length == 0 || scalay_energy_is_hopeless(search, known)) verdict = SCALAY_ENERGY_NONE;
    if (verdict == SCALAY_ENERGY_UNKNOWN)
        SCALAY_TRY(search->counted ? scalay_energy_pairs(search, &verdict, &bound)
                                   : scalay_energy_residues(search, &verdict, &bound));
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_concave(search, &verdict));
    if (verdict == SCALAY_ENERGY_UNKNOWN && search->problem->groups > 1)
        SCALAY_TRY(scalay_energy_few(search, &bound, &verdict));
    if (verdict == SCALAY_ENERGY_UNKNOWN && scalay_energy_can_branch(search, branch))
        return scalay_energy_branch_out(search, branch, feasible);
    search->last_ways += verdict == SCALAY_ENERGY_UNKNOWN;
    if (verdict == SCALAY_ENERGY_UNKNOWN) SCALAY_TRY(scalay_energy_moves(search, bound, &verdict));
    *feasible = verdict == SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}

scalay_status scalay_energy_search_solve(scalay_energy_search *search, int *feasible)
{
    return scalay_energy_solve_branch(search, 1, NULL, feasible);
}

scalay_status scalay_energy_write_down(const scalay_energy_search *search, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < search->lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        SCALAY_TRY(scalay_distribution_add(distribution, lot->group, lot->index, lot->copies));
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
    SCALAY_TRY(scalay_energy_search_hulls(&search));
    SCALAY_TRY(scalay_energy_search_solve(&search, &feasible));
    if (!feasible) goto cleanup;
    scalay_energy_sum_up(&search, energy, active);
    if (distribution != NULL) SCALAY_TRY(scalay_energy_write_down(&search, distribution));
cleanup:
    scalay_energy_search_free(&search);
    return status;
}
