#ifndef SCALAY_PARTITION_LINE_OWNERS_H
#define SCALAY_PARTITION_LINE_OWNERS_H

/** @file Who owns how much of the lines of an owner map, one class of lines after the other. */

#include "base/status.h"
#include "partition/owner_map.h"

/** Which lines. */
typedef enum { SCALAY_LINES_ROWS, SCALAY_LINES_COLUMNS } scalay_lines_way;

/** The owners of every class of lines. */
typedef struct {
    int64_t classes;
    int64_t *start; /* shape [classes + 1]: class k has the entries start[k] to start[k + 1] - 1 */
    int *owner;     /* ascending in each class */
    int64_t *held;  /* the elements of one line that it owns, at least 1 */
} scalay_line_owners;

/** O(cells + entries log entries of a line). SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_line_owners_create(const scalay_owner_map *map, scalay_lines_way way, scalay_line_owners *owners);

/** Releases what it holds; zeroed is fine. */
void scalay_line_owners_free(scalay_line_owners *owners);

/** 1 when a part owns something of the lines of a class. */
int scalay_line_owners_has(const scalay_line_owners *owners, int64_t line_class, int part);

#endif
