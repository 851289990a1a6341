/* The moves whose reduced cost is within a budget, found from the base outwards. */
#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

/* The reduced cost of what a vertex adds to the lot's. */
static scalay_wide cost_of(const scalay_energy_search *search, const scalay_energy_lot *lot, int64_t index,
                           int64_t energy)
{
    return scalay_reduced_cost(search, energy - lot->energy, (index > 0) - (lot->index > 0), index - lot->index);
}

static scalay_status add(scalay_energy_search *search, int64_t lot, int64_t index, scalay_wide cost)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t from = search->lot[lot].index;
    SCALAY_TRY(SCALAY_GROW(search->move, search->move_room, search->moves + 1));
    search->move[search->moves++] = (scalay_energy_move){lot, index, index - from, (index > 0) - (from > 0), cost};
cleanup:
    return status;
}

/* Adds a size that the budget allows. */
static scalay_status offer(scalay_energy_search *search, int64_t lot, int64_t index, scalay_wide cost,
                           scalay_wide budget)
{
    if (cost <= budget) return add(search, lot, index, cost);
    search->complete = 0;
    return SCALAY_SUCCESS;
}

/* Sizes from `first` to `last`, of at least 1, in 64 bits. */
static scalay_status offer_narrow(scalay_energy_search *search, int64_t lot, int64_t first, int64_t last,
                                  int64_t budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_energy_lot *from = &search->lot[lot];
    const scalay_problem_group *sizes = &search->problem->group[from->group];
    const scalay_slope *slope = &search->slope;
    int64_t step = search->factor * slope->energy + slope->active;
    int64_t weight = search->factor * slope->length;
    int64_t start = step * from->index + weight * (search->charge - from->energy) +
                    (from->index == 0 && !search->counted ? slope->length : 0);
    weight *= search->scale;
    int over = 0;
    if (!search->complete) {
        /* Some are left out already: so only the cheap ones count, which are few, and are looked at again. */
        uint64_t rest = (uint64_t)start - (uint64_t)step * (uint64_t)first;
        for (int64_t x = first; x <= last; x++, rest -= (uint64_t)step) {
            const uint64_t cost = (uint64_t)weight * (uint64_t)sizes->energy[x] + rest;
            if (cost <= (uint64_t)budget && scalay_energy_allowed(search, sizes, x))
                SCALAY_TRY(add(search, lot, x, (int64_t)cost));
        }
        return SCALAY_SUCCESS;
    }
    for (int64_t x = first; x <= last; x++) {
        /* What is not allowed is as good as random, and the cost of a hole overflows: so no branch, and no sign. */
        const int allowed = (sizes->energy[x] != SCALAY_NO_ENERGY) & (sizes->time[x] < search->limit);
        const int64_t cost =
            (int64_t)((uint64_t)weight * (uint64_t)sizes->energy[x] + (uint64_t)start - (uint64_t)step * (uint64_t)x);
        over |= allowed & (cost > budget);
        if (allowed & (cost <= budget)) SCALAY_TRY(add(search, lot, x, cost));
    }
    if (over) search->complete = 0;
cleanup:
    return status;
}

static scalay_status offer_wide(scalay_energy_search *search, int64_t lot, int64_t first, int64_t last,
                                scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_energy_lot *from = &search->lot[lot];
    const scalay_problem_group *sizes = &search->problem->group[from->group];
    for (int64_t x = first; x <= last; x++) {
        if (!scalay_energy_allowed(search, sizes, x)) continue;
        SCALAY_TRY(offer(search, lot, x, cost_of(search, from, x, scalay_energy_at(search, sizes, x)), budget));
    }
cleanup:
    return status;
}

static scalay_status offer_sizes(scalay_energy_search *search, int64_t lot, int64_t first, int64_t last,
                                 scalay_wide budget)
{
    if (!search->fits) return offer_wide(search, lot, first, last, budget);
    return offer_narrow(search, lot, first, last, budget < INT64_MAX ? (int64_t)budget : INT64_MAX);
}

/* A reduced cost, cheaper than from 128 bits. */
static double to_double(const scalay_energy_search *search, scalay_wide cost)
{
    return search->fits ? (double)(int64_t)cost : (double)cost;
}

/* The sizes between a vertex and the next in a direction, which cost `near` and `far`. */
static scalay_status offer_between(scalay_energy_search *search, int64_t lot, int64_t vertex, int direction,
                                   scalay_wide near, scalay_wide far, scalay_wide budget, double most)
{
    const scalay_hull *hull = &search->hull[search->lot[lot].group];
    const scalay_hull_vertex *ends = &hull->vertex[direction > 0 ? vertex : vertex - 1];
    const int64_t length = ends[1].index - ends[0].index;
    if (ends->lift == INFINITY) return SCALAY_SUCCESS;
    const int64_t reach =
        scalay_hull_reach_between(search, ends, to_double(search, near), to_double(search, far), most);
    if (reach < length - 1) search->complete = 0;
    return offer_sizes(search, lot, direction > 0 ? ends[0].index + 1 : ends[1].index - reach,
                       direction > 0 ? ends[0].index + reach : ends[1].index - 1, budget);
}

