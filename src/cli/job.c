#include "job.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "io/format.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "progress.h"

enum { DEFAULT_REPEAT = 3, MOST_REPEATS = 10000 };

static scalay_type default_type(scalay_type in_file, int kernel)
{
    int complex = in_file == SCALAY_COMPLEX_FLOAT || in_file == SCALAY_COMPLEX_DOUBLE;
    if (in_file == SCALAY_INT) return SCALAY_DOUBLE;
    if (!kernel) return in_file;
    return complex ? SCALAY_COMPLEX_DOUBLE : SCALAY_DOUBLE;
}

void scalay_job_default_source(int64_t mb, int64_t nb, int nprow, int npcol, char text[SCALAY_SOURCE_SIZE])
{
    (void)snprintf(text, SCALAY_SOURCE_SIZE, "skewed:mb=%lld,nb=%lld,p=%d,q=%d,seed=1", (long long)mb, (long long)nb,
                   nprow, npcol);
}

scalay_status scalay_job_layout(const scalay_job *job, const char *option, const char *text, scalay_op op,
                                scalay_layout **layout)
{
    const int ranks = scalay_comm_size(job->comm);
    const int transposed = op != SCALAY_NO_TRANSPOSE;
    const int64_t m = transposed ? job->file.n : job->file.m;
    const int64_t n = transposed ? job->file.m : job->file.n;
    scalay_status status = scalay_input_layout(option, text, m, n, layout);
    if (status == SCALAY_SUCCESS && scalay_layout_processes(*layout) > ranks)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                             "%s: the layout has %d processes, but there are %d ranks; use "
                             "mpirun -n %d",
                             option, scalay_layout_processes(*layout), ranks, scalay_layout_processes(*layout));
    if (status == SCALAY_SUCCESS && (scalay_layout_rows(*layout) != m || scalay_layout_cols(*layout) != n))
        status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                             "%s: the layout is %lld x %lld, but %s%s is %lld x %lld; leave m and n away", option,
                             (long long)scalay_layout_rows(*layout), (long long)scalay_layout_cols(*layout),
                             transposed ? "the transpose of " : "", job->path, (long long)m, (long long)n);
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

scalay_status scalay_job_open(scalay_comm *comm, const scalay_options *options, int kernel, scalay_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    *job = (scalay_job){.comm = comm, .path = options->operand};
    job->repeat = options->repeat > 0 ? options->repeat : DEFAULT_REPEAT;
    if (job->repeat > MOST_REPEATS)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--repeat is %lld: give at most %d", (long long)job->repeat,
                           MOST_REPEATS);
    SCALAY_TRY(scalay_as_input(scalay_matrix_inspect(comm, job->path, &job->file)));
    job->type = options->type != NULL ? scalay_input_type(options->type) : default_type(job->file.type, kernel);
cleanup:
    return status;
}

scalay_status scalay_job_find_machine(scalay_comm *comm, const scalay_options *options, scalay_machine *machine)
{
    scalay_calibration_options calibration = scalay_calibration_options_default();
    calibration.path = options->machine;
    scalay_progress_say("measuring the machine");
    return options->machine != NULL ? scalay_machine_calibrate(comm, &calibration, machine)
                                    : scalay_machine_measure(comm, machine);
}

scalay_status scalay_job_place(scalay_job *job, const char *from)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_job_layout(job, "--from", from, SCALAY_NO_TRANSPOSE, &job->source));
    status = scalay_input_complete(from, job->file.m, job->file.n, &job->source_text);
    if (status == SCALAY_SUCCESS) status = scalay_job_new_local(job, job->source, &job->a);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
    scalay_progress_say("reading %s", job->path);
    SCALAY_TRY(scalay_matrix_read(job->comm, job->path, job->source, job->type, job->a));
cleanup:
    return status;
}

scalay_status scalay_job_check_output(const char *option, const char *path)
{
    if (path == NULL || scalay_format_of_path(path) != NULL) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is '%s': its ending must be .npy or .mtx", option, path);
}

void scalay_job_must(const scalay_job *job, const char *subcommand, scalay_status status)
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
    scalay_release(job->a);
    scalay_release(job->source_text);
    scalay_layout_destroy(&job->source);
}
