/*
 * The profiler: scalay_profiler_run() measures a kernel for a list of sizes on all ranks at once.
 *
 * Rank 0 has the record, chooses the next size, and rewrites the file after each size. All ranks measure a size
 * together. If the kernel fails on a rank, this rank gets a hole, and the size is measured again without it. The next
 * size depends only on the record: first the sizes of the list, then the middles of intervals next to a jump, the
 * widest first.
 *
 * A run resumes from a file if kernel, meter, confidence and processors are the same. Sizes of which energies are
 * missing are measured again, and so are sizes that are no longer precise.
 */
#include "measure/profiler.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "measure/interrupt.h"
#include "measure/meter.h"
#include "measure/processor.h"
#include "measure/repeat.h"
#include "measure/sample.h"
#include "parallel/threads.h"

static const char function[] = "scalay_profiler_run";
enum { MAX_NAME_LENGTH = 1000, METER_TEXT = 256 };
/* Duration of the measurement of static power. */
#define IDLE_SECONDS 2.0

/* ------------------------------------------------------------------------------------------------------------ sizes */

/* A longer list is refused as a mistake. */
enum { MAX_SIZES = 1000000, FRACTION = 16 };

static scalay_status refuse(const char *name, int64_t value, const char *remedy)
{
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profiler_run", "%s is %lld; %s", name, (long long)value, remedy);
}

static scalay_status check_range(const scalay_profiler_options *options)
{
    if (options->first < 1) return refuse("first", options->first, "it must be at least 1");
    if (options->last < options->first) return refuse("last", options->last, "it must be at least `first`");
    if (options->step < 1) return refuse("step", options->step, "it must be at least 1");
    if ((options->last - options->first) / options->step >= MAX_SIZES)
        return refuse("step", options->step, "the range has over a million sizes; use a larger step");
    return SCALAY_SUCCESS;
}

static scalay_status fill_range(const scalay_profiler_options *options, scalay_size_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_range(options));
    list->count = (options->last - options->first) / options->step + 1;
    SCALAY_TRY(SCALAY_NEW(list->size, list->count));
    for (int64_t k = 0; k < list->count; k++) list->size[k] = options->first + k * options->step;
cleanup:
    return status;
}

static int compare_sizes(const void *left, const void *right)
{
    return scalay_compare_int64(*(const int64_t *)left, *(const int64_t *)right);
}

static scalay_status fill_list(const scalay_profiler_options *options, scalay_size_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->sizes < 1 || options->sizes > MAX_SIZES)
        return refuse("sizes", options->sizes, "it must be between 1 and a million");
    SCALAY_TRY(scalay_check_not_null(options->list, "scalay_profiler_run", "options->list"));
    SCALAY_TRY(SCALAY_NEW(list->size, options->sizes));
    for (int64_t k = 0; k < options->sizes; k++) list->size[k] = options->list[k];
    qsort(list->size, (size_t)options->sizes, sizeof *list->size, compare_sizes);
    if (list->size[0] < 1) return refuse("the minimum of size", list->size[0], "it must be at least 1");
    for (int64_t k = 0; k < options->sizes; k++)
        if (list->count == 0 || list->size[k] != list->size[list->count - 1]) list->size[list->count++] = list->size[k];
cleanup:
    return status;
}

scalay_status scalay_size_list_create(const scalay_profiler_options *options, scalay_size_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    *list = (scalay_size_list){.refine = options->refine, .min_distance = options->refine_step};
    if (!(options->refine >= 0.0 && isfinite(options->refine)))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profiler_run",
                           "refine is %g; it must be a fraction, at least 0", options->refine);
    if (options->refine_step < 0) return refuse("refine_step", options->refine_step, "it must be at least 0");
    SCALAY_TRY(options->sizes != 0 ? fill_list(options, list) : fill_range(options, list));
    if (list->min_distance == 0 && list->count > 1) {
        int64_t gap = INT64_MAX;
        for (int64_t k = 1; k < list->count; k++) gap = scalay_min_int64(gap, list->size[k] - list->size[k - 1]);
        list->min_distance = gap / FRACTION;
    }
    list->min_distance = scalay_max_int64(1, list->min_distance);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_size_list_free(list);
    return status;
}

void scalay_size_list_free(scalay_size_list *list)
{
    scalay_release(list->size);
    *list = (scalay_size_list){0};
}

