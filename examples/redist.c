/* Redistribution step by step. A matrix in small blocks on a P x 1 grid moves to a layout in which a factorisation is
   fast. ScaLAPACK factors it there unchanged, and the result moves back. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/redist.h"

void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *tau,
              double *work, const int *lwork, int *info);

enum { M = 300, N = 200, WORK = 100000 };

static double value(int64_t i, int64_t j)
{
    return cos((double)(i * 7 + j * 3)) + (i == j ? 10.0 : 0.0);
}

static void fill(const scalay_layout *layout, int rank, double *local)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) local[r.offset + j * r.ld + i] = value(r.row + i, r.col + j);
    }
}

/* The Frobenius norm of the matrix, or of its upper triangle only. */
static double norm(const scalay_layout *layout, int rank, const double *local, int upper)
{
    double sum = 0.0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                if (!upper || r.row + i <= r.col + j) sum += pow(local[r.offset + j * r.ld + i], 2.0);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sum);
}

/* The objects of the redistribution. */
typedef struct {
    scalay_comm *comm;
    scalay_layout *source, *target, *placed;
    scalay_mapping *mapping;
    scalay_plan *plan;
    int ctxt, desc[9];
} job;

/* Creates the source and the target layout, the mapping, the BLACS context and the plan. */
static scalay_status prepare(job *x, const char *transport)
{
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int q = size % 2 == 0 ? 2 : 1;
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = transport;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &x->comm);
    if (status == SCALAY_SUCCESS)
        status = scalay_layout_block_cyclic(M, N, 3, 3, size, 1, 0, 0, SCALAY_ROW_MAJOR, &x->source);
    if (status == SCALAY_SUCCESS)
        status = scalay_layout_block_cyclic(M, N, 32, 32, size / q, q, 0, 0, SCALAY_ROW_MAJOR, &x->target);
    if (status == SCALAY_SUCCESS)
        status = scalay_mapping_create(x->source, x->target, SCALAY_MIN_STEPS_THEN_VOLUME, NULL, &x->mapping);
    if (status == SCALAY_SUCCESS) status = scalay_mapping_apply(x->mapping, x->target, &x->placed);
    if (status == SCALAY_SUCCESS) status = scalay_grid_create(x->comm, x->target, x->mapping, &x->ctxt, x->desc);
    if (status == SCALAY_SUCCESS)
        status = scalay_plan_create(x->comm, x->source, x->target, x->mapping, SCALAY_DOUBLE, &options, &x->plan);
    return status;
}

static void finish(job *x)
{
    scalay_plan_destroy(&x->plan);
    if (x->comm != NULL) (void)scalay_grid_release(x->comm, &x->ctxt);
    scalay_mapping_destroy(&x->mapping);
    scalay_layout_destroy(&x->placed);
    scalay_layout_destroy(&x->target);
    scalay_layout_destroy(&x->source);
    scalay_comm_destroy(&x->comm);
}

static void report(const job *x)
{
    char text[400];
    scalay_plan_statistics moved;
    if (scalay_comm_rank(x->comm) != 0 || scalay_plan_get_statistics(x->plan, &moved) != SCALAY_SUCCESS) return;
    (void)scalay_plan_describe(x->plan, text, sizeof text);
    printf("transports: auto");
    for (int k = 0; scalay_transport_name(k) != NULL; k++) printf(", %s", scalay_transport_name(k));
    printf("\n%s\n%lld of %d elements change process in %lld one-port steps\n", text, (long long)moved.volume, M * N,
           (long long)moved.steps);
}

/* Calls ScaLAPACK on the ranks of the grid. */
static int factor(const job *x, double *b)
{
    const int m = M, n = N, one = 1, lwork = WORK;
    int info = 0;
    double *tau = calloc(N, sizeof *tau), *work = calloc(WORK, sizeof *work);
    if (x->ctxt >= 0) pdgeqrf_(&m, &n, b, &one, &one, x->desc, tau, work, &lwork, &info);
    free(tau);
    free(work);
    return info == 0;
}

/* Moves, factors, and moves back. The move back has two calls, so that a program can compute between them. R has the
   norm of A. */
static int run(const job *x)
{
    const int rank = scalay_comm_rank(x->comm);
    double *a = calloc((size_t)scalay_layout_local_size(x->source, rank) + 1, sizeof *a);
    double *b = calloc((size_t)scalay_layout_local_size(x->placed, rank) + 1, sizeof *b);
    fill(x->source, rank, a);
    const double before = norm(x->source, rank, a, 0);
    int ok = scalay_plan_execute(x->plan, a, b) == SCALAY_SUCCESS && factor(x, b);
    ok = ok && scalay_plan_begin_back(x->plan, b, a) == SCALAY_SUCCESS && scalay_plan_end(x->plan) == SCALAY_SUCCESS;
    const double after = norm(x->source, rank, a, 1);
    if (rank == 0) printf("norm of A %.12g, norm of R %.12g\n", before, after);
    /* a plan can be executed any number of times */
    ok = ok && scalay_plan_begin(x->plan, a, b) == SCALAY_SUCCESS && scalay_plan_end(x->plan) == SCALAY_SUCCESS &&
         scalay_plan_execute_back(x->plan, b, a) == SCALAY_SUCCESS;
    free(a);
    free(b);
    return ok && fabs(after - before) < 1e-10 * before;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    job x = {.ctxt = -1};
    int done = 0;
    if (prepare(&x, argc > 1 ? argv[1] : "auto") == SCALAY_SUCCESS) {
        report(&x);
        done = run(&x);
    }
    if (!done) fprintf(stderr, "%s\n", scalay_error_message());
    finish(&x);
    MPI_Finalize();
    return done ? 0 : 1;
}
