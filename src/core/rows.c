#include "core/rows.h"

#include <math.h>

/* The loops once for each set of vector instructions, chosen by what the processor has. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SCALAY_ROWS_VECTORS
#define LOOP static inline __attribute__((always_inline))
#define WITH_AVX2 static __attribute__((target("avx2")))
#define WITH_AVX512 static __attribute__((target("avx512f,prefer-vector-width=512")))
#else
#define LOOP static inline
#endif

LOOP void min_sum(double *restrict target, const double *restrict source, int64_t count, double value)
{
    for (int64_t k = 0; k < count; k++) {
        double sum = source[k] + value;
        target[k] = sum < target[k] ? sum : target[k];
    }
}

LOOP void cut(double *row, int64_t count, double most)
{
    for (int64_t k = 0; k < count; k++) row[k] = row[k] > most ? INFINITY : row[k];
}

#ifdef SCALAY_ROWS_VECTORS
WITH_AVX2 void min_sum_avx2(double *target, const double *source, int64_t count, double value)
{
    min_sum(target, source, count, value);
}

WITH_AVX512 void min_sum_avx512(double *target, const double *source, int64_t count, double value)
{
    min_sum(target, source, count, value);
}

WITH_AVX2 void cut_avx2(double *row, int64_t count, double most)
{
    cut(row, count, most);
}
#endif

void scalay_row_min_sum(double *target, const double *source, int64_t count, double value)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx512f")) {
        min_sum_avx512(target, source, count, value);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        min_sum_avx2(target, source, count, value);
        return;
    }
#endif
    min_sum(target, source, count, value);
}

void scalay_row_cut(double *row, int64_t count, double most)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        cut_avx2(row, count, most);
        return;
    }
#endif
    cut(row, count, most);
}
