#ifndef SCALAY_MULTIPLY_SUMMA_GEMM_H
#define SCALAY_MULTIPLY_SUMMA_GEMM_H

/** @file BLAS's gemm for each element type. */

#include "scalay/types.h"

/** The arguments of a gemm: C := alpha op(A) op(B) + beta C. */
typedef struct {
    char op_a, op_b; /* 'N', 'T' or 'C' */
    int m, n, k;
    const void *alpha;
    const void *a;
    int lda;
    const void *b;
    int ldb;
    const void *beta;
    void *c;
    int ldc;
} scalay_gemm_arguments;

/** What is done with elements of a type. */
typedef struct {
    void (*multiply)(const scalay_gemm_arguments *arguments);
    const void *one;
    double flops; /* of a multiplication and an addition */
} scalay_summa_gemm;

/** The operations of a type; NULL when it is none that is calculated with. */
const scalay_summa_gemm *scalay_summa_gemm_of(scalay_type type);

/** 1 when an element of a type is 0. */
int scalay_summa_is_zero(scalay_type type, const void *element);

/** 'N', 'T' or 'C'. */
char scalay_summa_op_letter(scalay_op op);

#endif
