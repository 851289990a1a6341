#ifndef SCALAY_PARALLEL_SHARED_MEMORY_H
#define SCALAY_PARALLEL_SHARED_MEMORY_H

/** @file Memory that several processes of a node map: windows of segments, and the arrays of scalay_alloc(). */

#include <mpi.h>
#include <stdint.h>

#include "base/status.h"

/* ---------------------------------------------------------------------------------------------- windows */

/** One segment of shared memory per rank, mapped at different addresses in different processes. Zeroed: no window. */
typedef struct {
    MPI_Win win; /* unless a file is mapped */
    int exists;  /* 0: shared memory is not available */
    int size;    /* ranks */
    int rank;
    int mpi_failures;                /* of this process when the window was created */
    int64_t bytes;                   /* of the segment of this rank */
    char **segment;                  /* shape [size]: addresses in this process, aligned to 64 bytes */
    struct scalay_shared_part *part; /* shape [size]: what the ranks tell each other */
    char *mapped;                    /* the file in huge pages that has all segments; NULL: there is none */
    int64_t mapped_bytes;
} scalay_shared_window;

/**
 * Creates a window. Collective over node: the window exists on every rank or on none. Missing shared memory is not a
 * failure. The segment gets its pages at once.
 * @param[in]  node    ranks of one node; one rank gets no window
 * @param[in]  bytes   of the segment of this rank, at least 0; may differ between ranks
 * @param[in]  cleared bytes at the start of the segment that are zero
 * @param[out] window  release with scalay_shared_window_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI; SCALAY_ERROR_MEMORY on the failing ranks only (the others return
 *         SCALAY_SUCCESS without a window)
 */
scalay_status scalay_shared_window_create(MPI_Comm node, int64_t bytes, int64_t cleared, scalay_shared_window *window);

/*
 * The steps of scalay_shared_window_create(), for callers that decide themselves whether the window fits:
 * prepare() allocates tables, not collective; allocate() calls MPI, collective over node, not agreed upon:
 * window->exists tells whether this rank has the window. The first `cleared` bytes of its segment are zero; other ranks
 * may use them after a synchronisation. Pages come when they are used.
 */
scalay_status scalay_shared_window_prepare(MPI_Comm node, scalay_shared_window *window);
scalay_status scalay_shared_window_allocate(MPI_Comm node, int64_t bytes, int64_t cleared,
                                            scalay_shared_window *window);

/** Returns the bytes of shared memory that are available on this machine. */
int64_t scalay_shared_space(void);

/** Frees a window. Collective over its ranks. A zeroed window is allowed. */
void scalay_shared_window_free(scalay_shared_window *window);

/** Frees what a window has in this process after MPI_Finalize. Not collective. */
void scalay_shared_window_abandon(scalay_shared_window *window);

/* ----------------------------------------------------------------------------------------------- arrays */

/*
 * The arrays of scalay_alloc() belong to the process, not to a communicator. A location found with one communicator is
 * valid with another communicator of the same processes.
 */

/** A location in an array of scalay_alloc(). */
typedef struct {
    uint64_t array; /* identifier, equal on all ranks that created the array; 0: no array */
    int64_t owner;  /* rank among them whose part contains the location */
    int64_t offset; /* in that part, in bytes */
} scalay_array_location;

/** Finds the array that contains bytes start .. start + bytes - 1 of this process. No array: .array is 0. */
scalay_array_location scalay_array_find(const char *start, int64_t bytes);

/** Returns the address of a location in this process; NULL if this process has no part in the array. */
char *scalay_array_locate(scalay_array_location location);

/** Returns 1 if the process with a token (node.h) has a part in the array of a location. */
int scalay_array_is_known_to(scalay_array_location location, int64_t token);

/** For tests: number of live arrays. */
int scalay_arrays_live(void);

#endif
