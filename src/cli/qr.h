#ifndef SCALAY_CLI_QR_H
#define SCALAY_CLI_QR_H

/** @file The main job: what its steps share, and its report. */

#include "job.h"
#include "scalay/factor.h"
#include "strategy.h"

/** The main job. Zeroed, it is nothing. */
typedef struct {
    scalay_job job;
    const scalay_options *options;
    scalay_machine machine;
    scalay_strategy strategies[SCALAY_MOST_STRATEGIES];
    int count;
    int chosen;
    const char *no_owner;    /* why the owner strategy cannot run; NULL: it does */
    scalay_qr *qr;           /* the chosen strategy once more, for verification and results */
    scalay_layout *target;   /* where that is */
    scalay_traffic *traffic; /* from the source to it; rank 0 only */
    double residual;
    double orthogonality;
} scalay_qr_job;

/** Prints the report, or JSON, and draws the pictures. Rank 0 only. */
scalay_status scalay_qr_job_report(scalay_qr_job *job);

#endif
