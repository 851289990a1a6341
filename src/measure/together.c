#define _POSIX_C_SOURCE 200809L
#include "measure/together.h"

#include <math.h>
#include <unistd.h>

#include "measure/wait.h"
#include "parallel/node.h"
#include "scalay/measure.h"

/* Seconds: a rank's turns of some milliseconds each, in an interval; what all need to fall asleep and to wake up; some
 * turns. */
#define INTERVAL 40e-3
#define SLEEP 4e-3
#define LEAD 6e-3

scalay_status scalay_find_crowd(scalay_comm *comm, int works, double *crowd)
{
    scalay_status status = SCALAY_SUCCESS;
    int workers = 0;
    double most = 1.0;
    const int mine = works != 0;
    *crowd = 1.0;
    SCALAY_TRY(scalay_node_probe(comm));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &workers, 1, MPI_INT, MPI_SUM, comm->node->mpi));
    const double on_node = (double)comm->node->size / (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double seen = fmax(on_node, 1.0 / scalay_node_share(comm->node));
    SCALAY_TRY_MPI(MPI_Allreduce(&seen, &most, 1, MPI_DOUBLE, MPI_MAX, comm->node->mpi));
    *crowd = fmax(1.0, fmin(workers, most));
cleanup:
    return status;
}

double scalay_crowd_interval(double crowd)
{
    return crowd > 1.0 ? INTERVAL * crowd : 0.0;
}

static void spin_until(double moment)
{
    while (scalay_clock() < moment) {
    }
}

/* Who has slept gets his turn as if he had never yielded. */
scalay_status scalay_begin_together(scalay_comm *comm, double crowd, int resting)
{
    scalay_status status = SCALAY_SUCCESS;
    double all = 0.0;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    if (crowd <= 1.0) return SCALAY_SUCCESS;
    const double now = scalay_clock();
    SCALAY_TRY_MPI(MPI_Allreduce(&now, &all, 1, MPI_DOUBLE, MPI_MAX, comm->node->mpi));
    const double awake = all + SLEEP;
    scalay_sleep(fmax(0.0, awake - scalay_clock()));
    if (!resting) spin_until(awake + LEAD * crowd);
cleanup:
    return status;
}
