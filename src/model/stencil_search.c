/*
 * Simulated annealing (Kirkpatrick et al. 1983) from the best distributions found so far.
 *
 * A move shifts the boundary of a run, returns items to their initial owner, or gives or swaps owners of runs. The cost
 * of a move depends on the runs it touches, not on the number of items. The search counts its work, so that it ends in
 * time and makes the same moves on every machine.
 */
#include "model/stencil.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"

/* -------------------------------------------------------------------------------------- a distribution that changes */

/* A change: `added` runs at index `at` replaced `saved` runs. */
typedef struct {
    int64_t at;
    int64_t added;
    int64_t saved; /* number of runs that were replaced */
} search_change;

/* A distribution with its counts, and the changes since it was last kept. */
typedef struct {
    const scalay_item_runs *initial;
    scalay_item_runs runs;
    scalay_stencil_tally tally;
    scalay_item_runs saved; /* replaced runs of all changes, the latest last */
    int64_t changes;
    int64_t change_capacity;
    search_change *change;
    int64_t work; /* runs visited so far */
} search_state;

static scalay_status state_create(const scalay_item_runs *initial, int processes, search_state *state)
{
    *state = (search_state){.initial = initial};
    return scalay_stencil_tally_create(processes, &state->tally);
}

static void state_free(search_state *state)
{
    scalay_item_runs_free(&state->runs);
    scalay_item_runs_free(&state->saved);
    scalay_stencil_tally_free(&state->tally);
    scalay_release(state->change);
    *state = (search_state){0};
}

static void state_keep(search_state *state)
{
    state->changes = state->saved.runs = 0;
}

static scalay_status state_load(search_state *state, const scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_item_runs_copy(runs, &state->runs));
    scalay_stencil_tally_all(&state->tally, state->initial, &state->runs);
    state_keep(state);
    state->work += runs->runs + state->initial->runs;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- replacing */

/* Runs that replace other runs and cover the same items. */
typedef struct {
    int64_t at;
    int64_t removed;
    int64_t added;
    const int64_t *first; /* shape [added] */
    const int *owner;     /* shape [added] */
} replacement;

/* Counts that items begin .. end - 1 change from one process to another. */
static void retally(search_state *state, int64_t begin, int64_t end, int from, int to)
{
    const scalay_item_runs *initial = state->initial;
    for (int64_t i = scalay_item_runs_find(initial, begin); begin < end; i++) {
        const int64_t stop = scalay_min_int64(end, scalay_item_runs_end(initial, i));
        scalay_stencil_tally_items(&state->tally, initial->owner[i], to, stop - begin);
        scalay_stencil_tally_items(&state->tally, initial->owner[i], from, begin - stop);
        begin = stop;
        state->work++;
    }
}

static void retally_items(search_state *state, const replacement *new)
{
    const scalay_item_runs *runs = &state->runs;
    int64_t item = new->first[0], r = new->at, k = 0;
    const int64_t end = scalay_item_runs_end(runs, new->at + new->removed - 1);
    while (item < end) {
        const int64_t new_end = k + 1 < new->added ? new->first[k + 1] : end;
        const int64_t stop = scalay_min_int64(scalay_item_runs_end(runs, r), new_end);
        if (runs->owner[r] != new->owner[k]) retally(state, item, stop, runs->owner[r], new->owner[k]);
        item = stop;
        if (item == scalay_item_runs_end(runs, r)) r++;
        if (item == new_end) k++;
    }
}

/* Counts the exchange of the runs and their two neighbours. */
static void retally_exchange(search_state *state, int64_t at, int64_t count, int64_t sign)
{
    const int64_t runs = state->runs.runs, around = scalay_min_int64(runs, count + 2);
    int64_t r = at > 0 ? at - 1 : runs - 1;
    for (int64_t k = 0; k < around; k++) {
        scalay_stencil_tally_exchange(&state->tally, &state->runs, r, sign);
        r = r + 1 < runs ? r + 1 : 0;
    }
    state->work += around;
}

static void move_runs(scalay_item_runs *runs, const replacement *new)
{
    const int64_t tail = runs->runs - new->at - new->removed;
    int64_t *first = runs->first + new->at;
    int *owner = runs->owner + new->at;
    memmove(first + new->added, first + new->removed, (size_t)tail * sizeof *first);
    memmove(owner + new->added, owner + new->removed, (size_t)tail * sizeof *owner);
    memcpy(first, new->first, (size_t) new->added * sizeof *first);
    memcpy(owner, new->owner, (size_t) new->added * sizeof *owner);
    runs->runs += new->added - new->removed;
}

static scalay_status replace(search_state *state, const replacement *new)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_item_runs_reserve(&state->runs, state->runs.runs + new->added));
    state->work += 8 + (state->runs.runs - new->at) / 8;
    retally_items(state, new);
    retally_exchange(state, new->at, new->removed, -1);
    move_runs(&state->runs, new);
    retally_exchange(state, new->at, new->added, 1);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ changing */

