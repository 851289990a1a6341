/*
 * Solves with triangles on random layouts, beside BLAS on the whole matrix: types, triangles, operations, exchanges of
 * rows, sides, submatrices, grids, wide and narrow blocks. Elements around the submatrix of B keep their values, A all.
 *
 * factor_solve [SEED [CASES]]
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "factor/solve.h"
#include "parallel/node.h"
#include "scalay/context.h"
#include "support/check.h"

void ztrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const void *,
            const void *, const int *, void *, const int *, size_t, size_t, size_t, size_t);

/* A matrix of all ranks, and its part on this rank. */
typedef struct {
    int m, n, row, col; /* extents of the whole matrix; position of the submatrix in it */
    int mb, nb, nprow, npcol, rsrc, csrc, lld, local_rows, local_cols;
    double complex *whole;
    char *local;
    scalay_layout *layout;
} matrix;

typedef struct {
    scalay_type type;
    int n, columns, size, rank;
    matrix a, b;
    scalay_solve_request request;
    double complex alpha;
    int *pivots, after;
} problem;

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static void put(scalay_type type, void *array, int64_t k, double complex x)
{
    if (type == SCALAY_FLOAT) ((float *)array)[k] = (float)creal(x);
    if (type == SCALAY_DOUBLE) ((double *)array)[k] = creal(x);
    if (type == SCALAY_COMPLEX_FLOAT) ((float complex *)array)[k] = (float complex)x;
    if (type == SCALAY_COMPLEX_DOUBLE) ((double complex *)array)[k] = x;
}

static double complex get(scalay_type type, const void *array, int64_t k)
{
    if (type == SCALAY_FLOAT) return ((const float *)array)[k];
    if (type == SCALAY_DOUBLE) return ((const double *)array)[k];
    if (type == SCALAY_COMPLEX_FLOAT) return ((const float complex *)array)[k];
    return ((const double complex *)array)[k];
}

/* ----------------------------------------------------------------------------------------------------- problems */

static int below(scalay_random *random, int64_t bound)
{
    return (int)scalay_random_below(random, bound);
}

/* Local index of an index, and the grid coordinate that has it. */
static int local_of(int i, int block, int count, int source, int *coordinate)
{
    *coordinate = (i / block + source) % count;
    return i / block / count * block + i % block;
}

/* Calls use(x, i, j, local position) for the elements of this rank. */
#define FOR_LOCAL(x, rank, i, j, at)                                                                                   \
    for (int j = 0, at, p, q; j < (x)->n; j++)                                                                         \
        for (int i = 0, l = local_of(j, (x)->nb, (x)->npcol, (x)->csrc, &q); i < (x)->m; i++)                          \
            if ((at = local_of(i, (x)->mb, (x)->nprow, (x)->rsrc, &p) + l * (x)->lld), (rank) == p * (x)->npcol + q)

static void create_matrix(scalay_random *random, const problem *x, int rows, int cols, matrix *a)
{
    scalay_layout *whole = NULL, *own = NULL;
    a->row = below(random, 3) == 0 ? below(random, 50) : 0;
    a->col = below(random, 3) == 0 ? below(random, 50) : 0;
    a->m = a->row + rows + below(random, 3);
    a->n = a->col + cols + below(random, 3);
    const int wide = below(random, 4), longer = a->m > a->n ? a->m : a->n;
    a->mb = 1 + below(random, wide == 0 ? 9 : wide == 1 ? 80 : 300);
    a->nb = below(random, 2) ? a->mb : 1 + below(random, 200);
    if (wide == 3) a->mb = a->nb = (longer + 1) / 2 + below(random, 30); /* slabs */
    do a->nprow = 1 + below(random, x->size);
    while (x->size % a->nprow != 0);
    a->npcol = x->size / a->nprow;
    a->rsrc = below(random, a->nprow);
    a->csrc = below(random, a->npcol);
    a->lld = a->m + below(random, 4);
    a->whole = malloc(sizeof *a->whole * (size_t)a->m * (size_t)a->n);
    a->local = malloc(16 * (size_t)a->lld * (size_t)(a->n + 1));
    CHECK_STATUS(scalay_layout_block_cyclic(a->m, a->n, a->mb, a->nb, a->nprow, a->npcol, a->rsrc, a->csrc,
                                            SCALAY_ROW_MAJOR, &whole),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_with_ld(whole, x->rank, a->lld, &own), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(own, a->row, a->col, rows, cols, &a->layout), SCALAY_SUCCESS);
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&own);
}

