#include "redist/copier.h"

#include <string.h>

scalay_copier scalay_copier_for(scalay_type type)
{
    return (scalay_copier){.type = type, .size = scalay_type_size(type), .alpha = {1.0, 0.0}, .threads = 1};
}

void scalay_copier_scalar(scalay_type type, const void *scalar, double otherwise, double value[2])
{
    value[0] = otherwise;
    value[1] = 0.0;
    if (scalar == NULL) return;
    const int parts = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
    const int wide = type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE;
    for (int k = 0; k < parts; k++) value[k] = wide ? ((const double *)scalar)[k] : (double)((const float *)scalar)[k];
}

/* ------------------------------------------------------------------------------------------- arithmetic */

#define COMBINE(NAME, REAL)                                                                                            \
    static void NAME(const scalay_copier *copier, const char *from, char *to)                                          \
    {                                                                                                                  \
        const REAL alpha = (REAL)copier->alpha[0], beta = (REAL)copier->beta[0];                                       \
        REAL x, y;                                                                                                     \
        memcpy(&x, from, sizeof x);                                                                                    \
        REAL sum = alpha * x;                                                                                          \
        if (copier->adds) {                                                                                            \
            memcpy(&y, to, sizeof y);                                                                                  \
            sum += beta * y;                                                                                           \
        }                                                                                                              \
        memcpy(to, &sum, sizeof sum);                                                                                  \
    }

#define COMBINE_COMPLEX(NAME, REAL)                                                                                    \
    static void NAME(const scalay_copier *copier, const char *from, char *to)                                          \
    {                                                                                                                  \
        const REAL a[2] = {(REAL)copier->alpha[0], (REAL)copier->alpha[1]};                                            \
        const REAL b[2] = {(REAL)copier->beta[0], (REAL)copier->beta[1]};                                              \
        REAL x[2], y[2];                                                                                               \
        memcpy(x, from, sizeof x);                                                                                     \
        if (copier->conjugate) x[1] = -x[1];                                                                           \
        REAL sum[2] = {x[0], x[1]};                                                                                    \
        if (copier->scaled) {                                                                                          \
            sum[0] = a[0] * x[0] - a[1] * x[1];                                                                        \
            sum[1] = a[0] * x[1] + a[1] * x[0];                                                                        \
        }                                                                                                              \
        if (copier->adds) {                                                                                            \
            memcpy(y, to, sizeof y);                                                                                   \
            sum[0] += b[0] * y[0] - b[1] * y[1];                                                                       \
            sum[1] += b[0] * y[1] + b[1] * y[0];                                                                       \
        }                                                                                                              \
        memcpy(to, sum, sizeof sum);                                                                                   \
    }

COMBINE(combine_s, float)
COMBINE(combine_d, double)
COMBINE_COMPLEX(combine_c, float)
COMBINE_COMPLEX(combine_z, double)

static void move_element(const scalay_copier *copier, const char *from, char *to)
{
    if (!copier->scaled && !copier->conjugate)
        memcpy(to, from, copier->size);
    else if (copier->type == SCALAY_FLOAT)
        combine_s(copier, from, to);
    else if (copier->type == SCALAY_DOUBLE)
        combine_d(copier, from, to);
    else if (copier->type == SCALAY_COMPLEX_FLOAT)
        combine_c(copier, from, to);
    else
        combine_z(copier, from, to);
}

/* ------------------------------------------------------------------------------------------------ moving */

static int64_t row_offset(const scalay_end *end, const scalay_run *run, int64_t packed)
{
    if (end->places == SCALAY_AT_PACKED) return packed * end->row_stride;
    return (end->places == SCALAY_AT_NEAR ? run->place_a : run->place_b) * end->row_stride;
}

void scalay_copier_move(const scalay_copier *copier, const scalay_run *runs, int64_t run_count, int64_t columns,
                        scalay_end from, scalay_end to)
{
    const int64_t size = (int64_t)copier->size;
    const int plain = !copier->scaled && !copier->conjugate && from.row_stride == 1 && to.row_stride == 1;
    for (int64_t j = 0; j < columns; j++) {
        int64_t packed = 0;
        for (const scalay_run *run = runs; run < runs + run_count; run++) {
            const char *x = from.base + (row_offset(&from, run, packed) + j * from.col_stride) * size;
            char *y = to.base + (row_offset(&to, run, packed) + j * to.col_stride) * size;
            if (plain)
                memcpy(y, x, (size_t)(run->count * size));
            else
                for (int64_t i = 0; i < run->count; i++)
                    move_element(copier, x + i * from.row_stride * size, y + i * to.row_stride * size);
            packed += run->count;
        }
    }
}