static scalay_status save(search_state *state, const replacement *new)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_item_runs *saved = &state->saved;
    SCALAY_TRY(scalay_item_runs_reserve(saved, saved->runs + new->removed));
    SCALAY_TRY(SCALAY_GROW(state->change, state->change_capacity, state->changes + 1));
    memcpy(saved->first + saved->runs, state->runs.first + new->at, (size_t) new->removed * sizeof *saved->first);
    memcpy(saved->owner + saved->runs, state->runs.owner + new->at, (size_t) new->removed * sizeof *saved->owner);
    saved->runs += new->removed;
    state->change[state->changes++] = (search_change){new->at, new->added, new->removed};
cleanup:
    return status;
}

static scalay_status state_assign(search_state *state, int64_t begin, int64_t end, int owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_item_runs *runs = &state->runs;
    int64_t low = scalay_item_runs_find(runs, begin), high = scalay_item_runs_find(runs, end - 1);
    if (low == high && runs->owner[low] == owner) return status;
    /* Merge with neighbours of the same owner. */
    if (runs->first[low] == begin && low > 0 && runs->owner[low - 1] == owner) low--;
    if (scalay_item_runs_end(runs, high) == end && high + 1 < runs->runs && runs->owner[high + 1] == owner) high++;
    int64_t first[3];
    int who[3];
    replacement new = {.at = low, .removed = high - low + 1, .first = first, .owner = who};
    if (runs->first[low] < begin && runs->owner[low] != owner) {
        first[new.added] = runs->first[low];
        who[new.added++] = runs->owner[low];
    }
    first[new.added] = new.added > 0 ? begin : runs->first[low];
    who[new.added++] = owner;
    if (scalay_item_runs_end(runs, high) > end && runs->owner[high] != owner) {
        first[new.added] = end;
        who[new.added++] = runs->owner[high];
    }
    SCALAY_TRY(save(state, &new));
    SCALAY_TRY(replace(state, &new));
cleanup:
    return status;
}

static scalay_status state_undo(search_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    while (state->changes > 0) {
        const search_change *last = &state->change[--state->changes];
        state->saved.runs -= last->saved;
        const replacement old = {.at = last->at,
                                 .removed = last->added,
                                 .added = last->saved,
                                 .first = state->saved.first + state->saved.runs,
                                 .owner = state->saved.owner + state->saved.runs};
        SCALAY_TRY(replace(state, &old));
    }
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------------- annealing */

/* Limit of runs and processes that are visited in all searches together. */
static const int64_t max_work = 60000000;
/* Number of moves of one search. */
enum { MOVES_PER_ITEM = 1000, MAX_MOVES = 60000, MIN_MOVES = 200 };

typedef struct {
    scalay_stencil_decision *decision;
    search_state state;
    scalay_random random;
    int processes;
    double energy;       /* of the state: seconds plus a guide */
    double best_seconds; /* of `best` */
    scalay_item_runs best;
} annealing;

/* ---------------------------------------------------------------------------------------------------- moves */

static int64_t below(annealing *a, int64_t bound)
{
    return scalay_random_below(&a->random, bound);
}

/* Returns a length in 1 .. maximum. Small and large lengths are equally likely. */
static int64_t random_length(annealing *a, int64_t maximum)
{
    int64_t length = maximum;
    while (length > 1 && below(a, 2) == 0) length = (length + 1) / 2;
    return 1 + below(a, length);
}

static int64_t next_run(const scalay_item_runs *runs, int64_t r)
{
    return r + 1 < runs->runs ? r + 1 : 0;
}

/* Returns how far a boundary moves into items begin .. end - 1: a random length, or to a change of the initial owner.
 */
static int64_t shift_length(annealing *a, int64_t begin, int64_t end, int forward)
{
    const scalay_item_runs *initial = a->state.initial;
    if (below(a, 3) > 0) return random_length(a, end - begin);
    const int64_t i = scalay_item_runs_find(initial, forward ? begin : end - 1);
    const int64_t stop = forward ? scalay_item_runs_end(initial, i) - begin : end - initial->first[i];
    return scalay_min_int64(stop, end - begin);
}

/* The boundary between a run and the next one moves into either of them. */
static scalay_status shift(annealing *a)
{
    const scalay_item_runs *runs = &a->state.runs;
    const int64_t left = below(a, runs->runs), right = next_run(runs, left);
    const int forward = (int)below(a, 2);
    const int64_t into = forward ? right : left;
    const int64_t begin = runs->first[into], end = scalay_item_runs_end(runs, into);
    const int64_t length = shift_length(a, begin, end, forward);
    return forward ? state_assign(&a->state, begin, begin + length, runs->owner[left])
                   : state_assign(&a->state, end - length, end, runs->owner[right]);
}

/* Items of an initial run return to their initial owner: the whole run, or its part in the current run. */
static scalay_status return_items(annealing *a)
{
    const scalay_item_runs *initial = a->state.initial, *runs = &a->state.runs;
    const int64_t item = below(a, initial->n);
    const int64_t i = scalay_item_runs_find(initial, item), r = scalay_item_runs_find(runs, item);
    int64_t begin = initial->first[i], end = scalay_item_runs_end(initial, i);
    if (below(a, 2) == 0) {
        begin = scalay_max_int64(begin, runs->first[r]);
        end = scalay_min_int64(end, scalay_item_runs_end(runs, r));
    }
    return state_assign(&a->state, begin, end, initial->owner[i]);
}

/* A run gets the owner of a neighbour, or a random one. */
static scalay_status reassign(annealing *a)
{
    const scalay_item_runs *runs = &a->state.runs;
    const int64_t r = below(a, runs->runs);
    const int owner = below(a, 2) == 0 ? (int)below(a, a->processes) : runs->owner[next_run(runs, r)];
    return state_assign(&a->state, runs->first[r], scalay_item_runs_end(runs, r), owner);
}

/* Two runs swap their owners. */
static scalay_status swap(annealing *a)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_item_runs *runs = &a->state.runs;
    const int64_t r = below(a, runs->runs), s = below(a, runs->runs);
    const int64_t begin = runs->first[s], end = scalay_item_runs_end(runs, s);
    const int one = runs->owner[r], other = runs->owner[s];
    SCALAY_TRY(state_assign(&a->state, runs->first[r], scalay_item_runs_end(runs, r), other));
    SCALAY_TRY(state_assign(&a->state, begin, end, one));
cleanup:
    return status;
}

