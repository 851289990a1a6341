#ifndef SCALAY_FACTOR_QR_OPERATIONS_H
#define SCALAY_FACTOR_QR_OPERATIONS_H

/**
 * @file
 * ScaLAPACK's part of a QR factorisation, behind one face for the four types.
 *
 * All of these are collective over the grid of the descriptor. Matrices start at (1, 1) of their descriptors. ScaLAPACK
 * aborts on bad arguments: what is passed here has been validated.
 */

#include "base/status.h"
#include "scalay/types.h"

/** A factored matrix as ScaLAPACK sees it, with room to work. */
typedef struct {
    int m, n;        /* extents */
    int k;           /* reflectors */
    const int *desc; /* shape [9] */
    const void *a;   /* R and the reflectors */
    const void *tau; /* of the local columns */
    void *work;      /* shape [lwork] */
    int lwork;
} scalay_qr_factors;

/** The operations of one type. Those that return an int return ScaLAPACK's info. */
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

/** The operations of a type; NULL when it has none. */
const scalay_qr_operations *scalay_qr_operations_of(scalay_type type);

/** The elements of workspace that any of the operations needs; may be more than ScaLAPACK's int can say. */
int64_t scalay_qr_workspace(int nb, int local_rows, int local_cols);

#endif
