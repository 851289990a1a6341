#ifndef SCALAY_MAPPING_SCHEDULE_H
#define SCALAY_MAPPING_SCHEDULE_H

/** @file The struct behind a schedule, and the functions that kinds of schedules share. */

#include "mapping/message_graph.h"
#include "scalay/schedule.h"

struct scalay_schedule {
    int64_t rounds;
    int64_t length;           /* sum of the durations */
    int64_t *duration;        /* shape [rounds] */
    int64_t *start;           /* shape [rounds + 1]: round k consists of messages start[k] .. start[k + 1] - 1 */
    scalay_message *messages; /* shape [start[rounds]] */
    int64_t duration_capacity;
    int64_t start_capacity;
    int64_t messages_capacity;
};

/** Returns the time of a schedule in elements if a round takes `startup` elements to start; at most 2^63 - 1. */
int64_t scalay_schedule_time(const scalay_schedule *schedule, int64_t startup);

/** Limit on the time of a schedule that is appended to. */
typedef struct {
    int64_t startup; /* of a round, in elements */
    int64_t time;    /* give up as soon as the schedule takes at least this time; INT64_MAX: no limit */
} scalay_time_limit;

/** Reason why no more rounds were appended. */
typedef enum {
    SCALAY_ROUNDS_DONE,  /* all messages are scheduled */
    SCALAY_ROUNDS_STUCK, /* there is no matching at a threshold of at least `stop` */
    SCALAY_ROUNDS_LATE   /* the time limit is reached */
} scalay_rounds_end;

/** Appends rounds to a schedule as long as there are matchings. */
scalay_status scalay_schedule_append_rounds(scalay_message_graph *graph, const int *process,
                                            const scalay_time_limit *limit, scalay_rounds_end *end,
                                            scalay_schedule *schedule);

/** Appends rounds with the rest of the messages of a graph, each of which is sent whole; left as in
 *  scalay_message_graph_create_whole(). */
scalay_status scalay_schedule_append_whole(const scalay_message_graph *graph, const int64_t *left, const int *process,
                                           const scalay_time_limit *limit, scalay_rounds_end *end,
                                           scalay_schedule *schedule);

/** Creates a timed schedule; startup is at least 1: schedule_timed.c. */
scalay_status scalay_schedule_create_timed(const scalay_traffic *traffic, const int *process, int64_t startup,
                                           scalay_schedule **schedule);

/** Creates a preemptive schedule: schedule_preemptive.c. */
scalay_status scalay_schedule_create_preemptive(const scalay_traffic *traffic, const int *process,
                                                scalay_schedule **schedule);

#endif
