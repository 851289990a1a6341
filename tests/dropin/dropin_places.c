/*
 * Where routines that factor compute, order 512, 2 processes.
 *
 * dropin_places fast|slow|none: by rates of a machine with fast copies, p?posv leaves blocks of 8 after some calls,
 * which descriptors alone do not leave. It stays if products take all of the time, or without rates.
 *
 * dropin_places descriptors: by descriptors alone, p?posv of an upper triangle leaves a grid of one row and one of a
 * lower triangle does not; p?potri leaves blocks of 64 on a grid of one row, and not those of 32, on one column or on
 * one process.
 */
#include <stdio.h>

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"
#include "support/machine.h"

void pdposv_(const char *, const int *, const int *, void *, const int *, const int *, const int *, void *, const int *,
             const int *, const int *, int *);
void pdpotri_(const char *, const int *, void *, const int *, const int *, const int *, int *);

enum { DOUBLE = 1, ORDER = 512, COLUMNS = 64, CALLS = 200, FEW_CALLS = 20 };

/* The calls that were answered so far. */
static int64_t answered(const char *name)
{
    const scalay_compute_routine *record = scalay_compute_routines();
    while (record != NULL && strcmp(record->name, name) != 0) record = record->older;
    return record != NULL ? record->answered : 0;
}

/* The position of an element in the local array; -1: another process has it. */
static int place_of(const grid *g, const operand *o, int row, int col)
{
    const int nb = o->desc[NB_];
    if (row / nb % g->p != g->row || col / nb % g->q != g->col) return -1;
    return row / nb / g->p * nb + row % nb + (col / nb / g->q * nb + col % nb) * o->desc[LLD_];
}

/* Whether all elements of this process on the diagonal of an operand are `value`, or all of its elements. */
static int has_value(const grid *g, const operand *o, double value, int is_diagonal)
{
    for (int col = 0; col < o->n; col++)
        for (int row = 0; row < o->m; row++) {
            const int place = is_diagonal && row != col ? -1 : place_of(g, o, row, col);
            if (place >= 0 && fabs(get(DOUBLE, o->data, (size_t)place) - value) > 1e-12) return 0;
        }
    return 1;
}

/* Sets A to 4 I, and B to 1. */
static operand new_operand(const grid *g, int cols, int nb)
{
    const int sources[2] = {0, 0};
    operand o = placed_operand(g, DOUBLE, ORDER, cols, nb, 0, sources, 0);
    for (size_t k = 0; k < o.elements; k++) set(DOUBLE, o.data, k, cols == ORDER ? 0.0 : 1.0);
    for (int k = 0; cols == ORDER && k < ORDER; k++)
        if (place_of(g, &o, k, k) >= 0) set(DOUBLE, o.data, (size_t)place_of(g, &o, k, k), 4.0);
    return o;
}

/* The calls of p?posv that were answered, of so many. */
static int solve(const grid *g, const char *uplo, int nb, int calls)
{
    const int n = ORDER, columns = COLUMNS;
    const int64_t before = answered("pdposv");
    for (int k = 0; k < calls; k++) {
        operand a = new_operand(g, n, nb), b = new_operand(g, columns, nb);
        int info = -1;
        pdposv_(uplo, &n, &columns, a.data, &a.i, &a.j, a.desc, b.data, &b.i, &b.j, b.desc, &info);
        CHECK(info == 0 && has_value(g, &a, 2.0, 1) && has_value(g, &b, 0.25, 0));
        free(a.data);
        free(b.data);
    }
    return (int)(answered("pdposv") - before);
}

/* The same for p?potri. */
static int invert(const grid *g, int nb, int calls)
{
    const int n = ORDER;
    const int64_t before = answered("pdpotri");
    for (int k = 0; k < calls; k++) {
        operand a = new_operand(g, n, nb);
        int info = -1;
        pdpotri_("L", &n, a.data, &a.i, &a.j, a.desc, &info);
        CHECK(info == 0 && has_value(g, &a, 1.0 / 16, 1));
        free(a.data);
    }
    return (int)(answered("pdpotri") - before);
}

static void check_descriptors(const grid *row, const grid *column, const grid *single)
{
    CHECK(solve(row, "U", 64, FEW_CALLS) > 0);
    CHECK(solve(row, "L", 64, FEW_CALLS) == 0);
    CHECK(solve(column, "U", 64, FEW_CALLS) == 0);
    CHECK(invert(row, 64, FEW_CALLS) > 0);
    CHECK(invert(row, 32, FEW_CALLS) == 0);
    CHECK(invert(column, 64, FEW_CALLS) == 0);
    if (single->row >= 0) CHECK(invert(single, 64, FEW_CALLS) == 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *const name = argc > 1 ? argv[1] : "none";
    const int ranks[] = {0, 1}, is_fast = strcmp(name, "fast") == 0, is_slow = strcmp(name, "slow") == 0;
    char path[64];
    scalay_machine machine = even_machine();
    if (is_slow) machine.seconds_per_flop = 1e-6;
    for (int k = 0; is_slow && k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = 1e-6;
    (void)snprintf(path, sizeof path, "dropin_places_%s.txt", name);
    setenv("SCALAY_MACHINE", path, 1);
    if (is_fast || is_slow) write_machine(path, &machine);
    grid row = make_grid(1, 2, (int *)ranks), column = make_grid(2, 1, (int *)ranks),
         single = make_grid(1, 1, (int *)ranks);
    if (strcmp(name, "descriptors") == 0) {
        check_descriptors(&row, &column, &single);
    } else {
        const int moved = solve(&column, "L", 8, CALLS);
        CHECK(is_fast ? moved > 0 && moved < CALLS : moved == 0);
    }
    scalay_plan_caches_release();
    free_grid(&single);
    free_grid(&column);
    free_grid(&row);
    if (check_rank() == 0) (void)remove(path);
    return check_verdict();
}
