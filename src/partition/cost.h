#ifndef SCALAY_PARTITION_COST_H
#define SCALAY_PARTITION_COST_H

/**
 * @file
 * What a product sends, kept in factors: V[x][y] is a sum over few pairs of classes of lines, and is only summed up for
 * the pairs of parts that are asked for. 1e5 parts in one row need 1e5 entries, not 1e10.
 */

#include "partition/line_owners.h"

/** Lines that are alike both in the matrix that is sent and in C. */
typedef struct {
    int64_t source_class, target_class;
    int64_t lines; /* at least 1 */
} scalay_overlap_lines;

/** The rows of A, or the columns of B. */
typedef struct {
    scalay_line_owners source; /* who holds them */
    scalay_line_owners target; /* who needs them: the owners of the same lines of C */
    int64_t overlaps;
    scalay_overlap_lines *overlap; /* shape [overlaps], by source class and target class, all different */
    int64_t *overlap_start;        /* shape [source.classes + 1] */
    int64_t *part_start;           /* shape [parts + 1] */
    int64_t *part_class;           /* the source classes that each part holds something of */
    int64_t *part_held;            /* and how much of a line */
} scalay_cost_side;

struct scalay_multiply_cost {
    int parts;
    int64_t volume;
    double time;
    double energy;
    scalay_cost_side rows, cols;
};

/**
 * A side from the map of the matrix that is sent and that of C, which have the same lines.
 * @param[out] side  to be released with scalay_cost_side_free(), also on failure
 */
scalay_status scalay_cost_side_create(const scalay_owner_map *sent, const scalay_owner_map *c, scalay_lines_way way,
                                      scalay_cost_side *side);

/** Releases what a side holds; zeroed is fine. */
void scalay_cost_side_free(scalay_cost_side *side);

/** Elements that one part sends another on this side; from and to are different parts. */
int64_t scalay_cost_side_sent(const scalay_cost_side *side, int from, int to);

#endif
