#ifndef SCALAY_TESTS_MEASURE_JOB_H
#define SCALAY_TESTS_MEASURE_JOB_H

/** @file Work whose duration is known, on a clock that only it moves: what is measured must come out exactly. */

#include "base/random.h"
#include "measure/meter.h"
#include "measure/repeat.h"
#include "scalay/measure.h"
#include "support/check.h"

/* A clock that goes on only when work is done. */
typedef struct {
    double now;
    double witness;
} hand_clock;

static inline double hand_now(void *data)
{
    return ((hand_clock *)data)->now;
}

static inline double hand_witness(void *data)
{
    return ((hand_clock *)data)->witness;
}

/* Work that takes a given time, and what may happen to it. */
typedef struct {
    hand_clock clock;
    scalay_random random;
    double seconds; /* of an execution */
    double noise;   /* share of it */
    int64_t executions;
    int64_t fails_at; /* so manieth execution; 0: never */
    int64_t jumps_at;
    double jump; /* seconds that the clock then goes wrong by */
    int64_t interrupts_at;
    scalay_meter *meter;
} job;

static inline scalay_status do_work(void *data)
{
    job *j = data;
    const double seconds = j->seconds * (1.0 + j->noise * (scalay_random_unit(&j->random) - 0.5));
    j->executions++;
    j->clock.now += seconds;
    j->clock.witness += seconds;
    if (j->executions == j->jumps_at) j->clock.now += j->jump;
    if (j->executions == j->interrupts_at) scalay_measure_interrupt();
    if (j->executions == j->fails_at) return scalay_error_set(SCALAY_ERROR_RANGE, "the kernel has had enough");
    return scalay_meter_work(j->meter, 1000.0, 64.0);
}

static inline scalay_status run(scalay_comm *comm, job *j, const scalay_repeat_options *options, int has_work,
                                scalay_sample **sample)
{
    const scalay_clocks clocks = {.now = hand_now, .witness = hand_witness, .data = &j->clock};
    const scalay_repeat_task task = {.comm = comm,
                                     .work = has_work ? do_work : NULL,
                                     .data = j,
                                     .meter = j->meter,
                                     .options = options,
                                     .clocks = &clocks};
    return scalay_repeat_run(&task, sample);
}

static inline job job_of(scalay_comm *comm, double seconds, double noise)
{
    const uint64_t seed = 7 + (uint64_t)scalay_comm_rank(comm);
    return (job){.random = scalay_random_seed(seed), .seconds = seconds, .noise = noise};
}

static inline scalay_sample_summary summary_of(const scalay_sample *sample)
{
    scalay_sample_summary summary = {0};
    CHECK_STATUS(scalay_sample_get_summary(sample, &summary), SCALAY_SUCCESS);
    return summary;
}

#endif
