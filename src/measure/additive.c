/*
 * The additive method for ranks that share one meter: scalay_measure_additive().
 *
 * One measurement of all ranks together gives the times and the joint energy. p measurements of single ranks give the
 * energy of each rank. That these add up to the joint energy is an assumption, which is checked.
 * Source: Khaleghzadeh, Reddy Manumachu, Lastovetsky (2020), section 7.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/meter.h"
#include "measure/repeat.h"
#include "measure/sample.h"
#include "parallel/node.h"

/* Half the confidence interval of the mean; NaN for fewer than 2 values. */
static double half_width(const scalay_series *series, double confidence)
{
    const double count = (double)series->count;
    if (series->count < 2) return NAN;
    return scalay_student_two_sided(confidence, series->count - 1) * sqrt(series->squares / (count - 1.0) / count);
}

/* Adds the measurement of one rank to the joint one: its energies, and its summary. */
static void add_single(scalay_sample *sample, scalay_sample *single, int energies)
{
    scalay_sample_summary *all = &sample->summary;
    const scalay_sample_summary *one = &single->summary;
    if (one->end > all->end) all->end = one->end;
    all->seconds += one->seconds;
    all->clock_faults += one->clock_faults;
    if (!energies) return;
    const scalay_series joules = sample->joules;
    sample->joules = single->joules;
    single->joules = joules;
    all->meter = one->meter;
    all->energies = one->energies;
    all->negative_energies = one->negative_energies;
    all->meter_seconds = one->meter_seconds;
    memcpy(sample->meter_message, single->meter_message, sizeof single->meter_message);
}

static int is_over(const scalay_sample *sample)
{
    return sample->summary.end == SCALAY_END_INTERRUPTED || sample->summary.end == SCALAY_END_FAILED;
}

/* Order of the single measurements, and the rank that reads the joint energy. */
typedef struct {
    int turn;  /* of this rank: 0 to turns - 1; a rank without work has `turns` */
    int turns; /* number of single measurements, the same on all ranks */
    int reads; /* 1: this rank reads the joint energy */
} schedule;

/* One of the ranks that share a meter works, the others sleep. */
static scalay_status measure_single(const scalay_repeat_task *task, int mine, scalay_sample *sample)
{
    scalay_repeat_task single_task = *task;
    scalay_sample *single = NULL;
    single_task.joint = 0;
    if (!mine) {
        single_task.work = NULL;
        single_task.meter = NULL;
    }
    const scalay_status status = scalay_repeat_run(&single_task, &single);
    if (single != NULL) add_single(sample, single, mine);
    scalay_sample_destroy(&single);
    return status;
}

/* The lowest rank that has a meter reads the joint energy. Ranks with work are measured in ascending order. */
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

/* Sums over the ranks: single energies, joint energies, and the squares of their uncertainties. `joint` is NULL on a
 * rank that does not read the joint energy. If a rank could not read it, the result is NaN. */
static scalay_status compare(const scalay_repeat_task *task, const scalay_series *single, const scalay_series *joint,
                             scalay_additive *additive)
{
    enum { SINGLE, JOINT, SQUARES, SUMS };
    scalay_status status = SCALAY_SUCCESS;
    double mine[SUMS] = {0.0}, all[SUMS] = {0.0};
    const double confidence = task->options->confidence;
    if (task->work != NULL) {
        mine[SINGLE] = single->count > 0 ? single->mean : NAN;
        mine[SQUARES] = pow(half_width(single, confidence), 2.0);
    }
    if (joint != NULL) {
        mine[JOINT] = joint->count > 0 ? joint->mean : NAN;
        mine[SQUARES] += pow(half_width(joint, confidence), 2.0);
    }
    SCALAY_TRY_MPI(MPI_Allreduce(mine, all, SUMS, MPI_DOUBLE, MPI_SUM, task->comm->mpi));
    additive->sum = all[SINGLE];
    additive->joint = all[JOINT];
    additive->difference = all[SINGLE] != 0.0 ? (all[JOINT] - all[SINGLE]) / all[SINGLE] : NAN;
    additive->uncertainty = all[SINGLE] != 0.0 ? sqrt(all[SQUARES]) / fabs(all[SINGLE]) : NAN;
cleanup:
    return status;
}

/* The joint measurement, then the single ones. `joint` keeps the energies of the joint measurement. */
static scalay_status run(const scalay_repeat_task *task, const schedule *s, scalay_series *joint,
                         scalay_sample **sample, scalay_additive *additive)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_repeat_task together = *task;
    scalay_repeat_options options = *task->options;
    options.independent = 0; /* all ranks execute the work equally often */
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
        SCALAY_TRY(measure_single(task, turn == s->turn, *sample));
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
    scalay_repeat_options read;
    const scalay_repeat_task task = {
        .comm = comm, .work = work, .data = data, .meter = meter, .options = &read, .clocks = &scalay_clocks_system};
    if (sample != NULL) *sample = NULL;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    status = scalay_check_not_null(sample, __func__, "sample");
    if (status == SCALAY_SUCCESS) status = scalay_check_not_null(additive, __func__, "additive");
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_repeat_read_options(comm, options, __func__, &read));
    SCALAY_TRY(scalay_additive_run(&task, 0, sample, additive));
cleanup:
    return status;
}
