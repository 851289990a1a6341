#ifndef SCALAY_MAPPING_BOTTLENECK_EDGES_H
#define SCALAY_MAPPING_BOTTLENECK_EDGES_H

/**
 * @file
 * The edges that matter to a number of steps. Only rows and columns with more items than that need one, and where few
 * do, few edges are looked at: those of the rows, and in the other rows those to the columns, each by itself.
 */

#include "mapping/bottleneck.h"

/** Whether a row, or a column, has to use an edge whatever the steps. */
int scalay_bottleneck_must(const scalay_bottleneck *problem, int of_parts, int line);

/** The edges of at most so many steps at rows and columns that need one; to be released with scalay_edges_free(). */
scalay_status scalay_bottleneck_useful(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                                       scalay_edges *useful);

/**
 * The least that suffices for a line on its own, among what is above some steps.
 * @param[in]  steps  -1: of all edges
 * @param[in]  lines  shape [count]: rows, or columns
 * @param[out] hope   shape [count]: the next number of steps at which the line gets another edge, or is light enough to
 *                    go without; INT64_MAX: there is none
 */
scalay_status scalay_bottleneck_hopes(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                      int count, int64_t *hope);

/** Whether a row has an edge of at most so many steps. */
int scalay_bottleneck_row_serves(const scalay_bottleneck *problem, int64_t steps, int i);

#endif
