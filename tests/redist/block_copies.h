#ifndef SCALAY_TESTS_REDIST_PATCH_H
#define SCALAY_TESTS_REDIST_PATCH_H

/** @file Random patches for the copier: types, runs, strides, places, scalars, threads, targets large and small. */

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "redist/copier.h"

static inline int64_t below(scalay_random *random, int64_t bound)
{
    return scalay_random_below(random, bound);
}

/* An array, of which the patch is `end`; `guard` elements around. */
typedef struct {
    char *bytes;
    int64_t elements;
    scalay_end end;
} store;

typedef struct {
    scalay_copier copier;
    scalay_common_run *rows, *cols;
    int64_t row_runs, col_runs;
    int64_t row_count, col_count;
    store from, to;
} test_case;

enum { GUARD = 9 };

static inline scalay_type random_type(scalay_random *random)
{
    static const scalay_type types[] = {SCALAY_FLOAT,          SCALAY_DOUBLE, SCALAY_DOUBLE,  SCALAY_COMPLEX_FLOAT,
                                        SCALAY_COMPLEX_DOUBLE, SCALAY_INT,    SCALAY_RAW(1),  SCALAY_RAW(2),
                                        SCALAY_RAW(3),         SCALAY_RAW(8), SCALAY_RAW(12), SCALAY_RAW(16),
                                        SCALAY_RAW(40)};
    return types[below(random, (int64_t)(sizeof types / sizeof *types))];
}

static inline int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static inline int is_real(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_DOUBLE;
}

static inline void random_scalars(scalay_random *random, scalay_copier *copier)
{
    if (!is_complex(copier->type) && !is_real(copier->type)) return;
    copier->conjugate = is_complex(copier->type) && below(random, 2);
    if (below(random, 2)) return;
    copier->scaled = 1;
    copier->adds = (int)below(random, 2);
    for (int k = 0; k < 1 + is_complex(copier->type); k++) {
        copier->alpha[k] = (float)(scalay_random_unit(random) * 4 - 2);
        if (copier->adds) copier->beta[k] = (float)(scalay_random_unit(random) * 4 - 2);
    }
}

/* `runs` of them; equal lengths at regular places, as blocks have, or any. */
static inline scalay_common_run *random_runs(scalay_random *random, int64_t length, int64_t runs, int64_t *count)
{
    const int64_t gap_a = below(random, 3), gap_b = below(random, 2) * length;
    const int regular = below(random, 4) != 0;
    scalay_common_run *run = scalay_allocate(runs, sizeof *run);
    int64_t a = below(random, 5), b = below(random, 5);
    *count = 0;
    for (int64_t k = 0; k < runs; k++) {
        const int64_t taken = regular && k > 0 && k < runs - 1 ? length : 1 + below(random, length);
        run[k] = (scalay_common_run){.index = *count, .local_a = a, .local_b = b, .count = taken};
        *count += taken;
        a += taken + (regular ? gap_a : below(random, 4));
        b += taken + (regular ? gap_b : below(random, 30));
    }
    return run;
}

/* Sometimes more runs than tiles have room for. */
static inline void random_rows(scalay_random *random, test_case *c)
{
    static const int64_t lengths[] = {1, 1, 2, 3, 4, 5, 8, 16, 17, 64, 100, 700};
    const int64_t length = lengths[below(random, 12)];
    c->row_runs = 1 + (below(random, 20) == 0 ? below(random, 600) : below(random, 12));
    if (length >= 100) c->row_runs = scalay_min_int64(c->row_runs, 4);
    c->rows = random_runs(random, length, c->row_runs, &c->row_count);
}

static inline void random_cols(scalay_random *random, test_case *c)
{
    const int64_t most = 1 + 60000 / c->row_count;
    const int64_t length = below(random, 40) == 0 ? 300 : 1 + below(random, 3) * below(random, 24);
    c->col_runs = 1 + below(random, 2) * below(random, 12);
    c->cols = random_runs(random, scalay_min_int64(most, length), c->col_runs, &c->col_count);
}

/* The places that an axis needs. */
static inline int64_t extent_of(const scalay_common_run *runs, int64_t run_count, int64_t count,
                                scalay_run_position places)
{
    const scalay_common_run *last = &runs[run_count - 1];
    if (places == SCALAY_AT_PACKED) return count;
    return (places == SCALAY_AT_OWN ? last->local_a : last->local_b) + last->count;
}

/* Columns one after the other, transposed, or neither is contiguous. */
static inline void random_end(scalay_random *random, const test_case *c, store *s)
{
    const scalay_run_position places = (scalay_run_position)below(random, 3);
    const int64_t rows = extent_of(c->rows, c->row_runs, c->row_count, places);
    const int64_t cols = extent_of(c->cols, c->col_runs, c->col_count, places);
    const int64_t kind = below(random, 5), extra = below(random, 3) * below(random, 20);
    int64_t row_stride = 1, col_stride = rows + extra;
    if (kind == 0) {
        row_stride = 2 + below(random, 3);
        col_stride = row_stride * rows + extra;
    } else if (kind <= 2) {
        row_stride = cols + extra;
        col_stride = 1;
    }
    s->elements = 2 * GUARD + rows * row_stride + cols * col_stride;
    s->bytes = scalay_allocate(s->elements, c->copier.size);
    s->end = (scalay_end){.base = s->bytes + GUARD * c->copier.size,
                          .row_stride = row_stride,
                          .col_stride = col_stride,
                          .position = places};
}

/* Finite numbers for what is calculated with. What is not to be read are no numbers. */
static inline void fill(scalay_random *random, const scalay_copier *copier, store *s, int is_read)
{
    const int64_t bytes = s->elements * (int64_t)copier->size;
    if (!is_read || (!is_real(copier->type) && !is_complex(copier->type))) {
        for (int64_t k = 0; k < bytes; k++) s->bytes[k] = is_read ? (char)below(random, 256) : (char)0xff;
    } else if (copier->type == SCALAY_FLOAT || copier->type == SCALAY_COMPLEX_FLOAT) {
        for (int64_t k = 0; k < bytes / 4; k++) ((float *)s->bytes)[k] = (float)(scalay_random_unit(random) - 0.5);
    } else {
        for (int64_t k = 0; k < bytes / 8; k++) ((double *)s->bytes)[k] = scalay_random_unit(random) - 0.5;
    }
}

static inline test_case random_case(uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    test_case c = {.copier = scalay_copier_for(random_type(&random))};
    random_scalars(&random, &c.copier);
    c.copier.threads = below(&random, 8) == 0 ? 1 + (int)below(&random, 4) : 1;
    const int64_t target_bytes[] = {0, 1 << 23, INT64_MAX};
    c.copier.target_bytes = target_bytes[below(&random, 3)];
    random_rows(&random, &c);
    random_cols(&random, &c);
    random_end(&random, &c, &c.from);
    random_end(&random, &c, &c.to);
    fill(&random, &c.copier, &c.from, 1);
    fill(&random, &c.copier, &c.to, c.copier.adds);
    return c;
}

static inline void release(test_case *c)
{
    scalay_release(c->rows);
    scalay_release(c->cols);
    scalay_release(c->from.bytes);
    scalay_release(c->to.bytes);
}

#endif
