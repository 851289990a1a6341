#ifndef SCALAY_REDIST_SHARED_STAGE_H
#define SCALAY_REDIST_SHARED_STAGE_H

/**
 * @file
 * The stages of "shared": lanes that their receiver does not read where they are go through the sender's pool.
 *
 * The pool begins with two counters for each receiver, of chunks filled and drained; the chunks follow, a few for each
 * receiver, used in turn. No function is collective or waits.
 */

#include "redist/shared_state.h"

enum {
    SCALAY_SHARED_CHUNKS = 2 /* of a staged lane */
};

/**
 * How long chunks are when the pool is shared among all receivers: the same on all ranks of a node.
 * @param[in] node  of two ranks or more
 * @param[in] most  bytes of the pool that may be used for chunks
 * @return bytes; less than an element when there is no room
 */
int64_t scalay_shared_chunk_bytes(const scalay_node *node, int64_t most);

/**
 * Packs what there is room for.
 * @param[in,out] at  a staged lane that this rank sends and that is not done; its pool is this plan's
 * @return whether there was
 */
int scalay_shared_fill(scalay_shared_state *state, scalay_shared_path *at);

/**
 * Unpacks what is there, and finishes the lane after the last of it.
 * @param[in,out] at  a staged lane that this rank receives and that is not done
 * @return whether there was anything
 */
int scalay_shared_drain(scalay_shared_state *state, scalay_shared_path *at);

#endif
