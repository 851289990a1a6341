#ifndef SCALAY_CLI_TRIAL_H
#define SCALAY_CLI_TRIAL_H

/**
 * @file
 * Trials: a kernel is run on the layout of a candidate of scalay_advice_create(), with a random matrix. Their times are
 * compared with the predicted ones.
 */

#include "parallel/comm.h"
#include "scalay/advice.h"
#include "scalay/layout.h"

/** Problem of a trial, the same for all candidates. */
typedef struct {
    scalay_comm *comm;
    scalay_type type;
    scalay_kernel kernel;
    const scalay_layout *source; /* of the matrix; for gemm: of A, B and C, square */
    int is_summa;                /* 1: gemm is computed by scalay_summa_create() in any case */
    int is_engine;               /* 1: a factorisation is computed by scalay_factor_create() */
    int64_t iterations;          /* of the stencil, at least 1 */
    int bring_back;
} scalay_trial;

/** Maximum times over the ranks, in seconds. */
typedef struct {
    double move;
    double kernel; /* of one run; of the stencil: of one iteration */
    double back;
} scalay_trial_seconds;

/**
 * Moves the matrix, runs the kernel once, and moves the result back. Collective; all ranks return the same status.
 * Planning is not timed. Nothing moves if source and target are the same.
 * @param[in]  trial    the problem
 * @param[in]  target   layout of the kernel. A factorisation by ScaLAPACK: a grid that holds the whole matrix, for LU
 * and Cholesky with square blocks. By the engine, gemm and stencil: any layout; gemm uses SUMMA if p?gemm cannot use
 * it.
 * @param[out] seconds  the same on every rank
 * @return SCALAY_SUCCESS, SCALAY_ERROR_UNSUPPORTED (the kernel has no trial), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI, SCALAY_ERROR_BLACS
 */
scalay_status scalay_trial_run(const scalay_trial *trial, const scalay_layout *target, scalay_trial_seconds *seconds);

#endif
