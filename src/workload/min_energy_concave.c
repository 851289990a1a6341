/*
 * Least energy where energies are concave and all sizes up to a processor's largest are allowed: of two processors
 * that both have part of their largest size, units can go from one to the other at no loss until one of them has all or
 * nothing, and neither the energy nor the number of active processors rises. So one processor at most has a part; the
 * others have all or nothing, which for those of a base is one move each.
 *
 * The sums of these moves are a knapsack: one look at each sum for each processor. For the processor with a part, each
 * of its sizes asks the knapsack for what is left. Where the moves that it answers with need that processor, too, the
 * answer is only a bound, and the knapsack is made again without it, unless something else is better than the bound.
 *
 * Cost of a budget (as in min_energy_moves.c) with k processors that can move within it, sums within a window of w and
 * s sizes within the budget: O(k w + s), and O(k w) for each processor that stands in its own way.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"
#include "workload/min_energy_rows.h"

enum { MOST_UNITS = 4096 };

/* From one budget to the next. */
static const double MORE = 1.5;

/* A processor that may go to the other vertex of its hull. */
typedef struct {
    int64_t lot;
    int64_t index;
    int64_t move;
    double cost;
} unit;

/* All sums of such moves within a budget. */
typedef struct {
    int64_t target;
    double budget;
    unit *unit; /* shape [units] */
    int64_t units;
    int64_t low; /* the sum of the first cell */
    int64_t cells;
    double *row;     /* shape [units + 1][cells]: the least cost of a sum with the first units */
    int64_t without; /* one processor of that lot is not among them; -1: all are */
} knapsack;

/* What one processor of a lot gets beside what the units add up to. */
typedef struct {
    int64_t lot; /* -1: nobody has a part */
    int64_t index;
    int64_t rest; /* what the units add up to */
    double cost;
    int alone; /* 1: the processor is not among the units */
} part;

/* --------------------------------------------------------------------------------------------------- concavity */

/* The largest size up to which all are listed, energies are concave from size 0 on, and times do not fall. */
static int64_t concave_up_to(const scalay_problem_group *group, int64_t most)
{
    const int64_t *energy = group->energy;
    int64_t x = 0;
    for (; x < most; x++) {
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
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        search->concave[j] = concave_up_to(group, scalay_min_int64(group->largest, search->n));
    }
cleanup:
    return status;
}

/* Whether the theorem above holds: then hulls have no vertices but size 0 and the largest. */
static scalay_status test(scalay_energy_search *search, int *is_concave)
{
    scalay_status status = SCALAY_SUCCESS;
    *is_concave = search->problem->groups > 1 && search->fits && !search->counted && search->least == 0 &&
                  search->scale == 1 && search->charge == 0 && search->fillers == 0 && search->state == NULL;
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

/* -------------------------------------------------------------------------------------------------- the knapsack */

static double cost_of(const scalay_energy_search *search, const scalay_energy_lot *lot, int64_t index)
{
    const int64_t energy = scalay_energy_at(search, &search->problem->group[lot->group], index);
    return (double)(int64_t)scalay_reduced_cost(search, energy - lot->energy, (index > 0) - (lot->index > 0),
                                                index - lot->index);
}

/* The other vertex of a lot's hull; -1: there is none. */
static int64_t other_end(const scalay_energy_search *search, const scalay_energy_lot *lot)
{
    const scalay_hull *hull = &search->hull[lot->group];
    return hull->count < 2 ? -1 : hull->vertex[1 - lot->vertex].index;
}

/* Lists the processors that can move within the budget; 0: there are too many. */
static scalay_status list_units(scalay_energy_search *search, knapsack *sack, int *listed)
{
    scalay_status status = SCALAY_SUCCESS;
    sack->units = 0;
    *listed = 1;
    for (int64_t k = 0; k < search->base_lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        const int64_t end = other_end(search, lot);
        if (end < 0) continue;
        const unit made = {k, end, end - lot->index, cost_of(search, lot, end)};
        if (made.cost > sack->budget) continue;
        *listed = lot->copies <= MOST_UNITS - sack->units;
        if (!*listed) break;
        SCALAY_TRY(scalay_energy_scratch(search, 0, sack->units + lot->copies, sizeof *sack->unit, &sack->unit));
        for (int64_t copy = 0; copy < lot->copies; copy++) sack->unit[sack->units++] = made;
    }
cleanup:
    return status;
}

/* How far the units lead in a direction within the budget. */
static scalay_status find_reach(scalay_energy_search *search, const knapsack *sack, int direction, int64_t *reach)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_reach *ways = NULL;
    int64_t count = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 3, sack->units, sizeof *ways, &ways));
    for (int64_t u = 0; u < sack->units; u++) {
        const double length = (double)(direction * sack->unit[u].move);
        if (length > 0.0) ways[count++] = (scalay_energy_reach){sack->unit[u].cost / length, length};
    }
    *reach = (int64_t)scalay_energy_buy(ways, count, sack->budget);
