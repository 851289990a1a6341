#include "multiply/summa_gemm.h"

#include <complex.h>

/* BLAS by its Fortran names, which every BLAS has. */
#define ENTRY float
#define GEMM sgemm_
#define MULTIPLY multiply_s
#define ONE one_s
#include "multiply/summa_gemm_worker.c"

#define ENTRY double
#define GEMM dgemm_
#define MULTIPLY multiply_d
#define ONE one_d
#include "multiply/summa_gemm_worker.c"

#define ENTRY float _Complex
#define GEMM cgemm_
#define MULTIPLY multiply_c
#define ONE one_c
#include "multiply/summa_gemm_worker.c"

#define ENTRY double _Complex
#define GEMM zgemm_
#define MULTIPLY multiply_z
#define ONE one_z
#include "multiply/summa_gemm_worker.c"

static const scalay_summa_gemm operations[] = {
    [SCALAY_FLOAT] = {multiply_s, &one_s, 2.0},
    [SCALAY_DOUBLE] = {multiply_d, &one_d, 2.0},
    [SCALAY_COMPLEX_FLOAT] = {multiply_c, &one_c, 8.0},
    [SCALAY_COMPLEX_DOUBLE] = {multiply_z, &one_z, 8.0},
};

const scalay_summa_gemm *scalay_summa_gemm_of(scalay_type type)
{
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? &operations[type] : NULL;
}

int scalay_summa_is_zero(scalay_type type, const void *element)
{
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)element == 0.0f;
    case SCALAY_DOUBLE:
        return *(const double *)element == 0.0;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)element == 0.0f;
    default:
        return *(const double _Complex *)element == 0.0;
    }
}

char scalay_summa_op_letter(scalay_op op)
{
    static const char letters[] = {
        [SCALAY_NO_TRANSPOSE] = 'N', [SCALAY_TRANSPOSE] = 'T', [SCALAY_CONJUGATE_TRANSPOSE] = 'C'};
    return letters[op];
}
