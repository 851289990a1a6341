/* scalay advise: is moving a matrix worth it, and to where? */

#include "advise.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "failure.h"
#include "inputs.h"
#include "nodes.h"
#include "parallel/agree.h"
#include "progress.h"
#include "scalay/context.h"

static const scalay_option advise_options[] = {
    SCALAY_OPTION_ROW("from", SCALAY_OPTION_TEXT, from, "LAYOUT",
                      "where the matrix is (see scalay show --help); for gemm A, B and C all lie like that"),
    SCALAY_OPTION_ROW("kernel", SCALAY_OPTION_CHOICE, kernel, "qr|gemm|stencil",
                      "what is to be run (default: qr); the stencil takes one row or column"),
    SCALAY_OPTION_ROW("times", SCALAY_OPTION_COUNT, times, "K", "how often the kernel runs (default: 1)"),
    SCALAY_OPTION_ROW("back", SCALAY_OPTION_FLAG, back, "", "the result must come back to where the matrix was"),
    SCALAY_OPTION_ROW("processes", SCALAY_OPTION_COUNT, processes, "P",
                      "that may be used (default: those of the layout, or of mpirun)"),
    SCALAY_OPTION_ROW("cores", SCALAY_OPTION_TEXT, cores, "LIST|FILE",
                      "without mpirun: the core that each process will be bound to, by number or name, such as 0,0,1,1 "
                      "or 0*2,1*2, or a file of that"),
    SCALAY_OPTION_ROW("grid", SCALAY_OPTION_GRID, grid_rows, "PxQ", "on this grid (default: all are compared)"),
    SCALAY_OPTION_ROW("nb", SCALAY_OPTION_COUNT, nb, "NB", "with this block size (default: several are compared)"),
    SCALAY_OPTION_ROW("type", SCALAY_OPTION_CHOICE, type, "s|d|c|z", "of the elements (default: d)"),
    SCALAY_OPTION_ROW("machine", SCALAY_OPTION_TEXT, machine, "FILE",
                      "what --calibrate wrote (default: the cache's file for this host and so many processes)"),
    SCALAY_OPTION_ROW("any-host", SCALAY_OPTION_FLAG, any_host, "", "takes a FILE from another host or BLAS"),
    SCALAY_OPTION_ROW("calibrate", SCALAY_OPTION_FLAG, calibrate, "",
                      "under mpirun: measures the machine anew and keeps that in FILE or in the cache"),
    SCALAY_OPTION_ROW("measure", SCALAY_OPTION_FLAG, measure, "",
                      "under mpirun: runs the best candidates, and prints what they take beside what was predicted"),
    SCALAY_OPTION_ROW("repeat", SCALAY_OPTION_COUNT, repeat, "N", "of --measure: runs each N times (default: 3)"),
    SCALAY_OPTION_ROW("top", SCALAY_OPTION_COUNT, top, "N", "prints the N best candidates (default: 8)"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

static const char *const mpi_options[] = {"calibrate", "measure", NULL};

static scalay_kernel kernel_of(const char *name)
{
    for (int kernel = SCALAY_KERNEL_QR; name != NULL && kernel < SCALAY_KERNEL_OTHER; kernel++)
        if (strcmp(name, scalay_kernel_name((scalay_kernel)kernel)) == 0) return (scalay_kernel)kernel;
    return SCALAY_KERNEL_QR;
}

static scalay_status check_options(const scalay_options *options)
{
    if (options->from == NULL && !options->calibrate)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--from is missing; say where the matrix is with --from LAYOUT");
    if (options->from == NULL && options->measure)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--measure runs a kernel on a matrix; add --from LAYOUT");
    if (kernel_of(options->kernel) == SCALAY_KERNEL_STENCIL && (options->grid_rows > 0 || options->nb > 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "a stencil has no grid and no blocks; leave --grid and --nb away");
    if (options->any_host && options->machine == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--any-host goes with --machine FILE; add it");
    if (options->cores != NULL && (options->calibrate || options->measure))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--cores is for planning; under mpirun it is known where processes are bound");
    if (options->repeat > 0 && !options->measure)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--repeat goes with --measure; add it");
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- machine */

static scalay_calibration_options calibration_of(const scalay_advise_job *job)
{
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = job->options->machine;
    options.refresh = job->options->calibrate;
    options.anywhere = job->options->any_host;
    return options;
}

/* Numbers from a file; without a file of the user's own the typical ones will do, and the report says why. */
static scalay_status read_machine(scalay_advise_job *job)
{
    const scalay_calibration_options options = calibration_of(job);
    scalay_status status = scalay_machine_read(job->asked.processes, &options, &job->machine);
    if (status == SCALAY_SUCCESS || job->options->machine != NULL) return scalay_as_input(status);
    if (status == SCALAY_ERROR_MEMORY) return status;
    const char *message = scalay_error_message(), *colon = strstr(message, ": ");
    (void)snprintf(job->reason, sizeof job->reason, "%s", colon != NULL ? colon + 2 : message);
    job->machine = scalay_machine_typical();
    return SCALAY_SUCCESS;
}

static scalay_status find_machine(scalay_advise_job *job)
{
    scalay_text where = {job->where, sizeof job->where, 0};
    if (job->options->machine != NULL)
        scalay_text_append(&where, "%s", job->options->machine);
    else
        (void)scalay_calibration_path(job->asked.processes, job->where, sizeof job->where);
    if (job->comm == NULL) return read_machine(job);
    const scalay_calibration_options options = calibration_of(job);
    scalay_progress_say("measuring the machine");
    return scalay_machine_calibrate(job->comm, &options, &job->machine);
}

/* What processes will be bound to, where none run yet. */
static scalay_status read_cores(scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_process_nodes cores = {0};
    SCALAY_TRY(scalay_as_input(scalay_read_nodes("--cores", job->options->cores, &cores)));
    job->asked.core = job->core = cores.node;
    if (cores.processes != job->asked.processes || cores.nodes > cores.processes)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "--cores lists %d processes on cores 0 to %d, but %d processes may be used; list a core for "
                           "each, numbered from 0",
                           cores.processes, cores.nodes - 1, job->asked.processes);
cleanup:
    return status;
}

/* Ranks that are bound to the same core do not run at once. */
static scalay_status find_cores(scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    if (job->comm == NULL) return job->options->cores != NULL ? read_cores(job) : SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(job->comm, SCALAY_NEW(job->core, scalay_comm_size(job->comm))));
    SCALAY_TRY(scalay_machine_cores(job->comm, job->core));
    job->asked.core = job->core;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- the question */

static scalay_status check_processes(const scalay_advise_job *job)
{
    const int64_t wanted = job->options->processes;
    const int ranks = job->comm != NULL ? scalay_comm_size(job->comm) : 0;
    const int holders = scalay_layout_processes(job->source);
    if (wanted > 0 && wanted < holders)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--processes is %lld, but the matrix is on %d; give at least that",
                           (long long)wanted, holders);
    if (job->comm != NULL && wanted > 0 && wanted != ranks)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--processes is %lld, but mpirun started %d; leave it out",
                           (long long)wanted, ranks);
    if (job->comm != NULL && ranks < holders)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the matrix is on %d processes, mpirun started %d; start %d", holders,
                           ranks, holders);
    return SCALAY_SUCCESS;
}

/* The rows that are kept: the best, and staying. */
static scalay_status list_rows(scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t top = job->options->top > 0 ? job->options->top : SCALAY_ADVISE_TOP;
    SCALAY_TRY(SCALAY_NEW(job->rows, scalay_advice_count(job->advice)));
    for (int k = 0; k < scalay_advice_count(job->advice); k++) {
        scalay_advise_row row = {.index = k};
        SCALAY_TRY(scalay_advice_get_candidate(job->advice, k, &row.told));
        if (k < top || strcmp(row.told.name, "owner") == 0) job->rows[job->count++] = row;
    }
cleanup:
    return status;
}

static scalay_status read_question(scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_options *options = job->options;
    job->asked = scalay_advice_options_default();
    job->asked.type = scalay_input_type(options->type);
    job->asked.kernel = kernel_of(options->kernel);
    if (options->times > 0) job->asked.times = options->times;
    job->asked.bring_back = options->back;
    job->asked.nprow = (int)options->grid_rows;
    job->asked.npcol = (int)options->grid_cols;
    job->asked.nb = (int)options->nb;
    if (options->from != NULL) {
        SCALAY_TRY(scalay_input_layout("--from", options->from, -1, -1, &job->source));
        SCALAY_TRY(check_processes(job));
    }
    job->asked.processes = job->comm != NULL        ? scalay_comm_size(job->comm)
                           : options->processes > 0 ? (int)options->processes
                                                    : scalay_layout_processes(job->source);
cleanup:
    return status;
}

static scalay_status find_advice(scalay_advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("comparing");
    job->asked.machine = &job->machine;
    SCALAY_TRY(scalay_advice_create(job->source, &job->asked, &job->advice));
    SCALAY_TRY(list_rows(job));
cleanup:
    return status;
}

/* Agreement where there are others. */
static scalay_status agree(const scalay_advise_job *job, scalay_status status)
{
    return job->comm != NULL ? scalay_comm_agree(job->comm, status) : status;
}

static scalay_status run_advise(const scalay_options *options, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    static scalay_advise_job job;
    const int speaks = comm == NULL || scalay_comm_rank(comm) == 0;
    job = (scalay_advise_job){.options = options, .comm = comm};
    SCALAY_TRY(agree(&job, check_options(options)));
    SCALAY_TRY(agree(&job, read_question(&job)));
    SCALAY_TRY(find_machine(&job));
    SCALAY_TRY(find_cores(&job));
    if (job.source != NULL) SCALAY_TRY(agree(&job, find_advice(&job)));
    if (options->measure) SCALAY_TRY(scalay_advise_job_measure(&job));
    scalay_progress_stop();
    if (speaks) status = job.source != NULL ? scalay_advise_job_report(&job) : scalay_advise_job_report_machine(&job);
    SCALAY_TRY(agree(&job, status));
cleanup:
    scalay_release(job.rows);
    scalay_release(job.core);
    scalay_advice_destroy(&job.advice);
    scalay_layout_destroy(&job.source);
    return status;
}

const scalay_command scalay_command_advise = {
    .name = "advise",
    .summary = "says whether to move a matrix, and to where, before a kernel runs",
    .usage = "--from LAYOUT [--kernel KERNEL] [OPTIONS]",
    .description =
        "Is moving worth it? Compares staying (owner) with grids of all shapes, also of fewer\n"
        "processes, several block sizes and several mappings, by their predicted times: for the way there\n"
        "(move), for all runs of the kernel, and in total. The first is the one to take.\n"
        "Predictions need the machine's numbers: under mpirun, --calibrate measures them with as many\n"
        "processes as will be used and keeps them in $XDG_CACHE_HOME/scalay or ~/.cache/scalay. Where there\n"
        "are none, or stale ones, those of a typical machine are taken, and the report says why.\n"
        "Needs mpirun for --calibrate and --measure alone.\n",
    .example = "  scalay advise --from cyclic:m=4000,n=4000,mb=1000,nb=1000,p=1,q=4 --kernel qr\n"
               "  mpirun -n 4 scalay advise --from cyclic:m=1000,n=1000,mb=4,nb=4,p=4,q=1 --kernel gemm --measure\n",
    .operand = NULL,
    .options = advise_options,
    .mpi_options = mpi_options,
    .run = run_advise,
};
