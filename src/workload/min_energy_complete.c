/*
 * Sums of moves to fixed sizes, completed by one move to any size (min_energy_interior.c says why one is enough).
 *
 * Dynamic programming over the processors finds the least weight of each sum of moves to fixed sizes. A hash table
 * holds the sums, because they are few. Each sum is completed by one more move, of any processor to any size. If such a
 * solution needs more processors of a share than there are, the search is repeated with one processor of that share
 * left out.
 *
 * A sum is discarded if the cost of its moves plus a lower bound on the cost of the rest exceeds the budget, or what
 * a better solution than the best one can cost. The lower bound is that of the hulls. If energies are periodic, group
 * relaxation modulo the period gives a second one. A better
 * solution has at least one unit less of energy, or the same energy and fewer active processors.
 *
 * Cost for u sums, f moves to fixed sizes and k shares: O(u (f + k)). The search gives up if that is too much, and the
 * next attempts are skipped.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum {
    LONG_SPAN = 4096,             /* from this one on, this method is the first one */
    BUCKETS = 256,                /* of the hash table of states */
    MAX_STATES = 4096,            /* before the search is given up */
    MAX_WORK = 1 << 14,           /* likewise, moves tried from states */
    ENTRIES_PER_FACTOR = 1 << 14, /* the limits grow with the memory for tables .. */
    MAX_FACTOR = 32,              /* .. at most by this factor */
    MAX_TAKEN = 64                /* moves of a solution */
};

/* More than any weight; the sum of two fits. */
#define NO_WEIGHT (INT64_C(1) << 61)

/* From one budget to the next, and from the last solution to the first budget. */
static const double GROWTH = 2.0;
static const double GAP_MARGIN = 1.03;

/* Costs are rounded; they are compared with this margin. */
static const double MARGIN = 1.0 + 0x1p-40;

/* Budgets per length, and so weights, are below this one. */
static const double MAX_WEIGHT = 0x1p59;

/* Reduced costs of single moves are exact up to rounding if products of two lengths are below the first of these, those
 * of sums if products of their length are below the second. */
static const double MAX_PRODUCT = 0x1p50;
static const double MAX_SUM_PRODUCT = 0x1p52;

/* --------------------------------------------------------------------------------------------------------- search */

/* Lengths that a share offers in a direction. */
typedef struct {
    double rate;    /* the least reduced cost per unit */
    int64_t length; /* of one processor */
    int64_t share;
} share_offer;

/* The least cost of a distance in a direction: convex, with linear pieces. */
typedef struct {
    scalay_energy_offer *piece; /* shape [pieces]: ascending rates; `amount` is the distance at its end */
    double *cost;               /* shape [pieces]: at the start of a piece */
    int64_t pieces;
    share_offer *share; /* shape [shares]: ascending rates */
    int64_t shares;
} distance_costs;

/* A processor of a share gets a fixed size. */
typedef struct {
    int64_t share;
    int64_t index;
    int64_t length;
    int64_t weight;
} fixed_move;

/* A sum of moves with the least weight that is known. */
typedef struct {
    int64_t sum;
    int64_t weight; /* NO_WEIGHT: a state of less weight replaces it */
    int64_t parent; /* the state before the last move; -1: none */
    int64_t move;
    int64_t next; /* state of the same bucket; -1: none */
} sum_state;

/* A move from a state. */
typedef struct {
    int64_t parent;
    int64_t move;
    int64_t weight; /* of both */
} candidate;

/* A solution: the moves of a state, and perhaps one more move. */
typedef struct {
    int64_t weight; /* NO_WEIGHT: none is known */
    int64_t count;
    int64_t share[MAX_TAKEN];
    int64_t index[MAX_TAKEN];
} solution_moves;

/* Cheapest sums of moves to fixed sizes, in a hash table. */
typedef struct {
    scalay_energy_search *search;
    int64_t deficit;
    double budget;        /* of reduced costs */
    double better;        /* reduced cost that a solution better than the best one has at most */
    int64_t limit_factor; /* of states and work */
    int is_given_up;
    int64_t work;
    distance_costs up;
    distance_costs down;
    double *residue_cost; /* shape [period]: least cost of moves whose lengths sum to a residue; NULL: not computed */
    fixed_move *move;     /* shape [moves]: ordered by share */
    int64_t moves;
    sum_state *state; /* shape [states] */
    int64_t states;
    int64_t *bucket;      /* shape [BUCKETS]: the first state; -1: none */
    candidate *candidate; /* shape [candidates] */
    int64_t candidates;
    int64_t *bound;   /* shape [shares]: least weight of a solution that needs too many processors of a share */
    int64_t left_out; /* share that keeps one processor for the last move; -1: none */
    int64_t active;   /* active processors of the break solution */
    int64_t min_active;
    int64_t max_active;
    solution_moves best;
} sparse_search;

