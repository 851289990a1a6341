/* Resident memory and time of plans that consume their source or move in place, beside ordinary plans and pdgemr2d.

   mpirun -n P bench_redist_memory [N] [NB OF TILES] [REPETITIONS]
   Defaults: 8000, 48, 5.

   Each run allocates both local arrays (in place: one) with mmap(), fills the source, and moves into a target that was
   not touched. The
   contenders alternate. Printed: medians of the time of the slowest process; the largest peak, in local matrices: what
   the process holds in source, target and buffers, with its share of shared memory, first executions included; and the
   ratio to the ordinary
   plan, as the median of the ratios of neighbouring runs. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "parallel/blacs.h"
#include "redist_memory.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/redist.h"

void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca, double *b,
               const int *ib, const int *jb, const int *descb, const int *ctxt);

enum { MAX_REPETITIONS = 50 };

typedef enum { ORDINARY, CONSUMING, IN_PLACE, SCALAPACK, CONTENDERS } contender;

static const char *const names[CONTENDERS] = {"ordinary plan", "consuming plan", "plan in place", "pdgemr2d"};

/* A pair of layouts. */
typedef struct {
    const char *name;
    scalay_layout *source, *target;
} pair;

static scalay_comm *comm;
static int size, rank;

static void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s\n", scalay_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --------------------------------------------------------------------------------------------------- layouts */

static scalay_layout *grid(int64_t n, int64_t nb, int p)
{
    scalay_layout *layout = NULL;
    must(scalay_layout_block_cyclic(n, n, nb, nb, p, size / p, 0, 0, SCALAY_ROW_MAJOR, &layout));
    return layout;
}

/* Tiles on pseudo-random processes. */
static scalay_layout *tiles(int64_t n, int64_t nb)
{
    const int64_t count = (n + nb - 1) / nb;
    scalay_layout *layout = NULL;
    int *owner = malloc((size_t)(count * count) * sizeof *owner);
    uint32_t state = 12345;
    for (int64_t k = 0; k < count * count; k++) {
        state = state * 1664525u + 1013904223u;
        owner[k] = (int)((state >> 16) % (uint32_t)size);
    }
    must(scalay_layout_tiles(n, n, nb, nb, size, owner, &layout));
    free(owner);
    return layout;
}

/* ----------------------------------------------------------------------------------------------------- a run */

static double *map_array(int64_t elements)
{
    void *array =
        mmap(NULL, (size_t)(elements + 1) * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (array == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
    return array;
}

static double value_at(int64_t i, int64_t j)
{
    return (double)i * 1e-5 + (double)j;
}

/* Fills the local array of a matrix, or counts its wrong elements. */
static int64_t visit(const scalay_layout *layout, double *local, int fills)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        must(scalay_layout_rectangle(layout, rank, k, &r));
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &local[r.offset + j * r.ld + i];
                if (fills) *element = value_at(r.row + i, r.col + j);
                wrong += *element != value_at(r.row + i, r.col + j);
            }
    }
    return wrong;
}

/* Time and peak of one execution. */
typedef struct {
    double seconds, bytes;
} cost;

typedef struct {
    scalay_plan *plans[3]; /* ordinary, consuming, in place */
    int has_descriptors;
    int source[DLEN_], target[DLEN_];
    int ctxt;
} movers;

static void move(const movers *all, contender who, int n, double *a, double *b)
{
    const int one = 1;
    if (who == ORDINARY) must(scalay_plan_execute(all->plans[0], a, b));
    if (who == CONSUMING) must(scalay_plan_execute_consume(all->plans[1], a, b));
    if (who == IN_PLACE) must(scalay_plan_execute(all->plans[2], a, b));
    if (who == SCALAPACK) pdgemr2d_(&n, &n, a, &one, &one, all->source, b, &one, &one, all->target, &all->ctxt);
}

