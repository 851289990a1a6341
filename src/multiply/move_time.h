#ifndef SCALAY_MULTIPLY_MOVE_TIME_H
#define SCALAY_MULTIPLY_MOVE_TIME_H

/** @file Predicted time of the redistributions before and after a kernel. */

#include "scalay/model.h"
#include "scalay/redist.h"

/**
 * Returns the memory segments of a matrix that moves: scalay_layout_segments(), or 0 if the matrix is transposed,
 * because its elements are copied one by one. Not collective.
 */
int64_t scalay_move_segments(const scalay_layout *source, const scalay_layout *target, scalay_op op);

/**
 * Adds the predicted time of one execution of a plan to *seconds, from the maxima and sums over the ranks. Collective
 * over comm.
 * @param[in] plan      NULL: nothing is moved
 * @param[in] segments  of all matrices of the plan
 * @param[in] type      element type
 * @param[in] machine   NULL: scalay_machine_typical()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_move_time(scalay_comm *comm, const scalay_plan *plan, int64_t segments, scalay_type type,
                               const scalay_machine *machine, double *seconds);

#endif
