/*
 * The work of scalay gemm: shares of the ranks from a profile, strategies for the product (shapes for SUMMA, a grid for
 * p?gemm), their runs, and the verification.
 */

#include "gemm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "model/machine.h"
#include "multiply/gemm.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "parallel/machine_numbers.h"
#include "scalay/profiler.h"

/* Measurements of --measure: sizes, seconds for each, maximum extent of the matrices. */
enum { MEASURED_SIZES = 8 };
#define MEASURED_SECONDS 0.5
#define MAX_MEASURED_SIDE 2048.0

/* -------------------------------------------------------------------------------------------------- shares */

static scalay_status read_profile(const scalay_gemm_job *job, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_gemm_cli_options *o = job->options;
    const int ranks = scalay_comm_size(job->comm);
    if (strcmp(o->profile, "-") == 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--profile is '-'; it must be a file, because the standard input reaches rank 0 only");
    SCALAY_TRY(scalay_as_input(scalay_profile_read(o->profile, profile)));
    if (scalay_profile_processors(*profile) != ranks)
        return SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH,
            "--profile %s has %lld processors; it must have %d, one per rank. Use mpirun -n %lld, or measure "
            "a profile on %d ranks",
            o->profile, (long long)scalay_profile_processors(*profile), ranks,
            (long long)scalay_profile_processors(*profile), ranks);
    if (strcmp(o->objective, "time") != 0 && !scalay_profile_has_energy(*profile))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective %s needs energies; %s must have a column 'energy', in joules", o->objective,
                           o->profile);
cleanup:
    return status;
}

static scalay_status fail_infeasible(const scalay_gemm_job *job, int64_t below, int64_t above)
{
    char nearest[96];
    if (above >= 0)
        (void)snprintf(nearest, sizeof nearest, "nearest feasible numbers are %lld and %lld", (long long)below,
                       (long long)above);
    else
        (void)snprintf(nearest, sizeof nearest, "largest feasible number is %lld", (long long)below);
    return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                       "the %lld rows of the product cannot be distributed in the sizes of %.200s; the %s. Measure "
                       "more sizes",
                       (long long)job->c.file.m, job->options->profile != NULL ? job->options->profile : "the profile",
                       nearest);
}

/* ------------------------------------------------------------------------------------- sizes between the listed ones
 */

/* Steps into which the rows of the product are cut between listed sizes. */
enum { STEPS = 128 };

/* Points of a group, and the sizes that its interpolated profile has. */
typedef struct {
    int64_t points;
    const int64_t *listed; /* ascending */
    const double *time, *energy;
    int64_t rows, step;
} interpolation;

/* Returns a value at a size up to the largest listed one, linear between the points and between 0 and the first one. */
static double value_at(const interpolation *of, const double *value, double size)
{
    int64_t above = 0;
    while (above + 1 < of->points && (double)of->listed[above] < size) above++;
    const double right = (double)of->listed[above], left = above > 0 ? (double)of->listed[above - 1] : 0.0;
    const double start = above > 0 ? value[above - 1] : 0.0;
    return start + (value[above] - start) * (fmin(size, right) - left) / (right - left);
}

/* A size is listed, a multiple of the step, or a multiple and what is left of the rows. So all rows can be distributed.
 */
static int interpolate(int64_t size, double *time, double *energy, void *context)
{
    const interpolation *of = context;
    int is_wanted = size % of->step == 0 || (size - of->rows % of->step) % of->step == 0;
    for (int64_t k = 0; k < of->points && !is_wanted; k++) is_wanted = of->listed[k] == size;
    if (!is_wanted) return 0;
    *time = value_at(of, of->time, (double)size);
    if (of->energy != NULL) *energy = value_at(of, of->energy, (double)size);
    return 1;
}

