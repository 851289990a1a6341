/*
 * Cost of a distribution of items on a circle, for the three-point stencil.
 *
 * A distribution is stored as runs: maximal sets of consecutive items with one owner. All costs are computed in
 * O(runs + processes).
 */
#include "model/stencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "model/machine.h"

/* ------------------------------------------------------------------------------------------------------------- runs */

int64_t scalay_item_runs_end(const scalay_item_runs *runs, int64_t r)
{
    return r + 1 < runs->runs ? runs->first[r + 1] : runs->n;
}

int64_t scalay_item_runs_find(const scalay_item_runs *runs, int64_t item)
{
    int64_t low = 0, high = runs->runs;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (runs->first[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

scalay_status scalay_item_runs_reserve(scalay_item_runs *runs, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(runs->first, runs->first_capacity, count));
    SCALAY_TRY(SCALAY_GROW(runs->owner, runs->owner_capacity, count));
cleanup:
    return status;
}

scalay_status scalay_item_runs_append(scalay_item_runs *runs, int64_t first, int owner)
{
    scalay_status status = SCALAY_SUCCESS;
    if (runs->runs > 0 && runs->owner[runs->runs - 1] == owner) return status;
    SCALAY_TRY(scalay_item_runs_reserve(runs, runs->runs + 1));
    runs->first[runs->runs] = first;
    runs->owner[runs->runs++] = owner;
cleanup:
    return status;
}

scalay_status scalay_item_runs_copy(const scalay_item_runs *runs, scalay_item_runs *copy)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_item_runs_reserve(copy, runs->runs));
    copy->n = runs->n;
    copy->runs = runs->runs;
    if (runs->runs == 0) goto cleanup;
    memcpy(copy->first, runs->first, (size_t)runs->runs * sizeof *runs->first);
    memcpy(copy->owner, runs->owner, (size_t)runs->runs * sizeof *runs->owner);
cleanup:
    return status;
}

void scalay_item_runs_free(scalay_item_runs *runs)
{
    scalay_release(runs->first);
    scalay_release(runs->owner);
    *runs = (scalay_item_runs){0};
}

/* --------------------------------------------------------------------------------------------- of a layout */

typedef struct {
    int64_t first;
    int owner;
} owned_run;

static int compare_runs(const void *left, const void *right)
{
    const owned_run *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static scalay_status collect(const scalay_layout *layout, owned_run *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const int across = scalay_layout_rows(layout) == 1;
    int64_t count = 0;
    for (int process = 0; process < scalay_layout_processes(layout); process++)
        for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, process); k++) {
            scalay_rectangle rectangle = {0};
            SCALAY_TRY(scalay_layout_rectangle(layout, process, k, &rectangle));
            list[count++] = (owned_run){across ? rectangle.col : rectangle.row, process};
        }
    qsort(list, (size_t)count, sizeof *list, compare_runs);
cleanup:
    return status;
}

scalay_status scalay_item_runs_of_layout(const char *function, const scalay_layout *layout, scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    owned_run *list = NULL;
    int64_t count = 0;
    const int64_t rows = scalay_layout_rows(layout), cols = scalay_layout_cols(layout);
    *runs = (scalay_item_runs){0};
    if (rows != 1 && cols != 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the layout is %lld x %lld; items on a circle are one row or one column", (long long)rows,
                           (long long)cols);
    for (int process = 0; process < scalay_layout_processes(layout); process++)
        count += scalay_layout_rectangle_count(layout, process);
    SCALAY_TRY(SCALAY_NEW(list, count));
    SCALAY_TRY(collect(layout, list));
    for (int64_t k = 0; k < count; k++) SCALAY_TRY(scalay_item_runs_append(runs, list[k].first, list[k].owner));
    runs->n = rows * cols;
cleanup:
    scalay_release(list);
    if (status != SCALAY_SUCCESS) scalay_item_runs_free(runs);
    return status;
}

/* ------------------------------------------------------------------------------------------------- counts and costs */

/* Flops of the update of one item. */
enum { UPDATE_FLOPS = 5 };

void scalay_stencil_problem_init(scalay_stencil_problem *problem, size_t size)
{
    const scalay_stencil_problem defaults = {.size = sizeof defaults, .seed = 1};
    scalay_option_struct_fill(&defaults, sizeof defaults, problem, size);
}

