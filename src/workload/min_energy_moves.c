/*
 * Least energy with moves of limited reduced cost: a best distribution whose moves cost R in total makes only moves
 * that cost R or less. So we try budgets, each twice the one before, until the cheapest moves that add up to what
 * the base lacks are within the budget. Within a budget, sums of moves stay within what it can buy: the fractional
 * bound of a knapsack; and within 2 span^2, because fewer than 2 span moves are enough.
 *
 * Cost of a budget with k processors that can move, at most 2 span of each lot, a moves and sums within a window of w:
 * O(a w k) at worst. Memory: a row of sums for each of these processors, up to some times the sizes of all groups;
 * beyond, the rows are made as min_energy_doubling.c says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"
#include "workload/min_energy_moves.h"
#include "workload/min_energy_rows.h"

/* What has been done: layer 0 is the start, each other one a copy of a run's lot. */
typedef struct {
    int64_t count;
    scalay_moves_run *run; /* shape [count]; that of layer 0 is not used */
} layers;

/* Whether so many layers may be kept. */
static int may_keep(const scalay_energy_search *search, const scalay_moves_window *range, int64_t layers_kept)
{
    return (double)range->cells * (double)layers_kept <= (double)search->most_cells;
}

#define COST double
#define NONE INFINITY
#define NAME(verb) verb##_narrow
#include "workload/min_energy_moves_worker.h"
#undef COST
#undef NONE
#undef NAME
#define COST int64_t
#define NONE SCALAY_NO_WHOLE_COST
#define NAME(verb) verb##_whole
#include "workload/min_energy_moves_worker.h"
#undef COST
#undef NONE
#undef NAME
#define COST scalay_wide
#define NONE SCALAY_NO_WIDE_COST
#define NAME(verb) verb##_wide
#include "workload/min_energy_moves_worker.h"
#undef COST
#undef NONE
#undef NAME

/* -------------------------------------------------------------------------------------------------- the window */

static int by_rate(const void *a, const void *b)
{
    double x = ((const scalay_energy_reach *)a)->rate;
    double y = ((const scalay_energy_reach *)b)->rate;
    return (x > y) - (x < y);
}

double scalay_energy_buy(scalay_energy_reach *ways, int64_t count, double budget)
{
    double total = 0.0;
    qsort(ways, (size_t)count, sizeof *ways, by_rate);
    for (int64_t k = 0; k < count; k++) {
        double cost = ways[k].rate * ways[k].amount;
        if (cost > budget) return (total + budget / ways[k].rate) * (1.0 + 0x1p-30) + 1.0;
        total += ways[k].amount;
        budget -= cost * (1.0 - 0x1p-40);
    }
    return total * (1.0 + 0x1p-30);
}

/* How far a move goes in a direction: 1 and -1 sizes up and down, 2 and -2 active processors more and less. */
static int64_t advance(const scalay_energy_move *move, int direction)
{
    return direction == 1 ? move->move : direction == -1 ? -move->move : direction == 2 ? move->rise : -move->rise;
}

/* What of a move counts against the budget. */
static double above_bound(const scalay_energy_search *search, const scalay_energy_move *move)
{
    if (search->modulus == 0) return (double)move->cost;
    return (double)(move->cost - search->class_gain[scalay_energy_class(search->modulus, move->move)]);
}

/* A bound of what all moves within the budget can reach in a direction. */
static scalay_status find_reach(scalay_energy_search *search, const scalay_moves_run *runs, int64_t count,
                                int direction, double budget, int64_t *most)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_reach *lots = NULL;
    int64_t able = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 3, count, sizeof *lots, &lots));
    for (int64_t k = 0; k < count; k++) {
        double rate = INFINITY;
        int64_t furthest = 0;
        for (int64_t i = runs[k].first; i < runs[k].first + runs[k].count; i++) {
            int64_t length = advance(&search->move[i], direction);
            if (length <= 0) continue;
            rate = fmin(rate, above_bound(search, &search->move[i]) / (double)length);
            furthest = scalay_max_int64(furthest, length);
        }
        int64_t copies = search->lot[search->move[runs[k].first].lot].copies;
        if (furthest > 0) lots[able++] = (scalay_energy_reach){rate, (double)furthest * (double)copies};
    }
    *most = (int64_t)fmin(scalay_energy_buy(lots, able, budget), 0x1p60);
