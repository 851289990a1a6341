#ifndef SCALAY_MEASURE_PROFILER_H
#define SCALAY_MEASURE_PROFILER_H

/** @file A run of the profiler. Rank 0 has the record and chooses the next size. All ranks measure. */

#include "measure/clock.h"
#include "measure/profiler_record.h"
#include "parallel/comm.h"

/* -------------------------------------------------------------------------------------------------- sizes */

/** The sizes to be measured. */
typedef struct {
    int64_t count;
    int64_t *size; /* shape [count], ascending, distinct */
    double refine;
    int64_t min_distance; /* between sizes that are added */
} scalay_size_list;

/** Reads the sizes from options. Release with scalay_size_list_free(). */
scalay_status scalay_size_list_create(const scalay_profiler_options *options, scalay_size_list *list);

/** Releases the memory of a list. A zeroed list is allowed. */
void scalay_size_list_free(scalay_size_list *list);

/** Returns the next size that the record has no row for; 0 if there is none. Depends only on list and record. */
int64_t scalay_size_list_next(const scalay_size_list *list, const scalay_profile_record *record);

/** Returns the number of sizes of the list that the record has no row for, and their sum in *sum. */
int64_t scalay_size_list_left(const scalay_size_list *list, const scalay_profile_record *record, double *sum);

/* -------------------------------------------------------------------------------------------------- runs */

/** A point that is sent to rank 0. */
typedef struct {
    scalay_profile_point point; /* without its texts */
    int is_hole;
    char reason[SCALAY_MESSAGE_SIZE]; /* of the hole or of the failure of the meter; "": neither */
} scalay_sent_point;

/** A run on one rank. */
typedef struct {
    scalay_comm *comm;
    const scalay_profile_kernel *kernel;
    scalay_profiler_options options;
    const scalay_clocks *clocks;
    scalay_meter *meter;           /* NULL: time only */
    int shared_meter;              /* 1: energies are measured one rank after the other; the same on every rank */
    scalay_repeat_options repeat;  /* with the static power of this rank */
    scalay_size_list list;         /* on rank 0 */
    scalay_profile_record *record; /* on rank 0 */
    const char *path;              /* on rank 0; NULL: no file */
    double start;                  /* on rank 0: time of the start, in seconds */
    double measured_seconds;       /* on rank 0: spent on sizes of this run */
    double measured_sizes;         /* on rank 0: the sum of these sizes */
    int64_t size;                  /* current size */
    int interrupted;               /* the same on every rank */
    scalay_sent_point mine;        /* of the current size */
    scalay_additive additive;      /* of the current size, with a shared meter */
} scalay_profiler;

/** As scalay_profiler_run(), with the clocks as an argument. */
scalay_status scalay_profiler_run_by(scalay_comm *comm, const scalay_profile_kernel *kernel,
                                     const scalay_profiler_options *options, const scalay_clocks *clocks,
                                     scalay_profile **profile, scalay_profile_record **record);

#endif
