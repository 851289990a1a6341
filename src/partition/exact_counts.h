#ifndef SCALAY_PARTITION_EXACT_COUNTS_H
#define SCALAY_PARTITION_EXACT_COUNTS_H

/**
 * @file
 * Exact counts: the ragged repair.
 *
 * Surplus cells travel to a part that lacks some, from neighbour to neighbour, the way that takes fewest lines. Each
 * neighbour takes them where it costs least: along lines that it shares with the giver already, so that all cells of a
 * trade together add one owner to one line, as long as they fit into it.
 */

#include "partition/quilt.h"

/**
 * Moves cells between parts until each has as many as it should.
 * @param[in]     target  shape [parts]: they sum up to the quilt's cells
 * @param[in,out] quilt   the map
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_exact_counts(const int64_t *target, scalay_map_builder *quilt);

#endif
