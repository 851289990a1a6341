#ifndef SCALAY_REDIST_BLACS_WIRE_H
#define SCALAY_REDIST_BLACS_WIRE_H

/** @file The point-to-point routines of the BLACS, by element type. */

#include "scalay/types.h"

/** Contiguous units to and from the process in column `peer` of a grid of one row. `send` has copied the data when it
 * returns; `receive` waits for it. */
typedef struct {
    int64_t unit; /* bytes */
    void (*send)(int ctxt, int count, void *data, int peer);
    void (*receive)(int ctxt, int count, void *data, int peer);
} scalay_blacs_wire;

/** The routines for a type, which is not raw. */
const scalay_blacs_wire *scalay_blacs_wire_for(scalay_type type);

#endif
