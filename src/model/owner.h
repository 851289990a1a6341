#ifndef SCALAY_MODEL_OWNER_H
#define SCALAY_MODEL_OWNER_H

/** @file Whether a ScaLAPACK routine can work where a matrix is. */

#include "scalay/layout.h"

/** Why p?geqrf and p?gemm cannot run on a layout; NULL when they can. */
const char *scalay_owner_obstacle(const scalay_layout *layout);

/** 1 and grid and block of a layout that p?geqrf and p?gemm can run on; 0 for others, and nothing is set. */
int scalay_owner_grid(const scalay_layout *layout, int *nprow, int *npcol, int *nb);

#endif