/* Creates a profile with sizes between the listed ones, for the rows of the product. Listed sizes keep their values. */
static scalay_status interpolate_profile(const scalay_gemm_job *job, const scalay_profile *profile,
                                         scalay_profile **all)
{
    scalay_status status = SCALAY_SUCCESS;
    const int groups = scalay_profile_groups(profile), has_energy = scalay_profile_has_energy(profile);
    interpolation of = {.rows = job->c.file.m, .step = scalay_max_int64(1, job->c.file.m / STEPS)};
    scalay_profile **list = NULL;
    SCALAY_TRY(SCALAY_NEW(list, groups));
    for (int g = 0; g < groups; g++) {
        SCALAY_TRY(scalay_profile_points(profile, g, &of.points, &of.listed, &of.time, has_energy ? &of.energy : NULL));
        SCALAY_TRY(scalay_profile_function(scalay_profile_name(profile, g), scalay_profile_multiplicity(profile, g),
                                           scalay_min_int64(of.rows, scalay_profile_largest(profile, g)), interpolate,
                                           &of, has_energy, &list[g]));
    }
    SCALAY_TRY(scalay_profile_join(groups, (const scalay_profile *const *)list, all));
cleanup:
    for (int g = 0; list != NULL && g < groups; g++) scalay_profile_destroy(&list[g]);
    scalay_release(list);
    return status;
}

/* Returns the seconds per row at a size. */
static double seconds_per_row(const scalay_profile *profile, int group, double size)
{
    interpolation of = {0};
    if (scalay_profile_points(profile, group, &of.points, &of.listed, &of.time, NULL) != SCALAY_SUCCESS) return 0.0;
    const double within = fmax(1.0, fmin(size, (double)of.listed[of.points - 1]));
    return value_at(&of, of.time, within) / within;
}

/* ------------------------------------------------------------------------------------------------ shares of the rows
 */

static scalay_status solve_front(const scalay_gemm_job *job, const scalay_profile *profile, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_front *front = NULL;
    int64_t below = 0, above = 0;
    SCALAY_TRY(scalay_workload_front_create(profile, job->c.file.m, NULL, &front));
    if (scalay_workload_front_count(front) > 0) {
        SCALAY_TRY(scalay_workload_front_get_workload(front, scalay_front_point_select(&job->options->point, front),
                                                      workload));
    } else {
        SCALAY_TRY(scalay_workload_front_nearest(front, &below, &above));
        status = fail_infeasible(job, below, above);
    }
cleanup:
    scalay_workload_front_destroy(&front);
    return status;
}

static scalay_status solve_single(const scalay_gemm_job *job, const scalay_profile *profile, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_time = strcmp(job->options->objective, "time") == 0;
    int64_t below = 0, above = 0;
    SCALAY_TRY(
        (is_time ? scalay_workload_min_time : scalay_workload_min_energy)(profile, job->c.file.m, NULL, workload));
    if (scalay_workload_feasible(*workload)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_workload_nearest(*workload, &below, &above));
    status = fail_infeasible(job, below, above);
cleanup:
    return status;
}

static scalay_status solve_exactly(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    const int ranks = scalay_comm_size(job->comm);
    SCALAY_TRY(strcmp(job->options->objective, "front-point") == 0 ? solve_front(job, share->profile, &workload)
                                                                   : solve_single(job, share->profile, &workload));
    SCALAY_TRY(scalay_workload_get_summary(workload, &summary));
    share->seconds = summary.time;
    share->joules = summary.energy;
    SCALAY_TRY(SCALAY_NEW(share->size, ranks));
    SCALAY_TRY(scalay_workload_sizes(workload, 0, ranks, share->size));
cleanup:
    scalay_workload_destroy(&workload);
    return status;
}

/* Distributes the rows in listed sizes, or if that is impossible, in sizes between them. */
static scalay_status solve(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = solve_exactly(job, share);
    scalay_profile *finer = NULL;
    if (status != SCALAY_ERROR_INFEASIBLE) return status;
    SCALAY_TRY(interpolate_profile(job, share->profile, &finer));
    scalay_profile_destroy(&share->profile);
    share->profile = finer;
    share->interpolated = 1;
    status = solve_exactly(job, share);
cleanup:
    return status;
}

/* Sets the seconds per flop of each rank. The profile is in rows in double precision. */
static void set_speeds(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    const int ranks = scalay_comm_size(job->comm);
    const double even = (double)job->c.file.m / ranks;
    const double flops = 2.0 * (double)job->k * (double)job->c.file.n;
    const double weight = flops > 0.0 ? share->scale * scalay_type_flop_weight(job->c.type) / flops : 0.0;
    for (int rank = 0; rank < ranks; rank++) {
        const int group = share->group[rank];
        const double size = share->size[rank] > 0 ? (double)share->size[rank] : even;
        share->seconds_per_flop[rank] = weight * seconds_per_row(share->profile, group, size);
        share->even_seconds[rank] = weight * seconds_per_row(share->profile, group, even);
    }
}

