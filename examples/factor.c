/*
 * LU and Cholesky in one call. The matrix lies in blocks of 1, in which p?getrf is slow. ScaLAY moves it if that pays,
 * and returns what p?getrf and p?potrf return: factors, pivots and info in the layout of the matrix.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <scalay/scalay.h>

enum { N = 48 };

/* A = 50 I + (1 / (1 + |i - j|)). */
static double *fill(const scalay_layout *layout, int rank)
{
    double *a = calloc((size_t)scalay_layout_local_size(layout, rank) + 1, sizeof *a);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                a[r.offset + i + j * r.ld] =
                    1.0 / (1.0 + (double)llabs(r.row + i - r.col - j)) + (r.row + i == r.col + j ? 50.0 : 0.0);
    }
    return a;
}

/* The logarithm of the determinant is the sum over the diagonal of U, or twice that of L of Cholesky. */
static double log_of_diagonal(const scalay_layout *layout, int rank, const double *a)
{
    double mine = 0.0, all = 0.0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            if (r.col + j >= r.row && r.col + j < r.row + r.rows)
                mine += log(fabs(a[r.offset + r.col + j - r.row + j * r.ld]));
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int factor(scalay_comm *comm, const scalay_layout *layout)
{
    const int rank = scalay_comm_rank(comm);
    double *a = fill(layout, rank), *b = fill(layout, rank);
    int *ipiv = calloc((size_t)scalay_ipiv_size(layout, rank) + 1, sizeof *ipiv), info[2] = {-1, -1};
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_one_call_statistics s = {0};
    options.placement = SCALAY_PLACEMENT_MOVE;
    int fine = scalay_pdgetrf(comm, layout, &options, a, ipiv, &info[0], &s) == SCALAY_SUCCESS &&
               scalay_pdpotrf(comm, SCALAY_LOWER, layout, NULL, b, &info[1], NULL) == SCALAY_SUCCESS;
    const double by_lu = log_of_diagonal(layout, rank, a), by_cholesky = 2.0 * log_of_diagonal(layout, rank, b);
    if (fine && rank == 0)
        printf("LU on a %d x %d grid, blocks of %d; log(det A) = %.12g and %.12g\n", s.nprow, s.npcol, s.nb, by_lu,
               by_cholesky);
    free(ipiv);
    free(b);
    free(a);
    return fine && info[0] == 0 && info[1] == 0 && fabs(by_lu - by_cholesky) < 1e-9;
}

/* All types, on a 1 x 1 matrix of rank 0. */
static int other_types(scalay_comm *comm)
{
    scalay_layout *layout = NULL;
    float s[2] = {4.0f, 4.0f}, c[2] = {4.0f, 0.0f}, c_again[2] = {4.0f, 0.0f};
    double z[2] = {4.0, 0.0}, z_again[2] = {4.0, 0.0};
    int ipiv[2], info = 0;
    int fine = scalay_layout_block_cyclic(1, 1, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &layout) == SCALAY_SUCCESS &&
               scalay_psgetrf(comm, layout, NULL, &s[0], ipiv, &info, NULL) == SCALAY_SUCCESS &&
               scalay_pspotrf(comm, SCALAY_UPPER, layout, NULL, &s[1], &info, NULL) == SCALAY_SUCCESS &&
               scalay_pcgetrf(comm, layout, NULL, c, ipiv, &info, NULL) == SCALAY_SUCCESS &&
               scalay_pcpotrf(comm, SCALAY_UPPER, layout, NULL, c_again, &info, NULL) == SCALAY_SUCCESS &&
               scalay_pzgetrf(comm, layout, NULL, z, ipiv, &info, NULL) == SCALAY_SUCCESS &&
               scalay_pzpotrf(comm, SCALAY_UPPER, layout, NULL, z_again, &info, NULL) == SCALAY_SUCCESS;
    fine = fine && scalay_tau_size(layout, 0) == 1;
    scalay_layout_destroy(&layout);
    return fine && (scalay_comm_rank(comm) != 0 || (ipiv[0] == 1 && z_again[0] == 2.0));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    int fine = scalay_comm_create(MPI_COMM_WORLD, &comm) == SCALAY_SUCCESS &&
               scalay_layout_block_cyclic(N, N, 1, 1, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &layout) ==
                   SCALAY_SUCCESS &&
               factor(comm, layout) && other_types(comm);
    if (!fine) puts(scalay_error_message());
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
