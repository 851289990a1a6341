/*
 * scalay advise: decides whether to redistribute a matrix before a kernel, and to which grid, block size and mapping.
 * Candidates are compared by predicted time; --measure runs the best ones.
 */

#include "scalay/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input.h"
#include "job.h"
#include "layout/layout.h"
#include "measure/calibration.h"
#include "parallel/agree.h"
#include "parallel/machine_types.h"
#include "parallel/node.h"
#include "scalay/model.h"
#include "scalay/profile.h"
#include "trial.h"

enum { DEFAULT_TOP = 8, DEFAULT_REPEAT = 3, SENTENCE = 512 };

typedef struct {
    scalay_common_options common;
    const char *from;
    const char *kernel;
    const char *type;
    int64_t times; /* 0: not given */
    int back;
    int64_t processes; /* 0: not given */
    int64_t grid[2];   /* 0: not given */
    int64_t nb;        /* 0: not given */
    const char *cores;
    const char *nodes;
    const char *node_types;
    const char *profile;
    const char *machine;
    int any_host;
    int calibrate;
    int measure;
    int64_t repeat; /* 0: not given */
    int64_t top;    /* 0: not given */
} advise_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Problem"),
    SCALAY_ROW(advise_options, from, SCALAY_OPTION_TEXT, "from", "LAYOUT",
               "layout of the matrix; for gemm, of A, B and C", NULL),
    SCALAY_CHOICE_ROW(advise_options, kernel, "kernel", "NAME", "qr|lu|cholesky|gemm|stencil",
                      "kernel to run; the stencil needs one row or one column", "qr"),
    SCALAY_CHOICE_ROW(advise_options, type, "type", "TYPE", "s|d|c|z", "element type", "d"),
    SCALAY_ROW(advise_options, times, SCALAY_OPTION_COUNT, "times", "K", "number of runs of the kernel", "1"),
    SCALAY_ROW(advise_options, back, SCALAY_OPTION_FLAG, "back", "", "move the result back to the source layout", NULL),
    SCALAY_GROUP_ROW("Candidates"),
    SCALAY_ROW(advise_options, processes, SCALAY_OPTION_COUNT, "processes", "P", "processes that may be used",
               "those of the layout, or of mpirun"),
    SCALAY_ROW(advise_options, grid, SCALAY_OPTION_GRID, "grid", "PxQ", "process grid", "all are compared"),
    SCALAY_ROW(advise_options, nb, SCALAY_OPTION_COUNT, "nb", "NB", "block size", "several are compared"),
    SCALAY_ROW(advise_options, cores, SCALAY_OPTION_INPUT, "cores", "LIST|FILE",
               "core of each process, such as 0,0,1,1 or 0*2,1*2; without mpirun only", "one core per process"),
    SCALAY_ROW(advise_options, nodes, SCALAY_OPTION_INPUT, "nodes", "LIST|FILE",
               "node of each process, such as 0,0,1,1 or 0*2,1*2; without mpirun only", "not known"),
    SCALAY_ROW(advise_options, node_types, SCALAY_OPTION_INPUT, "node-types", "LIST|FILE",
               "type of each node, as scalay calibrate numbers them; with --nodes", "all 0"),
    SCALAY_GROUP_ROW("Machine"),
    SCALAY_ROW(advise_options, profile, SCALAY_OPTION_INPUT, "profile", "FILE.csv",
               "profile with one processor per process: relative speeds, at the largest size that all have",
               "equal speeds"),
    SCALAY_ROW(advise_options, machine, SCALAY_OPTION_OUTPUT, "machine", "FILE", "calibration file",
               "in the cache, for this machine and number of processes"),
    SCALAY_ROW(advise_options, any_host, SCALAY_OPTION_FLAG, "any-host", "",
               "accept a FILE of --machine from another processor, BLAS or MPI library", NULL),
    SCALAY_ROW(advise_options, calibrate, SCALAY_OPTION_FLAG, "calibrate", "",
               "measure the machine and store the rates, as scalay calibrate; needs mpirun", NULL),
    SCALAY_GROUP_ROW("Measurement"),
    SCALAY_ROW(advise_options, measure, SCALAY_OPTION_FLAG, "measure", "",
               "run the best candidates and print their times; needs mpirun", NULL),
    SCALAY_ROW(advise_options, repeat, SCALAY_OPTION_COUNT, "repeat", "N", "runs of each candidate with --measure",
               "3"),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_ROW(advise_options, top, SCALAY_OPTION_COUNT, "top", "N", "number of candidates to print", "8"),
    SCALAY_JSON_ROW(advise_options),
    SCALAY_QUIET_ROW(advise_options),
    SCALAY_LAST_ROW,
};

