#include "advise.h"
#include "base/memory.h"
#include "progress.h"
#include "strategy.h"

/* Of what the runs took for the way there, the kernel or the way back. */
static double median(const scalay_trial_seconds *runs, int64_t count, int which, double *room)
{
    for (int64_t k = 0; k < count; k++)
        room[k] = which == 0 ? runs[k].move : which == 1 ? runs[k].kernel : runs[k].back;
    return scalay_median(room, count);
}

static scalay_status try_row(const scalay_advise_job *job, const scalay_advise_row *row, scalay_trial_seconds *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    const scalay_trial trial = {.comm = job->comm,
                                .type = job->asked.type,
                                .kernel = job->asked.kernel,
                                .source = job->source,
                                .iterations = job->asked.times,
                                .bring_back = job->asked.bring_back};
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_advice_layout(job->advice, row->index, &target)));
    SCALAY_TRY(scalay_trial_run(&trial, target, seconds));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

/* All candidates in turn, another one first each time, so that a disturbance does not hit one of them alone. */
static scalay_status try_all(scalay_advise_job *job, int64_t repeat, scalay_trial_seconds *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t turn = 0; turn < repeat; turn++)
        for (int k = 0; k < job->count; k++) {
            const int at = (int)((turn + k) % job->count);
            scalay_advise_row *row = &job->rows[at];
            scalay_progress_say("%s, run %lld of %lld", row->told.name, (long long)turn + 1, (long long)repeat);
            SCALAY_TRY(try_row(job, row, &runs[at * repeat + row->runs]));
            row->runs++;
        }
cleanup:
    return status;
}

scalay_status scalay_advise_job_measure(scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t repeat = job->options->repeat > 0 ? job->options->repeat : 3;
    scalay_trial_seconds *runs = NULL, warm_up;
    double *room = NULL;
    status = SCALAY_NEW(runs, repeat * job->count);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(room, repeat);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
    scalay_memory_keep_released();
    scalay_progress_say("a run to warm up");
    SCALAY_TRY(try_row(job, &job->rows[0], &warm_up));
    SCALAY_TRY(try_all(job, repeat, runs));
    for (int k = 0; k < job->count; k++)
        job->rows[k].measured = (scalay_trial_seconds){.move = median(&runs[k * repeat], repeat, 0, room),
                                                       .kernel = median(&runs[k * repeat], repeat, 1, room),
                                                       .back = median(&runs[k * repeat], repeat, 2, room)};
cleanup:
    scalay_release(room);
    scalay_release(runs);
    return status;
}
