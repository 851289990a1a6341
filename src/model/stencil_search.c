#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/stencil_state.h"

/*
 * Simulated annealing from the best places that have been found (Kirkpatrick et al. 1983): boundaries shift, windows
 * return to where their items were, runs change their owner or swap it. It works on runs and counts what it looks at,
 * so that it ends in time, and everywhere after the same moves.
 */

/* Runs and processes that all searches together look at. */
static const int64_t most_work = 60000000;
/* Moves of one search: for each item and process, at most, and at least. */
enum { MOVES_EACH = 1000, MOST_MOVES = 60000, LEAST_MOVES = 200 };

typedef struct {
    scalay_stencil_decision *decision;
    scalay_stencil_state state;
    scalay_random random;
    int processes;
    double energy; /* of the state: seconds and what guides */
    double least;  /* seconds of the best */
    scalay_item_runs best;
} annealing;

/* ---------------------------------------------------------------------------------------------------- moves */

static int64_t below(annealing *a, int64_t bound)
{
    return scalay_random_below(&a->random, bound);
}

/* 1 .. most, small ones as likely as large ones. */
static int64_t any_length(annealing *a, int64_t most)
{
    int64_t length = most;
    while (length > 1 && below(a, 2) == 0) length = (length + 1) / 2;
    return 1 + below(a, length);
}

static int64_t next_run(const scalay_item_runs *runs, int64_t r)
{
    return r + 1 < runs->runs ? r + 1 : 0;
}

/* How far a boundary moves into items begin .. end - 1: a few, or to where the initial owner changes. */
static int64_t shift_length(annealing *a, int64_t begin, int64_t end, int forth)
{
    const scalay_item_runs *initial = a->state.initial;
    if (below(a, 3) > 0) return any_length(a, end - begin);
    const int64_t i = scalay_item_runs_find(initial, forth ? begin : end - 1);
    const int64_t stop = forth ? scalay_item_runs_end(initial, i) - begin : end - initial->first[i];
    return scalay_min_int64(stop, end - begin);
}

/* The boundary between a run and the next one moves into either of them. */
static scalay_status shift(annealing *a)
{
    const scalay_item_runs *runs = &a->state.runs;
    const int64_t left = below(a, runs->runs), right = next_run(runs, left);
    const int forth = (int)below(a, 2);
    const int64_t into = forth ? right : left;
    const int64_t begin = runs->first[into], end = scalay_item_runs_end(runs, into);
    const int64_t length = shift_length(a, begin, end, forth);
    return forth ? scalay_stencil_state_assign(&a->state, begin, begin + length, runs->owner[left])
                 : scalay_stencil_state_assign(&a->state, end - length, end, runs->owner[right]);
}

/* Items that were together return to where they were: all of them, or those that are together now. */
static scalay_status give_back(annealing *a)
{
    const scalay_item_runs *initial = a->state.initial, *runs = &a->state.runs;
    const int64_t item = below(a, initial->n);
    const int64_t i = scalay_item_runs_find(initial, item), r = scalay_item_runs_find(runs, item);
    int64_t begin = initial->first[i], end = scalay_item_runs_end(initial, i);
    if (below(a, 2) == 0) {
        begin = scalay_max_int64(begin, runs->first[r]);
        end = scalay_min_int64(end, scalay_item_runs_end(runs, r));
    }
    return scalay_stencil_state_assign(&a->state, begin, end, initial->owner[i]);
}

/* A run goes to a neighbour, or to anybody. */
static scalay_status reassign(annealing *a)
{
    const scalay_item_runs *runs = &a->state.runs;
    const int64_t r = below(a, runs->runs);
    const int owner = below(a, 2) == 0 ? (int)below(a, a->processes) : runs->owner[next_run(runs, r)];
    return scalay_stencil_state_assign(&a->state, runs->first[r], scalay_item_runs_end(runs, r), owner);
}

/* Two runs swap their owners. */
static scalay_status swap(annealing *a)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_item_runs *runs = &a->state.runs;
    const int64_t r = below(a, runs->runs), s = below(a, runs->runs);
    const int64_t begin = runs->first[s], end = scalay_item_runs_end(runs, s);
    const int one = runs->owner[r], other = runs->owner[s];
    SCALAY_TRY(scalay_stencil_state_assign(&a->state, runs->first[r], scalay_item_runs_end(runs, r), other));
    SCALAY_TRY(scalay_stencil_state_assign(&a->state, begin, end, one));
