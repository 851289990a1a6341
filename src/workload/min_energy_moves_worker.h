/* Moves that add up to what the base lacks, by dynamic programming over their sums, for one type of costs. The
   including file defines COST, NONE (more than any cost) and NAME(verb). No include guard: it is included once per
   type. */

/* One more copy of a run's lot: each of its moves, or none. */
static void NAME(apply)(const scalay_energy_search *search, const scalay_moves_window *range,
                        const scalay_moves_run *moves, const scalay_moves_span *reached, const COST *source,
                        COST *target)
{
    for (int64_t k = moves->first; k < moves->first + moves->count; k++) {
        const scalay_energy_move *move = &search->move[k];
        int rise = search->counted ? move->rise : 0;
        int64_t first = scalay_max_int64(reached->first, -move->move);
        int64_t last = scalay_min_int64(reached->last, range->columns - 1 - move->move);
        if (first > last) continue;
        for (int64_t row = rise < 0 ? 1 : 0; row < range->rows - (rise > 0); row++) NAME(improve)
        (target + (row + rise) * range->columns + first + move->move, source + row * range->columns + first,
         last - first + 1, (COST)move->cost);
    }
}

/* Whether a column is reached. */
static int NAME(is_reached)(const scalay_moves_window *range, const COST *cell, int64_t column)
{
    for (int64_t row = 0; row < range->rows; row++)
        if (cell[row * range->columns + column] < NONE) return 1;
    return 0;
}

/* Cuts off what is over the budget with what is left after it. */
static void NAME(cut_classes)(const scalay_energy_search *search, const scalay_moves_window *range,
                              const scalay_moves_span *reached, COST *cell, COST budget)
{
    int64_t rest = scalay_energy_class(search->modulus, range->target - reached->first);
    for (int64_t column = reached->first; column <= reached->last; column++) {
        if ((scalay_wide)budget < search->class_cost[rest] ||
            cell[column] > (COST)((scalay_wide)budget - search->class_cost[rest]))
            cell[column] = NONE;
        rest = rest > 0 ? rest - 1 : search->modulus - 1;
    }
}

/* Cuts what is over the budget off; 0 when nothing has changed. */
static int NAME(finish)(const scalay_energy_search *search, const scalay_moves_window *range, const COST *source,
                        COST *target, COST budget, scalay_moves_span *reached)
{
    int64_t width = reached->last - reached->first + 1;
    int changed = 0;
    if (search->modulus > 0) NAME(cut_classes)(search, range, reached, target, budget);
    for (int64_t row = 0; row < range->rows; row++) {
        int64_t first = row * range->columns + reached->first;
        NAME(cut)(target + first, width, budget);
        changed = changed || memcmp(target + first, source + first, (size_t)width * sizeof *target) != 0;
    }
    while (reached->first < reached->last && !NAME(is_reached)(range, target, reached->first)) reached->first++;
    while (reached->last > reached->first && !NAME(is_reached)(range, target, reached->last)) reached->last--;
    return changed;
}

/* Whether the target is reached at a cost that cannot be beaten. */
static int NAME(is_good)(const scalay_energy_search *search, const scalay_moves_window *range, const layers *done)
{
    const COST *cell = search->scratch[4].array;
    COST cost = cell[(done->count - 1) * range->cells + range->target];
    return cost < NONE && (scalay_wide)cost <= search->good;
}

/* One more copy of a run's lot, within the budget; 0 when nothing has changed. */
static int NAME(add_copy)(const scalay_energy_search *search, const scalay_moves_window *range,
                          const scalay_moves_run *moves, COST budget, scalay_moves_span *reached, const COST *source,
                          COST *target)
{
    memcpy(target, source, (size_t)range->cells * sizeof *target);
    NAME(apply)(search, range, moves, reached, source, target);
    reached->first = scalay_max_int64(0, reached->first + scalay_min_int64(0, moves->lowest));
    reached->last = scalay_min_int64(range->columns - 1, reached->last + scalay_max_int64(0, moves->highest));
    return NAME(finish)(search, range, source, target, budget, reached);
}