cleanup:
    return status;
}

/* Sums that the units reach and that lead to the target with the other units and a part. */
static scalay_status find_window(scalay_energy_search *search, knapsack *sack, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t up = 0;
    int64_t down = 0;
    SCALAY_TRY(find_reach(search, sack, 1, &up));
    SCALAY_TRY(find_reach(search, sack, -1, &down));
    const int64_t low = scalay_max_int64(-down, sack->target - up - search->span);
    const int64_t high = scalay_min_int64(up, sack->target + down + search->span);
    sack->low = scalay_min_int64(low, scalay_min_int64(0, sack->target));
    sack->cells = scalay_max_int64(high, scalay_max_int64(0, sack->target)) - sack->low + 1;
    *fits = (double)sack->cells * (double)(sack->units + 1) <= (double)search->most_cells;
    if (*fits)
        SCALAY_TRY(scalay_energy_scratch(search, 4, (sack->units + 1) * sack->cells, sizeof *sack->row, &sack->row));
    sack->without = -2;
cleanup:
    return status;
}

/* One more unit. */
static void add_unit(const knapsack *sack, const unit *made, const double *source, double *target)
{
    const int64_t length = sack->cells - (made->move < 0 ? -made->move : made->move);
    memcpy(target, source, (size_t)sack->cells * sizeof *target);
    if (length <= 0) return;
    improve_narrow(target + (made->move > 0 ? made->move : 0), source - (made->move < 0 ? made->move : 0), length,
                   made->cost);
    cut_narrow(target, sack->cells, sack->budget);
}

/* Fills the rows, without one processor of a lot (-1: with all). */
static void fill(knapsack *sack, int64_t without)
{
    int left_out = without < 0;
    if (sack->without == without) return;
    sack->without = without;
    for (int64_t k = 0; k < sack->cells; k++) sack->row[k] = INFINITY;
    sack->row[-sack->low] = 0.0;
    for (int64_t u = 0; u < sack->units; u++) {
        double *source = sack->row + u * sack->cells;
        if (!left_out && sack->unit[u].lot == without) {
            left_out = 1;
            memcpy(source + sack->cells, source, (size_t)sack->cells * sizeof *source);
            continue;
        }
        add_unit(sack, &sack->unit[u], source, source + sack->cells);
    }
}

/* The least cost of a sum. */
static double look_up(const knapsack *sack, int64_t sum)
{
    const int64_t cell = sum - sack->low;
    return cell < 0 || cell >= sack->cells ? INFINITY : sack->row[sack->units * sack->cells + cell];
}

/* Whether a unit is among those that make the sum of a cell at the least cost, or can be left out. */
static int is_used(const knapsack *sack, int64_t u, int64_t cell)
{
    const double *before = sack->row + u * sack->cells;
    return before[cell] != before[sack->cells + cell];
}

/* How many processors of a lot make a sum. */
static int64_t count_used(const knapsack *sack, int64_t sum, int64_t lot)
{
    int64_t cell = sum - sack->low;
    int64_t used = 0;
    for (int64_t u = sack->units - 1; u >= 0; u--) {
        if (!is_used(sack, u, cell)) continue;
        used += sack->unit[u].lot == lot;
        cell -= sack->unit[u].move;
    }
    return used;
}

/* ---------------------------------------------------------------------------------------------------- the part */

