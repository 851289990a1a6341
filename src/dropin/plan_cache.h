#ifndef SCALAY_DROPIN_PLAN_CACHE_H
#define SCALAY_DROPIN_PLAN_CACHE_H

/**
 * @file
 * What is kept for a BLACS context that calls are new_cache on (the last argument of p?gemr2d): a communicator and
 * plans.
 *
 * A context's handle is a small number that is used again when the context has gone, so it is no key. What is kept
 * hangs on the context's MPI communicator, as an attribute, and goes with it: MPI tells us when BLACS frees the
 * communicator in gridexit. What is left when the program ends goes in blacs_exit, which the library has for that, or
 * in MPI_Finalize, by an attribute of MPI_COMM_SELF.
 *
 * The processes of a context see the same calls in the same order, so what they keep is the same everywhere, slot by
 * slot. Only the keys differ: each process compares what it knows itself. When all of them find their own part in a
 * slot, with their places in the two grids, the slot's plan fits, whatever contexts the grids have by now.
 */

#include <mpi.h>
#include <stdint.h>

#include "dropin/call.h"

enum {
    SCALAY_DEFAULT_PLANS = 8, /* per context, unless SCALAY_SCALAPACK_PLANS says otherwise */
    SCALAY_MAX_PLANS = 32
};

/** A plan and what it was new_cache for. */
typedef struct {
    scalay_plan *plan; /* NULL: the slot is free */
    scalay_call_key key;
    int in_place;
    int64_t used; /* when, by the calls of the context */
} scalay_plan_cache_entry;

typedef struct scalay_plan_cache scalay_plan_cache;
struct scalay_plan_cache {
    scalay_comm *comm; /* the context's processes */
    MPI_Comm owner;    /* the context's own communicator, which the attribute is on */
    scalay_plan_cache *older, *newer;
    int64_t calls;
    int kept; /* slots in use at most */
    scalay_plan_cache_entry slots[SCALAY_MAX_PLANS];
};

/**
 * What is kept for the context of a call; new_cache at its first call. Collective over the context.
 * @param[in,out] call  its routine and context
 * @param[out]    found owned by the context
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (not a context that this process is in: not agreed upon),
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_plan_cache_find(scalay_call *call, scalay_plan_cache **found);

/** Releases what is kept for all contexts. Every process goes through its contexts in the order in which they were
 * new_cache together, the newest first, so no two wait for each other. Collective. */
void scalay_plan_caches_release(void);

/** The slots (bit k: slot k) whose plans fit a call as far as this process knows. */
uint64_t scalay_plan_cache_matches(const scalay_plan_cache *kept, const scalay_call_key *key);

/** The slots whose plans move in place. */
uint64_t scalay_plan_cache_in_place(const scalay_plan_cache *kept);

/** A slot for another plan, emptied: the one that was not used for longest. Collective. NULL when none are kept. */
scalay_plan_cache_entry *scalay_plan_cache_evict(scalay_plan_cache *kept);

#endif
