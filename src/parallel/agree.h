#ifndef SCALAY_PARALLEL_AGREE_H
#define SCALAY_PARALLEL_AGREE_H

/** @file Agreement between the ranks of a communicator, for code that does not include mpi.h. */

#include <stdint.h>

#include "base/status.h"
#include "scalay/types.h"

/**
 * Agrees on one status. Collective over comm.
 * @return SCALAY_SUCCESS if all ranks pass it; otherwise the status and the message of the lowest failing rank, with
 *         its rank in front. A failure of MPI itself is returned on the failing rank only.
 */
scalay_status scalay_comm_agree(scalay_comm *comm, scalay_status status);

/**
 * Checks that all ranks pass the same value. Collective over comm.
 * @param[in] function  for the message
 * @param[in] what      name of the value, for the message
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MPI
 */
scalay_status scalay_comm_agree_value(scalay_comm *comm, uint64_t value, const char *function, const char *what);

#endif
