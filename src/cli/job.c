/* Jobs under mpirun: the matrix, the comparison with its file, the strategies and their report. */

#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "base/text.h"
#include "input.h"
#include "io/format.h"
#include "io/hdf5.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/comm.h"

enum { DEFAULT_REPEAT = 3, MAX_REPEAT = 10000 };

static scalay_type default_type(scalay_type in_file, int is_kernel)
{
    const int is_complex = in_file == SCALAY_COMPLEX_FLOAT || in_file == SCALAY_COMPLEX_DOUBLE;
    if (!is_kernel) return in_file;
    return is_complex ? SCALAY_COMPLEX_DOUBLE : SCALAY_DOUBLE;
}

void scalay_job_default_source(int64_t mb, int64_t nb, int nprow, int npcol, char text[SCALAY_SOURCE_SIZE])
{
    (void)snprintf(text, SCALAY_SOURCE_SIZE, "skewed:mb=%lld,nb=%lld,p=%d,q=%d,seed=1", (long long)mb, (long long)nb,
                   nprow, npcol);
}

scalay_status scalay_job_read_layout(const scalay_job *job, const char *option, const char *text, scalay_op op,
                                     scalay_layout **layout)
{
    const int ranks = scalay_comm_size(job->comm);
    const int transposed = op != SCALAY_NO_TRANSPOSE;
    const int64_t m = transposed ? job->file.n : job->file.m;
    const int64_t n = transposed ? job->file.m : job->file.n;
    scalay_status status = scalay_input_layout(option, text, m, n, layout);
    if (status == SCALAY_SUCCESS && scalay_layout_processes(*layout) > ranks)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                             "%s has %d processes; it must have at most the %d of mpirun. Use mpirun -n %d", option,
                             scalay_layout_processes(*layout), ranks, scalay_layout_processes(*layout));
    if (status == SCALAY_SUCCESS && (scalay_layout_rows(*layout) != m || scalay_layout_cols(*layout) != n))
        status =
            SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s is %lld x %lld; it must be %lld x %lld as %s%s. Leave m and n away",
                        option, (long long)scalay_layout_rows(*layout), (long long)scalay_layout_cols(*layout),
                        (long long)m, (long long)n, transposed ? "the transpose of " : "", job->path);
    status = scalay_comm_agree(job->comm, status);
    if (status != SCALAY_SUCCESS) scalay_layout_destroy(layout);
    return status;
}

scalay_status scalay_job_new_local(const scalay_job *job, const scalay_layout *layout, void **local)
{
    int64_t count = scalay_layout_local_size(layout, scalay_comm_rank(job->comm));
    *local = scalay_allocate(count, scalay_type_size(job->type));
    return *local != NULL
               ? SCALAY_SUCCESS
               : scalay_no_memory(__func__, "a local part of the matrix", count, scalay_type_size(job->type));
}

scalay_status scalay_job_open(scalay_comm *comm, const char *path, const scalay_job_options *options, int is_kernel,
                              scalay_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    *job = (scalay_job){.comm = comm, .path = path};
    job->repeat = options->repeat > 0 ? options->repeat : DEFAULT_REPEAT;
    if (job->repeat > MAX_REPEAT)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--repeat is %lld; it must be at most %d", (long long)job->repeat,
                           MAX_REPEAT);
    SCALAY_TRY(scalay_as_input(scalay_matrix_inspect(comm, job->path, &job->file)));
    job->type = options->type != NULL ? scalay_input_type(options->type) : default_type(job->file.type, is_kernel);
cleanup:
    return status;
}

scalay_status scalay_job_find_machine(scalay_comm *comm, const scalay_job_options *options, scalay_machine *machine)
{
    scalay_calibration_options calibration = scalay_calibration_options_default();
    calibration.path = options->machine;
    scalay_progress_say("measuring the machine");
    return scalay_machine_calibrate(comm, &calibration, machine);
}