static double cost_of(const sparse_search *of, int64_t weight, int64_t length)
{
    return fmax(0.0, scalay_reduced_cost_rounded(of->search, (double)weight, length));
}

/* The limit on the reduced costs of sums. */
static double limit_of(const sparse_search *of)
{
    return fmin(of->budget, of->better) * MARGIN;
}

/* ---------------------------------------------------------------------------------------------------------- bounds */

static int by_rate(const void *a, const void *b)
{
    return scalay_compare_double(((const scalay_energy_offer *)a)->rate, ((const scalay_energy_offer *)b)->rate);
}

static int by_share_rate(const void *a, const void *b)
{
    return scalay_compare_double(((const share_offer *)a)->rate, ((const share_offer *)b)->rate);
}

/* Adds the hull's edges from a share's vertex in a direction, up to the first one that leaves the limit. */
static scalay_status add_edges(sparse_search *of, int64_t k, int direction, int slot, distance_costs *costs)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = of->search;
    const scalay_energy_share *from = &search->solution.share[k];
    const scalay_hull *hull = &search->hull[from->group];
    const int64_t last = direction > 0 ? scalay_energy_last_index(search, from->group) : 0;
    const double count = (double)from->count;
    double near = 0.0;
    double first_rate = -1.0;
    double rate = 0.0;
    int64_t at = from->index;
    for (int64_t v = from->vertex + direction; v >= 0 && v < hull->count && near <= limit_of(of); v += direction) {
        const scalay_hull_vertex *next = &hull->vertex[v];
        const double far = (double)scalay_share_cost(search, from, next->index, next->energy);
        const double length = (double)(direction * (next->index - at));
        rate = fmax(0.0, (far - near) / length / MARGIN);
        if (first_rate < 0.0) first_rate = rate;
        SCALAY_TRY(scalay_energy_scratch(search, slot, costs->pieces + 2, sizeof *costs->piece, &costs->piece));
        costs->piece[costs->pieces++] = (scalay_energy_offer){rate, length * count};
        near = far;
        at = next->index;
    }
    /* The hull of a single group ends early: beyond it, the rate is at least that of the last edge. */
    if (search->problem->groups == 1 && at != last && near <= limit_of(of)) {
        SCALAY_TRY(scalay_energy_scratch(search, slot, costs->pieces + 2, sizeof *costs->piece, &costs->piece));
        costs->piece[costs->pieces++] = (scalay_energy_offer){rate, (double)(direction * (last - at)) * count};
        at = last;
    }
    if (at != from->index)
        costs->share[costs->shares++] = (share_offer){fmax(first_rate, 0.0), direction * (last - from->index), k};
cleanup:
    return status;
}

/* Lists what shares offer in a direction. */
static scalay_status find_costs(sparse_search *of, int direction, distance_costs *costs)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = of->search;
    const int64_t shares = search->solution.break_shares;
    const int slot = direction > 0 ? 0 : 3;
    double distance = 0.0;
    double cost = 0.0;
    costs->pieces = 0;
    costs->shares = 0;
    SCALAY_TRY(scalay_energy_scratch(search, slot + 1, shares, sizeof *costs->share, &costs->share));
    for (int64_t k = 0; k < shares; k++) SCALAY_TRY(add_edges(of, k, direction, slot, costs));
    if (costs->pieces > 0) qsort(costs->piece, (size_t)costs->pieces, sizeof *costs->piece, by_rate);
    if (costs->shares > 0) qsort(costs->share, (size_t)costs->shares, sizeof *costs->share, by_share_rate);
    SCALAY_TRY(scalay_energy_scratch(search, slot + 2, costs->pieces, sizeof *costs->cost, &costs->cost));
    for (int64_t i = 0; i < costs->pieces; i++) {
        costs->cost[i] = cost;
        cost += costs->piece[i].rate * costs->piece[i].amount / MARGIN;
        distance += costs->piece[i].amount;
        costs->piece[i].amount = distance;
    }
cleanup:
    return status;
}

