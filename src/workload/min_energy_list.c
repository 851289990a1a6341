/*
 * Lists the moves whose reduced cost is within a budget, from the break solution outwards along the hulls.
 *
 * Cost: O(sizes in reach). Only sizes on edges whose interpolated cost plus lift is within the budget are in reach.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum {
    ROW_SLOT = 7, /* scratch array for a row of weights */
    FEW_OFFERS = 32
};

/* Products of doubles are rounded; sizes within this margin of the budget are listed too. */
static const double MARGIN = 1.0 + 0x1p-40;

static scalay_status add_move(scalay_energy_search *search, int64_t share, int64_t index, scalay_wide weight)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_move_list *moves = &search->moves;
    const int64_t from = search->solution.share[share].index;
    SCALAY_TRY(SCALAY_GROW(moves->move, moves->capacity, moves->count + 1));
    moves->move[moves->count++] = (scalay_energy_move){share, index, index - from, (index > 0) - (from > 0), weight};
cleanup:
    return status;
}

/* Adds a move if it is within the budget. */
static scalay_status offer_move(scalay_energy_search *search, int64_t share, int64_t index, int64_t energy,
                                scalay_wide budget)
{
    const scalay_energy_share *from = &search->solution.share[share];
    const int64_t length = index - from->index;
    const scalay_wide weight =
        scalay_move_weight(search, energy - from->energy, (index > 0) - (from->index > 0), length);
    if (scalay_reduced_cost(search, weight, length) <= budget) return add_move(search, share, index, weight);
    search->moves.complete = 0;
    return SCALAY_SUCCESS;
}

/* Sizes first >= 1 to last, if int64_t holds weights. */
static scalay_status list_sizes_narrow(scalay_energy_search *search, int64_t share, int64_t first, int64_t last,
                                       double budget)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row = NULL;
    const scalay_energy_share *from = &search->solution.share[share];
    const scalay_problem_group *sizes = &search->problem->group[from->group];
    const scalay_row_costs costs = {
        sizes->energy + first,
        sizes->time + first,
        search->time_limit,
        search->factor * search->scale,
        scalay_move_weight_narrow(search, search->charge - from->energy, from->index == 0, first - from->index),
        (int64_t)search->solution.multiplier};
    const int64_t origin = from->index - first;
    SCALAY_TRY(scalay_energy_scratch(search, ROW_SLOT, last - first + 1, sizeof *row, &row));
    scalay_row_reduced_costs(&costs, last - first + 1, row);
    const double longest = (double)scalay_max_int64(last - first - origin, 0);
    const double max_weight =
        (budget * MARGIN + (double)search->solution.remainder * longest) / (double)search->solution.slope.length;
    const int64_t limit = (int64_t)fmin(max_weight * MARGIN + 1.0, 0x1p62);
    for (int64_t k = 0; k <= last - first; k++) {
        if (row[k] > limit) {
            if (row[k] != INT64_MAX) search->moves.complete = 0;
        } else if (scalay_reduced_cost_rounded(search, (double)row[k], k - origin) <= budget * MARGIN) {
            SCALAY_TRY(add_move(search, share, first + k, row[k]));
        } else {
            search->moves.complete = 0;
        }
    }
cleanup:
    return status;
}

/* Sizes first >= 1 to last. */
static scalay_status list_sizes(scalay_energy_search *search, int64_t share, int64_t first, int64_t last,
                                scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[search->solution.share[share].group];
    if (first > last) return SCALAY_SUCCESS;
    if (search->fits) return list_sizes_narrow(search, share, first, last, (double)budget);
    for (int64_t x = first; x <= last; x++)
        if (scalay_energy_is_allowed(search, sizes, x))
            SCALAY_TRY(offer_move(search, share, x, scalay_energy_at(search, sizes, x), budget));
cleanup:
    return status;
}