static const char *const mpi_options[] = {"calibrate", "measure", NULL};

/* A candidate that is printed. */
typedef struct {
    int index; /* in the advice */
    scalay_advice_candidate predicted;
    int64_t runs;                  /* number of trials */
    scalay_trial_seconds measured; /* medians; valid if runs > 0 */
} advise_row;

/* The advice. A zeroed one is empty. */
typedef struct {
    const advise_options *options;
    scalay_comm *comm; /* NULL: without MPI */
    scalay_layout *source;
    scalay_advice_options problem;
    scalay_machine machine;
    int *core;               /* of each rank; NULL: not known */
    int *node;               /* of each rank; NULL: not known, or of the communicator */
    int *node_type;          /* likewise */
    double *speed;           /* of each process, the mean is 1; NULL: equal speeds */
    char machine_file[4096]; /* of the rates */
    char reason[1024];       /* why the rates are those of a typical machine; "": they are not */
    scalay_advice *advice;
    int count;
    advise_row *rows;
} advise_job;

static scalay_kernel kernel_of(const char *name)
{
    for (int kernel = SCALAY_KERNEL_QR; name != NULL && kernel <= SCALAY_KERNEL_CHOLESKY; kernel++)
        if (strcmp(name, scalay_kernel_name((scalay_kernel)kernel)) == 0) return (scalay_kernel)kernel;
    return SCALAY_KERNEL_QR;
}

static scalay_status check_options(const advise_options *options)
{
    if (options->from == NULL && !options->calibrate)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--from is missing; give the layout of the matrix with --from LAYOUT");
    if (options->from == NULL && options->measure)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--measure needs a matrix; add --from LAYOUT");
    if (kernel_of(options->kernel) == SCALAY_KERNEL_STENCIL && (options->grid[0] > 0 || options->nb > 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the stencil has no grid and no blocks; leave --grid and --nb away");
    if (options->any_host && options->machine == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--any-host goes with --machine FILE; add --machine");
    if (options->cores != NULL && (options->calibrate || options->measure))
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "--cores is for planning without mpirun; under mpirun the binding is known. Leave --cores away");
    if (options->nodes != NULL && (options->calibrate || options->measure))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--nodes is for planning without mpirun; under mpirun the nodes are "
                                                  "known. Leave --nodes away");
    if (options->node_types != NULL && options->nodes == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--node-types goes with --nodes LIST; add --nodes");
    if (options->repeat > 0 && !options->measure)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--repeat goes with --measure; add --measure");
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- machine */

/* Sets the speed of each processor of a profile at a size. */
static scalay_status set_speeds(const scalay_profile *profile, int64_t size, double *speed)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t processor = 0;
    double sum = 0.0, seconds = 0.0;
    for (int group = 0; group < scalay_profile_groups(profile); group++) {
        SCALAY_TRY(scalay_profile_get_point(profile, group, size, &seconds, NULL));
        for (int64_t k = 0; k < scalay_profile_multiplicity(profile, group); k++) {
            speed[processor++] = 1.0 / seconds;
            sum += 1.0 / seconds;
        }
    }
    for (int64_t k = 0; k < processor; k++) speed[k] *= (double)processor / sum;
cleanup:
    return status;
}

/* Returns the largest size that all processors of a profile have; 0: there is none. */
static int64_t find_common_size(const scalay_profile *profile)
{
    const int64_t *sizes = NULL;
    const double *seconds = NULL;
    int64_t points = 0;
    double time = 0.0;
    if (scalay_profile_points(profile, 0, &points, &sizes, &seconds, NULL) != SCALAY_SUCCESS) return 0;
    for (int64_t k = points - 1; k >= 0; k--) {
        int everywhere = sizes[k] > 0 && seconds[k] > 0.0;
        for (int group = 1; everywhere && group < scalay_profile_groups(profile); group++)
            everywhere = scalay_profile_get_point(profile, group, sizes[k], &time, NULL) == SCALAY_SUCCESS &&
                         isfinite(time) && time > 0.0;
        if (everywhere) return sizes[k];
    }
    return 0;
}

/* Reads --profile. */
static scalay_status read_profile(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *profile = NULL;
    if (job->options->profile == NULL || job->source == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_as_input(scalay_profile_read(job->options->profile, &profile)));
    const int64_t processors = scalay_profile_processors(profile), size = find_common_size(profile);
    if (processors != job->problem.processes)
        status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s has %lld processors; it must have %d, one per process",
                             job->options->profile, (long long)processors, job->problem.processes);
    else if (size == 0)
        status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                             "%s has no size that all processors have; measure them at the same sizes",
                             job->options->profile);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(job->speed, processors);
    if (status == SCALAY_SUCCESS) status = set_speeds(profile, size, job->speed);
    job->problem.speed = job->speed;
cleanup:
    scalay_profile_destroy(&profile);
    return status;
}

