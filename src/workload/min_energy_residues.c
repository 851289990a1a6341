/*
 * Least energy modulo the length of the open edge, from a to b: when as many processors as we like may go from a to b
 * and back at no cost, only the residue of what the other moves add up to matters. The cheapest moves with the right
 * residue are found by Dijkstra's algorithm (Gomory's group relaxation, 1965); when the processors that they need,
 * and those that make up for the rest, are there, they are best of all.
 *
 * Cost: O(s + D^2) for sizes that add up to s and an open edge of length D, whatever the number of processors.
 */
#include "workload/min_energy_residues.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/pile.h"
#include "base/rows.h"
#include "workload/min_energy_rows.h"

enum {
    FEW_COPIES = 4,   /* fewer processors are seldom enough to make up */
    FEW_SIZES = 16384 /* fewer are tried all at once */
};

/* What sizes `first` to `end` - 1 of a lot cost; no less than NONE where they are not allowed. */
static void list_costs_narrow(const scalay_energy_search *search, const scalay_energy_lot *from, int64_t first,
                              int64_t end, int64_t *cost)
{
    const scalay_problem_group *group = &search->problem->group[from->group];
    const scalay_slope *slope = &search->slope;
    const int64_t weight = search->factor * slope->length;
    const int64_t step = search->factor * slope->energy + slope->active;
    const int64_t start = step * (from->index - first) + weight * (search->charge - from->energy) +
                          (from->index == 0 ? slope->length : 0);
    const scalay_row_costs heights = {
        group->energy + first, group->time + first, search->limit, weight * search->scale, start, step};
    scalay_row_reduced_costs(&heights, end - first, cost);
    if (first == 0) cost[0] = (int64_t)scalay_reduced_cost(search, -from->energy, -(from->index > 0), -from->index);
}

/* The same for wide costs. */
static void list_costs_wide(const scalay_energy_search *search, const scalay_energy_lot *from, int64_t first,
                            int64_t end, scalay_wide *cost)
{
    const scalay_problem_group *group = &search->problem->group[from->group];
    for (int64_t x = first; x < end; x++)
        cost[x - first] = x > 0 && !scalay_energy_allowed(search, group, x)
                              ? SCALAY_NO_WIDE_COST
                              : scalay_reduced_cost(search, scalay_energy_at(search, group, x) - from->energy,
                                                    (x > 0) - (from->index > 0), x - from->index);
}

/* Takes what is cheaper, with its size and lot. */
static void keep_least_narrow(int64_t *least, int64_t *index, int64_t *lot, const int64_t *cost, int64_t count,
                              int64_t first, int64_t from)
{
    scalay_row_update_minimum(least, index, lot, cost, count, first, from);
}

static void keep_least_wide(scalay_wide *least, int64_t *index, int64_t *lot, const scalay_wide *cost, int64_t count,
                            int64_t first, int64_t from)
{
    for (int64_t k = 0; k < count; k++) {
        if (cost[k] >= least[k]) continue;
        least[k] = cost[k];
        index[k] = first + k;
        lot[k] = from;
    }
}

#define COST int64_t
#define NONE (INT64_C(1) << 61)
#define NAME(verb) verb##_narrow
#include "workload/min_energy_residues_worker.h"
#undef COST
#undef NONE
#undef NAME
#define COST scalay_wide
#define NONE ((scalay_wide)1 << 124)
#define NAME(verb) verb##_wide
#include "workload/min_energy_residues_worker.h"
#undef COST
#undef NONE
#undef NAME

/* Fewer moves than residues are enough. Where so many may cost more than 60 bits hold, narrow costs that find nothing
 * prove nothing. */
static scalay_status solve(scalay_energy_search *search, int all, scalay_wide *bound, scalay_energy_choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    *bound = -1;
    if (search->fits) SCALAY_TRY(solve_narrow(search, all, bound, chosen));
    if (search->fits && (*bound >= 0 || search->dearest * (double)search->open_edge < 0x1p60)) goto cleanup;
    SCALAY_TRY(solve_wide(search, all, bound, chosen));
cleanup:
    return status;
}

static int64_t count_sizes(const scalay_energy_search *search)
{
    int64_t sizes = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        int64_t largest = search->problem->group[j].largest;
        sizes += largest < search->n ? largest : search->n;
    }
    return sizes;
}

