#ifndef SCALAY_TESTS_FACTOR_OBJECT_H
#define SCALAY_TESTS_FACTOR_OBJECT_H

/** @file A factorisation object and LAPACK beside it: matrices in any layout, and the comparison. */

#include "factor/engine_problem.h"
#include "scalay/factor.h"

/* A matrix in a layout. */
typedef struct {
    scalay_factor_kind kind;
    scalay_type type;
    scalay_uplo uplo;
    scalay_layout *layout;
    int64_t size; /* of the local array */
    uint64_t seed;
    problem p; /* the elements */
} object_case;

static const double object_other_triangle = 1234.5; /* exact in all types */

/* Element (i, j) before the factorisation; Cholesky: the other triangle holds a number that must stay. */
static inline double complex object_element(const object_case *c, int64_t i, int64_t j)
{
    const int is_other = c->kind == SCALAY_FACTOR_CHOLESKY && (c->uplo == SCALAY_UPPER ? i > j : i < j);
    return is_other ? object_other_triangle : problem_element(&c->p, i, j);
}

static inline void object_fill(const object_case *c, void *a)
{
    for (int64_t k = 0; k <= c->size; k++) matrix_store(c->type, a, k, matrix_sentinel);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(c->layout, check_rank()); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(c->layout, check_rank(), k, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                matrix_store(c->type, a, r.offset + i + j * r.ld, object_element(c, r.row + i, r.col + j));
    }
}

/* Completes a case that has kind, type, uplo and layout. */
static inline void object_prepare(object_case *c, int64_t size, uint64_t seed)
{
    c->seed = seed;
    c->size = size;
    c->p = (problem){.kind = c->kind,
                     .type = c->type,
                     .m = (int)scalay_layout_rows(c->layout),
                     .n = (int)scalay_layout_cols(c->layout),
                     .seed = seed};
}

/* The largest difference from LAPACK's factors, tau and pivots, over the largest element; on every rank. */
static inline double object_compare(const object_case *c, const void *a, const void *vector, int info)
{
    outcome theirs;
    const int m = c->p.m, n = c->p.n, is_upper = c->uplo == SCALAY_UPPER;
    double complex *all = matrix_gather(c->type, c->layout, check_rank(), a);
    double scale = 1e-300, error = 0;
    problem_reference(&c->p, &theirs);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double complex x = theirs.a[i + (int64_t)j * m];
            if (c->kind == SCALAY_FACTOR_CHOLESKY && is_upper) x = conj(theirs.a[j + (int64_t)i * m]);
            const int is_other = c->kind == SCALAY_FACTOR_CHOLESKY && (is_upper ? i > j : i < j);
            if (is_other)
                CHECK(all[i + (int64_t)j * m] == object_other_triangle);
            else
                error = fmax(error, cabs(all[i + (int64_t)j * m] - x));
            if (!is_other) scale = fmax(scale, cabs(x));
        }
    error /= scale;
    for (int k = 0; k < problem_lines(&c->p) && c->kind == SCALAY_FACTOR_QR; k++)
        error = fmax(error, cabs(matrix_load(c->type, vector, k) - theirs.tau[k]));
    for (int k = 0; k < problem_lines(&c->p) && c->kind == SCALAY_FACTOR_LU; k++)
        CHECK(((const int *)vector)[k] == theirs.pivot[k] + 1);
    CHECK(info == theirs.info);
    outcome_free(&theirs);
    free(all);
    return error;
}

/* Creates a factorisation, executes it `times` times and compares it with LAPACK. */
static inline void object_run(scalay_comm *comm, const object_case *c, const scalay_factor_options *options, int times)
{
    scalay_factor *factor = NULL;
    void *a = malloc((size_t)(c->size + 1) * scalay_type_size(c->type));
    void *vector = calloc((size_t)problem_lines(&c->p) + 1, scalay_type_size(c->type) + sizeof(int));
    int info = -1;
    if (CHECK_STATUS(scalay_factor_create(comm, c->kind, c->layout, c->type, options, &factor), SCALAY_SUCCESS)) {
        const int64_t requests = scalay_memory_requests();
        for (int t = 0; t < times; t++) {
            object_fill(c, a);
            CHECK_STATUS(scalay_factor_execute(factor, a, &info), SCALAY_SUCCESS);
        }
        CHECK(scalay_memory_requests() == requests); /* execution allocates nothing */
        if (c->kind != SCALAY_FACTOR_CHOLESKY) CHECK_STATUS(scalay_factor_get_vector(factor, vector), SCALAY_SUCCESS);
        CHECK(object_compare(c, a, vector, info) <= 1000 * matrix_epsilon(c->type) * (c->p.m + c->p.n + 1));
        CHECK(matrix_rest_untouched(c->type, c->layout, check_rank(), c->size, a));
    }
    scalay_factor_destroy(&factor);
    free(vector);
    free(a);
}

#endif