/* A range of items gets a random owner, or the initial owner of its first item. */
static scalay_status assign_range(annealing *a)
{
    const scalay_item_runs *initial = a->state.initial;
    const int64_t begin = below(a, initial->n), end = begin + random_length(a, initial->n - begin);
    const int owner =
        below(a, 2) == 0 ? (int)below(a, a->processes) : initial->owner[scalay_item_runs_find(initial, begin)];
    return state_assign(&a->state, begin, end, owner);
}

typedef scalay_status (*search_move)(annealing *a);

static const search_move moves[] = {shift, shift, shift, return_items, return_items, reassign, swap, assign_range};
enum { MOVES = (int)(sizeof moves / sizeof moves[0]) };

/* ------------------------------------------------------------------------------------------------ annealing */

/* The seconds. In the steps model, where only the busiest process counts, plus a fraction of the work of the others. */
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
        return state_undo(&a->state);
    state_keep(&a->state);
    a->energy = energy;
    if (cost.seconds >= a->best_seconds) return status;
    a->best_seconds = cost.seconds;
    status = scalay_item_runs_copy(&a->state.runs, &a->best);
    a->state.work += a->best.runs / 4;
cleanup:
    return status;
}

static scalay_status anneal(annealing *a, const scalay_item_runs *from, int64_t work)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(state_load(&a->state, from));
    const scalay_stencil_cost cost = scalay_stencil_cost_of(&a->decision->problem, &a->state.tally);
    a->energy = energy_of(a, &cost);
    const double hot = 0.02 * cost.seconds, cold = 1e-5 * cost.seconds;
    const int64_t until = a->state.work + work;
    const int64_t max_moves =
        scalay_min_int64(MAX_MOVES, MOVES_PER_ITEM * (scalay_min_int64(from->n, MAX_MOVES) + a->processes));
    for (int64_t move = 0; move < max_moves; move++) {
        double done = (double)move / (double)max_moves;
        const double spent = 1.0 - (double)(until - a->state.work) / (double)work;
        done = spent > done ? spent : done;
        if (done >= 1.0 && move >= MIN_MOVES) break;
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
        if (k == 0 || decision->start_seconds[k] < a->best_seconds) {
            a->best_seconds = decision->start_seconds[k];
            SCALAY_TRY(scalay_item_runs_copy(&decision->start[k], &a->best));
        }
    }
    for (int64_t k = 0; k < decision->starts; k++)
        SCALAY_TRY(anneal(a, &decision->start[k], max_work / decision->starts));
    SCALAY_TRY(scalay_stencil_add_option(decision, "search", &a->best));
cleanup:
    return status;
}

scalay_status scalay_stencil_search(scalay_stencil_decision *decision)
{
    annealing a = {.decision = decision,
                   .random = scalay_random_seed(decision->problem.seed),
                   .processes = decision->tally.processes};
    scalay_status status = state_create(&decision->initial, a.processes, &a.state);
    if (status == SCALAY_SUCCESS) status = anneal_all(&a);
    scalay_item_runs_free(&a.best);
    state_free(&a.state);
    return status;
}
