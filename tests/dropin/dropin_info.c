/*
 * Factorisations, drivers and solves end as ScaLAPACK's own do: INFO of singular and of indefinite matrices, INFO of
 * illegal arguments, right-hand sides on other process rows than the matrix, and NaN in the input.
 *
 * dropin_info
 */
#include <stdio.h>

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"

enum { ORDER = 24, BLOCK = 4, BAD = 13, RIGHT_SIDES = 3 };

typedef void lu_function(const int *, const int *, void *, const int *, const int *, const int *, int *, int *);
typedef void cholesky_function(const char *, const int *, void *, const int *, const int *, const int *, int *);
typedef void lu_driver(const int *, const int *, void *, const int *, const int *, const int *, int *, void *,
                       const int *, const int *, const int *, int *);
typedef void cholesky_driver(const char *, const int *, const int *, void *, const int *, const int *, const int *,
                             void *, const int *, const int *, const int *, int *);
typedef void lu_solve(const char *, const int *, const int *, const void *, const int *, const int *, const int *,
                      const int *, void *, const int *, const int *, const int *, int *);

#define DECLARE(letter)                                                                                                \
    any_function p##letter##getrf_, p##letter##potrf_, p##letter##gesv_, p##letter##posv_, p##letter##getrs_,          \
        p##letter##potrs_;
DECLARE(s)
DECLARE(d)
DECLARE(c)
DECLARE(z)

enum { KINDS = 6, DRIVERS = 2, SOLVES = 4 };
static any_function *const ours[TYPES][KINDS] = {{psgetrf_, pspotrf_, psgesv_, psposv_, psgetrs_, pspotrs_},
                                                 {pdgetrf_, pdpotrf_, pdgesv_, pdposv_, pdgetrs_, pdpotrs_},
                                                 {pcgetrf_, pcpotrf_, pcgesv_, pcposv_, pcgetrs_, pcpotrs_},
                                                 {pzgetrf_, pzpotrf_, pzgesv_, pzposv_, pzgetrs_, pzpotrs_}};
static const char *const names[KINDS] = {"getrf", "potrf", "gesv", "posv", "getrs", "potrs"};

/* What is wrong with a call. */
typedef enum { SINGULAR, NOT_A_NUMBER, EMPTY_EXTENT, WRONG_BLOCKS, WRONG_ROW, WRONG_COLUMN, WRONGS } wrong;

/* How B lies relative to A: from the first process row or the first block row on, both, or from another process column
 * on. */
typedef enum { OTHER_FIRST_ROW, OTHER_BLOCK_ROW, BOTH_ROWS, OTHER_FIRST_COLUMN, PLACES } placement;

/* Sets entry (i, j) of the submatrix, 0-based. */
static void put(const operand *o, const grid *g, int type, int i, int j, double value)
{
    const int *d = o->desc, row = o->i - 1 + i, col = o->j - 1 + j, bi = row / d[MB_], bj = col / d[NB_];
    if ((bi + d[RSRC_]) % g->p != g->row || (bj + d[CSRC_]) % g->q != g->col) return;
    const size_t place =
        (size_t)(bi / g->p * d[MB_] + row % d[MB_]) + (size_t)(bj / g->q * d[NB_] + col % d[NB_]) * (size_t)d[LLD_];
    set(type, o->data, place * (size_t)reals_of(type), value);
    if (type >= 2) set(type, o->data, place * 2 + 1, 0.0);
}

static void spoil(operand *a, const grid *g, int type, int kind, wrong what)
{
    const int is_symmetric = kind == 1 || kind == 3;
    if (what == SINGULAR && is_symmetric) put(a, g, type, BAD, BAD, -1.0);
    for (int i = 0; what == SINGULAR && !is_symmetric && i < ORDER; i++) put(a, g, type, i, BAD, 0.0);
    if (what == NOT_A_NUMBER) put(a, g, type, BAD, BAD, NAN);
    if (what == EMPTY_EXTENT) a->m = a->n = -1;
    if (what == WRONG_BLOCKS) a->desc[NB_] = BLOCK + 1;
    if (what == WRONG_ROW) a->i++;
    if (what == WRONG_COLUMN) a->j++;
}

/* Calls a routine; returns INFO. */
static int call(any_function *f, int kind, operand *a, operand *b)
{
    const int *n = &a->n, rows = a->desc[LLD_] + 2 * BLOCK;
    int info = -9999, *ipiv = calloc((size_t)rows, sizeof *ipiv);
    for (int k = 0; k < rows; k++) ipiv[k] = a->i;
    if (kind == 0) ((lu_function *)f)(n, n, a->data, &a->i, &a->j, a->desc, ipiv, &info);
    if (kind == 1) ((cholesky_function *)f)("L", n, a->data, &a->i, &a->j, a->desc, &info);
    if (kind == 2)
        ((lu_driver *)f)(n, &b->n, a->data, &a->i, &a->j, a->desc, ipiv, b->data, &b->i, &b->j, b->desc, &info);
    if (kind == 3)
        ((cholesky_driver *)f)("L", n, &b->n, a->data, &a->i, &a->j, a->desc, b->data, &b->i, &b->j, b->desc, &info);
    if (kind == 4)
        ((lu_solve *)f)("N", n, &b->n, a->data, &a->i, &a->j, a->desc, ipiv, b->data, &b->i, &b->j, b->desc, &info);
    if (kind == 5)
        ((cholesky_driver *)f)("L", n, &b->n, a->data, &a->i, &a->j, a->desc, b->data, &b->i, &b->j, b->desc, &info);
    free(ipiv);
    return info;
}

