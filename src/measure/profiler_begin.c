/*
 * Start of a run of the profiler: checking arguments, describing processors, resuming from a file, static power.
 *
 * A run resumes from a file if kernel, meter, confidence and processors are the same. Sizes of which energies are
 * missing are measured again, and so are sizes that are no longer precise.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "measure/meter.h"
#include "measure/processor.h"
#include "measure/profiler.h"
#include "measure/repeat.h"
#include "parallel/threads.h"

static const char function[] = "scalay_profiler_run";
enum { MAX_NAME_LENGTH = 1000, METER_TEXT = 256 };
/* Duration of the measurement of static power. */
#define IDLE_SECONDS 2.0

/* ------------------------------------------------------------------------------------------------- arguments */

static scalay_status check_kernel(const scalay_profile_kernel *kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(kernel, function, "kernel"));
    if (kernel->run == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "kernel->run is NULL; it must be a function");
    SCALAY_TRY(scalay_check_not_null(kernel->name, function, "kernel->name"));
    if (kernel->name[0] == '\0' || strlen(kernel->name) > MAX_NAME_LENGTH)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "kernel->name has %zu bytes; it must have 1 to %d",
                           strlen(kernel->name), MAX_NAME_LENGTH);
    for (const char *at = kernel->name; *at != '\0'; at++)
        if ((unsigned char)*at < ' ')
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "kernel->name has a control character; it must be one line");
cleanup:
    return status;
}

static scalay_status read_arguments(scalay_profiler *run, const scalay_profiler_options *given)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_kernel(run->kernel));
    SCALAY_TRY(scalay_check_not_null(given, function, "options"));
    run->options = scalay_profiler_options_default();
    SCALAY_TRY(scalay_option_struct_read(given, &run->options, sizeof run->options, function));
    run->repeat = scalay_repeat_options_default();
    SCALAY_TRY(scalay_option_struct_read(run->options.repeat, &run->repeat, sizeof run->repeat, function));
    if (run->options.threads < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "threads is %d; it must be at least 0",
                           run->options.threads);
    if (!isfinite(run->options.static_power))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "static_power is %g; it must be finite. Negative: measure it", run->options.static_power);
cleanup:
    return status;
}

static scalay_status agree_on_kernel(scalay_profiler *run)
{
    scalay_status status = SCALAY_SUCCESS;
    uint64_t name = scalay_fingerprint_start();
    for (const char *at = run->kernel->name; *at != '\0'; at++) name = scalay_fingerprint_add(name, *at);
    SCALAY_TRY(scalay_comm_agree_value(run->comm, name, function, "the name of the kernel"));
    SCALAY_TRY(scalay_comm_agree_value(run->comm, run->meter != NULL, function, "whether there is a meter"));
    const int is_drawn = run->meter != NULL && run->options.static_power < 0.0;
    SCALAY_TRY(scalay_comm_agree_value(run->comm, (uint64_t)is_drawn, function, "whether to measure static power"));
    run->shared_meter = run->options.shared_meter != 0 && run->meter != NULL && !scalay_meter_is_modelled(run->meter);
    SCALAY_TRY(scalay_comm_agree_value(run->comm, (uint64_t)run->shared_meter, function, "whether a meter is shared"));
cleanup:
    return status;
}

/* All ranks use the repetition options of rank 0. */
static scalay_status share_repeat(scalay_profiler *run)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_repeat_options checked;
    SCALAY_TRY_MPI(MPI_Bcast(&run->repeat, (int)sizeof run->repeat, MPI_BYTE, 0, run->comm->mpi));
    run->repeat.independent = 1;
    run->repeat.static_power = 0.0;
    SCALAY_TRY(scalay_repeat_read_options(run->comm, &run->repeat, function, &checked));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- resuming */

static scalay_status differs(const scalay_profiler *run, const char *property, const char *before, const char *now)
{
    return scalay_fail(
        SCALAY_ERROR_MISMATCH, function,
        "'%.100s' has %s '%.120s', but this run has '%.120s'; repeat the same run, use another file, or restart",
        run->path, property, before, now);
}

