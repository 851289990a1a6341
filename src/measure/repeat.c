/*
 * Repeated measurement of work on all ranks at the same time: scalay_measure(), scalay_measure_static_power().
 *
 * All ranks start each repetition together. After a repetition the ranks exchange the maxima of a few values, and
 * decide alike whether to repeat. The measurement ends if every rank's mean is precise by Student's t, or if a limit is
 * reached. Source: MeanUsingTtest of Lastovetsky, Reddy Manumachu (2017), appendix D.
 *
 * Oversubscribed ranks get time slices of some milliseconds on their processor. Without precautions each rank seems as
 * fast as if it had the processor alone: a barrier is not enough, because a rank that yields in it may be scheduled
 * only after another rank has finished its work. Therefore ranks that share processors wake up from a sleep at the same
 * moment, and are busy for many time slices.
 */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "measure/repeat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "measure/clock.h"
#include "measure/interrupt.h"
#include "measure/meter.h"
#include "measure/sample.h"
#include "parallel/node.h"

/* ---------------------------------------------------------------------------------------------------------- options */

void scalay_repeat_options_init(scalay_repeat_options *options, size_t size)
{
    const scalay_repeat_options defaults = {.size = sizeof defaults,
                                            .warm_up = 1,
                                            .min_repetitions = 5,
                                            .max_repetitions = 1000,
                                            .max_seconds = 60.0,
                                            .confidence = 0.95,
                                            .precision = 0.025};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static scalay_status check_counts(const scalay_repeat_options *o, const char *function)
{
    if (o->warm_up < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "warm_up is %lld; it must be at least 0",
                           (long long)o->warm_up);
    if (o->min_repetitions < 1 || o->max_repetitions < o->min_repetitions)
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, function,
            "min_repetitions is %lld and max_repetitions is %lld; they must satisfy 1 <= min_repetitions <= "
            "max_repetitions",
            (long long)o->min_repetitions, (long long)o->max_repetitions);
    return SCALAY_SUCCESS;
}

static scalay_status check_numbers(const scalay_repeat_options *o, const char *function)
{
    if (!(o->max_seconds > 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "max_seconds is %g; it must be above 0", o->max_seconds);
    if (!(o->confidence > 0.0 && o->confidence < 1.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "confidence is %g; it must be in (0, 1), such as 0.95",
                           o->confidence);
    if (!(o->precision > 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "precision is %g; it must be above 0, such as 0.025",
                           o->precision);
    if (!(o->min_interval >= 0.0 && isfinite(o->min_interval)))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "min_interval is %g; it must be finite and at least 0",
                           o->min_interval);
    if (!isfinite(o->static_power))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "static_power is %g; it must be finite", o->static_power);
    return SCALAY_SUCCESS;
}

/* Without static_power, which may differ between ranks. */
static uint64_t fingerprint_of(const scalay_repeat_options *o)
{
    const double number[] = {o->max_seconds, o->confidence, o->precision, o->min_interval};
    uint64_t fingerprint = scalay_fingerprint_start();
    fingerprint = scalay_fingerprint_add(fingerprint, o->warm_up);
    fingerprint = scalay_fingerprint_add(fingerprint, o->min_repetitions);
    fingerprint = scalay_fingerprint_add(fingerprint, o->max_repetitions);
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
        int64_t bits = 0;
        memcpy(&bits, &number[k], sizeof bits);
        fingerprint = scalay_fingerprint_add(fingerprint, bits);
    }
    return scalay_fingerprint_add(fingerprint, o->independent != 0);
}

scalay_status scalay_repeat_read_options(scalay_comm *comm, const scalay_repeat_options *given, const char *function,
                                         scalay_repeat_options *options)
{
    *options = scalay_repeat_options_default();
    scalay_status status = scalay_option_struct_read(given, options, sizeof *options, function);
    if (status == SCALAY_SUCCESS) status = check_counts(options, function);
    if (status == SCALAY_SUCCESS) status = check_numbers(options, function);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_comm_agree_value(comm, fingerprint_of(options), function, "the options"));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- oversubscribed ranks */