static double complex random_entry(scalay_random *random, scalay_type type)
{
    const double re = scalay_random_unit(random) - 0.5, im = scalay_random_unit(random) - 0.5;
    return is_complex(type) ? re + im * I : re;
}

/* A number as an element has it. */
static double complex rounded(scalay_type type, double complex x)
{
    double complex element = 0.0;
    put(type, &element, 0, x);
    return get(type, &element, 0);
}

/* Off the diagonal, elements are small, so that both triangles have condition numbers of order 1. */
static void fill(scalay_random *random, problem *x)
{
    matrix *a = &x->a, *b = &x->b;
    const scalay_type type = x->type;
    for (int k = 0; k < a->m * a->n; k++) {
        const int i = k % a->m - a->row, j = k / a->m - a->col;
        a->whole[k] = random_entry(random, x->type) * (i == j ? 1.0 : 2.0 / x->n) + (i == j ? 1.5 : 0.0);
    }
    for (int k = 0; k < b->m * b->n; k++) b->whole[k] = random_entry(random, x->type);
    for (int k = 0; k < a->m * a->n; k++) a->whole[k] = rounded(x->type, a->whole[k]);
    for (int k = 0; k < b->m * b->n; k++) b->whole[k] = rounded(x->type, b->whole[k]);
    for (int64_t k = 0; k < (int64_t)a->lld * (a->n + 1); k++) put(type, a->local, k, 77.0);
    for (int64_t k = 0; k < (int64_t)b->lld * (b->n + 1); k++) put(type, b->local, k, 77.0);
    FOR_LOCAL(a, x->rank, i, j, at) put(type, a->local, at, a->whole[i + j * a->m]);
    FOR_LOCAL(b, x->rank, i, j, at) put(type, b->local, at, b->whole[i + j * b->m]);
}

static scalay_triangle random_triangle(scalay_random *random)
{
    return (scalay_triangle){below(random, 2) ? SCALAY_UPPER : SCALAY_LOWER, (scalay_op)below(random, 3),
                             below(random, 2)};
}

static problem create_problem(scalay_random *random, int size, int rank)
{
    problem x = {.type = (scalay_type)(SCALAY_FLOAT + below(random, 4)), .size = size, .rank = rank};
    x.n = 1 + below(random, below(random, 2) ? 100 : 500);
    x.columns = 1 + below(random, below(random, 4) ? 20 : 300);
    x.request = (scalay_solve_request){
        .type = x.type, .triangles = 1 + below(random, 2), .may_share_cores = 1, .most_bytes = -1};
    x.request.triangle[0] = random_triangle(random);
    x.request.triangle[1] = random_triangle(random);
    if (below(random, 2)) x.request.triangle[1].op = x.request.triangle[0].op; /* as p?getrs */
    x.request.op_b = below(random, 2) ? (scalay_op)(1 + below(random, 2)) : SCALAY_NO_TRANSPOSE;
    const int is_left = x.request.op_b == SCALAY_NO_TRANSPOSE;
    create_matrix(random, &x, x.n, x.n, &x.a);
    create_matrix(random, &x, is_left ? x.n : x.columns, is_left ? x.columns : x.n, &x.b);
    x.request.a = x.a.layout;
    x.request.b = x.b.layout;
    x.alpha = below(random, 2) ? 1.0 : random_entry(random, x.type);
    x.pivots = is_left && below(random, 2) ? malloc((size_t)x.n * sizeof *x.pivots) : NULL;
    x.after = below(random, 2);
    for (int i = 0; i < x.n && x.pivots != NULL; i++) x.pivots[i] = i + 1 + below(random, x.n - i);
    fill(random, &x);
    return x;
}

