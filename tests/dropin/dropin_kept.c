/*
 * Copies of factors that are kept between solves (SCALAY_SCALAPACK_KEEP): a solve after any change of the factor uses
 * the changed factor, on one process or on all; what did not change is not moved again. Copies are freed with the
 * communicator of their processes, and not lost if a call that has taken one fails.
 *
 * dropin_kept on|off
 */
#include <malloc.h>
#include <stdio.h>

#include "dropin/kept_factors.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "parallel/node.h"
#include "support/check.h"

any_function pdgetrs_, pspotrs_, pzgetrs_;

typedef void lu_solver(const char *, const int *, const int *, void *, const int *, const int *, const int *, int *,
                       void *, const int *, const int *, const int *, int *);
typedef void cholesky_solver(const char *, const int *, const int *, void *, const int *, const int *, const int *,
                             void *, const int *, const int *, const int *, int *);

enum { ORDER = 60, RIGHT_SIDES = 20, S = 0, D = 1, Z = 3 };

static const int sources[2] = {0, 0};
static int ipiv[1000], expects_hits;

/* Pivots without interchanges. */
static void fill_pivots(const grid *g, const operand *a)
{
    const int mb = a->desc[MB_];
    for (int row = 0; row < a->desc[M_]; row++)
        if (row / mb % g->p == g->row) ipiv[row / mb / g->p * mb + row % mb] = row + 1;
}

static void solve(any_function *f, int type, operand *a, operand *b)
{
    int info = -1;
    if (type == S)
        ((cholesky_solver *)f)("L", &a->n, &b->n, a->data, &a->i, &a->j, a->desc, b->data, &b->i, &b->j, b->desc,
                               &info);
    else
        ((lu_solver *)f)("N", &a->n, &b->n, a->data, &a->i, &a->j, a->desc, ipiv, b->data, &b->i, &b->j, b->desc,
                         &info);
    CHECK(info == 0);
}

/* Solves with the elements of A as a factor, beside ScaLAPACK. Returns 1 if a kept copy was used. */
static int solves_right(const grid *g, int type, operand *a)
{
    static any_function *const ours[TYPES] = {pspotrs_, pdgetrs_, NULL, pzgetrs_};
    static const char *const names[TYPES] = {"pspotrs_", "pdgetrs_", NULL, "pzgetrs_"};
    const int skip = (a->i - 1) / a->desc[MB_];
    const int64_t before = scalay_kept_hits();
    operand b = placed_operand(g, type, a->n, RIGHT_SIDES, a->desc[MB_], skip, sources, ANY);
    operand c = operand_copy(&b, type);
    fill_pivots(g, a);
    solve(ours[type], type, a, &b);
    solve(stock_function(names[type]), type, a, &c);
    CHECK(is_same_operand(type, &b, &c, 10.0));
    free(b.data);
    free(c.data);
    return scalay_kept_hits() > before;
}

/* Multiplies a local element of A on one process; -1: on all. */
static void scale(const grid *g, int type, operand *a, int process, size_t element, double factor)
{
    const size_t k = element * (size_t)reals_of(type);
    if (process < 0 || g->row * g->q + g->col == process) set(type, a->data, k, factor * get(type, a->data, k));
}

static operand factor(const grid *g, int type, int mb, int skip)
{
    return placed_operand(g, type, ORDER, ORDER, mb, skip, sources, DEFINITE);
}

static void see_changes(const grid *g, int type)
{
    operand a = factor(g, type, 1, 0), other = factor(g, type, 1, 0), blocks = factor(g, type, 2, 0);
    CHECK(!solves_right(g, type, &a));
    CHECK(solves_right(g, type, &a) == expects_hits);
    CHECK(solves_right(g, type, &other) == expects_hits); /* the same elements elsewhere */
    scale(g, type, &a, g->p * g->q - 1, 0, 1.5);
    CHECK(!solves_right(g, type, &a));
    CHECK(solves_right(g, type, &a) == expects_hits);
    CHECK(solves_right(g, type, &other) == expects_hits); /* two matrices in turn */
    scale(g, type, &a, -1, 1, -1.0);
    scale(g, type, &a, -1, 9, -1.0); /* the lane of the checksum that has the former one, too */
    CHECK(!solves_right(g, type, &a));
    CHECK(!solves_right(g, type, &blocks));
    free(a.data);
    a = factor(g, type, 1, 0);
    scale(g, type, &a, 0, 0, 0.5);
    CHECK(!solves_right(g, type, &a)); /* often at the same address */
    free(a.data);
    free(other.data);
    free(blocks.data);
}

