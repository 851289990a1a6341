/* What is wrong with a call is said, and ends the program, wherever one process or all of them pass it. The argument
   names the mistake; errors.sh knows what is to be said. Runs on two processes. */

#include "calls.h"

#include <mpi.h>
#include <stdio.h>

enum { N = 8 };

/* Everything that a mistake can be made in, right at first. */
typedef struct {
    int m, n, ia, ja, ib, jb, ctxt;
    int desca[DLEN_], descb[DLEN_];
    double *a;
    const char *uplo, *diag;
    enum { COPY, TRAPEZOID, TRANSPOSE } routine;
} arguments;

static int is(const char *mistake, const char *name)
{
    return strcmp(mistake, name) == 0;
}

/* On both processes. */
static void spoil(arguments *x, const char *mistake)
{
    if (is(mistake, "nb")) x->desca[NB_] = 0;
    if (is(mistake, "m")) x->m = -1;
    if (is(mistake, "ia")) x->ia = 0;
    if (is(mistake, "jb")) x->jb = 2;
    if (is(mistake, "csrc")) x->descb[CSRC_] = 2;
    if (is(mistake, "ctxt")) x->ctxt = 77;
    if (is(mistake, "nowhere")) x->descb[CTXT_] = -1;
    if (is(mistake, "uplo")) x->uplo = "X";
    if (is(mistake, "diag")) x->diag = "\n";
    if (is(mistake, "uplo") || is(mistake, "diag")) x->routine = TRAPEZOID;
    if (strncmp(mistake, "tran", 4) == 0) x->routine = TRANSPOSE;
    if (is(mistake, "tran-type")) x->desca[DTYPE_] = 7;
    if (is(mistake, "tran-n")) x->n = -2;
    if (is(mistake, "tran-context")) x->descb[CTXT_] = -1;
    if (is(mistake, "tran-nowhere")) x->desca[CTXT_] = x->descb[CTXT_] = -1;
}

/* On the second process only. */
static void spoil_second(arguments *x, const char *mistake)
{
    if (is(mistake, "lld")) x->descb[LLD_] = N - 1;
    if (is(mistake, "null")) x->a = NULL;
    if (is(mistake, "differ")) x->desca[MB_] = 3;
    if (is(mistake, "differ-n")) x->n--;
    if (is(mistake, "missing")) x->desca[CTXT_] = -1;
    if (is(mistake, "tran-lld")) x->desca[LLD_] = 2;
}

static void call(const arguments *x, double *b)
{
    const double one = 1, zero = 0;
    if (x->routine == TRANSPOSE)
        pdtran_(&x->m, &x->n, &one, x->a, &x->ia, &x->ja, x->desca, &zero, b, &x->ib, &x->jb, x->descb);
    else if (x->routine == TRAPEZOID)
        Cpdtrmr2d(x->uplo, x->diag, x->m, x->n, x->a, x->ia, x->ja, x->desca, b, x->ib, x->jb, x->descb, x->ctxt);
    else
        pdgemr2d_(&x->m, &x->n, x->a, &x->ia, &x->ja, x->desca, b, &x->ib, &x->jb, x->descb, &x->ctxt);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double a[N * N] = {0}, b[N * N] = {0};
    int ranks[2] = {0, 1}, world = 0;
    Cblacs_get(0, 0, &world);
    const grid g = make_grid(1, 2, ranks);
    arguments x = {N, N,   1,   1,   1, 1, g.ctxt, {1, g.ctxt, N, N, 2, 2, 0, 0, N}, {1, g.ctxt, N, N, 2, 2, 0, 0, N},
                   a, "U", "N", COPY};
    call(&x, b);
    spoil(&x, argc > 1 ? argv[1] : "");
    if (g.col == 1) spoil_second(&x, argc > 1 ? argv[1] : "");
    call(&x, b);
    printf("went on\n");
    MPI_Finalize();
    return 0;
}