static void set_groups(scalay_gemm_share *share)
{
    int rank = 0;
    for (int group = 0; group < scalay_profile_groups(share->profile); group++)
        for (int64_t k = 0; k < scalay_profile_multiplicity(share->profile, group); k++) share->group[rank++] = group;
}

static int group_named(const scalay_profile *profile, const char *name)
{
    for (int group = 0; group < scalay_profile_groups(profile); group++)
        if (strcmp(scalay_profile_name(profile, group), name) == 0) return group;
    return -1;
}

/* Gives each rank the next size of its own group. Changes nothing if the record is of other groups. */
static scalay_status assign_by_group(const scalay_profile_record *record, scalay_gemm_share *share, int ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    const int groups = scalay_profile_groups(share->profile);
    int64_t *size = NULL;
    int *next = NULL, *end = NULL, *of = NULL;
    SCALAY_TRY(SCALAY_NEW(size, ranks));
    SCALAY_TRY(SCALAY_NEW(of, ranks));
    SCALAY_TRY(SCALAY_NEW(next, groups));
    SCALAY_TRY(SCALAY_NEW(end, groups));
    for (int g = 0; g < groups; g++) {
        next[g] = g > 0 ? end[g - 1] : 0;
        end[g] = next[g] + (int)scalay_profile_multiplicity(share->profile, g);
    }
    for (int rank = 0; rank < ranks; rank++) {
        scalay_profile_processor it;
        SCALAY_TRY(scalay_profile_record_processor(record, rank, &it));
        const int group = group_named(share->profile, it.group);
        if (group < 0 || next[group] >= end[group]) goto cleanup;
        of[rank] = group;
        size[rank] = share->size[next[group]++];
    }
    memcpy(share->group, of, (size_t)ranks * sizeof *of);
    memcpy(share->size, size, (size_t)ranks * sizeof *size);
cleanup:
    scalay_release(end);
    scalay_release(next);
    scalay_release(of);
    scalay_release(size);
    return status;
}

/* Sets the scale. A row of a dgemm profile is one of m x n by n x n; a row of another profile is one of this product.
 */
static scalay_status scale_rows(const scalay_gemm_job *job, const char *kernel, scalay_gemm_share *share)
{
    static const char *const others[] = {"dgemv", "fft", "stencil"};
    double n = 0.0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strncmp(kernel, others[k], strlen(others[k])) == 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                               "--profile %.200s has kernel '%.60s'; it must have dgemm. Use scalay profile --kernel "
                               "dgemm:n=%lld",
                               job->options->profile, kernel, (long long)job->k);
    if (sscanf(kernel, "dgemm n=%lf", &n) == 1 && n > 0.0)
        share->scale = (double)job->k * (double)job->c.file.n / (n * n);
    share->seconds *= share->scale;
    share->joules *= share->scale;
    return SCALAY_SUCCESS;
}

/* Assigns sizes to ranks as the record of a measured profile says. Without a record, ranks are in the order of the
 * profile. */
static scalay_status apply_record(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_facts facts;
    const int ranks = scalay_comm_size(job->comm);
    if (share->record == NULL) status = scalay_profile_record_read(job->options->profile, &share->record);
    if (status == SCALAY_ERROR_FORMAT) return SCALAY_SUCCESS;
    SCALAY_TRY(status);
    SCALAY_TRY(scalay_profile_record_get(share->record, &facts));
    SCALAY_TRY(scale_rows(job, facts.kernel, share));
    if (facts.processors == ranks) status = assign_by_group(share->record, share, ranks);
cleanup:
    return status;
}

static scalay_status find_by_profile(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    if (!job->options->measure) SCALAY_TRY(read_profile(job, &share->profile));
    share->modelled = scalay_profile_is_modelled(share->profile);
    SCALAY_TRY(solve(job, share));
    SCALAY_TRY(SCALAY_NEW(share->seconds_per_flop, ranks));
    SCALAY_TRY(SCALAY_NEW(share->even_seconds, ranks));
    set_groups(share);
    SCALAY_TRY(apply_record(job, share));
    set_speeds(job, share);
    for (int rank = 0; rank < ranks; rank++) share->area[rank] = (double)share->size[rank];
cleanup:
    return status;
}

static scalay_status find_on_rank(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    share->seconds = share->joules = NAN;
    share->scale = 1.0;
    SCALAY_TRY(SCALAY_NEW(share->area, ranks));
    SCALAY_TRY(SCALAY_NEW(share->group, ranks));
    for (int rank = 0; rank < ranks; rank++) share->area[rank] = 1.0;
    if (job->options->profile != NULL || job->options->measure) SCALAY_TRY(find_by_profile(job, share));
cleanup:
    return status;
}

