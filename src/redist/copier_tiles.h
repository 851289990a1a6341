#ifndef SCALAY_REDIST_COPIER_TILES_H
#define SCALAY_REDIST_COPIER_TILES_H

/** @file Block copies by tiles: transposes, arithmetic, and short runs into large arrays. */

#include "redist/copier.h"

/** Returns the place of a run in units of the row stride. @param[in] packed  rows before it */
static inline int64_t scalay_run_place(const scalay_common_run *run, scalay_run_position position, int64_t packed)
{
    return position == SCALAY_AT_PACKED ? packed : position == SCALAY_AT_OWN ? run->local_a : run->local_b;
}

/** Copies one block. `streams`: 1: with non-temporal stores. */
void scalay_copy_by_tiles(const scalay_copier *copier, const scalay_block_copy *copy, int streams);

#endif
