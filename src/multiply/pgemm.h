#ifndef SCALAY_MULTIPLY_PGEMM_H
#define SCALAY_MULTIPLY_PGEMM_H

/** @file p?gemm of whole matrices for each element type. */

#include "scalay/types.h"

/** C := alpha op(A) op(B) + beta C. */
typedef struct {
    char op_a, op_b; /* 'N', 'T' or 'C' */
    int m, n, k;
    const void *alpha;
    const void *a;
    const int *desc_a;
    const void *b;
    const int *desc_b;
    const void *beta;
    void *c;
    const int *desc_c;
} scalay_pgemm_arguments;

/** Calls PBLAS. Collective over the grid of the descriptors; type is one that is calculated with. */
void scalay_pgemm(scalay_type type, const scalay_pgemm_arguments *arguments);

/** One and zero of a type. */
const void *scalay_pgemm_one(scalay_type type);
const void *scalay_pgemm_zero(void);

#endif
