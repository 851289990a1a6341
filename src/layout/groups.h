#ifndef SCALAY_LAYOUT_GROUPS_H
#define SCALAY_LAYOUT_GROUPS_H

/**
 * @file
 * Groups: what a part owns as few products of rows and columns.
 *
 * Lines (row classes, or column classes) in which a part owns the same are one group: all of its cells together are
 * the product of two sets.
 */

#include <stdint.h>

#include "base/status.h"

/** A line that a part owns cells of. */
typedef struct {
    int64_t line;
    int64_t begin, end; /* its cells */
    uint64_t fingerprint;
    int64_t leader; /* the first line of its group */
} scalay_owned_line;

/** The lines of a part in groups, of the same leader each, ordered by leader and line. */
typedef struct {
    int64_t lines;
    int64_t room;
    scalay_owned_line *line; /* shape [room] */
    int64_t groups;
} scalay_line_groups;

/**
 * Groups the lines of a part.
 * @param[in]     cells   how many
 * @param[in]     cell    shape [cells]: ascending by line, then by cross; each is line * crosses + cross
 * @param[in]     crosses how many lines cross a line
 * @param[in,out] groups  its room is used again; zeroed to begin with
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_line_groups_find(int64_t cells, const int64_t *cell, int64_t crosses, scalay_line_groups *groups);

#endif
