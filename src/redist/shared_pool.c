/* Pools of the ranks of a node: rings, the length of chunks, and how chunks are written. */
#include "redist/shared_pool.h"

#include <string.h>

#include "base/integer.h"
#include "parallel/node.h"
#include "redist/exchange.h"

enum {
    CHUNK_BYTES = 1 << 16, /* maximum length of a chunk, so that chunks stay in the caches */
    SHARERS = 2            /* processes per processor whose chunks stay there with a packed one of each */
};

scalay_chunk_ring *scalay_pool_ring(const scalay_node *node, int sender, int receiver)
{
    return (scalay_chunk_ring *)(void *)scalay_node_pool(node, sender) + receiver;
}

int64_t scalay_pool_first_chunk(const scalay_node *node)
{
    return node->size * (int64_t)sizeof(scalay_chunk_ring);
}

/* The part of the memory limit for staging, the same on all ranks of a node: all if no rank is elsewhere, or what
   messages do not have. */
static int64_t staging_bytes(const scalay_plan *plan)
{
    const int64_t bytes = plan->memory_bytes - plan->memory_bytes / SCALAY_WINDOW_PART;
    return plan->comm->node->size == plan->comm->size ? bytes : bytes - scalay_exchange_bytes(plan);
}

int64_t scalay_pool_chunk_bytes(const scalay_plan *plan, int64_t channels)
{
    const scalay_node *node = plan->comm->node;
    const int64_t bytes = scalay_min_int64(node->pool_bytes - scalay_pool_first_chunk(node), staging_bytes(plan));
    const int64_t share = bytes / scalay_max_int64(1, channels) / SCALAY_POOL_CHUNKS;
    return scalay_min_int64(CHUNK_BYTES, share / SCALAY_POOL_ALIGNMENT * SCALAY_POOL_ALIGNMENT);
}

int64_t scalay_pool_staged_bytes(const scalay_plan *plan, int64_t channels)
{
    return channels * SCALAY_POOL_CHUNKS * scalay_pool_chunk_bytes(plan, channels);
}

int64_t scalay_pool_pack(const scalay_node *node, scalay_stream *stream, int64_t chunk_bytes, char *chunk)
{
    if (node->size > SHARERS * node->processors) return scalay_stream_pack(stream, chunk_bytes, chunk);
    _Alignas(SCALAY_POOL_ALIGNMENT) char packed[CHUNK_BYTES];
    const int64_t bytes = scalay_stream_pack(stream, chunk_bytes, packed);
    memcpy(chunk, packed, (size_t)bytes);
    return bytes;
}
