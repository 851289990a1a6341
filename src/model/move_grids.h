#ifndef SCALAY_MODEL_MOVE_GRIDS_H
#define SCALAY_MODEL_MOVE_GRIDS_H

/** @file What moves from grid to grid, without their traffic. */

#include "base/status.h"
#include "scalay/layout.h"
#include "scalay/model.h"

/**
 * As scalay_move_from_traffic(), from the factors of the traffic: O(processes + what rows have in common + columns).
 * @param[in]  source, target  grids of the same extents
 * @param[in]  process         shape [parts of target]: where each part goes
 * @param[out] move            caller-owned; segments stay 0
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_move_count_grids(const scalay_layout *source, const scalay_layout *target, const int *process,
                                      scalay_move *move);

#endif
