#ifndef SCALAY_PARTITION_MULTIPLY_COST_H
#define SCALAY_PARTITION_MULTIPLY_COST_H

/**
 * @file
 * Elements that a product sends, kept in factors: V[x][y] is a sum over pairs of classes of lines, evaluated for one
 * pair of parts on request. Memory depends on the classes and their owners, not on parts^2.
 */

#include "partition/owner_map.h"

/** Lines in the same class of the matrix that is sent and in the same class of C. */
typedef struct {
    int64_t source_class, target_class;
    int64_t lines; /* at least 1 */
} scalay_overlap_lines;

/** The rows of A, or the columns of B. */
typedef struct {
    scalay_line_owners source; /* owners of the lines */
    scalay_line_owners target; /* owners of the same lines of C, which need them */
    int64_t overlaps;
    scalay_overlap_lines *overlap; /* shape [overlaps], ascending by source class and target class */
    int64_t *overlap_start;        /* shape [source.classes + 1] */
    int64_t *part_start;           /* shape [parts + 1] */
    int64_t *part_class;           /* source classes in which each part holds elements */
    int64_t *part_held;            /* elements of one line that it holds */
} scalay_cost_side;

struct scalay_multiply_cost {
    int parts;
    int64_t volume;
    double time;
    double energy;
    scalay_cost_side rows, cols;
};

/**
 * Creates a side from the map of the matrix that is sent and the map of C, which have the same lines.
 * @param[out] side  to be released with scalay_cost_side_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_cost_side_create(const scalay_owner_map *sent, const scalay_owner_map *c, scalay_lines_way way,
                                      scalay_cost_side *side);

/** Releases the arrays of a side and zeroes it. Zeroed is allowed. */
void scalay_cost_side_free(scalay_cost_side *side);

/**
 * Adds the elements that all parts send on a side whose lines have so many elements.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE
 */
scalay_status scalay_cost_side_add_volume(const scalay_cost_side *side, int64_t length, int64_t *volume);

/** Returns the elements that one part sends to another part on this side. */
int64_t scalay_cost_side_sent(const scalay_cost_side *side, int from, int to);

#endif
