#ifndef SCALAY_TESTS_MEASURE_JOULES_H
#define SCALAY_TESTS_MEASURE_JOULES_H

/** @file A machine that is memory: all ranks see what each of them has used. */

#include <mpi.h>
#include <string.h>

#include "parallel/comm.h"

/** Joules, one number for each rank, zero: shape [ranks]. Released with the window. Collective. */
static inline double *shared_joules(const scalay_comm *comm, MPI_Win *window)
{
    double *joules = NULL;
    MPI_Aint bytes = scalay_comm_rank(comm) == 0 ? (MPI_Aint)sizeof(double) * scalay_comm_size(comm) : 0;
    int unit = 1;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &joules, window);
    MPI_Win_shared_query(*window, 0, &bytes, &unit, &joules);
    if (scalay_comm_rank(comm) == 0) memset(joules, 0, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return joules;
}

#endif
