#ifndef SCALAY_TESTS_KERNELS_MATRIX_H
#define SCALAY_TESTS_KERNELS_MATRIX_H

/** @file Matrices whose elements are known everywhere, and local arrays that tell when somebody wrote beside them. */

#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scalay/layout.h"
#include "scalay/types.h"

/* What lies between the elements of a matrix. */
static const double matrix_sentinel = -77.5;

static inline int matrix_is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static inline double matrix_epsilon(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT ? 1.2e-7 : 2.3e-16;
}

/* Element (i, j) of the matrix of a seed: random in [-1, 1), heavier on the diagonal so that R is well defined. */
static inline double complex matrix_element(scalay_type type, uint64_t seed, int64_t i, int64_t j)
{
    scalay_random random = scalay_random_seed(seed * 1000003u + (uint64_t)i * 10007u + (uint64_t)j);
    double re = 2.0 * scalay_random_unit(&random) - 1.0, im = 2.0 * scalay_random_unit(&random) - 1.0;
    if (i == j) re += 4.0;
    return matrix_is_complex(type) ? re + im * I : re;
}

static inline void matrix_store(scalay_type type, void *array, int64_t k, double complex value)
{
    switch (type) {
    case SCALAY_FLOAT:
        ((float *)array)[k] = (float)creal(value);
        break;
    case SCALAY_DOUBLE:
        ((double *)array)[k] = creal(value);
        break;
    case SCALAY_COMPLEX_FLOAT:
        ((float complex *)array)[k] = (float complex)value;
        break;
    default:
        ((double complex *)array)[k] = value;
    }
}

static inline double complex matrix_load(scalay_type type, const void *array, int64_t k)
{
    switch (type) {
    case SCALAY_FLOAT:
        return ((const float *)array)[k];
    case SCALAY_DOUBLE:
        return ((const double *)array)[k];
    case SCALAY_COMPLEX_FLOAT:
        return ((const float complex *)array)[k];
    default:
        return ((const double complex *)array)[k];
    }
}

/* A local array with the rank's elements of the matrix, sentinels elsewhere; freed with free(). */
static inline void *matrix_local(scalay_type type, const scalay_layout *layout, int rank, int64_t size, uint64_t seed)
{
    void *array = malloc((size_t)(size + 1) * scalay_type_size(type));
    for (int64_t k = 0; k <= size; k++) matrix_store(type, array, k, matrix_sentinel);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(layout, rank, k, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                matrix_store(type, array, r.offset + i + j * r.ld, matrix_element(type, seed, r.row + i, r.col + j));
    }
    return array;
}

/* The whole matrix, m x n column-major, on every rank; freed with free(). */
static inline double complex *matrix_gather(scalay_type type, const scalay_layout *layout, int rank, const void *array)
{
    const int64_t m = scalay_layout_rows(layout), n = scalay_layout_cols(layout);
    double complex *all = calloc((size_t)(m * n + 1), sizeof *all);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(layout, rank, k, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                all[r.row + i + (r.col + j) * m] = matrix_load(type, array, r.offset + i + j * r.ld);
    }
    MPI_Allreduce(MPI_IN_PLACE, all, (int)(m * n), MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* 1 when everything that is not an element of the matrix is still a sentinel. */
static inline int matrix_rest_untouched(scalay_type type, const scalay_layout *layout, int rank, int64_t size,
                                        const void *array)
{
    char *owned = calloc((size_t)size + 1, 1);
    int untouched = 1;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(layout, rank, k, &r);
        for (int64_t j = 0; j < r.cols; j++) memset(owned + r.offset + j * r.ld, 1, (size_t)r.rows);
    }
    for (int64_t k = 0; k <= size; k++)
        if (!owned[k] && matrix_load(type, array, k) != matrix_sentinel) untouched = 0;
    free(owned);
    return untouched;
}

static inline double matrix_norm(const double complex *a, int64_t count)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++) sum += creal(a[k]) * creal(a[k]) + cimag(a[k]) * cimag(a[k]);
    return sqrt(sum);
}

/* All of a rank's elements of a matrix become NaN. */
static inline void matrix_spoil(scalay_type type, const scalay_layout *layout, int rank, void *array)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        (void)scalay_layout_rectangle(layout, rank, k, &r);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) matrix_store(type, array, r.offset + i + j * r.ld, NAN);
    }
}

#endif