/* Seconds per rank on a processor that contain many time slices. */
#define INTERVAL 40e-3
/* Seconds that all ranks need to fall asleep and wake up. */
#define SLEEP 4e-3
/* Seconds per rank on a processor that contain a few time slices. */
#define LEAD 6e-3

scalay_status scalay_find_oversubscription(scalay_comm *comm, int works, double *oversubscription)
{
    scalay_status status = SCALAY_SUCCESS;
    int workers = 0;
    double maximum = 1.0;
    const int mine = works != 0;
    *oversubscription = 1.0;
    SCALAY_TRY(scalay_node_probe(comm));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &workers, 1, MPI_INT, MPI_SUM, comm->node->mpi));
    const double on_node = (double)comm->node->size / (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double seen = fmax(on_node, 1.0 / scalay_node_share(comm->node));
    SCALAY_TRY_MPI(MPI_Allreduce(&seen, &maximum, 1, MPI_DOUBLE, MPI_MAX, comm->node->mpi));
    *oversubscription = fmax(1.0, fmin(workers, maximum));
cleanup:
    return status;
}

double scalay_oversubscription_interval(double oversubscription)
{
    return oversubscription > 1.0 ? INTERVAL * oversubscription : 0.0;
}

static void spin_until(double moment)
{
    while (scalay_clock() < moment) {
    }
}

