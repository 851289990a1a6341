#ifndef SCALAY_MEASURE_TOGETHER_H
#define SCALAY_MEASURE_TOGETHER_H

/**
 * @file
 * Ranks that share processors take turns on them, some milliseconds each. They must be at work at the same time, and
 * for many turns, or each of them looks as fast as if it were alone. A barrier is not enough: who has yielded in it
 * may have to wait until another one that has left it before is through with all of its work.
 */

#include "parallel/comm.h"

/**
 * How many of the ranks with work share a processor of this rank's node, where they are most; 1: none do. Ranks are to
 * be bound before they measure for the first time with this communicator. Collective.
 * @param[in]  works  non-zero: this rank has work
 * @param[out] crowd  at least 1; the same on all ranks of a node
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_find_crowd(scalay_comm *comm, int works, double *crowd);

/** Seconds that ranks which share processors must be at work to have had many turns each; 0 where none do. */
double scalay_crowd_interval(double crowd);

/**
 * A barrier, after which ranks that share processors are really at work together: awake since the same moment, and
 * since some turns. Collective.
 * @param[in] crowd    of scalay_find_crowd()
 * @param[in] resting  non-zero: they leave the processors alone until then; the first turn may then be one's own
 */
scalay_status scalay_begin_together(scalay_comm *comm, double crowd, int resting);

#endif
