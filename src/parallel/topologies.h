#ifndef SCALAY_PARALLEL_TOPOLOGIES_H
#define SCALAY_PARALLEL_TOPOLOGIES_H

/**
 * @file
 * The algorithms of the broadcasts and sums of ScaLAPACK's routines, which the PBLAS keep per process.
 *
 * They have to be equal on the processes of a grid. Some routines leave others behind, as p?orgqr does: after a call on
 * a part of the processes, a call on a grid of all of them may wait forever.
 */

#include "scalay/export.h"

enum { SCALAY_TOPOLOGIES = 6 };

/** The topologies of a process. */
typedef struct {
    char letter[SCALAY_TOPOLOGIES];
} scalay_topologies;

/** Sets the topologies of this process to those at the start of a program. Local. Returns what they were. */
SCALAY_API scalay_topologies scalay_topologies_reset(int ctxt);

/** Sets the topologies of this process. Local. */
SCALAY_API void scalay_topologies_restore(int ctxt, const scalay_topologies *topologies);

#endif
