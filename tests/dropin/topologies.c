/* A program whose first process forms Q on a grid of its own, which leaves another algorithm of broadcasts in the PBLAS
 * of that process. Then both processes call a routine on a grid of 2 x 1, which is moved.
 * `topologies gesv|potri|syev` */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridmap(int *ctxt, int *ranks, int ld, int nprow, int npcol);
void Cblacs_exit(int go_on);
void pb_topget_(const int *, const char *, const char *, char *);
void pdorgqr_(const int *, const int *, const int *, double *, const int *, const int *, const int *, const double *,
              double *, const int *, int *);
void pdgesv_(const int *, const int *, double *, const int *, const int *, const int *, int *, double *, const int *,
             const int *, const int *, int *);
void pdpotri_(const char *, const int *, double *, const int *, const int *, const int *, int *);
void pdsyev_(const char *, const char *, const int *, double *, const int *, const int *, const int *, double *,
             double *, const int *, const int *, const int *, double *, const int *, int *);

enum { ORDER = 256, BLOCK = 128, LENGTH = 1 << 19 };

static const int one = 1;
static int grid, rank;

/* Q of no reflectors, on the first process. */
static void form_q(void)
{
    enum { N = 64 };
    static double a[N * N], tau[N], work[LENGTH];
    const int n = N, length = LENGTH;
    int ctxt = -1, first = 0, info = 0;
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridmap(&ctxt, &first, 1, 1, 1);
    if (rank > 0) return;
    const int desc[9] = {1, ctxt, N, N, 16, 16, 0, 0, N};
    pdorgqr_(&n, &n, &n, a, &one, &one, desc, tau, work, &length, &info);
}

/* Sets 2 I + e e^T, whose eigenvalues are 2 and 2 + ORDER. */
static void set_matrix(double *a)
{
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < BLOCK; i++) a[i + j * BLOCK] = 1.0 + 2.0 * (i + rank * BLOCK == j);
}

/* The largest error of the result of a routine. */
static double run(const char *name)
{
    static double a[BLOCK * ORDER], b[BLOCK * ORDER], w[ORDER], work[LENGTH];
    static int ipiv[2 * ORDER];
    const int n = ORDER, length = LENGTH;
    const int desc[9] = {1, grid, ORDER, ORDER, BLOCK, BLOCK, 0, 0, BLOCK};
    int info = 0;
    double error = 0.0;
    set_matrix(a);
    if (strcmp(name, "gesv") == 0) {
        for (int k = 0; k < BLOCK * ORDER; k++) b[k] = 2.0 + ORDER;
        pdgesv_(&n, &n, a, &one, &one, desc, ipiv, b, &one, &one, desc, &info);
        for (int k = 0; k < BLOCK * ORDER; k++) error = fmax(error, fabs(b[k] - 1.0));
    } else if (strcmp(name, "potri") == 0) { /* of the factor I */
        for (int k = 0; k < BLOCK * ORDER; k++) a[k] = a[k] > 1.0 ? 1.0 : 0.0;
        pdpotri_("L", &n, a, &one, &one, desc, &info);
        for (int j = 0; j < ORDER; j++)
            for (int i = 0; i < BLOCK; i++) error = fmax(error, fabs(a[i + j * BLOCK] - (i + rank * BLOCK == j)));
    } else {
        pdsyev_("V", "L", &n, a, &one, &one, desc, w, b, &one, &one, desc, work, &length, &info);
        for (int k = 0; k < ORDER; k++) error = fmax(error, fabs(w[k] - (k < ORDER - 1 ? 2.0 : 2.0 + ORDER)));
    }
    return info == 0 ? error : INFINITY;
}

int main(int argc, char **argv)
{
    int ranks[2] = {0, 1};
    char before = '?', after = '?';
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Cblacs_get(-1, 0, &grid);
    Cblacs_gridmap(&grid, ranks, 2, 2, 1);
    form_q();
    pb_topget_(&grid, "Broadcast", "Rowwise", &before);
    const double error = argc > 1 ? run(argv[1]) : INFINITY;
    pb_topget_(&grid, "Broadcast", "Rowwise", &after);
    if (!(error < 1e-9) || after != before) {
        fprintf(stderr, "error %g, topology '%c', before '%c'\n", error, after, before);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    Cblacs_exit(0);
    return 0;
}
