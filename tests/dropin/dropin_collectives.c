/* Number of collective calls of MPI in one call of pdgemr2d: when its plan is kept, for a new shape, in a new context,
   and with the settings SCALAY_SCALAPACK and SCALAY_SCALAPACK_TRANSPORT. The first argument names the setting. */
#include <stdio.h>

#include "calls.h"
#include "collectives.h"
#include "dropin/plan_cache.h"
#include "support/check.h"
#include "support/process.h"

enum { LARGE = 200, SMALL = 8, SHAPES = 32 };

static double *a, *b;
static int ranks[64], reversed[64];

typedef void routine(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca,
                     double *b, const int *ib, const int *jb, const int *descb, const int *ctxt);

/* Moves n x n from blocks of 3 on one grid to blocks of 5 on another. Returns the number of collective calls. */
static int count(routine *move, int n, const grid *from, const grid *to, int ctxt)
{
    const int one = 1, before = collectives, desca[DLEN_] = {1, from->ctxt, n, n, 3, 3, 0, 0, n},
              descb[DLEN_] = {1, to->ctxt, n, n, 5, 5, 0, 0, n};
    move(&n, &n, a, &one, &one, desca, b, &one, &one, descb, &ctxt);
    return collectives - before;
}

/* The default. ScaLAPACK's own routine, to which small first calls are left, makes no collective call of MPI. */
static void calls_need_few_collectives(int size)
{
    grid row = make_grid(1, size, ranks), column = make_grid(size, 1, ranks);
    CHECK(count(pdgemr2d_, SMALL, &row, &column, row.ctxt) == 1); /* left to ScaLAPACK */
    CHECK(scalay_comms_live() == 0);
    CHECK(count(pdgemr2d_, LARGE, &row, &column, row.ctxt) <= 8); /* new processes */
    CHECK(scalay_comms_live() == 1);
    CHECK(count(pdgemr2d_, LARGE, &row, &column, row.ctxt) == 1); /* kept */
    CHECK(count(pdgemr2d_, LARGE + 1, &row, &column, row.ctxt) <= 3);
    CHECK(count(pdgemr2d_, SMALL, &row, &column, row.ctxt) <= 3); /* for the second time */
    CHECK(count(pdgemr2d_, SMALL, &row, &column, row.ctxt) == 1);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < SHAPES; k++)
            CHECK(count(pdgemr2d_, LARGE + k, &row, &column, row.ctxt) <= (pass == 0 ? 3 : 1));
    /* another context over the same processes in the same order uses the same plans */
    grid again = make_grid(1, size, ranks);
    CHECK(count(pdgemr2d_, LARGE + 1, &again, &column, again.ctxt) == 1);
    CHECK(scalay_comms_live() == 1);
    /* and a small shape that was left to ScaLAPACK in one gets a plan in the next */
    CHECK(count(pdgemr2d_, SMALL + 1, &again, &column, again.ctxt) == 1);
    grid third = make_grid(1, size, ranks);
    const int planned = count(pdgemr2d_, SMALL + 1, &third, &column, third.ctxt);
    CHECK(planned > 1 && planned <= 3);
    CHECK(count(pdgemr2d_, SMALL + 1, &again, &column, again.ctxt) == 1);
    free_grid(&third);
    free_grid(&row);
    CHECK(count(pdgemr2d_, LARGE + 2, &again, &again, column.ctxt) <= 3);
    free_grid(&again);
    free_grid(&column);
}

/* Processes outside of a grid do not know its matrix: one collective call more, at most 3 together. */
static void idle_processes_need_few_collectives(int size)
{
    grid all = make_grid(1, size, ranks), one = make_grid(1, 1, ranks);
    CHECK(count(pdgemr2d_, LARGE + 50, &all, &one, all.ctxt) <= 3);
    CHECK(count(pdgemr2d_, LARGE + 50, &all, &one, all.ctxt) == 1);
    free_grid(&one);
    free_grid(&all);
}

/* Two contexts, left in opposite order on odd ranks. */
static void contexts_may_be_left_in_any_order(int size)
{
    for (int k = 0; k < 10; k++) {
        grid first = make_grid(1, size, ranks), second = make_grid(1, size, k % 2 ? ranks : reversed);
        (void)count(pdgemr2d_, LARGE, &first, &first, first.ctxt);
        (void)count(pdgemr2d_, LARGE, &second, &second, second.ctxt);
        MPI_Barrier(MPI_COMM_WORLD);
        free_grid(check_rank() % 2 ? &first : &second);
        free_grid(check_rank() % 2 ? &second : &first);
    }
    CHECK(scalay_comms_live() <= 2);
}

/* A context for each call, over the processes in all rotations of their order: nothing grows. */
static void many_contexts_do_not_grow(int size, int contexts)
{
    int64_t half = 0;
    for (int k = 0; k < contexts; k++) {
        int rotated[64];
        for (int r = 0; r < size; r++) rotated[r] = (r + k) % size;
        grid one = make_grid(1, size, rotated);
        CHECK(count(pdgemr2d_, LARGE, &one, &one, one.ctxt) <= 8);
        free_grid(&one);
        if (k == contexts / 2) half = resident_bytes();
    }
    CHECK(scalay_comms_live() <= 6);
    CHECK(resident_bytes() <= half + (1 << 20));
    if (check_rank() == 0)
        printf("%d contexts; resident memory grew by %lld bytes in the second half\n", contexts,
               (long long)(resident_bytes() - half));
}

static void settings_apply(const char *setting, int size)
{
    grid row = make_grid(1, size, ranks), column = make_grid(size, 1, ranks);
    const int off = strcmp(setting, "off") == 0, list = strcmp(setting, "pdgemr2d,pdtran") == 0;
    (void)setenv(strcmp(setting, "mpi") == 0 ? "SCALAY_SCALAPACK_TRANSPORT" : "SCALAY_SCALAPACK", setting, 1);
    (void)count(pdgemr2d_, LARGE, &row, &column, row.ctxt);
    CHECK(scalay_comms_live() == !off);
    if (!off) CHECK((messages > 0) == (strcmp(setting, "mpi") == 0));
    if (list) { /* the other routines are ScaLAPACK's */
        const int before = collectives, one = 1, n = LARGE, desc[DLEN_] = {1, row.ctxt, n, n, 3, 3, 0, 0, n};
        pdtrmr2d_("U", "N", &n, &n, a, &one, &one, desc, b, &one, &one, desc, &row.ctxt);
        CHECK(collectives == before);
    }
    (void)count(scalay_pdgemr2d_, LARGE, &row, &column, row.ctxt); /* never ScaLAPACK's */
    CHECK(scalay_comms_live() == 1);
    free_grid(&row);
    free_grid(&column);
}

int main(int argc, char **argv)
{
    int size = 0, world = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < size; k++) ranks[k] = k, reversed[k] = size - 1 - k;
    Cblacs_get(0, 0, &world);
    a = calloc(400 * 400, sizeof *a);
    b = calloc(400 * 400, sizeof *b);
    if (argc > 1 && atoi(argv[1]) > 0) {
        many_contexts_do_not_grow(size, atoi(argv[1]));
    } else if (argc > 1) {
        settings_apply(argv[1], size);
    } else {
        calls_need_few_collectives(size);
        idle_processes_need_few_collectives(size);
        contexts_may_be_left_in_any_order(size);
    }
    free(a);
    free(b);
    scalay_plan_caches_release();
    return check_verdict();
}
