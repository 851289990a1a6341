/* A program that is linked with ScaLAPACK only. Rank 1 dies by a signal, in a call of pdgemr2d or after it, or not at
   all. usage: last_call {in SIGNAL | after SIGNAL | end} */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parallel/blacs.h"

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib, int jb,
               const int *descb, int ctxt);

enum { M = 64, CALLS = 3 };
static double a[M * M], b[M * M];
static int fatal_signal;

static void die(int unused)
{
    (void)unused;
    (void)raise(fatal_signal);
}

static void move(int ctxt)
{
    const int from[DLEN_] = {1, ctxt, M, M, 8, 8, 0, 0, M}, to[DLEN_] = {1, ctxt, M, M, 4, 16, 0, 0, M};
    Cpdgemr2d(M, M, a, 1, 1, from, b, 1, 1, to, ctxt);
}

int main(int argc, char **argv)
{
    int rank = 0, size = 0, ctxt = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Cblacs_get(0, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "R", 1, size);
    for (int k = 0; k < CALLS; k++) move(ctxt);
    if (argc == 3) {
        fatal_signal = atoi(argv[2]);
        const int is_in = strcmp(argv[1], "in") == 0;
        if (rank != 1) (void)sleep(60);
        if (!is_in) die(0);
        (void)signal(SIGALRM, die);
        (void)alarm(1);
        move(ctxt); /* waits for the others */
    }
    MPI_Finalize();
    return 0;
}
