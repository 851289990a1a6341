/*
 * Compute routines under ScaLAPACK's names, beside ScaLAPACK's own: random matrices, grids, blocks and submatrices in
 * four types. And who is answered: calls of the program, not those that ScaLAPACK's routines make.
 *
 * dropin_compute [SEED [CASES]]
 */
#include <math.h>
#include <stdio.h>

#include "calls.h"
#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "support/check.h"

enum { KINDS = 4, TYPES = 4, GUARD = 16 };

typedef void qr_function(const int *, const int *, void *, const int *, const int *, const int *, void *, void *,
                         const int *, int *);
typedef void lu_function(const int *, const int *, void *, const int *, const int *, const int *, int *, int *);
typedef void cholesky_function(const char *, const int *, void *, const int *, const int *, const int *, int *);
typedef void product_function(const char *, const char *, const int *, const int *, const int *, const void *,
                              const void *, const int *, const int *, const int *, const void *, const int *,
                              const int *, const int *, const void *, void *, const int *, const int *, const int *);
typedef void solve_function(const int *, const int *, void *, const int *, const int *, const int *, int *, void *,
                            const int *, const int *, const int *, int *);

#define DECLARE(letter)                                                                                                \
    any_function p##letter##geqrf_, p##letter##getrf_, p##letter##potrf_, p##letter##gemm_, p##letter##gesv_;
DECLARE(s)
DECLARE(d)
DECLARE(c)
DECLARE(z)

static any_function *const ours[TYPES][KINDS] = {{psgeqrf_, psgetrf_, pspotrf_, psgemm_},
                                                 {pdgeqrf_, pdgetrf_, pdpotrf_, pdgemm_},
                                                 {pcgeqrf_, pcgetrf_, pcpotrf_, pcgemm_},
                                                 {pzgeqrf_, pzgetrf_, pzpotrf_, pzgemm_}};
static const char *const names[KINDS] = {"geqrf", "getrf", "potrf", "gemm"};
static const char letters[] = "sdcz";

/* A distributed matrix with guard zones. */
typedef struct {
    int m, n, i, j; /* the submatrix */
    int desc[DLEN_];
    size_t elements; /* of the local array */
    unsigned char *data;
} operand;

static size_t size_of(int type)
{
    return (type % 2 == 0 ? sizeof(float) : sizeof(double)) * (type < 2 ? 1 : 2);
}

static int reals_of(int type)
{
    return type < 2 ? 1 : 2;
}

static double get(int type, const void *data, size_t k)
{
    return type % 2 == 0 ? ((const float *)data)[k] : ((const double *)data)[k];
}

static void set(int type, void *data, size_t k, double value)
{
    if (type % 2 == 0)
        ((float *)data)[k] = (float)value;
    else
        ((double *)data)[k] = value;
}

/* Value of entry (i, j), part 0 or 1 of a complex number; symmetric and positive definite if wanted. */
static double value_of(int i, int j, int part, int definite)
{
    const int low = definite && i > j ? j : i, high = definite && i > j ? i : j;
    if (definite && part == 1) return 0.0;
    if (definite && i == j) return 200.0;
    const unsigned hash = ((unsigned)low * 2654435761u) ^ ((unsigned)high * 40503u * 65537u) ^ (unsigned)part * 977u;
    return (double)((hash * 2246822519u) >> 8) / (1 << 24) - 0.5;
}

static void fill(operand *o, const grid *g, int type, int definite)
{
    const int *d = o->desc;
    for (size_t k = 0; k < (o->elements + GUARD) * (size_t)reals_of(type); k++) set(type, o->data, k, 7.0);
    for (int j = 0; j < d[N_]; j++)
        for (int i = 0; i < d[M_]; i++) {
            const int bi = i / d[MB_], bj = j / d[NB_];
            if ((bi + d[RSRC_]) % g->p != g->row || (bj + d[CSRC_]) % g->q != g->col) continue;
            const size_t place =
                (size_t)(bi / g->p * d[MB_] + i % d[MB_]) + (size_t)(bj / g->q * d[NB_] + j % d[NB_]) * (size_t)d[LLD_];
            for (int part = 0; part < reals_of(type); part++)
                set(type, o->data, place * (size_t)reals_of(type) + (size_t)part,
                    value_of(i - o->i, j - o->j, part, definite));
        }
}