/* Sizes of --measure: eighths of twice an equal share, at most all rows. Returns their number. */
static int list_sizes(const scalay_gemm_job *job, int64_t size[MEASURED_SIZES])
{
    const int64_t rows = job->c.file.m, even = scalay_ceil_div(rows, scalay_comm_size(job->comm));
    int count = 0;
    for (int k = 1; k <= MEASURED_SIZES; k++) {
        const int64_t next = scalay_min_int64(rows, scalay_ceil_div(2 * k * even, MEASURED_SIZES));
        if (count == 0 || next > size[count - 1]) size[count++] = next;
    }
    return count;
}

/* Measures a profile of dgemm on all ranks at once, with rows of the cost of a row of the product. Collective. */
static scalay_status measure_profile(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profiler_options options = scalay_profiler_options_default();
    scalay_repeat_options repeat = scalay_repeat_options_default();
    scalay_profile_kernel *kernel = NULL;
    int64_t size[MEASURED_SIZES];
    char text[64];
    const double side = sqrt((double)job->k * (double)job->c.file.n);
    (void)snprintf(text, sizeof text, "dgemm:n=%.0f", fmax(16.0, fmin(MAX_MEASURED_SIDE, side)));
    repeat.max_seconds = MEASURED_SECONDS;
    options.sizes = list_sizes(job, size);
    options.list = size;
    options.repeat = &repeat;
    options.path = job->options->profile;
    scalay_progress_say("measuring a profile of the ranks");
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_profile_kernel_create(text, 0.0, &kernel)));
    SCALAY_TRY(scalay_profiler_run(job->comm, kernel, &options, &job->share.profile, &job->share.record));
cleanup:
    scalay_profile_kernel_destroy(&kernel);
    return status;
}

scalay_status scalay_gemm_find_shares(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    uint64_t print = scalay_fingerprint_start();
    if (job->options->measure) SCALAY_TRY(measure_profile(job));
    if (job->options->profile != NULL) scalay_progress_say("distributing rows by %s", job->options->profile);
    SCALAY_TRY(scalay_comm_agree(job->comm, find_on_rank(job, &job->share)));
    for (int rank = 0; rank < ranks; rank++) {
        print = scalay_fingerprint_add(print, (int64_t)job->share.area[rank]);
        print = scalay_fingerprint_add(print, job->share.group[rank]);
    }
    SCALAY_TRY(scalay_comm_agree_value(job->comm, print, "scalay_cli", "the profile"));
cleanup:
    return status;
}

void scalay_gemm_free_share(scalay_gemm_share *share)
{
    scalay_release(share->even_seconds);
    scalay_release(share->seconds_per_flop);
    scalay_release(share->group);
    scalay_release(share->area);
    scalay_release(share->size);
    scalay_profile_record_destroy(&share->record);
    scalay_profile_destroy(&share->profile);
    *share = (scalay_gemm_share){0};
}

static const char pblas_name[] = "p?gemm", stay_name[] = "stay";

void scalay_gemm_square_grid(int processes, int grid[2])
{
    for (int rows = 1; (int64_t)rows * rows <= processes; rows++)
        if (processes % rows == 0) grid[0] = rows;
    grid[1] = processes / grid[0];
}

/* ---------------------------------------------------------------------------------------------- strategies */

static int is_listed(const scalay_gemm_job *job, const char *name)
{
    for (int k = 0; k < job->count; k++)
        if (strcmp(job->costs[k].name, name) == 0) return 1;
    return 0;
}

static void add_strategy(scalay_gemm_job *job, const char *name, scalay_owner_map *map)
{
    job->strategies[job->count].map = map;
    if (map == NULL) scalay_gemm_square_grid(scalay_comm_size(job->comm), job->strategies[job->count].grid);
    job->costs[job->count++] = (scalay_strategy){.name = name, .objective = SCALAY_MIN_VOLUME, .bytes = -1};
}

/* SUMMA on the layout of C: nothing moves if A and B have the same layout. */
static void add_stay(scalay_gemm_job *job)
{
    job->costs[job->count++] = (scalay_strategy){.name = stay_name, .objective = SCALAY_MIN_VOLUME, .bytes = -1};
}

