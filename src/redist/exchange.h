#ifndef SCALAY_REDIST_EXCHANGE_H
#define SCALAY_REDIST_EXCHANGE_H

/**
 * @file
 * Exchange of channels by messages, through buffers of a fixed size.
 *
 * Each channel is split into chunks of at most the same length on all ranks. A rank processes chunks by round: the
 * first chunk of each channel, then the second, and so on. Within a round, it processes them by distance from sender to
 * receiver. A limited number of sends and a limited number of receives are pending at a time, in this order.
 *
 * Invariant: the incomplete chunk with the smallest (round, distance) is pending at both peers. Hence no deadlock
 * occurs with any number of buffers. Elements of several channels in one cache line or page are packed and unpacked at
 * about the same time.
 *
 * Transport "mpi" is an exchange of all channels. Transport "shared" uses an exchange for peers on other nodes.
 */

#include "redist/plan.h"

/** An exchange. It does not hold a reference to the plan; each call passes the plan. */
typedef struct scalay_exchange scalay_exchange;

/** Options; the same on every rank unless stated otherwise. */
typedef struct {
    int64_t memory_bytes; /* limit on buffers */
    int64_t other_bytes;  /* part of the limit that the caller uses; may differ between ranks */
    /* Returns 1 if the exchange handles the channels from and to a peer; the same at both ends. NULL: all channels. */
    int (*takes)(const void *context, int peer);
    const void *context; /* argument of `takes`, used only during creation */
} scalay_exchange_options;

/** Returns the part of the memory limit of a plan that messages have: half, so that plans by each transport have at
 * most half for buffers of their own, or three quarters for long messages. */
int64_t scalay_exchange_bytes(const scalay_plan *plan);

/** Channels of one side of a plan. */
typedef struct {
    int64_t chunks;
    int64_t bytes;
} scalay_channel_counts;

/** Counts the channels that `takes` accepts (NULL: all), in chunks of at most chunk_bytes. */
scalay_channel_counts scalay_channels_count(const scalay_channel_list *channels, int64_t chunk_bytes,
                                            int (*takes)(const void *context, int peer), const void *context);

/**
 * Predicts the seconds of an exchange on this rank by plan->machine, without the elements that stay:
 *     max(chunks sent, chunks received) * seconds_per_message + max(bytes sent, bytes received) * seconds_per_byte
 *     + (bytes sent + bytes received) * seconds_per_byte_copied
 * for the channels between nodes, and the same with the rates within a node for the others.
 */
double scalay_exchange_predict(const scalay_plan *plan, const scalay_exchange_options *options);

/** Cost of one forward execution on this rank. In the backward direction, sent and received are exchanged. */
typedef struct {
    int64_t messages_sent;
    int64_t messages_received;
    int64_t buffer_bytes; /* not touched before the first execution */
    int64_t state_bytes;  /* other memory */
} scalay_exchange_cost;

/**
 * Creates an exchange with its buffers. In place, collective over plan->comm; otherwise not collective. The status is
 * not agreed upon.
 * @param[in]  plan      with its channels
 * @param[out] exchange  release with scalay_exchange_destroy(); NULL on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI, SCALAY_ERROR_UNSUPPORTED (a plan in place needs more
 *         memory; the message names the amount)
 */
scalay_status scalay_exchange_create(scalay_plan *plan, const scalay_exchange_options *options,
                                     scalay_exchange **exchange);

/** Returns the cost of an exchange. */
scalay_exchange_cost scalay_exchange_get_cost(const scalay_exchange *exchange);

/** In place, with panels: packs the chunks of the current panel after those of the panels before it. */
void scalay_exchange_pack(scalay_exchange *exchange, const scalay_plan *plan, int is_first);

/**
 * Starts the execution of plan->transfers. Nothing is unpacked yet. In place, all elements to send are packed on
 * return. With panels, they were packed before. After a failure nothing is pending.
 */
scalay_status scalay_exchange_begin(scalay_exchange *exchange, const scalay_plan *plan);

/** Sends, receives and unpacks; `waits`: until all chunks are complete. After a failure nothing is pending. */
scalay_status scalay_exchange_advance(scalay_exchange *exchange, const scalay_plan *plan, int waits, int *done);

/** Releases the pending requests after a failure, so that the plan can be destroyed. */
void scalay_exchange_abandon(scalay_exchange *exchange);

/** Destroys an exchange and sets the pointer to NULL. Abandons what is pending. NULL is allowed. Not collective. */
void scalay_exchange_destroy(scalay_exchange **exchange);

#endif
