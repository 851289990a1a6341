#ifndef SCALAY_SCHEDULE_H
#define SCALAY_SCHEDULE_H

/**
 * @file
 * Schedules of a redistribution: when each message of a mapping (mapping.h) travels, so that no process sends to two
 * others, or receives from two, at a time. Pure: no MPI.
 */

#include "scalay/mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A one-port schedule of a redistribution. */
typedef struct scalay_schedule scalay_schedule;

/** One message of a schedule: in a step no two messages share a sender or a receiver. */
typedef struct {
    int from;      /**< the sending process */
    int to;        /**< the receiving process, never the same */
    int64_t items; /**< at least 1; at most the step's length, unless the schedule is preemptive */
} scalay_message;

/**
 * A one-port schedule of exactly as many item steps as the mapping has steps, in few global steps. Not collective.
 * @param[in]  traffic   a traffic matrix
 * @param[in]  process   shape [parts]: where each part goes, as in scalay_traffic_cost()
 * @param[out] schedule  to be released with scalay_schedule_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Koenig's theorem: a bipartite multigraph of maximum degree d is the union of d matchings.
 */
SCALAY_API scalay_status scalay_schedule_create(const scalay_traffic *traffic, const int *process,
                                                scalay_schedule **schedule);

/**
 * A one-port schedule that cuts messages less: for machines on which starting a message takes time. First slices of at
 * least `slice` items are scheduled as scalay_schedule_create() does, without loss; when that leads no further, what is
 * left of each message goes whole, in as many global steps as the busiest process has partners left, which may be
 * longer together than the mapping has item steps. slice = 1 is scalay_schedule_create(); with INT64_MAX no message is
 * cut, and there are exactly as many global steps as the busiest process has partners. Not collective.
 * @param[in]  traffic   a traffic matrix
 * @param[in]  process   shape [parts]: where each part goes, as in scalay_traffic_cost()
 * @param[in]  slice     items that are worth a message of their own, at least 1
 * @param[out] schedule  to be released with scalay_schedule_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_schedule_create_sliced(const scalay_traffic *traffic, const int *process, int64_t slice,
                                                       scalay_schedule **schedule);

/**
 * A one-port schedule that takes little time when starting a global step takes as long as sending `startup` items:
 * slices of a quarter of the startup to half of the largest message are compared by estimate, from one to the next
 * twice as large; the two that promise most and the one that cuts no message are made, and the best of these is kept.
 * So it never takes longer than the one that cuts no message. Not collective.
 * @param[in]  traffic   a traffic matrix
 * @param[in]  process   shape [parts]: where each part goes, as in scalay_traffic_cost()
 * @param[in]  startup   latency times bandwidth, in items, at least 0; 0 is scalay_schedule_create()
 * @param[out] schedule  to be released with scalay_schedule_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_schedule_create_timed(const scalay_traffic *traffic, const int *process,
                                                      int64_t startup, scalay_schedule **schedule);

/**
 * A one-port schedule of exactly as many item steps as the mapping has steps, without global steps: every process goes
 * from message to message by itself, and a message is interrupted only for a process that could not catch up otherwise.
 * Its steps are the times at which messages begin: there are at most as many as there are messages and twice as many
 * processes. A message goes on for as long as it has items, into later steps; whoever it goes to or comes from has no
 * other one meanwhile. Takes time for pairs of processes, not for items. Not collective.
 * @param[in]  traffic   a traffic matrix
 * @param[in]  process   shape [parts]: where each part goes, as in scalay_traffic_cost()
 * @param[out] schedule  to be released with scalay_schedule_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Gonzalez and Sahni, Open shop scheduling to minimize finish time, Journal of the ACM 23 (1976)
 */
SCALAY_API scalay_status scalay_schedule_create_preemptive(const scalay_traffic *traffic, const int *process,
                                                           scalay_schedule **schedule);

/**
 * Checks a schedule against the traffic, whoever made it: every item that changes process is sent once, no process
 * sends or receives two messages at a time, and all is over at the end. Not collective.
 * @param[in]  traffic   what the schedule was made for
 * @param[in]  process   shape [parts], likewise
 * @param[in]  schedule  a schedule
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH (it is wrong; the message says where), SCALAY_ERROR_ARGUMENT,
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_schedule_check(const scalay_traffic *traffic, const int *process,
                                               const scalay_schedule *schedule);

/** Releases a schedule and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_schedule_destroy(scalay_schedule **schedule);

/** The number of global steps. Not collective. */
SCALAY_API int64_t scalay_schedule_rounds(const scalay_schedule *schedule);

/** The sum of the lengths of the steps, in items. Not collective. */
SCALAY_API int64_t scalay_schedule_length(const scalay_schedule *schedule);

/**
 * One global step. Not collective.
 * @param[in]  schedule  a schedule
 * @param[in]  step      0 <= step < scalay_schedule_rounds(schedule)
 * @param[out] length    the items that a sender may send in it; of a preemptive schedule: before the next step begins
 * @param[out] count     its number of messages
 * @param[out] messages  shape [count], by ascending sender: those that begin with it; owned by the schedule
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_schedule_round(const scalay_schedule *schedule, int64_t step, int64_t *length,
                                               int64_t *count, const scalay_message **messages);

#ifdef __cplusplus
}
#endif

#endif
