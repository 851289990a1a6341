#ifndef SCALAY_REDIST_SHARED_BOARD_H
#define SCALAY_REDIST_SHARED_BOARD_H

/**
 * @file
 * The board of "shared": where ranks tell the others of their node from where they send, and that they do.
 *
 * A rank has records there for each plan. It writes where its arrays are, and then counts the move as begun; who has
 * taken a lane from it counts that. A move is not over before all lanes are taken, so that there are no locks.
 * No function is collective or waits.
 */

#include "parallel/array.h"
#include "redist/shared_state.h"

/** Where one of the sender's arrays is. */
typedef struct {
    scalay_array_place place; /* of its element 0 */
    uint64_t address;
    int64_t ld; /* 0: as the layout says */
} scalay_shared_offer;

/** The records that a plan needs on the board for the arrays of so many matrices. */
int scalay_shared_slots(int matrices);

/**
 * Where a rank's array of a matrix is. Valid for others from scalay_shared_has_begun() until they have finished.
 * @param[in] place  of the rank in the node
 */
scalay_shared_offer *scalay_shared_offer_of(const scalay_shared_state *state, int place, int matrix);

/** Decides whether a lane of this move is staged, with its array on the board; if so, starts its stream. */
void scalay_shared_start_path(const scalay_shared_state *state, scalay_shared_path *at, int sends);

/** Writes where the rank's arrays are, starts what it sends and queues up for the pool when any of it is staged. */
void scalay_shared_prepare_sends(scalay_shared_state *state);

/**
 * Tells the others that the move has begun, once. What is staged needs the pool, which may be another plan's as yet.
 * @return whether that is done now, and was not before
 */
int scalay_shared_publish(scalay_shared_state *state);

/** Leaves the queue for the pool; nothing happens when the plan is not in it. */
void scalay_shared_let_go(scalay_shared_state *state);

/** Whether the sender of a lane has begun this move. */
int scalay_shared_has_begun(const scalay_shared_state *state, const scalay_shared_path *at);

/** Counts a lane that has come as taken, for its sender. */
void scalay_shared_finish_path(scalay_shared_state *state, scalay_shared_path *at);

/** Whether all lanes that this rank sends in this move have been taken. */
int scalay_shared_is_taken(scalay_shared_state *state);

#endif
