#ifndef SCALAY_MULTIPLY_PRODUCT_H
#define SCALAY_MULTIPLY_PRODUCT_H

/** @file Shared by all products C := alpha op(A) op(B) + beta C: argument checks, gemm and p?gemm by element type. */

#include <complex.h>

#include "parallel/comm.h"
#include "scalay/layout.h"
#include "scalay/types.h"

/** Arguments of gemm. */
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

/** Arguments of p?gemm. */
typedef struct {
    char op_a, op_b; /* 'N', 'T' or 'C' */
    int m, n, k;
    const void *alpha;
    const void *a;
    const int *desc_a;
    int first_a[2]; /* 0-based row and column of A in its distributed matrix; likewise for B and C */
    const void *b;
    const int *desc_b;
    int first_b[2];
    const void *beta;
    void *c;
    const int *desc_c;
    int first_c[2];
} scalay_pgemm_arguments;

/** A vector on every rank, with the scale of the rounding error of each entry: the same sum of absolute values. */
typedef struct {
    int64_t count;
    double _Complex *value; /* shape [count]; owned */
    double *scale;          /* shape [count]; owned */
} scalay_check_vector;

/** A subarray of a rank with the global indices of its rows and columns. */
typedef struct {
    scalay_subarray at;
    int64_t *row; /* shape [at.rows] */
    int64_t *col; /* shape [at.cols] */
    const void *local;
} scalay_check_subarray;

/** Operations of one element type. */
typedef struct {
    /** C := alpha op(A) op(B) + beta C by gemm of BLAS. */
    void (*multiply)(const scalay_gemm_arguments *arguments);
    /** The same by p?gemm of PBLAS. Collective over the grid of the descriptors. */
    void (*multiply_on_grid)(const scalay_pgemm_arguments *arguments);
    /** y += op(subarray) x. Not collective. */
    void (*add_product)(const scalay_check_subarray *subarray, scalay_op op, const scalay_check_vector *x,
                        scalay_check_vector *y);
    const void *one;
    const void *zero;
    double flops;    /* of one multiplication and one addition */
    double epsilon;  /* distance from 1 to the next number */
    double smallest; /* smallest normal number */
} scalay_gemm_operations;

/** Returns the operations of a type; NULL if BLAS has no such type. */
const scalay_gemm_operations *scalay_gemm_operations_of(scalay_type type);

/** Returns 1 if an element is 0. */
int scalay_element_is_zero(scalay_type type, const void *element);

/** Returns an element as a complex number; `default_value` for NULL. */
double _Complex scalay_element_value(scalay_type type, const void *element, double default_value);

/** Returns 'N', 'T' or 'C'. */
char scalay_op_letter(scalay_op op);

/**
 * Checks that three layouts fit a product. Not collective.
 * @param[in] function  public function, for the message
 * @param[in] type      element type
 * @param[in] op        shape [2]: of A and B
 * @param[in] layout    shape [3]: A, B and C
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (type, operation, NULL, a process that is not a rank),
 *         SCALAY_ERROR_MISMATCH (extents)
 */
scalay_status scalay_product_check(const char *function, const scalay_comm *comm, scalay_type type,
                                   const scalay_op op[2], const scalay_layout *const layout[3]);

#endif
