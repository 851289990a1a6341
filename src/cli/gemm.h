#ifndef SCALAY_CLI_GEMM_H
#define SCALAY_CLI_GEMM_H

/** @file scalay gemm: a product on processors of different speeds; what its steps share, and its report. */

#include "job.h"
#include "scalay/multiply.h"
#include "scalay/partition.h"
#include "scalay/profile.h"
#include "scalay/workload.h"
#include "strategy.h"

/** How much each rank should compute, and how fast it is. Zeroed, it is nothing. */
typedef struct {
    scalay_profile *profile; /* NULL: all are alike */
    int64_t *size;           /* shape [ranks]: rows of the product that the workload gives it; NULL without a profile */
    double *area;            /* shape [ranks]: of its part */
    int *group;              /* shape [ranks]: of the profile */
    double *seconds_per_flop; /* shape [ranks]: at its size; NULL without a profile */
    double *even_seconds;     /* likewise, at an even share */
    double seconds, joules;   /* what the workload comes to; NaN: not known */
    double scale;             /* operations of a row of this product over those of a row that was measured */
    int modelled;             /* 1: the joules are */
} scalay_gemm_share;

/** A way to multiply. */
typedef struct {
    scalay_owner_map *map; /* owned; NULL: p?gemm on the grid */
    int grid[2];
    scalay_gemm_statistics statistics; /* of rank 0, of the last run */
    double predicted_seconds;          /* of the multiplication */
} scalay_gemm_way;

/** What a rank did in the chosen way. */
typedef struct {
    int64_t elements; /* of C */
    double predicted_compute, predicted_communicate;
    double compute, communicate;
    int64_t sent, received; /* elements */
} scalay_gemm_row;

/** The job. Zeroed, it is nothing. */
typedef struct {
    const scalay_options *options;
    scalay_comm *comm;  /* not owned */
    scalay_job a, b, c; /* c has no file: its name, extents and layout are those of the product */
    int64_t k;
    scalay_machine machine;
    scalay_gemm_share share;
    scalay_strategy strategies[SCALAY_MOST_STRATEGIES];
    scalay_gemm_way ways[SCALAY_MOST_STRATEGIES];
    const char *skipped[SCALAY_MOST_STRATEGIES]; /* shapes that do not exist for these areas */
    int count, skips;
    int chosen;
    scalay_gemm_row *rows; /* shape [ranks], on all ranks */
    double check;
    double difference; /* from p?gemm; only with --verify */
    char how[1024];    /* rank 0's description of the chosen way */
} scalay_gemm_job;

/** Fills in the share of each rank: from the profile when there is one. Collective; the ranks agree. */
scalay_status scalay_gemm_share_out(scalay_gemm_job *job);

/** Releases what a share holds. */
void scalay_gemm_share_free(scalay_gemm_share *share);

/** Finds the ways: the wanted shape and, to compare, others and p?gemm. Collective; the ranks agree. */
scalay_status scalay_gemm_list_ways(scalay_gemm_job *job);

/** Runs all ways, the chosen one last: its product stays in job->c.a. Collective; the ranks agree. */
scalay_status scalay_gemm_run_ways(scalay_gemm_job *job);

/** The product once more by p?gemm, and how much it differs. Collective; the ranks agree. */
scalay_status scalay_gemm_verify(scalay_gemm_job *job);

/** The most square grid of so many processes. */
void scalay_gemm_square_grid(int processes, int grid[2]);

/** Prints the report, or JSON. Rank 0 only. */
scalay_status scalay_gemm_job_report(const scalay_gemm_job *job);

#endif
