#ifndef SCALAY_MAPPING_SHARED_H
#define SCALAY_MAPPING_SHARED_H

/** @file Several matrices that one mapping serves. */

#include "base/status.h"
#include "scalay/mapping.h"

/** Refuses what does not go together, as scalay_mapping_create_shared() does. */
scalay_status scalay_shared_check(int count, const scalay_layout *const *source, const scalay_layout *const *target,
                                  const int64_t *weight);

/** Whether all of them are block-cyclic. */
int scalay_shared_are_grids(int count, const scalay_layout *const *source, const scalay_layout *const *target);

/** The traffic of all, weighted and added up; to be released with scalay_traffic_destroy(). */
scalay_status scalay_shared_traffic(int count, const scalay_layout *const *source, const scalay_layout *const *target,
                                    const int64_t *weight, scalay_traffic **sum);

#endif
