/* The copier against its definition, element by element, on random patches: types, runs, strides, places, scalars,
   threads, targets large and small. The whole target is compared, so that what lies between is seen to stay.
   redist_copier [SEED [CASES]] */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/integer.h"
#include "core/memory.h"
#include "core/random.h"
#include "redist/copier.h"

static uint64_t first_seed = 20261121;
static int64_t cases = 6000;

static int64_t below(scalay_random *random, int64_t bound)
{
    return scalay_random_below(random, bound);
}

/* --------------------------------------------------------------------------------------- random patches */

/* An array, of which the patch is `end`; `guard` elements around. */
typedef struct {
    char *bytes;
    int64_t elements;
    scalay_end end;
} store;

typedef struct {
    scalay_copier copier;
    scalay_run *runs;
    int64_t run_count, columns, rows;
    store from, to;
} test_case;

enum { GUARD = 9 };

static scalay_type random_type(scalay_random *random)
{
    static const scalay_type types[] = {SCALAY_FLOAT,          SCALAY_DOUBLE, SCALAY_DOUBLE,  SCALAY_COMPLEX_FLOAT,
                                        SCALAY_COMPLEX_DOUBLE, SCALAY_INT,    SCALAY_RAW(1),  SCALAY_RAW(2),
                                        SCALAY_RAW(3),         SCALAY_RAW(8), SCALAY_RAW(12), SCALAY_RAW(16),
                                        SCALAY_RAW(40)};
    return types[below(random, (int64_t)(sizeof types / sizeof *types))];
}

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static int is_real(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_DOUBLE;
}

static void random_scalars(scalay_random *random, scalay_copier *copier)
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

/* Equal lengths at regular places, as blocks have, or any; sometimes more than tiles have room for. */
static void random_runs(scalay_random *random, test_case *c)
{
    static const int64_t lengths[] = {1, 1, 2, 3, 4, 5, 8, 16, 17, 64, 100, 700};
    const int64_t length = lengths[below(random, 12)], gap_a = below(random, 3), gap_b = below(random, 2) * length;
    const int regular = below(random, 4) != 0;
    c->run_count = 1 + (below(random, 20) == 0 ? below(random, 600) : below(random, 12));
    if (length >= 100) c->run_count = scalay_min_int64(c->run_count, 4);
    c->runs = scalay_allocate(c->run_count, sizeof *c->runs);
    int64_t a = below(random, 5), b = below(random, 5);
    for (int64_t k = 0; k < c->run_count; k++) {
        const int64_t count = regular && k > 0 && k < c->run_count - 1 ? length : 1 + below(random, length);
        c->runs[k] = (scalay_run){.index = c->rows, .place_a = a, .place_b = b, .count = count};
        c->rows += count;
        a += count + (regular ? gap_a : below(random, 4));
        b += count + (regular ? gap_b : below(random, 30));
    }
}

/* Columns one after the other, transposed, or neither is contiguous. */
static void random_end(scalay_random *random, const test_case *c, store *s)
{
    const scalay_run *last = &c->runs[c->run_count - 1];
    const scalay_places places = (scalay_places)below(random, 3);
    const int64_t extent = (places == SCALAY_AT_PACKED ? c->rows
                            : places == SCALAY_AT_NEAR ? last->place_a + last->count
                                                       : last->place_b + last->count);
    const int64_t kind = below(random, 5), extra = below(random, 3) * below(random, 20);
    int64_t row_stride = 1, col_stride = extent + extra;
    if (kind == 0) {
        row_stride = 2 + below(random, 3);
        col_stride = row_stride * extent + extra;
    } else if (kind <= 2) {
        row_stride = c->columns + extra;
        col_stride = 1;
    }
    s->elements = 2 * GUARD + extent * row_stride + c->columns * col_stride;
    s->bytes = scalay_allocate(s->elements, c->copier.size);
    s->end = (scalay_end){.base = s->bytes + GUARD * c->copier.size,
                          .row_stride = row_stride,
                          .col_stride = col_stride,
                          .places = places};
}

/* Finite numbers for what is calculated with. What is not to be read are no numbers. */
static void fill(scalay_random *random, const scalay_copier *copier, store *s, int is_read)
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

static test_case random_case(uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    test_case c = {.copier = scalay_copier_for(random_type(&random))};
    random_scalars(&random, &c.copier);
    c.copier.threads = below(&random, 4) == 0 ? 1 + (int)below(&random, 5) : 1;
    c.copier.target_bytes = below(&random, 2) ? INT64_MAX : 0;
    c.columns = below(&random, 40) == 0 ? 300 + below(&random, 100) : below(&random, 3) * below(&random, 24) + 1;
    random_runs(&random, &c);
    if (c.rows * c.columns > 200000) c.columns = 1 + 200000 / c.rows;
    random_end(&random, &c, &c.from);
    random_end(&random, &c, &c.to);
    fill(&random, &c.copier, &c.from, 1);
    fill(&random, &c.copier, &c.to, c.copier.adds);
    return c;
}

static void release(test_case *c)
{
    scalay_release(c->runs);
    scalay_release(c->from.bytes);
    scalay_release(c->to.bytes);
}

/* -------------------------------------------------------------------------------------------- definition */