scalay_status scalay_job_load(scalay_job *job, const char *from)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_job_read_layout(job, "--from", from, SCALAY_NO_TRANSPOSE, &job->source));
    status = scalay_input_complete_layout(from, job->file.m, job->file.n, &job->source_text);
    if (status == SCALAY_SUCCESS) status = scalay_job_new_local(job, job->source, &job->local);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
    scalay_progress_say("reading %s", job->path);
    SCALAY_TRY(scalay_matrix_read(job->comm, job->path, job->source, job->type, job->local));
cleanup:
    return status;
}

scalay_status scalay_job_check_output(const char *option, const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string file = {0};
    if (path == NULL) return SCALAY_SUCCESS;
    const scalay_format *format = scalay_format_of_path(path);
    if (format == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is '%s'; it must end in .npy or .mtx or be FILE.h5:/NAME", option,
                           path);
    if (format->format != SCALAY_FILE_HDF5) return scalay_check_writable(option, path);
    status = scalay_hdf5_check_target(path);
    if (status != SCALAY_SUCCESS) return scalay_fail_at(status, option);
    scalay_string_append(&file, "%.*s", (int)scalay_hdf5_file_length(path), path);
    status = file.status != SCALAY_SUCCESS ? file.status : scalay_check_writable(option, file.text);
    scalay_string_free(&file);
    return status;
}

void scalay_job_abort_on_failure(const scalay_job *job, const char *subcommand, scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    scalay_progress_stop();
    scalay_print_failure(subcommand);
    (void)MPI_Abort(scalay_comm_handle(job->comm), SCALAY_EXIT_SYSTEM);
}

scalay_status scalay_job_maximum(const scalay_job *job, double mine, double *maximum)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, maximum, 1, MPI_DOUBLE, MPI_MAX, scalay_comm_handle(job->comm)));
cleanup:
    return status;
}

void scalay_job_close(scalay_job *job)
{
    scalay_release(job->local);
    scalay_release(job->source_text);
    scalay_layout_destroy(&job->source);
}

/* ----------------------------------------------------------------------------------- comparison with the file */

/* A matrix and what the file has of it. If the matrix is transposed, `expected` has rows and columns exchanged. */
typedef struct {
    const scalay_layout *layout;
    int transposed;
    int64_t ld; /* if transposed: leading dimension of `expected` */
    size_t size;
    const char *found;
    const char *expected;
} comparison;

/* Counts the elements of a rectangle that differ. */
static int64_t count_in_rectangle(const comparison *c, const scalay_rectangle *at)
{
    int64_t differences = 0;
    for (int64_t col = 0; col < at->cols; col++)
        for (int64_t row = 0; row < at->rows; row++) {
            const int64_t offset = at->offset + col * at->ld + row;
            const int64_t other = c->transposed ? offset % at->ld * c->ld + offset / at->ld : offset;
            differences +=
                memcmp(c->found + (size_t)offset * c->size, c->expected + (size_t)other * c->size, c->size) != 0;
        }
    return differences;
}

static int64_t count_differences(const comparison *c, int rank)
{
    int64_t differences = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(c->layout, rank); k++) {
        scalay_rectangle at;
        if (scalay_layout_rectangle(c->layout, rank, k, &at) != SCALAY_SUCCESS) return INT64_MAX;
        differences += count_in_rectangle(c, &at);
    }
    return differences;
}

static void conjugate(scalay_type type, int64_t count, void *elements)
{
    float *c = elements;
    double *z = elements;
    for (int64_t k = 0; k < count && type == SCALAY_COMPLEX_FLOAT; k++) c[2 * k + 1] = -c[2 * k + 1];
    for (int64_t k = 0; k < count && type == SCALAY_COMPLEX_DOUBLE; k++) z[2 * k + 1] = -z[2 * k + 1];
}

