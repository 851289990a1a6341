#ifndef SCALAY_PARALLEL_SEGMENTS_H
#define SCALAY_PARALLEL_SEGMENTS_H

/** @file Memory that all ranks of a node see: a segment of each, at another address in each process. */

#include <mpi.h>
#include <stdint.h>

#include "base/status.h"

/** The segments of all ranks; zeroed: none. */
typedef struct {
    MPI_Win win;
    int made; /* 0: the machine has no memory to share */
    int size; /* ranks */
    int rank;
    int64_t bytes;  /* of the own segment */
    char **segment; /* shape [size]: where they are in this process, aligned to 64 bytes */
} scalay_segments;

/**
 * Makes a window of zeros. Collective over node: every rank has it, or none. No memory to share is no failure.
 * @param[in]  node    ranks of one node; of a single rank nothing is made
 * @param[in]  bytes   of the own segment, at least 0; may differ from rank to rank
 * @param[out] window  to be released with scalay_segments_free()
 * @return SCALAY_SUCCESS; not agreed upon: SCALAY_ERROR_MEMORY, and the others have SCALAY_SUCCESS and no window;
 *         SCALAY_ERROR_MPI
 */
scalay_status scalay_segments_create(MPI_Comm node, int64_t bytes, scalay_segments *window);

/** Releases a window. Collective over its ranks. A zeroed one is fine. */
void scalay_segments_free(scalay_segments *window);

#endif
