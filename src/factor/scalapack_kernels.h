#ifndef SCALAY_FACTOR_SCALAPACK_KERNELS_H
#define SCALAY_FACTOR_SCALAPACK_KERNELS_H

/**
 * @file
 * ScaLAPACK's factorisations, as one table of functions per element type.
 *
 * The functions are collective over the grid of the descriptor. The caller validates all arguments, because ScaLAPACK
 * aborts on invalid ones.
 */

#include "base/status.h"
#include "scalay/types.h"

/** The factorisations. */
typedef enum { SCALAY_GEQRF = 0, SCALAY_GETRF = 1, SCALAY_POTRF = 2 } scalay_kernel_kind;
enum { SCALAY_KERNEL_KINDS = 3 };

/** Arguments of a factorisation: those of p?geqrf, p?getrf or p?potrf. */
typedef struct {
    char uplo; /* p?potrf: 'U' or 'L' */
    int m, n;
    void *a;
    int ia, ja; /* 1-based */
    const int *desc;
    void *vector; /* p?geqrf: tau; p?getrf: ipiv */
    void *work;   /* p?geqrf: shape [lwork] */
    int lwork;
} scalay_kernel_arguments;

/** A QR factorisation that starts at (1, 1) of its descriptor, with its workspace. */
typedef struct {
    int m, n;        /* extents */
    int k;           /* reflectors */
    const int *desc; /* shape [9] */
    const void *a;   /* R and the reflectors */
    const void *tau; /* scalar factors of the local columns */
    void *work;      /* shape [lwork] */
    int lwork;
} scalay_qr_factors;

/** Functions of one type. An int result is the info of ScaLAPACK. */
typedef struct {
    /** Factors a matrix. */
    int (*factor[SCALAY_KERNEL_KINDS])(const scalay_kernel_arguments *arguments);
    /** q, a copy of the factors, becomes the first k columns of Q. */
    int (*form_q)(const scalay_qr_factors *f, void *q);
    /** c := Q [R; 0], an m x n matrix. */
    int (*multiply)(const scalay_qr_factors *f, void *c);
    /** g := Q^H Q - I, k x k, of the m x k matrix q. */
    void (*test_orthogonality)(const scalay_qr_factors *f, const void *q, void *g, const int *desc_g);
    /** Returns the Frobenius norm of an m x n matrix. */
    double (*norm)(int m, int n, const void *a, const int *desc);
    /** y := x - y, local elements. Not collective. */
    void (*subtract)(int64_t count, const void *x, void *y);
    /** Undoes the row swaps of LU: pivot[0 .. k - 1] are 1-based rows. */
    void (*swap_back)(int n, int k, const int *pivot, void *a, const int *desc);
    /** b becomes a triangle of a with its diagonal (uplo 'L' or 'U'; unit: with ones on the diagonal), 0 elsewhere. */
    void (*copy_triangle)(char uplo, int unit, int m, int n, const void *a, void *b, const int *desc);
    /** b := op(a) b or b op(a), b is m x n. mode: side, uplo, op and diag of p?trmm. */
    void (*multiply_triangle)(const char *mode, int m, int n, const void *a, void *b, const int *desc);
    /** Sets the elements below ('L') or above ('U') the diagonal of an n x n matrix to 0. */
    void (*clear_triangle)(char uplo, int n, void *a, const int *desc);
    /** Distance from 1 to the next number. */
    double epsilon;
    /** Bytes of an element. */
    size_t size;
} scalay_scalapack_kernels;

/** Returns the functions of a type; NULL if ScaLAPACK has no such type. */
const scalay_scalapack_kernels *scalay_scalapack_kernels_of(scalay_type type);

/** Returns the workspace that p?geqrf, p?orgqr and p?ormqr need, in elements; can exceed an int. */
int64_t scalay_qr_workspace(int nb, int local_rows, int local_cols);

#endif
