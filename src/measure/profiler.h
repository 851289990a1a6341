#ifndef SCALAY_MEASURE_PROFILER_H
#define SCALAY_MEASURE_PROFILER_H

/** @file A run of the profiler: rank 0 has the record and says what is next, all measure. */

#include "measure/clock.h"
#include "measure/profiler_file.h"
#include "measure/profiler_sizes.h"
#include "parallel/comm.h"

/** A point on its way to rank 0. */
typedef struct {
    scalay_profile_point point; /* its texts are not sent: is_hole and reason say them */
    int is_hole;
    char reason[SCALAY_MESSAGE_SIZE]; /* of the hole, or of the meter's failure; "": there is neither */
} scalay_sent_point;

/** A run, on a rank. */
typedef struct {
    scalay_comm *comm;
    const scalay_profile_kernel *kernel;
    const scalay_profiler_options *options;
    const scalay_clocks *clocks;
    scalay_meter *meter;           /* NULL: time only */
    int shared_meter;              /* the ranks' energies are measured one after the other; the same on every rank */
    scalay_repeat_options repeat;  /* with this rank's static power */
    scalay_size_list list;         /* rank 0 */
    scalay_profile_record *record; /* rank 0 */
    const char *path;              /* rank 0; NULL: none */
    double start;                  /* rank 0 */
    double measured_seconds;       /* rank 0: of the sizes of this run, and their sum */
    double measured_sizes;
    int64_t size;             /* at hand */
    int interrupted;          /* the same on every rank */
    scalay_sent_point mine;   /* at hand */
    scalay_additive additive; /* at hand, with a shared meter */
} scalay_profiler;

/** scalay_profiler_run() by given clocks: tests bring their own. */
scalay_status scalay_profiler_run_by(scalay_comm *comm, const scalay_profile_kernel *kernel,
                                     const scalay_profiler_options *options, const scalay_clocks *clocks,
                                     scalay_profile **profile, scalay_profile_record **record);

/** Checks the arguments, makes the list, describes the processors, takes what the file holds. Collective; agrees. */
scalay_status scalay_profiler_begin(scalay_profiler *run);

/** Measures a size into run->mine, or sets run->interrupted. Collective; agrees. */
scalay_status scalay_profiler_measure(scalay_profiler *run, int64_t size);

#endif