/* A lower bound on the cost of a length. */
static double least_cost(const sparse_search *of, int64_t length)
{
    const distance_costs *costs = length > 0 ? &of->up : &of->down;
    const double distance = fabs((double)length);
    int64_t low = 0;
    int64_t high = costs->pieces;
    if (length == 0) return 0.0;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (costs->piece[middle].amount < distance)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == costs->pieces) return INFINITY;
    const double start = low == 0 ? 0.0 : costs->piece[low - 1].amount;
    return costs->cost[low] + costs->piece[low].rate * (distance - start) / MARGIN;
}

static int64_t residue_of(int64_t length, int64_t modulus)
{
    const int64_t residue = length % modulus;
    return residue < 0 ? residue + modulus : residue;
}

/* 1 if a solution within the limit may have these moves. */
static int is_in_limit(const sparse_search *of, int64_t sum, int64_t weight)
{
    const double left = limit_of(of) - cost_of(of, weight, sum);
    const int64_t rest = of->deficit - sum;
    if (least_cost(of, rest) > left) return 0;
    return of->residue_cost == NULL || of->residue_cost[residue_of(rest, of->search->exchange.period)] <= left;
}

/* The least cost of a move of each residue modulo the period. */
static void find_least_moves(const sparse_search *of, int64_t modulus, double *least)
{
    const scalay_energy_search *search = of->search;
    for (int64_t r = 0; r < modulus; r++) least[r] = INFINITY;
    for (int64_t k = 0; k < search->solution.break_shares; k++) {
        const scalay_energy_share *from = &search->solution.share[k];
        const scalay_problem_group *group = &search->problem->group[from->group];
        const int64_t last = scalay_energy_last_index(search, from->group);
        int64_t residue = residue_of(-from->index, modulus);
        for (int64_t x = 0; x <= last; x++, residue = residue + 1 == modulus ? 0 : residue + 1) {
            if (x > 0 && !scalay_energy_is_allowed(search, group, x)) continue;
            const int64_t weight = scalay_move_weight_narrow(search, scalay_energy_at(search, group, x) - from->energy,
                                                             (x > 0) - (from->index > 0), x - from->index);
            const double cost = cost_of(of, weight, x - from->index);
            if (cost < least[residue]) least[residue] = cost;
        }
    }
}

/* Group relaxation modulo the period: shortest paths from 0 by Dijkstra's algorithm. */
static scalay_status find_residue_costs(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t modulus = of->search->exchange.period;
    double *cost = NULL;
    SCALAY_TRY(scalay_energy_scratch(of->search, 10, 3 * modulus, sizeof *cost, &cost));
    double *least = cost + modulus;
    double *is_done = cost + 2 * modulus;
    find_least_moves(of, modulus, least);
    for (int64_t r = 0; r < modulus; r++) {
        cost[r] = r == 0 ? 0.0 : INFINITY;
        is_done[r] = 0.0;
    }
    for (int64_t at = 0; at >= 0;) {
        is_done[at] = 1.0;
        for (int64_t r = 1; r < modulus; r++) {
            const int64_t to = at + r < modulus ? at + r : at + r - modulus;
            cost[to] = fmin(cost[to], (cost[at] + least[r]) / MARGIN);
        }
        at = -1;
        for (int64_t r = 0; r < modulus; r++)
            if (is_done[r] == 0.0 && cost[r] < INFINITY && (at < 0 || cost[r] < cost[at])) at = r;
    }
    of->residue_cost = cost;
cleanup:
    return status;
}

/* Fewest processors whose largest sizes reach n. */
static scalay_status count_active(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = of->search;
    scalay_energy_offer *offers = NULL;
    const int groups = search->problem->groups;
    int64_t rest = search->n;
    of->min_active = of->max_active = of->active = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 0, groups, sizeof *offers, &offers));
    for (int j = 0; j < groups; j++) {
        const int64_t last = groups == 1 ? scalay_energy_last_index(search, j) : search->hull[j].last_index;
        offers[j] = (scalay_energy_offer){-(double)last, (double)scalay_energy_multiplicity(search, j)};
        of->max_active += scalay_energy_multiplicity(search, j);
    }
    qsort(offers, (size_t)groups, sizeof *offers, by_rate);
    for (int j = 0; j < groups && rest > 0 && offers[j].rate < 0.0; j++) {
        const int64_t largest = (int64_t)-offers[j].rate;
        const int64_t used = scalay_min_int64((int64_t)offers[j].amount, (rest - 1) / largest + 1);
        rest -= used * largest;
        of->min_active += used;
    }
    for (int64_t k = 0; k < search->solution.break_shares; k++)
        if (search->solution.share[k].index > 0) of->active += search->solution.share[k].count;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- states */

