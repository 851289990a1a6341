/*
 * Compute routines under ScaLAPACK's names, beside ScaLAPACK's own: random matrices, grids, blocks and submatrices in
 * four types. And who is answered: calls of the program, not those that ScaLAPACK's routines make.
 *
 * dropin_compute [SEED [CASES]]
 */
#include <stdio.h>

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"

enum { KINDS = 4 };

typedef void qr_function(const int *, const int *, void *, const int *, const int *, const int *, void *, void *,
                         const int *, int *);
typedef void lu_function(const int *, const int *, void *, const int *, const int *, const int *, int *, int *);
typedef void cholesky_function(const char *, const int *, void *, const int *, const int *, const int *, int *);
typedef void product_function(const char *, const char *, const int *, const int *, const int *, const void *,
                              const void *, const int *, const int *, const int *, const void *, const int *,
                              const int *, const int *, const void *, void *, const int *, const int *, const int *);
typedef void solve_function(const int *, const int *, void *, const int *, const int *, const int *, int *, void *,
                            const int *, const int *, const int *, int *);

typedef void eigen_function(const char *, const char *, const int *, void *, const int *, const int *, const int *,
                            void *, void *, const int *, const int *, const int *, void *, const int *, int *,
                            const int *, int *);

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

static int compare_lu(const grid *g, any_function *const f[2], operand *const a[2])
{
    const size_t entries = (size_t)a[0]->desc[LLD_] + (size_t)a[0]->desc[MB_] + GUARD;
    int *ipiv[2], info[2];
    for (int k = 0; k < 2; k++) {
        ipiv[k] = calloc(entries, sizeof *ipiv[k]);
        ((lu_function *)f[k])(&a[k]->m, &a[k]->n, a[k]->data, &a[k]->i, &a[k]->j, a[k]->desc, ipiv[k], &info[k]);
    }
    const int count = a[0]->m < a[0]->n ? a[0]->m : a[0]->n;
    const int same = info[0] == info[1] && has_same_pivots(g, a[0], count, ipiv[0], ipiv[1]);
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

/* The operations and scalars of a product. */
typedef struct {
    const char *op_a, *op_b;
    double alpha[2], beta[2];
} product_call;

static product_call random_product(scalay_random *random, int type)
{
    static const char *const ops[] = {"N", "T", "C"};
    static const double scalars[] = {0.0, 1.0, 1.5, -0.5};
    product_call p = {.op_a = ops[scalay_random_below(random, 3)], .op_b = ops[scalay_random_below(random, 3)]};
    for (int part = 0; part < reals_of(type); part++) {
        set(type, p.alpha, (size_t)part, scalars[scalay_random_below(random, 4)]);
        set(type, p.beta, (size_t)part, scalars[scalay_random_below(random, 4)]);
    }
    return p;
}

static void multiply(any_function *f, const product_call *p, const operand *a, const operand *b, operand *c)
{
    const int *const terms = p->op_a[0] == 'N' ? &a->n : &a->m;
    ((product_function *)f)(p->op_a, p->op_b, &c->m, &c->n, terms, p->alpha, a->data, &a->i, &a->j, a->desc, b->data,
                            &b->i, &b->j, b->desc, p->beta, c->data, &c->i, &c->j, c->desc);
}

/* Multiplies random matrices of k terms: with ours to c[0], with ScaLAPACK's routine to c[1]. */
static void multiply_both(scalay_random *random, const grid *g, any_function *const f[2], int type, int k,
                          operand *const c[2], const int *extents, int mb)
{
    const product_call p = random_product(random, type);
    const int m = extents[0], n = extents[1], is_left = p.op_a[0] == 'N', is_right = p.op_b[0] == 'N';
    operand a = random_operand(random, g, type, is_left ? m : k, is_left ? k : m, mb, 0);
    operand b = random_operand(random, g, type, is_right ? k : n, is_right ? n : k, mb, 0);
    for (int x = 0; g->row >= 0 && x < 2; x++) multiply(f[x], &p, &a, &b, c[x]);
    free(a.data);
    free(b.data);
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
    operand copy = {0};
    operand *const both[2] = {&a, &copy};
    if (g->row >= 0) copy = operand_copy(&a, type);
    int same = 1;
    if (kind == 3) multiply_both(random, g, f, type, k, both, (const int[]){m, n}, mb);
    if (g->row >= 0) {
        if (kind == 0) same = compare_qr(f, type, both);
        if (kind == 1) same = compare_lu(g, f, both);
        if (kind == 2) same = compare_cholesky(f, both, uplo);
        same = same && is_same_operand(type, &a, &copy, kind == 2 ? 1e3 : 1e2);
    }
    free(copy.data);
    free(a.data);
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
    const int sources[2] = {0, 0};
    operand a = placed_operand(g, 1, 40, 40, 4, 0, sources, 1), b = placed_operand(g, 1, 40, 3, 4, 0, sources, 0);
    const scalay_compute_routine *lu = find("pdgetrf");
    const int64_t before = lu != NULL ? lu->calls : 0, answered = lu != NULL ? lu->answered : 0;
    int info = -1, *ipiv = calloc((size_t)a.desc[LLD_] + 4, sizeof *ipiv);
    ((solve_function *)stock_function("pdgesv_"))(&a.n, &b.n, a.data, &a.i, &a.j, a.desc, ipiv, b.data, &b.i, &b.j,
                                                  b.desc, &info);
    lu = find("pdgetrf");
    CHECK(info == 0 && lu != NULL && lu->calls == before && lu->answered == answered);
    free(ipiv);
    free(a.data);
    free(b.data);
}

/* The calls that the program has made. */
static int64_t all_calls(void)
{
    int64_t sum = 0;
    for (const scalay_compute_routine *r = scalay_compute_routines(); r != NULL; r = r->older) sum += r->calls;
    return sum;
}

/* p?syevd calls p?gemm and others. Our p?geqrf calls ScaLAPACK's. */
static void kernels_are_not_counted(const grid *g)
{
    const int sources[2] = {0, 0}, one = 1;
    operand a = placed_operand(g, 1, 40, 40, 4, 0, sources, 1), b = operand_copy(&a, 1);
    double w[40], wanted = 0.0;
    int64_t before = all_calls();
    int info = -1, query = -1, integers = 0;
    eigen_function *const syevd = (eigen_function *)stock_function("pdsyevd_");
    syevd("V", "L", &a.n, a.data, &one, &one, a.desc, w, b.data, &one, &one, b.desc, &wanted, &query, &integers, &query,
          &info);
    int length = (int)wanted;
    double *const work = malloc((size_t)length * sizeof *work);
    int *const iwork = malloc((size_t)integers * sizeof *iwork);
    syevd("V", "L", &a.n, a.data, &one, &one, a.desc, w, b.data, &one, &one, b.desc, work, &length, iwork, &integers,
          &info);
    CHECK(info == 0 && all_calls() == before);
    free(work);
    free(iwork);
    before = all_calls();
    operand copy = operand_copy(&b, 1);
    operand *const both[2] = {&b, &copy};
    CHECK(compare_qr((any_function *[]){ours[1][0], stock_function("pdgeqrf_")}, 1, both));
    CHECK(all_calls() == before + 2); /* a query and the factorisation */
    free(copy.data);
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
    kernels_are_not_counted(&g);
    free_grid(&g);
    const scalay_compute_routine *product = find("pdgemm");
    CHECK((product != NULL ? product->calls : 0) >= products);
    scalay_plan_caches_release();
    return check_verdict();
}
