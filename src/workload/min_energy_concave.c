/*
 * Knapsack of whole processors, for energies that are concave up to the largest allowed size of each group.
 *
 * If two processors both have part of their largest size, units can move from one to the other without loss until one
 * of them has its largest size or nothing. So at most one processor has a part. The others are at the two vertices of
 * their hulls: each has one move. Dynamic programming gives the least weight of all sums of these moves. Each size of
 * the processor with a part asks the table for the rest of the deficit. If the answer uses that processor too, it is
 * only a bound, and the table is made again without the processor, unless another solution is better than the bound.
 *
 * Cost of a budget with k processors that can move, w sums and s sizes within the budget: O(k w + s), and O(k w) for
 * each processor whose answer uses it.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum { MAX_UNITS = 4096 };

/* More than any weight; the sum of two fits. */
#define NO_WEIGHT (INT64_C(1) << 61)

/* From one budget to the next. */
static const double GROWTH = 1.5;

/* Costs are rounded; they are compared with this margin. */
static const double MARGIN = 1.0 + 0x1p-40;

/* Budgets per length, and so weights, are below this one. */
static const double MAX_WEIGHT = 0x1p59;

/* A processor that may move to the other vertex of its hull. */
typedef struct {
    int64_t share;
    int64_t index;
    int64_t length;
    int64_t weight;
    double cost;
} unit_move;

/* Least weights of the sums of such moves. */
typedef struct {
    scalay_energy_search *search;
    int64_t deficit;
    double budget;
    unit_move *unit; /* shape [units] */
    int64_t units;
    int64_t low; /* sum of the first column */
    int64_t columns;
    int64_t *limit;   /* shape [columns]: largest weight within the budget */
    int64_t *row;     /* shape [units + 1][columns]: with the first units */
    int64_t left_out; /* share of which one processor is not among the units; -1: none; -2: no row is made */
} knapsack;

/* The processor with a part, and the sum of the units. */
typedef struct {
    int64_t share; /* -1: no processor has a part */
    int64_t index;
    int64_t rest; /* sum of the units */
    int64_t weight;
    int is_alone; /* 1: the processor is not among the units */
} part;

/* --------------------------------------------------------------------------------------------------- concavity */

/* The largest size up to which all sizes are listed, energies are concave from size 0 on, and times do not fall. */
static int64_t concave_up_to(const scalay_problem_group *group, int64_t last)
{
    const int64_t *energy = group->energy;
    int64_t x = 0;
    for (; x < last; x++) {
        const int64_t next = energy[x + 1];
        if (next == SCALAY_NO_ENERGY || !(group->time[x + 1] < INFINITY)) break;
        if (x > 0 && (next - energy[x] > energy[x] - energy[x - 1] || group->time[x + 1] < group->time[x])) break;
    }
    return x;
}

static scalay_status find_concave(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    if (search->concave != NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(search->concave, search->problem->groups));
    for (int j = 0; j < search->problem->groups; j++)
        search->concave[j] = concave_up_to(&search->problem->group[j], scalay_energy_last_index(search, j));
cleanup:
    return status;
}

/* 1 if all energies are concave up to the largest allowed size: then hulls have two vertices at most. */
static scalay_status test_concave(scalay_energy_search *search, int *is_concave)
{
    scalay_status status = SCALAY_SUCCESS;
    *is_concave = search->problem->groups > 1 && search->fits && !search->target.is_given && search->min_index == 0 &&
                  search->scale == 1 && search->charge == 0;
    for (int j = 0; *is_concave && j < search->problem->groups; j++) *is_concave = search->hull[j].count <= 2;
    if (!*is_concave) return SCALAY_SUCCESS;
    SCALAY_TRY(find_concave(search));
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        if (hull->vertex[hull->count - 1].index > search->concave[j]) *is_concave = 0;
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- the table */

static int64_t weight_of(const scalay_energy_search *search, const scalay_energy_share *share, int64_t index)
{
    const int64_t energy = scalay_energy_at(search, &search->problem->group[share->group], index);
    return scalay_move_weight_narrow(search, energy - share->energy, (index > 0) - (share->index > 0),
                                     index - share->index);
}

/* The other vertex of a share's hull; -1: there is none. */
static int64_t other_end(const scalay_energy_search *search, const scalay_energy_share *share)
{
    const scalay_hull *hull = &search->hull[share->group];
    return hull->count < 2 ? -1 : hull->vertex[1 - share->vertex].index;
}

/* Lists the processors that can move within the budget; *listed is 0 if they are too many. */
static scalay_status list_units(knapsack *sack, int *listed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = sack->search;
    sack->units = 0;
    *listed = 1;
    for (int64_t k = 0; k < search->solution.break_shares; k++) {
        const scalay_energy_share *share = &search->solution.share[k];
        const int64_t end = other_end(search, share);
        if (end < 0) continue;
        const int64_t length = end - share->index;
        const int64_t weight = weight_of(search, share, end);
        const unit_move unit = {k, end, length, weight, scalay_reduced_cost_rounded(search, (double)weight, length)};
        if (unit.cost > sack->budget) continue;
        *listed = share->count <= MAX_UNITS - sack->units;
        if (!*listed) break;
        SCALAY_TRY(scalay_energy_scratch(search, 0, sack->units + share->count, sizeof *sack->unit, &sack->unit));
        for (int64_t i = 0; i < share->count; i++) sack->unit[sack->units++] = unit;
    }
cleanup:
    return status;
}

/* The distance that the units reach in a direction within the budget. */
static scalay_status find_reach(knapsack *sack, int direction, int64_t *reach)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_offer *offers = NULL;
    int64_t count = 0;
    SCALAY_TRY(scalay_energy_scratch(sack->search, 3, sack->units, sizeof *offers, &offers));
    for (int64_t u = 0; u < sack->units; u++) {
        const double length = (double)(direction * sack->unit[u].length);
        if (length > 0.0) offers[count++] = (scalay_energy_offer){sack->unit[u].cost / length, length};
    }
    *reach = (int64_t)scalay_energy_buy(offers, count, sack->budget);
cleanup:
    return status;
}

