#ifndef SCALAY_REDIST_SHARED_STATE_H
#define SCALAY_REDIST_SHARED_STATE_H

/**
 * @file
 * What a plan by way of "shared" keeps: its lanes on the node, and how far the move under way has come. For
 * transport_shared.c, the board (shared_board.h) and the stages (shared_stage.h).
 */

#include "redist/exchange.h"
#include "redist/pull.h"

enum {
    SCALAY_SHARED_ALIGNMENT = 64 /* of what different ranks write, in bytes */
};

/** A lane whose other end is on this node. */
typedef struct {
    const scalay_lane *lane;
    int place;
    int is_wasteful[2]; /* [sends]: reading it would fetch too much, as this end sees it when it sends or receives */
    int staged;         /* in the move under way */
    int pulled;         /* in this step */
    int done;
    scalay_stream stream; /* when staged */
} scalay_shared_path;

/** The lanes of one side of a plan whose other end is on this node. */
typedef struct {
    scalay_shared_path *paths; /* shape [count]: by ascending distance from this rank */
    int64_t count;
} scalay_shared_path_list;

/** Of a plan. */
typedef struct {
    scalay_exchange *exchange; /* of the other lanes */
    int *slots;                /* shape [slot_count] */
    int slot_count;
    int is_on_board; /* it has slots */
    int is_used;     /* lanes on this node go this way */
    scalay_shared_path_list source;
    scalay_shared_path_list target;
    int64_t *lds[2];        /* shape [matrices]: of the rank's arrays of the sources, and of the targets */
    scalay_origin *origins; /* shape [paths + 1] */
    char *scratch;          /* shape [scratch_bytes] */
    int64_t scratch_bytes;
    int64_t chunk_bytes; /* of a staged lane */
    uint64_t moves[2];   /* begun so far */
    /* the move under way */
    int published;
    int kept; /* what stays on the rank has been copied */
    int exchanged;
    int64_t staged_out; /* lanes that are being packed */
    int64_t left;       /* lanes that are still to come */
    int looks;          /* at lanes that were not ready */
    scalay_turn turn;   /* for the pool */
    scalay_plan *plan;
} scalay_shared_state;

/** What the move under way sends to ranks of this node. */
static inline scalay_shared_path_list *scalay_shared_sends_of(scalay_shared_state *state)
{
    return state->plan->back ? &state->target : &state->source;
}

/** What it gets from them. */
static inline scalay_shared_path_list *scalay_shared_receives_of(scalay_shared_state *state)
{
    return state->plan->back ? &state->source : &state->target;
}

#endif
