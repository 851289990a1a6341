/*
 * LU on processes of unequal speeds, then a solve by p?getrs. The matrix is block-cyclic, as ScaLAPACK has it. The
 * factorisation is planned once, on a 1D-1D map for the speeds, and executed for each matrix. Factors and pivots are
 * returned in the caller's descriptor.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <scalay/scalay.h>

enum { N = 200, NB = 16, SOLVES = 2 };

void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia, const int *ja,
              const int *desca, const int *ipiv, double *b, const int *ib, const int *jb, const int *descb, int *info);

static double element(int64_t i, int64_t j, int solve)
{
    return cos((double)(i * j + i + solve)) + (i == j ? 3 : 0);
}

/* A, or the sums of its rows as right-hand side: then the solution is all ones. */
static void fill(const scalay_layout *layout, int rank, int solve, int is_right, double *a)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double sum = 0;
                for (int64_t c = 0; is_right && c < N; c++) sum += element(r.row + i, c, solve);
                a[r.offset + i + j * r.ld] = is_right ? sum : element(r.row + i, r.col + j, solve);
            }
    }
}

static double error_of(const scalay_layout *layout, int rank, const double *x)
{
    double mine = 0, all = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t i = 0; i < r.rows; i++) mine = fmax(mine, fabs(x[r.offset + i] - 1));
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL, *right = NULL;
    scalay_factor *factor = NULL;
    scalay_factor_statistics statistics;
    const int one = 1, n = N;
    int ctxt = -1, rank, size, desc[9] = {0}, desc_b[9] = {0}, info = -1, is_correct = 0;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
    rank = scalay_comm_rank(comm);
    size = scalay_comm_size(comm);

    /* A and b, block-cyclic on one process column */
    int is_good =
        scalay_layout_block_cyclic(N, N, NB, NB, size, 1, 0, 0, SCALAY_ROW_MAJOR, &layout) == SCALAY_SUCCESS &&
        scalay_layout_block_cyclic(N, 1, NB, NB, size, 1, 0, 0, SCALAY_ROW_MAJOR, &right) == SCALAY_SUCCESS &&
        scalay_grid_acquire(comm, size, 1, NULL, &ctxt) == SCALAY_SUCCESS;
    const int rows = (int)(scalay_layout_local_size(right, rank) > 0 ? scalay_layout_local_size(right, rank) : 1);
    const int descriptor[9] = {1, ctxt, N, N, NB, NB, 0, 0, rows},
              descriptor_b[9] = {1, ctxt, N, 1, NB, NB, 0, 0, rows};
    for (int k = 0; k < 9; k++) {
        desc[k] = descriptor[k];
        desc_b[k] = descriptor_b[k];
    }

    /* the first process is twice as fast as the others */
    double *speeds = malloc((size_t)size * sizeof *speeds);
    for (int p = 0; p < size; p++) speeds[p] = p == 0 ? 1 : 0.5;
    scalay_factor_options options = scalay_factor_options_default();
    options.speeds = speeds;
    options.placement = SCALAY_PLACEMENT_MOVE;
    is_good = is_good &&
              scalay_factor_create(comm, SCALAY_FACTOR_LU, layout, SCALAY_DOUBLE, &options, &factor) == SCALAY_SUCCESS;

    double *a = calloc((size_t)scalay_layout_local_size(layout, rank) + 1, sizeof *a), *x = calloc(N + 1, sizeof *x);
    int *ipiv = calloc((size_t)scalay_ipiv_size(layout, rank) + 1, sizeof *ipiv), *all = calloc(N, sizeof *all);
    for (int solve = 0; is_good && solve < SOLVES; solve++) {
        fill(layout, rank, solve, 0, a);
        fill(right, rank, solve, 1, x);
        is_good = scalay_factor_execute(factor, a, &info) == SCALAY_SUCCESS && info == 0 &&
                  scalay_factor_get_local_vector(factor, ipiv) == SCALAY_SUCCESS &&
                  scalay_factor_get_vector(factor, all) == SCALAY_SUCCESS;
        if (is_good) pdgetrs_("N", &n, &one, a, &one, &one, desc, ipiv, x, &one, &one, desc_b, &info);
        const double error = error_of(right, rank, x);
        is_correct = is_good && info == 0 && error < 1e-9;
        if (rank == 0) printf("solve %d: first pivot is row %d, error %.1e\n", solve, all[0], error);
    }
    if (is_good && scalay_factor_get_statistics(factor, &statistics) == SCALAY_SUCCESS && rank == 0)
        printf("tiles of %d, trailing balance %.3f, %lld elements moved\n", statistics.nb, statistics.balance,
               (long long)statistics.volume);
    if (!is_good && rank == 0) fprintf(stderr, "%s\n", scalay_error_message());

    free(all);
    free(ipiv);
    free(x);
    free(a);
    free(speeds);
    scalay_factor_destroy(&factor);
    (void)scalay_grid_release(comm, &ctxt);
    scalay_layout_destroy(&right);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return is_correct ? 0 : 1;
}