static scalay_calibration_options calibration_of(const advise_job *job)
{
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = job->options->machine;
    options.refresh = job->options->calibrate;
    options.anywhere = job->options->any_host;
    return options;
}

/* Reads the rates. Without --machine, typical rates replace missing ones, and the report gives the reason. */
static scalay_status read_machine(advise_job *job)
{
    const scalay_calibration_options options = calibration_of(job);
    int64_t layout = 0;
    scalay_status status = scalay_calibration_layout(job->node, job->problem.processes, &layout);
    if (status == SCALAY_SUCCESS)
        status = scalay_machine_read_layout(job->problem.processes, layout, &options, job->machine_file,
                                            sizeof job->machine_file, &job->machine);
    if (status == SCALAY_SUCCESS || job->options->machine != NULL) return scalay_as_input(status);
    if (status == SCALAY_ERROR_MEMORY) return status;
    const char *message = scalay_error_message(), *colon = strstr(message, ": ");
    (void)snprintf(job->reason, sizeof job->reason, "%s", colon != NULL ? colon + 2 : message);
    job->machine = scalay_machine_typical();
    return SCALAY_SUCCESS;
}

static scalay_status find_machine(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration found;
    if (job->comm == NULL) return read_machine(job);
    const scalay_calibration_options options = calibration_of(job);
    scalay_progress_say("measuring the machine");
    SCALAY_TRY(scalay_calibrate(job->comm, &options, job->machine_file, sizeof job->machine_file, &found));
    job->machine = found.sample.machine;
cleanup:
    return status;
}

/* Reads --cores. */
static scalay_status read_cores(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_process_nodes cores = {0};
    SCALAY_TRY(scalay_as_input(scalay_input_nodes("--cores", job->options->cores, &cores)));
    job->problem.core = job->core = cores.node;
    if (cores.processes != job->problem.processes || cores.nodes > cores.processes)
        return SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH,
            "--cores has %d processes on cores 0 to %d; it must have the %d processes that may be used, on "
            "cores numbered from 0",
            cores.processes, cores.nodes - 1, job->problem.processes);
cleanup:
    return status;
}

/* Finds the core of each rank: ranks on one core do not run concurrently. */
static scalay_status find_cores(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    if (job->comm == NULL) return job->options->cores != NULL ? read_cores(job) : SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(job->comm, SCALAY_NEW(job->core, scalay_comm_size(job->comm))));
    SCALAY_TRY(scalay_machine_cores(job->comm, job->core));
    job->problem.core = job->core;
cleanup:
    return status;
}

/* Reads --node-types, and sets the type of the node of each process. */
static scalay_status read_node_types(advise_job *job, const scalay_process_nodes *nodes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_process_nodes types = {0};
    SCALAY_TRY(scalay_as_input(scalay_input_nodes("--node-types", job->options->node_types, &types)));
    if (types.processes != nodes->nodes || types.nodes > SCALAY_NODE_TYPES) {
        status = SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                             "--node-types has %d numbers up to %d; it must have one for each of the %d nodes, from 0 "
                             "to %d",
                             types.processes, types.nodes - 1, nodes->nodes, SCALAY_NODE_TYPES - 1);
        goto cleanup;
    }
    SCALAY_TRY(SCALAY_NEW(job->node_type, nodes->processes));
    for (int p = 0; p < nodes->processes; p++) job->node_type[p] = types.node[nodes->node[p]];
    job->problem.node_type = job->node_type;
