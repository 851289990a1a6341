#ifndef SCALAY_MODEL_LOAD_H
#define SCALAY_MODEL_LOAD_H

/** @file Loads of the processes of a block-cyclic grid, and the time that a step takes all of them together. */

#include "scalay/model.h"

/** A grid whose processes may have different speeds. */
typedef struct {
    int nprow, npcol;
    int mb, nb;          /* extents of a block */
    const double *speed; /* shape [nprow * npcol], row-major: relative to the rates of the machine; NULL: all 1 */
    double row_within;   /* part of the messages along grid rows that stay on a node, 0 to 1 */
    double col_within;   /* the same along grid columns. 0: all are at the rates of the machine */
} scalay_load_grid;

/** Returns the maximum number of indices of an extent on one of `processes`, for any first process. */
int64_t scalay_load_maximum(int64_t extent, int nb, int processes);

/**
 * Returns the elements that determine the time of a step in which every process works on its part of rows x cols
 * elements: scalay_machine_spread() of elements over speeds. If each process has its own core and the speeds are equal,
 * that is the maximum over the processes.
 * @param[in] top, left  block of the first row and column; it is on grid row top mod nprow
 */
double scalay_load_elements(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t cols,
                            int64_t top, int64_t left);

/** As scalay_load_elements(), for a step in which only the processes of grid column left mod npcol work, on rows. */
double scalay_load_rows(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t top,
                        int64_t left);

/** Returns the sum of the speeds of all processes. */
double scalay_load_speeds(const scalay_load_grid *grid);

/** Checks that extents and speeds are above 0, in the name of `function`: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT. */
scalay_status scalay_load_check(const scalay_load_grid *grid, const char *function);

#endif