static scalay_status compare_processor(const scalay_profiler *run, const scalay_profile_record *old, int p)
{
    const scalay_record_processor *before = &old->processor[p];
    const scalay_record_processor *now = &run->record->processor[p];
    char property[48], threads_before[16], threads_now[16];
    (void)snprintf(property, sizeof property, "for %s the binding", old->name[p]);
    if (strcmp(before->binding, now->binding) != 0) return differs(run, property, before->binding, now->binding);
    (void)snprintf(property, sizeof property, "for %s the host", old->name[p]);
    if (strcmp(before->host, now->host) != 0) return differs(run, property, before->host, now->host);
    (void)snprintf(property, sizeof property, "for %s a number of threads of", old->name[p]);
    (void)snprintf(threads_before, sizeof threads_before, "%d", before->threads);
    (void)snprintf(threads_now, sizeof threads_now, "%d", now->threads);
    return before->threads != now->threads ? differs(run, property, threads_before, threads_now) : SCALAY_SUCCESS;
}

static scalay_status compare_facts(const scalay_profiler *run, const scalay_profile_record *old)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile_record *now = run->record;
    static const char *const sharing[] = {"read by all ranks at once", "shared, one rank after the other"};
    char processors[2][16], confidence[2][32];
    if (strcmp(old->kernel, now->kernel) != 0) return differs(run, "the kernel", old->kernel, now->kernel);
    if (strcmp(old->meter, now->meter) != 0) return differs(run, "the meter", old->meter, now->meter);
    if (old->shared_meter != now->shared_meter)
        return differs(run, "joules of a meter that was", sharing[old->shared_meter], sharing[now->shared_meter]);
    (void)snprintf(confidence[0], sizeof confidence[0], "%g", old->repeat.confidence);
    (void)snprintf(confidence[1], sizeof confidence[1], "%g", now->repeat.confidence);
    if (old->repeat.confidence != now->repeat.confidence)
        return differs(run, "half widths for a confidence of", confidence[0], confidence[1]);
    (void)snprintf(processors[0], sizeof processors[0], "%d", old->processors);
    (void)snprintf(processors[1], sizeof processors[1], "%d", now->processors);
    if (old->processors != now->processors)
        return differs(run, "a number of processors of", processors[0], processors[1]);
    for (int p = 0; p < now->processors; p++) SCALAY_TRY(compare_processor(run, old, p));
cleanup:
    return status;
}

/* Returns 1 if an energy is missing because the meter failed. Such a size is measured again. */
static int lacks_energy(const scalay_profile_record *record, const scalay_record_row *row)
{
    for (int p = 0; p < record->processors && scalay_record_has_meter(record); p++)
        if (row->point[p].hole == NULL && isnan(row->point[p].energy)) return 1;
    return 0;
}

/* By the precision of this run. NaN, after one execution, is not precise. */
static int is_precise(const scalay_profile_record *record, const scalay_profile_point *point)
{
    const double precision = record->repeat.precision;
    if (!(point->time_half_width <= precision * point->time)) return 0;
    return isnan(point->energy) || point->energy_half_width <= precision * fabs(point->energy);
}

/* Updates `precise` of all points. Returns 1 if a point was precise for the previous run, but is not for this one. */
static int update_precision(const scalay_profile_record *record, scalay_record_row *row)
{
    int has_lost = 0;
    for (int p = 0; p < record->processors; p++) {
        scalay_profile_point *point = &row->point[p];
        if (point->hole != NULL) continue;
        const int precise = is_precise(record, point);
        has_lost |= point->precise && !precise;
        point->precise = precise;
    }
    return has_lost;
}

static void take_rows(scalay_profile_record *from, scalay_profile_record *to)
{
    to->row = from->row;
    to->capacity = from->capacity;
    to->sizes = 0;
    const int is_same = from->repeat.precision == to->repeat.precision;
    for (int64_t k = 0; k < from->sizes; k++) {
        if (lacks_energy(from, &from->row[k]) || (!is_same && update_precision(to, &from->row[k])))
            scalay_record_free_row(from, &from->row[k]);
        else
            to->row[to->sizes++] = from->row[k];
    }
    for (int p = 0; p < to->processors; p++) to->processor[p].static_power = from->processor[p].static_power;
    from->row = NULL;
    from->sizes = from->capacity = 0;
}