cleanup:
    scalay_release(types.node);
    return status;
}

/* Reads --nodes. */
static scalay_status read_nodes(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_process_nodes nodes = {0};
    SCALAY_TRY(scalay_as_input(scalay_input_nodes("--nodes", job->options->nodes, &nodes)));
    job->problem.node = job->node = nodes.node;
    if (nodes.processes != job->problem.processes || nodes.nodes > nodes.processes)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "--nodes has %d processes on nodes 0 to %d; it must have the %d processes that may be used, "
                           "on nodes numbered from 0",
                           nodes.processes, nodes.nodes - 1, job->problem.processes);
    if (job->options->node_types != NULL) SCALAY_TRY(read_node_types(job, &nodes));
cleanup:
    return status;
}

/* Finds the node of each rank: links within nodes and between nodes have different rates. */
static scalay_status find_nodes(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    if (job->comm == NULL) return job->options->nodes != NULL ? read_nodes(job) : SCALAY_SUCCESS;
    SCALAY_TRY(scalay_node_of_ranks(job->comm, &job->problem.node));
    SCALAY_TRY(scalay_node_types_of_ranks(job->comm, &job->problem.node_type));
    if (job->problem.node == NULL) job->problem.node_type = NULL;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- problem */

static scalay_status check_processes(const advise_job *job)
{
    const int64_t requested = job->options->processes;
    const int ranks = job->comm != NULL ? scalay_comm_size(job->comm) : 0;
    const int holders = scalay_layout_processes(job->source);
    if (requested > 0 && requested < holders)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--processes is %lld; it must be at least %d, as the matrix has",
                           (long long)requested, holders);
    if (job->comm != NULL && requested > 0 && requested != ranks)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--processes is %lld; it must be %d, as mpirun has. Leave it away",
                           (long long)requested, ranks);
    if (job->comm != NULL && ranks < holders)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the matrix has %d processes, mpirun has %d; use mpirun -n %d",
                           holders, ranks, holders);
    return SCALAY_SUCCESS;
}

/* Selects the rows to print: the best candidates, and staying. */
static scalay_status list_rows(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t top = job->options->top > 0 ? job->options->top : DEFAULT_TOP;
    SCALAY_TRY(SCALAY_NEW(job->rows, scalay_advice_count(job->advice)));
    for (int k = 0; k < scalay_advice_count(job->advice); k++) {
        advise_row row = {.index = k};
        SCALAY_TRY(scalay_advice_get_candidate(job->advice, k, &row.predicted));
        if (k < top || strcmp(row.predicted.name, "owner") == 0) job->rows[job->count++] = row;
    }
cleanup:
    return status;
}

static scalay_status read_problem(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const advise_options *options = job->options;
    job->problem = scalay_advice_options_default();
    job->problem.type = scalay_input_type(options->type);
    job->problem.kernel = kernel_of(options->kernel);
    if (options->times > 0) job->problem.times = options->times;
    job->problem.bring_back = options->back;
    job->problem.nprow = (int)options->grid[0];
    job->problem.npcol = (int)options->grid[1];
    job->problem.nb = (int)options->nb;
    if (options->from != NULL) {
        SCALAY_TRY(scalay_input_layout("--from", options->from, -1, -1, &job->source));
        SCALAY_TRY(check_processes(job));
    }
    job->problem.processes = job->comm != NULL        ? scalay_comm_size(job->comm)
                             : options->processes > 0 ? (int)options->processes
                                                      : scalay_layout_processes(job->source);
cleanup:
    return status;
}