/* Sizes between a vertex and the next one in a direction, which cost `near` and `far`. */
static scalay_status list_edge(scalay_energy_search *search, int64_t share, int64_t vertex, int direction, double near,
                               double far, scalay_wide budget)
{
    const scalay_hull *hull = &search->hull[search->solution.share[share].group];
    const scalay_hull_vertex *left_end = &hull->vertex[direction > 0 ? vertex : vertex - 1];
    const int64_t left = left_end[0].index;
    const int64_t right = left_end[1].index;
    if (left_end->lift == INFINITY) return SCALAY_SUCCESS;
    const int64_t reach = scalay_hull_reach_on_edge(search, left_end, near, far, (double)budget);
    if (reach < right - left - 1) search->moves.complete = 0;
    return direction > 0 ? list_sizes(search, share, left + 1, left + reach, budget)
                         : list_sizes(search, share, right - reach, right - 1, budget);
}

/* Repairs a lost vertex next to *vertex in a direction. The numbers of vertices to its right change. */
static scalay_status repair_next(scalay_energy_search *search, int64_t share, int direction, int64_t *vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    const int group = search->solution.share[share].group;
    const int64_t before = search->hull[group].count;
    SCALAY_TRY(scalay_hull_repair(search, group, *vertex + direction));
    if (direction > 0) return SCALAY_SUCCESS;
    const int64_t more = search->hull[group].count - before;
    *vertex += more;
    for (int64_t k = 0; k < search->solution.break_shares; k++)
        if (search->solution.share[k].group == group) search->solution.share[k].vertex += more;
cleanup:
    return status;
}

/* Walks along the hull in a direction until a vertex is over the budget: so are all sizes beyond it. */
static scalay_status walk_hull(scalay_energy_search *search, int64_t share, int direction, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull *hull = &search->hull[search->solution.share[share].group];
    int64_t vertex = search->solution.share[share].vertex;
    double near = 0.0;
    while (vertex + direction >= 0 && vertex + direction < hull->count) {
        const scalay_energy_share *from = &search->solution.share[share];
        const scalay_hull_vertex *next = &hull->vertex[vertex + direction];
        const int64_t length = next->index - from->index;
        const scalay_wide weight =
            scalay_move_weight(search, next->energy - from->energy, (next->index > 0) - (from->index > 0), length);
        const scalay_wide far = scalay_reduced_cost(search, weight, length);
        if (far <= budget && scalay_hull_is_lost(search, next)) {
            SCALAY_TRY(repair_next(search, share, direction, &vertex));
            continue;
        }
        SCALAY_TRY(list_edge(search, share, vertex, direction, near, (double)far, budget));
        if (far > budget) {
            search->moves.complete = 0;
            break;
        }
        SCALAY_TRY(add_move(search, share, next->index, weight));
        near = (double)far;
        vertex += direction;
    }
cleanup:
    return status;
}

/* Sizes outside the edges that the hull of a single group has. */
static scalay_status list_beyond(scalay_energy_search *search, int64_t share, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull *hull = &search->hull[0];
    const scalay_hull_vertex *first = &hull->vertex[0];
    const scalay_hull_vertex *last = &hull->vertex[hull->count - 1];
    const scalay_energy_share *from = &search->solution.share[share];
    const int left_is_over = scalay_share_cost(search, from, first->index, first->energy) > budget;
    const int right_is_over = scalay_share_cost(search, from, last->index, last->energy) > budget;
    if (left_is_over || right_is_over) search->moves.complete = 0;
    if (!left_is_over) {
        if (first->index > 0 && search->min_index == 0) SCALAY_TRY(offer_move(search, share, 0, 0, budget));
        SCALAY_TRY(list_sizes(search, share, 1, first->index - 1, budget));
    }
    if (!right_is_over)
        SCALAY_TRY(list_sizes(search, share, last->index + 1, scalay_energy_last_index(search, 0), budget));
cleanup:
    return status;
}

