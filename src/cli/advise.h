#ifndef SCALAY_CLI_ADVISE_H
#define SCALAY_CLI_ADVISE_H

/** @file Advice: what its steps share, its trials and its report. */

#include "cli/trial.h"
#include "options.h"
#include "scalay/advice.h"
#include "scalay/measure.h"
#include "scalay/model.h"

/** Candidates that are printed at most, unless --top says; one more where staying is not among them. */
#define SCALAY_ADVISE_TOP 8

/** A candidate that is printed. */
typedef struct {
    int index; /* in the advice */
    scalay_advice_candidate told;
    int64_t runs;                  /* trials so far */
    scalay_trial_seconds measured; /* medians, when there were runs */
} scalay_advise_row;

/** The advice. Zeroed, it is nothing. */
typedef struct {
    const scalay_options *options;
    scalay_comm *comm; /* NULL: nothing is measured */
    scalay_layout *source;
    scalay_advice_options asked;
    scalay_machine machine;
    int *core;         /* of each rank, with a communicator */
    char where[4096];  /* the machine's numbers are from */
    char reason[1024]; /* why they are those of a typical machine; "": they are not */
    scalay_advice *advice;
    int count;
    scalay_advise_row *rows;
} scalay_advise_job;

/** Runs the rows' candidates in turn. Collective; the ranks agree. */
scalay_status scalay_advise_job_measure(scalay_advise_job *job);

/** Prints the machine's numbers, the outcome of --calibrate. */
scalay_status scalay_advise_job_report_machine(const scalay_advise_job *job);

/** Prints table and explanation, or JSON. */
scalay_status scalay_advise_job_report(const scalay_advise_job *job);

/** Seconds of a row: move (there and back), kernel (all runs), total; measured ones, or predicted ones. */
void scalay_advise_row_seconds(const scalay_advise_job *job, const scalay_advise_row *row, int measured,
                               double seconds[3]);

#endif
