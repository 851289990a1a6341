#ifndef SCALAY_DROPIN_MOVED_TARGET_H
#define SCALAY_DROPIN_MOVED_TARGET_H

/**
 * @file
 * The better layout of a call of moved.h: its mapping, grids and plans. Targets are kept in the cache of the processes
 * (plan_cache.h) for later calls with equal matrices, and destroyed with it.
 */

#include <stdint.h>

#include "dropin/computation.h"
#include "dropin/prediction.h"
#include "factor/solve.h"
#include "parallel/blacs.h"
#include "scalay/mapping.h"
#include "scalay/redist.h"

struct scalay_plan_cache;

/** A matrix on the target. */
typedef struct {
    scalay_layout *layout; /* NULL: the call does not use the matrix */
    scalay_plan *plan;     /* from the caller's layout; NULL: not needed so far */
    int ctxt, desc[DLEN_];
} scalay_target_matrix;

/** A target. */
typedef struct scalay_moved_target {
    uint64_t key;    /* of the call; equal on all processes */
    uint64_t source; /* of this process's arrays */
    int64_t used;    /* number of the last call that used it */
    int is_kept;     /* 1: the cache owns it */
    scalay_comm *comm;
    scalay_mapping *mapping;
    scalay_solve *solve;          /* without a move; NULL: none */
    int *pivots;                  /* of a solve, shape [rows] */
    int is_refused;               /* 1: the solve is not supported, or takes too much memory */
    int is_predicted;             /* process 0: 1: `prediction` was tried */
    scalay_prediction prediction; /* stay_seconds is 0 if there is none */
    scalay_target_matrix matrix[SCALAY_MAX_MATRICES];
} scalay_moved_target;

/**
 * Finds the target of an equal earlier call. Collective; one reduction if there was such a call.
 * @param[in] key     of the call, equal on all processes
 * @param[in] source  of this process's arrays: their leading dimensions
 * @return owned by the cache; NULL on all processes if one of them has no target that fits
 */
scalay_moved_target *scalay_moved_target_find(struct scalay_plan_cache *cache, uint64_t key, uint64_t source);

/** Keeps a target for later calls; the least recently used one makes room. A cache that keeps no plans does nothing.
 *  Collective. */
void scalay_moved_target_keep(struct scalay_plan_cache *cache, scalay_moved_target *target);

/** Destroys a target. Collective. NULL is allowed. */
void scalay_moved_target_destroy(scalay_moved_target *target);

#endif