/* A rank that has slept is scheduled as if it had never yielded. */
scalay_status scalay_begin_together(scalay_comm *comm, double oversubscription, int is_idle)
{
    scalay_status status = SCALAY_SUCCESS;
    double all = 0.0;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    if (oversubscription <= 1.0) return SCALAY_SUCCESS;
    const double now = scalay_clock();
    SCALAY_TRY_MPI(MPI_Allreduce(&now, &all, 1, MPI_DOUBLE, MPI_MAX, comm->node->mpi));
    const double awake = all + SLEEP;
    scalay_sleep(fmax(0.0, awake - scalay_clock()));
    if (!is_idle) spin_until(awake + LEAD * oversubscription);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- one repetition */

/* Intervals have at least this many steps of the clock, and of the meter. */
#define CLOCK_STEPS 1000.0
#define METER_STEPS 20.0
/* Executions are added until they fill the interval AIM times. At most MAX_GROWTH times as many are added at once. */
#define AIM 1.2
#define MAX_GROWTH 1000.0
#define MAX_EXECUTIONS 1e12
enum { MAX_CLOCK_FAULTS = 10 };
/* A meter that takes at most this many seconds is read after the barrier of a repetition, a slower one before it. */
#define FAST_READING 1e-4
/* A rank that waits and goes on working tests the others after this many seconds. */
#define SECONDS_BETWEEN_TESTS 5e-3

/* Values that the ranks exchange after a repetition. The maximum over the ranks is used. */
enum {
    SHARED_FAILED,      /* 1: the work failed */
    SHARED_FAULT,       /* 1: a clock jumped */
    SHARED_INTERRUPTED, /* 1: an interrupt was requested */
    SHARED_IMPRECISE,   /* 1: a mean is not precise */
    SHARED_SECONDS,     /* of the measurement */
    SHARED_INTERVAL,    /* seconds of the repetition */
    SHARED_GROWTH,      /* factor by which executions should be added; 0: none */
    SHARED_SLOW_METER,  /* 1: the meter is slow */
    SHARED_METERED,     /* 1: the meter is read */
    SHARED_VALUES
};
_Static_assert((int)SHARED_VALUES <= (int)SCALAY_WAIT_VALUES, "scalay_wait_max() takes them");

typedef struct {
    const scalay_repeat_task *task;
    scalay_sample *sample;
    int metered;                  /* 1: the meter is read on this rank */
    scalay_status mine;           /* status of the work of this rank */
    double min_interval;          /* seconds of a repetition, at least */
    double oversubscription;      /* ranks with work per processor of the node, at least 1 */
    scalay_moment last;           /* end of the previous repetition */
    double waited;                /* seconds from then until all ranks had finished */
    int64_t warm_up;              /* remaining repetitions that do not count */
    int64_t repetitions;          /* that count, on all ranks */
    int faults;                   /* consecutive repetitions in which a clock jumped */
    int trusted;                  /* 1: no clock jumped in this repetition */
    double interval;              /* seconds of this repetition */
    scalay_series seconds_before; /* the sample before this repetition */
    scalay_series joules_before;
    double shared[SHARED_VALUES]; /* maxima over the ranks */
} repetition;

/* Reads the meter, if there is one. A meter that fails is not read again. */
static int read_meter(repetition *r, double *joules, scalay_moment *moment)
{
    scalay_sample *sample = r->sample;
    double cost = 0.0;
    if (!r->metered) return 0;
    const scalay_moment begin = scalay_moment_begin(r->task->clocks);
    sample->summary.meter = scalay_meter_read(r->task->meter, joules);
    *moment = scalay_moment_end(r->task->clocks);
    (void)scalay_moment_interval(begin, *moment, &cost);
    if (sample->summary.meter != SCALAY_SUCCESS) {
        r->metered = 0;
        (void)snprintf(sample->meter_message, sizeof sample->meter_message, "%s", scalay_error_message());
        return 0;
    }
    sample->meter_readings++;
    sample->summary.meter_seconds += (cost - sample->summary.meter_seconds) / (double)sample->meter_readings;
    return 1;
}

/* Decided by the readings so far. */
static int is_fast(const repetition *r)
{
    return r->sample->meter_readings > 0 && r->sample->summary.meter_seconds <= FAST_READING;
}

/* Reads the meter and starts the repetition on all ranks. Ranks sleep while others read a slow meter. A fast meter is
 * read after all ranks have woken up. */
static scalay_status start(repetition *r, int *has_joules, double *joules, scalay_moment *moment)
{
    scalay_status status = SCALAY_SUCCESS;
    const double nothing = 0.0;
    double unused = 0.0;
    const int fast = is_fast(r);
    if (!fast) *has_joules = read_meter(r, joules, moment);
    if (r->shared[SHARED_SLOW_METER] > 0.0) {
        SCALAY_TRY(scalay_wait_max(r->task->comm, &nothing, &unused, 1));
        SCALAY_TRY_MPI(MPI_Barrier(r->task->comm->mpi));
    }
    if (fast) *has_joules = read_meter(r, joules, moment);
    SCALAY_TRY(scalay_begin_together(r->task->comm, r->oversubscription, r->shared[SHARED_METERED] > 0.0));
cleanup:
    return status;
}

static void execute(repetition *r, int64_t executions)
{
    const scalay_repeat_task *task = r->task;
    if (r->mine != SCALAY_SUCCESS || task->work == NULL) return;
    scalay_set_message("");
    for (int64_t k = 0; k < executions && r->mine == SCALAY_SUCCESS; k++) r->mine = task->work(task->data);
    if (r->mine != SCALAY_SUCCESS && scalay_error_message()[0] == '\0')
        (void)scalay_fail(r->mine, "scalay_measure", "the work returned %d: %s", (int)r->mine,
                          scalay_status_text(r->mine));
}

/* Seconds since the last repetition was over. */
static double seconds_since(const repetition *r)
{
    double passed = 0.0;
    (void)scalay_moment_interval(r->last, scalay_moment_end(r->task->clocks), &passed);
    return passed;
}

/* A rank that has finished continues to work while others measure, so that the machine stays as busy as it was. This
 * work does not count. It lasts as long as the others took after this rank in the previous repetition. Not done beside
 * a meter, and not with work that may wait for other ranks. */
static int work_on(void *data)
{
    repetition *r = data;
    const double each = r->interval / (double)r->sample->summary.executions;
    const int may = r->task->options->independent && r->shared[SHARED_METERED] == 0.0 && !scalay_interrupt_requested();
    const double left = r->waited - seconds_since(r);
    if (!may || r->task->work == NULL || r->mine != SCALAY_SUCCESS || !(each > 0.0 && each <= left)) return 0;
    execute(r, (int64_t)fmax(1.0, fmin(left, SECONDS_BETWEEN_TESTS) / each));
    return 1;
}

/* Adds the repetition to the sample. undo() removes it. */
static void record(repetition *r, double joules, int has_joules)
{
    scalay_sample *sample = r->sample;
    const double executions = (double)sample->summary.executions;
    r->seconds_before = sample->seconds;
    r->joules_before = sample->joules;
    if (r->mine != SCALAY_SUCCESS) return;
    if (r->task->work != NULL) scalay_series_add(&sample->seconds, r->interval / executions);
    if (has_joules) scalay_series_add(&sample->joules, joules / executions);
    r->mine = scalay_series_reserve(&sample->seconds);
    if (r->mine == SCALAY_SUCCESS) r->mine = scalay_series_reserve(&sample->joules);
}

static void undo(repetition *r)
{
    scalay_series_return(&r->sample->seconds, &r->seconds_before);
    scalay_series_return(&r->sample->joules, &r->joules_before);
}

/* Returns the factor by which executions should be added; 0: the repetition is long enough. */
static double wanted_growth(const repetition *r)
{
    if (r->task->work == NULL || r->repetitions > 0 || r->interval >= r->min_interval) return 0.0;
    return fmin(fmax(2.0, AIM * r->min_interval / r->interval), MAX_GROWTH);
}

/* Exchanges the result of the repetition. A rank that waits sleeps or works on, because others may still measure. */
static scalay_status share(repetition *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_repeat_options *options = r->task->options;
    const scalay_sample *sample = r->sample;
    const int precise = (r->task->work == NULL || scalay_series_is_precise(&sample->seconds, options)) &&
                        (!r->metered || scalay_series_is_precise(&sample->joules, options));
    const double mine[SHARED_VALUES] = {[SHARED_FAILED] = r->mine != SCALAY_SUCCESS,
                                        [SHARED_FAULT] = !r->trusted,
                                        [SHARED_INTERRUPTED] = scalay_interrupt_requested(),
                                        [SHARED_IMPRECISE] = !precise,
                                        [SHARED_SECONDS] = sample->summary.seconds,
                                        [SHARED_INTERVAL] = r->interval,
                                        [SHARED_GROWTH] = wanted_growth(r),
                                        [SHARED_SLOW_METER] = r->metered && !is_fast(r),
                                        [SHARED_METERED] = r->metered};
    double shared[SHARED_VALUES];
    SCALAY_TRY(scalay_wait_max_busy(r->task->comm, mine, shared, SHARED_VALUES, work_on, r));
    memcpy(r->shared, shared, sizeof shared);
    r->waited = seconds_since(r);
cleanup:
    return status;
}

/* Between the two readings of a fast meter there is only the work, and for a joint meter the work of the other ranks.
 * Between those of a slow meter there is also the sleep until all ranks have read theirs. */
static scalay_status repeat_once(repetition *r)
{
    const scalay_repeat_task *task = r->task;
    scalay_status status = SCALAY_SUCCESS;
    scalay_moment energy_begin = {0}, energy_end = {0};
    double before = 0.0, after = 0.0, unused = 0.0, energy_seconds = 0.0, passed = 0.0;

    int has_joules = 0;
    SCALAY_TRY(start(r, &has_joules, &before, &energy_begin));
    const scalay_moment begin = scalay_moment_begin(task->clocks);
    execute(r, r->sample->summary.executions);
    const scalay_moment end = scalay_moment_end(task->clocks);
    if (task->joint) SCALAY_TRY(scalay_wait_max(task->comm, &unused, &after, 1));
    has_joules = r->mine == SCALAY_SUCCESS && read_meter(r, &after, &energy_end) && has_joules;

    r->trusted = scalay_moment_interval(begin, end, &r->interval);
    if (has_joules) r->trusted &= scalay_moment_interval(energy_begin, energy_end, &energy_seconds);
    record(r, after - before - task->options->static_power * energy_seconds, has_joules);
    (void)scalay_moment_interval(r->last, end, &passed);
    r->sample->summary.seconds += passed;
    r->last = end;
    SCALAY_TRY(share(r));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- the run */

/* Adds executions if the repetition was too short. Returns 1 if any rank does. The slowest rank must not exceed the
 * time limit of the measurement. */
static int grow(repetition *r)
{
    const scalay_repeat_options *options = r->task->options;
    const double rounds = (double)(options->min_repetitions + 1);
    const double max_growth = fmax(1.0, options->max_seconds / rounds / fmax(r->shared[SHARED_INTERVAL], 1e-12));
    double growth = options->independent ? wanted_growth(r) : fmin(r->shared[SHARED_GROWTH], max_growth);
    if (r->shared[SHARED_GROWTH] < 1.0 || (!options->independent && growth < 2.0)) return 0;
    if (r->shared[SHARED_SECONDS] > options->max_seconds) return 0;
    growth *= (double)r->sample->summary.executions;
    if (growth > 0.0) r->sample->summary.executions = (int64_t)fmin(growth, MAX_EXECUTIONS);
    return 1;
}

/* Counts the repetition, or removes it from the sample. */
static scalay_status judge(repetition *r)
{
    if (r->shared[SHARED_FAULT] > 0.0) {
        undo(r);
        r->sample->summary.clock_faults++;
        if (++r->faults < MAX_CLOCK_FAULTS) return SCALAY_SUCCESS;
        return scalay_fail(
            SCALAY_ERROR_UNSUPPORTED, "scalay_measure",
            "the clock jumped in %d consecutive repetitions; do not suspend or migrate this machine while "
            "measuring",
            MAX_CLOCK_FAULTS);
    }
    r->faults = 0;
    if (grow(r) || r->warm_up > 0) {
        undo(r);
        if (r->warm_up > 0) r->warm_up--;
        if (r->shared[SHARED_SECONDS] >= r->task->options->max_seconds) r->warm_up = 0;
        return SCALAY_SUCCESS;
    }
    r->repetitions++;
    return SCALAY_SUCCESS;
}

static int is_over(const repetition *r)
{
    const scalay_repeat_options *options = r->task->options;
    scalay_repeat_end *end = &r->sample->summary.end;
    if (r->shared[SHARED_INTERRUPTED] > 0.0) {
        *end = SCALAY_END_INTERRUPTED;
        scalay_interrupt_clear();
        return 1;
    }
    if (r->repetitions == 0) return 0;
    if (r->repetitions >= options->min_repetitions && r->shared[SHARED_IMPRECISE] == 0.0) {
        *end = SCALAY_END_PRECISE;
        return 1;
    }
    *end = r->repetitions >= options->max_repetitions ? SCALAY_END_REPETITIONS : SCALAY_END_SECONDS;
    return r->repetitions >= options->max_repetitions || r->shared[SHARED_SECONDS] >= options->max_seconds;
}

static void finish(repetition *r)
{
    scalay_sample_summary *summary = &r->sample->summary;
    summary->repetitions = r->sample->seconds.count;
    summary->energies = r->sample->joules.count;
    for (int64_t k = 0; k < summary->energies; k++) summary->negative_energies += r->sample->joules.value[k] < 0.0;
}

static scalay_status repeat(repetition *r)
{
    scalay_status status = SCALAY_SUCCESS;
    do {
        SCALAY_TRY(repeat_once(r));
        if (r->shared[SHARED_FAILED] > 0.0) {
            undo(r);
            r->sample->summary.end = SCALAY_END_FAILED;
            SCALAY_TRY(scalay_comm_agree(r->task->comm, r->mine));
        }
        SCALAY_TRY(judge(r));
    } while (!is_over(r));
cleanup:
    return status;
}

static scalay_status make_sample(const scalay_repeat_task *task, scalay_sample **sample)
{
    scalay_sample *new_sample = NULL;
    scalay_status status = SCALAY_NEW(new_sample, 1);
    *sample = new_sample;
    if (status != SCALAY_SUCCESS) return status;
    new_sample->options = *task->options;
    new_sample->summary.executions = 1;
    new_sample->summary.is_modelled = scalay_meter_is_modelled(task->meter);
    status = scalay_series_reserve(&new_sample->seconds);
    return status == SCALAY_SUCCESS ? scalay_series_reserve(&new_sample->joules) : status;
}

static double find_min_interval(const repetition *r)
{
    const scalay_repeat_task *task = r->task;
    if (task->options->min_interval > 0.0) return task->options->min_interval;
    const double known =
        fmax(CLOCK_STEPS * scalay_clock_step(task->clocks), scalay_oversubscription_interval(r->oversubscription));
    return fmax(known, r->metered ? METER_STEPS * task->meter->step : 0.0);
}

/* With clocks of a test, ranks do not influence each other. */
static scalay_status find_oversubscription(repetition *r)
{
    if (r->task->clocks != &scalay_clocks_system) return SCALAY_SUCCESS;
    return scalay_find_oversubscription(r->task->comm, r->task->work != NULL, &r->oversubscription);
}

scalay_status scalay_repeat_run(const scalay_repeat_task *task, scalay_sample **sample)
{
    scalay_status status = SCALAY_SUCCESS;
    repetition r = {.task = task,
                    .oversubscription = 1.0,
                    .warm_up = task->options->warm_up,
                    .shared = {[SHARED_SLOW_METER] = 1.0, [SHARED_METERED] = 1.0}};
    SCALAY_TRY(scalay_comm_agree(task->comm, make_sample(task, sample)));
    r.sample = *sample;
    r.metered = scalay_meter_measures(task->meter) && (task->work != NULL || task->joint);
    SCALAY_TRY(find_oversubscription(&r));
    r.min_interval = find_min_interval(&r);
    r.last = scalay_moment_begin(task->clocks);
    status = repeat(&r);
    finish(&r);
    if (r.sample->summary.end == SCALAY_END_FAILED) return status;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_sample_destroy(sample);
    return status;
}

/* ------------------------------------------------------------------------------------------------- public functions */

scalay_status scalay_measure(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                             const scalay_repeat_options *options, scalay_sample **sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_repeat_options read;
    const scalay_repeat_task task = {
        .comm = comm, .work = work, .data = data, .meter = meter, .options = &read, .clocks = &scalay_clocks_system};
    if (sample != NULL) *sample = NULL;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_check_not_null(sample, __func__, "sample")));
    SCALAY_TRY(scalay_repeat_read_options(comm, options, __func__, &read));
    SCALAY_TRY(scalay_repeat_run(&task, sample));
cleanup:
    return status;
}

/* All ranks sleep until every meter has been read. */
static scalay_status sleep_together(scalay_comm *comm, scalay_meter *meter, double seconds, double *watts)
{
    scalay_status status = SCALAY_SUCCESS, read = SCALAY_SUCCESS;
    double unused[2] = {0.0};
    SCALAY_TRY(scalay_wait_max(comm, &unused[0], &unused[1], 1));
    if (meter != NULL)
        read = scalay_meter_static_power(meter, seconds, watts);
    else
        scalay_sleep(seconds);
    SCALAY_TRY(scalay_wait_max(comm, &unused[0], &unused[1], 1));
    SCALAY_TRY(scalay_comm_agree(comm, read));
cleanup:
    return status;
}

scalay_status scalay_measure_static_power(scalay_comm *comm, scalay_meter *meter, double seconds, double *watts)
{
    scalay_status status = SCALAY_SUCCESS;
    double found = 0.0;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    status = scalay_check_not_null(watts, __func__, "watts");
    if (status == SCALAY_SUCCESS) status = scalay_meter_check_sleep(seconds, __func__);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(sleep_together(comm, meter, seconds, &found));
    *watts = found;
cleanup:
    return status;
}