static scalay_status create_partition(const scalay_gemm_job *job, const char *shape, scalay_partition **partition)
{
    scalay_partition_options options = scalay_partition_options_default();
    options.shape = shape;
    return scalay_partition_create(job->c.file.m, job->c.file.n, scalay_comm_size(job->comm), job->share.area, &options,
                                   partition);
}

static scalay_status add_shape(scalay_gemm_job *job, const char *shape)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition *partition = NULL;
    scalay_partition_summary summary;
    scalay_partition_candidate candidate;
    scalay_owner_map *map = NULL;
    SCALAY_TRY(create_partition(job, shape, &partition));
    SCALAY_TRY(scalay_partition_get_summary(partition, &summary));
    SCALAY_TRY(scalay_partition_get_candidate(partition, summary.chosen, &candidate));
    SCALAY_TRY(scalay_owner_map_resize(scalay_partition_map(partition), job->c.file.m, job->c.file.n, &map));
    add_strategy(job, candidate.shape, map);
cleanup:
    scalay_partition_destroy(&partition);
    return status;
}

/* Adds another shape. It is skipped if it does not exist for these areas or this number of parts. */
static scalay_status try_shape(scalay_gemm_job *job, const char *shape)
{
    if (is_listed(job, shape)) return SCALAY_SUCCESS;
    scalay_status status = add_shape(job, shape);
    if (status != SCALAY_ERROR_INFEASIBLE && status != SCALAY_ERROR_ARGUMENT) return status;
    job->skipped[job->skips++] = shape;
    return SCALAY_SUCCESS;
}

static scalay_status list_on_rank(scalay_gemm_job *job)
{
    static const char *const others[] = {"block-rectangle", "square-corner", "square-rectangle", "columns"};
    const char *shape = job->options->shape;
    const int64_t m = job->c.file.m, n = job->c.file.n;
    const int ranks = scalay_comm_size(job->comm);
    scalay_status status = SCALAY_SUCCESS;
    if (job->share.profile == NULL && m < ranks && n < ranks && m * n < ranks)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "the product is %lld x %lld, with fewer elements than the %d processes; use mpirun -n %lld",
                           (long long)m, (long long)n, ranks, (long long)(m * n));
    status = add_shape(job, shape != NULL ? shape : "auto");
    if (status != SCALAY_SUCCESS) return shape != NULL ? scalay_fail_at(status, "--shape") : status;
    add_stay(job);
    job->candidates = shape == NULL && strcmp(job->options->objective, "time") == 0 ? job->count : 1;
    if (!job->options->compare) return SCALAY_SUCCESS;
    add_strategy(job, pblas_name, NULL);
    for (int k = 0; k < 4; k++) SCALAY_TRY(try_shape(job, others[k]));
cleanup:
    return status;
}

scalay_status scalay_gemm_list_strategies(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(job->comm, list_on_rank(job)));
    job->chosen = 0;
cleanup:
    return status;
}

static scalay_gemm_options options_of(const scalay_gemm_job *job, const scalay_gemm_strategy *strategy)
{
    scalay_gemm_options options = scalay_gemm_options_default();
    options.map = strategy->map;
    options.objective = SCALAY_MIN_VOLUME;
    options.group = job->share.group;
    options.transport = job->options->job.transport;
    options.machine = &job->machine;
    options.seconds_per_flop = strategy->map != NULL ? job->share.seconds_per_flop : job->share.even_seconds;
    if (strategy->grid[0] == 0) return options;
    options.nprow = strategy->grid[0];
    options.npcol = strategy->grid[1];
    options.nb = (int)job->options->nb;
    return options;
}

static scalay_status create(const scalay_gemm_job *job, const scalay_gemm_strategy *strategy, scalay_gemm **gemm)
{
    const scalay_gemm_options options = options_of(job, strategy);
    return scalay_gemm_create(job->comm, job->c.type, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, job->a.source,
                              job->b.source, job->c.source, &options, gemm);
}

