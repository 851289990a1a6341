#include "measure/repeat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/interrupt.h"
#include "measure/meter.h"
#include "measure/sample.h"
#include "measure/together.h"
#include "measure/wait.h"

/* An interval of so many steps of the clock, or of the meter, is known to a thousandth, or to a twentieth. */
#define CLOCK_STEPS 1000.0
#define METER_STEPS 20.0
/* Short work is aimed a little beyond the interval that it should fill, and at most so much longer at a time. */
#define AIM 1.2
#define LARGEST_GROWTH 1000.0
#define MOST_EXECUTIONS 1e12
enum { FAULTS_ON_END = 10 };
/* A meter that is read within so many seconds is read when all have come, a slower one before that. */
#define FAST_READING 1e-4
/* While others are waited for, seconds of work between two looks at whether they are through. */
#define WORK_BETWEEN_LOOKS 5e-3

/* What the ranks tell each other after a repetition: the largest of each counts. */
enum {
    TOLD_FAILED,
    TOLD_FAULT,
    TOLD_INTERRUPTED,
    TOLD_IMPRECISE,
    TOLD_SECONDS,
    TOLD_INTERVAL,
    TOLD_GROWTH,
    TOLD_SLOW,
    TOLD_METERED,
    TOLD
};

typedef struct {
    const scalay_repeat_task *task;
    scalay_sample *sample;
    int metered;                  /* the meter is read on this rank */
    scalay_status mine;           /* what the work came to here */
    double short_interval;        /* seconds: less than that is not to be trusted */
    double crowd;                 /* ranks with work that share a processor of the node */
    scalay_moment last;           /* when the last repetition was over */
    double waited;                /* seconds then, until all were through */
    int64_t warm_up;              /* repetitions still to go that do not count */
    int64_t repetitions;          /* that count, on all ranks */
    int faults;                   /* of clocks, on end */
    int trusted;                  /* the clock, in the repetition at hand */
    double interval;              /* of the repetition at hand */
    scalay_series seconds_before; /* the sample as it was before the repetition at hand */
    scalay_series joules_before;
    double told[TOLD]; /* by all ranks */
} repetition;

/* ------------------------------------------------------------------------------------------- one repetition */

/* A meter that fails is not asked again; the time goes on being measured. */
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

/* Its first reading tells. */
static int is_fast(const repetition *r)
{
    return r->sample->meter_readings > 0 && r->sample->summary.meter_seconds <= FAST_READING;
}

/* The first reading, and the start. Who takes his time to read his meter is waited for asleep, and then, until all are
 * awake, at work; a meter that can be read at once is read after that. */
static scalay_status start(repetition *r, int *has_joules, double *joules, scalay_moment *moment)
{
    scalay_status status = SCALAY_SUCCESS;
    const double nothing = 0.0;
    double unused = 0.0;
    const int fast = is_fast(r);
    if (!fast) *has_joules = read_meter(r, joules, moment);
    if (r->told[TOLD_SLOW] > 0.0) {
        SCALAY_TRY(scalay_wait_max(r->task->comm, &nothing, &unused, 1));
        SCALAY_TRY_MPI(MPI_Barrier(r->task->comm->mpi));
    }
    if (fast) *has_joules = read_meter(r, joules, moment);
    SCALAY_TRY(scalay_begin_together(r->task->comm, r->crowd, r->told[TOLD_METERED] > 0.0));
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

/* Who is through goes on with what the others still have to stand, for as long as they took after him the last time:
 * nothing counts of it. Not beside a meter, and not with work that might wait for other ranks'. */
static int go_on(void *data)
{
    repetition *r = data;
    const double each = r->interval / (double)r->sample->summary.executions;
    const int may = r->task->options->independent && r->told[TOLD_METERED] == 0.0 && !scalay_interrupt_asked();
    const double left = r->waited - seconds_since(r);
    if (!may || r->task->work == NULL || r->mine != SCALAY_SUCCESS || !(each > 0.0 && each <= left)) return 0;
    execute(r, (int64_t)fmax(1.0, fmin(left, WORK_BETWEEN_LOOKS) / each));
    return 1;
}

/* Adds the repetition to the sample, from which it may be taken again: undo(). */
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

/* How many times as much work a repetition should have; 0: it is long enough. */
static double wanted_growth(const repetition *r)
{
    if (r->task->work == NULL || r->repetitions > 0 || r->interval >= r->short_interval) return 0.0;
    return fmin(fmax(2.0, AIM * r->short_interval / r->interval), LARGEST_GROWTH);
}

/* The ranks agree on how the repetition went; not by waiting in MPI, because others may still be working. */
static scalay_status tell(repetition *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_repeat_options *options = r->task->options;
    const scalay_sample *sample = r->sample;
    const int precise = (r->task->work == NULL || scalay_series_is_precise(&sample->seconds, options)) &&
                        (!r->metered || scalay_series_is_precise(&sample->joules, options));
    const double mine[TOLD] = {[TOLD_FAILED] = r->mine != SCALAY_SUCCESS,
                               [TOLD_FAULT] = !r->trusted,
                               [TOLD_INTERRUPTED] = scalay_interrupt_asked(),
                               [TOLD_IMPRECISE] = !precise,
                               [TOLD_SECONDS] = sample->summary.seconds,
                               [TOLD_INTERVAL] = r->interval,
                               [TOLD_GROWTH] = wanted_growth(r),
                               [TOLD_SLOW] = r->metered && !is_fast(r),
                               [TOLD_METERED] = r->metered};
    double told[TOLD];
    SCALAY_TRY(scalay_wait_max_busy(r->task->comm, mine, told, TOLD, go_on, r));
    memcpy(r->told, told, sizeof told);
    r->waited = seconds_since(r);
cleanup:
    return status;
}

/* Between the readings of a fast meter there is nothing but the work and, for a joint meter, the others' work; between
 * those of a slow one there is also the sleep until all have read theirs. */
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
    SCALAY_TRY(tell(r));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- the run */

/* More executions in a repetition when that was too short; 1 when there are more on any rank. The slowest rank must not
 * be kept at it for longer than the measurement may take. */
static int grow(repetition *r)
{
    const scalay_repeat_options *options = r->task->options;
    const double rounds = (double)(options->min_repetitions + 1);
    const double most = fmax(1.0, options->max_seconds / rounds / fmax(r->told[TOLD_INTERVAL], 1e-12));
    double growth = options->independent ? wanted_growth(r) : fmin(r->told[TOLD_GROWTH], most);
    if (r->told[TOLD_GROWTH] < 1.0 || (!options->independent && growth < 2.0)) return 0;
    if (r->told[TOLD_SECONDS] > options->max_seconds) return 0;
    growth *= (double)r->sample->summary.executions;
    if (growth > 0.0) r->sample->summary.executions = (int64_t)fmin(growth, MOST_EXECUTIONS);
    return 1;
}

/* What the repetition was good for: counts it, or takes it out of the sample. */
static scalay_status judge(repetition *r)
{
    if (r->told[TOLD_FAULT] > 0.0) {
        undo(r);
        r->sample->summary.clock_faults++;
        if (++r->faults < FAULTS_ON_END) return SCALAY_SUCCESS;
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_measure",
                           "the clock jumped in %d repetitions on end; is this machine being moved or suspended?",
                           FAULTS_ON_END);
    }
    r->faults = 0;
    if (grow(r) || r->warm_up > 0) {
        undo(r);
        if (r->warm_up > 0) r->warm_up--;
        if (r->told[TOLD_SECONDS] >= r->task->options->max_seconds) r->warm_up = 0;
        return SCALAY_SUCCESS;
    }
    r->repetitions++;
    return SCALAY_SUCCESS;
}

