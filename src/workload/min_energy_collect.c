/* The moves whose reduced cost is within a budget, found from the base outwards. */
#include "core/memory.h"
#include "workload/min_energy.h"

/* Lifts are rounded; this much room is left. */
static const double ROUNDING = 1.0 - 0x1p-40;

/* The reduced cost of what a vertex adds to the lot's. */
static scalay_wide cost_of(const scalay_energy_search *search, const scalay_energy_lot *lot, int64_t index,
                           int64_t energy)
{
    return scalay_reduced_cost(search, energy - lot->energy, (index > 0) - (lot->index > 0), index - lot->index);
}

static scalay_status offer(scalay_energy_search *search, int64_t lot, int64_t index, int64_t energy, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_energy_lot *from = &search->lot[lot];
    scalay_wide cost = cost_of(search, from, index, energy);
    if (cost > budget) {
        search->complete = 0;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(SCALAY_GROW(search->move, search->move_room, search->moves + 1));
    search->move[search->moves++] =
        (scalay_energy_move){lot, index, index - from->index, (index > 0) - (from->index > 0), cost};
cleanup:
    return status;
}

/* The sizes between a vertex and the next. */
static scalay_status offer_between(scalay_energy_search *search, int64_t lot, int64_t vertex, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    int group = search->lot[lot].group;
    const scalay_problem_group *sizes = &search->problem->group[group];
    const scalay_hull_vertex *ends = &search->hull[group].vertex[vertex];
    double lift = scalay_hull_lift(search, group, vertex);
    if (lift == INFINITY) return SCALAY_SUCCESS;
    if (lift * (double)search->slope.length * ROUNDING > (double)budget) {
        search->complete = 0;
        return SCALAY_SUCCESS;
    }
    for (int64_t x = ends[0].index + 1; x < ends[1].index; x++)
        if (scalay_energy_allowed(search, sizes, x))
            SCALAY_TRY(offer(search, lot, x, scalay_energy_at(search, sizes, x), budget));
cleanup:
    return status;
}

/* Vertices from the lot's to the right or left until they cost too much: then so does all that is beyond. */
static scalay_status walk(scalay_energy_search *search, int64_t lot, int direction, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull *hull = &search->hull[search->lot[lot].group];
    int64_t vertex = search->lot[lot].vertex;
    for (;;) {
        int64_t next = vertex + direction;
        if (next < 0 || next >= hull->count) break;
        SCALAY_TRY(offer_between(search, lot, direction > 0 ? vertex : next, budget));
        int64_t before = search->moves;
        SCALAY_TRY(offer(search, lot, hull->vertex[next].index, hull->vertex[next].energy, budget));
        if (search->moves == before) break;
        vertex = next;
    }
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
    SCALAY_TRY(SCALAY_GROW(search->move, search->move_room, search->moves + 1));
    search->move[search->moves++] = (scalay_energy_move){lot, 0, 0, 1, cost};
cleanup:
    return status;
}

scalay_status scalay_energy_collect(scalay_energy_search *search, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    search->moves = 0;
    search->complete = 1;
    for (int64_t lot = 0; lot < search->base_lots; lot++) {
        if (search->lot[lot].group < 0) {
            SCALAY_TRY(offer_filler(search, lot, budget));
            continue;
        }
        SCALAY_TRY(walk(search, lot, 1, budget));
        SCALAY_TRY(walk(search, lot, -1, budget));
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
            lower(&least, scalay_hull_lift(search, lot->group, edge) * (double)search->slope.length);
            lower(&least, (double)cost_of(search, lot, hull->vertex[end].index, hull->vertex[end].energy));
        }
    }
    return least < 0x1p100 ? 4 * (scalay_wide)least + 1 : 1;
}
