/* One-call factorisations keep ScaLAPACK's contracts for matrices from descriptors: results, vectors and info are those
 * of p?geqrf, p?getrf and p?potrf, and nothing else is written. The oracle is LAPACK on the gathered matrix. */

#define _XOPEN_SOURCE 700 /* setenv */
#include "factor/grid_job.h"

#include "layout/layout.h"
#include "parallel/node.h"
#include "parallel/scalapack.h"

#include "support/check.h"
#include "support/lapack.h"
#include "support/machine.h"
#include "support/matrix.h"

enum { GUARD = 7, GUARD_INT = -987654 };

static const char *const kinds[] = {"geqrf", "getrf", "potrf"};

/* A submatrix of a matrix from a descriptor, on some of the ranks. */
typedef struct {
    int m, n, ia, ja;
    int nprow, npcol;
    int ctxt;
    int desc[DLEN_];
    scalay_layout *layout; /* of the submatrix */
    int64_t size;          /* of the local array */
} matrix;

static scalay_random random_state;

static int draw(int low, int high)
{
    return low + (int)scalay_random_below(&random_state, (uint64_t)(high - low + 1));
}

/* Ranks in random order; the grid takes the first nprow * npcol of them. */
static void shuffle(int *ranks, int count)
{
    for (int k = 0; k < count; k++) ranks[k] = k;
    for (int k = count - 1; k > 0; k--) {
        const int other = draw(0, k), rank = ranks[k];
        ranks[k] = ranks[other];
        ranks[other] = rank;
    }
}

static void create_matrix(scalay_comm *comm, int kind, int is_aligned, matrix *a)
{
    const int size = scalay_comm_size(comm);
    int *ranks = malloc((size_t)size * sizeof *ranks);
    int position[4] = {0, 0, -1, -1};
    scalay_layout *whole = NULL;
    a->nprow = draw(1, size);
    a->npcol = draw(1, size / a->nprow);
    shuffle(ranks, size);
    CHECK_STATUS(scalay_grid_acquire(comm, a->nprow, a->npcol, ranks, &a->ctxt), SCALAY_SUCCESS);
    free(ranks);
    const int mb = draw(1, 9), nb = is_aligned ? mb : draw(1, 9);
    a->m = draw(0, 33);
    a->n = kind == SCALAY_POTRF ? a->m : draw(0, 33);
    a->ia = 1 + (is_aligned ? mb * draw(0, 2) : draw(0, 12));
    a->ja = 1 + (is_aligned ? nb * draw(0, 2) : draw(0, 12));
    const int rows = a->ia - 1 + a->m + draw(0, 8), cols = a->ja - 1 + a->n + draw(0, 8);
    const int rsrc = draw(0, a->nprow - 1), csrc = draw(0, a->npcol - 1), extra = draw(0, 3);
    int local_rows = 0;
    if (a->ctxt >= 0) {
        Cblacs_gridinfo(a->ctxt, &position[0], &position[1], &position[2], &position[3]);
        for (int i = 0; i < rows; i++) local_rows += (i / mb + rsrc) % a->nprow == position[2];
    }
    const int desc[DLEN_] = {1, a->ctxt, rows, cols, mb, nb, rsrc, csrc, (local_rows > 1 ? local_rows : 1) + extra};
    memcpy(a->desc, desc, sizeof desc);
    CHECK_STATUS(scalay_layout_from_desc(comm, a->desc, &whole), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_submatrix(whole, a->ia - 1, a->ja - 1, a->m, a->n, &a->layout), SCALAY_SUCCESS);
    a->size = scalay_layout_local_size(whole, scalay_comm_rank(comm));
    scalay_layout_destroy(&whole);
}

static void destroy_matrix(scalay_comm *comm, matrix *a)
{
    scalay_layout_destroy(&a->layout);
    CHECK_STATUS(scalay_grid_release(comm, &a->ctxt), SCALAY_SUCCESS);
}

/* A positive definite matrix instead of the random one, in both triangles: A + A^H + 40 I. */
static void make_definite(scalay_type type, const matrix *a, int rank, uint64_t seed, void *array)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(a->layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(a->layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                const double complex above = matrix_element(type, seed, r.row + i, r.col + j);
                const double complex below = matrix_element(type, seed, r.col + j, r.row + i);
                matrix_store(type, array, r.offset + i + j * r.ld,
                             above + conj(below) + (r.row + i == r.col + j ? 40.0 : 0.0));
            }
    }
}

