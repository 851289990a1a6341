#ifndef SCALAY_MULTIPLY_MOVING_H
#define SCALAY_MULTIPLY_MOVING_H

/** @file What moving to where a kernel runs should take. */

#include "scalay/model.h"
#include "scalay/redist.h"

/**
 * The segments of memory of a matrix that moves, as scalay_move has them: those of scalay_layout_segments(), 0 for
 * one that is transposed on its way, whose elements are copied one by one at either end.
 */
int64_t scalay_moving_segments(const scalay_layout *source, const scalay_layout *target, scalay_op op);

/**
 * Adds what one execution of a plan should take to *seconds: what each rank knows of it, reduced to what the busiest
 * does. Collective over comm.
 * @param[in] plan       NULL: nothing is moved
 * @param[in] segments  of all of its matrices
 * @param[in] type       of the elements
 * @param[in] machine    NULL: scalay_machine_typical()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_moving_predict(scalay_comm *comm, const scalay_plan *plan, int64_t segments, scalay_type type,
                                    const scalay_machine *machine, double *seconds);

#endif
