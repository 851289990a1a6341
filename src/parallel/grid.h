#ifndef SCALAY_PARALLEL_GRID_H
#define SCALAY_PARALLEL_GRID_H

/** @file Reading a ScaLAPACK descriptor: the grid and the extents, known on all ranks of a communicator. */

#include <stdint.h>

#include "base/status.h"
#include "scalay/types.h"

/** Contents of a descriptor. Equal on all ranks except for the last three members. */
typedef struct {
    int m, n, mb, nb, rsrc, csrc;
    int nprow, npcol;
    int *ranks;    /* shape [nprow * npcol], row by row: rank in the communicator of process (r, c); owned */
    int rank;      /* calling rank */
    int processes; /* ranks of the communicator */
    int lld;       /* on the calling rank; 0 outside the grid */
} scalay_descriptor;

/**
 * Reads a descriptor and its BLACS grid. Collective over comm.
 * @param[in]  comm        contains every process of the grid
 * @param[in]  own_status  checks of the caller on this rank; reported on all ranks
 * @param[in]  desc        shape [9]; NULL or a context of -1 outside the grid
 * @param[out] descriptor  caller-owned; release descriptor->ranks with scalay_release()
 * @return as scalay_layout_from_desc()
 */
scalay_status scalay_descriptor_read(scalay_comm *comm, scalay_status own_status, const int *desc,
                                     scalay_descriptor *descriptor);

/** Returns the fingerprint of a grid: its shape, and its ranks, row by row. */
uint64_t scalay_grid_members(int nprow, int npcol, const int *ranks);

/** Creates a BLACS context of this process alone. Not collective. Release it with Cblacs_gridexit(). */
int scalay_grid_of_process(void);

/**
 * Returns a BLACS context of a grid that contains all ranks of the communicator: one that the communicator holds, or
 * one of the program that a descriptor named and that still exists. Not collective. All ranks find one, or none does.
 * @param[in] members  of scalay_grid_members()
 * @return -1 if none is known
 */
int scalay_grid_find(const scalay_comm *comm, uint64_t members);

#endif
