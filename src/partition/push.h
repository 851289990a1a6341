#ifndef SCALAY_PARTITION_PUSH_H
#define SCALAY_PARTITION_PUSH_H

/**
 * @file
 * Push: a local search that exchanges cells between parts to reduce the objective. The count of each part stays.
 *
 * A cell is an element or a tile. The search stores each cell, and is therefore limited to small matrices.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** A map of cells, and what is minimised. */
typedef struct {
    int64_t rows, cols;
    const int64_t *row_cut; /* shape [rows + 1]: cell row r has the matrix rows row_cut[r] .. row_cut[r + 1] - 1 */
    const int64_t *col_cut; /* shape [cols + 1] */
    int parts;
    scalay_partition_objective objective;
    const scalay_links *links; /* for time and energy; checked */
    uint64_t seed;             /* the same seed gives the same result on every machine */
} scalay_push_problem;

/** Returns 1 if a map is small enough. */
int scalay_push_is_feasible(int64_t rows, int64_t cols, int parts);

/**
 * Improves a map. The objective never increases.
 * @param[in]     problem  is feasible
 * @param[in,out] owner    shape [rows][cols]
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_push(const scalay_push_problem *problem, int *owner);

#endif