/* LAPACK's result, column-major, with its vector. */
typedef struct {
    double complex *a;
    double complex *tau;
    int *ipiv;
    int info;
} oracle;

static void factor_by_lapack(int kind, const matrix *a, char uplo, oracle *o)
{
    const int m = a->m, n = a->n, k = m < n ? m : n;
    o->tau = calloc((size_t)k + 1, sizeof *o->tau);
    o->ipiv = calloc((size_t)k + 1, sizeof *o->ipiv);
    o->info = 0;
    if (k == 0) return;
    o->info = lapack_factor((scalay_factor_kind)kind, SCALAY_COMPLEX_DOUBLE, uplo, m, n, o->a, o->tau, o->ipiv);
}

static scalay_status call(scalay_comm *comm, int kind, scalay_type type, scalay_uplo uplo, const matrix *a,
                          const scalay_one_call_options *o, void *array, void *vector, int *info,
                          scalay_one_call_statistics *s)
{
    const scalay_layout *l = a->layout;
    switch (kind * 8 + type) {
    case SCALAY_GEQRF * 8 + SCALAY_FLOAT:
        return scalay_psgeqrf(comm, l, o, array, vector, s);
    case SCALAY_GEQRF * 8 + SCALAY_DOUBLE:
        return scalay_pdgeqrf(comm, l, o, array, vector, s);
    case SCALAY_GEQRF * 8 + SCALAY_COMPLEX_FLOAT:
        return scalay_pcgeqrf(comm, l, o, array, vector, s);
    case SCALAY_GEQRF * 8 + SCALAY_COMPLEX_DOUBLE:
        return scalay_pzgeqrf(comm, l, o, array, vector, s);
    case SCALAY_GETRF * 8 + SCALAY_FLOAT:
        return scalay_psgetrf(comm, l, o, array, vector, info, s);
    case SCALAY_GETRF * 8 + SCALAY_DOUBLE:
        return scalay_pdgetrf(comm, l, o, array, vector, info, s);
    case SCALAY_GETRF * 8 + SCALAY_COMPLEX_FLOAT:
        return scalay_pcgetrf(comm, l, o, array, vector, info, s);
    case SCALAY_GETRF * 8 + SCALAY_COMPLEX_DOUBLE:
        return scalay_pzgetrf(comm, l, o, array, vector, info, s);
    case SCALAY_POTRF * 8 + SCALAY_FLOAT:
        return scalay_pspotrf(comm, uplo, l, o, array, info, s);
    case SCALAY_POTRF * 8 + SCALAY_DOUBLE:
        return scalay_pdpotrf(comm, uplo, l, o, array, info, s);
    case SCALAY_POTRF * 8 + SCALAY_COMPLEX_FLOAT:
        return scalay_pcpotrf(comm, uplo, l, o, array, info, s);
    default:
        return scalay_pzpotrf(comm, uplo, l, o, array, info, s);
    }
}

/* Elements of the other triangle of a Cholesky factorisation are those of before. */
static int is_result(int kind, scalay_uplo uplo, int64_t i, int64_t j)
{
    return kind != SCALAY_POTRF || (uplo == SCALAY_UPPER ? i <= j : i >= j);
}

static void check_elements(int kind, scalay_uplo uplo, scalay_type type, const matrix *a, const double complex *before,
                           const double complex *after, const oracle *o)
{
    double worst = 0.0, norm = 1.0;
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t i = 0; i < a->m; i++) {
            const int64_t at = i + j * a->m;
            const double complex expected = is_result(kind, uplo, i, j) ? o->a[at] : before[at];
            worst = fmax(worst, cabs(after[at] - expected));
            norm = fmax(norm, cabs(before[at]));
        }
    CHECK(worst <= 2000.0 * matrix_epsilon(type) * norm);
}

