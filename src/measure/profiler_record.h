#ifndef SCALAY_MEASURE_PROFILER_RECORD_H
#define SCALAY_MEASURE_PROFILER_RECORD_H

/**
 * @file
 * What was measured, with all that is known of it: the state of a run of the profiler, and what its file holds. A
 * record is made of facts and of rows, one for each size that was tried, with a point for each processor. Nothing here
 * knows of MPI.
 */

#include "base/status.h"
#include "scalay/profiler.h"

enum { SCALAY_PROCESSOR_TEXT = 256, SCALAY_PROCESSOR_NAME = 16 };

/** A processor; sent from rank to rank as bytes. */
typedef struct {
    int cores;
    int threads;
    double static_power;
    char host[SCALAY_PROCESSOR_TEXT];
    char binding[SCALAY_PROCESSOR_TEXT];
} scalay_record_processor;

/** A size that was tried. */
typedef struct {
    int64_t size;
    scalay_profile_point *point; /* shape [processors]; they own their reasons */
    int compared;                /* the next two are set */
    double difference;           /* of the joint energy to the sum: scalay_profile_record_additive() */
    double uncertainty;          /* of the difference */
} scalay_record_row;

struct scalay_profile_record {
    char *kernel;
    char *meter;
    int modelled;
    int shared_meter; /* every row is compared */
    scalay_repeat_options repeat;
    scalay_profile_state state;
    int processors;
    scalay_record_processor *processor;  /* shape [processors] */
    int *leader;                         /* shape [processors]: the first of its group; -1: it has no point */
    char (*name)[SCALAY_PROCESSOR_NAME]; /* shape [processors] */
    int64_t sizes;
    int64_t room;
    scalay_record_row *row; /* shape [sizes], ascending */
};

/** A record without rows. Texts are copied. */
scalay_status scalay_record_create(const char *kernel, const char *meter, int modelled, int processors,
                                   scalay_profile_record **record);

/** The row of a size; -1: it was not tried. */
int64_t scalay_record_find(const scalay_profile_record *record, int64_t size);

/** Adds a row of holes without a reason, or finds the one that is there. */
scalay_status scalay_record_row_at(scalay_profile_record *record, int64_t size, scalay_record_row **row);

/** Makes a point a hole; the reason is copied, made fit for a line. */
scalay_status scalay_record_set_hole(scalay_profile_point *point, const char *reason);

/** Says why a point has no joules; the reason is copied, made fit for a line. */
scalay_status scalay_record_set_meter_failure(scalay_profile_point *point, const char *reason);

/** 1 when the processor has a point. */
int scalay_record_has_points(const scalay_profile_record *record, int processor);

/** 1 when joules were to be measured. */
int scalay_record_has_meter(const scalay_profile_record *record);

/** 1 when joules are known for every point. */
int scalay_record_has_energy(const scalay_profile_record *record);

/** Releases what a row holds. */
void scalay_record_free_row(const scalay_profile_record *record, scalay_record_row *row);

/** Sets the groups: each processor with points for itself, or with all those whose functions are the same. */
void scalay_record_group(scalay_profile_record *record, int merge);

/** The members of the group of a leader. */
int scalay_record_members(const scalay_profile_record *record, int leader);

/** A group's time and energy at a row: the means over its members; 0 when it is a hole. */
int scalay_record_mean(const scalay_profile_record *record, int leader, int64_t row, double *time, double *energy);

#endif
