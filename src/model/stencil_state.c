#include "model/stencil_state.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

scalay_status scalay_stencil_state_create(const scalay_item_runs *initial, int processes, scalay_stencil_state *state)
{
    *state = (scalay_stencil_state){.initial = initial};
    return scalay_stencil_tally_create(processes, &state->tally);
}

void scalay_stencil_state_free(scalay_stencil_state *state)
{
    scalay_item_runs_free(&state->runs);
    scalay_item_runs_free(&state->saved);
    scalay_stencil_tally_free(&state->tally);
    scalay_release(state->change);
    *state = (scalay_stencil_state){0};
}

scalay_status scalay_stencil_state_load(scalay_stencil_state *state, const scalay_item_runs *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_item_runs_copy(runs, &state->runs));
    scalay_stencil_tally_all(&state->tally, state->initial, &state->runs);
    scalay_stencil_state_keep(state);
    state->work += runs->runs + state->initial->runs;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- replacing */

/* Runs that take the place of others and cover the same items. */
typedef struct {
    int64_t at;
    int64_t removed;
    int64_t added;
    const int64_t *first; /* shape [added] */
    const int *owner;     /* shape [added] */
} replacement;

/* Items begin .. end - 1 leave one process for another. */
static void retally(scalay_stencil_state *state, int64_t begin, int64_t end, int from, int to)
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

static void retally_items(scalay_stencil_state *state, const replacement *new)
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

/* What the runs and their two neighbours send. */
static void retally_exchange(scalay_stencil_state *state, int64_t at, int64_t count, int64_t sign)
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

static scalay_status replace(scalay_stencil_state *state, const replacement *new)
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

static scalay_status save(scalay_stencil_state *state, const replacement *new)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_item_runs *saved = &state->saved;
    SCALAY_TRY(scalay_item_runs_reserve(saved, saved->runs + new->removed));
    SCALAY_TRY(SCALAY_GROW(state->change, state->change_room, state->changes + 1));
    memcpy(saved->first + saved->runs, state->runs.first + new->at, (size_t) new->removed * sizeof *saved->first);
    memcpy(saved->owner + saved->runs, state->runs.owner + new->at, (size_t) new->removed * sizeof *saved->owner);
    saved->runs += new->removed;
    state->change[state->changes++] = (scalay_stencil_change){new->at, new->added, new->removed};
cleanup:
    return status;
}

scalay_status scalay_stencil_state_assign(scalay_stencil_state *state, int64_t begin, int64_t end, int owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_item_runs *runs = &state->runs;
    int64_t low = scalay_item_runs_find(runs, begin), high = scalay_item_runs_find(runs, end - 1);
    if (low == high && runs->owner[low] == owner) return status;
    /* Neighbours of the same owner join. */
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

void scalay_stencil_state_keep(scalay_stencil_state *state)
{
    state->changes = state->saved.runs = 0;
}

scalay_status scalay_stencil_state_undo(scalay_stencil_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    while (state->changes > 0) {
        const scalay_stencil_change *last = &state->change[--state->changes];
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
