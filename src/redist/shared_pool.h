#ifndef SCALAY_REDIST_SHARED_POOL_H
#define SCALAY_REDIST_SHARED_POOL_H

/**
 * @file
 * The pools of the ranks of a node (parallel/node.h), through which staged channels go in chunks. The pool of a sender
 * begins with one ring per receiver; the chunks follow.
 */

#include <stdatomic.h>

#include "redist/plan.h"

enum {
    SCALAY_POOL_ALIGNMENT = 64, /* of data that different ranks write, in bytes */
    SCALAY_POOL_CHUNKS = 2,     /* in the pool per staged channel */
    SCALAY_WINDOW_PART = 8      /* the window of an assembly has at most this part of the memory limit */
};

/**
 * A staged channel in the pool of its sender. Counters go on over all executions of all plans. The sender divides its
 * pool among the staged channels of an execution, before it counts the execution as begun.
 */
typedef struct {
    _Alignas(SCALAY_POOL_ALIGNMENT) _Atomic uint64_t filled; /* chunks */
    int64_t first;                                           /* offset of the first chunk in the pool */
    int64_t chunk_bytes;
    _Alignas(SCALAY_POOL_ALIGNMENT) _Atomic uint64_t drained; /* chunks */
} scalay_chunk_ring;

/** Returns the ring of two local ranks. */
scalay_chunk_ring *scalay_pool_ring(const scalay_node *node, int sender, int receiver);

/** Returns the offset of the first chunk in a pool. */
int64_t scalay_pool_first_chunk(const scalay_node *node);

/**
 * Packs the next chunk of a channel. The chunk's lines may be in the cache of the core that has read it last. If that
 * has no cache in common with this one, separate stores fetch each line from there (7 GB/s on an EPYC), and one long
 * copy does not (30 GB/s). So it is packed in memory of this process first, unless many processes share a core: its
 * cache does not hold all that, then.
 * @param[in,out] stream       of the channel
 * @param[in]     chunk_bytes  length of the chunk, from scalay_pool_chunk_bytes()
 * @param[out]    chunk        shape [chunk_bytes]
 * @return the bytes of the chunk; 0: all elements are packed
 */
int64_t scalay_pool_pack(const scalay_node *node, scalay_stream *stream, int64_t chunk_bytes, char *chunk);

/** Returns the length of the chunks of a rank that stages so many channels of a plan. */
int64_t scalay_pool_chunk_bytes(const scalay_plan *plan, int64_t channels);

/** Returns the bytes of the pool that so many staged channels of a plan use. */
int64_t scalay_pool_staged_bytes(const scalay_plan *plan, int64_t channels);

#endif