/* ---------------------------------------------------------------------------------------------- refinement */

/* Returns 1 if a point is off the line between its neighbours by more than its confidence interval explains. */
static int is_off_line(const scalay_size_list *list, const scalay_profile_record *record, int64_t k, int p)
{
    const scalay_profile_point *left = &record->row[k - 1].point[p];
    const scalay_profile_point *point = &record->row[k].point[p];
    const scalay_profile_point *right = &record->row[k + 1].point[p];
    if (left->hole != NULL || point->hole != NULL || right->hole != NULL) return 0;
    double share = (double)(point->size - left->size) / (double)(right->size - left->size);
    double line = (1.0 - share) * left->time + share * right->time;
    const double tolerance = isnan(point->time_half_width) ? 0.0 : point->time_half_width; /* NaN: one execution */
    return fabs(point->time - line) - tolerance > list->refine * line;
}

static int jumps_at(const scalay_size_list *list, const scalay_profile_record *record, int64_t k)
{
    if (k < 1 || k + 1 >= record->sizes) return 0;
    for (int p = 0; p < record->processors; p++)
        if (is_off_line(list, record, k, p)) return 1;
    return 0;
}

/* Returns the middle of the widest interval next to a jump; 0 if there is none. */
static int64_t refined_size(const scalay_size_list *list, const scalay_profile_record *record)
{
    int64_t widest = 0;
    int64_t middle = 0;
    for (int64_t k = 0; k + 1 < record->sizes; k++) {
        int64_t width = record->row[k + 1].size - record->row[k].size;
        if (width / 2 < list->min_distance || width <= widest) continue;
        if (!jumps_at(list, record, k) && !jumps_at(list, record, k + 1)) continue;
        widest = width;
        middle = record->row[k].size + width / 2;
    }
    return middle;
}

int64_t scalay_size_list_next(const scalay_size_list *list, const scalay_profile_record *record)
{
    for (int64_t k = 0; k < list->count; k++)
        if (scalay_record_find(record, list->size[k]) < 0) return list->size[k];
    return list->refine > 0.0 ? refined_size(list, record) : 0;
}

int64_t scalay_size_list_left(const scalay_size_list *list, const scalay_profile_record *record, double *sum)
{
    int64_t left = 0;
    *sum = 0.0;
    for (int64_t k = 0; k < list->count; k++)
        if (scalay_record_find(record, list->size[k]) < 0) {
            left++;
            *sum += (double)list->size[k];
        }
    return left;
}

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

/* --------------------------------------------------------------------------------------- processors and start */

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

static scalay_status begin_run(scalay_profiler *run, const scalay_profiler_options *options)
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

/* --------------------------------------------------------------------------------------------------------- one size */

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

static scalay_status any_rank(const scalay_profiler *run, int mine, int *any)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, any, 1, MPI_INT, MPI_MAX, run->comm->mpi));
cleanup:
    return status;
}

/* Measures once. *again is set if the kernel has failed on a rank. This rank then only takes part, so that the others
 * are measured again on a machine that is equally busy all the time. */
static scalay_status attempt(scalay_profiler *run, scalay_sample **sample, int *again)
{
    scalay_status status = SCALAY_SUCCESS;
    int requested = 0;
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
        run->mine.is_hole = had_failed; /* an execution that does not count may have failed */
        return measured;
    }
    SCALAY_TRY(any_rank(run, run->mine.is_hole && !had_failed, again));
    if (!*again) return measured;
    SCALAY_TRY(any_rank(run, scalay_interrupt_requested(), &requested));
    if (requested) {
        scalay_interrupt_clear();
        run->interrupted = 1;
        *again = 0;
    }
    scalay_sample_destroy(sample);
cleanup:
    return status;
}

static void take_energy(scalay_profiler *run, const scalay_sample *sample, const scalay_sample_summary *summary)
{
    const scalay_statistics *energy = &summary->energy;
    scalay_profile_point *point = &run->mine.point;
    if (summary->meter != SCALAY_SUCCESS) {
        (void)snprintf(run->mine.reason, sizeof run->mine.reason, "%s", sample->meter_message);
        return;
    }
    if (energy->count == 0) return;
    point->energy = energy->mean;
    point->energy_half_width = energy->half_width;
    point->precise = point->precise && energy->is_precise;
}