static scalay_status find_advice(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("comparing candidates");
    job->problem.machine = &job->machine;
    SCALAY_TRY(scalay_advice_create(job->source, &job->problem, &job->advice));
    SCALAY_TRY(list_rows(job));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- measurement */

/* Returns the median time of the move (0), the kernel (1) or the move back (2). `work` has space for `count` values. */
static double median(const scalay_trial_seconds *runs, int64_t count, int which, double *work)
{
    for (int64_t k = 0; k < count; k++)
        work[k] = which == 0 ? runs[k].move : which == 1 ? runs[k].kernel : runs[k].back;
    return scalay_median(work, count);
}

static int is_by_engine(const advise_row *row)
{
    return strcmp(row->predicted.routine, "engine") == 0;
}

static scalay_status try_row(const advise_job *job, const advise_row *row, scalay_trial_seconds *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    const scalay_trial trial = {.comm = job->comm,
                                .type = job->problem.type,
                                .kernel = job->problem.kernel,
                                .source = job->source,
                                .is_summa = strcmp(row->predicted.routine, "SUMMA") == 0,
                                .is_engine = is_by_engine(row),
                                .iterations = job->problem.times,
                                .bring_back = job->problem.bring_back};
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_advice_layout(job->advice, row->index, &target)));
    SCALAY_TRY(scalay_trial_run(&trial, target, seconds));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

/* Returns 1 if a row has a trial. ScaLAPACK's factorisations of a submatrix have none. */
static int has_trial(const advise_job *job, const advise_row *row)
{
    const scalay_kernel kernel = job->problem.kernel;
    const int is_factorization =
        kernel == SCALAY_KERNEL_QR || kernel == SCALAY_KERNEL_LU || kernel == SCALAY_KERNEL_CHOLESKY;
    return !is_factorization || is_by_engine(row) || strcmp(row->predicted.name, "owner") != 0 ||
           (job->source->row.first == 0 && job->source->col.first == 0);
}

/* Runs all candidates in turn, starting with another one each time, so that a disturbance affects all of them. */
static scalay_status try_all(advise_job *job, int64_t repeat, scalay_trial_seconds *runs)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t turn = 0; turn < repeat; turn++)
        for (int k = 0; k < job->count; k++) {
            const int at = (int)((turn + k) % job->count);
            advise_row *row = &job->rows[at];
            if (!has_trial(job, row)) continue;
            scalay_progress_set((double)(turn * job->count + k) / (double)(repeat * job->count));
            scalay_progress_say("%s, run %lld of %lld", row->predicted.name, (long long)turn + 1, (long long)repeat);
            SCALAY_TRY(try_row(job, row, &runs[at * repeat + row->runs]));
            row->runs++;
        }
cleanup:
    return status;
}

static scalay_status measure(advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t repeat = job->options->repeat > 0 ? job->options->repeat : DEFAULT_REPEAT;
    scalay_trial_seconds *runs = NULL, warm_up;
    double *work = NULL;
    status = SCALAY_NEW(runs, repeat * job->count);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(work, repeat);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
    scalay_memory_keep_released();
    scalay_progress_say("warm-up run");
    if (has_trial(job, &job->rows[0])) SCALAY_TRY(try_row(job, &job->rows[0], &warm_up));
    SCALAY_TRY(try_all(job, repeat, runs));
    for (int k = 0; k < job->count; k++)
        if (job->rows[k].runs > 0)
            job->rows[k].measured = (scalay_trial_seconds){.move = median(&runs[k * repeat], repeat, 0, work),
                                                           .kernel = median(&runs[k * repeat], repeat, 1, work),
                                                           .back = median(&runs[k * repeat], repeat, 2, work)};
cleanup:
    scalay_release(work);
    scalay_release(runs);
    return status;
}

/* Sets the times of a row: moves, all runs of the kernel, total. */
static void row_seconds(const advise_job *job, const advise_row *row, int measured, double seconds[3])
{
    seconds[0] = measured ? row->measured.move + row->measured.back : row->predicted.move_seconds;
    seconds[1] = measured ? row->measured.kernel * (double)job->problem.times : row->predicted.kernel_seconds;
    seconds[2] = seconds[0] + seconds[1];
}

/* Returns the row with the least measured total; -1 without measurements. */
static int find_fastest(const advise_job *job)
{
    int fastest = -1;
    double best = 0.0, seconds[3];
    for (int k = 0; k < job->count; k++) {
        if (job->rows[k].runs == 0) continue;
        row_seconds(job, &job->rows[k], 1, seconds);
        if (fastest >= 0 && seconds[2] >= best) continue;
        fastest = k;
        best = seconds[2];
    }
    return fastest;
}