/* Sums that the units reach, and from which other units and a part reach the deficit; *fits is 0 if they are too many.
 */
static scalay_status find_columns(knapsack *sack, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t span = sack->search->span;
    int64_t up = 0;
    int64_t down = 0;
    SCALAY_TRY(find_reach(sack, 1, &up));
    SCALAY_TRY(find_reach(sack, -1, &down));
    const int64_t low = scalay_max_int64(-down, sack->deficit - up - span);
    const int64_t high = scalay_min_int64(up, sack->deficit + down + span);
    sack->low = scalay_min_int64(low, scalay_min_int64(0, sack->deficit));
    sack->columns = scalay_max_int64(high, scalay_max_int64(0, sack->deficit)) - sack->low + 1;
    sack->left_out = -2;
    *fits = (double)sack->columns * (double)(sack->units + 1) <= (double)sack->search->max_entries;
    if (!*fits) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(sack->search, 6, sack->columns, sizeof *sack->limit, &sack->limit));
    SCALAY_TRY(
        scalay_energy_scratch(sack->search, 4, (sack->units + 1) * sack->columns, sizeof *sack->row, &sack->row));
cleanup:
    return status;
}

static void add_unit(const knapsack *sack, const unit_move *unit, const int64_t *source, int64_t *target)
{
    const int64_t length = sack->columns - (unit->length < 0 ? -unit->length : unit->length);
    memcpy(target, source, (size_t)sack->columns * sizeof *target);
    if (length <= 0) return;
    scalay_row_min_sum(target + (unit->length > 0 ? unit->length : 0), source - (unit->length < 0 ? unit->length : 0),
                       length, unit->weight);
    scalay_row_discard_above(target, sack->limit, sack->columns, NO_WEIGHT);
}

/* Makes the rows, without one processor of a share (-1: with all). */
static void make_rows(knapsack *sack, int64_t left_out)
{
    int is_left_out = left_out < 0;
    if (sack->left_out == left_out) return;
    sack->left_out = left_out;
    for (int64_t k = 0; k < sack->columns; k++) sack->row[k] = NO_WEIGHT;
    sack->row[-sack->low] = 0;
    for (int64_t u = 0; u < sack->units; u++) {
        int64_t *source = sack->row + u * sack->columns;
        if (!is_left_out && sack->unit[u].share == left_out) {
            is_left_out = 1;
            memcpy(source + sack->columns, source, (size_t)sack->columns * sizeof *source);
            continue;
        }
        add_unit(sack, &sack->unit[u], source, source + sack->columns);
    }
}

/* The least weight of a sum. */
static int64_t look_up(const knapsack *sack, int64_t sum)
{
    const int64_t column = sum - sack->low;
    return column < 0 || column >= sack->columns ? NO_WEIGHT : sack->row[sack->units * sack->columns + column];
}

/* 1 if a unit is needed for the least weight of a column. */
static int is_used(const knapsack *sack, int64_t u, int64_t column)
{
    const int64_t *before = sack->row + u * sack->columns;
    return before[column] != before[sack->columns + column];
}

/* Number of processors of a share that are used for a sum. */
static int64_t count_used(const knapsack *sack, int64_t sum, int64_t share)
{
    int64_t column = sum - sack->low;
    int64_t used = 0;
    for (int64_t u = sack->units - 1; u >= 0; u--) {
        if (!is_used(sack, u, column)) continue;
        used += sack->unit[u].share == share;
        column -= sack->unit[u].length;
    }
    return used;
}

/* ----------------------------------------------------------------------------------------------------- the part */

static double cost_of_sum(const knapsack *sack, int64_t weight)
{
    return scalay_reduced_cost_rounded(sack->search, (double)weight, sack->deficit);
}

