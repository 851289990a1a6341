/*
 * Gomory's group relaxation (1965) modulo the length of the fractional edge.
 *
 * Processors at the ends a and b of the fractional edge can go from a to b and back at no reduced cost. If they suffice
 * in number, only the residue of the other moves modulo b - a matters. Dijkstra's algorithm finds the cheapest moves of
 * each residue. They are optimal if the multiplicities suffice for them, and for the compensation along the edge.
 *
 * If most sizes are interior (min_energy_exchange.c), at most one interior size is needed. Then the arcs of Dijkstra's
 * algorithm are the other moves.
 *
 * Cost: O(s + D^2) for s sizes and an edge of length D, independent of the number of processors.
 * O(s + a D log D) with a arcs to sizes that are not interior.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum {
    MIN_PROCESSORS = 4,  /* fewer processors at the edge seldom suffice */
    ALL_AT_ONCE = 16384, /* up to so many sizes, all are looked at; otherwise budgets are tried */
    MANY_MOVES = 2048,   /* with more residues that have a move, interior sizes are told apart */
    MAX_ARCS = 1024      /* moves to sizes that are not interior */
};

/* Narrow reduced costs are below this one; a move that costs as much is left out. */
#define MAX_NARROW (INT64_C(1) << 60)

/* Moves that were chosen. */
typedef struct {
    int64_t count;
    int64_t *share; /* shape [count] */
    int64_t *index; /* shape [count] */
} chosen_moves;

/* Processors at the ends of the fractional edge. */
typedef struct {
    int64_t left;  /* share */
    int64_t right; /* share; -1: no processor is at the right end */
    int64_t processors;
    int64_t at_right; /* number of processors that have to be at the right end */
} edge_ends;

/* A move to a size that is not interior. */
typedef struct {
    int64_t residue;
    int64_t share;
    int64_t index;
} arc;

static int64_t residue_of(int64_t modulus, int64_t length)
{
    const int64_t residue = length % modulus;
    return residue < 0 ? residue + modulus : residue;
}

/* Reduced costs of sizes first <= x < end for a processor of a share; at least MAX_NARROW if a size is forbidden. */
static void list_costs_narrow(const scalay_energy_search *search, const scalay_energy_share *from, int64_t first,
                              int64_t end, int64_t *cost)
{
    const scalay_problem_group *group = &search->problem->group[from->group];
    const int64_t denominator = search->solution.slope.length;
    const int64_t remainder = search->solution.remainder;
    const int64_t max_weight = MAX_NARROW / denominator;
    const int64_t origin = from->index - first;
    const scalay_row_costs costs = {
        group->energy + first,
        group->time + first,
        search->time_limit,
        search->factor * search->scale,
        scalay_move_weight_narrow(search, search->charge - from->energy, from->index == 0, first - from->index),
        (int64_t)search->solution.multiplier};
    scalay_row_reduced_costs(&costs, end - first, cost);
    if (first == 0) cost[0] = scalay_move_weight_narrow(search, -from->energy, -(from->index > 0), -from->index);
    for (int64_t k = 0; k < end - first; k++)
        cost[k] = cost[k] >= max_weight ? MAX_NARROW : denominator * cost[k] - remainder * (k - origin);
}

/* The same in 128 bits. */
static void list_costs_wide(const scalay_energy_search *search, const scalay_energy_share *from, int64_t first,
                            int64_t end, scalay_wide *cost)
{
    const scalay_problem_group *group = &search->problem->group[from->group];
    for (int64_t x = first; x < end; x++)
        cost[x - first] = x > 0 && !scalay_energy_is_allowed(search, group, x)
                              ? (scalay_wide)1 << 124
                              : scalay_share_cost(search, from, x, scalay_energy_at(search, group, x));
}

/* Keeps lower costs, with their size and share. */
static void keep_least_narrow(int64_t *least, int64_t *index, int64_t *share, const int64_t *cost, int64_t count,
                              int64_t first, int64_t from)
{
    scalay_row_update_minimum(least, index, share, cost, count, first, from);
}

static void keep_least_wide(scalay_wide *least, int64_t *index, int64_t *share, const scalay_wide *cost, int64_t count,
                            int64_t first, int64_t from)
{
    for (int64_t k = 0; k < count; k++) {
        if (cost[k] >= least[k]) continue;
        least[k] = cost[k];
        index[k] = first + k;
        share[k] = from;
    }
}

#define COST int64_t
#define NONE MAX_NARROW
#define NAME(verb) verb##_narrow
#define HEAP(verb) residue_heap_narrow_##verb
#include "workload/min_energy_residues_worker.h"
#undef COST
#undef NONE
#undef NAME
#undef HEAP
#define COST scalay_wide
#define NONE ((scalay_wide)1 << 124)
#define NAME(verb) verb##_wide
#define HEAP(verb) residue_heap_wide_##verb
#include "workload/min_energy_residues_worker.h"
#undef COST
#undef NONE
#undef NAME
#undef HEAP