void scalay_stencil_problem_set_rates(scalay_stencil_problem *problem, const scalay_machine *machine, scalay_type type)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const double size = (double)scalay_type_size(type);
    problem->model = SCALAY_STENCIL_STEPS;
    problem->seconds_per_item_moved = size * (rates.seconds_per_byte + 2.0 * rates.seconds_per_byte_copied);
    problem->seconds_per_item_exchanged = problem->seconds_per_item_moved;
    problem->seconds_per_message = rates.seconds_per_message;
    problem->seconds_per_update = UPDATE_FLOPS * rates.seconds_per_flop_vector;
}

scalay_status scalay_stencil_problem_check(const char *function, const scalay_stencil_problem *problem, int processes)
{
    if (problem->model != SCALAY_STENCIL_VOLUME && problem->model != SCALAY_STENCIL_STEPS)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "problem has model %d; pass SCALAY_STENCIL_VOLUME or SCALAY_STENCIL_STEPS",
                           (int)problem->model);
    if (problem->iterations < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "problem has %lld iterations; at least 0",
                           (long long)problem->iterations);
    const double rates[] = {problem->seconds_per_item_moved, problem->seconds_per_item_exchanged,
                            problem->seconds_per_message, problem->seconds_per_update};
    for (int k = 0; k < 4; k++)
        if (!isfinite(rates[k]) || rates[k] < 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "problem has %g seconds per item moved, %g exchanged, %g per message, %g per update; "
                               "finite, at least 0",
                               rates[0], rates[1], rates[2], rates[3]);
    if (problem->processes != 0 && problem->processes < processes)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "problem has %d processes, the layouts %d; at least as many, or 0", problem->processes,
                           processes);
    return SCALAY_SUCCESS;
}

/* ---------------------------------------------------------------------------------------------------- tally */

scalay_status scalay_stencil_tally_create(int processes, scalay_stencil_tally *tally)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *counts = NULL;
    *tally = (scalay_stencil_tally){.processes = processes};
    SCALAY_TRY(SCALAY_NEW(counts, 5 * (int64_t)processes));
    tally->load = counts;
    tally->sent = counts + processes;
    tally->received = counts + 2 * (int64_t)processes;
    tally->out = counts + 3 * (int64_t)processes;
    tally->in = counts + 4 * (int64_t)processes;
cleanup:
    return status;
}

void scalay_stencil_tally_free(scalay_stencil_tally *tally)
{
    scalay_release(tally->load);
    *tally = (scalay_stencil_tally){0};
}

void scalay_stencil_tally_items(scalay_stencil_tally *tally, int from, int to, int64_t items)
{
    tally->load[to] += items;
    if (from == to) return;
    tally->sent[from] += items;
    tally->received[to] += items;
    tally->volume += items;
}

static void exchange_one(scalay_stencil_tally *tally, int from, int to, int64_t sign)
{
    tally->out[from] += sign;
    tally->in[to] += sign;
    tally->exchanged += sign;
}

void scalay_stencil_tally_exchange(scalay_stencil_tally *tally, const scalay_item_runs *runs, int64_t r, int64_t sign)
{
    const int owner = runs->owner[r];
    const int left = runs->owner[r > 0 ? r - 1 : runs->runs - 1];
    const int right = runs->owner[r + 1 < runs->runs ? r + 1 : 0];
    const int single = scalay_item_runs_end(runs, r) - runs->first[r] == 1;
    if (left != owner) exchange_one(tally, owner, left, sign);
    if (right != owner && !(single && left == right)) exchange_one(tally, owner, right, sign);
}

/* Merges the initial and the new runs. */
static void tally_moves(scalay_stencil_tally *tally, const scalay_item_runs *initial, const scalay_item_runs *runs)
{
    int64_t i = 0, item = 0;
    for (int64_t r = 0; r < runs->runs; r++)
        while (item < scalay_item_runs_end(runs, r)) {
            const int64_t end = scalay_min_int64(scalay_item_runs_end(runs, r), scalay_item_runs_end(initial, i));
            scalay_stencil_tally_items(tally, initial->owner[i], runs->owner[r], end - item);
            item = end;
            if (item == scalay_item_runs_end(initial, i)) i++;
        }
}

