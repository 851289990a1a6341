/*
 * Shares of the ranks of scalay gemm: rows of the product, from a profile of dgemm and the predicted communication.
 *
 * The rows are distributed by the profile first. The plan of the product predicts the communication of each part. A
 * part of x rows needs rows of A and columns of B in proportion to its perimeter, which grows with the square root of
 * x. Scaled by that root, the communication is added to the times of the profile, and the rows are distributed again.
 * The shares with the smallest predicted time of the whole product are kept.
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

/* ------------------------------------------------------------------------------------------------- communication */

/* Points of a group, and the communication of its parts. */
typedef struct {
    int64_t points, next;
    const int64_t *listed; /* ascending */
    const double *time;
    double per_root; /* seconds over the square root of the rows, in the unit of the profile */
} charged_group;

/* Sizes come in ascending order. Those that are not listed remain holes. */
static int charge(int64_t size, double *time, double *energy, void *context)
{
    charged_group *of = context;
    (void)energy;
    if (of->next == of->points || of->listed[of->next] != size) return 0;
    *time = of->time[of->next++] + of->per_root * sqrt((double)size);
    return 1;
}

/* Returns the largest communication of the ranks of a group, over the square root of their rows. */
static double communication_of_group(const scalay_gemm_job *job, int group)
{
    const scalay_gemm_share *share = &job->share;
    const double weight = share->scale * scalay_type_flop_weight(job->c.type);
    double most = 0.0;
    for (int rank = 0; rank < scalay_comm_size(job->comm); rank++)
        if (share->group[rank] == group && share->size[rank] > 0)
            most = fmax(most, job->rows[rank].predicted_communicate / sqrt((double)share->size[rank]));
    return weight > 0.0 ? most / weight : 0.0;
}

/* Creates the profile with the communication of the current shares. It has the sizes of the profile. */
static scalay_status charge_profile(const scalay_gemm_job *job, scalay_profile **all)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile *profile = job->share.profile;
    const int groups = scalay_profile_groups(profile);
    scalay_profile **list = NULL;
    SCALAY_TRY(SCALAY_NEW(list, groups));
    for (int g = 0; g < groups; g++) {
        charged_group of = {.per_root = communication_of_group(job, g)};
        SCALAY_TRY(scalay_profile_points(profile, g, &of.points, &of.listed, &of.time, NULL));
        SCALAY_TRY(scalay_profile_function(scalay_profile_name(profile, g), scalay_profile_multiplicity(profile, g),
                                           scalay_profile_largest(profile, g), charge, &of, 0, &list[g]));
    }
    SCALAY_TRY(scalay_profile_join(groups, (const scalay_profile *const *)list, all));
cleanup:
    for (int g = 0; list != NULL && g < groups; g++) scalay_profile_destroy(&list[g]);
    scalay_release(list);
    return status;
}

/* Distributes the rows by computing and communication. */
static scalay_status distribute_again(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    scalay_profile *charged = NULL;
    scalay_workload *workload = NULL;
    scalay_profile_facts facts;
    SCALAY_TRY(charge_profile(job, &charged));
    SCALAY_TRY(scalay_workload_min_time(charged, job->c.file.m, NULL, &workload));
    SCALAY_TRY(scalay_workload_sizes(workload, 0, ranks, share->size));
    if (share->record == NULL) goto cleanup;
    SCALAY_TRY(scalay_profile_record_get(share->record, &facts));
    if (facts.processors == ranks) SCALAY_TRY(assign_by_group(share->record, share, ranks));
cleanup:
    scalay_workload_destroy(&workload);
    scalay_profile_destroy(&charged);
    return status;
}

/* Sets seconds and joules of the computation to those of the current shares. */
static void cost_shares(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    const int has_energy = scalay_profile_has_energy(share->profile);
    double joules = 0.0;
    share->seconds = 0.0;
    for (int rank = 0; rank < scalay_comm_size(job->comm); rank++) {
        interpolation of = {0};
        const double size = (double)share->size[rank];
        if (size == 0.0 || scalay_profile_points(share->profile, share->group[rank], &of.points, &of.listed, &of.time,
                                                 has_energy ? &of.energy : NULL) != SCALAY_SUCCESS)
            continue;
        share->seconds = fmax(share->seconds, share->scale * value_at(&of, of.time, size));
        if (has_energy) joules += share->scale * value_at(&of, of.energy, size);
    }
    if (has_energy) share->joules = joules;
}