/* TAU: the entry of global column j is at its local index, on every process of its grid column. */
static void check_tau(scalay_type type, const matrix *a, const oracle *o, const void *tau, int64_t size)
{
    int nprow = 0, npcol = 0, row = -1, col = -1;
    if (a->ctxt >= 0) Cblacs_gridinfo(a->ctxt, &nprow, &npcol, &row, &col);
    char *is_written = calloc((size_t)size + 1, 1);
    for (int h = 0; a->ctxt >= 0 && h < (a->m < a->n ? a->m : a->n); h++) {
        const int j = a->ja - 1 + h, block = j / a->desc[NB_];
        if ((block + a->desc[CSRC_]) % npcol != col) continue;
        const int at = block / npcol * a->desc[NB_] + j % a->desc[NB_];
        if (!CHECK(at < size)) continue;
        is_written[at] = 1;
        CHECK(cabs(matrix_load(type, tau, GUARD + at) - o->tau[h]) <= 2000.0 * matrix_epsilon(type));
    }
    for (int64_t k = -GUARD; k < size + GUARD; k++)
        if (k < 0 || k >= size || !is_written[k]) CHECK(matrix_load(type, tau, GUARD + k) == matrix_sentinel);
    free(is_written);
}

/* IPIV: the entry of global row i is at its local index, on every process of its grid row, and holds a global row. */
static void check_ipiv(const matrix *a, const oracle *o, const int *ipiv, int64_t size, int stays)
{
    int nprow = 0, npcol = 0, row = -1, col = -1;
    if (a->ctxt >= 0) Cblacs_gridinfo(a->ctxt, &nprow, &npcol, &row, &col);
    char *is_written = calloc((size_t)size + 1, 1);
    for (int h = 0; a->ctxt >= 0 && h < (a->m < a->n ? a->m : a->n); h++) {
        const int i = a->ia - 1 + h, block = i / a->desc[MB_];
        if ((block + a->desc[RSRC_]) % nprow != row) continue;
        const int at = block / nprow * a->desc[MB_] + i % a->desc[MB_];
        if (!CHECK(at < size)) continue;
        is_written[at] = 1;
        CHECK(ipiv[GUARD + at] == o->ipiv[h] + a->ia - 1);
    }
    for (int64_t k = -GUARD; k < size + GUARD; k++)
        if (k < 0 || k >= size || (!is_written[k] && !stays)) CHECK(ipiv[GUARD + k] == GUARD_INT);
    free(is_written);
}

static void check_replicated(int kind, scalay_type type, const matrix *a, const oracle *o, const void *all)
{
    for (int h = 0; h < (a->m < a->n ? a->m : a->n); h++) {
        if (kind == SCALAY_GEQRF)
            CHECK(cabs(matrix_load(type, all, h) - o->tau[h]) <= 2000.0 * matrix_epsilon(type));
        else
            CHECK(((const int *)all)[h] == o->ipiv[h]);
    }
}

