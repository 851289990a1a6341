/* A program whose matrices are in one block of 2^30 x 2^30 on the first process: the call is answered, as in a block of
 * the order. */
#include <mpi.h>
#include <stdlib.h>

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_exit(int go_on);
void pdgesv_(const int *, const int *, double *, const int *, const int *, const int *, int *, double *, const int *,
             const int *, const int *, int *);

enum { ORDER = 300, RIGHT_SIDES = 20, BLOCK = 1 << 30 };

int main(int argc, char **argv)
{
    int ctxt = -1, size = 0, rank = 0, info = -1, wrong = 0;
    const int n = ORDER, columns = RIGHT_SIDES, one = 1;
    static double a[ORDER * ORDER], b[ORDER * RIGHT_SIDES];
    static int ipiv[2 * ORDER];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", 1, size);
    const int desc_a[9] = {1, ctxt, n, n, BLOCK, BLOCK, 0, 0, n};
    const int desc_b[9] = {1, ctxt, n, columns, BLOCK, BLOCK, 0, 0, n};
    for (int k = 0; rank == 0 && k < ORDER; k++) a[k + k * ORDER] = 2.0;
    for (int k = 0; rank == 0 && k < ORDER * RIGHT_SIDES; k++) b[k] = 2.0 * k;
    pdgesv_(&n, &columns, a, &one, &one, desc_a, ipiv, b, &one, &one, desc_b, &info);
    for (int k = 0; rank == 0 && k < ORDER * RIGHT_SIDES; k++) wrong += b[k] != k;
    if (info != 0 || wrong > 0) MPI_Abort(MPI_COMM_WORLD, 1);
    Cblacs_exit(0);
    return 0;
}