/* Lists the moves to fixed sizes and to 0 that are within the limit. */
static scalay_status list_moves(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = of->search;
    of->moves = 0;
    for (int64_t k = 0; k < search->solution.break_shares; k++) {
        const scalay_energy_share *from = &search->solution.share[k];
        const scalay_problem_group *group = &search->problem->group[from->group];
        const scalay_fixed_sizes *fixed = &search->exchange.fixed[from->group];
        SCALAY_TRY(scalay_energy_scratch(search, 6, of->moves + fixed->count + 1, sizeof *of->move, &of->move));
        for (int64_t i = -1; i < fixed->count; i++) {
            const int64_t index = i < 0 ? 0 : fixed->index[i];
            const int64_t length = index - from->index;
            const int64_t weight = scalay_move_weight_narrow(
                search, scalay_energy_at(search, group, index) - from->energy, (index > 0) - (from->index > 0), length);
            if (length == 0 || cost_of(of, weight, length) > limit_of(of)) continue;
            of->move[of->moves++] = (fixed_move){k, index, length, weight};
        }
    }
cleanup:
    return status;
}

static int64_t bucket_of(int64_t sum)
{
    return (int64_t)(((uint64_t)sum * UINT64_C(0x9E3779B97F4A7C15)) >> 54) % BUCKETS;
}

/* The state with a sum; -1: none. */
static int64_t find_state(const sparse_search *of, int64_t sum)
{
    int64_t at = of->bucket[bucket_of(sum)];
    while (at >= 0 && (of->state[at].sum != sum || of->state[at].weight == NO_WEIGHT)) at = of->state[at].next;
    return at;
}

static scalay_status add_state(sparse_search *of, int64_t sum, int64_t weight, int64_t parent, int64_t move)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *first = &of->bucket[bucket_of(sum)];
    SCALAY_TRY(scalay_energy_scratch(of->search, 8, of->states + 1, sizeof *of->state, &of->state));
    of->state[of->states] = (sum_state){sum, weight, parent, move, *first};
    *first = of->states++;
    if (of->states > of->limit_factor * MAX_STATES) of->is_given_up = 1;
cleanup:
    return status;
}

/* Number of processors of a share that a state has moved. */
static int64_t count_used(const sparse_search *of, int64_t at, int64_t share)
{
    int64_t used = 0;
    for (; of->state[at].parent >= 0; at = of->state[at].parent) used += of->move[of->state[at].move].share == share;
    return used;
}

/* Sets the limit for better solutions: less energy, or fewer active processors if the best has more than needed. */
static void set_better(sparse_search *of, int64_t active)
{
    const scalay_energy_search *search = of->search;
    const double factor = (double)search->factor * (double)search->exchange.energy_gcd;
    const double drop = active > of->min_active ? 1.0 : fmax(1.0, factor + (double)(active - of->max_active));
    const double length = (double)search->solution.slope.length;
    of->better = cost_of(of, of->best.weight, of->deficit) * MARGIN - drop * length / MARGIN;
}

/* Keeps a state, and one more move (share -1: none), as the best solution. */
static void keep_best(sparse_search *of, int64_t at, int64_t share, int64_t index, int64_t weight)
{
    const scalay_energy_share *shares = of->search->solution.share;
    solution_moves *best = &of->best;
    int64_t active = of->active;
    best->weight = weight;
    best->count = 0;
    if (share >= 0) {
        best->share[best->count] = share;
        best->index[best->count++] = index;
    }
    for (; of->state[at].parent >= 0 && best->count < MAX_TAKEN; at = of->state[at].parent) {
        best->share[best->count] = of->move[of->state[at].move].share;
        best->index[best->count++] = of->move[of->state[at].move].index;
    }
    if (of->state[at].parent >= 0) of->is_given_up = 1;
    for (int64_t k = 0; k < best->count; k++) active += (best->index[k] > 0) - (shares[best->share[k]].index > 0);
    set_better(of, active);
}

