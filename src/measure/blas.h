#ifndef SCALAY_MEASURE_BLAS_H
#define SCALAY_MEASURE_BLAS_H

/** @file BLAS by its Fortran symbols, with the lengths of the character arguments at the end: ScaLAPACK brings them. */

#include <stddef.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t transa_length, size_t transb_length);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb, size_t side_length,
            size_t uplo_length, size_t trans_length, size_t diag_length);
void dswap_(const int *n, double *x, const int *incx, double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t trans_length);

#endif
