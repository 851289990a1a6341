/*
 * C := A B on processes of different speeds. Each of the two slow processes has a square corner of C, the fast process
 * has the rest. This shape is not a grid. The number of elements sent is known beforehand.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/scalay.h"

enum { N = 240 };

/* The layout of all three matrices, for speeds 1 : 0.15 : 0.05. Other ranks have no part. */
static scalay_layout *uneven(int ranks)
{
    static const double speeds[] = {1.0, 0.15, 0.05};
    scalay_partition *partition = NULL;
    scalay_layout *layout = NULL;
    if (scalay_partition_create(N, N, ranks < 3 ? ranks : 3, speeds, NULL, &partition) != SCALAY_SUCCESS ||
        scalay_layout_from_owner_map(scalay_partition_map(partition), &layout) != SCALAY_SUCCESS)
        puts(scalay_error_message());
    scalay_partition_destroy(&partition);
    return layout;
}

/* Sets element (i, j) to f(i, j), or compares with it. Returns the largest difference. */
static double each(const scalay_layout *layout, int rank, double (*f)(int64_t i, int64_t j), double *a, int compares)
{
    double worst = 0.0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) return 1.0;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &a[r.offset + i + j * r.ld];
                const double difference = *element - f(r.row + i, r.col + j);
                if (!compares)
                    *element = f(r.row + i, r.col + j);
                else if (difference * difference > worst * worst)
                    worst = difference;
            }
    }
    return worst;
}

/* A[i][k] = i + 1 and B[k][j] = j, so (A B)[i][j] = N (i + 1) j. Computes 2 A B. */
static double value_of_a(int64_t i, int64_t j)
{
    (void)j;
    return (double)(i + 1);
}

static double value_of_b(int64_t i, int64_t j)
{
    (void)i;
    return (double)j;
}

static double value_of_c(int64_t i, int64_t j)
{
    return 2.0 * N * (double)(i + 1) * (double)j;
}

static void report(const scalay_summa *summa, int rank)
{
    char text[512];
    scalay_summa_statistics s;
    if (scalay_summa_get_statistics(summa, &s) != SCALAY_SUCCESS) return;
    (void)scalay_summa_describe(summa, text, sizeof text);
    printf("rank %d received %lld elements of %lld. %s\n", rank, (long long)s.elements_received, (long long)s.volume,
           text);
}

static int multiply(scalay_comm *comm, const scalay_layout *layout)
{
    const int rank = scalay_comm_rank(comm);
    const size_t size = (size_t)scalay_layout_local_size(layout, rank) + 1;
    const double alpha = 2.0, beta = 0.0;
    double *a = calloc(size, sizeof *a), *b = calloc(size, sizeof *b), *c = calloc(size, sizeof *c);
    scalay_summa *summa = NULL;
    scalay_summa_options options = scalay_summa_options_default();
    options.memory_bytes = 1000000; /* limit on the memory of panels, in bytes */
    (void)each(layout, rank, value_of_a, a, 0);
    (void)each(layout, rank, value_of_b, b, 0);
    int fine = scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, layout,
                                   layout, &options, &summa) == SCALAY_SUCCESS &&
               scalay_summa_execute(summa, &alpha, a, b, &beta, c) == SCALAY_SUCCESS;
    if (fine) report(summa, rank);
    scalay_summa_destroy(&summa);
    fine = fine && each(layout, rank, value_of_c, c, 1) == 0.0;
    free(c);
    free(b);
    free(a);
    return fine;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    scalay_layout *layout = uneven(scalay_comm_size(comm));
    const int fine = multiply(comm, layout);
    if (!fine) puts(scalay_error_message());
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