/* Sums of products, each rounded by itself. */
static void define_single(const scalay_copier *c, const float *x, float *y)
{
    const float a[2] = {(float)c->alpha[0], (float)c->alpha[1]}, b[2] = {(float)c->beta[0], (float)c->beta[1]};
    const float im = is_complex(c->type) ? c->conjugate ? -x[1] : x[1] : 0.0F;
    float sum[2] = {x[0], im};
    if (is_real(c->type)) {
        *y = c->adds ? a[0] * x[0] + b[0] * y[0] : a[0] * x[0];
        return;
    }
    if (c->scaled) {
        sum[0] = a[0] * x[0] - a[1] * im;
        sum[1] = a[0] * im + a[1] * x[0];
    }
    if (c->adds) {
        const float old[2] = {y[0], y[1]};
        sum[0] += b[0] * old[0] - b[1] * old[1];
        sum[1] += b[0] * old[1] + b[1] * old[0];
    }
    memcpy(y, sum, sizeof sum);
}

static void define_double(const scalay_copier *c, const double *x, double *y)
{
    const double im = is_complex(c->type) ? c->conjugate ? -x[1] : x[1] : 0.0;
    double sum[2] = {x[0], im};
    if (is_real(c->type)) {
        *y = c->adds ? c->alpha[0] * x[0] + c->beta[0] * y[0] : c->alpha[0] * x[0];
        return;
    }
    if (c->scaled) {
        sum[0] = c->alpha[0] * x[0] - c->alpha[1] * im;
        sum[1] = c->alpha[0] * im + c->alpha[1] * x[0];
    }
    if (c->adds) {
        const double old[2] = {y[0], y[1]};
        sum[0] += c->beta[0] * old[0] - c->beta[1] * old[1];
        sum[1] += c->beta[0] * old[1] + c->beta[1] * old[0];
    }
    memcpy(y, sum, sizeof sum);
}

static void define_element(const scalay_copier *copier, const char *x, char *y)
{
    const void *from = x;
    void *to = y;
    if (!copier->scaled && !copier->conjugate)
        memcpy(y, x, copier->size);
    else if (copier->type == SCALAY_FLOAT || copier->type == SCALAY_COMPLEX_FLOAT)
        define_single(copier, from, to);
    else
        define_double(copier, from, to);
}

static int64_t offset(const scalay_end *end, const scalay_run *run, int64_t i, int64_t packed, int64_t j)
{
    const int64_t place = (end->places == SCALAY_AT_PACKED ? packed
                           : end->places == SCALAY_AT_NEAR ? run->place_a
                                                           : run->place_b) +
                          i;
    return place * end->row_stride + j * end->col_stride;
}

static void define(const test_case *c, char *target)
{
    const int64_t size = (int64_t)c->copier.size;
    for (int64_t j = 0; j < c->columns; j++) {
        int64_t packed = 0;
        for (const scalay_run *run = c->runs; run < c->runs + c->run_count; packed += run++->count)
            for (int64_t i = 0; i < run->count; i++)
                define_element(&c->copier, c->from.end.base + offset(&c->from.end, run, i, packed, j) * size,
                               target + (GUARD + offset(&c->to.end, run, i, packed, j)) * size);
    }
}

/* ------------------------------------------------------------------------------------------------- tests */

static void check(uint64_t seed)
{
    test_case c = random_case(seed);
    const size_t bytes = (size_t)c.to.elements * c.copier.size;
    char *expected = scalay_allocate(c.to.elements, c.copier.size);
    memcpy(expected, c.to.bytes, bytes);
    define(&c, expected);
    scalay_copier_move(&c.copier, c.runs, c.run_count, c.columns, c.from.end, c.to.end);
    if (memcmp(expected, c.to.bytes, bytes) != 0)
        fail_msg("seed %llu: type %s of %zu bytes, %lld runs, %lld rows, %lld columns, strides %lld %lld to %lld %lld",
                 (unsigned long long)seed, scalay_type_name(c.copier.type), c.copier.size, (long long)c.run_count,
                 (long long)c.rows, (long long)c.columns, (long long)c.from.end.row_stride,
                 (long long)c.from.end.col_stride, (long long)c.to.end.row_stride, (long long)c.to.end.col_stride);
    scalay_release(expected);
    release(&c);
}

static void patches_arrive_as_defined(void **state)
{
    (void)state;
    printf("seeds %llu .. %llu\n", (unsigned long long)first_seed,
           (unsigned long long)(first_seed + (uint64_t)cases - 1));
    for (int64_t k = 0; k < cases; k++) check(first_seed + (uint64_t)k);
    assert_int_equal(scalay_memory_live(), 0);
}

/* A share is not one more than the patch has: none of the elements is moved twice, or by nobody. */
static void shares_are_all_of_a_patch(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 300; seed++) {
        test_case c = random_case(seed);
        const scalay_patch patch = {c.runs, c.run_count, c.columns, c.from.end, c.to.end};
        const int parts = 1 + (int)(seed % 7);
        int64_t elements = 0;
        for (int part = 0; part < parts; part++) {
            scalay_run only;
            const scalay_patch share = scalay_patch_share(&patch, c.copier.size, part, parts, &only);
            for (int64_t k = 0; k < share.run_count; k++) elements += share.runs[k].count * share.columns;
        }
        assert_int_equal(elements, c.rows * c.columns);
        release(&c);
    }
}

static void nothing_is_moved_of_an_empty_patch(void **state)
{
    (void)state;
    const scalay_copier copier = scalay_copier_for(SCALAY_DOUBLE);
    const scalay_run run = {.count = 1};
    const scalay_end end = {.base = NULL, .row_stride = 1, .col_stride = 1, .places = SCALAY_AT_NEAR};
    scalay_copier_move(&copier, &run, 1, 0, end, end);
    scalay_copier_move(&copier, NULL, 0, 1, end, end);
}

int main(int argc, char **argv)
{
    if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2) cases = strtoll(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_arrive_as_defined),
        cmocka_unit_test(shares_are_all_of_a_patch),
        cmocka_unit_test(nothing_is_moved_of_an_empty_patch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