static void compare(const grid *g, int type, int kind, wrong what)
{
    char name[16];
    int info[2];
    const int sources[2] = {0, 0};
    (void)snprintf(name, sizeof name, "p%c%s_", letters[type], names[kind]);
    any_function *const f[2] = {ours[type][kind], stock_function(name)};
    for (int k = 0; k < 2; k++) {
        operand a = placed_operand(g, type, ORDER, ORDER, BLOCK, 1, sources, DEFINITE);
        operand b = placed_operand(g, type, ORDER, RIGHT_SIDES, BLOCK, 1, sources, ANY);
        spoil(&a, g, type, kind, what);
        info[k] = call(f[k], kind, &a, &b);
        free(a.data);
        free(b.data);
    }
    /* Pivots beside NaN depend on the grid and the blocks, in ScaLAPACK, too. */
    const int is_same = what == NOT_A_NUMBER && kind % 2 == 0 ? info[0] >= 0 && info[1] >= 0 : info[0] == info[1];
    if (!CHECK(is_same)) fprintf(stderr, "%s wrong %d: INFO %d, not %d\n", name, what, info[0], info[1]);
    if (what == SINGULAR) CHECK(info[1] == BAD + 1);
    if (what >= EMPTY_EXTENT) CHECK(info[1] < 0);
}

/* A and B may begin on different process columns, but not on different process rows. Otherwise B stays as it was. */
static void compare_places(const grid *g, int type, int kind, placement where)
{
    char name[16];
    int info[2];
    const int a_sources[2] = {0, 0}, row = where == OTHER_BLOCK_ROW || where == OTHER_FIRST_COLUMN ? 0 : g->p - 1;
    const int b_sources[2] = {row, where == OTHER_FIRST_COLUMN ? g->q - 1 : 0};
    const int skip = where == OTHER_BLOCK_ROW || where == BOTH_ROWS;
    (void)snprintf(name, sizeof name, "p%c%s_", letters[type], names[kind]);
    any_function *const f[2] = {ours[type][kind], stock_function(name)};
    operand b[2];
    for (int k = 0; k < 2; k++) {
        operand a = placed_operand(g, type, ORDER, ORDER, BLOCK, 0, a_sources, DEFINITE);
        b[k] = placed_operand(g, type, ORDER, RIGHT_SIDES, BLOCK, skip, b_sources, ANY);
        info[k] = call(f[k], kind, &a, &b[k]);
        free(a.data);
    }
    const int is_refused = (row + skip) % g->p != 0;
    if (!CHECK(info[0] == info[1] && (info[1] < 0) == is_refused))
        fprintf(stderr, "%s placement %d on %d x %d: INFO %d, not %d\n", name, where, g->p, g->q, info[0], info[1]);
    CHECK(is_same_operand(type, &b[0], &b[1], 1.0));
    for (int k = 0; k < 2; k++) free(b[k].data);
}

/* Calls of pdgesv that were answered. */
static int64_t answered(void)
{
    for (const scalay_compute_routine *r = scalay_compute_routines(); r != NULL; r = r->older)
        if (strcmp(r->name, "pdgesv") == 0) return r->answered;
    return 0;
}

/* A and B in one array: B right of A, and B that begins within A. The second call is ScaLAPACK's. */
static void one_array(const grid *g, int overlaps)
{
    const int sources[2] = {0, 0};
    any_function *const f[2] = {pdgesv_, stock_function("pdgesv_")};
    operand whole[2];
    int info[2];
    const int64_t before = answered();
    for (int k = 0; k < 2; k++) {
        whole[k] = placed_operand(g, 1, ORDER, ORDER + RIGHT_SIDES, BLOCK, 0, sources, DEFINITE);
        operand a = whole[k], b = whole[k];
        a.n = ORDER;
        b.n = RIGHT_SIDES;
        b.j = 1 + (overlaps ? BLOCK : ORDER);
        info[k] = call(f[k], 2, &a, &b);
    }
    const char *const setting = getenv("SCALAY_SCALAPACK");
    const int is_forced = setting != NULL && strcmp(setting, "force") == 0;
    CHECK(info[0] == info[1] && answered() - before == (is_forced && !overlaps));
    if (overlaps)
        CHECK(memcmp(whole[0].data, whole[1].data, whole[0].elements * sizeof(double)) == 0);
    else
        CHECK(is_same_operand(1, &whole[0], &whole[1], 1e4));
    for (int k = 0; k < 2; k++) free(whole[k].data);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int ranks[64];
    for (int k = 0; k < check_size(); k++) ranks[k] = k;
    for (int rows = 1; rows <= check_size(); rows++) {
        if (check_size() % rows != 0) continue;
        grid g = make_grid(rows, check_size() / rows, ranks);
        for (int type = 0; type < TYPES; type++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int what = kind < SOLVES ? 0 : EMPTY_EXTENT; what < WRONGS; what++)
                    compare(&g, type, kind, (wrong)what);
        for (int type = 0; type < TYPES; type++)
            for (int kind = DRIVERS; kind < KINDS; kind++)
                for (int where = 0; where < PLACES; where++) compare_places(&g, type, kind, (placement)where);
        for (int overlaps = 0; overlaps < 2; overlaps++) one_array(&g, overlaps);
        free_grid(&g);
    }
    scalay_plan_caches_release();
    return check_verdict();
}