/* Completes a state by a move of one processor of a share. */
static void complete_with(sparse_search *of, int64_t at, int64_t k)
{
    const scalay_energy_search *search = of->search;
    const scalay_energy_share *from = &search->solution.share[k];
    const scalay_problem_group *group = &search->problem->group[from->group];
    const int64_t length = of->deficit - of->state[at].sum;
    const int64_t index = from->index + length;
    if (index > 0 && !scalay_energy_is_allowed(search, group, index)) return;
    const int64_t weight =
        of->state[at].weight + scalay_move_weight_narrow(search, scalay_energy_at(search, group, index) - from->energy,
                                                         (index > 0) - (from->index > 0), length);
    if (weight >= of->best.weight) return;
    if (of->left_out < 0 && count_used(of, at, k) >= from->count)
        of->bound[k] = scalay_min_int64(of->bound[k], weight);
    else
        keep_best(of, at, k, index, weight);
}

/* Completes a state by a move of any processor. */
static void complete(sparse_search *of, int64_t at)
{
    const int64_t length = of->deficit - of->state[at].sum;
    const distance_costs *costs = length > 0 ? &of->up : &of->down;
    const double cost = cost_of(of, of->state[at].weight, of->state[at].sum);
    const int64_t distance = length > 0 ? length : -length;
    if (length == 0) {
        if (of->state[at].weight < of->best.weight) keep_best(of, at, -1, 0, of->state[at].weight);
        return;
    }
    for (int64_t i = 0; i < costs->shares; i++) {
        const share_offer *offer = &costs->share[i];
        if (cost + offer->rate * (double)distance > limit_of(of)) break;
        if (distance > offer->length || (of->left_out >= 0 && offer->share != of->left_out)) continue;
        complete_with(of, at, offer->share);
    }
}

/* Lists the moves first <= k < end from the states `from` and later ones that stay within the limit. */
static scalay_status list_candidates(sparse_search *of, int64_t from, int64_t first, int64_t end)
{
    scalay_status status = SCALAY_SUCCESS;
    const double max_sum = MAX_SUM_PRODUCT / (double)of->search->solution.slope.length;
    of->candidates = 0;
    for (int64_t at = from; at < of->states && !of->is_given_up; at++) {
        if (of->state[at].weight == NO_WEIGHT) continue;
        SCALAY_TRY(
            scalay_energy_scratch(of->search, 9, of->candidates + end - first, sizeof *of->candidate, &of->candidate));
        for (int64_t k = first; k < end; k++) {
            const int64_t sum = of->state[at].sum + of->move[k].length;
            const int64_t weight = of->state[at].weight + of->move[k].weight;
            if (!is_in_limit(of, sum, weight)) continue;
            if (fabs((double)sum) > max_sum) of->is_given_up = 1;
            of->candidate[of->candidates++] = (candidate){at, k, weight};
        }
        of->work += end - first;
        if (of->work > of->limit_factor * MAX_WORK) of->is_given_up = 1;
    }
cleanup:
    return status;
}

/* Makes states of the candidates that are better than the states of the same sum. */
static scalay_status add_candidates(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < of->candidates && !of->is_given_up; k++) {
        const candidate next = of->candidate[k];
        const int64_t sum = of->state[next.parent].sum + of->move[next.move].length;
        const int64_t known = find_state(of, sum);
        if (known >= 0 && of->state[known].weight <= next.weight) continue;
        if (!is_in_limit(of, sum, next.weight)) continue;
        if (known >= 0) of->state[known].weight = NO_WEIGHT;
        SCALAY_TRY(add_state(of, sum, next.weight, next.parent, next.move));
        complete(of, of->states - 1);
    }
cleanup:
    return status;
}

/* Finds the cheapest sums of moves, with a processor of a share left out (-1: none), and completes them. */
static scalay_status search_sums(sparse_search *of, int64_t left_out)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_energy_share *share = of->search->solution.share;
    of->left_out = left_out;
    of->states = 0;
    for (int64_t k = 0; k < BUCKETS; k++) of->bucket[k] = -1;
    SCALAY_TRY(add_state(of, 0, 0, -1, -1));
    complete(of, 0);
    for (int64_t first = 0, end = 0; first < of->moves && !of->is_given_up; first = end) {
        const int64_t k = of->move[first].share;
        const int64_t count = share[k].count - (k == left_out);
        while (end < of->moves && of->move[end].share == k) end++;
        for (int64_t copy = 0, from = 0; copy < count && !of->is_given_up; copy++) {
            const int64_t before = of->states;
            SCALAY_TRY(list_candidates(of, from, first, end));
            SCALAY_TRY(add_candidates(of));
            if (of->states == before) break;
            from = before;
        }
    }
cleanup:
    return status;
}

