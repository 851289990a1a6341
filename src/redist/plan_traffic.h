#ifndef SCALAY_REDIST_PLAN_TRAFFIC_H
#define SCALAY_REDIST_PLAN_TRAFFIC_H

/** @file The traffic of a plan, told to all ranks: what a schedule is made from. */

#include "redist/plan.h"
#include "scalay/mapping.h"

/** The elements of a lane, of all `matrices` together. */
int64_t scalay_lane_elements(int matrices, const scalay_lane *lane);

/**
 * Gathers what every rank sends to every other one. Collective over plan->comm: the same status on every rank.
 * @param[in]  plan     with its lanes
 * @param[out] traffic  elements of all matrices, part k for rank k; what ranks keep is not in it
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (more than 2^31 / 3 lanes), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_plan_gather_traffic(const scalay_plan *plan, scalay_traffic **traffic);

#endif
