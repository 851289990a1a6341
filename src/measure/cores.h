#ifndef SCALAY_MEASURE_CORES_H
#define SCALAY_MEASURE_CORES_H

/** @file How many ranks run at once. */

#include "parallel/comm.h"

/**
 * The processors that the ranks have together, at most as many as there are ranks. Collective.
 * @param[out] at_once  at least 1; the same on every rank
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_cores_at_once(scalay_comm *comm, int64_t *at_once);

#endif
