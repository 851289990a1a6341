#ifndef SCALAY_PARTITION_PUSH_H
#define SCALAY_PARTITION_PUSH_H

/**
 * @file
 * Push: a local search that swaps cells between owners so that fewer owners meet on a line. Counts never change.
 *
 * It pushes an owner off a line where it has little, cell by cell, each one swapped with a cell elsewhere of somebody
 * who is on that line anyway. A push that costs something may stay, more seldom as time goes on (Metropolis); the best
 * map that was seen is the result, so that it never gets worse.
 */

#include <stdint.h>

#include "base/status.h"

/** 1 when a map is small enough for Push: it stores every cell. */
int scalay_push_is_for(int64_t rows, int64_t cols, int parts);

/**
 * Improves a map.
 * @param[in]     seed   the same seed gives the same map everywhere
 * @param[in,out] owner  shape [rows][cols]
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_push(int64_t rows, int64_t cols, int parts, uint64_t seed, int *owner);

#endif
