#ifndef SCALAY_TESTS_REDIST_HANDLES_H
#define SCALAY_TESTS_REDIST_HANDLES_H

/**
 * @file
 * Communicators and windows of MPI that live, and files that are open: what a leak would add to. For one program file;
 * the functions are seen by the libraries, too.
 */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "scalay/status.h"
#include "support/process.h"

static int64_t communicators_live, windows_live;

static int count_communicator(int code, const MPI_Comm *made)
{
    communicators_live += code == MPI_SUCCESS && *made != MPI_COMM_NULL;
    return code;
}

SCALAY_API int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    return count_communicator(PMPI_Comm_dup(comm, made), made);
}

SCALAY_API int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    return count_communicator(PMPI_Comm_split(comm, colour, key, made), made);
}

SCALAY_API int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    return count_communicator(PMPI_Comm_split_type(comm, type, key, info, made), made);
}

SCALAY_API int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return count_communicator(PMPI_Comm_create(comm, group, made), made);
}

SCALAY_API int MPI_Comm_free(MPI_Comm *comm)
{
    communicators_live--;
    return PMPI_Comm_free(comm);
}

SCALAY_API int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    const int code = PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
    windows_live += code == MPI_SUCCESS;
    return code;
}

SCALAY_API int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    const int code = PMPI_Win_create(base, size, unit, info, comm, win);
    windows_live += code == MPI_SUCCESS;
    return code;
}

SCALAY_API int MPI_Win_free(MPI_Win *win)
{
    windows_live--;
    return PMPI_Win_free(win);
}

#endif
