/* The repetition engine on several ranks: when it stops, what short work and ranks without work come to, what a model's
 * energy is, and wrong arguments. */
#include <math.h>
#include <string.h>

#include "measure/job.h"

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
    time = summary.time;
    CHECK(time.mean == 0.25 && time.half_width == 0.0 && time.count == 5 && time.is_precise);
    scalay_sample_destroy(&sample);

    const int last = scalay_comm_size(comm) - 1;
    j = job_of(comm, 0.001, scalay_comm_rank(comm) == last ? 0.5 : 0.0);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_PRECISE && summary.repetitions > 20 && summary.repetitions < 1000);
    time = summary.time;
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

/* Warming up takes no longer than the whole measurement may. */
static void check_warm_up_is_limited(scalay_comm *comm)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    scalay_sample *sample = NULL;
    options.warm_up = 1000;
    options.max_seconds = 3.5;
    job j = job_of(comm, scalay_comm_rank(comm) == 0 ? 1.0 : 0.001, 0.0);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    const scalay_sample_summary summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_SECONDS && summary.repetitions == 1 && j.executions == 5);
    scalay_sample_destroy(&sample);
}

/* E = base * T + flop * F + byte * B, exactly, for every repetition; and only the last two without the static power. */
static void check_model_conserves(scalay_comm *comm)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    job j = job_of(comm, 0.5, 0.0);
    const scalay_clocks clocks = {.now = hand_now, .witness = hand_witness, .data = &j.clock};
    for (int pass = 0; pass < 3; pass++) {
        scalay_sample *sample = NULL;
        CHECK_STATUS(scalay_meter_open(&scalay_meter_model, "flop=0.25,base=8,byte=0.5", &clocks, &j.meter),
                     SCALAY_SUCCESS);
        options.static_power = pass == 0 ? 0.0 : pass == 1 ? 8.0 : 2000.0;
        CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
        const scalay_sample_summary summary = summary_of(sample);
        CHECK(summary.is_modelled && summary.energies == 5 && summary.meter == SCALAY_SUCCESS);
        CHECK(summary.negative_energies == (pass == 2 ? 5 : 0)); /* told, not hidden */
        for (int k = 0; k < 5; k++)
            CHECK(summary.energy_value[k] == 8.0 * 0.5 + 0.25 * 1000.0 + 0.5 * 64.0 - options.static_power * 0.5);
        scalay_sample_destroy(&sample);
        scalay_meter_destroy(&j.meter);
    }
}

/* Time passes with each look at it, a microsecond: work without any is executed until an interval is worth measuring.
 */
static double creeping(void *data)
{
    return ((hand_clock *)data)->now += 1e-6;
}

static double crept(void *data)
{
    return ((hand_clock *)data)->now;
}

static scalay_status do_nothing(void *data)
{
    ((job *)data)->executions++;
    ((job *)data)->clock.now += ((job *)data)->seconds;
    return SCALAY_SUCCESS;
}

static void check_short_work(scalay_comm *comm, int independent)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    const int first = scalay_comm_rank(comm) == 0;
    job j = job_of(comm, first ? 1e-8 : 2.5e-7, 0.0);
    scalay_sample *sample = NULL;
    scalay_statistics time = {0};
    const scalay_clocks clocks = {.now = creeping, .witness = crept, .data = &j.clock};
    const scalay_repeat_task task = {
        .comm = comm, .work = do_nothing, .data = &j, .options = &options, .clocks = &clocks};
    options.independent = independent;
    CHECK_STATUS(scalay_repeat_run(&task, &sample), SCALAY_SUCCESS);
    const scalay_sample_summary summary = summary_of(sample);
    time = summary.time;
    /* 1000 steps of a microsecond: the step itself is in the interval once. */
    CHECK((double)summary.executions * j.seconds >= 0.9e-3);
    CHECK(time.mean >= j.seconds && time.mean <= 1.0025 * j.seconds);
    int64_t most = 0;
    MPI_Allreduce(&summary.executions, &most, 1, MPI_INT64_T, MPI_MAX, scalay_comm_handle(comm));
    CHECK(independent ? (summary.executions == most) == (first || scalay_comm_size(comm) == 1)
                      : summary.executions == most);
    scalay_sample_destroy(&sample);
}

static scalay_status spin(void *data)
{
    const double end = scalay_clock() + *(const double *)data;
    while (scalay_clock() < end) {
    }
    return SCALAY_SUCCESS;
}

