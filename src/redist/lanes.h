#ifndef SCALAY_REDIST_LANES_H
#define SCALAY_REDIST_LANES_H

/** @file Making lanes: the parcels of all matrices of a plan, by peer. */

#include "redist/plan.h"

/**
 * The lanes of one side of all parts. Not collective.
 * @param[in]  parts  shape [count]
 * @param[in]  kind   the side
 * @param[out] lanes  to be released with scalay_lanes_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_lanes_create(const scalay_plan_part *parts, int count, scalay_side_kind kind,
                                  scalay_lane_list *lanes);

/** Releases what a list holds. A zeroed list is fine. */
void scalay_lanes_free(scalay_lane_list *lanes);

/** The bytes that a list holds. */
int64_t scalay_lanes_bytes(const scalay_lane_list *lanes, int count);

#endif
