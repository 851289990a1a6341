#ifndef SCALAY_PARTITION_EDGE_MOVES_H
#define SCALAY_PARTITION_EDGE_MOVES_H

/** @file Moving the edges of a tiling, a tile at a time, until the loads are as near to the areas as that gets them. */

#include "partition/tiling.h"

/**
 * Moves edges of a placed tiling as long as the worst relative load error of the parts that a move touches gets
 * smaller, the worst part first. Deterministic.
 * @param[in]     area    shape [parts]: in elements
 * @param[in,out] tiling  placed
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_edge_moves(int parts, const double *area, scalay_tiling *tiling);

#endif
