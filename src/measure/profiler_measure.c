#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/additive.h"
#include "measure/interrupt.h"
#include "measure/profiler.h"
#include "measure/repeat.h"
#include "measure/sample.h"

/* ------------------------------------------------------------------------------------------------ the kernel */

static void note_failure(scalay_profiler *run, scalay_status status)
{
    const char *message = scalay_error_message();
    run->mine.is_hole = 1;
    (void)strncpy(run->mine.reason, message[0] != '\0' ? message : scalay_status_text(status),
                  sizeof run->mine.reason - 1);
}

static void prepare(scalay_profiler *run)
{
    const scalay_profile_kernel *kernel = run->kernel;
    scalay_set_message("");
    scalay_status status = kernel->prepare != NULL ? kernel->prepare(kernel->data, run->size) : SCALAY_SUCCESS;
    if (status != SCALAY_SUCCESS) note_failure(run, status);
}

static double count(double (*counter)(void *data, int64_t size), const scalay_profiler *run)
{
    return counter != NULL ? counter(run->kernel->data, run->size) : 0.0;
}

static scalay_status execute(void *data)
{
    scalay_profiler *run = data;
    const scalay_profile_kernel *kernel = run->kernel;
    scalay_status status = kernel->run(kernel->data, run->size);
    if (status != SCALAY_SUCCESS) note_failure(run, status);
    if (status == SCALAY_SUCCESS && run->meter != NULL)
        status = scalay_meter_work(run->meter, count(kernel->flops, run), count(kernel->bytes, run));
    return status;
}

/* --------------------------------------------------------------------------------------------------- a size */

static scalay_status any_rank(const scalay_profiler *run, int mine, int *any)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, any, 1, MPI_INT, MPI_MAX, run->comm->mpi));
cleanup:
    return status;
}

/* One attempt: *again when the kernel has failed on a rank that took part, which will only watch from now on, so that
 * the numbers of the others are not of a machine that was less busy for a while. */
static scalay_status attempt(scalay_profiler *run, scalay_sample **sample, int *again)
{
    scalay_status status = SCALAY_SUCCESS;
    int asked = 0;
    const int had_failed = run->mine.is_hole;
    const scalay_repeat_task task = {.comm = run->comm,
                                     .work = had_failed ? NULL : execute,
                                     .data = run,
                                     .meter = had_failed ? NULL : run->meter,
                                     .options = &run->repeat,
                                     .clocks = run->clocks};
    *again = 0;
    scalay_status measured =
        run->shared_meter ? scalay_additive_run(&task, 1, sample, &run->additive) : scalay_repeat_run(&task, sample);
    if (measured == SCALAY_SUCCESS) {
        run->mine.is_hole = had_failed; /* what did not count may have failed, too */
        return measured;
    }
    SCALAY_TRY(any_rank(run, run->mine.is_hole && !had_failed, again));
    if (!*again) return measured;
    SCALAY_TRY(any_rank(run, scalay_interrupt_asked(), &asked));
    if (asked) {
        scalay_interrupt_obey();
        run->interrupted = 1;
        *again = 0;
    }
    scalay_sample_destroy(sample);
cleanup:
    return status;
}

static scalay_status take_energy(scalay_profiler *run, const scalay_sample *sample)
{
    scalay_statistics energy;
    scalay_profile_point *point = &run->mine.point;
    if (sample->summary.meter != SCALAY_SUCCESS) {
        (void)snprintf(run->mine.reason, sizeof run->mine.reason, "%s", sample->meter_message);
        return SCALAY_SUCCESS;
    }
    const scalay_status status = scalay_sample_energy(sample, &energy);
    if (status != SCALAY_SUCCESS || energy.count == 0) return status;
    point->energy = energy.mean;
    point->energy_half_width = energy.half_width;
    point->precise = point->precise && energy.is_precise;
    return SCALAY_SUCCESS;
}

/* Of a meter that failed on the way the energies are not taken: they would be of fewer repetitions than was asked. */
static scalay_status take_sample(scalay_profiler *run, const scalay_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_sample_summary summary;
    scalay_statistics time;
    SCALAY_TRY(scalay_sample_get_summary(sample, &summary));
    run->interrupted = summary.end == SCALAY_END_INTERRUPTED;
    if (run->interrupted || run->mine.is_hole) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_sample_time(sample, &time));
    run->mine.point = (scalay_profile_point){.size = run->size,
                                             .time = time.mean,
                                             .time_half_width = time.half_width,
                                             .median = time.median,
                                             .deviation = time.deviation,
                                             .spread = time.quartile_3 - time.quartile_1,
                                             .normality = time.normality,
                                             .energy = NAN,
                                             .energy_half_width = NAN,
                                             .repetitions = time.count,
                                             .outliers = time.outliers,
                                             .precise = time.is_precise};
    run->mine.reason[0] = '\0';
    if (run->meter != NULL) SCALAY_TRY(take_energy(run, sample));
cleanup:
    return status;
}

/* Until an attempt is through, or everybody has failed. */
static scalay_status repeat(scalay_profiler *run)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_sample *sample = NULL;
    int works = 0;
    for (int again = 1; again;) {
        SCALAY_TRY(any_rank(run, !run->mine.is_hole, &works));
        if (!works) break;
        SCALAY_TRY(attempt(run, &sample, &again));
    }
    status = scalay_comm_agree(run->comm, sample != NULL ? take_sample(run, sample) : SCALAY_SUCCESS);
cleanup:
    scalay_sample_destroy(&sample);
    return status;
}

scalay_status scalay_profiler_measure(scalay_profiler *run, int64_t size)
{
    run->size = size;
    run->mine = (scalay_sent_point){.point = {.size = size}};
    run->additive = (scalay_additive){.sum = NAN, .joint = NAN, .difference = NAN, .uncertainty = NAN};
    prepare(run);
    scalay_status status = repeat(run);
    if (run->kernel->release != NULL) run->kernel->release(run->kernel->data);
    return status;
}
