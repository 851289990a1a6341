/*
 * A Cholesky solver in C, as drivers are written: a grid of some of the processes, others idle, a submatrix that starts
 * at a block, several right-hand sides. pdpotrf_ has been replaced by scalay_pdpotrf; pdpotrs_ continues with A.
 * Afterwards, a QR factorisation of another submatrix that does not start at a block; pdorgqr_ continues with TAU.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scalay/scalay.h>

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_gridexit(int ctxt);
void Cblacs_exit(int keep_mpi);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *irsrc, const int *icsrc,
               const int *ictxt, const int *lld, int *info);
void pdpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *ia, const int *ja,
              const int *desca, double *b, const int *ib, const int *jb, const int *descb, int *info, size_t length);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja, const int *desca,
              const double *tau, double *work, const int *lwork, int *info);

enum { N = 45, NB = 6, IA = 1 + 2 * NB, JA = 1 + NB, NRHS = 3, GUARD = 16 };

static int nprow, npcol, row, col, ctxt;

static int index_of(int local, int mine, int count)
{
    return (local / NB * count + mine) * NB + local % NB;
}

static double element(int i, int j)
{
    return 1.0 / (1.0 + abs(i - j)) + (i == j ? 4.0 : 0.0);
}

/* A local array for a matrix of the given extents, with a guard zone at its end. */
static double *create_matrix(int m, int n, int *desc, int *size)
{
    const int zero = 0, nb = NB;
    const int rows = row >= 0 ? numroc_(&m, &nb, &row, &zero, &nprow) : 0;
    const int cols = row >= 0 ? numroc_(&n, &nb, &col, &zero, &npcol) : 0;
    const int lld = rows > 1 ? rows : 1;
    int info = 0;
    memset(desc, 0xff, 9 * sizeof *desc);
    if (row >= 0) descinit_(desc, &m, &n, &nb, &nb, &zero, &zero, &ctxt, &lld, &info);
    *size = lld * (cols > 1 ? cols : 1);
    double *a = malloc((size_t)(*size + GUARD) * sizeof *a);
    for (int k = 0; k < *size + GUARD; k++) a[k] = -99.0;
    return a;
}

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check_guard(const double *a, int size)
{
    for (int k = 0; k < GUARD; k++)
        if (a[size + k] != -99.0) fail("a guard zone was written");
}

static void must(scalay_status status)
{
    if (status != SCALAY_SUCCESS) fail(scalay_error_message());
}

static void solve(scalay_comm *comm)
{
    const int n = N, nrhs = NRHS, ia = IA, ja = JA, one = 1;
    const int m_a = IA - 1 + N, n_a = JA - 1 + N;
    int desc_a[9], desc_b[9], size_a, size_b, info = -1;
    double *a = create_matrix(m_a, n_a, desc_a, &size_a), *b = create_matrix(m_a, NRHS, desc_b, &size_b);
    scalay_layout *whole = NULL, *layout = NULL;
    for (int j = 0; row >= 0 && j < size_a / desc_a[8]; j++)
        for (int i = 0; i < desc_a[8]; i++) {
            const int gi = index_of(i, row, nprow) - (IA - 1), gj = index_of(j, col, npcol) - (JA - 1);
            if (gi >= 0 && gj >= 0 && gi < N && gj < N && gi >= gj) a[i + j * desc_a[8]] = element(gi, gj);
        }
    for (int i = 0; row >= 0 && col == 0 && i < desc_b[8]; i++) {
        const int gi = index_of(i, row, nprow) - (IA - 1);
        for (int r = 0; gi >= 0 && gi < N && r < NRHS; r++) {
            b[i + r * desc_b[8]] = 0.0;
            for (int k = 0; k < N; k++) b[i + r * desc_b[8]] += element(gi, k) * (k + r);
        }
    }
    must(scalay_layout_from_desc(comm, desc_a, &whole));
    must(scalay_layout_submatrix(whole, IA - 1, JA - 1, N, N, &layout));
    must(scalay_pdpotrf(comm, SCALAY_LOWER, layout, NULL, a, &info, NULL));
    if (info != 0) fail("not positive definite");
    if (row >= 0) {
        pdpotrs_("L", &n, &nrhs, a, &ia, &ja, desc_a, b, &ia, &one, desc_b, &info, 1);
        if (info != 0) fail("pdpotrs");
    }
    for (int i = 0; row >= 0 && col == 0 && i < desc_b[8]; i++) {
        const int gi = index_of(i, row, nprow) - (IA - 1);
        for (int r = 0; gi >= 0 && gi < N && r < NRHS; r++)
            if (fabs(b[i + r * desc_b[8]] - (gi + r)) > 1e-10) fail("the solution is wrong");
    }
    /* Elements outside of the lower triangle of the submatrix are as before. */
    for (int j = 0; row >= 0 && j < size_a / desc_a[8]; j++)
        for (int i = 0; i < desc_a[8]; i++) {
            const int gi = index_of(i, row, nprow) - (IA - 1), gj = index_of(j, col, npcol) - (JA - 1);
            if ((gi < gj || gi < 0 || gj < 0) && a[i + j * desc_a[8]] != -99.0) fail("another element was written");
        }
    check_guard(a, size_a);
    check_guard(b, size_b);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&whole);
    free(b);
    free(a);
}