#include "workload/min_energy_doubling_worker.h"

/* Adds copies of a run's lot, a layer each, until nothing changes; 0 in `fits`: there are more layers than may be kept.
 */
static scalay_status NAME(add_run)(scalay_energy_search *search, const scalay_moves_window *range,
                                   const scalay_moves_run *moves, COST budget, scalay_moves_span *reached, layers *done,
                                   int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t copy = 0; copy < moves->copies; copy++) {
        if (NAME(is_good)(search, range, done)) break;
        COST *cell = NULL;
        *fits = may_keep(search, range, done->count + 1);
        if (!*fits) break;
        SCALAY_TRY(scalay_energy_scratch(search, 4, (done->count + 1) * range->cells, sizeof *cell, &cell));
        SCALAY_TRY(scalay_energy_scratch(search, 5, done->count + 1, sizeof *done->run, &done->run));
        COST *source = cell + (done->count - 1) * range->cells;
        if (!NAME(add_copy)(search, range, moves, budget, reached, source, source + range->cells)) break;
        done->run[done->count++] = *moves;
    }
cleanup:
    return status;
}

/* Takes the moves that lead to the target, from the last layer to the first. */
static scalay_status NAME(trace)(scalay_energy_search *search, const scalay_moves_window *range, const layers *done)
{
    scalay_status status = SCALAY_SUCCESS;
    const COST *cell = search->scratch[4].array;
    int64_t column = range->target % range->columns;
    int64_t row = range->target / range->columns;
    for (int64_t layer = done->count - 1; layer > 0; layer--) {
        const COST *before = cell + (layer - 1) * range->cells;
        COST value = before[range->cells + row * range->columns + column];
        if (before[row * range->columns + column] == value) continue;
        int64_t k = done->run[layer].first;
        for (;; k++) {
            const scalay_energy_move *move = &search->move[k];
            int64_t from = row - (search->counted ? move->rise : 0);
            int64_t source = column - move->move;
            if (from < 0 || from >= range->rows || source < 0 || source >= range->columns) continue;
            if (before[from * range->columns + source] + (COST)move->cost != value) continue;
            row = from;
            column = source;
            break;
        }
        SCALAY_TRY(scalay_energy_take(search, search->move[k].lot, search->move[k].index, 1));
    }
cleanup:
    return status;
}

/* Finds the cheapest moves within the budget and takes them; *cost is negative when there are none. With all layers
 * kept, which is fastest for several lots, where they are not too many. */
static scalay_status NAME(solve)(scalay_energy_search *search, const scalay_moves_window *range,
                                 const scalay_moves_run *runs, int64_t count, scalay_wide budget, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    layers done = {1, NULL};
    scalay_moves_span reached = {-range->low, -range->low};
    COST *cell = NULL;
    int fits = count > 1 && may_keep(search, range, 1);
    *cost = -1;
    if (fits) {
        SCALAY_TRY(scalay_energy_scratch(search, 4, range->cells, sizeof *cell, &cell));
        for (int64_t k = 0; k < range->cells; k++) cell[k] = NONE;
        cell[range->origin] = 0;
    }
    for (int64_t k = 0; k < count && fits; k++)
        SCALAY_TRY(NAME(add_run)(search, range, &runs[k], (COST)budget, &reached, &done, &fits));
    if (!fits) return NAME(solve_by_doubling)(search, range, runs, count, (COST)budget, cost);
    cell = search->scratch[4].array;
    COST best = cell[(done.count - 1) * range->cells + range->target];
    if (best >= NONE) return SCALAY_SUCCESS;
    *cost = (scalay_wide)best;
    SCALAY_TRY(NAME(trace)(search, range, &done));
cleanup:
    return status;
}
