#ifndef SCALAY_PUBLISHED_PARALEPH_H
#define SCALAY_PUBLISHED_PARALEPH_H

/** @file PARALEPH on a problem, without its public frame: what the benchmark times. */

#include "published/published.h"
#include "scalay/context.h"

/**
 * The least time (sums 0) or energy (1) on identical processors. Collective. The same distribution on all ranks.
 * @param[in]  comm          whose ranks work
 * @param[in]  problem       the same on all ranks
 * @param[in]  sums          0: time, 1: energy
 * @param[in]  threads       of each rank; 0: what OpenMP says. One where MPI was not started for threads.
 * @param[out] distribution  as scalay_workload_method.distribute
 */
scalay_status scalay_paraleph_solve(scalay_comm *comm, const scalay_problem *problem, int sums, int threads,
                                    scalay_distribution *distribution);

#endif