void scalay_stencil_tally_all(scalay_stencil_tally *tally, const scalay_item_runs *initial,
                              const scalay_item_runs *runs)
{
    for (int64_t k = 0; k < 5 * (int64_t)tally->processes; k++) tally->load[k] = 0;
    tally->volume = tally->exchanged = 0;
    tally_moves(tally, initial, runs);
    for (int64_t r = 0; r < runs->runs; r++) scalay_stencil_tally_exchange(tally, runs, r, 1);
}

static int64_t greatest(const int64_t *value, int count)
{
    int64_t most = 0;
    for (int k = 0; k < count; k++) most = value[k] > most ? value[k] : most;
    return most;
}

/* Messages: at most one per item, and at most one per other process. In the volume model all processes count. */
static double message_seconds(const scalay_stencil_problem *problem, int processes, int64_t items)
{
    const int64_t others = processes - 1;
    const int64_t most = problem->model == SCALAY_STENCIL_VOLUME ? others * processes : others;
    return problem->seconds_per_message * (double)scalay_min_int64(items, most);
}

scalay_stencil_cost scalay_stencil_cost_of(const scalay_stencil_problem *problem, const scalay_stencil_tally *tally)
{
    const int processes = tally->processes;
    scalay_stencil_cost cost = {
        .volume = tally->volume,
        .steps = scalay_max_int64(greatest(tally->sent, processes), greatest(tally->received, processes)),
        .exchanged = tally->exchanged,
        .exchange_steps = scalay_max_int64(greatest(tally->out, processes), greatest(tally->in, processes)),
        .load = greatest(tally->load, processes)};
    const int by_volume = problem->model == SCALAY_STENCIL_VOLUME;
    const int64_t moved = by_volume ? cost.volume : cost.steps;
    const int64_t exchanged = by_volume ? cost.exchanged : cost.exchange_steps;
    cost.move_seconds = problem->seconds_per_item_moved * (double)moved + message_seconds(problem, processes, moved);
    cost.iteration_seconds = problem->seconds_per_item_exchanged * (double)exchanged +
                             message_seconds(problem, processes, exchanged) +
                             problem->seconds_per_update * (double)cost.load;
    cost.seconds = cost.move_seconds + (double)problem->iterations * cost.iteration_seconds;
    return cost;
}

/* ------------------------------------------------------------------------------------------- by definition */

static scalay_status check_layouts(const scalay_layout *source, const scalay_layout *target)
{
    static const char name[] = "scalay_model_stencil";
    if (source == NULL || target == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, name, "%s is NULL; pass a layout with one row or one column",
                           source == NULL ? "source" : "target");
    if (scalay_layout_rows(source) != scalay_layout_rows(target) ||
        scalay_layout_cols(source) != scalay_layout_cols(target))
        return scalay_fail(SCALAY_ERROR_MISMATCH, name,
                           "source is %lld x %lld and target %lld x %lld; the same extents",
                           (long long)scalay_layout_rows(source), (long long)scalay_layout_cols(source),
                           (long long)scalay_layout_rows(target), (long long)scalay_layout_cols(target));
    return SCALAY_SUCCESS;
}

scalay_status scalay_model_stencil(const scalay_stencil_problem *problem, const scalay_layout *source,
                                   const scalay_layout *target, scalay_stencil_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_item_runs before = {0}, after = {0};
    scalay_stencil_tally tally = {0};
    scalay_stencil_problem given;
    if (cost == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "cost is NULL; pass the address of a scalay_stencil_cost");
    SCALAY_TRY(check_layouts(source, target));
    const int processes = (int)scalay_max_int64(scalay_layout_processes(source), scalay_layout_processes(target));
    SCALAY_TRY(scalay_check_not_null(problem, __func__, "problem"));
    scalay_stencil_problem_init(&given, sizeof given);
    SCALAY_TRY(scalay_option_struct_read(problem, &given, sizeof given, __func__));
    SCALAY_TRY(scalay_stencil_problem_check(__func__, &given, processes));
    SCALAY_TRY(scalay_item_runs_of_layout(__func__, source, &before));
    SCALAY_TRY(scalay_item_runs_of_layout(__func__, target, &after));
    SCALAY_TRY(scalay_stencil_tally_create(processes, &tally));
    scalay_stencil_tally_all(&tally, &before, &after);
    *cost = scalay_stencil_cost_of(&given, &tally);
cleanup:
    scalay_stencil_tally_free(&tally);
    scalay_item_runs_free(&after);
    scalay_item_runs_free(&before);
    return status;
}
