/*
 * Knapsack with at most one interior processor (min_energy_interior.c), with a table of all sums.
 *
 * Dynamic programming gives the least weight of all sums of moves to other sizes. Each interior size then looks up the
 * rest of the deficit in that table. If the answer uses the same processor too, it is only a bound, and the table is
 * made again without the processor, unless another solution is at least as good as the bound.
 *
 * Cost of a budget with k processors, f moves to sizes that are not interior, w sums and s sizes within the budget:
 * O(f w + s), and O(f w) for each processor whose answer uses it. The memory is O(k w).
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum { MAX_UNITS = 4096, MAX_DISTANCE = 64 };

/* More than any weight; the sum of two fits. */
#define NO_WEIGHT (INT64_C(1) << 61)

/* From one budget to the next, and from the last solution to the first budget. */
static const double GROWTH = 1.5;
static const double GAP_MARGIN = 1.03;

/* Costs are rounded; they are compared with this margin. */
static const double MARGIN = 1.0 + 0x1p-40;

/* Budgets per length, and so weights, are below this one. */
static const double MAX_WEIGHT = 0x1p59;

/* The table may be so many times larger than those that others keep. */
static const double TABLE_PART = 4.0;

/* Reduced costs are exact up to rounding if products of two lengths are below this one. */
static const double MAX_PRODUCT = 0x1p50;

/* Of all sizes, at most this part may be listed for the table. */
static const double MAX_TABLE_PART = 0.5;

/* ---------------------------------------------------------------------------------------------------------- table */

/* Moves of the processors of a share: those for the table are first, those to interior sizes follow. */
typedef struct {
    int64_t first;
    int64_t interior;
    int64_t end;
} share_moves;

/* Lower bounds on the cost of distances. */
typedef struct {
    double *price; /* shape [reach + 1] */
    int64_t reach;
} prices;

/* The columns of a row that are not empty. */
typedef struct {
    int64_t first;
    int64_t end;
} column_range;

/* Least weights of the sums of moves. */
typedef struct {
    scalay_energy_search *search;
    const scalay_energy_move *move;
    int64_t deficit;
    double budget;
    share_moves *of_share;
    int64_t *unit; /* shape [units]: the share of each processor that can move */
    int64_t units;
    prices up;
    prices down;
    double max_entries;
    int64_t low; /* sum of the first column */
    int64_t columns;
    int64_t *limit;      /* shape [columns]: largest weight within the budget */
    int64_t *row;        /* shape [units + 1][columns]: with the first units */
    column_range *range; /* shape [units + 1] */
    int64_t left_out;    /* share of which one processor is not among the units; -1: none; -2: no row is made */
} knapsack;

/* The processor with an interior size, and the sum of the units. */
typedef struct {
    int64_t share; /* -1: no processor has one */
    int64_t index;
    int64_t rest; /* sum of the units */
    int64_t weight;
    int is_alone; /* 1: the processor is not among the units */
} interior_move;

/* Puts the moves of a share to interior sizes behind the others. */
static int64_t split_moves(const scalay_energy_search *search, scalay_energy_move *move, int64_t first, int64_t end)
{
    while (first < end) {
        const scalay_energy_move moved = move[first];
        if (!scalay_energy_is_interior(search, search->solution.share[moved.share].group, moved.index)) {
            first++;
            continue;
        }
        move[first] = move[--end];
        move[end] = moved;
    }
    return first;
}

/* Lists the moves within the budget, and the processors that can move; *listed is 0 if they are too many. */
static scalay_status list_units(knapsack *sack, int *listed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = sack->search;
    const int64_t shares = search->solution.break_shares;
    double table_moves = 0.0;
    SCALAY_TRY(scalay_energy_list_moves(search, (scalay_wide)sack->budget));
    SCALAY_TRY(scalay_energy_scratch(search, 1, shares, sizeof *sack->of_share, &sack->of_share));
    sack->move = search->moves.move;
    sack->units = 0;
    *listed = 1;
    for (int64_t k = 0, at = 0; k < shares && *listed; k++) {
        const int64_t count = search->solution.share[k].count;
        share_moves *of = &sack->of_share[k];
        of->first = at;
        while (at < search->moves.count && search->moves.move[at].share == k) at++;
        of->end = at;
        of->interior = split_moves(search, search->moves.move, of->first, of->end);
        if (of->interior == of->first) continue;
        table_moves += (double)(of->interior - of->first) * (double)count;
        *listed = count <= MAX_UNITS - sack->units;
        if (!*listed) break;
        SCALAY_TRY(scalay_energy_scratch(search, 0, sack->units + count, sizeof *sack->unit, &sack->unit));
        for (int64_t i = 0; i < count; i++) sack->unit[sack->units++] = k;
    }
    if (table_moves > MAX_TABLE_PART * (double)search->moves.count + MAX_DISTANCE) *listed = 0;
cleanup:
    return status;
}

