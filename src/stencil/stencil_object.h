#ifndef SCALAY_STENCIL_STENCIL_OBJECT_H
#define SCALAY_STENCIL_STENCIL_OBJECT_H

/**
 * @file
 * What a stencil holds, and what its files share.
 *
 * The rank's items are copied into a buffer in which each of its runs of consecutive items has a place for the item
 * before and for the one after: positions count elements there. There are two such buffers, read and written in turn.
 */

#include "parallel/agree.h"
#include "parallel/comm.h"
#include "scalay/stencil.h"

/** Items that lie at equal distances in the local array. */
typedef struct {
    int64_t item; /* the first */
    int64_t count;
    int64_t offset;
    int64_t stride;
    int64_t position; /* of the first in the buffer */
} scalay_stencil_piece;

/** Consecutive items of this rank, as many as there are. */
typedef struct {
    int64_t item;
    int64_t count;
    int64_t position; /* of the first; the places before and after the run are its neighbours' */
} scalay_stencil_run;

/** Items one after the other in the buffer that are updated together. */
typedef struct {
    int64_t position;
    int64_t count;
} scalay_stencil_stretch;

/** An element that goes from one place to another. */
typedef struct {
    int64_t from;
    int64_t to;
} scalay_stencil_copy;

/** What goes to other ranks, or comes from them: an element of the buffer and its slot in the messages. */
typedef struct {
    int partner;
    int64_t item;
    int64_t position;
    int64_t slot;
} scalay_stencil_halo;

/** A message: slots first .. first + count - 1. */
typedef struct {
    int partner;
    int64_t first;
    int64_t count;
} scalay_stencil_message;

/** One direction of the exchange. */
typedef struct {
    int64_t halos;
    scalay_stencil_halo *halo; /* shape [halos], by partner and item */
    int64_t slots;             /* fewer than halos where an item has two places */
    int64_t messages;
    scalay_stencil_message *message; /* shape [messages] */
    void *buffer;                    /* shape [slots] */
} scalay_stencil_side;

struct scalay_stencil {
    scalay_comm *comm;
    scalay_type type;
    size_t size; /* of an element */
    scalay_stencil_options options;
    int64_t items; /* of this rank */
    int64_t pieces;
    scalay_stencil_piece *piece;
    int64_t runs;
    scalay_stencil_run *run;
    int64_t inner_count;
    scalay_stencil_stretch *inner; /* what needs nothing of others */
    int64_t border_count;
    scalay_stencil_stretch *border; /* what does */
    int64_t copies;
    scalay_stencil_copy *copy; /* neighbours that this rank owns itself */
    scalay_stencil_side send;
    scalay_stencil_side receive;
    int requests;         /* of both sides; those that receive come first */
    MPI_Request *request; /* persistent */
    MPI_Datatype element;
    int64_t positions;
    void *buffer[2]; /* shape [positions] each */
    scalay_stencil_statistics statistics;
};

/** Works out runs, pieces, what is updated when, and what is exchanged with whom. Not collective. What was made is in
 * the stencil, also on failure. */
scalay_status scalay_stencil_prepare(scalay_stencil *stencil, const scalay_layout *layout);

#endif
