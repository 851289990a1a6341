#ifndef SCALAY_FACTOR_ENGINE_CALL_H
#define SCALAY_FACTOR_ENGINE_CALL_H

/** @file One-call factorisations by the engine (factor.c), and when they are predicted to be faster. */

#include "factor/grid_job.h"
#include "parallel/cache.h"

/** Arrays of the caller of a one-call factorisation. */
typedef struct {
    void *a;
    void *vector; /* tau or ipiv; NULL: not wanted */
    int *info;    /* NULL: not wanted */
    scalay_one_call_statistics *statistics;
} scalay_one_call_arrays;

/**
 * Weighs the engine against the job, which stays or moves to a grid: sets job->by_engine. Collective; the ranks agree
 * on the status. Without measured rates, the engine is chosen only for unequal speeds.
 * @param[in] machine  measured rates; NULL: none
 */
scalay_status scalay_engine_weigh(const scalay_grid_request *request, const scalay_machine *machine,
                                  scalay_grid_job *job);

/**
 * Factors a matrix by the engine. Collective; the ranks agree on the status. All memory is allocated before the first
 * element moves. The object of the engine is kept in the cache of the communicator for the next call, unless it is too
 * large.
 * @param[in]  call  of the job
 * @param[out] info  that of LAPACK
 * @return SCALAY_ERROR_MEMORY: nothing has changed; otherwise as scalay_factor_execute()
 */
scalay_status scalay_engine_call(const scalay_grid_request *request, const scalay_machine *machine,
                                 const scalay_cache_call *call, scalay_grid_job *job,
                                 const scalay_one_call_arrays *arrays, int *info);

/** Releases the object of the engine that the cache keeps for a call, if there is one. Collective. */
void scalay_engine_forget(scalay_comm *comm, const scalay_cache_call *call);

#endif
