/* Redistribution, the transports beside ScaLAPACK's p?gemr2d and a memcpy of the local matrix that all ranks make at
   the same time. Every round runs each of them once; medians over the rounds; the time of a run is that of the slowest
   rank. Usage: mpirun -n P bench_redist [N [ROUNDS]] */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/blacs.h"
#include "core/comm.h"
#include "core/memory.h"
#include "scalay/redist.h"

void Cpdgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);

enum { CONTENDERS = 4, MAX_ROUNDS = 101 };

static const char *const contenders[CONTENDERS] = {"memcpy", "pdgemr2d", "mpi", "blacs"};

/* One end of a case: a grid of p rows and blocks; p = 0: as square as the ranks allow, rather tall than wide; p = -1:
   the same, wide. */
typedef struct {
    int p, block;
    scalay_order order;
    int first; /* where the window starts */
} end_spec;

typedef struct {
    const char *name;
    end_spec from, to;
} case_spec;

/* The cases that COSTA and ScaLAPACK were measured with. */
static const case_spec cases[] = {
    {"nb 32 -> 128", {0, 32, SCALAY_ROW_MAJOR, 0}, {0, 128, SCALAY_ROW_MAJOR, 0}},
    {"p x q -> q x p", {0, 64, SCALAY_ROW_MAJOR, 0}, {-1, 64, SCALAY_ROW_MAJOR, 0}},
    {"p x q -> 1 x P", {0, 64, SCALAY_ROW_MAJOR, 0}, {1, 64, SCALAY_ROW_MAJOR, 0}},
    {"submatrix", {0, 64, SCALAY_ROW_MAJOR, 37}, {0, 64, SCALAY_ROW_MAJOR, 5}},
    {"nb 4 -> 64", {0, 4, SCALAY_ROW_MAJOR, 0}, {0, 64, SCALAY_ROW_MAJOR, 0}},
    {"nb 1 -> 64", {0, 1, SCALAY_ROW_MAJOR, 0}, {0, 64, SCALAY_ROW_MAJOR, 0}},
    {"row -> column order", {0, 64, SCALAY_ROW_MAJOR, 0}, {0, 64, SCALAY_COLUMN_MAJOR, 0}},
    {"identical", {0, 64, SCALAY_ROW_MAJOR, 0}, {0, 64, SCALAY_ROW_MAJOR, 0}},
};

/* A matrix at one end, as ScaLAPACK has it and as a layout. */
typedef struct {
    int ctxt, desc[9], first;
    scalay_layout *layout;
    double *local;
    int64_t elements;
} matrix;

typedef struct {
    scalay_comm *comm;
    int n;
    matrix a, b;
    int all; /* context of every rank */
    scalay_plan *plans[CONTENDERS];
    double plan_seconds;
} arena;

/* ------------------------------------------------------------------------------------------------ set-up */

/* The larger divisor of the most square grid. */
static int tall(int size)
{
    int p = 1;
    for (int k = 1; k * k <= size; k++)
        if (size % k == 0) p = k;
    return size / p;
}

static scalay_status make_matrix(scalay_comm *comm, int n, const end_spec *spec, matrix *x)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *whole = NULL;
    const int most = tall(comm->size);
    const int p = spec->p == 0 ? most : spec->p < 0 ? comm->size / most : spec->p, q = comm->size / p;
    const int extent = n + spec->first;
    x->first = spec->first;
    SCALAY_TRY(scalay_layout_block_cyclic(extent, extent, spec->block, spec->block, p, q, 0, 0, spec->order, &whole));
    SCALAY_TRY(scalay_grid_create(comm, whole, NULL, &x->ctxt, x->desc));
    SCALAY_TRY(scalay_layout_submatrix(whole, spec->first, spec->first, n, n, &x->layout));
    x->elements = scalay_layout_local_size(whole, comm->rank);
    SCALAY_TRY(SCALAY_NEW(x->local, x->elements + 1));
    for (int64_t k = 0; k < x->elements; k++) x->local[k] = (double)k;
cleanup:
    scalay_layout_destroy(&whole);
    return status;
}

static void free_matrix(scalay_comm *comm, matrix *x)
{
    (void)scalay_grid_release(comm, &x->ctxt);
    scalay_layout_destroy(&x->layout);
    scalay_release(x->local);
}

static scalay_status set_up(arena *s, const case_spec *spec)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(make_matrix(s->comm, s->n, &spec->from, &s->a));
    SCALAY_TRY(make_matrix(s->comm, s->n, &spec->to, &s->b));
    SCALAY_TRY(scalay_grid_acquire(s->comm, 1, s->comm->size, NULL, &s->all));
    for (int k = 2; k < CONTENDERS; k++) {
        const scalay_plan_options options = {.transport = contenders[k]};
        const double start = MPI_Wtime();
        SCALAY_TRY(scalay_plan_create(s->comm, s->a.layout, s->b.layout, NULL, SCALAY_DOUBLE, &options, &s->plans[k]));
        if (k == 2) s->plan_seconds = MPI_Wtime() - start;
    }
