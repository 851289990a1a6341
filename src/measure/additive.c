/* Ranks that share one meter are measured one after the other: their energies are taken to add up, which is checked. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/additive.h"
#include "measure/meter.h"
#include "measure/quantile.h"
#include "measure/sample.h"
#include "parallel/node.h"

/* Mean and half of its confidence interval; NaN where there are too few values. */
static double half_width(const scalay_series *series, double confidence)
{
    const double count = (double)series->count;
    if (series->count < 2) return NAN;
    return scalay_student_two_sided(confidence, series->count - 1) * sqrt(series->squares / (count - 1.0) / count);
}

/* What a measurement adds to the one before: its energies, and how it went. */
static void take_over(scalay_sample *sample, scalay_sample *turn, int energies)
{
    scalay_sample_summary *all = &sample->summary;
    const scalay_sample_summary *one = &turn->summary;
    if (one->end > all->end) all->end = one->end;
    all->seconds += one->seconds;
    all->clock_faults += one->clock_faults;
    if (!energies) return;
    const scalay_series joules = sample->joules;
    sample->joules = turn->joules;
    turn->joules = joules;
    all->meter = one->meter;
    all->energies = one->energies;
    all->negative_energies = one->negative_energies;
    all->meter_seconds = one->meter_seconds;
    memcpy(sample->meter_message, turn->meter_message, sizeof turn->meter_message);
}

static int is_over(const scalay_sample *sample)
{
    return sample->summary.end == SCALAY_END_INTERRUPTED || sample->summary.end == SCALAY_END_FAILED;
}

/* When a rank is measured alone, and whether it is the one that reads what all who share its meter take. */
typedef struct {
    int turn;  /* 0 to turns - 1; turns: never, for a rank without work */
    int turns; /* the same on all ranks */
    int reads;
} schedule;

/* One rank of those that share a meter works, the others sleep. */
static scalay_status take_turn(const scalay_repeat_task *task, int mine, scalay_sample *sample)
{
    scalay_repeat_task turn = *task;
    scalay_sample *made = NULL;
    turn.joint = 0;
    if (!mine) {
        turn.work = NULL;
        turn.meter = NULL;
    }
    const scalay_status status = scalay_repeat_run(&turn, &made);
    if (made != NULL) take_over(sample, made, mine);
    scalay_sample_destroy(&made);
    return status;
}

/* The lowest rank that has a meter reads; those with work take their turns by rank. */
static scalay_status find_schedule(const scalay_repeat_task *task, MPI_Comm sharers, schedule *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = task->comm->rank, works = task->work != NULL;
    const int metered = scalay_meter_measures(task->meter) ? rank : task->comm->size;
    int until = 0, reader = 0;
    SCALAY_TRY_MPI(MPI_Scan(&works, &until, 1, MPI_INT, MPI_SUM, sharers));
    SCALAY_TRY_MPI(MPI_Allreduce(&metered, &reader, 1, MPI_INT, MPI_MIN, sharers));
    SCALAY_TRY_MPI(MPI_Allreduce(&until, &s->turns, 1, MPI_INT, MPI_MAX, task->comm->mpi));
    s->turn = works ? until - 1 : s->turns;
    s->reads = reader == rank || scalay_meter_is_modelled(task->meter);
cleanup:
    return status;
}

/* Sums over the ranks: energies alone and together, and the squares of their uncertainties. `joint` is NULL on a rank
 * that was not to read any; one that was, and could not, makes it unknown. */
static scalay_status compare(const scalay_repeat_task *task, const scalay_series *alone, const scalay_series *joint,
                             scalay_additive *additive)
{
    enum { ALONE, JOINT, SQUARES, SUMS };
    scalay_status status = SCALAY_SUCCESS;
    double mine[SUMS] = {0.0}, all[SUMS] = {0.0};
    const double confidence = task->options->confidence;
    if (task->work != NULL) {
        mine[ALONE] = alone->count > 0 ? alone->mean : NAN;
        mine[SQUARES] = pow(half_width(alone, confidence), 2.0);
    }
    if (joint != NULL) {
        mine[JOINT] = joint->count > 0 ? joint->mean : NAN;
        mine[SQUARES] += pow(half_width(joint, confidence), 2.0);
    }
    SCALAY_TRY_MPI(MPI_Allreduce(mine, all, SUMS, MPI_DOUBLE, MPI_SUM, task->comm->mpi));
    additive->sum = all[ALONE];
    additive->joint = all[JOINT];
    additive->difference = all[ALONE] != 0.0 ? (all[JOINT] - all[ALONE]) / all[ALONE] : NAN;
    additive->uncertainty = all[ALONE] != 0.0 ? sqrt(all[SQUARES]) / fabs(all[ALONE]) : NAN;
cleanup:
    return status;
}

/* The joint measurement, then the turns; `joint` keeps the energies of the former. */
static scalay_status run(const scalay_repeat_task *task, const schedule *s, scalay_series *joint,
                         scalay_sample **sample, scalay_additive *additive)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_repeat_task together = *task;
    scalay_repeat_options options = *task->options;
    options.independent = 0; /* a joint energy is that of as many executions on each rank */
    together.options = &options;
    together.joint = 1;
    if (!s->reads) together.meter = NULL;
    SCALAY_TRY(scalay_repeat_run(&together, sample));
    additive->experiments = 1;
    *joint = (*sample)->joules;
    (*sample)->joules = (scalay_series){0};
    (*sample)->summary.energies = (*sample)->summary.negative_energies = 0;
    (*sample)->summary.is_modelled = scalay_meter_is_modelled(task->meter);
    for (int turn = 0; turn < s->turns && !is_over(*sample); turn++) {
        SCALAY_TRY(take_turn(task, turn == s->turn, *sample));
        additive->experiments++;
    }
    SCALAY_TRY(compare(task, &(*sample)->joules, s->reads ? joint : NULL, additive));
cleanup:
    return status;
}

scalay_status scalay_additive_run(const scalay_repeat_task *task, int by_host, scalay_sample **sample,
                                  scalay_additive *additive)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_series joint = {0};
    schedule s = {0};
    *sample = NULL;
    *additive = (scalay_additive){.sum = NAN, .joint = NAN, .difference = NAN, .uncertainty = NAN};
    if (by_host) SCALAY_TRY(scalay_node_probe(task->comm));
    SCALAY_TRY(find_schedule(task, by_host ? task->comm->node->mpi : task->comm->mpi, &s));
    status = run(task, &s, &joint, sample, additive);
cleanup:
    if (status != SCALAY_SUCCESS && *sample != NULL && (*sample)->summary.end != SCALAY_END_FAILED)
        scalay_sample_destroy(sample);
    scalay_release(joint.value);
    return status;
}

scalay_status scalay_measure_additive(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                                      const scalay_repeat_options *options, scalay_sample **sample,
                                      scalay_additive *additive)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_repeat_options defaults = scalay_repeat_options_default();
    const scalay_repeat_task task = {.comm = comm,
                                     .work = work,
                                     .data = data,
                                     .meter = meter,
                                     .options = options != NULL ? options : &defaults,
                                     .clocks = &scalay_clocks_system};
    if (sample != NULL) *sample = NULL;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (sample == NULL || additive == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", sample == NULL ? "sample" : "additive");
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_repeat_check(comm, task.options, __func__));
    SCALAY_TRY(scalay_additive_run(&task, 0, sample, additive));
cleanup:
    return status;
}
