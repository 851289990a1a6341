/*
 * The length of workspace that a routine in single precision asks for by a query, as a float. Numbers above 2^24 may be
 * rounded down: the routine gets at least as many entries on the target as it wants. The caller's first entry is the
 * number for its own layout after the call. The routine is one of this test, which asks for a number of entries on each
 * grid but that of the caller, and computes nothing.
 */
#include "dropin/moved.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"

enum { ORDER = 64, COLUMNS = 16, FEW = 100, ARGUMENTS = 15, WORK = 12 };

static int given_ctxt, wanted, calls_on_target, is_short;

/* Calls the routine of this test. */
static void ask(scalay_routine *function, void *const *x)
{
    const int is_given = ((const int *)x[7])[CTXT_] == given_ctxt, least = is_given ? FEW : wanted;
    const int length = *(const int *)x[WORK + 1];
    (void)function;
    *(int *)x[ARGUMENTS - 1] = 0;
    if (length == -1) {
        *(float *)x[WORK] = (float)least;
        return;
    }
    calls_on_target += !is_given;
    is_short |= length < least;
}

static void call(const scalay_moved_routine *routine, operand *a, operand *b)
{
    int n = ORDER, columns = COLUMNS, length = FEW, info = -1;
    float work[FEW] = {0.0F};
    void *x[SCALAY_MAX_MOVED_ARGUMENTS] = {"N",     &n,    &n,    &columns, a->data, &a->i,   &a->j, a->desc,
                                           b->data, &b->i, &b->j, b->desc,  work,    &length, &info};
    scalay_moved_call(routine, x, (const void *)call);
    CHECK(info == 0);
    CHECK(work[0] == (float)FEW); /* as ScaLAPACK's routines return it, for the layout of the caller */
}

int main(int argc, char **argv)
{
    static scalay_compute_routine record = {.name = "psgels"};
    static const scalay_moved_routine routine = {&record, SCALAY_FLOAT, ". m n r Amn* Axr* W .", ARGUMENTS, 32, ask};
    static const int sources[2] = {0, 0}, lengths[] = {1000, (1 << 24) - 1, (1 << 24) + 1, (1 << 24) + 5};
    int ranks[] = {0, 1};
    MPI_Init(&argc, &argv);
    grid g = make_grid(1, 2, ranks);
    operand a = placed_operand(&g, 0, ORDER, ORDER, 1, 0, sources, DEFINITE);
    operand b = placed_operand(&g, 0, ORDER, COLUMNS, 1, 0, sources, ANY);
    given_ctxt = a.desc[CTXT_];
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        wanted = lengths[k];
        call(&routine, &a, &b);
        CHECK(!is_short);
        CHECK(calls_on_target == (int)k + 1);
    }
    free(a.data);
    free(b.data);
    free_grid(&g);
    scalay_plan_caches_release();
    return check_verdict();
}