cleanup:
    return status;
}

static void tear_down(arena *s)
{
    for (int k = 2; k < CONTENDERS; k++) scalay_plan_destroy(&s->plans[k]);
    (void)scalay_grid_release(s->comm, &s->all);
    free_matrix(s->comm, &s->a);
    free_matrix(s->comm, &s->b);
}

/* --------------------------------------------------------------------------------------------------- runs */

static scalay_status move(arena *s, int contender)
{
    if (contender == 0) {
        const int64_t count = s->a.elements < s->b.elements ? s->a.elements : s->b.elements;
        memcpy(s->b.local, s->a.local, (size_t)count * sizeof *s->b.local);
        return SCALAY_SUCCESS;
    }
    if (contender == 1) {
        Cpdgemr2d(s->n, s->n, s->a.local, s->a.first + 1, s->a.first + 1, s->a.desc, s->b.local, s->b.first + 1,
                  s->b.first + 1, s->b.desc, s->all);
        return SCALAY_SUCCESS;
    }
    return scalay_plan_execute(s->plans[contender], s->a.local, s->b.local);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static scalay_status measure(arena *s, int rounds, double *median)
{
    scalay_status status = SCALAY_SUCCESS;
    double seconds[CONTENDERS][MAX_ROUNDS];
    for (int round = -1; round < rounds; round++) /* round -1 warms up */
        for (int k = 0; k < CONTENDERS; k++) {
            SCALAY_TRY_MPI(MPI_Barrier(s->comm->mpi));
            double times[2] = {-MPI_Wtime(),
                               0.0}; /* the maximum over the ranks is minus the first start, the last end */
            SCALAY_TRY(move(s, k));
            times[1] = MPI_Wtime();
            SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, s->comm->mpi));
            if (round >= 0) seconds[k][round] = times[1] + times[0];
        }
    for (int k = 0; k < CONTENDERS; k++) {
        qsort(seconds[k], (size_t)rounds, sizeof(double), compare_doubles);
        median[k] = seconds[k][rounds / 2];
    }
cleanup:
    return status;
}

/* The buffers of the rank that needs most, in percent of its local matrices. */
static double buffer_share(const arena *s)
{
    scalay_plan_statistics statistics = {0};
    const double local = 8.0 * (double)(s->a.elements + s->b.elements + 1);
    (void)scalay_plan_get_statistics(s->plans[2], &statistics);
    double most = 100.0 * (double)statistics.extra_bytes / local;
    (void)MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    return most;
}

static void print_row(const arena *s, const case_spec *spec, const double *median, double buffers)
{
    const double bytes = 8.0 * s->n * s->n;
    printf("%-20s %9.2f %9.2f %9.1f %9.1f %9.1f %12.1f %12.1f %10.3f %9.0f\n", spec->name, bytes / median[0] * 1e-9,
           bytes / median[2] * 1e-9, median[1] / median[0], median[2] / median[0], median[3] / median[0],
           median[1] / median[2], median[1] / median[3], s->plan_seconds * 1e3, buffers);
    fflush(stdout);
}

static scalay_status run(scalay_comm *comm, int n, int rounds)
{
    scalay_status status = SCALAY_SUCCESS;
    if (comm->rank == 0)
        printf("%d x %d doubles, %d processes, medians of %d rounds\n"
               "%-20s %9s %9s %29s %25s %10s %9s\n%-20s %9s %9s %9s %9s %9s %12s %12s %10s %9s\n",
               n, n, comm->size, rounds, "", "memcpy", "mpi", "multiples of memcpy", "times faster than stock", "plan",
               "buffers", "case", "GB/s", "GB/s", "pdgemr2d", "mpi", "blacs", "mpi", "blacs", "ms", "% local");
    for (size_t k = 0; k < sizeof cases / sizeof *cases && status == SCALAY_SUCCESS; k++) {
        arena s = {.comm = comm, .n = n, .a.ctxt = -1, .b.ctxt = -1, .all = -1};
        double median[CONTENDERS];
        status = set_up(&s, &cases[k]);
        if (status == SCALAY_SUCCESS) status = measure(&s, rounds, median);
        const double buffers = status == SCALAY_SUCCESS ? buffer_share(&s) : 0.0;
        if (status == SCALAY_SUCCESS && comm->rank == 0) print_row(&s, &cases[k], median, buffers);
        tear_down(&s);
    }
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    const int n = argc > 1 ? atoi(argv[1]) : 2048;
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    if (rounds < 1 || rounds > MAX_ROUNDS) rounds = MAX_ROUNDS;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &comm);
    if (status == SCALAY_SUCCESS) status = run(comm, n, rounds);
    if (status != SCALAY_SUCCESS) fprintf(stderr, "%s\n", scalay_error_message());
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return status == SCALAY_SUCCESS ? 0 : 1;
}
