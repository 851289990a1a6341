#ifndef SCALAY_MEASURE_LINK_H
#define SCALAY_MEASURE_LINK_H

/** @file Latency and time per byte of messages between pairs of ranks. */

#include "parallel/comm.h"

/**
 * Sends messages to and fro between rank k and rank k + P / 2, all pairs at once; an odd rank stays out; one rank alone
 * sends to itself. Collective.
 * @param[in]  comm     the ranks
 * @param[in]  buffer   scratch of 2 * SCALAY_LINK_BYTES bytes
 * @param[out] latency  seconds of an empty message, of the mean pair, the same on every rank
 * @param[out] per_byte seconds, likewise
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_link_measure(scalay_comm *comm, char *buffer, double *latency, double *per_byte);

/** The largest message. */
enum { SCALAY_LINK_BYTES = 1 << 20 };

#endif