/* Renews a lost vertex beside a lot's; *vertex: of the lot that looks there, its number follows. */
static scalay_status renew(scalay_energy_search *search, int64_t lot, int direction, int64_t *vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    const int group = search->lot[lot].group;
    const int64_t before = search->hull[group].count;
    SCALAY_TRY(scalay_hull_renew(search, group, *vertex + direction));
    if (direction > 0) return SCALAY_SUCCESS;
    const int64_t moved = search->hull[group].count - before;
    *vertex += moved;
    for (int64_t k = 0; k < search->base_lots; k++)
        if (search->lot[k].group == group) search->lot[k].vertex += moved;
cleanup:
    return status;
}

/* Vertices from the lot's to the right or left until they cost too much: then so does all that is beyond. */
static scalay_status walk(scalay_energy_search *search, int64_t lot, int direction, scalay_wide budget, double most)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull *hull = &search->hull[search->lot[lot].group];
    int64_t vertex = search->lot[lot].vertex;
    scalay_wide near = 0;
    while (vertex + direction >= 0 && vertex + direction < hull->count) {
        const scalay_hull_vertex *next = &hull->vertex[vertex + direction];
        scalay_wide far = cost_of(search, &search->lot[lot], next->index, next->energy);
        if (far <= budget && scalay_hull_is_lost(search, next)) {
            SCALAY_TRY(renew(search, lot, direction, &vertex));
            continue;
        }
        SCALAY_TRY(offer_between(search, lot, vertex, direction, near, far, budget, most));
        if (far > budget) {
            search->complete = 0;
            break;
        }
        SCALAY_TRY(add(search, lot, next->index, far));
        near = far;
        vertex += direction;
    }
cleanup:
    return status;
}

/* The sizes outside the edges that one group's hull has. */
static scalay_status offer_beyond(scalay_energy_search *search, int64_t lot, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull *hull = &search->hull[0];
    const scalay_hull_vertex *first = &hull->vertex[0];
    const scalay_hull_vertex *last = &hull->vertex[hull->count - 1];
    const int64_t largest = scalay_min_int64(search->problem->group[0].largest, search->n);
    if (cost_of(search, &search->lot[lot], first->index, first->energy) > budget) {
        search->complete = 0;
    } else {
        if (first->index > 0 && search->least == 0)
            SCALAY_TRY(offer(search, lot, 0, cost_of(search, &search->lot[lot], 0, 0), budget));
        SCALAY_TRY(offer_sizes(search, lot, 1, first->index - 1, budget));
    }
    if (cost_of(search, &search->lot[lot], last->index, last->energy) > budget)
        search->complete = 0;
    else
        SCALAY_TRY(offer_sizes(search, lot, last->index + 1, largest, budget));
cleanup:
    return status;
}

/* A processor that gets nothing and is charged for. */
static scalay_status offer_filler(scalay_energy_search *search, int64_t lot, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_wide cost = scalay_reduced_cost(search, search->charge, 0, 0);
    if (cost > budget) {
        search->complete = 0;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(add(search, lot, 0, cost));
    search->move[search->moves - 1].rise = 1;
cleanup:
    return status;
}

scalay_status scalay_energy_collect(scalay_energy_search *search, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const double most = (double)budget;
    search->moves = 0;
    search->complete = 1;
    for (int64_t lot = 0; lot < search->base_lots; lot++) {
        if (search->lot[lot].group < 0) {
            SCALAY_TRY(offer_filler(search, lot, budget));
            continue;
        }
        SCALAY_TRY(walk(search, lot, 1, budget, most));
        SCALAY_TRY(walk(search, lot, -1, budget, most));
        if (search->problem->groups == 1) SCALAY_TRY(offer_beyond(search, lot, budget));
    }
cleanup:
    return status;
}

static void lower(double *least, double cost)
{
    if (cost > 0.0 && cost < *least) *least = cost;
}

scalay_wide scalay_energy_first_budget(scalay_energy_search *search)
{
    double least = 0x1p100;
    for (int64_t k = 0; k < search->base_lots; k++) {
        const scalay_energy_lot *lot = &search->lot[k];
        if (lot->group < 0) continue;
        const scalay_hull *hull = &search->hull[lot->group];
        for (int64_t end = lot->vertex - 1; end <= lot->vertex + 1; end += 2) {
            if (end < 0 || end >= hull->count) continue;
            int64_t edge = end < lot->vertex ? end : lot->vertex;
            lower(&least, hull->vertex[edge].lift * (double)search->slope.length);
            lower(&least, (double)cost_of(search, lot, hull->vertex[end].index, hull->vertex[end].energy));
        }
    }
    return least < 0x1p100 ? 4 * (scalay_wide)least + 1 : 1;
}
