/* For nanosleep. */
#define _POSIX_C_SOURCE 200809L

#include "measure/wait.h"

#include <errno.h>
#include <math.h>
#include <time.h>

/* Naps grow from one to the other. */
#define SHORTEST_NAP 20e-6
#define LONGEST_NAP 1e-3

void scalay_sleep(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)floor(seconds)};
    left.tv_nsec = (long)((seconds - floor(seconds)) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

scalay_status scalay_wait_max(scalay_comm *comm, const double *mine, double *most, int count)
{
    return scalay_wait_max_busy(comm, mine, most, count, NULL, NULL);
}

scalay_status scalay_wait_max_busy(scalay_comm *comm, const double *mine, double *most, int count,
                                   scalay_pastime pastime, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Request request = MPI_REQUEST_NULL;
    double nap = SHORTEST_NAP;
    int done = 0;
    SCALAY_TRY_MPI(MPI_Iallreduce(mine, most, count, MPI_DOUBLE, MPI_MAX, comm->mpi, &request));
    for (;;) {
        SCALAY_TRY_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done) break;
        if (pastime != NULL && pastime(data)) continue;
        scalay_sleep(nap);
        nap = fmin(2.0 * nap, LONGEST_NAP);
    }
cleanup:
    return status;
}