/* Records a run. Its times are the maxima over the ranks. */
static scalay_status record(scalay_gemm_job *job, int at, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *costs = &job->costs[at];
    scalay_gemm_statistics s;
    double move = 0.0, multiply = 0.0;
    SCALAY_TRY(scalay_gemm_get_statistics(gemm, &s));
    SCALAY_TRY(scalay_job_maximum(&job->a, s.move_seconds + s.back_seconds, &move));
    SCALAY_TRY(scalay_job_maximum(&job->a, s.multiply_seconds, &multiply));
    costs->volume = s.move_volume + s.back_volume;
    costs->steps = s.move_steps;
    costs->predicted_seconds = s.predicted_move_seconds + s.predicted_multiply_seconds;
    costs->grid[0] = job->strategies[at].grid[0];
    costs->grid[1] = job->strategies[at].grid[1];
    if (job->strategies[at].grid[0] > 0) costs->mb = costs->nb = job->options->nb;
    job->strategies[at].statistics = s;
    scalay_strategy_add(costs, move, multiply);
cleanup:
    return status;
}

/* Computes C := A B; beta is 0. */
static scalay_status run_once(scalay_gemm_job *job, scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Barrier(scalay_comm_handle(job->comm)));
    scalay_job_abort_on_failure(&job->a, "gemm",
                                scalay_gemm_execute(gemm, NULL, job->a.local, job->b.local, NULL, job->c.local));
cleanup:
    return status;
}

/* Gathers the costs of all ranks in the last run, on all ranks. */
static scalay_status gather_rows(scalay_gemm_job *job, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = scalay_comm_rank(job->comm);
    scalay_gemm_statistics s;
    SCALAY_TRY(scalay_gemm_get_statistics(gemm, &s));
    const scalay_gemm_row mine = {.elements = scalay_layout_elements(scalay_gemm_layout(gemm), rank),
                                  .compute = s.compute_seconds,
                                  .communicate = s.communicate_seconds,
                                  .sent = s.elements_sent,
                                  .received = s.elements_received};
    SCALAY_TRY_MPI(MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, job->rows, (int)sizeof mine, MPI_BYTE,
                                 scalay_comm_handle(job->comm)));
cleanup:
    return status;
}

/* Sets the predictions of the ranks from those of their parts. */
static scalay_status predict_rows(scalay_gemm_job *job, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(gemm->map);
    scalay_multiply_time time;
    double *compute = NULL, *communicate = NULL;
    SCALAY_TRY(SCALAY_NEW(compute, parts));
    SCALAY_TRY(SCALAY_NEW(communicate, parts));
    const double *seconds = options_of(job, &job->strategies[job->chosen]).seconds_per_flop;
    SCALAY_TRY(scalay_gemm_model(gemm, &job->machine, seconds, compute, communicate, &time));
    for (int part = 0; part < parts; part++) {
        scalay_gemm_row *row = &job->rows[gemm->process[part]];
        row->predicted_compute = compute[part];
        row->predicted_communicate = communicate[part];
    }
cleanup:
    scalay_release(communicate);
    scalay_release(compute);
    return status;
}

static scalay_status keep_chosen(scalay_gemm_job *job, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    (void)scalay_gemm_describe(gemm, job->description, sizeof job->description);
    SCALAY_TRY(gather_rows(job, gemm));
    SCALAY_TRY(scalay_comm_agree(job->comm, predict_rows(job, gemm)));
cleanup:
    return status;
}

/* Runs a strategy: once to warm up, then `repeat` times. */
static scalay_status run_strategy(scalay_gemm_job *job, int at)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm *gemm = NULL;
    scalay_strategy *costs = &job->costs[at];
    scalay_progress_say("%s: planning", costs->name);
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_strategy_start(costs, job->a.repeat)));
    SCALAY_TRY(create(job, &job->strategies[at], &gemm));
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_strategy_set_mapping(costs, scalay_gemm_layout(gemm))));
    scalay_progress_say("%s: warm-up run", costs->name);
    SCALAY_TRY(run_once(job, gemm));
    for (int64_t turn = 0; turn < job->a.repeat; turn++) {
        scalay_progress_set((double)(job->done++) / (double)(job->count * job->a.repeat));
        scalay_progress_say("%s: run %lld of %lld", costs->name, (long long)turn + 1, (long long)job->a.repeat);
        SCALAY_TRY(run_once(job, gemm));
        SCALAY_TRY(record(job, at, gemm));
    }
    scalay_strategy_finish(costs);
    if (at == job->chosen) SCALAY_TRY(keep_chosen(job, gemm));
cleanup:
    scalay_gemm_destroy(&gemm);
    return status;
}

/* Plans the candidates, and chooses the one with the smallest predicted time. All ranks predict from the maxima over
 * the ranks and one machine, so that all choose alike. */
