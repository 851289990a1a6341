#ifndef SCALAY_FACTOR_VERIFY_H
#define SCALAY_FACTOR_VERIFY_H

/**
 * @file
 * Verification of a factorisation against the matrix, by ScaLAPACK on a process grid.
 */

#include "factor/scalapack_kernels.h"
#include "parallel/comm.h"
#include "scalay/layout.h"

/** A matrix, and its factors as p?geqrf, p?getrf or p?potrf return them. */
typedef struct {
    scalay_kernel_kind kind;
    scalay_type type;
    scalay_uplo uplo; /* Cholesky: SCALAY_LOWER or SCALAY_UPPER */
    const scalay_layout *layout;
    const void *original; /* local array */
    const void *factors;  /* local array */
    const void *vector;   /* shape [min(m, n)], the same on every rank: tau, or 1-based pivots; Cholesky: NULL */
} scalay_factor_check;

/**
 * Verifies a factorisation. Collective; the ranks agree on the status. Memory: three copies of the matrix on a grid.
 * @param[out] residual       ||A - Q R||_F, ||A - P^T L U||_F or ||A - L L^H||_F over (||A||_F max(m, n) eps), about 1
 *                            or less if correct; 0 if both norms are 0. Of Cholesky, one triangle is compared
 * @param[out] orthogonality  QR: ||Q^H Q - I||_F / (max(m, n) eps); otherwise 0
 */
scalay_status scalay_factor_verify(scalay_comm *comm, const scalay_factor_check *check, double *residual,
                                   double *orthogonality);

/** Arrays of a verification of QR on a grid. */
typedef struct {
    const scalay_scalapack_kernels *kernels;
    scalay_qr_factors factors; /* with workspace */
    int64_t local_size;        /* elements of a local array */
    void *x;                   /* on entry A; overwritten */
    void *y;                   /* overwritten */
} scalay_qr_check;

/**
 * Compares A with Q R, and Q^H Q with I. Collective over the grid.
 * @param[out] norms  of A, of A - Q R, of Q^H Q - I
 */
scalay_status scalay_qr_compare(const char *function, scalay_qr_check *check, double norms[3]);

/** Returns norm / scale; 0 if both are 0. */
double scalay_residual_ratio(double norm, double scale);

#endif
