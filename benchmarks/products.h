#ifndef SCALAY_BENCHMARKS_PRODUCTS_H
#define SCALAY_BENCHMARKS_PRODUCTS_H

/** @file What the benchmarks of products share. Include it first. */

#include "timing.h"

#include <mpi.h>

#include "scalay/layout.h"

/** The most of all ranks. */
static inline double slowest(double mine)
{
    double all = 0.0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/** A rank's part of a matrix of numbers between -0.5 and 0.5, to be freed. */
static inline double *random_local(const scalay_layout *layout, int rank)
{
    const int64_t size = scalay_layout_local_size(layout, rank);
    double *a = malloc(((size_t)size + 1) * sizeof *a);
    if (a == NULL) timing_must(SCALAY_ERROR_MEMORY);
    for (int64_t k = 0; k < size; k++) a[k] = (double)((k * 7919 + rank) % 1000) * 1e-3 - 0.5;
    return a;
}

#endif
