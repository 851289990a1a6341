/* For nanosleep. */
#define _POSIX_C_SOURCE 200809L

#include "dropin/failure.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scalay/context.h"

void Cblacs_abort(int ctxt, int code);

void scalay_call_abort(const scalay_call *call)
{
    (void)fflush(stdout);
    const char *message = scalay_error_message();
    const int says_who = strncmp(message, call->routine, strlen(call->routine)) == 0;
    (void)fprintf(stderr, "ScaLAY: %s%s%s\n", says_who ? "" : call->routine, says_who ? "" : ": ", message);
    (void)fflush(stderr);
    /* A launcher may drop what it has not read when a process aborts, as MPICH's does. */
    const struct timespec moment = {.tv_nsec = 100000000};
    (void)nanosleep(&moment, NULL);
    Cblacs_abort(call->ctxt, call->code != 0 ? call->code : 1);
    abort();
}

void scalay_call_need_all(const scalay_call *call, const scalay_comm *comm, scalay_status status)
{
    const MPI_Comm mpi = scalay_comm_handle(comm);
    const int rank = scalay_comm_rank(comm);
    int mine = status == SCALAY_SUCCESS ? INT_MAX : rank, teller = INT_MAX;
    MPI_Allreduce(&mine, &teller, 1, MPI_INT, MPI_MIN, mpi);
    if (teller == INT_MAX) return;
    if (rank != teller) MPI_Barrier(mpi); /* which the teller never comes to */
    scalay_call_abort(call);
}