static scalay_status choose(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm *gemm = NULL;
    int64_t best = INT64_MAX;
    for (int at = 0; at < job->candidates && job->candidates > 1; at++) {
        scalay_gemm_statistics s;
        scalay_progress_say("%s: planning", job->costs[at].name);
        SCALAY_TRY(create(job, &job->strategies[at], &gemm));
        SCALAY_TRY(scalay_gemm_get_statistics(gemm, &s));
        scalay_gemm_destroy(&gemm);
        const int64_t time = scalay_whole_nanoseconds(s.predicted_move_seconds + s.predicted_multiply_seconds);
        if (time < best) job->chosen = at;
        best = scalay_min_int64(best, time);
    }
    SCALAY_TRY_MPI(MPI_Bcast(&job->chosen, 1, MPI_INT, 0, scalay_comm_handle(job->comm)));
cleanup:
    scalay_gemm_destroy(&gemm);
    return status;
}

/* Without --compare, only the chosen strategy is kept. */
static void drop_others(scalay_gemm_job *job)
{
    if (job->options->compare) return;
    for (int at = 0; at < job->count; at++)
        if (at != job->chosen) scalay_owner_map_destroy(&job->strategies[at].map);
    job->strategies[0] = job->strategies[job->chosen];
    job->costs[0] = job->costs[job->chosen];
    if (job->chosen > 0) job->strategies[job->chosen].map = NULL;
    job->chosen = 0;
    job->count = 1;
}

scalay_status scalay_gemm_run_strategies(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(choose(job));
    drop_others(job);
    scalay_memory_keep_released();
    for (int at = 0; at < job->count; at++)
        if (at != job->chosen) SCALAY_TRY(run_strategy(job, at));
    SCALAY_TRY(run_strategy(job, job->chosen));
    scalay_progress_set(-1.0);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- verification */

static double number_at(scalay_type type, const void *local, int64_t k)
{
    const int is_single = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
    return is_single ? (double)((const float *)local)[k] : ((const double *)local)[k];
}

/* Returns the sum of squares of the local elements of a matrix minus another one in the same layout; NULL: zero. */
static double squares(const scalay_job *matrix, const void *local, const void *other)
{
    const int rank = scalay_comm_rank(matrix->comm);
    const int numbers = matrix->type == SCALAY_COMPLEX_FLOAT || matrix->type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
    double sum = 0.0;
    scalay_rectangle at;
    for (int64_t r = 0; r < scalay_layout_rectangle_count(matrix->source, rank); r++) {
        if (scalay_layout_rectangle(matrix->source, rank, r, &at) != SCALAY_SUCCESS) continue;
        for (int64_t col = 0; col < at.cols; col++)
            for (int64_t k = 0; k < at.rows * numbers; k++) {
                const int64_t index = (at.offset + col * at.ld) * numbers + k;
                const double subtrahend = other != NULL ? number_at(matrix->type, other, index) : 0.0;
                const double x = number_at(matrix->type, local, index) - subtrahend;
                sum += x * x;
            }
    }
    return sum;
}

/* The difference is relative to the norms of the factors, because terms of a product may cancel. */
scalay_status scalay_gemm_verify(scalay_gemm_job *job)
{
    enum { OF_A, OF_B, OF_DIFFERENCE, SUMS };
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_strategy on_grid = {0};
    scalay_gemm *gemm = NULL;
    void *other = NULL;
    scalay_progress_say("verifying with %s", pblas_name);
    scalay_gemm_square_grid(scalay_comm_size(job->comm), on_grid.grid);
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_job_new_local(&job->c, job->c.source, &other)));
    SCALAY_TRY(create(job, &on_grid, &gemm));
    scalay_job_abort_on_failure(&job->a, "gemm",
                                scalay_gemm_execute(gemm, NULL, job->a.local, job->b.local, NULL, other));
    double sums[SUMS] = {[OF_A] = squares(&job->a, job->a.local, NULL),
                         [OF_B] = squares(&job->b, job->b.local, NULL),
                         [OF_DIFFERENCE] = squares(&job->c, job->c.local, other)};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, SUMS, MPI_DOUBLE, MPI_SUM, scalay_comm_handle(job->comm)));
    job->difference =
        sums[OF_DIFFERENCE] != 0.0 ? sqrt(sums[OF_DIFFERENCE]) / sqrt(sums[OF_A]) / sqrt(sums[OF_B]) : 0.0;
cleanup:
    scalay_gemm_destroy(&gemm);
    scalay_release(other);
    return status;
}