/* The first rank's meter counts seconds; how long the last one's takes is not among them. */
static void check_slow_meters_of_others(scalay_comm *comm)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    scalay_sample *sample = NULL;
    scalay_statistics joules = {0};
    scalay_meter *meter = NULL;
    double seconds = 1e-3;
    const int rank = scalay_comm_rank(comm), last = scalay_comm_size(comm) - 1;
    if (last < 1 || last > 3) return;
    options.max_repetitions = 5;
    options.min_interval = 1e-4;
    CHECK_STATUS(scalay_meter_create(rank == last ? "command:sleep 0.5; echo 1" : "model:base=1,flop=0,byte=0", &meter),
                 SCALAY_SUCCESS);
    CHECK_STATUS(scalay_measure(comm, spin, &seconds, meter, &options, &sample), SCALAY_SUCCESS);
    joules = summary_of(sample).energy;
    CHECK(joules.count == 5 && (rank == last ? joules.mean == 0.0 : joules.median >= 1e-3 && joules.median < 0.25));
    scalay_sample_destroy(&sample);
    scalay_meter_destroy(&meter);
}

/* Only one rank works; the others sleep and have nothing to tell. */
static void check_ranks_without_work(scalay_comm *comm)
{
    const scalay_repeat_options options = scalay_repeat_options_default();
    const int works = scalay_comm_rank(comm) == 0;
    scalay_sample *sample = NULL;
    scalay_statistics time = {0};
    job j = job_of(comm, 0.125, 0.3);
    CHECK_STATUS(run(comm, &j, &options, works, &sample), SCALAY_SUCCESS);
    CHECK(summary_of(sample).end == SCALAY_END_PRECISE);
    time = summary_of(sample).time;
    CHECK(works ? time.count >= 5 && time.is_precise : time.count == 0 && j.executions == 0);
    scalay_sample_destroy(&sample);
}

static scalay_status fail_without_words(void *data)
{
    (void)data;
    return (scalay_status)99;
}

/* By the public door, with the system's clock. */
static void check_arguments(scalay_comm *comm)
{
    const int last = scalay_comm_rank(comm) == scalay_comm_size(comm) - 1, several = scalay_comm_size(comm) > 1;
    scalay_sample *sample = NULL;
    double watts = -1.0;
    job j = job_of(comm, 0.0, 0.0);
    scalay_repeat_options options = scalay_repeat_options_default();
    CHECK_STATUS(scalay_measure(NULL, do_work, &j, NULL, NULL, &sample), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_measure(comm, do_work, &j, NULL, NULL, last ? NULL : &sample), SCALAY_ERROR_ARGUMENT);
    if (last) options.max_repetitions = 999;
    CHECK_STATUS(scalay_measure(comm, do_work, &j, NULL, &options, &sample),
                 several ? SCALAY_ERROR_MISMATCH : SCALAY_SUCCESS);
    scalay_sample_destroy(&sample);
    for (int k = 0; k < 8; k++) {
        options = scalay_repeat_options_default();
        if (k == 0) options.warm_up = -1;
        if (k == 1) options.min_repetitions = 0;
        if (k == 2) options.max_repetitions = 4;
        if (k == 3) options.max_seconds = NAN;
        if (k == 4) options.confidence = 1.0;
        if (k == 5) options.precision = -1.0;
        if (k == 6) options.min_interval = -1.0;
        if (k == 7) options.static_power = INFINITY;
        CHECK_STATUS(scalay_measure(comm, do_work, &j, NULL, last ? &options : NULL, &sample), SCALAY_ERROR_ARGUMENT);
        CHECK(sample == NULL);
    }
    for (int n = 1; n <= 3; n++) {
        if (last) scalay_memory_fail_at(n);
        CHECK_STATUS(scalay_measure(comm, do_work, &j, NULL, NULL, &sample), SCALAY_ERROR_MEMORY);
        scalay_memory_fail_at(0);
        CHECK(sample == NULL);
    }
    CHECK((int)scalay_measure(comm, last ? fail_without_words : do_work, &j, NULL, NULL, &sample) == 99);
    CHECK(strstr(scalay_error_message(), "the work returned 99") != NULL);
    CHECK(summary_of(sample).end == SCALAY_END_FAILED);
    scalay_sample_destroy(&sample);
    CHECK_STATUS(scalay_measure_static_power(comm, NULL, last ? 0.0 : 1.0, &watts), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_measure_static_power(comm, NULL, 0.001, &watts), SCALAY_SUCCESS);
    CHECK(watts == 0.0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    check_stop_rules(comm);
    check_warm_up_is_limited(comm);
    check_model_conserves(comm);
    check_short_work(comm, 0);
    check_short_work(comm, 1);
    check_ranks_without_work(comm);
    check_slow_meters_of_others(comm);
    check_arguments(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