/* Factors a matrix in one call, with guard zones around all arrays. */
static void check_case(scalay_comm *comm, int kind, scalay_type type, uint64_t seed, scalay_placement placement)
{
    const int rank = scalay_comm_rank(comm), before_failures = check_failures;
    const scalay_uplo uplo = seed % 2 ? SCALAY_UPPER : SCALAY_LOWER;
    const int is_aligned = placement == SCALAY_PLACEMENT_STAY && kind != SCALAY_GEQRF ? 1 : draw(0, 1);
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_one_call_statistics s = {0};
    matrix a = {0};
    oracle o = {0};
    int info = -1;
    create_matrix(comm, kind, is_aligned, &a);
    const int k = a.m < a.n ? a.m : a.n;
    const int64_t entries = kind == SCALAY_GEQRF ? scalay_tau_size(a.layout, rank) : scalay_ipiv_size(a.layout, rank);
    void *array = matrix_local(type, a.layout, rank, a.size, seed);
    if (kind == SCALAY_POTRF) make_definite(type, &a, rank, seed, array);
    void *tau = malloc((size_t)(entries + 2 * GUARD) * scalay_type_size(type));
    int *ipiv = malloc((size_t)(entries + 2 * GUARD) * sizeof *ipiv);
    void *all = calloc((size_t)k + 1, scalay_type_size(type));
    for (int64_t e = 0; e < entries + 2 * GUARD; e++) {
        matrix_store(type, tau, e, matrix_sentinel);
        ipiv[e] = GUARD_INT;
    }
    void *vector = kind == SCALAY_GEQRF ? (char *)tau + GUARD * scalay_type_size(type) : (void *)(ipiv + GUARD);
    double complex *before = matrix_gather(type, a.layout, rank, array);
    o.a = matrix_gather(type, a.layout, rank, array);
    factor_by_lapack(kind, &a, uplo == SCALAY_UPPER ? 'U' : 'L', &o);
    options.placement = placement;
    if (seed % 3 == 0) options.replicated = all;
    CHECK_STATUS(call(comm, kind, type, uplo, &a, &options, array, entries > 0 ? vector : NULL, &info, &s),
                 SCALAY_SUCCESS);
    CHECK(kind == SCALAY_GEQRF || info == 0);
    CHECK(placement != SCALAY_PLACEMENT_STAY || s.stays);
    CHECK(placement != SCALAY_PLACEMENT_MOVE || !s.stays);
    CHECK(s.engine == (placement == SCALAY_PLACEMENT_ENGINE));
    double complex *after = matrix_gather(type, a.layout, rank, array);
    check_elements(kind, uplo, type, &a, before, after, &o);
    CHECK(matrix_rest_untouched(type, a.layout, rank, a.size, array));
    if (kind == SCALAY_GEQRF) check_tau(type, &a, &o, tau, entries);
    if (kind == SCALAY_GETRF) check_ipiv(&a, &o, ipiv, entries, s.stays);
    if (kind != SCALAY_POTRF && options.replicated != NULL) check_replicated(kind, type, &a, &o, all);
    if (check_failures > before_failures)
        fprintf(stderr,
                "rank %d: p%s%s, seed %d, placement %d: %d x %d at (%d, %d) of %d x %d, blocks %d x %d, grid %d "
                "x %d\n",
                rank, scalay_type_name(type), kinds[kind], (int)seed, (int)placement, a.m, a.n, a.ia, a.ja, a.desc[M_],
                a.desc[N_], a.desc[MB_], a.desc[NB_], a.nprow, a.npcol);
    free(after);
    free(before);
    free(o.a);
    free(o.tau);
    free(o.ipiv);
    free(all);
    free(ipiv);
    free(tau);
    free(array);
    destroy_matrix(comm, &a);
}

/* ---------------------------------------------------------------------------------------------- one case */

/* The README: a descriptor, its own arrays, and p?getrs goes on from there. */
static void solving_goes_on_after_a_factorisation(scalay_comm *comm)
{
    enum { N = 24, NB = 4 };
    const int one = 1, n = N, size = scalay_comm_size(comm);
    int nprow = 0, npcol = 0, row = -1, col = -1, ctxt = -1, info = -1;
    scalay_layout *layout = NULL;
    CHECK_STATUS(scalay_grid_acquire(comm, 1, size, NULL, &ctxt), SCALAY_SUCCESS);
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &row, &col);
    const int desc[DLEN_] = {1, ctxt, N, N, NB, NB, 0, 0, N}, desc_b[DLEN_] = {1, ctxt, N, 1, NB, NB, 0, 0, N};
    CHECK_STATUS(scalay_layout_from_desc(comm, desc, &layout), SCALAY_SUCCESS);
    double *a = matrix_local(SCALAY_DOUBLE, layout, scalay_comm_rank(comm),
                             scalay_layout_local_size(layout, scalay_comm_rank(comm)), 5);
    int *ipiv = malloc((size_t)scalay_ipiv_size(layout, scalay_comm_rank(comm)) * sizeof *ipiv);
    double b[N];
    for (int i = 0; i < N; i++) {
        b[i] = 0.0;
        for (int j = 0; j < N; j++) b[i] += creal(matrix_element(SCALAY_DOUBLE, 5, i, j)) * (j + 1);
    }
    CHECK_STATUS(scalay_pdgetrf(comm, layout, NULL, a, ipiv, &info, NULL), SCALAY_SUCCESS);
    CHECK(info == 0);
    pdgetrs_("N", &n, &one, a, &one, &one, desc, ipiv, b, &one, &one, desc_b, &info, 1);
    CHECK(info == 0);
    for (int i = 0; col == 0 && i < N; i++) CHECK(fabs(b[i] - (i + 1)) < 1e-10);
    free(ipiv);
    free(a);
    scalay_layout_destroy(&layout);
    CHECK_STATUS(scalay_grid_release(comm, &ctxt), SCALAY_SUCCESS);
}