cleanup:
    return status;
}

/* Some items go to anybody, or to where the first of them was. */
static scalay_status give_window(annealing *a)
{
    const scalay_item_runs *initial = a->state.initial;
    const int64_t begin = below(a, initial->n), end = begin + any_length(a, initial->n - begin);
    const int owner =
        below(a, 2) == 0 ? (int)below(a, a->processes) : initial->owner[scalay_item_runs_find(initial, begin)];
    return scalay_stencil_state_assign(&a->state, begin, end, owner);
}

typedef scalay_status (*search_move)(annealing *a);

static const search_move moves[] = {shift, shift, shift, give_back, give_back, reassign, swap, give_window};
enum { MOVES = (int)(sizeof moves / sizeof moves[0]) };

/* ------------------------------------------------------------------------------------------------ annealing */

/* The seconds; and, where only the busiest process counts, a little of what the others do. */
static double energy_of(const annealing *a, const scalay_stencil_cost *cost)
{
    const scalay_stencil_problem *problem = &a->decision->problem;
    if (problem->model == SCALAY_STENCIL_VOLUME) return cost->seconds;
    const double others = problem->seconds_per_item_moved * (double)cost->volume +
                          (double)problem->iterations * problem->seconds_per_item_exchanged * (double)cost->exchanged;
    return cost->seconds + 0.25 * others / a->processes;
}

static scalay_status try_move(annealing *a, double temperature)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(moves[below(a, MOVES)](a));
    if (a->state.changes == 0) return status;
    const scalay_stencil_cost cost = scalay_stencil_cost_of(&a->decision->problem, &a->state.tally);
    const double energy = energy_of(a, &cost);
    a->state.work += a->processes;
    if (energy > a->energy && scalay_random_unit(&a->random) >= exp((a->energy - energy) / temperature))
        return scalay_stencil_state_undo(&a->state);
    scalay_stencil_state_keep(&a->state);
    a->energy = energy;
    if (cost.seconds >= a->least) return status;
    a->least = cost.seconds;
    status = scalay_item_runs_copy(&a->state.runs, &a->best);
    a->state.work += a->best.runs / 4;
cleanup:
    return status;
}

static scalay_status anneal(annealing *a, const scalay_item_runs *from, int64_t work)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_stencil_state_load(&a->state, from));
    const scalay_stencil_cost cost = scalay_stencil_cost_of(&a->decision->problem, &a->state.tally);
    a->energy = energy_of(a, &cost);
    const double hot = 0.02 * cost.seconds, cold = 1e-5 * cost.seconds;
    const int64_t until = a->state.work + work;
    const int64_t most =
        scalay_min_int64(MOST_MOVES, MOVES_EACH * (scalay_min_int64(from->n, MOST_MOVES) + a->processes));
    for (int64_t move = 0; move < most; move++) {
        double done = (double)move / (double)most;
        const double spent = 1.0 - (double)(until - a->state.work) / (double)work;
        done = spent > done ? spent : done;
        if (done >= 1.0 && move >= LEAST_MOVES) break;
        SCALAY_TRY(try_move(a, hot * pow(cold / hot, done < 1.0 ? done : 1.0) + 1e-300));
    }
cleanup:
    return status;
}

static scalay_status anneal_all(annealing *a)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_stencil_decision *decision = a->decision;
    for (int64_t k = 0; k < decision->starts; k++) {
        if (k == 0 || decision->start_seconds[k] < a->least) {
            a->least = decision->start_seconds[k];
            SCALAY_TRY(scalay_item_runs_copy(&decision->start[k], &a->best));
        }
    }
    for (int64_t k = 0; k < decision->starts; k++)
        SCALAY_TRY(anneal(a, &decision->start[k], most_work / decision->starts));
    SCALAY_TRY(scalay_stencil_add_option(decision, "search", &a->best));
cleanup:
    return status;
}

scalay_status scalay_stencil_search(scalay_stencil_decision *decision)
{
    annealing a = {.decision = decision,
                   .random = scalay_random_seed(decision->problem.seed),
                   .processes = decision->tally.processes};
    scalay_status status = scalay_stencil_state_create(&decision->initial, a.processes, &a.state);
    if (status == SCALAY_SUCCESS) status = anneal_all(&a);
    scalay_item_runs_free(&a.best);
    scalay_stencil_state_free(&a.state);
    return status;
}
