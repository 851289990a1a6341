/*
 * Least energy where the open edge leads from idleness to a size: then the hulls are far below what one processor more,
 * or less, costs, and many moves are as cheap as the difference. So the processor is made idle, then active, and the
 * better solution is taken: a branch and bound (Land and Doig 1960) of few levels. Its second branch is left out when
 * the hulls say that it cannot be better.
 *
 * What a branch has found for one limit is where it starts for the next: the slope, where the hulls are at, the budget.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum {
    MOST_BRANCHES = 15 /* branch k has the branches 2 k and 2 k + 1 */,
    MOST_PAUSES = 64,
    MOST_GROUPS = 8 /* among more, one processor matters little */
};

static scalay_status create(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    const int groups = search->problem->groups;
    SCALAY_TRY(SCALAY_NEW(search->state, groups));
    SCALAY_TRY(SCALAY_NEW(search->other, groups));
    SCALAY_TRY(SCALAY_NEW(search->branch, MOST_BRANCHES + 1));
    for (int k = 0; k <= MOST_BRANCHES; k++) {
        search->branch[k].group = -1;
        SCALAY_TRY(SCALAY_NEW(search->branch[k].at, groups));
    }
cleanup:
    if (status != SCALAY_SUCCESS) scalay_energy_branches_free(search);
    return status;
}

void scalay_energy_branches_free(scalay_energy_search *search)
{
    for (int j = 0; search->other != NULL && j < search->problem->groups; j++) scalay_release(search->other[j].vertex);
    for (int k = 0; search->branch != NULL && k <= MOST_BRANCHES; k++) {
        scalay_release(search->branch[k].at);
        scalay_release(search->branch[k].lot);
    }
    scalay_release(search->branch);
    scalay_release(search->other);
    scalay_release(search->state);
    search->branch = NULL;
    search->other = NULL;
    search->state = NULL;
}

int scalay_energy_can_branch(scalay_energy_search *search, int branch)
{
    if (search->counted || search->least > 0 || search->problem->groups == 1 || search->problem->groups > MOST_GROUPS)
        return 0;
    if (search->open_lot < 0 || search->open_edge < 2 || 2 * branch + 1 > MOST_BRANCHES) return 0;
    const scalay_energy_lot *lot = &search->lot[search->open_lot];
    if (lot->index > 0 || scalay_energy_copies(search, lot->group) > 1) return 0;
    return branch > 1 || search->branch_pauses == 0 || search->branch_pause++ % search->branch_pauses == 0;
}

/* ---------------------------------------------------------------------------------------- from branch to branch */

/* Keeps where a branch is at. */
static void leave(const scalay_energy_search *search, scalay_energy_branch *branch)
{
    branch->slope = search->slope;
    branch->gap = search->gap;
    branch->pauses = search->pauses;
    branch->pause = search->pause;
    for (int j = 0; j < search->problem->groups; j++) branch->at[j] = search->hull[j].at;
}

/* Goes back to where it was. */
static void enter(scalay_energy_search *search, const scalay_energy_branch *branch)
{
    search->slope = branch->slope;
    search->gap = branch->gap;
    search->pauses = branch->pauses;
    search->pause = branch->pause;
    for (int j = 0; j < search->problem->groups; j++)
        search->hull[j].at = scalay_max_int64(0, scalay_min_int64(branch->at[j], search->hull[j].count - 1));
}

/* Goes to a branch below; one that has not been at this group before starts from here. */
static void go_down(scalay_energy_search *search, scalay_energy_branch *branch, int group)
{
    if (branch->group == group) {
        enter(search, branch);
        return;
    }
    branch->group = group;
    search->gap = -1.0;
    search->pauses = 0;
    search->pause = 0;
}