/* If the meter failed, its energies are not used, because they belong to fewer repetitions. */
static scalay_status take_sample(scalay_profiler *run, const scalay_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_sample_summary summary;
    SCALAY_TRY(scalay_sample_get_summary(sample, &summary));
    const scalay_statistics time = summary.time;
    run->interrupted = summary.end == SCALAY_END_INTERRUPTED;
    if (run->interrupted || run->mine.is_hole) return SCALAY_SUCCESS;
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
    if (run->meter != NULL) take_energy(run, sample, &summary);
cleanup:
    return status;
}

/* Attempts until no further rank fails, or all have failed. */
static scalay_status attempt_all(scalay_profiler *run)
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

/* Measures a size into run->mine, or sets run->interrupted. Collective; agrees. */
static scalay_status measure_size(scalay_profiler *run, int64_t size)
{
    run->size = size;
    run->mine = (scalay_sent_point){.point = {.size = size}};
    run->additive = (scalay_additive){.sum = NAN, .joint = NAN, .difference = NAN, .uncertainty = NAN};
    prepare(run);
    scalay_status status = attempt_all(run);
    if (run->kernel->release != NULL) run->kernel->release(run->kernel->data);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- rank 0 */

void scalay_profiler_options_init(scalay_profiler_options *options, size_t size)
{
    const scalay_profiler_options defaults = {.size = sizeof defaults, .static_power = -1.0};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static void tell_progress(const scalay_profiler *run, int64_t size)
{
    double sizes = 0.0;
    if (run->options.progress == NULL) return;
    const int64_t left = scalay_size_list_left(&run->list, run->record, &sizes);
    const int is_refining = left == 0;
    if (is_refining) sizes = (double)size;
    const scalay_profiler_step step = {
        .size = size,
        .done = run->record->sizes,
        .total = run->record->sizes + left + is_refining,
        .elapsed = scalay_clock() - run->start,
        .left = run->measured_sizes > 0.0 ? run->measured_seconds / run->measured_sizes * sizes : -1.0};
    run->options.progress(&step, run->options.progress_data);
}

static int has_any_point(const scalay_profile_record *record)
{
    for (int p = 0; p < record->processors; p++)
        if (scalay_record_has_points(record, p)) return 1;
    return 0;
}

/* Without any point, the file would not be a valid profile. */
static scalay_status save(const scalay_profiler *run)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    if (run->path == NULL || !has_any_point(run->record)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_record_print(run->record, &lines));
    SCALAY_TRY(scalay_record_write(run->path, &lines));
cleanup:
    scalay_string_free(&lines);
    return status;
}

static scalay_status add_points(scalay_profiler *run, const scalay_sent_point *points)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_record_row *row = NULL;
    SCALAY_TRY(scalay_record_row_at(run->record, run->size, &row));
    for (int p = 0; p < run->comm->size; p++) {
        const char *reason = points[p].reason;
        if (!points[p].is_hole) row->point[p] = points[p].point;
        if (points[p].is_hole)
            SCALAY_TRY(scalay_record_set_hole(&row->point[p], reason));
        else if (reason[0] != '\0')
            SCALAY_TRY(scalay_record_set_meter_failure(&row->point[p], reason));
    }
    row->compared = run->shared_meter;
    row->difference = run->additive.difference;
    row->uncertainty = run->additive.uncertainty;
    scalay_record_group(run->record, 0);
    SCALAY_TRY(save(run));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- all ranks */

static scalay_status gather_points(scalay_profiler *run)
{
    scalay_status status = SCALAY_SUCCESS;
    const int bytes = (int)sizeof run->mine;
    const int leads = run->comm->rank == 0;
    scalay_sent_point *points = NULL;
    SCALAY_TRY(scalay_comm_agree(run->comm, SCALAY_NEW(points, leads ? run->comm->size : 0)));
    SCALAY_TRY_MPI(MPI_Gather(&run->mine, bytes, MPI_BYTE, points, bytes, MPI_BYTE, 0, run->comm->mpi));
    SCALAY_TRY(scalay_comm_agree(run->comm, leads ? add_points(run, points) : SCALAY_SUCCESS));
cleanup:
    scalay_release(points);
    return status;
}

static scalay_status measure_all(scalay_profiler *run)
{
    scalay_status status = SCALAY_SUCCESS;
    const int leads = run->comm->rank == 0;
    while (!run->interrupted) {
        int64_t size = leads ? scalay_size_list_next(&run->list, run->record) : 0;
        SCALAY_TRY_MPI(MPI_Bcast(&size, 1, MPI_INT64_T, 0, run->comm->mpi));
        if (size == 0) break;
        if (leads) tell_progress(run, size);
        const double before = scalay_clock();
        SCALAY_TRY(measure_size(run, size));
        if (run->interrupted) break;
        SCALAY_TRY(gather_points(run));
        run->measured_seconds += scalay_clock() - before;
        run->measured_sizes += (double)size;
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- the end */

static scalay_status refuse_nothing(const scalay_profiler *run)
{
    const scalay_profile_record *record = run->record;
    if (record->sizes == 0)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_profiler_run",
                           "the run was interrupted before the first size was measured; run it again");
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_profiler_run",
                       "%.60s failed at every size on every processor, at size %lld on p0: %.250s", record->kernel,
                       (long long)record->row[0].size, record->row[0].point[0].hole);
}

/* Ranks are merged into groups at the end, because before they can agree by chance. */
static scalay_status finish_record(scalay_profiler *run, scalay_string *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!has_any_point(run->record)) return refuse_nothing(run);
    run->record->state = run->interrupted ? SCALAY_PROFILE_INTERRUPTED : SCALAY_PROFILE_COMPLETE;
    scalay_record_group(run->record, !run->options.no_groups && !run->interrupted);
    SCALAY_TRY(scalay_record_print(run->record, lines));
    if (lines->length > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, "scalay_profiler_run",
                           "the profile has over 2^31 bytes; measure fewer sizes");
    if (run->path != NULL) SCALAY_TRY(scalay_record_write(run->path, lines));
cleanup:
    return status;
}

