#ifndef SCALAY_TESTS_DROPIN_COLLECTIVES_H
#define SCALAY_TESTS_DROPIN_COLLECTIVES_H

/**
 * @file
 * Counts the collective calls and the messages of MPI, by its profiling interface. For one program file; the functions
 * replace those of MPI in the libraries, too.
 */

#include <mpi.h>

#include "scalay/export.h"

static int collectives, messages;

#define COUNT(NAME, PARAMETERS, ARGUMENTS)                                                                             \
    SCALAY_API int MPI_##NAME PARAMETERS                                                                               \
    {                                                                                                                  \
        collectives++;                                                                                                 \
        return PMPI_##NAME ARGUMENTS;                                                                                  \
    }

COUNT(Allreduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (in, out, n, type, op, comm))
COUNT(Reduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
      (in, out, n, type, op, root, comm))
COUNT(Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm), (data, n, type, root, comm))
COUNT(Barrier, (MPI_Comm comm), (comm))
COUNT(Allgather, (const void *in, int n, MPI_Datatype type, void *out, int each, MPI_Datatype each_type, MPI_Comm comm),
      (in, n, type, out, each, each_type, comm))
COUNT(Gather,
      (const void *in, int n, MPI_Datatype type, void *out, int each, MPI_Datatype each_type, int root, MPI_Comm comm),
      (in, n, type, out, each, each_type, root, comm))
COUNT(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
COUNT(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *part), (comm, colour, key, part))
COUNT(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part), (comm, type, key, info, part))
COUNT(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *part), (comm, group, part))
COUNT(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
      (size, unit, info, comm, base, win))

SCALAY_API int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    messages++;
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

#endif
