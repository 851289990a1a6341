/* A program as a user has it, which calls p?gemr2d on a grid of one row, and wants to know who answers. */
#include <scalay/scalapack.h>
#include <stdio.h>

void Cblacs_pinfo(int *rank, int *processes);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_exit(int go_on);

int main(void)
{
    const int one = 1, n = 1;
    int rank, processes, ctxt;
    Cblacs_pinfo(&rank, &processes);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", 1, processes);
    const int from[9] = {1, ctxt, 1, processes, 1, 1, 0, 0, 1},
              to[9] = {1, ctxt, 1, processes, 1, 1, 0, processes - 1, 1};
    const double a = rank;
    double b = -1; /* column 0 goes from process 0 to the last, and so on */
    pdgemr2d_(&n, &processes, &a, &one, &one, from, &b, &one, &one, to, &ctxt);
    const int right = b == (rank + 1) % processes;
    if (!right) printf("process %d has %g\n", rank, b);
    Cblacs_exit(0);
    return right && scalay_scalapack_active() ? 0 : 1;
}