/* Creates the local array of an operand whose whole extents and submatrix are known. */
static void create(operand *o, const grid *g, int type, int mb, const int *sources, int slack, int definite)
{
    if (g->row < 0) return;
    const int rows = local_extent(o->desc[M_], mb, g->row, sources[0], g->p);
    const int cols = local_extent(o->desc[N_], mb, g->col, sources[1], g->q);
    const int desc[DLEN_] = {
        1, g->ctxt, o->desc[M_], o->desc[N_], mb, mb, sources[0], sources[1], (rows > 0 ? rows : 1) + slack};
    memcpy(o->desc, desc, sizeof desc);
    o->elements = (size_t)desc[LLD_] * (size_t)cols;
    o->data = malloc((o->elements + GUARD) * size_of(type));
    fill(o, g, type, definite);
}

/* A random submatrix of m x n; aligned as the factorisations of ScaLAPACK demand: square blocks, whole blocks before.
 */
static operand random_operand(scalay_random *random, const grid *g, int type, int m, int n, int mb, int definite)
{
    operand o = {.m = m, .n = n};
    o.i = 1 + mb * (int)scalay_random_below(random, 3);
    o.j = 1 + mb * (int)scalay_random_below(random, 3);
    o.desc[M_] = o.i - 1 + m + (int)scalay_random_below(random, 9);
    o.desc[N_] = o.j - 1 + n + (int)scalay_random_below(random, 9);
    const int sources[2] = {(int)scalay_random_below(random, g->p), (int)scalay_random_below(random, g->q)};
    create(&o, g, type, mb, sources, (int)scalay_random_below(random, 3), definite);
    return o;
}

/* A whole matrix of m x n in blocks of 4. */
static operand whole_operand(const grid *g, int m, int n, int definite)
{
    operand o = {.m = m, .n = n, .i = 1, .j = 1};
    const int sources[2] = {0, 0};
    o.desc[M_] = m;
    o.desc[N_] = n;
    create(&o, g, 1, 4, sources, 0, definite);
    return o;
}

static operand operand_copy(const operand *o, int type)
{
    operand copy = *o;
    copy.data = malloc((o->elements + GUARD) * size_of(type));
    memcpy(copy.data, o->data, (o->elements + GUARD) * size_of(type));
    return copy;
}

static int is_close(int type, const void *x, const void *y, size_t reals, double scale)
{
    const double tolerance = scale * (type % 2 == 0 ? 2e-4 : 2e-12);
    for (size_t k = 0; k < reals; k++)
        if (!(fabs(get(type, x, k) - get(type, y, k)) <= tolerance)) return 0;
    return 1;
}

static int is_same_operand(int type, const operand *x, const operand *y, double scale)
{
    return is_close(type, x->data, y->data, (x->elements + GUARD) * (size_t)reals_of(type), scale);
}

/* One routine: ours on one copy, ScaLAPACK's on another. */
static int compare_qr(any_function *const f[2], int type, operand *const a[2])
{
    const size_t entries = a[0]->elements + (size_t)a[0]->n + GUARD; /* more than TAU has */
    void *tau[2], *work[2];
    int info[2], query = -1, lwork = 0, same = 1;
    for (int k = 0; k < 2; k++) {
        double wanted[2] = {0};
        tau[k] = calloc(entries, size_of(type));
        ((qr_function *)f[k])(&a[k]->m, &a[k]->n, a[k]->data, &a[k]->i, &a[k]->j, a[k]->desc, tau[k], wanted, &query,
                              &info[k]);
        lwork = (int)get(type, wanted, 0);
        work[k] = malloc((size_t)(lwork + 1) * size_of(type));
        ((qr_function *)f[k])(&a[k]->m, &a[k]->n, a[k]->data, &a[k]->i, &a[k]->j, a[k]->desc, tau[k], work[k], &lwork,
                              &info[k]);
        free(work[k]);
    }
    same = info[0] == info[1] && is_close(type, tau[0], tau[1], entries * (size_t)reals_of(type), 10.0);
    free(tau[0]);
    free(tau[1]);
    return same;
}

static int compare_lu(any_function *const f[2], operand *const a[2])
{
    const size_t entries = (size_t)a[0]->desc[LLD_] + (size_t)a[0]->desc[MB_] + GUARD;
    int *ipiv[2], info[2];
    for (int k = 0; k < 2; k++) {
        ipiv[k] = calloc(entries, sizeof *ipiv[k]);
        ((lu_function *)f[k])(&a[k]->m, &a[k]->n, a[k]->data, &a[k]->i, &a[k]->j, a[k]->desc, ipiv[k], &info[k]);
    }
    const int same = info[0] == info[1] && memcmp(ipiv[0], ipiv[1], entries * sizeof *ipiv[0]) == 0;
    free(ipiv[0]);
    free(ipiv[1]);
    return same;
}

