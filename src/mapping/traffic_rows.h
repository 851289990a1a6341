#ifndef SCALAY_MAPPING_TRAFFIC_ROWS_H
#define SCALAY_MAPPING_TRAFFIC_ROWS_H

/** @file Making a traffic matrix row by row, each from items in any order. */

#include "mapping/traffic.h"

/** A row in the making, and where rows go. */
typedef struct {
    scalay_traffic *traffic;
    int64_t part_capacity;
    int64_t count_capacity;
    int64_t *items; /* shape [parts]: of the row at hand; zero between rows */
    int *met;       /* shape [parts]: the parts whose items are positive */
    int met_count;
} scalay_traffic_rows;

/** Begins with the first row of a traffic without entries, which it does not own. To be released with
 * scalay_traffic_rows_free(), also on failure. */
scalay_status scalay_traffic_rows_create(scalay_traffic *traffic, scalay_traffic_rows *rows);

/** Releases what rows hold. Zeroed ones are fine. */
void scalay_traffic_rows_free(scalay_traffic_rows *rows);

/** Makes room for exactly so many entries, those of all rows, before the first of them. */
scalay_status scalay_traffic_rows_reserve(scalay_traffic_rows *rows, int64_t entries);

/** Adds items, at least 1, of a part to the row at hand; with what it has they do not exceed 2^63 - 1. */
static inline void scalay_traffic_rows_add(scalay_traffic_rows *rows, int part, int64_t items)
{
    if (rows->items[part] == 0) rows->met[rows->met_count++] = part;
    rows->items[part] += items;
}

/** What was added is the row of process i, the next one; a new row begins. */
scalay_status scalay_traffic_rows_append(scalay_traffic_rows *rows, int i);

#endif
