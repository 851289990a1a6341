#ifndef SCALAY_CONTEXT_H
#define SCALAY_CONTEXT_H

/**
 * @file
 * Communicators and the BLACS grids that belong to them.
 *
 * A scalay_comm holds a duplicate of the caller's communicator, so that ScaLAY's messages never meet the caller's.
 * Plans keep it alive: it may be destroyed while they exist, and goes when the last of them goes.
 *
 * A BLACS context costs four MPI communicators. A scalay_comm therefore keeps the contexts it makes, one per
 * (grid shape, rank map), and hands the same one out again. A context that nobody uses is freed when
 * SCALAY_GRIDS_KEPT other contexts have been made since; all of them, used or not, go with their scalay_comm. Destroy
 * every scalay_comm before Cblacs_exit and MPI_Finalize.
 */

#include <mpi.h>

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An unused BLACS context outlives so many later ones, for the next call that wants the same. */
#define SCALAY_GRIDS_KEPT 8

/**
 * Makes a ScaLAY communicator. Collective over mpi.
 * @param[in]  mpi   an intracommunicator; duplicated, not owned
 * @param[out] comm  the new object, to be released with scalay_comm_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (MPI_COMM_NULL, an intercommunicator, MPI not initialised),
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_comm_create(MPI_Comm mpi, scalay_comm **comm);

/**
 * scalay_comm_create() for a Fortran communicator handle. Collective over it.
 * @param[in]  mpi   the handle
 * @param[out] comm  as in scalay_comm_create()
 * @return as scalay_comm_create()
 */
SCALAY_API scalay_status scalay_comm_create_f(MPI_Fint mpi, scalay_comm **comm);

/**
 * Gives a ScaLAY communicator up. Collective over it. It is freed, with its BLACS
 * contexts, when no plan uses it any more.
 * @param[in,out] comm  the object; set to NULL; a NULL pointer or object is fine
 */
SCALAY_API void scalay_comm_destroy(scalay_comm **comm);

/** The calling rank, 0-based; -1 for NULL. Not collective. */
SCALAY_API int scalay_comm_rank(const scalay_comm *comm);

/** The number of ranks; 0 for NULL. Not collective. */
SCALAY_API int scalay_comm_size(const scalay_comm *comm);

/** The duplicate that ScaLAY communicates on; not to be freed. MPI_COMM_NULL for NULL. Not collective. */
SCALAY_API MPI_Comm scalay_comm_handle(const scalay_comm *comm);

/** scalay_comm_handle() as a Fortran communicator handle. Not collective. */
SCALAY_API MPI_Fint scalay_comm_handle_f(const scalay_comm *comm);

/**
 * A BLACS context whose process (r, c) is a given rank. Collective over comm.
 * @param[in]  comm   the communicator
 * @param[in]  nprow  rows of the grid, at least 1
 * @param[in]  npcol  columns of the grid, at least 1; nprow * npcol is at most the number of ranks
 * @param[in]  ranks  shape [nprow * npcol], row by row: the rank in comm at (r, c); distinct; NULL means 0, 1, 2, ...
 * @param[out] ctxt   the context, -1 on ranks outside the grid; release with scalay_grid_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_grid_acquire(scalay_comm *comm, int nprow, int npcol, const int *ranks, int *ctxt);

/**
 * Gives a context back to its communicator, which may keep it for the next caller. Collective over the grid;
 * ranks outside may call it too, with the -1 that they got.
 * @param[in]     comm  the communicator that made the context
 * @param[in,out] ctxt  the context; set to -1; -1 is fine
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (not a context of this communicator, or already given back)
 */
SCALAY_API scalay_status scalay_grid_release(scalay_comm *comm, int *ctxt);

/* ---------------------------------------------------------------------------------------------- arrays */

/**
 * Memory that the other processes of the node can read without a copy in between: a matrix in it moves fastest, by
 * the transport "shared" (redist.h). Collective over comm: every rank gets its array or none does. Where the machine
 * has no memory to share, or the ranks of the node cannot share it, the array is ordinary memory, and everything works.
 * @param[in]  comm   the ranks
 * @param[in]  bytes  of this rank's array, at least 0; may differ from rank to rank
 * @param[out] array  zeroed, aligned to 64 bytes, not NULL even for 0 bytes; to be released with scalay_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_alloc(scalay_comm *comm, int64_t bytes, void **array);

/**
 * Releases an array of scalay_alloc(). Collective over the ranks that made it; before MPI_Finalize; the communicator
 * may be gone. Nothing that uses the array is under way.
 * @param[in,out] array  the array; set to NULL; NULL is fine, on all ranks alike
 */
SCALAY_API void scalay_free(void **array);

#ifdef __cplusplus
}
#endif

#endif
