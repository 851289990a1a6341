/* A program that factors or inverts a matrix in a slab per process again and again, which stays where it is at first:
 * `few_blocks potrf|potri NPROW NPCOL CALLS`. Every second call has a smaller matrix. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_exit(int go_on);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void pdpotrf_(const char *, const int *, double *, const int *, const int *, const int *, int *);
void pdpotri_(const char *, const int *, double *, const int *, const int *, const int *, int *);

enum { ORDER = 512, SMALLER = 496, BLOCK = 256 };

static const double diagonal = 4.0;

/* Calls the routine for a multiple of the identity. Returns 1 if the result is wrong. */
static int run(int ctxt, int n, int inverts)
{
    const int one = 1, zero = 0, nb = BLOCK;
    int nprow, npcol, row, col, info = -1, wrong = 0;
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &row, &col);
    const int rows = numroc_(&n, &nb, &row, &zero, &nprow), cols = numroc_(&n, &nb, &col, &zero, &npcol);
    const int desc[9] = {1, ctxt, n, n, nb, nb, 0, 0, rows};
    double *a = calloc((size_t)rows * (size_t)cols, sizeof *a);
    for (int k = 0; k < n; k++)
        if (k / nb % nprow == row && k / nb % npcol == col)
            a[k % nb + k / nb / nprow * nb + (size_t)(k % nb + k / nb / npcol * nb) * (size_t)rows] = diagonal;
    if (inverts)
        pdpotri_("L", &n, a, &one, &one, desc, &info);
    else
        pdpotrf_("L", &n, a, &one, &one, desc, &info);
    const double expected = inverts ? 1.0 / (diagonal * diagonal) : sqrt(diagonal);
    for (int k = 0; k < n; k++)
        if (k / nb % nprow == row && k / nb % npcol == col)
            wrong +=
                a[k % nb + k / nb / nprow * nb + (size_t)(k % nb + k / nb / npcol * nb) * (size_t)rows] != expected;
    free(a);
    return info != 0 || wrong > 0;
}

int main(int argc, char **argv)
{
    int ctxt = -1, wrong = 0;
    MPI_Init(&argc, &argv);
    if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", atoi(argv[2]), atoi(argv[3]));
    for (int k = 0; k < atoi(argv[4]); k++)
        wrong |= run(ctxt, k % 2 == 0 ? ORDER : SMALLER, strcmp(argv[1], "potri") == 0);
    if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
    Cblacs_exit(0);
    return 0;
}
