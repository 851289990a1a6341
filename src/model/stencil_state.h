#ifndef SCALAY_MODEL_STENCIL_STATE_H
#define SCALAY_MODEL_STENCIL_STATE_H

/** @file A distribution under way in a search: changed window by window, counted as it changes, taken back. */

#include "model/stencil.h"

/** A change: so many runs from `at` on took the place of those that are saved. */
typedef struct {
    int64_t at;
    int64_t added;
    int64_t saved; /* how many */
} scalay_stencil_change;

/** A distribution, its counts, and how to undo the changes since it was last kept. */
typedef struct {
    const scalay_item_runs *initial;
    scalay_item_runs runs;
    scalay_stencil_tally tally;
    scalay_item_runs saved; /* of all changes, the latest last */
    int64_t changes;
    int64_t change_room;
    scalay_stencil_change *change;
    int64_t work; /* runs looked at, so far */
} scalay_stencil_state;

/** A state that scalay_stencil_state_load() fills. */
scalay_status scalay_stencil_state_create(const scalay_item_runs *initial, int processes, scalay_stencil_state *state);

/** Releases what a state holds. */
void scalay_stencil_state_free(scalay_stencil_state *state);

/** Starts from a distribution. */
scalay_status scalay_stencil_state_load(scalay_stencil_state *state, const scalay_item_runs *runs);

/** Gives items begin .. end - 1, at least one, to a process. */
scalay_status scalay_stencil_state_assign(scalay_stencil_state *state, int64_t begin, int64_t end, int owner);

/** Keeps the changes since the state was last kept. */
void scalay_stencil_state_keep(scalay_stencil_state *state);

/** Takes them back. */
scalay_status scalay_stencil_state_undo(scalay_stencil_state *state);

#endif