/* Tries a size for one processor of a share; 0: the size alone costs too much. */
static int try_size(const knapsack *sack, int64_t index, double *max_cost, part *best)
{
    const scalay_energy_share *share = &sack->search->solution.share[best->share];
    const int64_t length = index - share->index;
    const int64_t weight = weight_of(sack->search, share, index);
    const double cost = scalay_reduced_cost_rounded(sack->search, (double)weight, length);
    if (cost > *max_cost * MARGIN) return 0;
    const int64_t rest = look_up(sack, sack->deficit - length);
    if (rest >= NO_WEIGHT || weight + rest >= best->weight) return 1;
    best->weight = weight + rest;
    best->index = index;
    best->rest = sack->deficit - length;
    *max_cost = fmin(*max_cost, cost_of_sum(sack, best->weight));
    return 1;
}

/* The best size for one processor of a share; index -1: none has less than a weight. Costs are concave between the
 * vertices, so cheap sizes are next to them. */
static part find_part(const knapsack *sack, int64_t share, int64_t weight)
{
    const scalay_energy_share *from = &sack->search->solution.share[share];
    part best = {share, -1, 0, weight, sack->left_out == share};
    int64_t low = 1;
    int64_t high = scalay_max_int64(from->index, other_end(sack->search, from)) - 1;
    double max_cost = weight < NO_WEIGHT ? fmin(sack->budget, cost_of_sum(sack, weight)) : sack->budget;
    while (low <= high && try_size(sack, low, &max_cost, &best)) low++;
    while (low <= high && try_size(sack, high, &max_cost, &best)) high--;
    return best;
}

/* 1 if the part and its units need more processors of the share than it has. */
static int needs_too_many(const knapsack *sack, const part *of)
{
    return count_used(sack, of->rest, of->share) >= sack->search->solution.share[of->share].count;
}

/* The best solution with the limits' weights. */
static scalay_status find_best(knapsack *sack, part *best)
{
    scalay_status status = SCALAY_SUCCESS;
    part *bound = NULL;
    int64_t bounds = 0;
    const int64_t shares = sack->search->solution.break_shares;
    SCALAY_TRY(scalay_energy_scratch(sack->search, 5, shares, sizeof *bound, &bound));
    make_rows(sack, -1);
    *best = (part){-1, 0, sack->deficit, look_up(sack, sack->deficit), 0};
    for (int64_t k = 0; k < shares; k++) {
        const part found = find_part(sack, k, best->weight);
        if (found.index < 0) continue;
        if (needs_too_many(sack, &found))
            bound[bounds++] = found;
        else
            *best = found;
    }
    for (int64_t k = 0; k < bounds; k++) {
        if (bound[k].weight >= best->weight) continue;
        make_rows(sack, bound[k].share);
        const part found = find_part(sack, bound[k].share, best->weight);
        if (found.index >= 0) *best = found;
    }
cleanup:
    return status;
}

/* Takes the units, and the part. */
static scalay_status take_best(knapsack *sack, const part *best)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t column = best->rest - sack->low;
    make_rows(sack, best->is_alone ? best->share : -1);
    for (int64_t u = sack->units - 1; u >= 0; u--) {
        if (!is_used(sack, u, column)) continue;
        SCALAY_TRY(scalay_energy_take(sack->search, sack->unit[u].share, sack->unit[u].index, 1));
        column -= sack->unit[u].length;
    }
    if (best->share >= 0) SCALAY_TRY(scalay_energy_take(sack->search, best->share, best->index, 1));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ budgets */

/* The cheapest moves, optimal if they are within the budget; *possible is 0 if the table is too large. */
static scalay_status try_budget(knapsack *sack, part *best, int *possible)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = (double)sack->search->solution.slope.length;
    *possible = sack->budget / length + (double)sack->search->max_entries <= MAX_WEIGHT;
    if (*possible) SCALAY_TRY(list_units(sack, possible));
    if (*possible) SCALAY_TRY(find_columns(sack, possible));
    if (!*possible) goto cleanup;
    scalay_energy_limits(sack->search, (scalay_wide)sack->budget, sack->low, sack->columns, sack->limit);
    SCALAY_TRY(find_best(sack, best));
cleanup:
    return status;
}

scalay_status scalay_energy_concave(scalay_energy_search *search, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = (double)search->solution.slope.length;
    knapsack sack = {.search = search, .deficit = search->solution.deficit};
    part best = {0};
    int possible = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    SCALAY_TRY(test_concave(search, &possible));
    if (!possible) return SCALAY_SUCCESS;
    sack.budget = search->gap >= 0.0 ? floor(search->gap * length) + 1.0 : (double)scalay_energy_first_budget(search);
    for (;; sack.budget *= GROWTH) {
        SCALAY_TRY(try_budget(&sack, &best, &possible));
        if (!possible) return SCALAY_SUCCESS;
        if (best.weight < NO_WEIGHT && cost_of_sum(&sack, best.weight) <= sack.budget) break;
    }
    SCALAY_TRY(take_best(&sack, &best));
    search->gap = cost_of_sum(&sack, best.weight) / length;
    *verdict = SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}