/* A slack processor becomes active: it is charged, and gets nothing. */
static scalay_status list_slack(scalay_energy_search *search, int64_t share, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_wide weight = scalay_move_weight(search, search->charge, 0, 0);
    if (scalay_reduced_cost(search, weight, 0) > budget) {
        search->moves.complete = 0;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(add_move(search, share, 0, weight));
    search->moves.move[search->moves.count - 1].rise = 1;
cleanup:
    return status;
}

scalay_status scalay_energy_list_moves(scalay_energy_search *search, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    search->moves.count = 0;
    search->moves.complete = 1;
    for (int64_t share = 0; share < search->solution.break_shares; share++) {
        if (search->solution.share[share].group < 0) {
            SCALAY_TRY(list_slack(search, share, budget));
            continue;
        }
        SCALAY_TRY(walk_hull(search, share, 1, budget));
        SCALAY_TRY(walk_hull(search, share, -1, budget));
        if (search->problem->groups == 1) SCALAY_TRY(list_beyond(search, share, budget));
    }
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- budgets */

/* D c <= budget + (N mod D) length: the quotients of an arithmetic progression. */
void scalay_energy_limits(const scalay_energy_search *search, scalay_wide budget, int64_t low, int64_t columns,
                          int64_t *limit)
{
    const scalay_break_solution *solution = &search->solution;
    const int64_t denominator = solution->slope.length;
    const int64_t remainder = solution->remainder;
    const scalay_wide numerator = budget + scalay_wide_product(solution->remainder, low);
    int64_t quotient = (int64_t)(numerator / denominator);
    int64_t rest = (int64_t)(numerator % denominator);
    if (rest < 0) {
        rest += denominator;
        quotient--;
    }
    for (int64_t k = 0; k < columns; k++) {
        limit[k] = quotient;
        rest += remainder;
        const int64_t carry = rest >= denominator;
        rest -= denominator & -carry;
        quotient += carry;
    }
}

static double least_positive(double a, double b)
{
    return b > 0.0 && b < a ? b : a;
}

scalay_wide scalay_energy_first_budget(const scalay_energy_search *search)
{
    const double length = (double)search->solution.slope.length;
    double least = 0x1p100;
    for (int64_t k = 0; k < search->solution.break_shares; k++) {
        const scalay_energy_share *share = &search->solution.share[k];
        if (share->group < 0) continue;
        const scalay_hull *hull = &search->hull[share->group];
        for (int64_t end = share->vertex - 1; end <= share->vertex + 1; end += 2) {
            if (end < 0 || end >= hull->count) continue;
            const int64_t edge = end < share->vertex ? end : share->vertex;
            const scalay_hull_vertex *vertex = &hull->vertex[end];
            least = least_positive(least, hull->vertex[edge].lift * length);
            least = least_positive(least, (double)scalay_share_cost(search, share, vertex->index, vertex->energy));
        }
    }
    return least < 0x1p100 ? 4 * (scalay_wide)least + 1 : 1;
}

static int by_rate(const void *a, const void *b)
{
    return scalay_compare_double(((const scalay_energy_offer *)a)->rate, ((const scalay_energy_offer *)b)->rate);
}

/* By ascending rate. Offers are mostly few: insertion takes less time than qsort(). */
static void sort_offers(scalay_energy_offer *offers, int64_t count)
{
    if (count > FEW_OFFERS) {
        qsort(offers, (size_t)count, sizeof *offers, by_rate);
        return;
    }
    for (int64_t k = 1; k < count; k++) {
        const scalay_energy_offer inserted = offers[k];
        int64_t at = k;
        for (; at > 0 && offers[at - 1].rate > inserted.rate; at--) offers[at] = offers[at - 1];
        offers[at] = inserted;
    }
}

double scalay_energy_buy(scalay_energy_offer *offers, int64_t count, double budget)
{
    double total = 0.0;
    sort_offers(offers, count);
    for (int64_t k = 0; k < count; k++) {
        const double cost = offers[k].rate * offers[k].amount;
        if (cost > budget) return (total + budget / offers[k].rate) * (1.0 + 0x1p-30) + 1.0;
        total += offers[k].amount;
        budget -= cost * (1.0 - 0x1p-40);
    }
    return total * (1.0 + 0x1p-30);
}