/* Kept plans and copies: the second call of the same shape plans nothing, takes the memory of the first copy, and no
 * call changes the result of another. */
static void the_second_call_plans_nothing(scalay_comm *comm, int n)
{
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_one_call_statistics s;
    scalay_layout *layout = NULL;
    const int rank = scalay_comm_rank(comm);
    CHECK_STATUS(scalay_layout_block_cyclic(n, n, 1, 1, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t size = scalay_layout_local_size(layout, rank), before = scalay_memory_bytes();
    double *first = matrix_local(SCALAY_DOUBLE, layout, rank, size, 9);
    options.placement = SCALAY_PLACEMENT_MOVE;
    options.nprow = 1;
    options.npcol = scalay_comm_size(comm);
    options.nb = 1;
    CHECK_STATUS(scalay_pdgeqrf(comm, layout, &options, first, NULL, &s), SCALAY_SUCCESS);
    CHECK(s.plan_seconds > 0.0 && !s.stays);
    const int64_t bytes = size * (int64_t)sizeof *first;
    CHECK(bytes < 1 << 16 || scalay_memory_bytes() - before >= bytes);
    for (int k = 0; k < 3; k++) {
        double *again = matrix_local(SCALAY_DOUBLE, layout, rank, size, 9);
        const int64_t live = scalay_memory_live(), held = scalay_memory_bytes();
        CHECK_STATUS(scalay_pdgeqrf(comm, layout, &options, again, NULL, &s), SCALAY_SUCCESS);
        CHECK(s.plan_seconds == 0.0 && scalay_memory_live() == live && scalay_memory_bytes() == held);
        CHECK(memcmp(first, again, (size_t)size * sizeof *first) == 0);
        free(again);
    }
    free(first);
    scalay_layout_destroy(&layout);
}

/* The info of singular and indefinite matrices is that of ScaLAPACK, staying and moving. */
static void info_tells_what_failed(scalay_comm *comm, scalay_placement placement)
{
    enum { N = 12 };
    const int rank = scalay_comm_rank(comm);
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_layout *layout = NULL;
    int info = -1;
    options.placement = placement;
    CHECK_STATUS(scalay_layout_block_cyclic(N, N, 3, 3, 1, scalay_comm_size(comm), 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t size = scalay_layout_local_size(layout, rank);
    double *a = matrix_local(SCALAY_DOUBLE, layout, rank, size, 1);
    for (int64_t k = 0; k < size; k++) a[k] = 0.0;
    CHECK_STATUS(scalay_pdgetrf(comm, layout, &options, a, NULL, &info, NULL), SCALAY_SUCCESS);
    CHECK(info == 1);
    CHECK_STATUS(scalay_pdgetrf(comm, layout, &options, a, NULL, NULL, NULL), SCALAY_ERROR_INFEASIBLE);
    /* The unit matrix but for -1 in position 7. */
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            if (r.col + j >= r.row && r.col + j < r.row + r.rows)
                a[r.offset + r.col + j - r.row + j * r.ld] = r.col + j == 6 ? -1.0 : 1.0;
    }
    CHECK_STATUS(scalay_pdpotrf(comm, SCALAY_LOWER, layout, &options, a, &info, NULL), SCALAY_SUCCESS);
    CHECK(info == 7);
    CHECK_STATUS(scalay_pdpotrf(comm, SCALAY_UPPER, layout, &options, a, NULL, NULL), SCALAY_ERROR_INFEASIBLE);
    free(a);
    scalay_layout_destroy(&layout);
}

static void bad_arguments_fail_on_all(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm), is_bad = rank == size - 1;
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_layout *layout = NULL, *skewed = NULL;
    double a[400] = {1.0}, tau[20];
    int ipiv[40], info = 0;
    const scalay_status bad = SCALAY_ERROR_ARGUMENT;
    CHECK_STATUS(scalay_layout_block_cyclic(12, 10, 3, 2, 1, size, 0, 0, SCALAY_ROW_MAJOR, &layout), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_skewed(12, 10, 3, 3, 1, size, 4, &skewed), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_pdgeqrf(NULL, layout, NULL, a, tau, NULL), bad);
    CHECK_STATUS(scalay_pdgeqrf(comm, is_bad ? NULL : layout, NULL, a, tau, NULL), bad);
    if (scalay_layout_elements(layout, size - 1) > 0)
        CHECK_STATUS(scalay_pdgeqrf(comm, layout, NULL, is_bad ? NULL : a, tau, NULL), bad);
    CHECK_STATUS(scalay_pdgeqrf(comm, skewed, NULL, a, tau, NULL), SCALAY_ERROR_UNSUPPORTED);
    CHECK(strstr(scalay_error_message(), "replicated") != NULL);
    CHECK_STATUS(scalay_pdgetrf(comm, skewed, NULL, a, ipiv, &info, NULL), SCALAY_ERROR_UNSUPPORTED);
    CHECK_STATUS(scalay_pdpotrf(comm, SCALAY_LOWER, layout, NULL, a, &info, NULL), SCALAY_ERROR_MISMATCH);
    options.placement = SCALAY_PLACEMENT_STAY;
    CHECK_STATUS(scalay_pdgetrf(comm, layout, &options, a, ipiv, &info, NULL), SCALAY_ERROR_UNSUPPORTED);
    CHECK_STATUS(scalay_pdgeqrf(comm, skewed, &options, a, NULL, NULL), SCALAY_ERROR_UNSUPPORTED);
    options.placement = (scalay_placement)9;
    CHECK_STATUS(scalay_pdgeqrf(comm, layout, &options, a, tau, NULL), bad);
    options = scalay_one_call_options_default();
    options.nprow = size + 1;
    options.npcol = 1;
    CHECK_STATUS(scalay_pdgeqrf(comm, layout, &options, a, tau, NULL), SCALAY_ERROR_INFEASIBLE);
    options.nprow = 1;
    options.nb = is_bad ? 4 : 5;
    if (size > 1) CHECK_STATUS(scalay_pdgeqrf(comm, layout, &options, a, tau, NULL), SCALAY_ERROR_MISMATCH);
    CHECK(scalay_tau_size(NULL, 0) == 0 && scalay_ipiv_size(skewed, 0) == 0);
    scalay_layout_destroy(&skewed);
    scalay_layout_destroy(&layout);
}

/* ------------------------------------------------------------------------------------------- numbers of the machine */

static char machine_path[64]; /* tests with other numbers of ranks run at the same time */

/* Factors an n x n matrix in nb x nb blocks on a 1 x P grid with a new communicator. Returns 1 if ScaLAPACK's routine
 * factors it there. */
static int stays_on_row(int kind, int n, int nb)
{
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_one_call_statistics s = {.stays = -1};
    int info = 0;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(n, n, nb, nb, 1, check_size(), 0, 0, SCALAY_ROW_MAJOR, &layout),
                 SCALAY_SUCCESS);
    const int64_t size = scalay_layout_local_size(layout, check_rank());
    double *a = calloc((size_t)size, sizeof *a), *tau = calloc((size_t)n, sizeof *tau);
    int *ipiv = calloc(2 * (size_t)n, sizeof *ipiv);
    for (int k = 0; k < size / n; k++) a[k * n + (k / nb * check_size() + check_rank()) * nb + k % nb] = 1.0;
    if (kind == SCALAY_GEQRF) CHECK_STATUS(scalay_pdgeqrf(comm, layout, NULL, a, tau, &s), SCALAY_SUCCESS);
    if (kind == SCALAY_GETRF) CHECK_STATUS(scalay_pdgetrf(comm, layout, NULL, a, ipiv, &info, &s), SCALAY_SUCCESS);
    if (kind == SCALAY_POTRF)
        CHECK_STATUS(scalay_pdpotrf(comm, SCALAY_LOWER, layout, NULL, a, &info, &s), SCALAY_SUCCESS);
    CHECK(info == 0 && s.stays >= 0);
    free(ipiv);
    free(tau);
    free(a);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    return s.stays && !s.engine;
}

/* Blocks of 8 are left if messages cost little and passes over the trailing matrix cost much, and not without numbers.
 * Blocks of 4 are not left if messages cost much. */
static void choices_come_from_the_numbers(void)
{
    (void)snprintf(machine_path, sizeof machine_path, "factor_one_call_machine_%d.txt", check_size());
    scalay_machine fast = even_machine();
    for (int k = 0; k <= 3; k++) fast.gemm_curve[k] = 1e-8;
    setenv("SCALAY_MACHINE", "none", 1);
    for (int kind = SCALAY_GEQRF; kind <= SCALAY_POTRF; kind++) CHECK(stays_on_row(kind, 240, 8));
    setenv("SCALAY_MACHINE", machine_path, 1);
    write_machine(machine_path, &fast);
    for (int kind = SCALAY_GEQRF; kind <= SCALAY_POTRF; kind++) CHECK(!stays_on_row(kind, 240, 8));
    scalay_machine slow = fast;
    slow.seconds_per_message = 1.0;
    write_machine(machine_path, &slow);
    CHECK(stays_on_row(SCALAY_GEQRF, 12, 4));
    setenv("SCALAY_MACHINE", "none", 1);
    if (check_rank() == 0) (void)remove(machine_path);
}

/* ---------------------------------------------------------------------------------------- first calls */

enum { SHORT_ORDER = 48 };

/* LU of a matrix of blocks of `nb` on a 1 x P grid of the program. Returns the local array. */
static double *factor_short(scalay_comm *comm, const scalay_layout *layout, scalay_one_call_statistics *s)
{
    const int rank = scalay_comm_rank(comm);
    int ipiv[2 * SHORT_ORDER], info = -1;
    double *a = matrix_local(SCALAY_DOUBLE, layout, rank, scalay_layout_local_size(layout, rank), 5);
    CHECK_STATUS(scalay_pdgetrf(comm, layout, NULL, a, ipiv, &info, s), SCALAY_SUCCESS);
    CHECK(info == 0);
    return a;
}

static void create_short(scalay_comm **comm, int nb, int *ctxt, scalay_layout **layout)
{
    int ranks[64];
    for (int k = 0; k < check_size(); k++) ranks[k] = k;
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    *ctxt = handle;
    Cblacs_gridmap(ctxt, ranks, 1, 1, check_size());
    Cfree_blacs_system_handle(handle);
    const int desc[DLEN_] = {1, *ctxt, SHORT_ORDER, SHORT_ORDER, nb, nb, 0, 0, SHORT_ORDER};
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_from_desc(*comm, desc, layout), SCALAY_SUCCESS);
}

