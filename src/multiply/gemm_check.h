#ifndef SCALAY_MULTIPLY_GEMM_CHECK_H
#define SCALAY_MULTIPLY_GEMM_CHECK_H

/** @file Products of distributed matrices and vectors that all ranks hold, behind one face for the four types. */

#include <complex.h>

#include "scalay/layout.h"
#include "scalay/types.h"

/** A vector, and for each entry what its rounding errors are measured by: the same sums of absolute values. */
typedef struct {
    int64_t count;
    double _Complex *value; /* shape [count]; owned */
    double *size;           /* shape [count]; owned */
} scalay_check_vector;

/** A dense array of a rank with the indices of its rows and columns. */
typedef struct {
    scalay_subarray at;
    int64_t *row; /* shape [at.rows] */
    int64_t *col; /* shape [at.cols] */
    const void *local;
} scalay_check_piece;

/** y += op(piece) x. Not collective. */
typedef void (*scalay_check_multiply)(const scalay_check_piece *piece, scalay_op op, const scalay_check_vector *x,
                                      scalay_check_vector *y);

extern const scalay_check_multiply scalay_check_multiply_s;
extern const scalay_check_multiply scalay_check_multiply_d;
extern const scalay_check_multiply scalay_check_multiply_c;
extern const scalay_check_multiply scalay_check_multiply_z;

#endif