cleanup:
    return status;
}

/* The range of sums that can lead to a target: up to what can be reached, and what can be come back from. */
static void bracket(int64_t up, int64_t down, int64_t target, int64_t *low, int64_t *high)
{
    *high = scalay_max_int64(scalay_min_int64(up, target + down), scalay_max_int64(target, 0));
    *low = scalay_min_int64(scalay_max_int64(-down, target - up), scalay_min_int64(target, 0));
}

/* *possible is 0 when the target is out of reach. */
static scalay_status find_window(scalay_energy_search *search, const scalay_moves_run *runs, int64_t count,
                                 double budget, scalay_moves_window *range, int *possible)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t reach[5] = {0};
    int64_t high = 0;
    int64_t rise = 0;
    const int64_t enough = scalay_energy_enough(search);
    for (int direction = -1; direction <= 1; direction += 2) {
        SCALAY_TRY(find_reach(search, runs, count, direction, budget, &reach[2 + direction]));
        reach[2 + direction] = scalay_min_int64(reach[2 + direction], enough * search->span);
        if (search->counted) {
            SCALAY_TRY(find_reach(search, runs, count, 2 * direction, budget, &reach[2 + 2 * direction]));
            reach[2 + 2 * direction] = scalay_min_int64(reach[2 + 2 * direction], enough);
        }
    }
    *possible = search->missing <= reach[3] && -search->missing <= reach[1] &&
                (!search->counted || (search->rising <= reach[4] && -search->rising <= reach[0]));
    bracket(reach[3], reach[1], search->missing, &range->low, &high);
    range->fall = 0;
    if (search->counted) bracket(reach[4], reach[0], search->rising, &range->fall, &rise);
    range->columns = high - range->low + 1;
    range->rows = rise - range->fall + 1;
    scalay_moves_close_window(search, range);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- budgets */

static void add_move(scalay_moves_run *moves, int64_t move)
{
    moves->count++;
    moves->lowest = scalay_min_int64(moves->lowest, move);
    moves->highest = scalay_max_int64(moves->highest, move);
}

static scalay_moves_run start_run(const scalay_energy_search *search, int64_t move)
{
    const int64_t copies = search->lot[search->move[move].lot].copies;
    return (scalay_moves_run){.first = move, .copies = scalay_min_int64(copies, scalay_energy_enough(search))};
}

static scalay_status list_runs(scalay_energy_search *search, scalay_moves_run **runs, int64_t *count)
{
    scalay_status status = SCALAY_SUCCESS;
    *count = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 0, search->base_lots, sizeof **runs, runs));
    for (int64_t k = 0; k < search->moves; k++) {
        if (k == 0 || search->move[k].lot != search->move[k - 1].lot) (*runs)[(*count)++] = start_run(search, k);
        add_move(&(*runs)[*count - 1], search->move[k].move);
    }
    /* The longest first, while there is little that it can start from. */
    for (int64_t k = 1; k < *count; k++)
        if ((*runs)[k].count > (*runs)[0].count) {
            scalay_moves_run longest = (*runs)[k];
            (*runs)[k] = (*runs)[0];
            (*runs)[0] = longest;
        }
cleanup:
    return status;
}

/* What the class of the sum that is missing costs at least. */
static scalay_wide least_cost(const scalay_energy_search *search)
{
    return search->modulus > 0 ? search->class_cost[scalay_energy_class(search->modulus, search->missing)] : 0;
}

/* The cheapest moves within a budget above the bound of their class; *cost negative: there are none. */
static scalay_status try_budget(scalay_energy_search *search, scalay_wide above, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_moves_run *runs = NULL;
    int64_t count = 0;
    scalay_moves_window range;
    int possible = 0;
    scalay_wide budget = above + least_cost(search);
    *cost = -1;
    if (search->any && search->counted) search->good = budget;
    SCALAY_TRY(scalay_energy_collect(search, budget));
    if (search->modulus > 0) scalay_energy_drop_useless(search, budget);
    SCALAY_TRY(list_runs(search, &runs, &count));
    SCALAY_TRY(find_window(search, runs, count, (double)above, &range, &possible));
    if (!possible) return SCALAY_SUCCESS;
    if ((double)budget <= SCALAY_NARROW_COST)
        SCALAY_TRY(solve_narrow(search, &range, runs, count, budget, cost));
    else if ((double)budget <= SCALAY_WHOLE_COST)
        SCALAY_TRY(solve_whole(search, &range, runs, count, budget, cost));
    else
        SCALAY_TRY(solve_wide(search, &range, runs, count, budget, cost));
cleanup:
    return status;
}