/* ---------------------------------------------------------------------------------------------------- text */

static void print_machine_line(const advise_job *job)
{
    const scalay_machine *m = &job->machine;
    printf("%.3g Gflop/s per process (level 3), %.3g (level 2), %.3g GB/s copied;\n        latency %.3g us, "
           "bandwidth %.3g GB/s; a single process is %.2g times as fast\n",
           1e-9 / m->seconds_per_flop, 1e-9 / m->seconds_per_flop_vector, 1e-9 / m->seconds_per_byte_copied,
           1e6 * m->seconds_per_message, 1e-9 / m->seconds_per_byte,
           m->solo_time_ratio > 0.0 ? 1.0 / m->solo_time_ratio : 1.0);
    if (m->nodes > 1 && m->seconds_per_byte_within > 0.0)
        printf("        within a node: latency %.3g us, bandwidth %.3g GB/s\n", 1e6 * m->seconds_per_message_within,
               1e-9 / m->seconds_per_byte_within);
    if (job->problem.node != NULL && m->nodes == 1)
        printf("        The rates are those of one node. Measure the links between nodes with scalay calibrate on\n"
               "        several nodes.\n");
    if (job->problem.node_type != NULL && m->node_types > 1 && job->problem.speed == NULL)
        printf("        The speeds of the processes are those of the types of their nodes.\n");
}

static void print_problem(const advise_job *job)
{
    char sentence[SENTENCE];
    (void)scalay_layout_describe(job->source, sentence, sizeof sentence);
    printf("Advice for %s, %lld time%s, on %d process%s (type %s)\n\n", scalay_kernel_name(job->problem.kernel),
           (long long)job->problem.times, job->problem.times == 1 ? "" : "s", job->problem.processes,
           job->problem.processes == 1 ? "" : "es", scalay_type_name(job->problem.type));
    printf("matrix  %s\nmachine ", sentence);
    print_machine_line(job);
    if (job->reason[0] == '\0') {
        printf("        from %s\n\n", job->machine_file);
        return;
    }
    printf("        typical rates, not measured:\n");
    scalay_print_wrapped(job->reason, 8, 0, stdout);
    printf("        Measure them with: mpirun -n %d scalay calibrate\n\n", job->problem.processes);
}

static scalay_status add_row(const advise_job *job, int k, scalay_table *table)
{
    const advise_row *row = &job->rows[k];
    const scalay_advice_candidate *c = &row->predicted;
    double predicted[3], found[3];
    char grid[64] = "-|-", measured[128] = "";
    row_seconds(job, row, 0, predicted);
    row_seconds(job, row, 1, found);
    if (c->nprow > 0 && c->mb == c->nb)
        (void)snprintf(grid, sizeof grid, "%d x %d|%d", c->nprow, c->npcol, c->nb);
    else if (c->nprow > 0)
        (void)snprintf(grid, sizeof grid, "%d x %d|%d x %d", c->nprow, c->npcol, c->mb, c->nb);
    if (job->options->measure && row->runs == 0)
        (void)snprintf(measured, sizeof measured, "|-|-|-");
    else if (job->options->measure)
        (void)snprintf(measured, sizeof measured, "|%.2f|%.2f|%.2f", 1e3 * found[0], 1e3 * found[1], 1e3 * found[2]);
    return scalay_table_add(table, "%s%s|%s|%s|%lld|%lld|%.2f|%.2f|%.2f%s", c->name, k == 0 ? " *" : "", grid,
                            c->routine, (long long)c->volume, (long long)c->steps, 1e3 * predicted[0],
                            1e3 * predicted[1], 1e3 * predicted[2], measured);
}

static void print_fastest(const advise_job *job)
{
    const int fastest = find_fastest(job);
    double first[3], best[3];
    if (fastest < 0) return;
    row_seconds(job, &job->rows[0], 1, first);
    row_seconds(job, &job->rows[fastest], 1, best);
    printf("\nMeasured (medians of %lld): %s is the fastest; the advised one takes %.1f%% longer.\n",
           (long long)job->rows[0].runs, job->rows[fastest].predicted.name,
           best[2] > 0.0 ? 100.0 * (first[2] / best[2] - 1.0) : 0.0);
}

