/* A program whose eigenproblem is well placed: the call stays, and SCALAY_VERBOSE=2 says what it was predicted to take.
 */
#include <mpi.h>
#include <stdlib.h>

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_exit(int go_on);
void pdsyevd_(const char *, const char *, const int *, double *, const int *, const int *, const int *, double *,
              double *, const int *, const int *, const int *, double *, const int *, int *, const int *, int *);

enum { ORDER = 240, BLOCK = 16 };

/* Calls the routine for the identity in the first `cols` local columns. Returns INFO. */
static int solve(int ctxt, int cols)
{
    const int n = ORDER, one = 1, desc[9] = {1, ctxt, n, n, BLOCK, BLOCK, 0, 0, n};
    const int lwork = 10 * ORDER * ORDER, liwork = 20 * ORDER;
    double *a = calloc(2 * (size_t)ORDER * ORDER + ORDER + (size_t)lwork, sizeof *a), *z = a + (size_t)ORDER * ORDER;
    int *iwork = calloc(liwork, sizeof *iwork), info = -1;
    if (a == NULL || iwork == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int j = 0; j < cols; j++) a[(size_t)j * ORDER + (size_t)j] = 1.0 + j;
    double *w = z + (size_t)ORDER * ORDER;
    pdsyevd_("V", "L", &n, a, &one, &one, desc, w, z, &one, &one, desc, w + ORDER, &lwork, iwork, &liwork, &info);
    free(iwork);
    free(a);
    return info;
}

int main(int argc, char **argv)
{
    int ctxt = -1, size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", 1, size);
    const int info = solve(ctxt, ORDER / size / BLOCK * BLOCK);
    Cblacs_exit(0);
    return info != 0;
}
