#ifndef SCALAY_PARALLEL_AGREE_H
#define SCALAY_PARALLEL_AGREE_H

/** @file Agreement between the ranks of a communicator, for code that needs nothing else of MPI. */

#include <stdint.h>

#include "base/status.h"
#include "scalay/types.h"

/**
 * One verdict for all: SCALAY_SUCCESS when every rank passes it, else status and message of the lowest rank that does
 * not, with its number in front. Collective. A failure of MPI itself cannot be agreed upon and is returned alone.
 */
scalay_status scalay_comm_agree(scalay_comm *comm, scalay_status status);

/**
 * SCALAY_SUCCESS when every rank passes the same value; else SCALAY_ERROR_MISMATCH on all, in the name of `function`:
 * "the ranks disagree about `what`". Collective.
 */
scalay_status scalay_comm_agree_value(scalay_comm *comm, uint64_t value, const char *function, const char *what);

#endif