/* With few sizes all at once, else with moves of limited cost until they are enough. */
static scalay_status find(scalay_energy_search *search, scalay_wide *bound, scalay_energy_choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    if (search->problem->groups == 1 || count_sizes(search) <= FEW_SIZES) return solve(search, 1, bound, chosen);
    for (scalay_wide budget = scalay_energy_first_budget(search);; budget *= 4) {
        SCALAY_TRY(scalay_energy_collect(search, budget));
        SCALAY_TRY(solve(search, 0, bound, chosen));
        if (search->complete || (*bound >= 0 && *bound <= budget)) break;
    }
cleanup:
    return status;
}

static scalay_energy_open find_open(const scalay_energy_search *search)
{
    scalay_energy_open open = {search->open_lot, -1, search->lot[search->open_lot].copies, 0, 0};
    int64_t next = open.near + 1;
    if (next < search->base_lots && search->lot[next].group == search->lot[open.near].group) {
        open.far = next;
        open.past = search->lot[next].copies;
        open.copies += open.past;
    }
    return open;
}

/* Whether the processors are there that the moves need; sets open->past. */
static scalay_status enough(scalay_energy_search *search, const scalay_energy_choice *chosen, scalay_energy_open *open,
                            int *is_enough)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *used = NULL;
    int64_t rest = open->past * search->open_edge + search->missing;
    SCALAY_TRY(scalay_energy_scratch(search, 0, search->base_lots, sizeof *used, &used));
    for (int64_t k = 0; k < search->base_lots; k++) used[k] = 0;
    *is_enough = 1;
    for (int64_t k = 0; k < chosen->steps; k++) {
        int64_t lot = chosen->lot[k];
        rest -= chosen->index[k] - search->lot[lot].index;
        if (++used[lot] > search->lot[lot].copies && lot != open->near) *is_enough = 0;
    }
    open->past = rest / search->open_edge;
    open->lacking = rest < 0 ? 1 : open->past > open->copies - used[open->near] ? -1 : 0;
    if (open->lacking != 0) *is_enough = 0;
cleanup:
    return status;
}

static scalay_status make_moves(scalay_energy_search *search, const scalay_energy_choice *chosen,
                                const scalay_energy_open *open)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t further = open->past - (open->far >= 0 ? search->lot[open->far].copies : 0);
    for (int64_t k = 0; k < chosen->steps; k++)
        SCALAY_TRY(scalay_energy_take(search, chosen->lot[k], chosen->index[k], 1));
    if (further > 0)
        SCALAY_TRY(scalay_energy_take(search, open->near, search->lot[open->near].index + search->open_edge, further));
    if (further < 0) {
        search->lot[open->far].copies += further;
        search->lot[open->near].copies -= further;
    }
cleanup:
    return status;
}

/* Where one end of the edge lacks processors: the cheapest moves that leave some there. */
static scalay_status leave_room(scalay_energy_search *search, scalay_energy_open *open, scalay_wide *bound,
                                scalay_energy_verdict *verdict, scalay_energy_choice *chosen, int *is_enough)
{
    scalay_status status = SCALAY_SUCCESS;
    const int direction = open->lacking;
    *open = find_open(search);
    SCALAY_TRY(scalay_energy_room(search, open, direction, bound, verdict, chosen));
    if (*verdict == SCALAY_ENERGY_FOUND) SCALAY_TRY(enough(search, chosen, open, is_enough));
cleanup:
    return status;
}

scalay_status scalay_energy_residues(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_choice chosen = {0, NULL, NULL};
    int is_enough = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (search->open_lot < 0 || search->counted) return SCALAY_SUCCESS;
    scalay_energy_open open = find_open(search);
    if (open.copies < FEW_COPIES && search->problem->groups > 1) return SCALAY_SUCCESS;
    SCALAY_TRY(find(search, bound, &chosen));
    if (*bound < 0) {
        *verdict = SCALAY_ENERGY_NONE;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(enough(search, &chosen, &open, &is_enough));
    if (!is_enough && search->fits && open.lacking != 0)
        SCALAY_TRY(leave_room(search, &open, bound, verdict, &chosen, &is_enough));
    if (*verdict == SCALAY_ENERGY_NONE) return SCALAY_SUCCESS;
    *verdict = is_enough ? SCALAY_ENERGY_FOUND : SCALAY_ENERGY_UNKNOWN;
    if (!is_enough) return SCALAY_SUCCESS;
    SCALAY_TRY(make_moves(search, &chosen, &open));
    search->gap = (double)*bound / (double)search->slope.length;
cleanup:
    return status;
}
