#ifndef SCALAY_REDIST_CHUNK_QUEUE_H
#define SCALAY_REDIST_CHUNK_QUEUE_H

/** @file The chunks of an exchange's lanes on one side of a plan, in the order of exchange.h: by round and distance. */

#include "redist/exchange.h"
#include "redist/routes.h"

/** How far a route is. */
typedef struct {
    int64_t chunks; /* at least 1 */
    int64_t taken;  /* chunks that have got a slot so far */
    int64_t moved;  /* chunks that have been unpacked so far */
} scalay_route_progress;

/** The lanes of one side, and the order of their chunks. */
typedef struct {
    scalay_route *routes;            /* shape [count], by ascending distance */
    scalay_route_progress *progress; /* shape [count] */
    int64_t count;
    int64_t chunks;     /* of all routes */
    int64_t *open;      /* shape [count]: routes of this round that are not yet taken, and of the next round */
    int64_t open_count; /* of this round */
    int64_t at;         /* the next of this round */
    int64_t kept;       /* open[0 .. kept - 1] go on in the next round */
} scalay_chunk_queue;

/**
 * The lanes of one side that the options take. Not collective.
 * @param[in]  sends  whether it is the side that sends on the way forth
 * @param[out] queue  zeroed; to be released with scalay_chunk_queue_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_chunk_queue_create(const scalay_plan *plan, const scalay_exchange_options *options, int sends,
                                        scalay_chunk_queue *queue);

/** Releases what a queue holds. A zeroed queue is fine. */
void scalay_chunk_queue_free(scalay_chunk_queue *queue);

/** The bytes of the longest lane. */
int64_t scalay_chunk_queue_longest(const scalay_chunk_queue *queue);

/** Counts the chunks of at most `limit` bytes. @return what they take when they are staged */
int64_t scalay_chunk_queue_count(const scalay_plan *plan, int sends, int64_t limit, scalay_chunk_queue *queue);

/** Starts a move of plan->freight; `sends` tells whether the queue packs or unpacks in it. */
void scalay_chunk_queue_start(const scalay_plan *plan, int sends, scalay_chunk_queue *queue);

/** Starts from the first chunk of every route again; the streams stay where they are. */
void scalay_chunk_queue_rewind(scalay_chunk_queue *queue);

/** The route whose chunk is the next; -1 when there is none. */
int64_t scalay_chunk_queue_take(scalay_chunk_queue *queue);

#endif
