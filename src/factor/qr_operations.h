#ifndef SCALAY_FACTOR_QR_OPERATIONS_H
#define SCALAY_FACTOR_QR_OPERATIONS_H

/**
 * @file
 * ScaLAPACK's QR routines, as one table of operations per element type.
 *
 * The operations are collective over the grid of the descriptor. Matrices start at (1, 1) of their descriptors. The
 * caller validates all arguments, because ScaLAPACK aborts on invalid ones.
 */

#include "base/status.h"
#include "scalay/types.h"

/** A factored matrix with its workspace. */
typedef struct {
    int m, n;        /* extents */
    int k;           /* reflectors */
    const int *desc; /* shape [9] */
    const void *a;   /* R and the reflectors */
    const void *tau; /* scalar factors of the local columns */
    void *work;      /* shape [lwork] */
    int lwork;
} scalay_qr_factors;

/** Operations of one type. An int result is the info of ScaLAPACK. */
typedef struct {
    /** A := R and the reflectors, tau. */
    int (*factor)(const scalay_qr_factors *f, void *a, void *tau);
    /** q, a copy of the factors, becomes the first k columns of Q. */
    int (*form_q)(const scalay_qr_factors *f, void *q);
    /** c := Q [R; 0], an m x n matrix. */
    int (*multiply)(const scalay_qr_factors *f, void *c);
    /** g := Q^H Q - I, k x k, of the m x k matrix q. */
    void (*test_orthogonality)(const scalay_qr_factors *f, const void *q, void *g, const int *desc_g);
    /** The Frobenius norm of an m x n matrix. */
    double (*norm)(int m, int n, const void *a, const int *desc);
    /** y := x - y, local elements. Not collective. */
    void (*subtract)(int64_t count, const void *x, void *y);
    /** The distance from 1 to the next number. */
    double epsilon;
} scalay_qr_operations;

/** Returns the operations of a type; NULL if ScaLAPACK has no such type. */
const scalay_qr_operations *scalay_qr_operations_of(scalay_type type);

/** Returns the workspace that all operations need, in elements; can exceed an int. */
int64_t scalay_qr_workspace(int nb, int local_rows, int local_cols);

#endif
