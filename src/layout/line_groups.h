#ifndef SCALAY_LAYOUT_LINE_GROUPS_H
#define SCALAY_LAYOUT_LINE_GROUPS_H

/**
 * @file
 * Groups of lines. A line is a row class or a column class. The lines in which a part owns the same cells form one
 * group; all cells of a group form a product of classes.
 */

#include <stdint.h>

#include "base/status.h"

/** A line in which a part owns cells. */
typedef struct {
    int64_t line;
    int64_t begin, end; /* its cells are cell[begin] .. cell[end - 1] */
    uint64_t fingerprint;
    int64_t leader; /* first line of its group */
} scalay_owned_line;

/** The lines of a part, ordered by leader and line. */
typedef struct {
    int64_t lines;
    int64_t capacity;
    scalay_owned_line *line; /* shape [capacity] */
    int64_t groups;
} scalay_line_groups;

/**
 * Groups the lines of a part. Time: O(cells + lines log lines).
 * @param[in]     cells    number of cells of the part
 * @param[in]     cell     shape [cells]: line * crosses + cross, ascending
 * @param[in]     crosses  number of lines of the other direction
 * @param[in,out] groups   zeroed before the first call; its memory is used again
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_line_groups_find(int64_t cells, const int64_t *cell, int64_t crosses, scalay_line_groups *groups);

#endif
