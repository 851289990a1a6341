#ifndef SCALAY_DROPIN_PLAN_CACHE_H
#define SCALAY_DROPIN_PLAN_CACHE_H

/**
 * @file
 * Plans that are kept between calls.
 *
 * A cache belongs to an ordered set of processes: a communicator and its plans. All BLACS contexts over these processes
 * in this order use one cache. A context finds its cache without communication (MPI_Comm_compare). Caches are created
 * and freed only in calls of all their processes, so that contexts may be left in any order.
 *
 * A record belongs to one BLACS context. It is an attribute of the MPI communicator of the context, because the number
 * of a context is used again after gridexit. Its delete callback frees local memory only.
 *
 * The processes of a context see the same calls in the same order. Hence entry k of a cache holds the same plan on all
 * of them. Only the keys differ: each process compares its own part of the arguments. If all of them find their part in
 * one entry, the plan of the entry fits.
 */

#include <mpi.h>
#include <stdint.h>

#include "dropin/call.h"
#include "scalay/partition.h"
#include "scalay/profile.h"

enum {
    SCALAY_MAX_PLANS = 32,   /* per cache; the default of SCALAY_SCALAPACK_PLANS */
    SCALAY_MAX_TARGETS = 8,  /* targets of moved calls per cache */
    SCALAY_MAX_SEEN = 64,    /* shapes per cache and per context that were left to ScaLAPACK */
    SCALAY_MAX_STAYS = 128,  /* calls of compute routines per cache whose stays, and waits, are counted */
    SCALAY_MAX_CHOICES = 64, /* calls per cache whose choice by predicted times is kept */
    SCALAY_KEPT_STAY = 64    /* times that a call has stayed before it stays without a reduction */
};

/** Fingerprints of the last shapes that were left to ScaLAPACK. */
typedef struct {
    int count; /* also the position of the next shape, modulo SCALAY_MAX_SEEN */
    uint64_t shapes[SCALAY_MAX_SEEN];
} scalay_seen_shapes;

/** Calls of compute routines that stayed, by the fingerprints of their arguments. */
typedef struct {
    int count; /* also the position of the next call, modulo SCALAY_MAX_STAYS */
    uint64_t calls[SCALAY_MAX_STAYS];
    int times[SCALAY_MAX_STAYS];
} scalay_kept_stays;

/** Where a call computes by predicted times: it stays if nb is 0. */
typedef struct {
    uint64_t call;        /* fingerprint of its arguments; 0: the entry is free */
    int is_open;          /* 1: nothing is predicted */
    int nprow, npcol, nb; /* the grid that it moves to */
} scalay_kept_choice;

/** A plan and the key of the call that it was created for. */
typedef struct {
    scalay_plan *plan; /* NULL: the entry is free */
    scalay_call_key key;
    int in_place;
    int64_t used; /* number of the last call that used it */
} scalay_plan_cache_entry;

typedef struct scalay_plan_cache scalay_plan_cache;
struct scalay_plan_cache {
    scalay_comm *comm; /* the processes */
    scalay_plan_cache *older;
    int64_t used; /* number of the last call that used the cache */
    int capacity; /* entries in use */
    scalay_seen_shapes seen;
    scalay_kept_stays stays;
    int choice_count; /* choices that were kept; also the position of the next one, modulo SCALAY_MAX_CHOICES */
    scalay_kept_choice choices[SCALAY_MAX_CHOICES];
    int has_profile;             /* 1: SCALAY_PROFILE was read */
    scalay_profile *profile;     /* one processor per process; NULL: equal speeds */
    uint64_t product;            /* fingerprint of the product that `partition` is for; 0: none yet */
    scalay_partition *partition; /* NULL: equal shares */
    scalay_plan_cache_entry entries[SCALAY_MAX_PLANS];
    struct scalay_moved_target *targets[SCALAY_MAX_TARGETS]; /* NULL: the entry is free */
};

/** A BLACS context. */
typedef struct scalay_context_record scalay_context_record;
struct scalay_context_record {
    MPI_Comm mpi;             /* the communicator of the context; owned by the BLACS */
    scalay_plan_cache *cache; /* NULL: none yet */
    scalay_seen_shapes seen;  /* before its processes had a cache, too */
    scalay_kept_stays stays;  /* likewise */
    double page_seconds;      /* of the first access to a page on process 0; 0: not known yet */
    double may_lose;          /* seconds that the calls so far may lose by the first decision */
    scalay_context_record *next;
};

/**
 * Finds the record of the context of a call; creates it at the first call. Not collective.
 * @param[in,out] call   its routine and context
 * @param[out]    found  owned by the context
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (not a context that contains this process), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
scalay_status scalay_context_find(scalay_call *call, scalay_context_record **found);

/** Creates the cache of a context that has none, with `capacity` entries. Collective over the context. */
scalay_status scalay_plan_cache_create(scalay_call *call, scalay_context_record *record, int capacity);

/** Returns 1 if a shape is seen for the first time in this context and in its cache, and stores it. Local. */
int scalay_context_is_first(scalay_context_record *record, uint64_t shape);

/** Returns the times that a call has stayed, in this context and in its cache. Local; the same on all processes of the
 *  context. */
int scalay_context_stays(const scalay_context_record *record, uint64_t call);

/** Counts a stay of a call. Local. */
void scalay_context_count_stay(scalay_context_record *record, uint64_t call);

/** Returns the choice of a call; NULL if none is kept. Local; the same on all processes of the cache. */
const scalay_kept_choice *scalay_plan_cache_choice(const scalay_plan_cache *cache, uint64_t call);

/** Keeps a choice in the place of the oldest one, and returns it. Local. */
const scalay_kept_choice *scalay_plan_cache_keep_choice(scalay_plan_cache *cache, const scalay_kept_choice *choice);

/** Frees all caches. Collective over their processes. Each process frees the newest cache first, so that no two
 *  processes wait for each other. */
void scalay_plan_caches_release(void);

/** Returns the entries (bit k: entry k) whose plans fit a call as far as this process knows. */
uint64_t scalay_plan_cache_matches(const scalay_plan_cache *cache, const scalay_call_key *key);

/** Returns the entries whose plans move in place. */
uint64_t scalay_plan_cache_in_place(const scalay_plan_cache *cache);

/** Returns an empty entry for another plan; destroys the least recently used plan if there is none. Collective. NULL if
 *  no plans are kept. */
scalay_plan_cache_entry *scalay_plan_cache_evict(scalay_plan_cache *cache);

#endif