/* Finds the cheapest moves; *bound is negative if there are none. Sums that narrow costs do not hold prove nothing. */
static scalay_status solve(scalay_energy_search *search, int all, scalay_wide *bound, chosen_moves *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    const double length = (double)search->solution.slope.length;
    const double edge_length = (double)search->solution.fractional_edge_length;
    *bound = -1;
    if (search->fits) SCALAY_TRY(solve_narrow(search, all, bound, chosen));
    if (search->fits && (*bound >= 0 || 2.0 * search->max_weight * length * edge_length < (double)MAX_NARROW))
        goto cleanup;
    SCALAY_TRY(solve_wide(search, all, bound, chosen));
cleanup:
    return status;
}

static int64_t count_sizes(const scalay_energy_search *search)
{
    int64_t sizes = 0;
    for (int j = 0; j < search->problem->groups; j++) sizes += scalay_energy_last_index(search, j);
    return sizes;
}

/* Looks at all sizes if they are few, otherwise at moves within budgets. */
static scalay_status find_moves(scalay_energy_search *search, scalay_wide *bound, chosen_moves *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    if (search->problem->groups == 1 || count_sizes(search) <= ALL_AT_ONCE) return solve(search, 1, bound, chosen);
    for (scalay_wide budget = scalay_energy_first_budget(search);; budget *= 4) {
        SCALAY_TRY(scalay_energy_list_moves(search, budget));
        SCALAY_TRY(solve(search, 0, bound, chosen));
        if (search->moves.complete || (*bound >= 0 && *bound <= budget)) break;
    }
cleanup:
    return status;
}

static edge_ends find_ends(const scalay_break_solution *solution)
{
    const int64_t left = solution->fractional_share;
    edge_ends ends = {left, -1, solution->share[left].count, 0};
    if (left + 1 < solution->break_shares && solution->share[left + 1].group == solution->share[left].group) {
        ends.right = left + 1;
        ends.at_right = solution->share[left + 1].count;
        ends.processors += ends.at_right;
    }
    return ends;
}

/* 1 if the processors suffice for the moves; sets ends->at_right. */
static scalay_status check_processors(scalay_energy_search *search, const chosen_moves *chosen, edge_ends *ends,
                                      int *is_sufficient)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_break_solution *solution = &search->solution;
    int64_t *used = NULL;
    int64_t rest = ends->at_right * solution->fractional_edge_length + solution->deficit;
    SCALAY_TRY(scalay_energy_scratch(search, 0, solution->break_shares, sizeof *used, &used));
    for (int64_t k = 0; k < solution->break_shares; k++) used[k] = 0;
    *is_sufficient = 1;
    for (int64_t k = 0; k < chosen->count; k++) {
        const int64_t share = chosen->share[k];
        rest -= chosen->index[k] - solution->share[share].index;
        if (++used[share] > solution->share[share].count && share != ends->left) *is_sufficient = 0;
    }
    ends->at_right = rest / solution->fractional_edge_length;
    if (rest < 0 || ends->at_right > ends->processors - used[ends->left]) *is_sufficient = 0;
cleanup:
    return status;
}

static scalay_status take_moves(scalay_energy_search *search, const chosen_moves *chosen, const edge_ends *ends)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_break_solution *solution = &search->solution;
    const int64_t more = ends->at_right - (ends->right >= 0 ? solution->share[ends->right].count : 0);
    for (int64_t k = 0; k < chosen->count; k++)
        SCALAY_TRY(scalay_energy_take(search, chosen->share[k], chosen->index[k], 1));
    if (more > 0)
        SCALAY_TRY(scalay_energy_take(search, ends->left,
                                      solution->share[ends->left].index + solution->fractional_edge_length, more));
    if (more < 0) {
        solution->share[ends->right].count += more;
        solution->share[ends->left].count -= more;
    }
cleanup:
    return status;
}

scalay_status scalay_energy_residues(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    chosen_moves chosen = {0, NULL, NULL};
    int is_sufficient = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (search->solution.fractional_share < 0) return SCALAY_SUCCESS;
    edge_ends ends = find_ends(&search->solution);
    if (ends.processors < MIN_PROCESSORS && search->problem->groups > 1) return SCALAY_SUCCESS;
    SCALAY_TRY(find_moves(search, bound, &chosen));
    if (*bound < 0) {
        *verdict = SCALAY_ENERGY_NONE;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(check_processors(search, &chosen, &ends, &is_sufficient));
    if (!is_sufficient) return SCALAY_SUCCESS;
    SCALAY_TRY(take_moves(search, &chosen, &ends));
    search->gap = (double)*bound / (double)search->solution.slope.length;
    *verdict = SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}
