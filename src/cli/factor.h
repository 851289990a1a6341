#ifndef SCALAY_CLI_FACTOR_H
#define SCALAY_CLI_FACTOR_H

/** @file Shared by the files of scalay qr, lu and cholesky: options, strategies, runs, report. */

#include "factor/factor.h"
#include "factor/scalapack_kernels.h"
#include "job.h"

typedef struct {
    scalay_common_options common;
    scalay_job_options job;
    int64_t grid[2]; /* 0: not given */
    int64_t nb;      /* 0: not given */
    const char *objective;
    const char *map;
    const char *profile;
    const char *speeds;
    const char *uplo;
    const char *output;
} scalay_factor_job_options;

/** The job. A zeroed one is empty. */
typedef struct {
    scalay_job job;
    scalay_kernel_kind kind;
    scalay_uplo uplo; /* Cholesky; otherwise SCALAY_WHOLE */
    const scalay_factor_job_options *options;
    scalay_machine machine;
    double *speed;               /* shape [ranks]; NULL: not given */
    scalay_profile *profile;     /* NULL: not given */
    scalay_owner_map *given_map; /* NULL: not given */
    scalay_strategy strategies[SCALAY_MAX_STRATEGIES];
    int count;
    int chosen;
    int own;               /* index of the strategy "own" */
    const char *no_owner;  /* reason why the strategy "owner" cannot run; NULL: it can */
    scalay_factor *factor; /* of the strategy "own" */
    scalay_layout *own_target;
    scalay_layout *target;                  /* of the chosen strategy */
    scalay_traffic *traffic;                /* from the source to the target; rank 0 only */
    void *result;                           /* local array of the source: a factored copy of the matrix */
    void *vector;                           /* tau or pivots of the result, on every rank */
    int info;                               /* of the result: that of LAPACK */
    double residual, orthogonality;         /* of the chosen strategy */
    double own_residual, own_orthogonality; /* of the strategy "own" */
} scalay_factor_job;

/** Names of a kernel in texts. */
typedef struct {
    const char *name;    /* of the subcommand */
    const char *title;   /* such as "QR factorisation" */
    const char *routine; /* of ScaLAPACK */
} scalay_factor_names;

/** Returns the names of a kernel. */
const scalay_factor_names *scalay_factor_names_of(scalay_kernel_kind kind);

/** Returns 1 if --plot is a prefix: a name without an ending. */
int scalay_plot_is_prefix(const char *plot);

/**
 * Lists the strategies, runs each as often as --repeat says, and chooses one. Then runs the chosen one and "own" once
 * more and verifies their results. Collective; the ranks agree on the status.
 */
scalay_status scalay_factor_job_run(scalay_factor_job *job);

/** Prints the text or the JSON document, and draws the pictures. Rank 0 only. */
scalay_status scalay_factor_job_report(scalay_factor_job *job);

#endif
