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

#include "base/memory.h"
#include "redist/block_copies.h"

static uint64_t first_seed = 20261121;
static int64_t cases = 300;

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

static int64_t place_of(const scalay_common_run *run, scalay_run_position places, int64_t packed)
{
    return places == SCALAY_AT_PACKED ? packed : places == SCALAY_AT_OWN ? run->local_a : run->local_b;
}

/* The columns of a row. */
static void define_row(const test_case *c, const char *from, char *to)
{
    const int64_t size = (int64_t)c->copier.size;
    int64_t packed = 0;
    for (const scalay_common_run *col = c->cols; col < c->cols + c->col_runs; packed += col++->count)
        for (int64_t j = 0; j < col->count; j++)
            define_element(&c->copier,
                           from + (place_of(col, c->from.end.position, packed) + j) * c->from.end.col_stride * size,
                           to + (place_of(col, c->to.end.position, packed) + j) * c->to.end.col_stride * size);
}

static void define(const test_case *c, char *target)
{
    const int64_t size = (int64_t)c->copier.size;
    int64_t packed = 0;
    for (const scalay_common_run *row = c->rows; row < c->rows + c->row_runs; packed += row++->count)
        for (int64_t i = 0; i < row->count; i++)
            define_row(
                c, c->from.end.base + (place_of(row, c->from.end.position, packed) + i) * c->from.end.row_stride * size,
                target + (GUARD + (place_of(row, c->to.end.position, packed) + i) * c->to.end.row_stride) * size);
}

/* ------------------------------------------------------------------------------------------------- tests */

static scalay_block_copy block_copy_of(const test_case *c)
{
    return (scalay_block_copy){.rows = c->rows,
                               .cols = c->cols,
                               .row_runs = c->row_runs,
                               .col_runs = c->col_runs,
                               .from = c->from.end,
                               .to = c->to.end};
}

static void move_at_once(const test_case *c)
{
    const scalay_block_copy patch = block_copy_of(c);
    scalay_copier_copy_block(&c->copier, &patch);
}

/* Not in order, and more shares than there are columns. */
static void move_by_shares(const test_case *c)
{
    const scalay_block_copy patch = block_copy_of(c);
    const int parts = 1 + (int)(c->row_count % 7);
    for (int part = parts - 1; part >= 0; part--) scalay_copier_copy_part(&c->copier, &patch, part, parts);
}

/* Run by run of the columns, as chunks are packed. */
static void move_by_columns(const test_case *c)
{
    const int64_t size = (int64_t)c->copier.size;
    int64_t packed = 0;
    for (const scalay_common_run *col = c->cols; col < c->cols + c->col_runs; packed += col++->count) {
        scalay_end from = c->from.end, to = c->to.end;
        from.base += place_of(col, from.position, packed) * from.col_stride * size;
        to.base += place_of(col, to.position, packed) * to.col_stride * size;
        scalay_copier_copy_columns(&c->copier, c->rows, c->row_runs, col->count, from, to);
    }
}

/* With series of rows that are known, as plans keep them. */
static void move_by_known_series(const test_case *c)
{
    scalay_row_series found[SCALAY_MAX_SERIES];
    scalay_block_copy patch = block_copy_of(c);
    const int packs = patch.from.position == SCALAY_AT_OWN;
    const scalay_row_ends ends = {patch.rows, patch.row_runs, SCALAY_AT_OWN,
                                  packs ? patch.to.position : patch.from.position};
    if (packs || patch.to.position == SCALAY_AT_OWN) {
        patch.series = found;
        patch.series_count = scalay_row_series_find_few(&ends, SCALAY_MAX_SERIES, found);
    }
    scalay_copier_copy_block(&c->copier, &patch);
}

typedef void (*mover)(const test_case *c);

static void check(uint64_t seed, mover move)
{
    test_case c = random_case(seed);
    const size_t bytes = (size_t)c.to.elements * c.copier.size;
    char *expected = scalay_allocate(c.to.elements, c.copier.size);
    memcpy(expected, c.to.bytes, bytes);
    define(&c, expected);
    move(&c);
    if (memcmp(expected, c.to.bytes, bytes) != 0)
        fail_msg("seed %llu: type %s of %zu bytes, %lld rows in %lld runs, %lld columns in %lld, strides %lld %lld to "
                 "%lld %lld",
                 (unsigned long long)seed, scalay_type_name(c.copier.type), c.copier.size, (long long)c.row_count,
                 (long long)c.row_runs, (long long)c.col_count, (long long)c.col_runs, (long long)c.from.end.row_stride,
                 (long long)c.from.end.col_stride, (long long)c.to.end.row_stride, (long long)c.to.end.col_stride);
    scalay_release(expected);
    release(&c);
}

static void check_all(mover move)
{
    printf("seeds %llu .. %llu\n", (unsigned long long)first_seed,
           (unsigned long long)(first_seed + (uint64_t)cases - 1));
    for (int64_t k = 0; k < cases; k++) check(first_seed + (uint64_t)k, move);
    assert_int_equal(scalay_memory_live(), 0);
}

static void patches_arrive_as_defined(void **state)
{
    (void)state;
    check_all(move_at_once);
}

static void columns_arrive_as_defined(void **state)
{
    (void)state;
    check_all(move_by_columns);
}

static void shares_are_all_of_a_patch(void **state)
{
    (void)state;
    check_all(move_by_shares);
}

static void known_series_are_all_of_a_patch(void **state)
{
    (void)state;
    check_all(move_by_known_series);
}

static void nothing_is_moved_of_an_empty_patch(void **state)
{
    (void)state;
    const scalay_copier copier = scalay_copier_for(SCALAY_DOUBLE);
    const scalay_common_run run = {.count = 1};
    const scalay_end end = {.base = NULL, .row_stride = 1, .col_stride = 1, .position = SCALAY_AT_OWN};
    scalay_copier_copy_columns(&copier, &run, 1, 0, end, end);
    scalay_copier_copy_columns(&copier, NULL, 0, 1, end, end);
}

int main(int argc, char **argv)
{
    if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2) cases = strtoll(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_arrive_as_defined),          cmocka_unit_test(columns_arrive_as_defined),
        cmocka_unit_test(shares_are_all_of_a_patch),          cmocka_unit_test(known_series_are_all_of_a_patch),
        cmocka_unit_test(nothing_is_moved_of_an_empty_patch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
