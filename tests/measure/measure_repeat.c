/* The repetition engine on several ranks: when it stops, what it does with a rank that fails, a clock that jumps, a
 * meter that disappears, an interrupt. The clock is the test's own, and so are the durations: everything is exact. */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "measure/meter.h"
#include "measure/repeat.h"
#include "scalay/measure.h"
#include "support/check.h"

/* A clock that goes on only when work is done. */
typedef struct {
    double now;
    double witness;
} hand_clock;

static double hand_now(void *data)
{
    return ((hand_clock *)data)->now;
}

static double hand_witness(void *data)
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

static scalay_status do_work(void *data)
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

static scalay_status run(scalay_comm *comm, job *j, const scalay_repeat_options *options, int has_work,
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

static job job_of(scalay_comm *comm, double seconds, double noise)
{
    const uint64_t seed = 7 + (uint64_t)scalay_comm_rank(comm);
    return (job){.random = scalay_random_seed(seed), .seconds = seconds, .noise = noise};
}

static scalay_sample_summary summary_of(const scalay_sample *sample)
{
    scalay_sample_summary summary = {0};
    CHECK_STATUS(scalay_sample_get(sample, &summary), SCALAY_SUCCESS);
    return summary;
}

/* Without noise, the fewest repetitions; with it on one rank only, all go on until that one is precise. */
static void check_stop_rules(scalay_comm *comm)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    scalay_sample *sample = NULL;
    scalay_statistics time = {0};
    job j = job_of(comm, 0.25, 0.0);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    scalay_sample_summary summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_PRECISE && summary.repetitions == 5 && summary.executions == 1);
    CHECK(j.executions == 6); /* one to warm up */
    CHECK_STATUS(scalay_sample_time(sample, &time), SCALAY_SUCCESS);
    CHECK(time.mean == 0.25 && time.half_width == 0.0 && time.count == 5 && time.is_precise);
    scalay_sample_destroy(&sample);

    const int last = scalay_comm_size(comm) - 1;
    j = job_of(comm, 0.001, scalay_comm_rank(comm) == last ? 0.5 : 0.0);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_PRECISE && summary.repetitions > 20 && summary.repetitions < 1000);
    CHECK_STATUS(scalay_sample_time(sample, &time), SCALAY_SUCCESS);
    CHECK(time.half_width <= 0.025 * time.mean && fabs(time.mean - 0.001) < 1e-4);
    scalay_sample_destroy(&sample);

    options.max_repetitions = 17;
    options.precision = 1e-9;
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_REPETITIONS && summary.repetitions == 17);
    scalay_sample_destroy(&sample);

    options.max_seconds = 2.9;
    options.warm_up = 0;
    options.max_repetitions = 1000;
    j = job_of(comm, scalay_comm_rank(comm) == last ? 1.0 : 0.001, 0.1);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_SECONDS && summary.repetitions >= 3 && summary.repetitions <= 4);
    scalay_sample_destroy(&sample);
}

static void check_failure_on_one_rank(scalay_comm *comm)
{
    const scalay_repeat_options options = scalay_repeat_options_default();
    const int last = scalay_comm_size(comm) - 1;
    char reason[64];
    scalay_sample *sample = NULL;
    job j = job_of(comm, 0.1, 0.5);
    if (scalay_comm_rank(comm) == last) j.fails_at = 4;
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_ERROR_RANGE);
    CHECK(strstr(scalay_error_message(), "the kernel has had enough") != NULL);
    (void)snprintf(reason, sizeof reason, "rank %d", last);
    CHECK(scalay_comm_rank(comm) == last || strstr(scalay_error_message(), reason) != NULL);
    const scalay_sample_summary summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_FAILED && summary.repetitions == 2);
    CHECK(j.executions == 4);
    scalay_sample_destroy(&sample);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    check_stop_rules(comm);
    check_failure_on_one_rank(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
