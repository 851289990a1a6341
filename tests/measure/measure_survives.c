/* What a measurement survives, on one rank of several: work that fails, a clock that jumps, a meter that disappears, an
 * interrupt. What was measured is kept, and all ranks come back. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <string.h>

#include "measure/job.h"

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

/* The clock goes wrong on one rank: that repetition is measured again on all, and the sample is what it would have
 * been. */
static void check_jumping_clock(scalay_comm *comm)
{
    static const double jumps[] = {-100.0, 3600.0, -0.5};
    const scalay_repeat_options options = scalay_repeat_options_default();
    const int last = scalay_comm_size(comm) - 1;
    for (int k = 0; k < 3; k++) {
        scalay_sample *sample = NULL;
        job j = job_of(comm, 0.25, 0.0);
        if (scalay_comm_rank(comm) == last) {
            j.jumps_at = 3;
            j.jump = jumps[k];
        }
        CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
        const scalay_sample_summary summary = summary_of(sample);
        CHECK(summary.end == SCALAY_END_PRECISE && summary.clock_faults == 1 && summary.repetitions == 5);
        CHECK(j.executions == 7); /* one to warm up, one in vain */
        for (int r = 0; r < 5; r++) CHECK(fabs(summary.time_value[r] - 0.25) < 1e-9);
        CHECK(fabs(summary.seconds - 7 * 0.25) < 0.01); /* the witness knows */
        scalay_sample_destroy(&sample);
    }
}

static double never_the_same(void *data)
{
    hand_clock *clock = data;
    clock->now -= 1.0;
    return clock->now;
}

/* A clock that only jumps is given up, on all ranks. */
static void check_useless_clock(scalay_comm *comm)
{
    const scalay_repeat_options options = scalay_repeat_options_default();
    const int last = scalay_comm_size(comm) - 1;
    job j = job_of(comm, 0.25, 0.0);
    scalay_sample *sample = NULL;
    const scalay_clocks clocks = {
        .now = scalay_comm_rank(comm) == last ? never_the_same : hand_now, .witness = hand_witness, .data = &j.clock};
    const scalay_repeat_task task = {.comm = comm, .work = do_work, .data = &j, .options = &options, .clocks = &clocks};
    CHECK_STATUS(scalay_repeat_run(&task, &sample), SCALAY_ERROR_UNSUPPORTED);
    CHECK(sample == NULL && j.executions == 10);
}

/* A meter with the job's clock that disappears after so many readings. */
typedef struct {
    int64_t readings;
    int64_t last;
    double *joules;
} frail;

static scalay_status read_frail(scalay_meter *meter, double *joules)
{
    frail *f = meter->state;
    if (++f->readings > f->last) return scalay_error_set(SCALAY_ERROR_UNSUPPORTED, "unplugged");
    *joules = *f->joules;
    return SCALAY_SUCCESS;
}

static const scalay_meter_kind frail_kind = {.name = "frail", .read = read_frail};

/* A meter that is unplugged on one rank: its energies end there, the times of all go on. */
static void check_disappearing_meter(scalay_comm *comm)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    const int last = scalay_comm_size(comm) - 1, has_bad = scalay_comm_rank(comm) == last;
    job j = job_of(comm, 0.5, 0.0);
    frail state = {.last = has_bad ? 7 : 1000, .joules = &j.clock.witness};
    scalay_meter meter = {.kind = &frail_kind, .clocks = &scalay_clocks_system, .state = &state};
    scalay_sample *sample = NULL;
    char text[600];
    j.meter = &meter;
    options.max_repetitions = 8;
    options.min_repetitions = 8;
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    const scalay_sample_summary summary = summary_of(sample);
    CHECK(summary.repetitions == 8 && summary.energies == (has_bad ? 2 : 8));
    CHECK(summary.meter == (has_bad ? SCALAY_ERROR_UNSUPPORTED : SCALAY_SUCCESS));
    const scalay_statistics energy = summary.energy;
    CHECK(energy.count == summary.energies && energy.mean == 0.5); /* a joule a second */
    (void)scalay_sample_describe(sample, text, sizeof text);
    CHECK((strstr(text, "unplugged") != NULL) == has_bad);
    scalay_sample_destroy(&sample);
}

/* Asked on one rank, obeyed on all, with what there is. */
static void check_interrupt(scalay_comm *comm)
{
    scalay_repeat_options options = scalay_repeat_options_default();
    const int last = scalay_comm_size(comm) - 1;
    scalay_sample *sample = NULL;
    job j = job_of(comm, 0.5, 0.5);
    options.precision = 1e-12;
    if (scalay_comm_rank(comm) == last) j.interrupts_at = 5;
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    scalay_sample_summary summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_INTERRUPTED && summary.repetitions == 4);
    scalay_sample_destroy(&sample);
    options.max_repetitions = 7;
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS); /* it was obeyed once */
    summary = summary_of(sample);
    CHECK(summary.end == SCALAY_END_REPETITIONS && summary.repetitions == 7);
    scalay_sample_destroy(&sample);
}

static volatile sig_atomic_t handled_before;

static void handle_before(int number)
{
    handled_before += number == SIGINT;
}

/* In a scope SIGINT ends the measurement; a second one, and one after the scope, go to the handler from before. */
static void check_signals(scalay_comm *comm)
{
    struct sigaction action, found;
    scalay_interrupt_scope *scope = NULL, *second = NULL;
    scalay_sample *sample = NULL;
    const scalay_repeat_options options = scalay_repeat_options_default();
    job j = job_of(comm, 0.5, 0.0);
    memset(&action, 0, sizeof action);
    action.sa_handler = handle_before;
    sigaction(SIGINT, &action, NULL);
    CHECK_STATUS(scalay_interrupt_begin(NULL), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_interrupt_begin(&scope), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_interrupt_begin(&second), SCALAY_ERROR_ARGUMENT);
    raise(SIGINT);
    CHECK(handled_before == 0);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS);
    CHECK(summary_of(sample).end == SCALAY_END_INTERRUPTED);
    CHECK(summary_of(sample).repetitions == 0); /* it came before the first one */
    scalay_sample_destroy(&sample);
    raise(SIGINT);
    raise(SIGINT);
    CHECK(handled_before == 1);
    scalay_interrupt_end(&scope);
    scalay_interrupt_end(&scope);
    CHECK(scope == NULL && second == NULL);
    sigaction(SIGINT, NULL, &found);
    CHECK(found.sa_handler == handle_before);
    raise(SIGINT);
    CHECK(handled_before == 2);
    CHECK_STATUS(run(comm, &j, &options, 1, &sample), SCALAY_SUCCESS); /* what nobody obeyed is forgotten */
    CHECK(summary_of(sample).end == SCALAY_END_PRECISE);
    scalay_sample_destroy(&sample);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    check_failure_on_one_rank(comm);
    check_jumping_clock(comm);
    check_useless_clock(comm);
    check_disappearing_meter(comm);
    check_interrupt(comm);
    check_signals(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
