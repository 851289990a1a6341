/*
 * Factors that stay on their grid: unchanged ScaLAPACK runs on them, what is said of the move is true, Q and the
 * checks are right.
 */
#include "layout/layout.h"
#include "multiply/sources.h"
#include "parallel/agree.h"
#include "parallel/scalapack.h"
#include "scalay/factor.h"
#include "support/matrix.h"

static const int shapes[][2] = {{30, 30}, {41, 17}, {17, 41}, {1, 1}, {0, 3}, {3, 0}};
enum { SHAPES = (int)(sizeof shapes / sizeof shapes[0]) };
static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};

/* The grid as BLACS tells it: ranks[r * npcol + c]. */
static int *read_grid(scalay_comm *comm, const scalay_qr *qr, const scalay_qr_statistics *s)
{
    int *ranks = calloc((size_t)(s->nprow * s->npcol), sizeof *ranks);
    int nprow = 0, npcol = 0, row = -1, col = -1;
    scalay_qr_matrix matrix;
    CHECK_STATUS(scalay_qr_get_matrix(qr, &matrix), SCALAY_SUCCESS);
    if (matrix.ctxt >= 0) {
        Cblacs_gridinfo(matrix.ctxt, &nprow, &npcol, &row, &col);
        CHECK(nprow == s->nprow && npcol == s->npcol && row >= 0 && col >= 0);
        ranks[row * npcol + col] = scalay_comm_rank(comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, ranks, s->nprow * s->npcol, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return ranks;
}

static int64_t max_of(const int64_t *a, const int64_t *b, int count)
{
    int64_t most = 0;
    for (int k = 0; k < count; k++) {
        most = a[k] > most ? a[k] : most;
        most = b[k] > most ? b[k] : most;
    }
    return most;
}

/* Element by element: who had it, who has it on the grid. */
static void check_volume(scalay_comm *comm, const scalay_qr *qr, const scalay_layout *layout)
{
    scalay_qr_statistics s = {0};
    CHECK_STATUS(scalay_qr_get_statistics(qr, &s), SCALAY_SUCCESS);
    int *ranks = read_grid(comm, qr, &s);
    const int processes = scalay_comm_size(comm);
    int64_t *sent = calloc((size_t)processes, sizeof *sent), *received = calloc((size_t)processes, sizeof *received);
    int64_t volume = 0, canonical = 0;
    for (int64_t i = 0; i < scalay_layout_rows(layout); i++)
        for (int64_t j = 0; j < scalay_layout_cols(layout); j++) {
            const int part = (int)(i / s.nb % s.nprow * s.npcol + j / s.nb % s.npcol);
            const int from = scalay_layout_owner(layout, i, j), to = ranks[part];
            canonical += from != part;
            volume += from != to;
            sent[from] += from != to;
            received[to] += from != to;
        }
    CHECK(volume == s.volume);
    CHECK(canonical == s.canonical_volume);
    CHECK(max_of(sent, received, processes) == s.steps);
    free(received);
    free(sent);
    free(ranks);
}

static void check_numbers(scalay_qr *qr, const void *a, int damaged)
{
    double residual = -1.0, orthogonality = -1.0;
    CHECK_STATUS(scalay_qr_verify(qr, a, &residual, &orthogonality), SCALAY_SUCCESS);
    if (damaged)
        CHECK(residual > 1000.0);
    else
        CHECK(residual >= 0.0 && residual < 10.0);
    CHECK(orthogonality >= 0.0 && orthogonality < 10.0);
}

/* Q, gathered, has orthonormal columns, and other columns of its array are as they were. */
static void check_q(scalay_comm *comm, scalay_type type, scalay_qr *qr, const source *s)
{
    const int rank = scalay_comm_rank(comm);
    const int64_t m = scalay_layout_rows(s->layout), n = scalay_layout_cols(s->layout);
    scalay_qr_matrix matrix;
    CHECK_STATUS(scalay_qr_get_matrix(qr, &matrix), SCALAY_SUCCESS);
    const int64_t k = matrix.reflectors;
    void *q = matrix_local(type, s->layout, rank, s->size, 99);
    CHECK(k == (m < n ? m : n));
    CHECK_STATUS(scalay_qr_form_q(qr, q), SCALAY_SUCCESS);
    CHECK(matrix_rest_untouched(type, s->layout, rank, s->size, q));
    double complex *all = matrix_gather(type, s->layout, rank, q);
    double worst = 0.0;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double complex sum = i == j ? -1.0 : 0.0;
            for (int64_t l = 0; l < m; l++) sum += conj(all[l + i * m]) * all[l + j * m];
            worst = fmax(worst, cabs(sum));
        }
    CHECK(worst <= 50.0 * matrix_epsilon(type));
    int kept = 1;
    for (int64_t j = k; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            kept = kept && cabs(all[i + j * m] - matrix_element(type, 99, i, j)) <= matrix_epsilon(type) * 8.0;
    CHECK(kept);
    free(all);
    free(q);
}

static void check_texts(const scalay_qr *qr)
{
    char text[2048], cut[10];
    int length = scalay_qr_describe(qr, text, sizeof text);
    CHECK(length > 0 && length == (int)strlen(text));
    CHECK(scalay_qr_describe(qr, cut, sizeof cut) == length && strlen(cut) == sizeof cut - 1);
    CHECK(scalay_qr_describe(qr, NULL, 0) == length);
    CHECK(strstr(text, "Mapping by") != NULL && strstr(text, "grid in blocks of") != NULL);
    CHECK(scalay_qr_choice_count(scalay_qr_get_choice(qr)) >= 1);
}

static void check_kept(scalay_comm *comm, scalay_type type, int kind, int m, int n, const scalay_qr_options *options)
{
    source s;
    scalay_qr *qr = NULL;
    CHECK_STATUS(source_create(comm, kind, m, n, 5, &s), SCALAY_SUCCESS);
    void *a = matrix_local(type, s.layout, scalay_comm_rank(comm), s.size, 17);
    void *other = matrix_local(type, s.layout, scalay_comm_rank(comm), s.size, 18);
    CHECK_STATUS(scalay_qr_create(comm, s.layout, type, options, a, &qr), SCALAY_SUCCESS);
    check_volume(comm, qr, s.layout);
    check_numbers(qr, a, 0);
    if (m * n > 1) check_numbers(qr, other, 1);
    check_q(comm, type, qr, &s);
    check_texts(qr);
    scalay_qr_destroy(&qr);
    CHECK(qr == NULL);
    free(other);
    free(a);
    source_destroy(comm, &s);
}

/* A user's own code on the context, the descriptor and the arrays: pdorgqr, then pdgemm with R, gives A back. Columns
 * are not a multiple of 512 bytes apart. nprow: 0: any grid. */
static void check_unchanged_scalapack(scalay_comm *comm, int n, int nprow)
{
    const int one = 1, rank = scalay_comm_rank(comm);
    const double plus = 1.0, zero = 0.0;
    scalay_qr *qr = NULL;
    source s;
    CHECK_STATUS(source_create(comm, 3, n, n, 6, &s), SCALAY_SUCCESS);
    double *a = matrix_local(SCALAY_DOUBLE, s.layout, rank, s.size, 21);
    scalay_qr_options options = scalay_qr_options_default();
    options.nb = 4;
    options.nprow = nprow;
    CHECK_STATUS(scalay_qr_create(comm, s.layout, SCALAY_DOUBLE, &options, a, &qr), SCALAY_SUCCESS);
    scalay_qr_matrix matrix;
    CHECK_STATUS(scalay_qr_get_matrix(qr, &matrix), SCALAY_SUCCESS);
    const int *desc = matrix.desc;
    double *local = matrix.local;
    if (matrix.ctxt >= 0) {
        CHECK(desc[CTXT_] == matrix.ctxt && desc[M_] == n && desc[N_] == n && desc[NB_] == 4);
        CHECK(desc[LLD_] * sizeof *local % 512 != 0 && desc[LLD_] * sizeof *local <= n * sizeof *local + 64);
        const int count = desc[LLD_] * n, lwork = 4 * (2 * n + 4);
        int info = -1;
        double *r = calloc((size_t)count, sizeof *r), *c = calloc((size_t)count, sizeof *c);
        double *work = calloc((size_t)lwork, sizeof *work);
        pdlacpy_("U", &n, &n, local, &one, &one, desc, r, &one, &one, desc, 1);
        pdorgqr_(&n, &n, &n, local, &one, &one, desc, matrix.tau, work, &lwork, &info);
        CHECK(info == 0);
        pdgemm_("N", "N", &n, &n, &n, &plus, local, &one, &one, desc, r, &one, &one, desc, &zero, c, &one, &one, desc);
        pdlacpy_("A", &n, &n, c, &one, &one, desc, local, &one, &one, desc, 1);
        free(work);
        free(c);
        free(r);
    }
    double *back = matrix_local(SCALAY_DOUBLE, s.layout, rank, s.size, 22);
    CHECK_STATUS(scalay_qr_bring_back(qr, back), SCALAY_SUCCESS);
    double worst = 0.0;
    for (int64_t k = 0; k < s.size; k++) worst = fmax(worst, fabs(back[k] - a[k]));
    CHECK(worst <= 1e-13);
    scalay_qr_destroy(&qr);
    free(back);
    free(a);
    source_destroy(comm, &s);
}

/* A communicator of our own in reversed order, on some of the ranks, beside another one at work at the same time. */
static void check_split(void)
{
    int size = 0, rank = check_rank();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    scalay_qr *qr = NULL;
    CHECK_STATUS(scalay_comm_create(half, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_chunks(26, 19, 4, 4, scalay_comm_size(comm), 3, &layout), SCALAY_SUCCESS);
    const int64_t local = scalay_layout_local_size(layout, scalay_comm_rank(comm));
    void *a = matrix_local(SCALAY_COMPLEX_DOUBLE, layout, scalay_comm_rank(comm), local, 31);
    scalay_qr_options options = scalay_qr_options_default();
    options.nprow = scalay_comm_size(comm);
    options.nb = 3;
    CHECK_STATUS(scalay_qr_create(comm, layout, SCALAY_COMPLEX_DOUBLE, &options, a, &qr), SCALAY_SUCCESS);
    scalay_comm_destroy(&comm); /* the factorisation keeps it alive */
    check_numbers(qr, a, 0);
    scalay_qr_destroy(&qr);
    free(a);
    scalay_layout_destroy(&layout);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const int processes = scalay_comm_size(comm), p = source_rows(processes);
    for (int number = 0; number < 4 * SHAPES; number++) {
        scalay_qr_options options = scalay_qr_options_default();
        const int *shape = shapes[number / 4];
        options.nb = 3 + number % 5;
        if (number % 2) options.nprow = p;
        if (number % 2) options.npcol = processes / p;
        check_kept(comm, types[number % 4], number % SOURCES, shape[0], shape[1], &options);
    }
    check_unchanged_scalapack(comm, 33, 0);
    check_unchanged_scalapack(comm, 64, 1);
    scalay_comm_destroy(&comm);
    check_split();
    return check_verdict();
}
