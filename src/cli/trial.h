#ifndef SCALAY_CLI_TRIAL_H
#define SCALAY_CLI_TRIAL_H

/**
 * @file
 * Trials: a kernel is run where a candidate of scalay_advice_create() would have it, on a matrix of random numbers, to
 * see what was predicted.
 */

#include "parallel/comm.h"
#include "scalay/advice.h"
#include "scalay/layout.h"

/** What is tried; made once for all candidates. */
typedef struct {
    scalay_comm *comm;
    scalay_type type;
    scalay_kernel kernel;
    const scalay_layout *source; /* of the matrix; of gemm: square, and A, B and C lie alike */
    int64_t iterations;          /* of a stencil; at least 1 */
    int bring_back;
} scalay_trial;

/** Seconds of the slowest rank. */
typedef struct {
    double move;
    double kernel; /* once; of a stencil: an iteration */
    double back;
} scalay_trial_seconds;

/**
 * Moves, runs the kernel once, and moves back. Collective; the ranks agree on the status. Planning is not timed. A
 * target whose elements are where the source has them is not moved to.
 * @param[in]  trial    what to try
 * @param[in]  target   where the kernel runs: a grid with square blocks for QR; anything for gemm, which is SUMMA where
 *                      it is no such grid, and for the stencil
 * @param[out] seconds  the same on every rank
 * @return SCALAY_SUCCESS, SCALAY_ERROR_UNSUPPORTED (there is no trial of the kernel), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI, SCALAY_ERROR_BLACS
 */
scalay_status scalay_trial_run(const scalay_trial *trial, const scalay_layout *target, scalay_trial_seconds *seconds);

#endif
