#ifndef SCALAY_PARALLEL_CACHE_H
#define SCALAY_PARALLEL_CACHE_H

/**
 * @file
 * Cache of a communicator: plans of the one-call routines, kept for the next call.
 *
 * The communicator owns the cache. It holds at most SCALAY_CACHE_OBJECTS objects of at most SCALAY_CACHE_BYTES bytes
 * per rank together; the least recently used object is released first. The cache is freed with the communicator: the
 * references of cached objects do not keep the communicator alive.
 *
 * All functions are called in the same order on every rank, so every rank has the same objects.
 */

#include "parallel/comm.h"

enum { SCALAY_CACHE_OBJECTS = 16, SCALAY_CACHE_BYTES = 128 << 20, SCALAY_CACHE_FLAGS = 3 };

/** A call of a one-call routine. */
typedef struct {
    const char *function;          /* public function, for messages */
    uint64_t key;                  /* fingerprint of the arguments; must be the same on every rank */
    uint64_t local_key;            /* fingerprint of what may differ between ranks, such as leading dimensions */
    scalay_status status;          /* of the argument checks of this rank */
    int flags[SCALAY_CACHE_FLAGS]; /* on return, the maximum over the ranks */
    int64_t nanoseconds;           /* output: of the last call with this key on the slowest rank; 0: not known */
} scalay_cache_call;

/**
 * Agrees on the status and the arguments of a call, and finds its object, in one reduction. Collective.
 * @param[in,out] call    the call
 * @param[out]    object  NULL: not in the cache
 * @return the status that the ranks agree on; SCALAY_ERROR_MISMATCH if the keys differ
 */
scalay_status scalay_cache_find(scalay_comm *comm, scalay_cache_call *call, void **object);

/**
 * Gives an object to the cache, which releases it in any case: at once if it is too large. Collective.
 * @param[in] object      released by `destroy`, which sets the pointer to NULL
 * @param[in] bytes       of the object, the same on every rank
 * @param[in] references  that the object holds of the communicator
 */
void scalay_cache_keep(scalay_comm *comm, const scalay_cache_call *call, void *object, void (*destroy)(void **object),
                       int64_t bytes, int references);

/** Returns a call for another object of a call; `part` tells the objects apart, and is positive. */
scalay_cache_call scalay_cache_part(const scalay_cache_call *call, int part);

/** Says how long a call took on this rank since scalay_cache_find() returned; the next scalay_cache_find() finds the
 *  maximum over the ranks. Called on every rank. Not collective. */
void scalay_cache_ended(scalay_comm *comm, const scalay_cache_call *call, int64_t nanoseconds);

/** Returns the object of a call; NULL: none. Not collective, and not a use. */
void *scalay_cache_peek(const scalay_comm *comm, const scalay_cache_call *call);

/** Exchanges the objects of two calls, and returns that of `a` then. Either may have none: NULL. The same on every
 * rank; not collective. */
void *scalay_cache_exchange(scalay_comm *comm, const scalay_cache_call *a, const scalay_cache_call *b);

/** Releases the object of a call, if there is one. Collective. */
void scalay_cache_drop(scalay_comm *comm, const scalay_cache_call *call);

/** Releases all objects of a communicator that is being destroyed. Collective. */
void scalay_cache_free(scalay_comm *comm);

/** Returns the references of a communicator that its cached objects hold. Not collective. */
int scalay_cache_references(const scalay_comm *comm);

#endif