static void free_problem(problem *x)
{
    matrix *const all[] = {&x->a, &x->b};
    for (int k = 0; k < 2; k++) {
        free(all[k]->whole);
        free(all[k]->local);
        scalay_layout_destroy(&all[k]->layout);
    }
    free(x->pivots);
}

/* ------------------------------------------------------------------------------------------------- expectations */

static double complex apply(scalay_op op, double complex x)
{
    return op == SCALAY_CONJUGATE_TRANSPOSE ? conj(x) : x;
}

/* The position in the whole B of element (i, j) of op(B). */
static int position_of(const problem *x, int i, int j)
{
    const int is_left = x->request.op_b == SCALAY_NO_TRANSPOSE;
    return x->b.row + (is_left ? i : j) + (x->b.col + (is_left ? j : i)) * x->b.m;
}

static void exchange(const problem *x, double complex *y, int i)
{
    for (int j = 0; j < x->columns; j++) {
        const double complex old = y[i + j * x->n];
        y[i + j * x->n] = y[x->pivots[i] - 1 + j * x->n];
        y[x->pivots[i] - 1 + j * x->n] = old;
    }
}

/* Solves in double precision with the whole matrix. The results replace those in the whole B. */
static void expect(problem *x)
{
    static const char letters[] = "NTC";
    const double complex one = 1.0, *a = x->a.whole + x->a.row + x->a.col * x->a.m;
    double complex *y = malloc(sizeof *y * (size_t)x->n * (size_t)x->columns);
    for (int j = 0; j < x->columns; j++)
        for (int i = 0; i < x->n; i++)
            y[i + j * x->n] = apply(x->request.op_b, x->alpha * x->b.whole[position_of(x, i, j)]);
    for (int i = 0; i < x->n && x->pivots != NULL && !x->after; i++) exchange(x, y, i);
    for (int k = 0; k < x->request.triangles; k++) {
        const scalay_triangle *t = &x->request.triangle[k];
        ztrsm_("L", t->uplo == SCALAY_UPPER ? "U" : "L", &letters[t->op], t->is_unit ? "U" : "N", &x->n, &x->columns,
               &one, a, &x->a.m, y, &x->n, 1, 1, 1, 1);
    }
    for (int i = x->n - 1; i >= 0 && x->pivots != NULL && x->after; i--) exchange(x, y, i);
    for (int j = 0; j < x->columns; j++)
        for (int i = 0; i < x->n; i++) x->b.whole[position_of(x, i, j)] = apply(x->request.op_b, y[i + j * x->n]);
    free(y);
}

/* Whether the local array has the elements of the whole matrix, and around them what was there. */
static int is_as_expected(const problem *x, const matrix *a, double tolerance)
{
    int same = 1;
    const int64_t elements = (int64_t)a->lld * (a->n + 1);
    char *seen = calloc((size_t)elements, 1);
    FOR_LOCAL(a, x->rank, i, j, at)
    {
        const int inside = i >= a->row && j >= a->col && i < a->row + (int)scalay_layout_rows(a->layout) &&
                           j < a->col + (int)scalay_layout_cols(a->layout);
        same = same && cabs(get(x->type, a->local, at) - a->whole[i + j * a->m]) <= (inside ? tolerance : 0.0);
        seen[at] = 1;
    }
    for (int64_t k = 0; k < elements; k++) same = same && (seen[k] || get(x->type, a->local, k) == 77.0);
    free(seen);
    return same;
}

