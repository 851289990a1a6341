#ifndef SCALAY_PARALLEL_REQUESTS_H
#define SCALAY_PARALLEL_REQUESTS_H

/**
 * @file
 * Requests that are pending when a call of MPI has failed. Their messages may still arrive, whenever this process calls
 * MPI, and are then written into their buffers. A buffer may therefore be released only if its requests are complete or
 * cancelled. Otherwise it is left to MPI.
 */

#include <mpi.h>
#include <stdint.h>

#include "base/status.h"

/** Allocates an array of MPI_REQUEST_NULL; release with scalay_release(). Not collective. */
scalay_status scalay_requests_create(int64_t count, MPI_Request **requests);

/**
 * Ends requests without waiting for other ranks. Not collective.
 * @param[in]     count     number of requests
 * @param[in]     receives  the first of them are receives, which are cancelled
 * @param[in,out] requests  shape [count]; NULL: none
 * @return 1 if all are complete or cancelled; 0: MPI may still use their buffers
 */
int scalay_requests_abandon(int64_t count, int64_t receives, MPI_Request *requests);

/** Releases memory from scalay_allocate() if MPI no longer uses it, and leaves it to MPI otherwise. NULL is allowed. */
void scalay_requests_release(int is_unused, void *memory);

#endif
