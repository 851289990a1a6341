#ifndef SCALAY_CONTEXT_H
#define SCALAY_CONTEXT_H

/**
 * @file
 * Communicators, BLACS grids, and shared arrays.
 *
 * A scalay_comm holds a duplicate of the caller's communicator. Messages of the library and of the caller cannot match
 * each other. Plans hold references: the communicator may be destroyed before them.
 *
 * A BLACS context costs four MPI communicators. A scalay_comm therefore caches the contexts that it creates, one per
 * (grid shape, rank map). A context without users is freed after SCALAY_GRIDS_KEPT other contexts were created. All
 * contexts are freed with their scalay_comm. Destroy every scalay_comm before Cblacs_exit and MPI_Finalize.
 *
 * Threads: under MPI_THREAD_MULTIPLE, threads may use objects of different communicators at the same time. Objects of
 * one communicator are for one thread at a time. Functions that create or free a BLACS context (scalay_grid_acquire()
 * and its callers, scalay_machine_measure() and its callers) are for one thread at a time, because the BLACS are.
 */

/* C++ programs get the C interface of MPI alone. The C++ interface of MPI-2 needs a library of its own. */
#ifdef __cplusplus
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#endif
#include <mpi.h>

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Number of later contexts after which an unused BLACS context is freed. */
#define SCALAY_GRIDS_KEPT 8

/**
 * Creates a communicator of the processes of a BLACS context. Collective over the processes of the context. Other
 * processes need not call the function; if they do, they do not wait. Use it in programs whose grid has fewer processes
 * than MPI_COMM_WORLD.
 * @param[in]  ctxt  BLACS context; -1 outside the context
 * @param[out] comm  release with scalay_comm_destroy(). Rank of process (r, c): r * npcol + c. NULL outside the context
 * @return SCALAY_SUCCESS, also outside the context; SCALAY_ERROR_ARGUMENT (not a context), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_comm_create_blacs(int ctxt, scalay_comm **comm);

/**
 * Creates a communicator. Collective over mpi.
 * @param[in]  mpi   an intracommunicator; duplicated, not owned
 * @param[out] comm  release with scalay_comm_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (MPI_COMM_NULL, an intercommunicator, MPI not initialised),
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_comm_create(MPI_Comm mpi, scalay_comm **comm);

/** As scalay_comm_create(), for a Fortran handle. */
SCALAY_API scalay_status scalay_comm_create_f(MPI_Fint mpi, scalay_comm **comm);

/**
 * Releases a communicator. Collective over the communicator. The communicator and its BLACS contexts are freed when no
 * plan uses them: at once, or when the last such plan is destroyed.
 * @param[in,out] comm  set to NULL; NULL is allowed
 */
SCALAY_API void scalay_comm_destroy(scalay_comm **comm);

/** Returns the calling rank, 0-based; -1 for NULL. Not collective. */
SCALAY_API int scalay_comm_rank(const scalay_comm *comm);

/** Returns the number of ranks; 0 for NULL. Not collective. */
SCALAY_API int scalay_comm_size(const scalay_comm *comm);

/** Returns the duplicate, which the caller must not free; MPI_COMM_NULL for NULL. Not collective. */
SCALAY_API MPI_Comm scalay_comm_handle(const scalay_comm *comm);

/** As scalay_comm_handle(), as a Fortran handle. */
SCALAY_API MPI_Fint scalay_comm_handle_f(const scalay_comm *comm);

/**
 * Returns a BLACS context in which process (r, c) is a given rank. Collective over comm.
 * @param[in]  comm   communicator
 * @param[in]  nprow  grid rows, at least 1
 * @param[in]  npcol  grid columns, at least 1; nprow * npcol is at most the number of ranks
 * @param[in]  ranks  shape [nprow * npcol], row by row: rank in comm of process (r, c), distinct; NULL: 0, 1, 2, ...
 * @param[out] ctxt   context, -1 on ranks outside the grid; release with scalay_grid_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_grid_acquire(scalay_comm *comm, int nprow, int npcol, const int *ranks, int *ctxt);

/**
 * Returns a context to its communicator, which caches it. Collective over the grid. Ranks outside the grid may call it
 * with -1.
 * @param[in]     comm  communicator that created the context
 * @param[in,out] ctxt  context; set to -1; -1 is allowed
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (not a context of this communicator, or already released)
 */
SCALAY_API scalay_status scalay_grid_release(scalay_comm *comm, int *ctxt);

/* ---------------------------------------------------------------------------------------------- arrays */

/**
 * Allocates an array that the other processes of the node can read directly. A matrix in such an array moves fastest,
 * by the transport "shared" (redist.h). Collective over comm: every rank gets its array or none does. If the ranks of
 * the node cannot share memory, the array is ordinary memory.
 * @param[in]  comm   communicator
 * @param[in]  bytes  size of the array of this rank, at least 0; may differ between ranks
 * @param[out] array  zeroed, aligned to 64 bytes, not NULL even for 0 bytes; release with scalay_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_alloc(scalay_comm *comm, int64_t bytes, void **array);

/**
 * Releases an array of scalay_alloc(). Collective over the ranks that created it, before MPI_Finalize. The communicator
 * may be destroyed before. No pending operation may use the array.
 * @param[in,out] array  set to NULL; NULL is allowed, on all ranks alike
 */
SCALAY_API void scalay_free(void **array);

#ifdef __cplusplus
}
#endif

#endif