/* What all moves together can cost at most. */
static scalay_wide highest_cost(const scalay_energy_search *search)
{
    scalay_wide total = 0;
    for (int64_t k = 0; k < search->moves;) {
        int64_t lot = search->move[k].lot;
        scalay_wide highest = 0;
        for (; k < search->moves && search->move[k].lot == lot; k++)
            if (search->move[k].cost > highest) highest = search->move[k].cost;
        total += highest * scalay_min_int64(search->lot[lot].copies, scalay_energy_enough(search));
    }
    return total;
}

/* What divides the weights of all sizes: usually 1, and soon seen to be. */
static int64_t find_grain(const scalay_energy_search *search)
{
    int64_t grain = 0;
    for (int j = 0; j < search->problem->groups && grain != 1; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        for (int64_t x = 1; x <= group->largest && x <= search->n && grain != 1; x++) {
            if (group->energy[x] == SCALAY_NO_ENERGY) continue;
            int64_t weight = search->factor * scalay_energy_at(search, group, x) + 1;
            grain = scalay_gcd(weight < 0 ? -weight : weight, grain);
        }
    }
    return grain > 0 ? grain : 1;
}

/* What the moves together cost is D times a multiple of the grain, less N times what is missing. */
static scalay_wide least_sum(scalay_energy_search *search)
{
    if (search->counted || !search->fits) return 0;
    const scalay_slope *slope = &search->slope;
    if (search->grain == 0) search->grain = find_grain(search);
    scalay_wide grain = scalay_wide_product(slope->length, search->grain);
    scalay_wide rest = scalay_wide_product(search->factor * slope->energy + slope->active, search->missing) % grain;
    return rest > 0 ? grain - rest : -rest;
}

/* A limit to start from: a little more than the last solution, or what is known to be needed, comes to. */
static scalay_wide first_budget(scalay_energy_search *search, scalay_wide bound)
{
    if (search->gap >= 0.0) return (scalay_wide)(1.25 * search->gap * (double)search->slope.length) + 1;
    if (bound > 0 && search->problem->groups == 1) return bound + bound / 4;
    return scalay_energy_first_budget(search);
}

/* Identical processors at two ends of an edge as one lot: half as many extras. */
static void merge_ends(scalay_energy_search *search)
{
    scalay_energy_lot *lot = search->lot;
    if (search->problem->groups > 1 || search->counted || search->base_lots != 2 ||
        lot[0].copies + lot[1].copies > scalay_energy_enough(search))
        return;
    search->missing += lot[1].copies * (lot[1].index - lot[0].index);
    lot[0].copies += lot[1].copies;
    search->base_lots = search->lots = 1;
}

scalay_status scalay_energy_moves(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_wide budget = first_budget(search, bound);
    merge_ends(search);
    search->good = least_sum(search);
    if (budget < search->good) budget = search->good;
    if (budget < bound) budget = bound;
    search->modulus = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    for (; *verdict == SCALAY_ENERGY_UNKNOWN; budget *= 2) {
        scalay_wide cost = -1;
        SCALAY_TRY(try_budget(search, budget, &cost));
        if (cost >= 0) {
            search->gap = (double)cost / (double)search->slope.length;
            *verdict = SCALAY_ENERGY_FOUND;
            continue;
        }
        if (search->complete && budget >= highest_cost(search)) *verdict = SCALAY_ENERGY_NONE;
        if (search->modulus > 0) continue;
        SCALAY_TRY(scalay_energy_classes(search));
        if (least_cost(search) >= SCALAY_NO_CLASS_COST) *verdict = SCALAY_ENERGY_NONE;
    }
cleanup:
    return status;
}
