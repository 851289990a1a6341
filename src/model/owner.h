#ifndef SCALAY_MODEL_OWNER_H
#define SCALAY_MODEL_OWNER_H

/** @file What can work where a matrix is: a ScaLAPACK routine, or a product that takes any layout. */

#include "base/status.h"
#include "scalay/layout.h"
#include "scalay/types.h"

/** Why p?geqrf and p?gemm cannot run on a layout; NULL when they can. */
const char *scalay_owner_obstacle(const scalay_layout *layout);

/** 1 and grid and block of a layout that p?geqrf and p?gemm can run on; 0 for others, and nothing is set. */
int scalay_owner_grid(const scalay_layout *layout, int *nprow, int *npcol, int *nb);

/**
 * The predicted seconds of a product by SUMMA (multiply.h) of square matrices that all lie like this one. A process
 * with e elements in r rows and c columns of C computes 2 n e operations and reads n (r + c) - 2 e elements of others,
 * in segments as long as a block or tile is high.
 * O(parts + tiles).
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_owner_product(const scalay_machine *machine, scalay_type type, const scalay_layout *layout,
                                   double *seconds);

#endif
