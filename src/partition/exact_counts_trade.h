#ifndef SCALAY_PARTITION_EXACT_COUNTS_TRADE_H
#define SCALAY_PARTITION_EXACT_COUNTS_TRADE_H

/** @file One part gives cells to another, as cheaply as that goes. */

#include "partition/quilt.h"

/** Scratch of trades; zeroed to begin with. */
typedef struct {
    int64_t room;
    int64_t *band; /* shape [room] */
} scalay_trade_scratch;

/**
 * Gives cells of one part to another one.
 * @param[in]     cells  less than or equal to what the giver has
 * @param[in,out] quilt  the map
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_trade(scalay_map_builder *quilt, int giver, int taker, int64_t cells,
                           scalay_trade_scratch *scratch);

#endif
