#ifndef SCALAY_PARTITION_MAP_AXIS_H
#define SCALAY_PARTITION_MAP_AXIS_H

/** @file Making the axis of an owner map run by run, for scalay_owner_map_from_classes(). */

#include "partition/owner_map.h"

/** An axis under way; zeroed but for the number of its classes to begin with. */
typedef struct {
    scalay_map_axis axis;
    int64_t end_room, class_room;
} scalay_map_axis_maker;

/** Adds lines of a class up to a line; neighbours of one class are one run. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_axis_add(scalay_map_axis_maker *maker, int64_t end, int64_t class);

/** Releases what an axis under way still holds. */
void scalay_map_axis_maker_free(scalay_map_axis_maker *maker);

#endif