static scalay_status print_text(const advise_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    char *text = NULL;
    const int length = scalay_advice_describe(job->advice, NULL, 0);
    SCALAY_TRY(SCALAY_NEW(text, (int64_t)length + 1));
    (void)scalay_advice_describe(job->advice, text, (size_t)length + 1);
    print_problem(job);
    SCALAY_TRY(scalay_table_add(&table, "candidate|grid|block|routine|volume|steps|move ms|kernel ms|total ms%s",
                                job->options->measure ? "|measured: move|kernel|total" : ""));
    for (int k = 0; k < job->count; k++) SCALAY_TRY(add_row(job, k, &table));
    scalay_table_print(&table);
    printf("  (* advised; %d of %d candidates; predicted times of the move%s and all runs)\n\n", job->count,
           scalay_advice_count(job->advice), job->problem.bring_back ? " and back" : "");
    scalay_print_wrapped(text, 0, 0, stdout);
    print_fastest(job);
cleanup:
    scalay_release(text);
    scalay_table_free(&table);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- JSON */

static json_t *machine_as_json(const advise_job *job)
{
    const scalay_machine *m = &job->machine;
    json_t *where = job->reason[0] == '\0' ? json_string(job->machine_file) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "file", where, "seconds_per_flop",
                     scalay_json_number(m->seconds_per_flop), "seconds_per_flop_vector",
                     scalay_json_number(m->seconds_per_flop_vector), "seconds_per_message",
                     scalay_json_number(m->seconds_per_message), "seconds_per_byte",
                     scalay_json_number(m->seconds_per_byte), "seconds_per_byte_copied",
                     scalay_json_number(m->seconds_per_byte_copied), "alone", scalay_json_number(m->solo_time_ratio),
                     "seconds_per_message_within", scalay_json_number(m->seconds_per_message_within),
                     "seconds_per_byte_within", scalay_json_number(m->seconds_per_byte_within),
                     "seconds_per_byte_alone", scalay_json_number(m->seconds_per_byte_alone), "processes",
                     (json_int_t)m->processes, "nodes", (json_int_t)m->nodes);
}

static json_t *seconds_as_json(const double seconds[3])
{
    return json_pack("{s:o, s:o, s:o}", "move", scalay_json_number(seconds[0]), "kernel",
                     scalay_json_number(seconds[1]), "total", scalay_json_number(seconds[2]));
}

static json_t *row_as_json(const void *context, int64_t k)
{
    const advise_job *job = context;
    const advise_row *row = &job->rows[k];
    const scalay_advice_candidate *c = &row->predicted;
    json_t *grid = c->nprow > 0 ? json_pack("[i, i]", c->nprow, c->npcol) : json_null();
    double predicted[3], found[3];
    row_seconds(job, row, 0, predicted);
    row_seconds(job, row, 1, found);
    return json_pack("{s:s, s:o, s:i, s:i, s:s, s:I, s:I, s:o, s:o}", "name", c->name, "grid", grid, "mb", c->mb, "nb",
                     c->nb, "routine", c->routine, "volume", (json_int_t)c->volume, "steps", (json_int_t)c->steps,
                     "predicted", seconds_as_json(predicted), "measured",
                     row->runs > 0 ? seconds_as_json(found) : json_null());
}

static json_t *job_as_json(const advise_job *job)
{
    const int fastest = find_fastest(job);
    json_t *list = scalay_json_list(job->count, row_as_json, job);
    return json_pack("{s:I, s:I, s:s, s:s, s:I, s:i, s:o, s:o, s:s, s:b, s:o}", "m",
                     (json_int_t)scalay_layout_rows(job->source), "n", (json_int_t)scalay_layout_cols(job->source),
                     "kernel", scalay_kernel_name(job->problem.kernel), "type", scalay_type_name(job->problem.type),
                     "times", (json_int_t)job->problem.times, "processes", job->problem.processes, "machine",
                     machine_as_json(job), "candidates", list, "chosen", job->rows[0].predicted.name, "move",
                     scalay_advice_should_move(job->advice), "fastest",
                     fastest >= 0 ? json_string(job->rows[fastest].predicted.name) : json_null());
}

