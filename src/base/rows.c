/*
 * Vector loops. Each loop is compiled for x86-64, AVX2 and, if that is faster, AVX-512, by inlining it into functions
 * with a target attribute. A CPU check selects one of them. SCALAY_PLAIN_ROWS compiles the x86-64 loops only, to
 * measure the gain.
 */

#include "base/rows.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SCALAY_PLAIN_ROWS)
#define SCALAY_ROWS_VECTORS
#define LOOP static inline __attribute__((always_inline))
#define WITH_AVX2 static __attribute__((target("avx2")))
#ifdef __clang__
#define WITH_AVX512 static __attribute__((target("avx512f"), min_vector_width(512)))
#define WITH_AVX512DQ static __attribute__((target("avx512f,avx512dq"), min_vector_width(512)))
#else
#define WITH_AVX512 static __attribute__((target("avx512f,prefer-vector-width=512")))
#define WITH_AVX512DQ static __attribute__((target("avx512f,avx512dq,prefer-vector-width=512")))
#endif
#else
#define LOOP static inline
#endif

LOOP void min_sum(int64_t *restrict target, const int64_t *restrict source, int64_t count, int64_t value)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t sum = source[k] + value;
        target[k] = sum < target[k] ? sum : target[k];
    }
}

LOOP void discard_above(int64_t *restrict row, const int64_t *restrict limit, int64_t count, int64_t value)
{
    for (int64_t k = 0; k < count; k++) row[k] = row[k] > limit[k] ? value : row[k];
}

enum { CHUNK = 64 };

/* Multiples of the step, for one chunk. */
typedef struct {
    uint64_t of[CHUNK];
} multiples;

LOOP void make_multiples(uint64_t step, int64_t count, multiples *table)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < count && k < CHUNK; k++, sum += step) table->of[k] = sum;
}

/* Computes the reduced costs of at most one chunk. The multiples come from a table, because vector products of 64 bits
 * are slow before AVX-512DQ. */
LOOP void reduce_chunk(const scalay_row_costs *of, int64_t first, int64_t count, const multiples *steps,
                       int64_t *restrict cost)
{
    const int64_t *restrict value = of->value + first;
    const double *restrict time = of->time + first;
    const uint64_t *restrict down = steps->of;
    const double limit = of->limit;
    const uint64_t weight = (uint64_t)of->weight;
    const uint64_t start = (uint64_t)of->start - (uint64_t)of->step * (uint64_t)first;
    for (int64_t k = 0; k < count; k++) {
        const int64_t reduced = (int64_t)(weight * (uint64_t)value[k] + start - down[k]);
        const int64_t allowed = value[k] == INT64_MAX ? INT64_MAX : reduced;
        cost[k] = time[k] < limit ? allowed : INT64_MAX;
    }
}

LOOP void reduced_costs(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
    multiples steps;
    make_multiples((uint64_t)of->step, count, &steps);
    for (int64_t first = 0; first < count; first += CHUNK)
        reduce_chunk(of, first, count - first < CHUNK ? count - first : CHUNK, &steps, cost + first);
}

LOOP int64_t min_reduced_cost(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
    int64_t chunk_cost[CHUNK];
    int64_t chunk = -1;
    multiples steps;
    make_multiples((uint64_t)of->step, count, &steps);
    *cost = INT64_MAX;
    for (int64_t first = 0; first < count; first += CHUNK) {
        const int64_t length = count - first < CHUNK ? count - first : CHUNK;
        int64_t low = INT64_MAX;
        reduce_chunk(of, first, length, &steps, chunk_cost);
        for (int64_t k = 0; k < length; k++) low = chunk_cost[k] < low ? chunk_cost[k] : low;
        if (low >= *cost) continue;
        *cost = low;
        chunk = first;
    }
    if (chunk < 0) return -1;
    if (chunk + CHUNK < count) reduce_chunk(of, chunk, CHUNK, &steps, chunk_cost);
    int64_t found = chunk;
    while (chunk_cost[found - chunk] != *cost) found++;
    return found;
}

LOOP void update_minimum(int64_t *restrict minimum, int64_t *restrict index, int64_t *restrict owner,
                         const int64_t *restrict cost, int64_t count, int64_t first, int64_t from)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t one = cost[k];
        const int64_t other = minimum[k];
        minimum[k] = one < other ? one : other;
        index[k] = one < other ? first + k : index[k];
        owner[k] = one < other ? from : owner[k];
    }
}

#ifdef SCALAY_ROWS_VECTORS
WITH_AVX2 void update_minimum_avx2(int64_t *minimum, int64_t *index, int64_t *owner, const int64_t *cost, int64_t count,
                                   int64_t first, int64_t from)
{
    update_minimum(minimum, index, owner, cost, count, first, from);
}

WITH_AVX2 void reduced_costs_avx2(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
    reduced_costs(of, count, cost);
}

WITH_AVX512DQ void reduced_costs_avx512(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
    reduced_costs(of, count, cost);
}

WITH_AVX2 int64_t min_reduced_cost_avx2(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
    return min_reduced_cost(of, count, cost);
}

WITH_AVX512DQ int64_t min_reduced_cost_avx512(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
    return min_reduced_cost(of, count, cost);
}

WITH_AVX2 void min_sum_avx2(int64_t *target, const int64_t *source, int64_t count, int64_t value)
{
    min_sum(target, source, count, value);
}

WITH_AVX512 void min_sum_avx512(int64_t *target, const int64_t *source, int64_t count, int64_t value)
{
    min_sum(target, source, count, value);
}

WITH_AVX2 void discard_above_avx2(int64_t *row, const int64_t *limit, int64_t count, int64_t value)
{
    discard_above(row, limit, count, value);
}
#endif

void scalay_row_min_sum(int64_t *target, const int64_t *source, int64_t count, int64_t value)
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

void scalay_row_discard_above(int64_t *row, const int64_t *limit, int64_t count, int64_t value)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        discard_above_avx2(row, limit, count, value);
        return;
    }
#endif
    discard_above(row, limit, count, value);
}

void scalay_row_reduced_costs(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx512dq")) {
        reduced_costs_avx512(of, count, cost);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        reduced_costs_avx2(of, count, cost);
        return;
    }
#endif
    reduced_costs(of, count, cost);
}

int64_t scalay_row_min_reduced_cost(const scalay_row_costs *of, int64_t count, int64_t *cost)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx512dq")) return min_reduced_cost_avx512(of, count, cost);
    if (__builtin_cpu_supports("avx2")) return min_reduced_cost_avx2(of, count, cost);
#endif
    return min_reduced_cost(of, count, cost);
}

void scalay_row_update_minimum(int64_t *minimum, int64_t *index, int64_t *owner, const int64_t *cost, int64_t count,
                               int64_t first, int64_t from)
{
#ifdef SCALAY_ROWS_VECTORS
    if (__builtin_cpu_supports("avx2")) {
        update_minimum_avx2(minimum, index, owner, cost, count, first, from);
        return;
    }
#endif
    update_minimum(minimum, index, owner, cost, count, first, from);
}