static int compare_cholesky(any_function *const f[2], operand *const a[2], const char *uplo)
{
    int info[2];
    for (int k = 0; k < 2; k++)
        ((cholesky_function *)f[k])(uplo, &a[k]->n, a[k]->data, &a[k]->i, &a[k]->j, a[k]->desc, &info[k]);
    return info[0] == info[1];
}

static void multiply(any_function *f, int type, const operand *a, const operand *b, operand *c)
{
    double alpha[2] = {0}, beta[2] = {0};
    set(type, alpha, 0, 1.5);
    set(type, beta, 0, -0.5);
    ((product_function *)f)("N", "N", &c->m, &c->n, &a->n, alpha, a->data, &a->i, &a->j, a->desc, b->data, &b->i, &b->j,
                            b->desc, beta, c->data, &c->i, &c->j, c->desc);
}

static int run_case(scalay_random *random, const grid *g, int type, int kind)
{
    char name[16];
    (void)snprintf(name, sizeof name, "p%c%s_", letters[type], names[kind]);
    any_function *const f[2] = {ours[type][kind], stock_function(name)};
    const int mb = 1 + (int)scalay_random_below(random, scalay_random_below(random, 2) ? 4 : 30);
    const int m = 1 + (int)scalay_random_below(random, 60), k = 1 + (int)scalay_random_below(random, 60);
    const int n = kind == 2 ? m : 1 + (int)scalay_random_below(random, 60);
    const char *uplo = scalay_random_below(random, 2) ? "U" : "L";
    operand a = random_operand(random, g, type, m, n, mb, kind == 2);
    operand left = {0}, right = {0};
    if (kind == 3) {
        left = random_operand(random, g, type, m, k, mb, 0);
        right = random_operand(random, g, type, k, n, mb, 0);
    }
    int same = 1;
    if (g->row >= 0) {
        operand copy = operand_copy(&a, type);
        operand *const both[2] = {&a, &copy};
        if (kind == 0) same = compare_qr(f, type, both);
        if (kind == 1) same = compare_lu(f, both);
        if (kind == 2) same = compare_cholesky(f, both, uplo);
        for (int x = 0; kind == 3 && x < 2; x++) multiply(f[x], type, &left, &right, both[x]);
        same = same && is_same_operand(type, &a, &copy, kind == 2 ? 1e3 : 1e2);
        free(copy.data);
    }
    free(a.data);
    free(left.data);
    free(right.data);
    return same;
}

static const scalay_compute_routine *find(const char *name)
{
    const scalay_compute_routine *r = scalay_compute_routines();
    while (r != NULL && strcmp(r->name, name) != 0) r = r->older;
    return r;
}

/* ScaLAPACK's p?gesv calls p?getrf, which comes to this library by its name. It is not the program's call. */
static void inner_calls_are_scalapacks(const grid *g)
{
    operand a = whole_operand(g, 40, 40, 1), b = whole_operand(g, 40, 3, 0);
    const scalay_compute_routine *lu = find("pdgetrf");
    const int64_t before = lu != NULL ? lu->calls : 0, answered = lu != NULL ? lu->answered : 0;
    int info = -1, *ipiv = calloc((size_t)a.desc[LLD_] + 4, sizeof *ipiv);
    ((solve_function *)stock_function("pdgesv_"))(&a.n, &b.n, a.data, &a.i, &a.j, a.desc, ipiv, b.data, &b.i, &b.j,
                                                  b.desc, &info);
    lu = find("pdgetrf");
    CHECK(info == 0 && lu != NULL && lu->calls == before + 1 && lu->answered == answered);
    free(ipiv);
    free(a.data);
    free(b.data);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int cases = argc > 2 ? atoi(argv[2]) : 3;
    scalay_random random = scalay_random_seed(seed);
    int size, rank, ranks[64], products = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < size; k++) ranks[k] = k;
    for (int c = 0; c < cases; c++)
        for (int type = 0; type < TYPES; type++)
            for (int kind = 0; kind < KINDS; kind++) {
                grid g = random_grid(&random, size, ranks);
                if (!CHECK(run_case(&random, &g, type, kind)))
                    fprintf(stderr, "seed %llu, case %d, p%c%s, rank %d\n", (unsigned long long)seed, c, letters[type],
                            names[kind], rank);
                if (type == 1 && kind == 3 && g.row >= 0) products++;
                free_grid(&g);
            }
    grid g = make_grid(1, size, ranks);
    inner_calls_are_scalapacks(&g);
    free_grid(&g);
    const scalay_compute_routine *product = find("pdgemm");
    CHECK((product != NULL ? product->calls : 0) >= products);
    scalay_plan_caches_release();
    return check_verdict();
}
