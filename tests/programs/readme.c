/* The README's lines in C, compiled and run. An odd number of processes leaves one outside the grid.
 * tests/programs/readme.cmake compares the lines between the marks with the README. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* README begin */
#include <scalay/scalay.h>
/* README pause */

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_gridexit(int ctxt);
void Cblacs_exit(int keep_mpi);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *irsrc, const int *icsrc,
               const int *ictxt, const int *lld, int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja, const int *desca,
              const double *tau, double *work, const int *lwork, int *info);
double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia, const int *ja,
                const int *desca, double *work, size_t length);

static int leave(void)
{
    Cblacs_exit(1);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    enum { N = 100, NB = 8 };
    const int n = N, nb = NB, zero = 0, one = 1;
    int rank, size, ctxt, nprow, npcol, row, col, desca[9], info;
    scalay_comm *comm = NULL;
    scalay_layout *layout = NULL;
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &size);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", size >= 4 ? 2 : 1, size >= 4 ? size / 2 : size == 3 ? 2 : size);
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &row, &col);
    if (row < 0) return leave();
    const int rows = numroc_(&n, &nb, &row, &zero, &nprow), cols = numroc_(&n, &nb, &col, &zero, &npcol);
    const int lld = rows > 1 ? rows : 1, lwork = NB * (rows + cols + NB);
    descinit_(desca, &n, &n, &nb, &nb, &zero, &zero, &ctxt, &lld, &info);
    double *a = malloc((size_t)(lld * (cols + 1)) * sizeof *a), *tau = malloc((size_t)(cols + 1) * sizeof *tau);
    double *work = malloc((size_t)lwork * sizeof *work);
    srand(7 + (unsigned)rank);
    for (int k = 0; k < lld * cols; k++) a[k] = rand() / (double)RAND_MAX - 0.5;

    /* README resume */
    scalay_comm_create_blacs(desca[1], &comm); /* the processes of the grid */
    scalay_layout_from_desc(comm, desca, &layout);
    scalay_pdgeqrf(comm, layout, NULL, a, tau, NULL); /* instead of pdgeqrf_(...) */
    scalay_layout_destroy(&layout);
    scalay_comm_destroy(&comm);
    /* README end */

    /* ||Q||_F of an orthogonal matrix is the square root of n. */
    pdorgqr_(&n, &n, &n, a, &one, &one, desca, tau, work, &lwork, &info);
    const double norm = pdlange_("F", &n, &n, a, &one, &one, desca, work, 1);
    if (rank == 0) printf("||Q||_F = %.12g\n", norm);
    free(work);
    free(tau);
    free(a);
    Cblacs_gridexit(ctxt);
    leave();
    return info == 0 && norm > 9.9999999999 && norm < 10.0000000001 ? 0 : 1;
}
