/* A program as a user has it: a matrix in 3 x 2 blocks goes to 2 x 4 blocks on the grid that costs least, and
 * ScaLAPACK finds its greatest element there. */
#include <math.h>
#include <mpi.h>
#include <scalay/scalay.h>
#include <stdio.h>
#include <stdlib.h>

double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia, const int *ja,
                const int *desca, double *work);

enum { M = 37, N = 23 };

static double value(int64_t i, int64_t j)
{
    return (double)(i * N + j) + 1;
}

static void fill(const scalay_layout *layout, int rank, double *a)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) exit(2);
        for (int64_t j = 0; j < r.cols; j++) {
            for (int64_t i = 0; i < r.rows; i++) a[r.offset + j * r.ld + i] = value(r.row + i, r.col + j);
        }
    }
}

/* The greatest element according to ScaLAPACK; 0 on ranks outside the grid. */
static double greatest(int ctxt, const int *desc, const double *b)
{
    const int m = M, n = N, one = 1;
    double work = 0;
    return ctxt < 0 ? 0 : pdlange_("M", &m, &n, b, &one, &one, desc, &work);
}

static scalay_status run(scalay_comm *comm, double *found)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_mapping *mapping = NULL;
    scalay_plan *plan = NULL;
    int ctxt = -1, desc[9], rank = scalay_comm_rank(comm);
    double *a = calloc(M * N, sizeof *a), *b = calloc(M * N, sizeof *b);
    scalay_status status = a != NULL && b != NULL ? SCALAY_SUCCESS : SCALAY_ERROR_MEMORY;
    if (!status) status = scalay_layout_block_cyclic(M, N, 3, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &source);
    if (!status) status = scalay_layout_block_cyclic(M, N, 2, 4, 2, 2, 1, 0, SCALAY_COLUMN_MAJOR, &target);
    if (!status) status = scalay_mapping_create(source, target, SCALAY_MIN_VOLUME, NULL, &mapping);
    if (!status) status = scalay_plan_create(comm, source, target, mapping, SCALAY_DOUBLE, NULL, &plan);
    if (!status) status = scalay_grid_create(comm, target, mapping, &ctxt, desc);
    if (!status) {
        fill(source, rank, a);
        status = scalay_plan_execute(plan, a, b);
    }
    if (!status) *found = greatest(ctxt, desc, b);
    scalay_grid_release(comm, &ctxt);
    scalay_plan_destroy(&plan);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&source);
    free(a);
    free(b);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    double found = 0, all = 0;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &comm);
    if (!status) status = run(comm, &found);
    if (status) fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    scalay_comm_destroy(&comm);
    MPI_Allreduce(&found, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return status == SCALAY_SUCCESS && fabs(all - value(M - 1, N - 1)) == 0 ? 0 : 1;
}