/* Every rank reads the text of the file. */
static scalay_status share_record(scalay_profiler *run, scalay_profile **profile, scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    const int leads = run->comm->rank == 0;
    SCALAY_TRY(scalay_comm_agree(run->comm, leads ? finish_record(run, &lines) : SCALAY_SUCCESS));
    SCALAY_TRY_MPI(MPI_Bcast(&lines.length, 1, MPI_INT64_T, 0, run->comm->mpi));
    SCALAY_TRY(scalay_comm_agree(run->comm, SCALAY_GROW(lines.text, lines.capacity, lines.length)));
    SCALAY_TRY_MPI(MPI_Bcast(lines.text, (int)lines.length, MPI_BYTE, 0, run->comm->mpi));
    if (profile != NULL) status = scalay_profile_parse("the profile", lines.text, (size_t)lines.length, profile);
    if (record != NULL && status == SCALAY_SUCCESS)
        status = scalay_record_parse("the profile", lines.text, lines.length, record);
    status = scalay_comm_agree(run->comm, status);
cleanup:
    scalay_string_free(&lines);
    if (status != SCALAY_SUCCESS) {
        if (profile != NULL) scalay_profile_destroy(profile);
        if (record != NULL) scalay_profile_record_destroy(record);
    }
    return status;
}

scalay_status scalay_profiler_run_by(scalay_comm *comm, const scalay_profile_kernel *kernel,
                                     const scalay_profiler_options *options, const scalay_clocks *clocks,
                                     scalay_profile **profile, scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profiler run = {.comm = comm, .kernel = kernel, .clocks = clocks};
    if (profile != NULL) *profile = NULL;
    if (record != NULL) *record = NULL;
    SCALAY_TRY(scalay_check_not_null(comm, "scalay_profiler_run", "comm"));
    run.start = scalay_clock();
    SCALAY_TRY(begin_run(&run, options));
    SCALAY_TRY(measure_all(&run));
    SCALAY_TRY(share_record(&run, profile, record));
cleanup:
    scalay_profile_record_destroy(&run.record);
    scalay_size_list_free(&run.list);
    return status;
}

scalay_status scalay_profiler_run(scalay_comm *comm, const scalay_profile_kernel *kernel,
                                  const scalay_profiler_options *options, scalay_profile **profile,
                                  scalay_profile_record **record)
{
    return scalay_profiler_run_by(comm, kernel, options, &scalay_clocks_system, profile, record);
}
