/* BLAS and LAPACK for the engine: engine_arithmetic_worker.h, once for each element type. */
#include "factor/engine_arithmetic.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/*
 * Triangles are inverted, because OpenBLAS multiplies by a triangle of 64 columns up to 5 times as fast as it solves.
 * If an element of the inverse (with the diagonal of L scaled to 1) is larger than this, the rounding error of the
 * product might be, too, and the engine solves.
 */
#define LARGE_INVERSE 1e3

/* Columns of a panel that geqr2 factors; between them are matrix products. */
enum { QR_LEAF = 16 };
/* Columns of a triangle that are inverted without the BLAS. */
enum { INVERSE_LEAF = 16 };
/* Maxima that are found at once. */
enum { MAXIMA = 16 };

/* A candidate of a pivot: followed by its row and by the row at the top, `width` elements each. */
typedef struct {
    double value; /* modulus; -1: none */
    int row;      /* global */
    int has_top;  /* 1: the row at the top is there */
} pivot_candidate;

_Static_assert(sizeof(pivot_candidate) == SCALAY_ENGINE_CANDIDATE, "as it is counted");

/* Maximum of doubles, NaN left out. */
static void combine_max(int64_t bytes, const void *lower, const void *upper, void *result)
{
    const double *x = lower, *y = upper;
    double *z = result;
    for (int64_t k = 0; k < bytes / (int64_t)sizeof *z; k++) z[k] = x[k] > y[k] ? x[k] : y[k];
}

/* The larger pivot, the first of equal ones; the top of the process that has it. */
static void combine_pivots(int64_t bytes, const void *lower, const void *upper, void *result)
{
    const pivot_candidate *x = lower, *y = upper;
    const size_t half = ((size_t)bytes - sizeof *x) / 2;
    const int is_upper = y->value > x->value || (y->value == x->value && y->row < x->row);
    const pivot_candidate best = {is_upper ? y->value : x->value, is_upper ? y->row : x->row, x->has_top || y->has_top};
    const char *row = (const char *)(is_upper ? y + 1 : x + 1),
               *top = (const char *)(x->has_top ? x + 1 : y + 1) + half;
    char *to = (char *)((pivot_candidate *)result + 1);
    memmove(to, row, half);
    memmove(to + half, top, half);
    *(pivot_candidate *)result = best;
}

#define ENTRY float
#define REAL float
#define TYPED(name) name##_s
#define BLAS(name) s##name##_
#define IS_COMPLEX 0
#define SMALL 1e-12
#define LARGE 1e15
#define TINY FLT_MIN
#include "factor/engine_arithmetic_worker.h"

#define ENTRY double
#define REAL double
#define TYPED(name) name##_d
#define BLAS(name) d##name##_
#define IS_COMPLEX 0
#define SMALL 1e-120
#define LARGE 1e140
#define TINY DBL_MIN
#include "factor/engine_arithmetic_worker.h"

#define ENTRY float _Complex
#define REAL float
#define TYPED(name) name##_c
#define BLAS(name) c##name##_
#define IS_COMPLEX 1
#define SMALL 1e-12
#define LARGE 1e15
#define TINY FLT_MIN
#include "factor/engine_arithmetic_worker.h"

#define ENTRY double _Complex
#define REAL double
#define TYPED(name) name##_z
#define BLAS(name) z##name##_
#define IS_COMPLEX 1
#define SMALL 1e-120
#define LARGE 1e140
#define TINY DBL_MIN
#include "factor/engine_arithmetic_worker.h"

const scalay_engine_arithmetic *scalay_engine_arithmetic_of(scalay_type type)
{
    switch (type) {
    case SCALAY_FLOAT:
        return &arithmetic_s;
    case SCALAY_DOUBLE:
        return &arithmetic_d;
    case SCALAY_COMPLEX_FLOAT:
        return &arithmetic_c;
    case SCALAY_COMPLEX_DOUBLE:
        return &arithmetic_z;
    default:
        return NULL;
    }
}

int64_t scalay_engine_panel_work(int width, size_t element_size)
{
    const int64_t size = (int64_t)element_size;
    const int64_t columns = 3 * width * size + (int64_t)sizeof(double) * width;
    return columns + 2 * (int64_t)sizeof(pivot_candidate) + 2 * width * width * size + 64;
}