static scalay_status report(const advise_job *job)
{
    if (job->options->common.json) return scalay_json_print(job_as_json(job));
    return job->options->common.quiet ? SCALAY_SUCCESS : print_text(job);
}

static scalay_status report_machine(const advise_job *job)
{
    if (job->options->common.json) return scalay_json_print(machine_as_json(job));
    if (job->options->common.quiet) return SCALAY_SUCCESS;
    printf("%d processes: ", job->problem.processes);
    print_machine_line(job);
    printf("        stored in %s\n", job->machine_file);
    return SCALAY_SUCCESS;
}

/* Agrees on a status if there are other ranks. */
static scalay_status agree(const advise_job *job, scalay_status status)
{
    return job->comm != NULL ? scalay_comm_agree(job->comm, status) : status;
}

static scalay_status run_advise(const void *given, scalay_comm *comm)
{
    const advise_options *options = given;
    scalay_status status = SCALAY_SUCCESS;
    static advise_job job;
    const int is_root = comm == NULL || scalay_comm_rank(comm) == 0;
    job = (advise_job){.options = options, .comm = comm};
    SCALAY_TRY(agree(&job, check_options(options)));
    SCALAY_TRY(agree(&job, read_problem(&job)));
    SCALAY_TRY(agree(&job, read_profile(&job)));
    /* Without MPI, the nodes name the machine's file. With MPI, their types are found with the machine. */
    if (comm == NULL) SCALAY_TRY(find_nodes(&job));
    SCALAY_TRY(find_machine(&job));
    SCALAY_TRY(find_cores(&job));
    if (comm != NULL) SCALAY_TRY(find_nodes(&job));
    if (job.source != NULL) SCALAY_TRY(agree(&job, find_advice(&job)));
    if (options->measure) SCALAY_TRY(measure(&job));
    scalay_progress_stop();
    if (is_root) status = job.source != NULL ? report(&job) : report_machine(&job);
    SCALAY_TRY(agree(&job, status));
cleanup:
    scalay_release(job.rows);
    scalay_release(job.core);
    scalay_release(job.node);
    scalay_release(job.node_type);
    scalay_release(job.speed);
    scalay_advice_destroy(&job.advice);
    scalay_layout_destroy(&job.source);
    return status;
}

const scalay_subcommand scalay_subcommand_advise = {
    .name = "advise",
    .summary = "decide whether and where to move a matrix before a kernel",
    .usage = {"--from LAYOUT [OPTIONS]", "--calibrate [OPTIONS]"},
    .description =
        "Compares staying (owner) with process grids of all shapes, several block sizes and several mappings, with "
        "1D-1D "
        "maps of the engine (scalay_factor_create), and with patterns on numbers of processes without a good grid, by "
        "the "
        "predicted time of the move and of all runs of the kernel. The first candidate is the advised one.\n"
        "\n"
        "Predictions need the rates of the machine: run scalay calibrate first, with as many processes as will be "
        "used. "
        "If the rates are missing or stale, typical rates are used, and the report gives the reason. Only --calibrate "
        "and --measure need mpirun.\n"
        "\n"
        "A product is computed by p?gemm or by SUMMA of this library (scalay_summa_create), a factorisation by "
        "p?geqrf, "
        "p?getrf, p?potrf or by the engine. SUMMA and the engine run on any layout.\n"
        "\n"
        "With --nodes, or under mpirun on several nodes, messages within a node and between nodes have their own "
        "rates, and \"columns\" is the grid whose columns share a node.\n"
        "\n"
        "With --profile, processes of different speeds are compared with more ranks on the faster processors.\n",
    .example = "  scalay advise --from cyclic:m=4000,n=4000,mb=1000,nb=1000,p=1,q=4 --kernel qr\n"
               "  scalay advise --from cyclic:m=400,n=400,mb=8,nb=8,p=1,q=4 --nodes '0*2,1*2'\n"
               "  mpirun -n 4 scalay advise --from cyclic:m=1000,n=1000,mb=4,nb=4,p=4,q=1 \\\n"
               "              --kernel gemm --measure\n",
    .table = option_table,
    .options_size = sizeof(advise_options),
    .mpi_options = mpi_options,
    .run = run_advise,
};
