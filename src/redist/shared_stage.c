/* The stages of "shared". */

#include "redist/shared_stage.h"

#include <stdatomic.h>

#include "base/integer.h"
#include "redist/shared_board.h"

/* Chunks of a staged lane so far, of all moves of all plans: at the beginning of the sender's pool, by receivers. */
typedef struct {
    _Alignas(SCALAY_SHARED_ALIGNMENT) _Atomic uint64_t filled;
    _Alignas(SCALAY_SHARED_ALIGNMENT) _Atomic uint64_t drained;
} ring;

int64_t scalay_shared_chunk_bytes(const scalay_node *node, int64_t most)
{
    const int64_t rings = node->size * (int64_t)sizeof(ring);
    const int64_t pool = scalay_min_int64(node->pool_bytes - rings, most);
    return pool / (node->size - 1) / SCALAY_SHARED_CHUNKS / SCALAY_SHARED_ALIGNMENT * SCALAY_SHARED_ALIGNMENT;
}

static ring *ring_of(const scalay_shared_state *state, int sender, int receiver)
{
    return (ring *)(void *)scalay_node_pool(state->plan->comm->node, sender) + receiver;
}

static char *chunk_of(const scalay_shared_state *state, int sender, int receiver, uint64_t chunk)
{
    const scalay_node *node = state->plan->comm->node;
    const int64_t index =
        (receiver - (receiver > sender)) * (int64_t)SCALAY_SHARED_CHUNKS + (int64_t)(chunk % SCALAY_SHARED_CHUNKS);
    return scalay_node_pool(node, sender) + node->size * (int64_t)sizeof(ring) + index * state->chunk_bytes;
}

int scalay_shared_fill(scalay_shared_state *state, scalay_shared_path *at)
{
    const int own = state->plan->comm->node->rank;
    ring *chunks = ring_of(state, own, at->place);
    const uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_acquire);
    uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_relaxed);
    const uint64_t before = filled;
    while (!at->done && filled < drained + SCALAY_SHARED_CHUNKS) {
        if (scalay_stream_pack(&at->stream, state->chunk_bytes, chunk_of(state, own, at->place, filled)) == 0) {
            at->done = 1;
            state->staged_out--;
            break;
        }
        atomic_store_explicit(&chunks->filled, ++filled, memory_order_release);
    }
    return filled != before;
}

int scalay_shared_drain(scalay_shared_state *state, scalay_shared_path *at)
{
    const int own = state->plan->comm->node->rank;
    ring *chunks = ring_of(state, at->place, own);
    const uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_acquire);
    uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_relaxed);
    const uint64_t before = drained;
    for (; drained < filled; drained++) {
        (void)scalay_stream_unpack(&at->stream, state->chunk_bytes, chunk_of(state, at->place, own, drained));
        atomic_store_explicit(&chunks->drained, drained + 1, memory_order_release);
    }
    if (scalay_stream_next(&at->stream, state->chunk_bytes) == 0) scalay_shared_finish_path(state, at);
    return drained != before;
}
