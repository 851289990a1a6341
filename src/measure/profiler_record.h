#ifndef SCALAY_MEASURE_PROFILER_RECORD_H
#define SCALAY_MEASURE_PROFILER_RECORD_H

/**
 * @file
 * Records: all measured values and facts of a profile. A record is the state of a run of the profiler, and the content
 * of its file. It has one row per size that was tried, and each row has one point per processor. No function uses MPI.
 */

#include "base/status.h"
#include "base/text.h"
#include "scalay/profiler.h"

enum { SCALAY_PROCESSOR_TEXT = 256, SCALAY_PROCESSOR_NAME = 16 };

/** A processor. Sent between ranks as bytes. */
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
    scalay_profile_point *point; /* shape [processors]; the points own their texts */
    int compared;                /* 1: the next two members are set */
    double difference;           /* of joint energy and sum: scalay_profile_record_additive() */
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
    int *leader;                         /* shape [processors]: first member of its group; -1: it has no point */
    char (*name)[SCALAY_PROCESSOR_NAME]; /* shape [processors] */
    int64_t sizes;
    int64_t capacity;
    scalay_record_row *row; /* shape [sizes], ascending */
};

/** Creates a record without rows. Texts are copied. */
scalay_status scalay_record_create(const char *kernel, const char *meter, int modelled, int processors,
                                   scalay_profile_record **record);

/** Returns the row of a size; -1 if the size was not tried. */
int64_t scalay_record_find(const scalay_profile_record *record, int64_t size);

/** Finds the row of a size, or adds one with empty points. */
scalay_status scalay_record_row_at(scalay_profile_record *record, int64_t size, scalay_record_row **row);

/** Makes a point a hole. The reason is copied, without control characters. */
scalay_status scalay_record_set_hole(scalay_profile_point *point, const char *reason);

/** Sets the reason why a point has no energy. The reason is copied, without control characters. */
scalay_status scalay_record_set_meter_failure(scalay_profile_point *point, const char *reason);

/** Returns 1 if the processor has a point. */
int scalay_record_has_points(const scalay_profile_record *record, int processor);

/** Returns 1 if there is a meter. */
int scalay_record_has_meter(const scalay_profile_record *record);

/** Returns 1 if every point has an energy of at least 0. */
int scalay_record_has_energy(const scalay_profile_record *record);

/** Releases the memory of a row. */
void scalay_record_free_row(const scalay_profile_record *record, scalay_record_row *row);

/** Sets the groups. merge 0: one group per processor with points; 1: processors with the same function are merged. */
void scalay_record_group(scalay_profile_record *record, int merge);

/** Returns the number of members of the group with a given first member. */
int scalay_record_members(const scalay_profile_record *record, int leader);

/** Computes time and energy of a group at a row, as means over its members. Returns 0 if the row is a hole. */
int scalay_record_mean(const scalay_profile_record *record, int leader, int64_t row, double *time, double *energy);

/* ------------------------------------------------------------------------------------------------------ files */

/** Prints a record: facts, points, and the rows of its groups. */
scalay_status scalay_record_print(const scalay_profile_record *record, scalay_string *lines);

/** Writes a text to a file. The file has the whole text, flushed to the disk, or stays unchanged. */
scalay_status scalay_record_write(const char *path, const scalay_string *lines);

/** Checks that a file can be written. The file stays unchanged. */
scalay_status scalay_record_check_path(const char *path);

/** Reads the text of a record. `name` is for messages. */
scalay_status scalay_record_parse(const char *name, const char *text, int64_t length, scalay_profile_record **record);

/** Reads a file. *record is NULL if there is no such file. */
scalay_status scalay_record_load(const char *path, scalay_profile_record **record);

#endif
