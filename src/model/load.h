#ifndef SCALAY_MODEL_LOAD_H
#define SCALAY_MODEL_LOAD_H

/** @file What the processes of a block-cyclic grid have to do, and how long that takes all of them together. */

#include "scalay/model.h"

/** A grid whose processes may differ. */
typedef struct {
    int nprow, npcol;
    int nb;              /* block extent, both ways */
    const double *speed; /* shape [nprow * npcol], row-major: of each process, in units of the machine's; NULL: all 1 */
} scalay_load_grid;

/** The most indices of an extent that one of `processes` holds, the first block's process being any. */
int64_t scalay_load_most(int64_t extent, int nb, int processes);

/**
 * The elements that count for a step in which every process works on what it holds of rows x cols elements: with
 * processes of one speed, each on a core of its own, those of the process that holds the most; in general what
 * scalay_machine_spread() makes of elements over speeds.
 * @param[in] top, left  the block of the first row and column: it belongs to grid row top mod nprow
 */
double scalay_load_elements(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t cols,
                            int64_t top, int64_t left);

/** The same for a step in which the processes of grid column left mod npcol alone work, on rows each. */
double scalay_load_rows(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t top,
                        int64_t left);

/** The speeds of all processes, added up. */
double scalay_load_speeds(const scalay_load_grid *grid);

/** SCALAY_SUCCESS, or SCALAY_ERROR_ARGUMENT in the name of `function`: extents or speeds that are not above 0. */
scalay_status scalay_load_check(const scalay_load_grid *grid, const char *function);

#endif
