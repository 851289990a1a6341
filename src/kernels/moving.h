#ifndef SCALAY_KERNELS_MOVING_H
#define SCALAY_KERNELS_MOVING_H

/** @file What moving to where a kernel runs should take. */

#include "scalay/model.h"
#include "scalay/redist.h"

/**
 * Adds what one execution of a plan should take to *seconds: what each rank knows of it, reduced to what the busiest
 * does. Collective over comm.
 * @param[in] plan     NULL: nothing is moved
 * @param[in] type     of the elements
 * @param[in] machine  NULL: scalay_machine_typical()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_moving_predict(scalay_comm *comm, const scalay_plan *plan, scalay_type type,
                                    const scalay_machine *machine, double *seconds);

#endif
