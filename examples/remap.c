/* A program that does not use ScaLAY. pdtran transposes a matrix in strips of rows, and p?gemr2d moves it to a 2D grid.
   The test suite runs it with ScaLAPACK alone, with scalay-run, and relinked with -lscalay_scalapack before ScaLAPACK.
   remap_ported.c does the same with a plan. */
#include <stdio.h>
#include <stdlib.h>

void Cblacs_pinfo(int *rank, int *processes);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *myrow, int *mycol);
void Cblacs_gridexit(int ctxt);
void Cblacs_exit(int go_on);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc);
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib, int jb,
               const int *descb, int ctxt);

enum { M = 120, N = 96, STRIP = 3, BLOCK = 16 };

/* A matrix on a grid; descriptor entries in ScaLAPACK's order. */
typedef struct {
    int nprow, npcol, myrow, mycol, rows, cols;
    int desc[9];
    double *local;
} matrix;

static matrix make(int ctxt, int m, int n, int nb)
{
    const int zero = 0;
    matrix x = {0};
    Cblacs_gridinfo(ctxt, &x.nprow, &x.npcol, &x.myrow, &x.mycol);
    x.rows = numroc_(&m, &nb, &x.myrow, &zero, &x.nprow);
    x.cols = numroc_(&n, &nb, &x.mycol, &zero, &x.npcol);
    const int desc[9] = {1, ctxt, m, n, nb, nb, 0, 0, x.rows > 0 ? x.rows : 1};
    for (int k = 0; k < 9; k++) x.desc[k] = desc[k];
    x.local = calloc((size_t)x.rows * (size_t)x.cols + 1, sizeof *x.local);
    return x;
}

/* The global index of a local one. */
static int global(int local, int nb, int mine, int processes)
{
    return (local / nb * processes + mine) * nb + local % nb;
}

static double value(int i, int j)
{
    return i + 1000.0 * j;
}

/* The local elements that differ from the matrix, or from its transposed. */
static int differences(const matrix *x, int transposed)
{
    int count = 0;
    for (int c = 0; c < x->cols; c++)
        for (int r = 0; r < x->rows; r++) {
            const int i = global(r, x->desc[4], x->myrow, x->nprow), j = global(c, x->desc[5], x->mycol, x->npcol);
            count += x->local[r + c * x->desc[8]] != (transposed ? value(j, i) : value(i, j));
        }
    return count;
}

static void fill(matrix *x)
{
    for (int c = 0; c < x->cols; c++)
        for (int r = 0; r < x->rows; r++)
            x->local[r + c * x->desc[8]] =
                value(global(r, x->desc[4], x->myrow, x->nprow), global(c, x->desc[5], x->mycol, x->npcol));
}

int main(void)
{
    const int m = M, n = N, one = 1;
    const double alpha = 1, beta = 0;
    int rank, processes, strips, square;
    Cblacs_pinfo(&rank, &processes);
    Cblacs_get(-1, 0, &strips);
    Cblacs_gridinit(&strips, "Col", processes, 1);
    Cblacs_get(-1, 0, &square);
    Cblacs_gridinit(&square, "Row", processes % 2 == 0 ? 2 : 1, processes % 2 == 0 ? processes / 2 : processes);
    matrix a = make(strips, M, N, STRIP), t = make(strips, N, M, STRIP), b = make(square, N, M, BLOCK);
    fill(&a);

    pdtran_(&n, &m, &alpha, a.local, &one, &one, a.desc, &beta, t.local, &one, &one, t.desc);
    Cpdgemr2d(N, M, t.local, 1, 1, t.desc, b.local, 1, 1, b.desc, strips);

    const int wrong = differences(&a, 0) + differences(&b, 1);
    if (wrong > 0) printf("process %d: %d elements are wrong\n", rank, wrong);
    if (rank == 0 && wrong == 0) printf("%d x %d transposed, from strips of %d to blocks of %d\n", M, N, STRIP, BLOCK);
    free(a.local);
    free(t.local);
    free(b.local);
    Cblacs_gridexit(square);
    Cblacs_gridexit(strips);
    Cblacs_exit(0);
    return wrong > 0;
}
