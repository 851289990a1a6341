#ifndef SCALAY_MULTIPLY_IN_PLACE_H
#define SCALAY_MULTIPLY_IN_PLACE_H

/** @file Calling ScaLAPACK on a matrix in the layout of the caller: its context, descriptor and first indices. */

#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/layout.h"

/** A block-cyclic layout as ScaLAPACK addresses it. */
typedef struct {
    int ctxt;        /* -1 on idle ranks */
    int desc[DLEN_]; /* of the distributed matrix */
    int ia, ja;      /* 1-based, of the matrix in the distributed matrix */
} scalay_in_place;

/** Returns NULL if ScaLAPACK can address the matrix, otherwise the reason why not. Not collective. */
const char *scalay_in_place_reason(const scalay_layout *layout);

/** Returns 1 if two block-cyclic layouts are on the same process grid: shape, order and processes. Not collective. */
int scalay_in_place_same_grid(const scalay_layout *a, const scalay_layout *b);

/** Returns the fingerprint of the process grid of a block-cyclic layout (scalay_grid_find()); 0: the layout has not one
 * part on each rank. Not collective. */
uint64_t scalay_in_place_members(const scalay_comm *comm, const scalay_layout *layout);

/**
 * Acquires the context of a layout that ScaLAPACK can address, and fills the descriptor. Collective over comm; the
 * ranks agree on the status. Release the context with scalay_grid_release().
 */
scalay_status scalay_in_place_create(scalay_comm *comm, const scalay_layout *layout, scalay_in_place *in_place);

/** Fills the descriptor for a context that was acquired for a layout on the same grid. Not collective. */
void scalay_in_place_describe(const scalay_comm *comm, const scalay_layout *layout, int ctxt,
                              scalay_in_place *in_place);

#endif