static void destroy_short(scalay_comm **comm, int ctxt, scalay_layout **layout)
{
    scalay_layout_destroy(layout);
    scalay_comm_destroy(comm);
    Cblacs_gridexit(ctxt);
}

static void check_equal(const scalay_layout *layout, const double *a, const double *b, double tolerance)
{
    for (int64_t k = 0; k < scalay_layout_local_size(layout, check_rank()); k++) CHECK(fabs(a[k] - b[k]) <= tolerance);
}

static double on_the_slowest_rank(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* The choice of a way takes longer than a short call. So the first calls stay, and nothing is read or asked for it. On
 * a busy machine, the first one may take as long as all of them should. */
static void short_calls_stay_before_a_way_is_chosen(int nb)
{
    enum { MOST_CALLS = 1000000 };
    const double least_seconds = 2e-3;
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_one_call_statistics s = {0};
    int ctxt = -1, calls = 1;
    create_short(&comm, nb, &ctxt, &layout);
    double began = MPI_Wtime();
    double *first = factor_short(comm, layout, &s);
    double spent = on_the_slowest_rank(MPI_Wtime() - began); /* by the calls before the choice */
    for (; comm->machine_numbers == NULL && calls < MOST_CALLS; calls++) {
        CHECK(s.stays && !s.engine && !s.settled && !s.trial && s.nprow == 1 && s.nb == nb);
        CHECK(s.predicted_stay_seconds > 0.0 && s.predicted_kernel_seconds == s.predicted_stay_seconds);
        CHECK(comm->node == NULL && (calls == 1 || s.plan_seconds == 0.0));
        began = MPI_Wtime();
        double *again = factor_short(comm, layout, &s);
        const double seconds = on_the_slowest_rank(MPI_Wtime() - began);
        if (comm->machine_numbers == NULL) spent += seconds;
        check_equal(layout, again, first, comm->machine_numbers == NULL ? 0.0 : 1e-12);
        free(again);
    }
    CHECK(calls > 1 && calls < MOST_CALLS && spent >= least_seconds);
    free(first);
    destroy_short(&comm, ctxt, &layout);
}

/* The program releases the context in which the first call has computed. */
static void the_context_of_a_short_call_may_be_released(void)
{
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_one_call_statistics s = {0};
    int ctxt = -1, info = 0;
    create_short(&comm, 8, &ctxt, &layout);
    double *first = factor_short(comm, layout, &s);
    CHECK(comm->machine_numbers == NULL);
    const int lacks_array = check_rank() == 0; /* which has a part of the matrix */
    CHECK_STATUS(scalay_pdgetrf(comm, layout, NULL, lacks_array ? NULL : first, NULL, &info, NULL),
                 SCALAY_ERROR_ARGUMENT);
    Cblacs_gridexit(ctxt);
    double *again = factor_short(comm, layout, &s);
    CHECK(comm->machine_numbers != NULL);
    check_equal(layout, again, first, 1e-12);
    free(again);
    free(first);
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
}

/* Whatever allocation of a first, short call fails on one rank: all ranks get the error, and the matrix is the same. */
static void a_short_call_without_memory_changes_nothing(void)
{
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    int ctxt = -1, failures = 0;
    create_short(&comm, 8, &ctxt, &layout);
    const int64_t size = scalay_layout_local_size(layout, check_rank());
    double *a = matrix_local(SCALAY_DOUBLE, layout, check_rank(), size, 5), tau[SHORT_ORDER];
    double *before = matrix_local(SCALAY_DOUBLE, layout, check_rank(), size, 5);
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status == SCALAY_ERROR_MEMORY && n < 1000; n++) {
        scalay_memory_fail_at(check_rank() == check_size() - 1 ? n : 0);
        status = scalay_pdgeqrf(comm, layout, NULL, a, tau, NULL);
        scalay_memory_fail_at(0);
        failures += status == SCALAY_ERROR_MEMORY;
        if (status == SCALAY_ERROR_MEMORY) CHECK(memcmp(a, before, (size_t)size * sizeof *a) == 0);
    }
    CHECK_STATUS(status, SCALAY_SUCCESS);
    CHECK(failures > 2 && comm->machine_numbers == NULL);
    free(before);
    free(a);
    destroy_short(&comm, ctxt, &layout);
}

