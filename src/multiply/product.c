/*
 * Shared by all products: argument checks, and the operations of the element types s, d, c and z. BLAS is called by its
 * Fortran names, which every BLAS library has.
 */

#include "multiply/product.h"

#include <float.h>
#include <math.h>

#include "parallel/scalapack.h"

#define ENTRY float
#define REAL 1
#define MODULUS(x) fabs((double)(x))
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#define FLOPS 2.0
#define GEMM sgemm_
#define PGEMM psgemm_
#define TYPED(name) name##_s
#include "multiply/product_worker.c"

#define ENTRY double
#define REAL 1
#define MODULUS(x) fabs(x)
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#define FLOPS 2.0
#define GEMM dgemm_
#define PGEMM pdgemm_
#define TYPED(name) name##_d
#include "multiply/product_worker.c"

#define ENTRY float _Complex
#define REAL 0
#define MODULUS(x) cabs((double _Complex)(x))
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#define FLOPS 8.0
#define GEMM cgemm_
#define PGEMM pcgemm_
#define TYPED(name) name##_c
#include "multiply/product_worker.c"

#define ENTRY double _Complex
#define REAL 0
#define MODULUS(x) cabs(x)
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#define FLOPS 8.0
#define GEMM zgemm_
#define PGEMM pzgemm_
#define TYPED(name) name##_z
#include "multiply/product_worker.c"

const scalay_gemm_operations *scalay_gemm_operations_of(scalay_type type)
{
    static const scalay_gemm_operations *const table[] = {[SCALAY_FLOAT] = &operations_s,
                                                          [SCALAY_DOUBLE] = &operations_d,
                                                          [SCALAY_COMPLEX_FLOAT] = &operations_c,
                                                          [SCALAY_COMPLEX_DOUBLE] = &operations_z};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? table[type] : NULL;
}

double _Complex scalay_element_value(scalay_type type, const void *element, double default_value)
{
    if (element == NULL) return default_value;
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)element;
    case SCALAY_DOUBLE:
        return *(const double *)element;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)element;
    default:
        return *(const double _Complex *)element;
    }
}

int scalay_element_is_zero(scalay_type type, const void *element)
{
    return scalay_element_value(type, element, 1.0) == 0.0;
}

char scalay_op_letter(scalay_op op)
{
    static const char letters[] = {
        [SCALAY_NO_TRANSPOSE] = 'N', [SCALAY_TRANSPOSE] = 'T', [SCALAY_CONJUGATE_TRANSPOSE] = 'C'};
    return letters[op];
}

/* ---------------------------------------------------------------------------------------------- arguments */

static scalay_status check_type_and_operations(const char *function, scalay_type type, const scalay_op op[2])
{
    if (scalay_gemm_operations_of(type) == NULL)
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, function,
            "type is %d; it must be SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE", type);
    for (int k = 0; k < 2; k++)
        if (op[k] < SCALAY_NO_TRANSPOSE || op[k] > SCALAY_CONJUGATE_TRANSPOSE)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "op_%c is %d; it must be SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE or "
                               "SCALAY_CONJUGATE_TRANSPOSE",
                               'a' + k, (int)op[k]);
    return SCALAY_SUCCESS;
}

static scalay_status check_processes(const char *function, const scalay_comm *comm, const scalay_layout *layout,
                                     char matrix)
{
    if (layout == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the layout of %c is NULL; pass the layout of the matrix",
                           matrix);
    if (scalay_layout_processes(layout) <= comm->size) return SCALAY_SUCCESS;
    for (int part = 0; part < scalay_layout_parts(layout); part++) {
        const int process = scalay_layout_process_of_part(layout, part);
        if (process >= comm->size)
            return scalay_fail(
                SCALAY_ERROR_ARGUMENT, function,
                "part %d of the layout of %c is on process %d; it must be in [0, %d). Use a communicator "
                "of more ranks, or another layout",
                part, matrix, process, comm->size);
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_extents(const char *function, const scalay_op op[2], const scalay_layout *const layout[3])
{
    int64_t rows[3], cols[3];
    for (int k = 0; k < 3; k++) {
        const int is_transposed = k < 2 && op[k] != SCALAY_NO_TRANSPOSE;
        rows[k] = is_transposed ? scalay_layout_cols(layout[k]) : scalay_layout_rows(layout[k]);
        cols[k] = is_transposed ? scalay_layout_rows(layout[k]) : scalay_layout_cols(layout[k]);
    }
    if (rows[0] == rows[2] && cols[0] == rows[1] && cols[1] == cols[2]) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                       "op(A) is %lld x %lld, op(B) is %lld x %lld and C is %lld x %lld; they must be m x k, k x n and "
                       "m x n",
                       (long long)rows[0], (long long)cols[0], (long long)rows[1], (long long)cols[1],
                       (long long)rows[2], (long long)cols[2]);
}

scalay_status scalay_product_check(const char *function, const scalay_comm *comm, scalay_type type,
                                   const scalay_op op[2], const scalay_layout *const layout[3])
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_type_and_operations(function, type, op));
    for (int k = 0; k < 3; k++) SCALAY_TRY(check_processes(function, comm, layout[k], (char)('a' + k)));
    SCALAY_TRY(check_extents(function, op, layout));
cleanup:
    return status;
}