/* Finds the best solution within the budget. */
static scalay_status search_budget(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t shares = of->search->solution.break_shares;
    const double length = (double)of->search->solution.slope.length;
    if (limit_of(of) / length >= MAX_WEIGHT) of->is_given_up = 1;
    if (of->is_given_up) return SCALAY_SUCCESS;
    SCALAY_TRY(find_costs(of, 1, &of->up));
    SCALAY_TRY(find_costs(of, -1, &of->down));
    SCALAY_TRY(list_moves(of));
    for (int64_t k = 0; k < shares; k++) of->bound[k] = NO_WEIGHT;
    SCALAY_TRY(search_sums(of, -1));
    for (int64_t k = 0; k < shares && !of->is_given_up; k++)
        if (of->bound[k] < of->best.weight) SCALAY_TRY(search_sums(of, k));
cleanup:
    return status;
}

/* Prepares a search, and completes the break solution by single moves. */
static scalay_status start_search(scalay_energy_search *search, sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t shares = search->solution.break_shares;
    *of = (sparse_search){
        .search = search,
        .deficit = search->solution.deficit,
        .better = INFINITY,
        .left_out = -1,
        .limit_factor = scalay_max_int64(1, scalay_min_int64(search->max_entries / ENTRIES_PER_FACTOR, MAX_FACTOR))};
    of->best.weight = NO_WEIGHT;
    SCALAY_TRY(count_active(of));
    SCALAY_TRY(scalay_energy_scratch(search, 7, BUCKETS + shares, sizeof *of->bucket, &of->bucket));
    of->bound = of->bucket + BUCKETS;
    for (int64_t k = 0; k < BUCKETS; k++) of->bucket[k] = -1;
    SCALAY_TRY(add_state(of, 0, 0, -1, -1));
    for (int64_t k = 0; k < shares; k++) {
        const int64_t index = search->solution.share[k].index + of->deficit;
        if (index >= 0 && index <= scalay_energy_last_index(search, search->solution.share[k].group))
            complete_with(of, 0, k);
    }
cleanup:
    return status;
}

static scalay_status take_best(const sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < of->best.count; k++)
        SCALAY_TRY(scalay_energy_take(of->search, of->best.share[k], of->best.index[k], 1));
cleanup:
    return status;
}

/* Tries budgets until nothing better is possible; of->is_given_up otherwise. */
static scalay_status search_budgets(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_energy_search *search = of->search;
    const double length = (double)search->solution.slope.length;
    of->budget = of->better;
    if (search->gap >= 0.0)
        of->budget = floor(GAP_MARGIN * search->gap * length) + 1.0;
    else if (of->best.weight == NO_WEIGHT)
        of->budget = (double)scalay_energy_first_budget(search);
    while (!of->is_given_up) {
        SCALAY_TRY(search_budget(of));
        if (of->best.weight < NO_WEIGHT && of->better <= of->budget) break;
        of->budget = fmin(GROWTH * of->budget, of->better);
    }
cleanup:
    return status;
}

/* Tries again with bounds on residues if energies are periodic. */
static scalay_status search_with_residues(sparse_search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(search_budgets(of));
    if (!of->is_given_up || of->search->exchange.period < 2) return SCALAY_SUCCESS;
    SCALAY_TRY(find_residue_costs(of));
    of->is_given_up = 0;
    of->work = 0;
    SCALAY_TRY(search_budgets(of));
cleanup:
    return status;
}

scalay_status scalay_energy_complete(scalay_energy_search *search, int is_first, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = (double)search->solution.slope.length;
    sparse_search of;
    int applies = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (is_first != (search->span >= LONG_SPAN)) return SCALAY_SUCCESS;
    if (scalay_energy_backoff_skip(&search->exchange.backoff)) return SCALAY_SUCCESS;
    if (!search->fits || length * (double)search->span >= MAX_PRODUCT) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_find_exchanges(search, &applies));
    if (applies) SCALAY_TRY(scalay_energy_list_fixed(search, &applies));
    if (!applies) {
        search->exchange.backoff = (scalay_energy_backoff){SCALAY_ENERGY_MAX_BACKOFF, SCALAY_ENERGY_MAX_BACKOFF};
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(start_search(search, &of));
    SCALAY_TRY(search_with_residues(&of));
    scalay_energy_backoff_set(&search->exchange.backoff, of.is_given_up);
    if (of.is_given_up || of.best.weight == NO_WEIGHT) return SCALAY_SUCCESS;
    SCALAY_TRY(take_best(&of));
    search->gap = cost_of(&of, of.best.weight, of.deficit) / length;
    *verdict = SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}