/* Q of a tall matrix at (2, 4): its columns are orthonormal. */
static void orthogonalise(scalay_comm *comm)
{
    const int m = 40, n = 17, ia = 2, ja = 4, m_a = ia - 1 + m, n_a = ja - 1 + n;
    int desc[9], size, info = 0;
    double *a = create_matrix(m_a, n_a, desc, &size);
    scalay_layout *whole = NULL, *layout = NULL;
    for (int j = 0; row >= 0 && j < size / desc[8]; j++)
        for (int i = 0; i < desc[8]; i++) {
            const int gi = index_of(i, row, nprow), gj = index_of(j, col, npcol);
            if (gi < m_a && gj < n_a) a[i + j * desc[8]] = cos((double)(gi * gj + gi));
        }
    must(scalay_layout_from_desc(comm, desc, &whole));
    must(scalay_layout_submatrix(whole, ia - 1, ja - 1, m, n, &layout));
    const int entries = (int)scalay_tau_size(layout, scalay_comm_rank(comm)), lwork = 10000;
    double *tau = malloc((size_t)(entries + GUARD) * sizeof *tau), *work = malloc((size_t)lwork * sizeof *work);
    for (int k = 0; k < entries + GUARD; k++) tau[k] = -99.0;
    must(scalay_pdgeqrf(comm, layout, NULL, a, tau, NULL));
    check_guard(tau, entries);
    check_guard(a, size);
    if (row >= 0) pdorgqr_(&m, &n, &n, a, &ia, &ja, desc, tau, work, &lwork, &info);
    if (info != 0) fail("pdorgqr");
    double *q = calloc((size_t)(m_a * n_a), sizeof *q);
    for (int j = 0; row >= 0 && j < size / desc[8]; j++)
        for (int i = 0; i < desc[8]; i++) {
            const int gi = index_of(i, row, nprow), gj = index_of(j, col, npcol);
            if (gi < m_a && gj < n_a) q[gi + gj * m_a] = a[i + j * desc[8]];
        }
    MPI_Allreduce(MPI_IN_PLACE, q, m_a * n_a, MPI_DOUBLE, MPI_SUM, scalay_comm_handle(comm));
    for (int x = ja - 1; x < n_a; x++)
        for (int y = ja - 1; y < n_a; y++) {
            double sum = 0.0;
            for (int i = ia - 1; i < m_a; i++) sum += q[i + x * m_a] * q[i + y * m_a];
            if (fabs(sum - (x == y)) > 1e-12) fail("Q is not orthogonal");
        }
    free(q);
    free(work);
    free(tau);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&whole);
    free(a);
}

int main(int argc, char **argv)
{
    int rank = 0, size = 0;
    scalay_comm *comm = NULL;
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &size);
    /* One process stays idle, if there are enough. */
    const int used = size > 2 ? size - 1 : size, rows = used >= 4 ? 2 : 1;
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", rows, used / rows);
    nprow = npcol = row = col = -1;
    if (rank < rows * (used / rows)) Cblacs_gridinfo(ctxt, &nprow, &npcol, &row, &col);
    must(scalay_comm_create(MPI_COMM_WORLD, &comm));
    solve(comm);
    orthogonalise(comm);
    scalay_comm_destroy(&comm);
    if (row >= 0) Cblacs_gridexit(ctxt);
    if (rank == 0) puts("Cholesky: solved");
    Cblacs_exit(1);
    MPI_Finalize();
    return 0;
}