/* The cheapest rate and the largest length of a share's moves in a direction, for all its processors. */
static scalay_energy_offer offer_of(const knapsack *sack, int64_t share, int direction)
{
    scalay_energy_offer offer = {INFINITY, 0.0};
    for (int64_t k = sack->of_share[share].first; k < sack->of_share[share].end; k++) {
        const scalay_energy_move *move = &sack->move[k];
        const double length = (double)(direction * move->length);
        if (length <= 0.0) continue;
        const double cost = scalay_reduced_cost_rounded(sack->search, (double)move->weight, move->length);
        offer.rate = fmin(offer.rate, fmax(cost, 0.0) / length);
        offer.amount = fmax(offer.amount, length);
    }
    offer.amount *= (double)sack->search->solution.share[share].count;
    return offer;
}

/* Lower bounds on the cost of all distances in a direction that the budget reaches; *fits is 0 if they are too many. */
static scalay_status list_prices(knapsack *sack, int direction, int slot, prices *of, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_offer *offers = NULL;
    const int64_t shares = sack->search->solution.break_shares;
    int64_t count = 0;
    double price = 0.0;
    SCALAY_TRY(scalay_energy_scratch(sack->search, 3, shares, sizeof *offers, &offers));
    for (int64_t k = 0; k < shares; k++) {
        offers[count] = offer_of(sack, k, direction);
        if (offers[count].amount > 0.0) count++;
    }
    const double reach = scalay_energy_buy(offers, count, sack->budget);
    *fits = reach < sack->max_entries;
    if (!*fits) return SCALAY_SUCCESS;
    of->reach = (int64_t)reach;
    SCALAY_TRY(scalay_energy_scratch(sack->search, slot, of->reach + 1, sizeof *of->price, &of->price));
    of->price[0] = 0.0;
    for (int64_t distance = 1, k = 0; distance <= of->reach; distance++) {
        while (k + 1 < count && offers[k].amount < 1.0) k++;
        offers[k].amount -= 1.0;
        price += offers[k].rate * (1.0 - 0x1p-30);
        of->price[distance] = price;
    }
cleanup:
    return status;
}

/* A lower bound on the cost of a sum. */
static double price_of(const knapsack *sack, int64_t sum)
{
    const prices *of = sum >= 0 ? &sack->up : &sack->down;
    const int64_t distance = sum >= 0 ? sum : -sum;
    return distance <= of->reach ? of->price[distance] : INFINITY;
}

/* 1 if moves within the budget may lead to a sum, and from there to the deficit. */
static int is_in_reach(const knapsack *sack, int64_t sum)
{
    return price_of(sack, sum) + price_of(sack, sack->deficit - sum) <= sack->budget;
}

/* The largest weight of each sum that leaves enough of the budget for the way to the deficit. */
static void set_limits(knapsack *sack)
{
    const double length = (double)sack->search->solution.slope.length;
    scalay_energy_limits(sack->search, (scalay_wide)sack->budget, sack->low, sack->columns, sack->limit);
    for (int64_t k = 0; k < sack->columns; k++)
        sack->limit[k] -= (int64_t)(fmin(price_of(sack, sack->deficit - sack->low - k), sack->budget) / length);
}

/* Sums that are in reach; *fits is 0 if they are too many. */
static scalay_status find_columns(knapsack *sack, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(list_prices(sack, 1, 2, &sack->up, fits));
    if (*fits) SCALAY_TRY(list_prices(sack, -1, 8, &sack->down, fits));
    if (!*fits) return SCALAY_SUCCESS;
    int64_t low = -sack->down.reach;
    int64_t high = sack->up.reach;
    while (low < 0 && low < sack->deficit && !is_in_reach(sack, low)) low++;
    while (high > 0 && high > sack->deficit && !is_in_reach(sack, high)) high--;
    sack->low = scalay_min_int64(low, scalay_min_int64(0, sack->deficit));
    sack->columns = scalay_max_int64(high, scalay_max_int64(0, sack->deficit)) - sack->low + 1;
    sack->left_out = -2;
    *fits = (double)sack->columns * (double)(sack->units + 1) <= sack->max_entries;
    if (!*fits) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(sack->search, 6, sack->columns, sizeof *sack->limit, &sack->limit));
    SCALAY_TRY(
        scalay_energy_scratch(sack->search, 4, (sack->units + 1) * sack->columns, sizeof *sack->row, &sack->row));
    SCALAY_TRY(scalay_energy_scratch(sack->search, 9, sack->units + 1, sizeof *sack->range, &sack->range));
    set_limits(sack);