static cost run(const pair *p, const movers *all, contender who, int n)
{
    const int64_t elements = scalay_layout_local_size(p->source, rank);
    const int64_t others = scalay_layout_local_size(p->target, rank);
    const memory_mark start = memory_start();
    const int64_t larger = elements > others ? elements : others;
    double *a = map_array(who == IN_PLACE ? larger : elements), *b = who == IN_PLACE ? a : map_array(others);
    (void)visit(p->source, a, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    cost c = {.seconds = MPI_Wtime()};
    move(all, who, n, a, b);
    c.seconds = MPI_Wtime() - c.seconds;
    c.bytes = memory_peak(MPI_COMM_WORLD, start);
    if (visit(p->target, b, 0) > 0) MPI_Abort(MPI_COMM_WORLD, 2);
    (void)munmap(a, (size_t)((who == IN_PLACE ? larger : elements) + 1) * sizeof(double));
    if (who != IN_PLACE) (void)munmap(b, (size_t)(others + 1) * sizeof(double));
    MPI_Allreduce(MPI_IN_PLACE, &c.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return c;
}

/* -------------------------------------------------------------------------------------------------- contenders */

static int compare(const void *left, const void *right)
{
    const double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static scalay_plan *plan_of(const pair *p, int consumes, int in_place)
{
    scalay_plan_options options = scalay_plan_options_default();
    scalay_plan *plan = NULL;
    options.consume = consumes;
    options.in_place = in_place;
    must(scalay_plan_create(comm, p->source, p->target, NULL, SCALAY_DOUBLE, &options, &plan));
    return plan;
}

/* Contexts for pdgemr2d, if both layouts are block-cyclic. */
static movers make_movers(const pair *p, int is_grid)
{
    movers all = {
        .plans = {plan_of(p, 0, 0), plan_of(p, 1, 0), plan_of(p, 0, 1)}, .has_descriptors = is_grid, .ctxt = -1};
    all.source[CTXT_] = all.target[CTXT_] = -1;
    if (!is_grid) return all;
    must(scalay_grid_create(comm, p->source, NULL, &all.source[CTXT_], all.source));
    must(scalay_grid_create(comm, p->target, NULL, &all.target[CTXT_], all.target));
    must(scalay_grid_acquire(comm, 1, size, NULL, &all.ctxt));
    return all;
}

static void free_movers(movers *all)
{
    for (int k = 0; k < 3; k++) scalay_plan_destroy(&all->plans[k]);
    must(scalay_grid_release(comm, &all->source[CTXT_]));
    must(scalay_grid_release(comm, &all->target[CTXT_]));
    must(scalay_grid_release(comm, &all->ctxt));
}

/* The largest number of bytes in a local matrix. */
static double local_bytes(const pair *p)
{
    const int64_t source = scalay_layout_local_size(p->source, rank),
                  target = scalay_layout_local_size(p->target, rank);
    double bytes = (double)(source > target ? source : target) * sizeof(double);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return bytes;
}

static void measure(pair *p, int is_grid, int n, int repetitions)
{
    double seconds[CONTENDERS][MAX_REPETITIONS], ratio[CONTENDERS][MAX_REPETITIONS], peak[CONTENDERS] = {0};
    must(scalay_comm_create(MPI_COMM_WORLD, &comm)); /* whose buffers are new */
    movers all = make_movers(p, is_grid);
    const double local = local_bytes(p);
    for (int k = -1; k < repetitions; k++)
        for (int turn = 0; turn < CONTENDERS - !is_grid; turn++) {
            const int who = k < 0 && turn < 2 ? 1 - turn : turn;
            const cost c = run(p, &all, (contender)who, n);
            if (c.bytes / local > peak[who]) peak[who] = c.bytes / local;
            if (k < 0) continue;
            seconds[who][k] = c.seconds;
            ratio[who][k] = c.seconds / seconds[ORDINARY][k];
        }
    for (int who = 0; who < CONTENDERS - !is_grid && rank == 0; who++)
        printf("%-26s %-15s %9.4f %9.2f %9.2f\n", who == 0 ? p->name : "", names[who],
               median(seconds[who], repetitions), median(ratio[who], repetitions), peak[who]);
    fflush(stdout);
    free_movers(&all);
    scalay_comm_destroy(&comm);
    scalay_layout_destroy(&p->source);
    scalay_layout_destroy(&p->target);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int n = argc > 1 ? atoi(argv[1]) : 8000, nb = argc > 2 ? atoi(argv[2]) : 48;
    const int wanted = argc > 3 ? atoi(argv[3]) : 5;
    const int repetitions = wanted < 1 ? 1 : wanted > MAX_REPETITIONS ? MAX_REPETITIONS : wanted;
    const int p = size % 2 == 0 ? 2 : 1;
    const int slab = (n + size - 1) / size;
    if (rank == 0)
        printf("n = %d, %d processes\n%-26s %-15s %9s %9s %9s\n", n, size, "", "", "seconds", "ratio", "peak");
    measure(&(pair){"nb 32 -> 128", grid(n, 32, p), grid(n, 128, p)}, 1, n, repetitions);
    measure(&(pair){"nb 32 -> 1 x P, nb 64", grid(n, 32, p), grid(n, 64, 1)}, 1, n, repetitions);
    measure(&(pair){"1 x P -> P x 1, nb 64", grid(n, 64, 1), grid(n, 64, size)}, 1, n, repetitions);
    measure(&(pair){"slabs -> nb 64", grid(n, slab, 1), grid(n, 64, p)}, 1, n, repetitions);
    measure(&(pair){"nb 64 -> slabs", grid(n, 64, p), grid(n, slab, 1)}, 1, n, repetitions);
    measure(&(pair){"tiles -> nb 64", tiles(n, nb), grid(n, 64, p)}, 0, n, repetitions);
    measure(&(pair){"nb 64 -> tiles", grid(n, 64, p), tiles(n, nb)}, 0, n, repetitions);
    MPI_Finalize();
    return 0;
}