static void describe(const problem *x, uint64_t seed, int c)
{
    const matrix *a = &x->a, *b = &x->b;
    const scalay_triangle *t = x->request.triangle;
    if (x->rank == 0)
        fprintf(
            stderr,
            "seed %llu case %d: type %d n %d columns %d triangles %d (%d %d %d, %d %d %d) op_b %d pivots %d after %d\n"
            "  A %d x %d at %d %d, blocks %d x %d on %d x %d; B %d x %d, blocks %d x %d on %d x %d\n",
            (unsigned long long)seed, c, (int)x->type, x->n, x->columns, x->request.triangles, (int)t[0].uplo,
            (int)t[0].op, t[0].is_unit, (int)t[1].uplo, (int)t[1].op, t[1].is_unit, (int)x->request.op_b,
            x->pivots != NULL, x->after, a->m, a->n, a->row, a->col, a->mb, a->nb, a->nprow, a->npcol, b->m, b->n,
            b->mb, b->nb, b->nprow, b->npcol);
}

/* Solves twice with one object: the results of the first call are the right-hand sides of the second. */
static void run_case(scalay_random *random, scalay_comm *comm, uint64_t seed, int c, int *solved)
{
    problem x = create_problem(random, comm->size, comm->rank);
    scalay_solve *solve = NULL;
    double complex alpha = 0.0;
    put(x.type, &alpha, 0, x.alpha);
    const int is_single = x.type == SCALAY_FLOAT || x.type == SCALAY_COMPLEX_FLOAT;
    const double tolerance = is_single ? 1e-4 : 1e-12;
    const scalay_status status = scalay_solve_create(comm, &x.request, &solve);
    CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_UNSUPPORTED);
    for (int k = 0; k < 2 && status == SCALAY_SUCCESS; k++) {
        CHECK_STATUS(scalay_solve_execute(solve, &alpha, x.a.local, x.pivots, x.after, x.b.local), SCALAY_SUCCESS);
        expect(&x);
        int same = CHECK(is_as_expected(&x, &x.a, 0.0));
        same &= CHECK(is_as_expected(&x, &x.b, tolerance));
        MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!same) describe(&x, seed, c);
    }
    if (status == SCALAY_SUCCESS) solved[scalay_solve_way_of(solve)]++;
    scalay_solve_destroy(&solve);
    free_problem(&x);
}

/* Every allocation fails once, on the last rank: all ranks return the same, and nothing is left. */
static void fail_each(scalay_random *random, scalay_comm *comm)
{
    problem x = create_problem(random, comm->size, comm->rank);
    scalay_solve *solve = NULL;
    scalay_status status = scalay_solve_create(comm, &x.request, &solve);
    scalay_solve_destroy(&solve);
    const int64_t live = scalay_memory_live();
    for (int n = 1; n < 60 && status == SCALAY_SUCCESS; n++) {
        scalay_memory_fail_at(comm->rank == comm->size - 1 ? n : 0);
        const scalay_status failed = scalay_solve_create(comm, &x.request, &solve);
        scalay_memory_fail_at(0);
        int codes[2] = {(int)failed, -(int)failed};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(codes[0] == -codes[1]);
        CHECK((failed == SCALAY_SUCCESS) == (solve != NULL));
        scalay_solve_destroy(&solve);
        CHECK(scalay_memory_live() == live);
    }
    free_problem(&x);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int cases = argc > 2 ? atoi(argv[2]) : 60;
    scalay_random random = scalay_random_seed(seed);
    scalay_comm *comm = NULL;
    int solved[3] = {0}; /* by ways */
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    for (int c = 0; c < cases; c++) run_case(&random, comm, seed, c, solved);
    for (int way = 0; way < 3 && comm->size > 1 && comm->node->has_windows; way++)
        CHECK((way == SCALAY_SOLVE_SLABS && comm->size != 2) == (solved[way] < cases / 20));
    for (int k = 0; k < 3; k++) fail_each(&random, comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
