#ifndef SCALAY_REDIST_COPIER_TILES_H
#define SCALAY_REDIST_COPIER_TILES_H

/** @file Block copies by tiles: transposes and arithmetic. */

#include "redist/copier.h"

/** Copies one block. `streams`: 1: with non-temporal stores. */
void scalay_copy_by_tiles(const scalay_copier *copier, const scalay_block_copy *copy, int streams);

#endif