static int is_over(const repetition *r)
{
    const scalay_repeat_options *options = r->task->options;
    scalay_repeat_end *end = &r->sample->summary.end;
    if (r->told[TOLD_INTERRUPTED] > 0.0) {
        *end = SCALAY_END_INTERRUPTED;
        scalay_interrupt_obey();
        return 1;
    }
    if (r->repetitions == 0) return 0;
    if (r->repetitions >= options->min_repetitions && r->told[TOLD_IMPRECISE] == 0.0) {
        *end = SCALAY_END_PRECISE;
        return 1;
    }
    *end = r->repetitions >= options->max_repetitions ? SCALAY_END_REPETITIONS : SCALAY_END_SECONDS;
    return r->repetitions >= options->max_repetitions || r->told[TOLD_SECONDS] >= options->max_seconds;
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
        if (r->told[TOLD_FAILED] > 0.0) {
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
    scalay_sample *made = NULL;
    scalay_status status = SCALAY_NEW(made, 1);
    *sample = made;
    if (status != SCALAY_SUCCESS) return status;
    made->options = *task->options;
    made->summary.executions = 1;
    made->summary.is_modelled = scalay_meter_is_modelled(task->meter);
    status = scalay_series_reserve(&made->seconds);
    return status == SCALAY_SUCCESS ? scalay_series_reserve(&made->joules) : status;
}

static double shortest_interval(const repetition *r)
{
    const scalay_repeat_task *task = r->task;
    if (task->options->min_interval > 0.0) return task->options->min_interval;
    const double known = fmax(CLOCK_STEPS * scalay_clock_step(task->clocks), scalay_crowd_interval(r->crowd));
    return fmax(known, r->metered ? METER_STEPS * task->meter->step : 0.0);
}

/* Who shares a processor with whom. Of other clocks than the system's nobody takes any time from anybody. */
static scalay_status find_crowd(repetition *r)
{
    if (r->task->clocks != &scalay_clocks_system) return SCALAY_SUCCESS;
    return scalay_find_crowd(r->task->comm, r->task->work != NULL, &r->crowd);
}

scalay_status scalay_repeat_run(const scalay_repeat_task *task, scalay_sample **sample)
{
    scalay_status status = SCALAY_SUCCESS;
    repetition r = {.task = task,
                    .crowd = 1.0,
                    .warm_up = task->options->warm_up,
                    .told = {[TOLD_SLOW] = 1.0, [TOLD_METERED] = 1.0}};
    SCALAY_TRY(scalay_comm_agree(task->comm, make_sample(task, sample)));
    r.sample = *sample;
    r.metered = scalay_meter_measures(task->meter) && (task->work != NULL || task->joint);
    SCALAY_TRY(find_crowd(&r));
    r.short_interval = shortest_interval(&r);
    r.last = scalay_moment_begin(task->clocks);
    status = repeat(&r);
    finish(&r);
    if (r.sample->summary.end == SCALAY_END_FAILED) return status;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_sample_destroy(sample);
    return status;
}
