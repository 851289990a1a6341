#ifndef SCALAY_MEASURE_H
#define SCALAY_MEASURE_H

/**
 * @file
 * Measuring the machine at hand: what the models of model.h need to know.
 *
 * A scalay_machine (types.h) holds five numbers. scalay_machine_measure() finds them in about a second by running the
 * operations themselves on all ranks at once, so that shared cores, caches and links are in the numbers. Without a
 * measurement scalay_machine_typical() (model.h) is a start.
 */

#include "scalay/context.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Measures the machine. Collective over comm; all ranks work for about a second and get the same numbers.
 *
 * The rates of BLAS and of copying are those of the mean rank while all are at work. Messages go to and fro between
 * rank k and rank k + P / 2, all pairs at once; the smallest message tells the latency, the line through the times of
 * several sizes the time per byte: medians over the rounds and means over the pairs. A communicator of one rank sends
 * to itself.
 * @param[in]  comm     the ranks to measure
 * @param[out] machine  caller-owned; every entry is positive
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_machine_measure(scalay_comm *comm, scalay_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
