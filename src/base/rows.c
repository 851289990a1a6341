#include "base/rows.h"

#include <math.h>

/* The loops once for each set of vector instructions, chosen by what the processor has; with SCALAY_PLAIN_ROWS only in
 * what every processor has, to see what the others gain. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SCALAY_PLAIN_ROWS)
#define SCALAY_ROWS_VECTORS
#define LOOP static inline __attribute__((always_inline))
#define WITH_AVX2 static __attribute__((target("avx2")))
#define WITH_AVX512 static __attribute__((target("avx512f,prefer-vector-width=512")))
#define WITH_AVX512_PRODUCTS static __attribute__((target("avx512f,avx512dq,prefer-vector-width=512")))
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

LOOP void min_sum_whole(int64_t *restrict target, const int64_t *restrict source, int64_t count, int64_t value)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t sum = source[k] + value;
        target[k] = sum < target[k] ? sum : target[k];
    }
}

LOOP void cut_whole(int64_t *row, int64_t count, int64_t most, int64_t none)
{
    for (int64_t k = 0; k < count; k++) row[k] = row[k] > most ? none : row[k];
}

enum { CHUNK = 64 };

/* Steps of a row in its chunks. */
typedef struct {
    uint64_t of[CHUNK];
} ramp;

LOOP void make_ramp(uint64_t step, int64_t count, ramp *made)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < count && k < CHUNK; k++, sum += step) made->of[k] = sum;
}

/* At most a chunk. The steps are added up once, as vectors have no fast product of 64 bits. */
LOOP void list_chunk(const scalay_row_heights *of, int64_t first, int64_t count, const ramp *steps,
                     int64_t *restrict height)
{
    const int64_t *restrict value = of->value + first;
    const double *restrict time = of->time + first;
    const uint64_t *restrict down = steps->of;
    const double limit = of->limit;
    const uint64_t weight = (uint64_t)of->weight;
    const uint64_t start = (uint64_t)of->start - (uint64_t)of->step * (uint64_t)first;
    for (int64_t k = 0; k < count; k++) {
        const int64_t made = (int64_t)(weight * (uint64_t)value[k] + start - down[k]);
        const int64_t listed = value[k] == INT64_MAX ? INT64_MAX : made;
        height[k] = time[k] < limit ? listed : INT64_MAX;
    }
}

LOOP void list_heights(const scalay_row_heights *of, int64_t count, int64_t *height)
{
    ramp steps;
    make_ramp((uint64_t)of->step, count, &steps);
    for (int64_t first = 0; first < count; first += CHUNK)
        list_chunk(of, first, count - first < CHUNK ? count - first : CHUNK, &steps, height + first);
}

LOOP int64_t find_lowest(const scalay_row_heights *of, int64_t count, int64_t *height)
{
    int64_t made[CHUNK];
    int64_t chunk = -1;
    ramp steps;
    make_ramp((uint64_t)of->step, count, &steps);
    *height = INT64_MAX;
    for (int64_t first = 0; first < count; first += CHUNK) {
        const int64_t length = count - first < CHUNK ? count - first : CHUNK;
        int64_t low = INT64_MAX;
        list_chunk(of, first, length, &steps, made);
        for (int64_t k = 0; k < length; k++) low = made[k] < low ? made[k] : low;
        if (low >= *height) continue;
        *height = low;
        chunk = first;
    }
    if (chunk < 0) return -1;
    if (chunk + CHUNK < count) list_chunk(of, chunk, CHUNK, &steps, made);
    int64_t found = chunk;
    while (made[found - chunk] != *height) found++;
    return found;
}

LOOP void keep_least(int64_t *restrict least, int64_t *restrict index, int64_t *restrict owner,
                     const int64_t *restrict cost, int64_t count, int64_t first, int64_t from)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t one = cost[k];
        const int64_t other = least[k];
        least[k] = one < other ? one : other;
        index[k] = one < other ? first + k : index[k];
        owner[k] = one < other ? from : owner[k];
    }
}

#ifdef SCALAY_ROWS_VECTORS
WITH_AVX2 void keep_least_avx2(int64_t *least, int64_t *index, int64_t *owner, const int64_t *cost, int64_t count,
                               int64_t first, int64_t from)
{
    keep_least(least, index, owner, cost, count, first, from);
}

WITH_AVX2 void list_heights_avx2(const scalay_row_heights *of, int64_t count, int64_t *height)
{
    list_heights(of, count, height);
}

WITH_AVX512_PRODUCTS void list_heights_avx512(const scalay_row_heights *of, int64_t count, int64_t *height)
{
    list_heights(of, count, height);
}

WITH_AVX2 int64_t find_lowest_avx2(const scalay_row_heights *of, int64_t count, int64_t *height)
{
    return find_lowest(of, count, height);
}

WITH_AVX512_PRODUCTS int64_t find_lowest_avx512(const scalay_row_heights *of, int64_t count, int64_t *height)
{
    return find_lowest(of, count, height);
}

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

WITH_AVX2 void min_sum_whole_avx2(int64_t *target, const int64_t *source, int64_t count, int64_t value)
{
    min_sum_whole(target, source, count, value);
}

WITH_AVX512 void min_sum_whole_avx512(int64_t *target, const int64_t *source, int64_t count, int64_t value)
{
    min_sum_whole(target, source, count, value);
}

WITH_AVX2 void cut_whole_avx2(int64_t *row, int64_t count, int64_t most, int64_t none)
{
    cut_whole(row, count, most, none);
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

void scalay_row_min_sum_whole(int64_t *target, const int64_t *source, int64_t count, int64_t value)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx512f")) {
        min_sum_whole_avx512(target, source, count, value);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        min_sum_whole_avx2(target, source, count, value);
        return;
    }
#endif
    min_sum_whole(target, source, count, value);
}

void scalay_row_cut_whole(int64_t *row, int64_t count, int64_t most, int64_t none)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        cut_whole_avx2(row, count, most, none);
        return;
    }
#endif
    cut_whole(row, count, most, none);
}

void scalay_row_list_heights(const scalay_row_heights *of, int64_t count, int64_t *height)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx512dq")) {
        list_heights_avx512(of, count, height);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        list_heights_avx2(of, count, height);
        return;
    }
#endif
    list_heights(of, count, height);
}

int64_t scalay_row_lowest(const scalay_row_heights *of, int64_t count, int64_t *height)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx512dq")) return find_lowest_avx512(of, count, height);
    if (__builtin_cpu_supports("avx2")) return find_lowest_avx2(of, count, height);
#endif
    return find_lowest(of, count, height);
}

void scalay_row_keep_least(int64_t *least, int64_t *index, int64_t *owner, const int64_t *cost, int64_t count,
                           int64_t first, int64_t from)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        keep_least_avx2(least, index, owner, cost, count, first, from);
        return;
    }
#endif
    keep_least(least, index, owner, cost, count, first, from);
}
