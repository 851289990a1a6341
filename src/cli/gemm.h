#ifndef SCALAY_CLI_GEMM_H
#define SCALAY_CLI_GEMM_H

/** @file scalay gemm: a product on processors of different speeds. gemm.c has options and report, gemm_shares.c the
 *  rows of the ranks, gemm_run.c the work. */

#include "input.h"
#include "job.h"
#include "scalay/multiply.h"
#include "scalay/partition.h"
#include "scalay/profile.h"
#include "scalay/profiler.h"
#include "scalay/workload.h"

/** Options of scalay gemm. Objective and nb are set. */
typedef struct {
    scalay_common_options common;
    scalay_job_options job;
    const char *profile;
    const char *objective;
    scalay_front_point point;
    const char *shape;
    const char *to;
    int64_t nb;
    int compare;
    int verify;
    int measure;
    const char *output;
} scalay_gemm_cli_options;

/** Work and speed of each rank. A zeroed one is empty. */
typedef struct {
    scalay_profile *profile;       /* NULL: all ranks are equally fast */
    scalay_profile_record *record; /* of a measured profile; NULL: none */
    int interpolated;              /* 1: rows are distributed in sizes between the listed ones */
    int64_t *size;                 /* shape [ranks]: rows of the product from the workload; NULL without a profile */
    int64_t *size_by_profile; /* shape [ranks]: rows by the profile alone; NULL: communication was not considered */
    double predicted, predicted_by_profile; /* seconds of the product with these rows; 0 without size_by_profile */
    double *area;                           /* shape [ranks]: of the part of the rank */
    int *group;                             /* shape [ranks]: in the profile */
    double *seconds_per_flop;               /* shape [ranks]: at the size of the rank; NULL without a profile */
    double *even_seconds;                   /* shape [ranks]: likewise, at an equal share */
    double seconds, joules;                 /* of the workload; NaN: not known */
    double scale;                           /* flops of a row of this product divided by those of a measured row */
    int modelled;                           /* 1: the joules come from a model */
} scalay_gemm_share;

/** A strategy for the product. */
typedef struct {
    scalay_owner_map *map;             /* for SUMMA; NULL: p?gemm on the grid, or SUMMA on the layout of C */
    int grid[2];                       /* 0 x 0: SUMMA */
    scalay_gemm_statistics statistics; /* of rank 0, of the last run */
} scalay_gemm_strategy;

/** Costs of a rank with the chosen strategy. */
typedef struct {
    int64_t elements; /* of C */
    double predicted_compute, predicted_communicate;
    double compute, communicate; /* seconds */
    int64_t sent, received;      /* elements */
} scalay_gemm_row;

/** The job. A zeroed one is empty. */
typedef struct {
    const scalay_gemm_cli_options *options;
    scalay_comm *comm;  /* not owned */
    scalay_job a, b, c; /* c has no file, but extents, type and layout of the product */
    int64_t k;
    scalay_machine machine;
    scalay_gemm_share share;
    scalay_strategy costs[SCALAY_MAX_STRATEGIES];
    scalay_gemm_strategy strategies[SCALAY_MAX_STRATEGIES];
    const char *skipped[SCALAY_MAX_STRATEGIES]; /* shapes that do not exist for these areas */
    int count, skips;
    int candidates; /* the first strategies, of which the one with the smallest predicted time is chosen */
    int chosen;
    int64_t done;          /* timed runs, of all strategies: for the progress */
    scalay_gemm_row *rows; /* shape [ranks], on all ranks */
    double check;
    double difference;      /* from the product of p?gemm; with --verify */
    char description[1024]; /* of the chosen strategy on rank 0 */
} scalay_gemm_job;

/* The following functions are collective, and all ranks return the same status. */

/** Sets the share of each rank, from the profile if there is one. */
scalay_status scalay_gemm_find_shares(scalay_gemm_job *job);

/** Distributes the rows by computing and by predicted communication, if the objective is time, and lists the strategies
 *  again. The matrices are loaded, and job->rows is allocated. */
scalay_status scalay_gemm_charge_communication(scalay_gemm_job *job);

/** Plans a strategy. */
scalay_status scalay_gemm_create_strategy(const scalay_gemm_job *job, int at, scalay_gemm **gemm);

/** Sets the predictions of the ranks from those of the parts of a planned strategy. Not collective. */
scalay_status scalay_gemm_predict_rows(scalay_gemm_job *job, int at, const scalay_gemm *gemm);

/** Lists the strategies: the requested shape, and with --compare other shapes and p?gemm. */
scalay_status scalay_gemm_list_strategies(scalay_gemm_job *job);

/** Runs all strategies, the chosen one last: its product is job->c.local. */
scalay_status scalay_gemm_run_strategies(scalay_gemm_job *job);

/** Computes the product with p?gemm, and the difference from it. */
scalay_status scalay_gemm_verify(scalay_gemm_job *job);

/** Sets the grid with the smallest difference of rows and columns. Not collective. */
void scalay_gemm_square_grid(int processes, int grid[2]);

/** Releases the memory of a share. Not collective. */
void scalay_gemm_free_share(scalay_gemm_share *share);

#endif