static scalay_status resume(scalay_profiler *run, int *resumed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_record *old = NULL;
    SCALAY_TRY(scalay_record_load(run->path, &old));
    if (old == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(compare_facts(run, old));
    take_rows(old, run->record);
    *resumed = 1;
cleanup:
    scalay_profile_record_destroy(&old);
    return status;
}

/* -------------------------------------------------------------------------------------------------- rank 0 */

static scalay_status create_record(scalay_profiler *run, const scalay_record_processor *processors, int *resumed)
{
    scalay_status status = SCALAY_SUCCESS;
    char meter[METER_TEXT];
    run->path = run->options.path;
    (void)scalay_meter_describe(run->meter, meter, sizeof meter);
    for (char *at = meter; *at != '\0'; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
    SCALAY_TRY(scalay_size_list_create(&run->options, &run->list));
    SCALAY_TRY(scalay_record_create(run->kernel->name, run->meter != NULL ? meter : "none",
                                    scalay_meter_is_modelled(run->meter), run->comm->size, &run->record));
    run->record->repeat = run->repeat;
    run->record->shared_meter = run->shared_meter;
    memcpy(run->record->processor, processors, (size_t)run->comm->size * sizeof *processors);
    if (run->path != NULL && !run->options.restart) SCALAY_TRY(resume(run, resumed));
    if (run->path != NULL) SCALAY_TRY(scalay_record_check_path(run->path));
cleanup:
    return status;
}

static scalay_status gather_processors(scalay_profiler *run, int *resumed)
{
    scalay_status status = SCALAY_SUCCESS;
    const int bytes = (int)sizeof(scalay_record_processor);
    const int leads = run->comm->rank == 0;
    scalay_record_processor *all = NULL;
    scalay_record_processor mine;
    scalay_describe_processor(&mine);
    SCALAY_TRY(scalay_comm_agree(run->comm, SCALAY_NEW(all, leads ? run->comm->size : 0)));
    SCALAY_TRY_MPI(MPI_Gather(&mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, run->comm->mpi));
    SCALAY_TRY(scalay_comm_agree(run->comm, leads ? create_record(run, all, resumed) : SCALAY_SUCCESS));
cleanup:
    scalay_release(all);
    return status;
}

/* Compares the static power of the file with that of the caller. */
static scalay_status compare_static_power(const scalay_profiler *run, int is_given)
{
    const double before = run->repeat.static_power, now = fmax(run->options.static_power, 0.0);
    if (!is_given || before == now) return SCALAY_SUCCESS;
    return scalay_fail(
        SCALAY_ERROR_MISMATCH, function,
        "the file has a static power of %g W for p%d, but this run has %g W; use the same, use another file, "
        "or restart",
        before, run->comm->rank, now);
}

/* Static power is taken from the file, from the caller, or measured while all ranks sleep. */
static scalay_status find_static_power(scalay_profiler *run, int resumed)
{
    scalay_status status = SCALAY_SUCCESS;
    const int leads = run->comm->rank == 0;
    const int is_open = run->options.static_power < 0.0;
    double *all = NULL;
    SCALAY_TRY_MPI(MPI_Bcast(&resumed, 1, MPI_INT, 0, run->comm->mpi));
    SCALAY_TRY(scalay_comm_agree(run->comm, SCALAY_NEW(all, leads ? run->comm->size : 0)));
    if (resumed) {
        for (int p = 0; leads && p < run->comm->size; p++) all[p] = run->record->processor[p].static_power;
        SCALAY_TRY_MPI(MPI_Scatter(all, 1, MPI_DOUBLE, &run->repeat.static_power, 1, MPI_DOUBLE, 0, run->comm->mpi));
        SCALAY_TRY(scalay_comm_agree(run->comm, compare_static_power(run, !is_open)));
        goto cleanup;
    }
    run->repeat.static_power = fmax(run->options.static_power, 0.0);
    if (is_open && run->meter != NULL)
        SCALAY_TRY(scalay_measure_static_power(run->comm, run->meter, IDLE_SECONDS, &run->repeat.static_power));
    SCALAY_TRY_MPI(MPI_Gather(&run->repeat.static_power, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, run->comm->mpi));
    for (int p = 0; leads && p < run->comm->size; p++) run->record->processor[p].static_power = all[p];
cleanup:
    scalay_release(all);
    return status;
}

scalay_status scalay_profiler_begin(scalay_profiler *run, const scalay_profiler_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    int resumed = 0;
    SCALAY_TRY(scalay_comm_agree(run->comm, read_arguments(run, options)));
    if (strcmp(scalay_meter_name(run->options.meter), "none") != 0) run->meter = run->options.meter;
    SCALAY_TRY(agree_on_kernel(run));
    SCALAY_TRY(share_repeat(run));
    scalay_set_threads(run->options.threads);
    SCALAY_TRY(gather_processors(run, &resumed));
    if (run->meter != NULL) SCALAY_TRY(find_static_power(run, resumed));
cleanup:
    return status;
}