cleanup:
    return status;
}

static void fill(int64_t *row, int64_t first, int64_t end)
{
    for (int64_t k = first; k < end; k++) row[k] = NO_WEIGHT;
}

/* The columns that a unit reaches from those of a row. */
static column_range reach_of(const knapsack *sack, int64_t share, column_range from)
{
    column_range reach = from;
    if (from.first >= from.end) return from;
    for (int64_t k = sack->of_share[share].first; k < sack->of_share[share].interior; k++) {
        reach.first = scalay_min_int64(reach.first, from.first + sack->move[k].length);
        reach.end = scalay_max_int64(reach.end, from.end + sack->move[k].length);
    }
    return (column_range){scalay_max_int64(reach.first, 0), scalay_min_int64(reach.end, sack->columns)};
}

/* Row `u` + 1: the sums with the moves of another unit. */
static void add_unit(knapsack *sack, int64_t u)
{
    const column_range from = sack->range[u];
    const int64_t *source = sack->row + u * sack->columns;
    int64_t *target = sack->row + (u + 1) * sack->columns;
    const share_moves *of = &sack->of_share[sack->unit[u]];
    column_range to = reach_of(sack, sack->unit[u], from);
    fill(target, to.first, from.first);
    memcpy(target + from.first, source + from.first, (size_t)(from.end - from.first) * sizeof *target);
    fill(target, from.end, to.end);
    for (int64_t k = of->first; k < of->interior; k++) {
        const int64_t length = sack->move[k].length;
        const int64_t first = scalay_max_int64(from.first, -length);
        const int64_t end = scalay_min_int64(from.end, sack->columns - length);
        if (first < end)
            scalay_row_min_sum(target + first + length, source + first, end - first, (int64_t)sack->move[k].weight);
    }
    scalay_row_discard_above(target + to.first, sack->limit + to.first, to.end - to.first, NO_WEIGHT);
    while (to.first < to.end && target[to.first] == NO_WEIGHT) to.first++;
    while (to.first < to.end && target[to.end - 1] == NO_WEIGHT) to.end--;
    sack->range[u + 1] = to;
}

/* Makes the rows, without one processor of a share (-1: with all). */
static void make_rows(knapsack *sack, int64_t left_out)
{
    int is_left_out = left_out < 0;
    if (sack->left_out == left_out) return;
    sack->left_out = left_out;
    sack->row[-sack->low] = 0;
    sack->range[0] = (column_range){-sack->low, -sack->low + 1};
    for (int64_t u = 0; u < sack->units; u++) {
        if (is_left_out || sack->unit[u] != left_out) {
            add_unit(sack, u);
            continue;
        }
        const column_range same = sack->range[u];
        is_left_out = 1;
        sack->range[u + 1] = same;
        memcpy(sack->row + (u + 1) * sack->columns + same.first, sack->row + u * sack->columns + same.first,
               (size_t)(same.end - same.first) * sizeof *sack->row);
    }
}

/* The least weight of a column with the first units. */
static int64_t weight_at(const knapsack *sack, int64_t units, int64_t column)
{
    const column_range range = sack->range[units];
    return column < range.first || column >= range.end ? NO_WEIGHT : sack->row[units * sack->columns + column];
}

/* The least weight of a sum. */
static int64_t look_up(const knapsack *sack, int64_t sum)
{
    return weight_at(sack, sack->units, sum - sack->low);
}

/* The move of a unit that the least weight of a column needs; NULL: none. */
static const scalay_energy_move *used_move(const knapsack *sack, int64_t u, int64_t column)
{
    const int64_t weight = weight_at(sack, u + 1, column);
    const share_moves *of = &sack->of_share[sack->unit[u]];
    if (weight_at(sack, u, column) == weight) return NULL;
    for (int64_t k = of->first; k < of->interior; k++) {
        const int64_t before = weight_at(sack, u, column - sack->move[k].length);
        if (before < NO_WEIGHT && before + (int64_t)sack->move[k].weight == weight) return &sack->move[k];
    }
    return NULL;
}

/* Number of processors of a share that are used for a sum. */
static int64_t count_used(const knapsack *sack, int64_t sum, int64_t share)
{
    int64_t column = sum - sack->low;
    int64_t used = 0;
    for (int64_t u = sack->units - 1; u >= 0; u--) {
        const scalay_energy_move *move = used_move(sack, u, column);
        if (move == NULL) continue;
        used += move->share == share;
        column -= move->length;
    }
    return used;
}

/* ------------------------------------------------------------------------------------------------------- solution */