scalay_status scalay_job_compare_with_file(const scalay_job *job, const scalay_layout *layout, scalay_op op,
                                           const void *local, int64_t *mismatches)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = scalay_comm_rank(job->comm);
    scalay_layout *transposed = NULL;
    void *expected = NULL;
    scalay_rectangle first = {.ld = 1};
    if (op != SCALAY_NO_TRANSPOSE)
        SCALAY_TRY(scalay_comm_agree(job->comm, scalay_layout_transpose(layout, &transposed)));
    const scalay_layout *of_file = transposed != NULL ? transposed : layout;
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_job_new_local(job, of_file, &expected)));
    SCALAY_TRY(scalay_matrix_read(job->comm, job->path, of_file, job->type, expected));
    if (op == SCALAY_CONJUGATE_TRANSPOSE) conjugate(job->type, scalay_layout_local_size(of_file, rank), expected);
    if (scalay_layout_rectangle_count(of_file, rank) > 0) (void)scalay_layout_rectangle(of_file, rank, 0, &first);
    const comparison c = {.layout = layout,
                          .transposed = op != SCALAY_NO_TRANSPOSE,
                          .ld = first.ld,
                          .size = scalay_type_size(job->type),
                          .found = local,
                          .expected = expected};
    int64_t mine = count_differences(&c, rank);
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, mismatches, 1, MPI_INT64_T, MPI_SUM, scalay_comm_handle(job->comm)));
cleanup:
    scalay_release(expected);
    scalay_layout_destroy(&transposed);
    return status;
}

/* ----------------------------------------------------------------------------------------------- strategies */

scalay_status scalay_strategy_start(scalay_strategy *strategy, int64_t repeat)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(strategy->move, repeat));
    SCALAY_TRY(SCALAY_NEW(strategy->kernel, repeat));
cleanup:
    return status;
}

scalay_status scalay_strategy_set_mapping(scalay_strategy *strategy, const scalay_layout *mapped)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_release(strategy->mapping);
    strategy->mapping = NULL;
    strategy->parts = scalay_layout_parts(mapped);
    SCALAY_TRY(SCALAY_NEW(strategy->mapping, strategy->parts));
    for (int part = 0; part < strategy->parts; part++)
        strategy->mapping[part] = scalay_layout_process_of_part(mapped, part);
cleanup:
    return status;
}

void scalay_strategy_set_target(scalay_strategy *strategy, const scalay_layout *target)
{
    const int is_regular = target->row.runs == NULL && target->col.runs == NULL;
    strategy->mb = is_regular ? target->row.block : 0;
    strategy->nb = is_regular ? target->col.block : 0;
    if (!scalay_layout_is_grid(target)) return;
    strategy->grid[0] = (int)target->row.classes;
    strategy->grid[1] = (int)target->col.classes;
}

void scalay_strategy_add(scalay_strategy *strategy, double move_seconds, double kernel_seconds)
{
    strategy->move[strategy->runs] = move_seconds;
    strategy->kernel[strategy->runs] = kernel_seconds;
    strategy->runs++;
}

