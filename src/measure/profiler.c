#include "measure/profiler.h"

#include <limits.h>
#include <math.h>

#include "base/memory.h"

scalay_profiler_options scalay_profiler_options_default(void)
{
    return (scalay_profiler_options){.repeat = scalay_repeat_options_default(), .static_power = -1.0};
}

/* ---------------------------------------------------------------------------------------------------- rank 0 */

static void tell_progress(const scalay_profiler *run, int64_t size)
{
    double sizes = 0.0;
    if (run->options->progress == NULL) return;
    const int64_t left = scalay_size_list_left(&run->list, run->record, &sizes);
    const int refines = left == 0;
    if (refines) sizes = (double)size;
    const scalay_profiler_step step = {
        .size = size,
        .done = run->record->sizes,
        .total = run->record->sizes + left + refines,
        .elapsed = scalay_clock() - run->start,
        .left = run->measured_sizes > 0.0 ? run->measured_seconds / run->measured_sizes * sizes : -1.0};
    run->options->progress(&step, run->options->progress_data);
}

static int has_any_point(const scalay_profile_record *record)
{
    for (int p = 0; p < record->processors; p++)
        if (scalay_record_has_points(record, p)) return 1;
    return 0;
}

/* A file without any point would be none that a profile can be read from. */
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

/* ---------------------------------------------------------------------------------------------------- all */

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
        SCALAY_TRY(scalay_profiler_measure(run, size));
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
                           "interrupted before the first size was measured; start again");
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_profiler_run",
                       "%.60s failed at every size on every processor, at size %lld on p0: %.250s", record->kernel,
                       (long long)record->row[0].size, record->row[0].point[0].hole);
}

/* Groups are settled when all is known: before, ranks may be the same by chance. */
static scalay_status conclude(scalay_profiler *run, scalay_string *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!has_any_point(run->record)) return refuse_nothing(run);
    run->record->state = run->interrupted ? SCALAY_PROFILE_INTERRUPTED : SCALAY_PROFILE_COMPLETE;
    scalay_record_group(run->record, !run->options->no_groups && !run->interrupted);
    SCALAY_TRY(scalay_record_print(run->record, lines));
    if (lines->length > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, "scalay_profiler_run", "the profile has over 2^31 bytes; ask for less");
    if (run->path != NULL) SCALAY_TRY(scalay_record_write(run->path, lines));
cleanup:
    return status;
}

/* Every rank reads what the file holds. */
static scalay_status share(scalay_profiler *run, scalay_profile **profile, scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    const int leads = run->comm->rank == 0;
    SCALAY_TRY(scalay_comm_agree(run->comm, leads ? conclude(run, &lines) : SCALAY_SUCCESS));
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
    scalay_profiler run = {.comm = comm, .kernel = kernel, .options = options, .clocks = clocks};
    if (profile != NULL) *profile = NULL;
    if (record != NULL) *record = NULL;
    if (comm == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profiler_run",
                           "comm is NULL; make one with scalay_comm_create");
    run.start = scalay_clock();
    SCALAY_TRY(scalay_profiler_begin(&run));
    SCALAY_TRY(measure_all(&run));
    SCALAY_TRY(share(&run, profile, record));
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