static void see_submatrices(const grid *g, int type)
{
    operand a = factor(g, type, 1, 2);
    CHECK(!solves_right(g, type, &a));
    CHECK(solves_right(g, type, &a) == expects_hits);
    a.i = a.j = 2;
    scale(g, type, &a, -1, 0, 3.0);
    CHECK(!solves_right(g, type, &a));
    free(a.data);
}

/* The copies of the first order of the processes are freed with its cache, when there are too many orders. The
 * communicator of another order, often at the same address, does not find them. */
static void see_orders(int type)
{
    static int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    if (check_size() != 3) return;
    for (int k = 0; k < 12; k++) {
        grid g = make_grid(1, 3, orders[k % 6]);
        operand a = factor(&g, type, 1, 0);
        CHECK(!solves_right(&g, type, &a));
        CHECK(solves_right(&g, type, &a) == expects_hits);
        free(a.data);
        free_grid(&g);
    }
}

/* The same with all caches. */
static void see_release(int size, int *ranks, int type)
{
    for (int k = 0; k < 4; k++) {
        grid g = make_grid(1, size, ranks);
        operand a = factor(&g, type, 1, 0);
        CHECK(!solves_right(&g, type, &a));
        CHECK(solves_right(&g, type, &a) == expects_hits);
        free(a.data);
        free_grid(&g);
        scalay_plan_caches_release();
    }
}

/* The bytes that this process has from malloc(). */
static int64_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

/* A kept copy that a call has taken before it finds too little memory is used for the next copy, or freed: with 7
 * blocks of 64 on 3 processes, the first one has more of A than a limit that the call passes at first. */
static void see_failures(int size, int *ranks)
{
    enum { LARGE = 448, COLUMNS = 8, FAILURES = 4, LIMIT = 8 * 85600 };
    scalay_call_settings_values *settings = (scalay_call_settings_values *)scalay_call_settings();
    if (size != 3 || !expects_hits) return;
    grid g = make_grid(1, 3, ranks);
    operand a = placed_operand(&g, D, LARGE, LARGE, 1, 0, sources, DEFINITE);
    operand b = placed_operand(&g, D, LARGE, COLUMNS, 1, 0, sources, ANY);
    int64_t bytes[FAILURES];
    fill_pivots(&g, &a);
    for (int k = 0; k < 2 * FAILURES; k++) {
        const int64_t hits = scalay_kept_hits();
        settings->memory = k % 2 == 0 ? -1 : LIMIT;
        solve(pdgetrs_, D, &a, &b);
        CHECK(scalay_kept_hits() == hits + k % 2);
        bytes[k / 2] = bytes_in_use();
    }
    settings->memory = -1;
    CHECK(bytes[FAILURES - 1] - bytes[0] < LIMIT);
    free(a.data);
    free(b.data);
    free_grid(&g);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, ranks[64];
    expects_hits = argc > 1 && strcmp(argv[1], "on") == 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    scalay_node_limit((scalay_node_limits){.no_windows = 1}); /* with shared memory, factors are not moved */
    for (int k = 0; k < size; k++) ranks[k] = k;
    grid g = make_grid(1, size, ranks);
    const int types[] = {S, D, Z};
    for (int k = 0; k < 3; k++) {
        see_changes(&g, types[k]);
        see_submatrices(&g, types[k]);
    }
    CHECK((scalay_kept_hits() > 0) == expects_hits);
    free_grid(&g);
    see_failures(size, ranks);
    scalay_plan_caches_release();
    for (int k = 0; k < 3; k++) {
        see_orders(types[k]);
        scalay_plan_caches_release();
        see_release(size, ranks, types[k]);
    }
    return check_verdict();
}
