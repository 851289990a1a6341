#ifndef SCALAY_PARALLEL_DESCRIPTOR_H
#define SCALAY_PARALLEL_DESCRIPTOR_H

/** @file Reading a ScaLAPACK descriptor: what the ranks of its grid know, told to all. */

#include <stdint.h>

#include "base/status.h"
#include "scalay/types.h"

/** A descriptor as every rank of a communicator sees it. */
typedef struct {
    int m, n, mb, nb, rsrc, csrc;
    int nprow, npcol;
    int *ranks;    /* shape [nprow * npcol], row by row: the rank in the communicator at (r, c); owned */
    int rank;      /* the calling rank */
    int processes; /* ranks of the communicator */
    int lld;       /* of the calling rank; 0 outside the grid */
} scalay_descriptor;

/**
 * Asks BLACS for the grid of a descriptor and tells every rank. Collective over comm.
 * @param[in]  comm        contains every rank of the grid
 * @param[in]  desc        shape [9]; NULL or a context of -1 outside the grid
 * @param[out] descriptor  caller-owned; its ranks are to be released with scalay_release()
 * @return as scalay_layout_from_desc()
 */
scalay_status scalay_descriptor_read(scalay_comm *comm, const int *desc, scalay_descriptor *descriptor);

#endif
