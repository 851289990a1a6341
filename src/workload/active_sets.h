#ifndef SCALAY_WORKLOAD_ACTIVE_SETS_H
#define SCALAY_WORKLOAD_ACTIVE_SETS_H

/**
 * @file
 * Whether so many processors that differ make n, by plain sets: the sums of 0, 1, 2, ... active ones, processor by
 * processor. Only sums that may still become n are kept. For few processors, or times that hardly suffice.
 */

#include "workload/min_time.h"

/**
 * Is there a distribution within a time?
 * @param[in]  problem   with n >= 1
 * @param[in]  limit     of the active processors
 * @param[out] feasible  meant when *decided
 * @param[out] decided   0: that would take too many steps, or too much memory
 * @param[out] distribution  cleared; when there is one, one with the fewest active processors; NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_active_sets_test(const scalay_problem *problem, double time, scalay_active_limit limit,
                                      int *feasible, int *decided, scalay_distribution *distribution);

#endif