/* Takes the other hull of a group: with idleness or without. */
static scalay_status swap_hulls(scalay_energy_search *search, int group)
{
    const scalay_hull kept = search->hull[group];
    search->hull[group] = search->other[group];
    search->other[group] = kept;
    return search->hull[group].vertex == NULL ? scalay_hull_build(search, group) : SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- the better one */

/* Whether the relaxed solution at the base is no better than a known one. */
int scalay_energy_is_hopeless(const scalay_energy_search *search, const scalay_energy_branch *known)
{
    if (known == NULL || !known->feasible) return 0;
    const scalay_slope *slope = &search->slope;
    scalay_wide energy = slope->energy * (scalay_wide)search->missing;
    scalay_wide active = slope->active * (scalay_wide)search->missing;
    for (int64_t k = 0; k < search->lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        energy += slope->length * scalay_wide_product(lot->copies, lot->energy);
        active += lot->index > 0 ? scalay_wide_product(lot->copies, slope->length) : 0;
    }
    energy -= scalay_wide_product(known->energy, slope->length);
    active -= scalay_wide_product(known->active, slope->length);
    return energy > 0 || (energy == 0 && active >= 0);
}

/* Keeps the lots when they are better than what is known. */
static scalay_status keep_better(const scalay_energy_search *search, scalay_energy_branch *known)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t energy = 0;
    int64_t active = 0;
    scalay_energy_sum_up(search, &energy, &active);
    if (known->feasible && (energy > known->energy || (energy == known->energy && active >= known->active)))
        return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(known->lot, known->room, search->lots));
    memcpy(known->lot, search->lot, (size_t)search->lots * sizeof *search->lot);
    known->lots = search->lots;
    known->feasible = 1;
    known->energy = energy;
    known->active = active;
cleanup:
    return status;
}

/* What a relaxed solution at the base comes to in w. */
static double relaxed_weight(const scalay_energy_search *search)
{
    const scalay_slope *slope = &search->slope;
    int64_t energy = 0;
    int64_t active = 0;
    scalay_energy_sum_up(search, &energy, &active);
    return (double)search->factor * (double)energy + (double)active +
           ((double)search->factor * (double)slope->energy + (double)slope->active) * (double)search->missing /
               (double)slope->length;
}

static scalay_status take_best(scalay_energy_search *search, const scalay_energy_branch *known)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!known->feasible) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(search->lot, search->lot_room, known->lots));
    memcpy(search->lot, known->lot, (size_t)known->lots * sizeof *search->lot);
    search->lots = known->lots;
cleanup:
    return status;
}

/* One of the two: the processor of the group is active, or idle. */
static scalay_status solve_one(scalay_energy_search *search, int branch, int group, int active)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_branch *below = &search->branch[2 * branch + active];
    int feasible = 0;
    search->state[group] = active ? SCALAY_ENERGY_ACTIVE : SCALAY_ENERGY_IDLE;
    if (active) SCALAY_TRY(swap_hulls(search, group));
    go_down(search, below, group);
    SCALAY_TRY(scalay_energy_solve_branch(search, 2 * branch + active, &search->branch[branch], &feasible));
    leave(search, below);
    if (active) SCALAY_TRY(swap_hulls(search, group));
    if (feasible) SCALAY_TRY(keep_better(search, &search->branch[branch]));
cleanup:
    return status;
}

scalay_status scalay_energy_branch_out(scalay_energy_search *search, int branch, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    const int group = search->lot[search->open_lot].group;
    const double relaxed = relaxed_weight(search);
    const int64_t last_ways = search->last_ways;
    if (search->branch == NULL) SCALAY_TRY(create(search));
    scalay_energy_branch *known = &search->branch[branch];
    known->feasible = 0;
    leave(search, known);
    for (int active = 1; active >= 0; active--) SCALAY_TRY(solve_one(search, branch, group, active));
    search->state[group] = SCALAY_ENERGY_FREE;
    enter(search, known);
    SCALAY_TRY(take_best(search, known));
    *feasible = known->feasible;
    if (known->feasible) search->gap = (double)search->factor * (double)known->energy + (double)known->active - relaxed;
    if (branch > 1) return SCALAY_SUCCESS;
    /* What does not spare the last way is not tried for some solutions. */
    search->branch_pauses =
        search->last_ways == last_ways ? 0 : scalay_min_int64(2 * search->branch_pauses + 1, MOST_PAUSES);
    search->branch_pause = 1;
cleanup:
    return status;
}
