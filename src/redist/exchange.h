#ifndef SCALAY_REDIST_EXCHANGE_H
#define SCALAY_REDIST_EXCHANGE_H

/**
 * @file
 * Exchanges: lanes that travel as messages, through buffers of a fixed size.
 *
 * A lane is cut into chunks of at most the same length on all ranks. A rank takes the chunks of its lanes in rounds:
 * the first of every lane, then the second, and so on; in a round by the distance from the sender to the receiver,
 * counted up and modulo the number of ranks. As many chunks as there are buffers are under way at a time, sent and
 * received ones, in this order. Of all chunks that are not done, the first by round and distance is therefore under way
 * at both of its ends, and however few the buffers are, there is no deadlock. What several lanes have of the same cache
 * lines and pages is packed and unpacked at about the same time.
 *
 * The transport "mpi" is an exchange of all lanes; one that reaches some ranks otherwise has an exchange of the rest.
 */

#include "redist/plan.h"

/** Lanes by messages. It holds no reference to the plan, and needs it in each call. */
typedef struct scalay_exchange scalay_exchange;

/** What an exchange is made for; the same on every rank where not said otherwise. */
typedef struct {
    int64_t memory_bytes; /* for its buffers */
    int64_t other_bytes;  /* of them, what its owner needs for itself; may differ from rank to rank */
    /* Whether the lanes from and to a rank are its business: the same answer at both ends. NULL: all are. */
    int (*takes)(const void *context, int peer);
    const void *context; /* handed to `takes`, during the creation only */
} scalay_exchange_options;

/** What an exchange does in one execution on this rank, forth; back the messages change sides. */
typedef struct {
    int64_t messages_sent;
    int64_t messages_received;
    int64_t buffer_bytes; /* not touched before the first execution */
    int64_t state_bytes;  /* what else it holds */
} scalay_exchange_cost;

/**
 * Makes the buffers of an exchange. Collective over plan->comm: the same status on every rank.
 * @param[in]  plan      with its lanes
 * @param[in]  options   what for
 * @param[out] exchange  to be released with scalay_exchange_destroy(); NULL on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI, SCALAY_ERROR_UNSUPPORTED (a plan in place that needs
 *         more memory: the message says how much)
 */
scalay_status scalay_exchange_create(const scalay_plan *plan, const scalay_exchange_options *options,
                                     scalay_exchange **exchange);

/** What it costs. */
scalay_exchange_cost scalay_exchange_get_cost(const scalay_exchange *exchange);

/**
 * Starts to move its lanes of plan->freight: nothing is unpacked yet. In place, all that is sent has been packed when
 * it returns. After a failure nothing is under way.
 */
scalay_status scalay_exchange_begin(scalay_exchange *exchange, const scalay_plan *plan);

/** Sends, receives and unpacks what it can, with `waits` until all is done. After a failure nothing is under way. */
scalay_status scalay_exchange_advance(scalay_exchange *exchange, const scalay_plan *plan, int waits, int *done);

/** Lets go what is under way, after a failure, so that the plan can be destroyed. Nothing may be under way. */
void scalay_exchange_abandon(scalay_exchange *exchange);

/** Releases an exchange with nothing under way and sets it to NULL; NULL is fine. Not collective. */
void scalay_exchange_destroy(scalay_exchange **exchange);

#endif