double scalay_median(double *values, int64_t count)
{
    if (count == 0) return 0.0;
    qsort(values, (size_t)count, sizeof *values, scalay_compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

void scalay_strategy_finish(scalay_strategy *strategy)
{
    strategy->move_seconds = scalay_median(strategy->move, strategy->runs);
    strategy->kernel_seconds = scalay_median(strategy->kernel, strategy->runs);
}

void scalay_strategy_free(scalay_strategy *strategy)
{
    scalay_release(strategy->mapping);
    scalay_release(strategy->move);
    scalay_release(strategy->kernel);
    *strategy = (scalay_strategy){0};
}

double scalay_strategy_moved(const scalay_job *job, const scalay_strategy *strategy)
{
    return scalay_percent((double)strategy->volume, (double)job->file.m * (double)job->file.n);
}

static void describe_target(const scalay_strategy *strategy, char text[64])
{
    char grid[32] = "tiles";
    if (strategy->mb == 0) {
        (void)snprintf(text, 64, "map|-");
        return;
    }
    if (strategy->map != NULL) (void)snprintf(grid, sizeof grid, "map");
    if (strategy->grid[0] > 0) (void)snprintf(grid, sizeof grid, "%d x %d", strategy->grid[0], strategy->grid[1]);
    (void)snprintf(text, 64, "%s|%lld x %lld", grid, (long long)strategy->mb, (long long)strategy->nb);
}

scalay_status scalay_strategies_print(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen,
                                      const char *kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    char target[64];
    char extra[64] = "";
    if (kernel != NULL) (void)snprintf(extra, sizeof extra, "%s ms|total ms|", kernel);
    SCALAY_TRY(scalay_table_add(&table, "strategy|grid|blocks|volume|moved|steps|move ms|%spredicted ms", extra));
    for (int k = 0; k < count; k++) {
        const scalay_strategy *s = &strategies[k];
        describe_target(s, target);
        if (kernel != NULL)
            (void)snprintf(extra, sizeof extra, "%.2f|%.2f|", 1e3 * s->kernel_seconds,
                           1e3 * (s->move_seconds + s->kernel_seconds));
        SCALAY_TRY(scalay_table_add(&table, "%s%s|%s|%lld|%.1f%%|%lld|%.2f|%s%.2f", s->name, k == chosen ? " *" : "",
                                    target, (long long)s->volume, scalay_strategy_moved(job, s), (long long)s->steps,
                                    1e3 * s->move_seconds, extra, 1e3 * s->predicted_seconds));
    }
    scalay_table_print(&table);
    printf("  (* chosen; times are medians of %lld)\n", (long long)job->repeat);
cleanup:
    scalay_table_free(&table);
    return status;
}

static json_t *strategy_as_json(const void *strategies, int64_t k)
{
    const scalay_strategy *s = (const scalay_strategy *)strategies + k;
    json_t *grid = s->grid[0] > 0 ? json_pack("[i, i]", s->grid[0], s->grid[1]) : json_null();
    json_t *object = json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "grid", grid, "mb",
        (json_int_t)s->mb, "nb", (json_int_t)s->nb, "volume", (json_int_t)s->volume, "steps", (json_int_t)s->steps,
        "move_seconds", scalay_json_number(s->move_seconds), "kernel_seconds", scalay_json_number(s->kernel_seconds),
        "total_seconds", scalay_json_number(s->move_seconds + s->kernel_seconds), "predicted_seconds",
        scalay_json_number(s->predicted_seconds), "mapping", scalay_json_integers(s->mapping, s->parts));
    if (s->map != NULL)
        return scalay_json_join(object, json_pack("{s:s, s:o, s:I, s:I}", "map", s->map, "balance",
                                                  scalay_json_number(s->balance), "messages", (json_int_t)s->messages,
                                                  "bytes", (json_int_t)s->bytes));
    if (s->bytes < 0) return object;
    return scalay_json_join(
        object, json_pack("{s:I, s:I}", "bytes", (json_int_t)s->bytes, "extra_bytes", (json_int_t)s->extra_bytes));
}

json_t *scalay_strategies_as_json(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen)
{
    return json_pack("{s:I, s:I, s:i, s:s, s:s, s:o, s:s}", "m", (json_int_t)job->file.m, "n", (json_int_t)job->file.n,
                     "processes", scalay_comm_size(job->comm), "type", scalay_type_name(job->type), "source",
                     job->source_text, "strategies", scalay_json_list(count, strategy_as_json, strategies), "chosen",
                     strategies[chosen].name);
}

scalay_status scalay_strategies_plot(scalay_plot *plot, const scalay_strategy *strategies, int count, int chosen)
{
    scalay_plot_bar bars[SCALAY_MAX_STRATEGIES];
    for (int k = 0; k < count; k++)
        bars[k] = (scalay_plot_bar){.name = strategies[k].name,
                                    .move_seconds = strategies[k].move_seconds,
                                    .kernel_seconds = strategies[k].kernel_seconds,
                                    .predicted_seconds = strategies[k].predicted_seconds,
                                    .chosen = k == chosen};
    return scalay_plot_add_times(plot, "time", bars, count);
}
