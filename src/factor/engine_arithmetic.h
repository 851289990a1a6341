#ifndef SCALAY_FACTOR_ENGINE_ARITHMETIC_H
#define SCALAY_FACTOR_ENGINE_ARITHMETIC_H

/**
 * @file
 * BLAS and LAPACK for the engine, behind one interface for the four element types.
 *
 * All matrices are column-major. BLAS and LAPACK are called by their Fortran names, which every BLAS has
 * (docs/multiply.md). Scalars are chosen by sign, so that callers need no typed constants.
 */

#include <stdint.h>

#include "base/status.h"
#include "scalay/types.h"

/** Combines `bytes` bytes of two processes; `lower` is of the process with the lower index. `result` may be either. */
typedef void (*scalay_engine_combine)(int64_t bytes, const void *lower, const void *upper, void *result);

/** Reduces `bytes` bytes over the owners of a panel: all of them get the same result. */
typedef scalay_status (*scalay_engine_reduce)(void *context, void *data, int64_t bytes, scalay_engine_combine combine);

/** Bytes of a candidate for a pivot, besides two rows of the panel. */
enum { SCALAY_ENGINE_CANDIDATE = 16 };

/** The rows of a panel that one of its owners holds, for a panel that the owners factor together. */
typedef struct {
    char *a; /* first row; the owner of the diagonal tile has the top `width` rows first */
    int ld, rows, width;
    int has_top;     /* 1: the first `width` rows are the top */
    const int *line; /* shape [rows]: LU: global row of each, ascending */
    int first;       /* global index of the first row and column */
    char *work;      /* shape [scalay_engine_panel_work()] bytes, aligned to 16 bytes */
    scalay_engine_reduce reduce;
    void *context;
} scalay_engine_share;

/** Operations of one element type. */
typedef struct {
    size_t size;  /* bytes of an element */
    double flops; /* of a multiplication and an addition */

    /** C := C + sign op(A) op(B), or C := sign op(A) op(B) if `overwrite`; op is 'N', 'T' or 'C'; C is m x n. */
    void (*gemm)(char op_a, char op_b, int m, int n, int k, int sign, const void *a, int lda, const void *b, int ldb,
                 int overwrite, void *c, int ldc);
    /** Prepares a unit lower triangular L, n x n, for solve_left(): its inverse is put into the other triangle of the
     *  array, transposed. */
    void (*invert_unit)(int n, void *l, int ldl);
    /** B := L^-1 B, L m x m, after invert_unit(). */
    void (*solve_left)(int m, int n, const void *l, int ldl, void *b, int ldb);
    /** B := B L^-H, L lower triangular, n x n. work: shape [n * n]. */
    void (*solve_right)(int m, int n, const void *l, int ldl, void *b, int ldb, void *work);
    /** B := B T, T upper triangular, n x n. */
    void (*multiply_right)(int m, int n, const void *t, int ldt, void *b, int ldb);
    /** C := C - A A^H in the lower triangle; C is n x n, A is n x k. */
    void (*update_lower)(int n, int k, const void *a, int lda, void *c, int ldc);
    /** Y := X + Y. */
    void (*add)(int m, int n, const void *x, int ldx, void *y, int ldy);
    /** Sums elements (a scalay_engine_combine). */
    scalay_engine_combine combine_sum;
    /** Row to_row[i] of Y := row from_row[i] of X, i < rows; NULL: row i. */
    void (*copy_rows)(int rows, int cols, const int *from_row, const void *x, int ldx, const int *to_row, void *y,
                      int ldy);

    /** QR of an m x n panel, m >= n: V below the diagonal, R in `a`, T in the upper triangle of t, zeros below. */
    void (*factor_qr)(int m, int n, void *a, int lda, void *t, int ldt);
    /** LU of an m x n panel, m >= n; pivots 0-based. Returns LAPACK's info. */
    int (*factor_lu)(int m, int n, void *a, int lda, int *pivot);
    /** Cholesky factor of the lower triangle, n x n. Returns LAPACK's info; NaN pivots count as not positive. */
    int (*factor_cholesky)(int n, void *a, int lda);

    /** factor_qr() of a panel whose rows several owners hold; each gets T. */
    scalay_status (*share_qr)(const scalay_engine_share *share, void *t);
    /** factor_lu() likewise; pivots are global rows; each owner gets the factored top, width x width. */
    scalay_status (*share_lu)(const scalay_engine_share *share, int *pivot, void *top, int *info);
} scalay_engine_arithmetic;

/** Returns the operations of a type; NULL if `type` is not a floating-point type. */
const scalay_engine_arithmetic *scalay_engine_arithmetic_of(scalay_type type);

/** Returns the bytes of `work` that share_qr() and share_lu() need for panels of `width` columns. */
int64_t scalay_engine_panel_work(int width, size_t element_size);

#endif
