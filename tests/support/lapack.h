#ifndef SCALAY_TESTS_SUPPORT_LAPACK_H
#define SCALAY_TESTS_SUPPORT_LAPACK_H

/** @file QR, LU and Cholesky by LAPACK, by element type. */

#include <complex.h>
#include <lapacke.h>

#include "scalay/factor.h"
#include "scalay/types.h"

/* Factors a column-major m x n matrix; returns LAPACK's info. */
static inline int lapack_factor(scalay_factor_kind kind, scalay_type type, char uplo, int m, int n, void *a, void *tau,
                                int *pivot)
{
    const int ld = m > 0 ? m : 1, order = LAPACK_COL_MAJOR;
    switch ((int)type * 4 + (int)kind) {
    case SCALAY_FLOAT * 4 + SCALAY_FACTOR_QR:
        return LAPACKE_sgeqrf(order, m, n, a, ld, tau);
    case SCALAY_DOUBLE * 4 + SCALAY_FACTOR_QR:
        return LAPACKE_dgeqrf(order, m, n, a, ld, tau);
    case SCALAY_COMPLEX_FLOAT * 4 + SCALAY_FACTOR_QR:
        return LAPACKE_cgeqrf(order, m, n, a, ld, tau);
    case SCALAY_COMPLEX_DOUBLE * 4 + SCALAY_FACTOR_QR:
        return LAPACKE_zgeqrf(order, m, n, a, ld, tau);
    case SCALAY_FLOAT * 4 + SCALAY_FACTOR_LU:
        return LAPACKE_sgetrf_work(order, m, n, a, ld, pivot);
    case SCALAY_DOUBLE * 4 + SCALAY_FACTOR_LU:
        return LAPACKE_dgetrf_work(order, m, n, a, ld, pivot);
    case SCALAY_COMPLEX_FLOAT * 4 + SCALAY_FACTOR_LU:
        return LAPACKE_cgetrf_work(order, m, n, a, ld, pivot);
    case SCALAY_COMPLEX_DOUBLE * 4 + SCALAY_FACTOR_LU:
        return LAPACKE_zgetrf_work(order, m, n, a, ld, pivot);
    case SCALAY_FLOAT * 4 + SCALAY_FACTOR_CHOLESKY:
        return LAPACKE_spotrf_work(order, uplo, n, a, ld);
    case SCALAY_DOUBLE * 4 + SCALAY_FACTOR_CHOLESKY:
        return LAPACKE_dpotrf_work(order, uplo, n, a, ld);
    case SCALAY_COMPLEX_FLOAT * 4 + SCALAY_FACTOR_CHOLESKY:
        return LAPACKE_cpotrf_work(order, uplo, n, a, ld);
    default:
        return LAPACKE_zpotrf_work(order, uplo, n, a, ld);
    }
}

#endif
