#ifndef SCALAY_MODEL_MOVE_H
#define SCALAY_MODEL_MOVE_H

/** @file Counts of a redistribution between grids. */

#include "base/status.h"
#include "scalay/layout.h"
#include "scalay/model.h"

/** A step to another segment of memory takes as long as copying this many bytes, if the segment is read by a call of
 *  the system or of PBLAS. */
#define SCALAY_SEGMENT_BYTES 512.0

/** What a process sends, receives and keeps, or a node. */
typedef struct {
    int64_t out, in, messages_out, messages_in, kept; /* elements and messages */
} scalay_flow;

/**
 * Adds what a process sends to the flows of both ends.
 * @param[in]     process          shape [parts]: process of each part
 * @param[in]     node             shape [processes]; NULL: all on one node
 * @param[in,out] within, between  shape [processes]: of messages within nodes, and between nodes
 * @return as scalay_traffic_row()
 */
scalay_status scalay_flow_add_row(const scalay_traffic *traffic, const int *process, const int *node, int from,
                                  scalay_flow *within, scalay_flow *between);

/** Adds copies to the counts of a triangle: it has half of the elements of a matrix, but short columns, and is copied
 * for as long (measured on one node up to order 512). */
static inline void scalay_move_copy_triangle(scalay_move *move)
{
    move->kept += move->kept + 2 * move->steps;
}

/**
 * Counts as scalay_move_from_traffic(), from the factors of the traffic matrix. Time: O(processes + common intervals).
 * @param[in]  source, target  grids of the same extents
 * @param[in]  process         shape [parts of target]: process of each part
 * @param[out] move            caller-owned; segments stay 0
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_move_count_grids(const scalay_layout *source, const scalay_layout *target, const int *process,
                                      scalay_move *move);

#endif