/* Sets areas and speeds for the current rows, and lists the strategies again. */
static scalay_status use_sizes(scalay_gemm_job *job)
{
    scalay_gemm_share *share = &job->share;
    for (int rank = 0; rank < scalay_comm_size(job->comm); rank++) share->area[rank] = (double)share->size[rank];
    set_speeds(job, share);
    cost_shares(job, share);
    return scalay_gemm_list_strategies(job);
}

/* Predicts the product on the first strategy, and the communication of each rank. Collective. */
static scalay_status predict_shares(scalay_gemm_job *job, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm *gemm = NULL;
    scalay_gemm_statistics s;
    SCALAY_TRY(scalay_gemm_create_strategy(job, 0, &gemm));
    SCALAY_TRY(scalay_gemm_get_statistics(gemm, &s));
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_gemm_predict_rows(job, 0, gemm)));
    *seconds = s.predicted_move_seconds + s.predicted_multiply_seconds;
    SCALAY_TRY_MPI(MPI_Bcast(seconds, 1, MPI_DOUBLE, 0, scalay_comm_handle(job->comm)));
cleanup:
    scalay_gemm_destroy(&gemm);
    return status;
}

enum { MAX_ROUNDS = 5 };

/* Distributes and predicts until the shares repeat. `best` are the rows of the best prediction. */
static scalay_status search_shares(scalay_gemm_job *job, int64_t *before, int64_t *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_share *share = &job->share;
    const int ranks = scalay_comm_size(job->comm);
    const size_t bytes = (size_t)ranks * sizeof *best;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        double seconds = 0.0;
        SCALAY_TRY(predict_shares(job, &seconds));
        if (round == 0) share->predicted_by_profile = seconds;
        if (round == 0 || seconds < share->predicted) {
            share->predicted = seconds;
            memcpy(best, share->size, bytes);
        }
        memcpy(before, share->size, bytes);
        SCALAY_TRY(scalay_comm_agree(job->comm, distribute_again(job, share)));
        SCALAY_TRY_MPI(MPI_Bcast(share->size, ranks, MPI_INT64_T, 0, scalay_comm_handle(job->comm)));
        if (memcmp(before, share->size, bytes) == 0) break;
        status = use_sizes(job);
        if (status == SCALAY_ERROR_INFEASIBLE || status == SCALAY_ERROR_ARGUMENT) {
            status = SCALAY_SUCCESS; /* the shape does not exist for these shares */
            break;
        }
        SCALAY_TRY(status);
    }
cleanup:
    return status;
}

scalay_status scalay_gemm_charge_communication(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_share *share = &job->share;
    const int ranks = scalay_comm_size(job->comm);
    int64_t *before = NULL, *best = NULL;
    if (share->profile == NULL || strcmp(job->options->objective, "time") != 0) return SCALAY_SUCCESS;
    status = SCALAY_NEW(before, ranks);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(best, ranks);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(share->size_by_profile, ranks);
    SCALAY_TRY(scalay_comm_agree(job->comm, status));
    memcpy(share->size_by_profile, share->size, (size_t)ranks * sizeof *best);
    SCALAY_TRY(search_shares(job, before, best));
    memcpy(share->size, best, (size_t)ranks * sizeof *best);
    SCALAY_TRY(use_sizes(job));
cleanup:
    scalay_release(best);
    scalay_release(before);
    return status;
}

void scalay_gemm_free_share(scalay_gemm_share *share)
{
    scalay_release(share->even_seconds);
    scalay_release(share->seconds_per_flop);
    scalay_release(share->group);
    scalay_release(share->area);
    scalay_release(share->size_by_profile);
    scalay_release(share->size);
    scalay_profile_record_destroy(&share->record);
    scalay_profile_destroy(&share->profile);
    *share = (scalay_gemm_share){0};
}
