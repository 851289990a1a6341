#ifndef SCALAY_DROPIN_SPEEDS_H
#define SCALAY_DROPIN_SPEEDS_H

/** @file Processes of different speeds, as the file of SCALAY_PROFILE says. */

#include "scalay/context.h"
#include "scalay/partition.h"
#include "scalay/profile.h"
#include "scalay/types.h"

/**
 * Reads the profile of the processes of a communicator. Collective; the processes agree on the status. Rank 0 reads the
 * file that its environment variable SCALAY_PROFILE names. Its processor k is process k of MPI_COMM_WORLD, or process k
 * of the communicator if the file has as many processors. If it has another number, all speeds are equal.
 * @param[in]  comm     the processes
 * @param[out] profile  one processor per process; NULL: rank 0 has no such variable
 */
scalay_status scalay_speeds_read(scalay_comm *comm, scalay_profile **profile);

/**
 * Creates the partition of C on which processes of different speeds compute an m x n product with k terms. Not
 * collective.
 * @param[in]  profile    of scalay_speeds_read(); NULL: equal speeds
 * @param[in]  type       of the elements
 * @param[in]  m, n, k    extents, at least 1
 * @param[out] partition  part j is for process j; NULL: speeds are about equal, or moving takes longer than it saves
 */
scalay_status scalay_speeds_partition(const scalay_profile *profile, scalay_type type, int64_t m, int64_t n, int64_t k,
                                      scalay_partition **partition);

#endif