/* A size for one processor of a lot; 0: it costs too much by itself. */
static int try_size(const scalay_energy_search *search, const knapsack *sack, int64_t index, part *best)
{
    const scalay_energy_lot *lot = &search->lot[best->lot];
    const double cost = cost_of(search, lot, index);
    const int64_t rest = sack->target - (index - lot->index);
    if (cost >= best->cost) return 0;
    const double sum = cost + look_up(sack, rest);
    if (sum >= best->cost) return 1;
    best->cost = sum;
    best->index = index;
    best->rest = rest;
    return 1;
}

/* The best size for one processor of a lot; index -1: none costs less than `most`. Costs are concave between the
 * vertices, so that cheap sizes are next to them. */
static part find_part(const scalay_energy_search *search, const knapsack *sack, int64_t lot, double most)
{
    part best = {lot, -1, 0, most, sack->without == lot};
    int64_t low = 1;
    int64_t high = scalay_max_int64(search->lot[lot].index, other_end(search, &search->lot[lot])) - 1;
    while (low <= high && try_size(search, sack, low, &best)) low++;
    while (low <= high && try_size(search, sack, high, &best)) high--;
    return best;
}

/* Whether a part and the units that go with it need more processors of the lot than it has. */
static int is_in_the_way(const scalay_energy_search *search, const knapsack *sack, const part *of)
{
    return count_used(sack, of->rest, of->lot) >= search->lot[of->lot].copies;
}

/* The best of all that are within the budget. */
static scalay_status find_best(scalay_energy_search *search, knapsack *sack, part *best)
{
    scalay_status status = SCALAY_SUCCESS;
    part *open = NULL;
    int64_t opens = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 5, search->base_lots, sizeof *open, &open));
    fill(sack, -1);
    *best = (part){-1, 0, sack->target, fmin(look_up(sack, sack->target), sack->budget + 1.0), 0};
    for (int64_t k = 0; k < search->base_lots; k++) {
        const part found = find_part(search, sack, k, best->cost);
        if (found.index < 0) continue;
        if (is_in_the_way(search, sack, &found))
            open[opens++] = found;
        else
            *best = found;
    }
    for (int64_t k = 0; k < opens; k++) {
        if (open[k].cost >= best->cost) continue;
        fill(sack, open[k].lot);
        const part found = find_part(search, sack, open[k].lot, best->cost);
        if (found.index >= 0) *best = found;
    }
cleanup:
    return status;
}

/* Takes the part, and the units that make up for it. */
static scalay_status take(scalay_energy_search *search, knapsack *sack, const part *best)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t cell = best->rest - sack->low;
    fill(sack, best->alone ? best->lot : -1);
    for (int64_t u = sack->units - 1; u >= 0; u--) {
        if (!is_used(sack, u, cell)) continue;
        SCALAY_TRY(scalay_energy_take(search, sack->unit[u].lot, sack->unit[u].index, 1));
        cell -= sack->unit[u].move;
    }
    if (best->lot >= 0) SCALAY_TRY(scalay_energy_take(search, best->lot, best->index, 1));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- budgets */

/* The cheapest moves, right when they are within the budget; 0 in `possible`: it takes too much. */
static scalay_status try_budget(scalay_energy_search *search, knapsack *sack, part *best, int *possible)
{
    scalay_status status = SCALAY_SUCCESS;
    *possible = sack->budget <= SCALAY_NARROW_COST / 2.0;
    if (*possible) SCALAY_TRY(list_units(search, sack, possible));
    if (*possible) SCALAY_TRY(find_window(search, sack, possible));
    if (*possible) SCALAY_TRY(find_best(search, sack, best));
cleanup:
    return status;
}

scalay_status scalay_energy_concave(scalay_energy_search *search, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    int possible = 0;
    part best = {0};
    knapsack sack = {.target = search->missing};
    *verdict = SCALAY_ENERGY_UNKNOWN;
    SCALAY_TRY(test(search, &possible));
    if (!possible) return SCALAY_SUCCESS;
    sack.budget = search->gap >= 0.0 ? floor(search->gap * (double)search->slope.length) + 1.0
                                     : (double)scalay_energy_first_budget(search);
    for (;;) {
        SCALAY_TRY(try_budget(search, &sack, &best, &possible));
        if (!possible) return SCALAY_SUCCESS;
        if (best.cost <= sack.budget) break;
        sack.budget *= MORE;
    }
    SCALAY_TRY(take(search, &sack, &best));
    search->gap = best.cost / (double)search->slope.length;
    *verdict = SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}
