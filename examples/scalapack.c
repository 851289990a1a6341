/* Calls p?trmr2d, linked with -lscalay_scalapack before ScaLAPACK, and asks which library answers the call. */
#include "scalay/scalapack.h"

#include <stdio.h>

void Cblacs_pinfo(int *rank, int *processes);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *myrow, int *mycol);
void Cblacs_exit(int go_on);

enum { N = 6 };

int main(void)
{
    double a[N * N], b[N * N] = {0};
    int rank, processes, everybody, alone, nprow, npcol, row, col;
    Cblacs_pinfo(&rank, &processes);
    Cblacs_get(-1, 0, &everybody);
    Cblacs_gridinit(&everybody, "Row", 1, processes);
    Cblacs_get(-1, 0, &alone);
    Cblacs_gridinit(&alone, "Row", 1, 1); /* process 0; the others get -1 */
    Cblacs_gridinfo(everybody, &nprow, &npcol, &row, &col);
    for (int k = 0; k < N * N; k++) a[k] = 10 * col + k % N;

    /* columns are dealt cyclically; their upper triangle moves to process 0 */
    const int from[9] = {1, everybody, N, N, N, 1, 0, 0, N}, to[9] = {1, alone, N, N, N, N, 0, 0, N};
    Cpdtrmr2d("U", "N", N, N, a, 1, 1, from, b, 1, 1, to, everybody);

    const int active = scalay_scalapack_active();
    for (int i = 0; rank == 0 && i < N; i++) {
        for (int j = 0; j < N; j++) printf(" %4g", b[i + j * N]);
        printf("\n");
    }
    if (rank == 0) printf("%s answers\n", active ? "ScaLAY" : "ScaLAPACK");
    Cblacs_exit(0);
    return active ? 0 : 1;
}