/* Between nodes, messages may take much longer than predicted, so that the first call chooses. */
static void programs_on_several_nodes_choose_at_once(void)
{
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_one_call_statistics s = {0};
    int ctxt = -1;
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1", 1); /* before the library reads it */
    create_short(&comm, 8, &ctxt, &layout);
    free(factor_short(comm, layout, &s));
    CHECK((comm->machine_numbers != NULL) == (check_size() > 1));
    destroy_short(&comm, ctxt, &layout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "nodes") == 0) {
        programs_on_several_nodes_choose_at_once();
        return check_verdict();
    }
    static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
    scalay_comm *comm = NULL;
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    random_state = scalay_random_seed(first);
    if (check_rank() == 0) printf("seed %llu\n", (unsigned long long)first);
    solving_goes_on_after_a_factorisation(comm);
    the_second_call_plans_nothing(comm, 40);
    the_second_call_plans_nothing(comm, 320);
    info_tells_what_failed(comm, SCALAY_PLACEMENT_STAY);
    info_tells_what_failed(comm, SCALAY_PLACEMENT_MOVE);
    info_tells_what_failed(comm, SCALAY_PLACEMENT_ENGINE);
    bad_arguments_fail_on_all(comm);
    choices_come_from_the_numbers();
    if (!scalay_node_launched_on_several(check_size())) {
        short_calls_stay_before_a_way_is_chosen(1);
        short_calls_stay_before_a_way_is_chosen(8);
        the_context_of_a_short_call_may_be_released();
        a_short_call_without_memory_changes_nothing();
    }
    const int cases = check_size() < 3 ? 144 : check_size() < 8 ? 72 : 36;
    for (int c = 0; c < cases; c++)
        check_case(comm, c % 3, types[c / 3 % 4], first + (uint64_t)c, (scalay_placement)(c / 12 % 4));
    scalay_comm_destroy(&comm);
    return check_verdict();
}
