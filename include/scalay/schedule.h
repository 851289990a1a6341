#ifndef SCALAY_SCHEDULE_H
#define SCALAY_SCHEDULE_H

/**
 * @file
 * One-port schedules: the time at which each message of a redistribution is sent, such that no process sends to two
 * processes, or receives from two processes, at a time. Time is counted in elements. No MPI.
 *
 * There are four kinds of schedules:
 *   - Exact (default): global rounds, which take as many element times as the mapping has steps. No schedule is shorter
 *     (Koenig's theorem).
 *   - Sliced: messages are cut into slices of at least `slice` elements. Fewer rounds and messages, but longer.
 *   - Timed: sliced; the slice is chosen for a given startup time of a round.
 *   - Preemptive: exact, without global rounds. Each process starts its messages independently.
 */

#include "scalay/mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A one-port schedule of a redistribution. */
typedef struct scalay_schedule scalay_schedule;

/** A message of a schedule. In a round, no two messages share a sender or a receiver. */
typedef struct {
    int from;         /**< the sending process */
    int to;           /**< the receiving process, different from `from` */
    int64_t elements; /**< at least 1; at most the length of the round, unless the schedule is preemptive */
} scalay_message;

/** Kind of schedule; start from scalay_schedule_options_default(). */
typedef struct {
    size_t size;     /**< set by scalay_schedule_options_default(): sizeof(scalay_schedule_options) */
    int preemptive;  /**< 1: preemptive; slice and startup must have their defaults. 0 (default): global rounds */
    int64_t slice;   /**< elements, at least 1. 1 (default): exact. INT64_MAX: no message is cut, and there are as many
                          rounds as the busiest process has partners. Between: slices of at least this size are
                          scheduled first, and the rest of each message is then sent whole */
    int64_t startup; /**< startup time of a round in elements (latency times bandwidth). -1 (default): `slice` applies.
                          At least 0: the slice is chosen; 0 gives an exact schedule */
} scalay_schedule_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_schedule_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_schedule_options_init(scalay_schedule_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_schedule_options scalay_schedule_options_default(void)
{
    scalay_schedule_options options;
    scalay_schedule_options_init(&options, sizeof options);
    return options;
}

/**
 * Creates a one-port schedule. Not collective.
 *
 * With a startup time, slices from a quarter of the startup time to half of the largest message are compared by
 * estimates. The two best candidates and the schedule without cuts are computed, and the fastest of these is returned.
 *
 * A preemptive schedule has the same length as an exact one. Its rounds are the times at which messages begin: at most
 * the number of messages plus twice the number of processes. A message continues into later rounds until its elements
 * are sent; its sender and its receiver are busy until then.
 * @param[in]  traffic   a traffic matrix
 * @param[in]  process   shape [parts]: process of each part, as in scalay_traffic_cost()
 * @param[in]  options   NULL: the default, an exact schedule
 * @param[out] schedule  release with scalay_schedule_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (more than 2^31 - 1 messages), SCALAY_ERROR_MEMORY
 * @par Source
 * Gonzalez and Sahni, Open shop scheduling to minimize finish time, Journal of the ACM 23 (1976), for preemptive
 * schedules.
 */
SCALAY_API scalay_status scalay_schedule_create(const scalay_traffic *traffic, const int *process,
                                                const scalay_schedule_options *options, scalay_schedule **schedule);

/**
 * Checks a schedule against the traffic, independently of the solver. Not collective. Every element that changes
 * process must be sent once, no process may send or receive two messages at a time, and all messages must end in time.
 * @param[in]  traffic   the traffic of the schedule
 * @param[in]  process   shape [parts]: as in scalay_schedule_create()
 * @param[in]  schedule  a schedule
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH (the schedule is wrong; the message names the fault),
 *         SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_schedule_check(const scalay_traffic *traffic, const int *process,
                                               const scalay_schedule *schedule);

/** Releases a schedule and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_schedule_destroy(scalay_schedule **schedule);

/** Size and length of a schedule. */
typedef struct {
    int64_t rounds;   /**< number of rounds */
    int64_t messages; /**< number of messages in all rounds */
    int64_t length;   /**< makespan: sum of the lengths of the rounds, in elements */
} scalay_schedule_summary;

/**
 * Returns size and length. Not collective.
 * @param[in]  schedule  a schedule
 * @param[out] summary   caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_schedule_get_summary(const scalay_schedule *schedule, scalay_schedule_summary *summary);

/**
 * Returns one round. Not collective.
 * @param[in]  schedule  a schedule
 * @param[in]  round     0 <= round < rounds
 * @param[out] length    elements that a sender may send in the round; of a preemptive schedule, elements before the
 * next round begins
 * @param[out] count     number of messages that begin in the round
 * @param[out] messages  shape [count], by ascending sender; owned by the schedule
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_schedule_round(const scalay_schedule *schedule, int64_t round, int64_t *length,
                                               int64_t *count, const scalay_message **messages);

#ifdef __cplusplus
}
#endif

#endif