/* The best interior size for one processor of a share; index -1: none has less than a weight. */
static interior_move find_interior(const knapsack *sack, int64_t share, int64_t weight)
{
    interior_move best = {share, -1, 0, weight, sack->left_out == share};
    for (int64_t k = sack->of_share[share].interior; k < sack->of_share[share].end; k++) {
        const scalay_energy_move *move = &sack->move[k];
        const int64_t rest = look_up(sack, sack->deficit - move->length);
        if (rest >= NO_WEIGHT || (int64_t)move->weight + rest >= best.weight) continue;
        best.weight = (int64_t)move->weight + rest;
        best.index = move->index;
        best.rest = sack->deficit - move->length;
    }
    return best;
}

/* 1 if the interior size and its units need more processors of the share than it has. */
static int needs_too_many(const knapsack *sack, const interior_move *of)
{
    return count_used(sack, of->rest, of->share) >= sack->search->solution.share[of->share].count;
}

/* The best solution with the limits' weights. */
static scalay_status find_best(knapsack *sack, interior_move *best)
{
    scalay_status status = SCALAY_SUCCESS;
    interior_move *bound = NULL;
    int64_t bounds = 0;
    const int64_t shares = sack->search->solution.break_shares;
    SCALAY_TRY(scalay_energy_scratch(sack->search, 5, shares, sizeof *bound, &bound));
    make_rows(sack, -1);
    *best = (interior_move){-1, 0, sack->deficit, look_up(sack, sack->deficit), 0};
    for (int64_t k = 0; k < shares; k++) {
        const interior_move found = find_interior(sack, k, best->weight);
        if (found.index < 0) continue;
        if (needs_too_many(sack, &found))
            bound[bounds++] = found;
        else
            *best = found;
    }
    for (int64_t k = 0; k < bounds; k++) {
        if (bound[k].weight >= best->weight) continue;
        make_rows(sack, bound[k].share);
        const interior_move found = find_interior(sack, bound[k].share, best->weight);
        if (found.index >= 0) *best = found;
    }
cleanup:
    return status;
}

/* Takes the moves of the units, and the interior size. */
static scalay_status take_best(knapsack *sack, const interior_move *best)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t column = best->rest - sack->low;
    make_rows(sack, best->is_alone ? best->share : -1);
    for (int64_t u = sack->units - 1; u >= 0; u--) {
        const scalay_energy_move *move = used_move(sack, u, column);
        if (move == NULL) continue;
        SCALAY_TRY(scalay_energy_take(sack->search, move->share, move->index, 1));
        column -= move->length;
    }
    if (best->share >= 0) SCALAY_TRY(scalay_energy_take(sack->search, best->share, best->index, 1));
cleanup:
    return status;
}

static double cost_of_sum(const knapsack *sack, int64_t weight)
{
    return scalay_reduced_cost_rounded(sack->search, (double)weight, sack->deficit);
}

/* The cheapest moves, optimal if they are within the budget; *possible is 0 if the table is too large. */
static scalay_status try_budget(knapsack *sack, interior_move *best, int *possible)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = (double)sack->search->solution.slope.length;
    *possible = sack->budget / length + (double)sack->search->max_entries <= MAX_WEIGHT;
    if (*possible) SCALAY_TRY(list_units(sack, possible));
    if (*possible) SCALAY_TRY(find_columns(sack, possible));
    if (*possible) SCALAY_TRY(find_best(sack, best));
cleanup:
    return status;
}

scalay_status scalay_energy_exchange(scalay_energy_search *search, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = (double)search->solution.slope.length;
    knapsack sack = {
        .search = search, .deficit = search->solution.deficit, .max_entries = TABLE_PART * (double)search->max_entries};
    interior_move best = {0};
    int possible = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (!search->fits || length * (double)search->span >= MAX_PRODUCT) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_find_exchanges(search, &possible));
    if (!possible) return SCALAY_SUCCESS;
    sack.budget = search->gap >= 0.0 ? floor(GAP_MARGIN * search->gap * length) + 1.0
                                     : (double)scalay_energy_first_budget(search);
    for (double cost = INFINITY;; sack.budget = fmin(GROWTH * sack.budget, floor(cost) + 1.0)) {
        SCALAY_TRY(try_budget(&sack, &best, &possible));
        if (!possible) return SCALAY_SUCCESS;
        cost = best.weight < NO_WEIGHT ? cost_of_sum(&sack, best.weight) * MARGIN : INFINITY;
        if (cost <= sack.budget) break;
    }
    SCALAY_TRY(take_best(&sack, &best));
    search->gap = cost_of_sum(&sack, best.weight) / length;
    *verdict = SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}
