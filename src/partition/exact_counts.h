#ifndef SCALAY_PARTITION_EXACT_COUNTS_H
#define SCALAY_PARTITION_EXACT_COUNTS_H

/** @file Exact counts of cells: transfers between neighbouring parts that add few owners to lines. */

#include "partition/map_builder.h"

/**
 * Transfers cells until the count of each part is its target. Time: O(borders) and a shortest path per surplus and
 * deficit.
 * @param[in]     target  shape [parts]; their sum is the number of cells of the map
 * @param[in,out] builder   the map
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_exact_counts(const int64_t *target, scalay_map_builder *builder);

#endif
