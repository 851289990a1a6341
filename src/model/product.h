#ifndef SCALAY_MODEL_PRODUCT_H
#define SCALAY_MODEL_PRODUCT_H

/** @file Predicted time of a product, by p?gemm on a grid and by SUMMA on any layout. */

#include "model/load.h"
#include "scalay/layout.h"
#include "scalay/model.h"

/** Returns the reason why ScaLAPACK's routines cannot run on a layout; NULL if they can. They accept blocks that are
 * not square, and submatrices. */
const char *scalay_scalapack_obstacle(const scalay_layout *layout);

/** As scalay_scalapack_obstacle(), for a grid with square blocks that holds the whole matrix. */
const char *scalay_owner_obstacle(const scalay_layout *layout);

/** Sets grid and blocks of a layout on which ScaLAPACK's routines can run, and returns 1; otherwise returns 0. */
int scalay_layout_load_grid(const scalay_layout *layout, scalay_load_grid *grid);

/** As scalay_model_gemm(), with mb x nb blocks. Failures are in the name of `function`. */
scalay_status scalay_gemm_on_grid(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                  const scalay_load_grid *grid, const char *function, scalay_gemm_cost *cost);

/**
 * Predicts the seconds of a product of square matrices by SUMMA (scalay_summa_create()), if A, B and C have the same
 * layout. A process with e elements in r rows and c columns of C computes 2 n e flops and receives n (r + c) - 2 e
 * elements, in segments of the height of a block or tile. Time: O(parts + tiles).
 * @param[in] speed  shape [parts]: relative to the rates of the machine; NULL: all 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_on_layout(const scalay_machine *machine, scalay_type type, const scalay_layout *layout,
                                     const double *speed, double *seconds);

#endif
