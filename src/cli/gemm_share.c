/* How much each rank should compute: profile -> workload -> areas. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "failure.h"
#include "front_point.h"
#include "gemm.h"
#include "model/machine.h"
#include "parallel/agree.h"
#include "progress.h"
#include "scalay/profiler.h"

static scalay_status read_profile(const scalay_gemm_job *job, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_options *o = job->options;
    const int ranks = scalay_comm_size(job->comm);
    SCALAY_TRY(scalay_as_input(scalay_profile_read(o->profile, profile)));
    if (scalay_profile_processors(*profile) != ranks)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "--profile: %s has %lld processors, but there are %d ranks; each rank is one processor: use "
                           "mpirun -n %lld, or measure a profile on %d ranks",
                           o->profile, (long long)scalay_profile_processors(*profile), ranks,
                           (long long)scalay_profile_processors(*profile), ranks);
    if (strcmp(o->objective, "time") != 0 && !scalay_profile_has_energy(*profile))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective %s needs energies, and %s has none; add a column 'energy', in joules",
                           o->objective, o->profile);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- workload */

static scalay_status say_infeasible(const scalay_gemm_job *job, int64_t below, int64_t above)
{
    char nearest[96];
    if (above >= 0)
        (void)snprintf(nearest, sizeof nearest, "nearest that can be are %lld and %lld", (long long)below,
                       (long long)above);
    else
        (void)snprintf(nearest, sizeof nearest, "most that can be is %lld", (long long)below);
    return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                       "the %lld rows of the product cannot be distributed in the sizes that %.200s lists; the %s: "
                       "measure more sizes",
                       (long long)job->c.file.m, job->options->profile, nearest);
}

static scalay_status solve_front(const scalay_gemm_job *job, const scalay_profile *profile, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_front *front = NULL;
    int64_t below = 0, above = 0;
    SCALAY_TRY(scalay_workload_front_create(profile, job->c.file.m, NULL, &front));
    if (scalay_workload_front_count(front) > 0) {
        SCALAY_TRY(scalay_workload_front_get_workload(front, scalay_front_point_choose(job->options, front), workload));
    } else {
        SCALAY_TRY(scalay_workload_front_nearest(front, &below, &above));
        status = say_infeasible(job, below, above);
    }
cleanup:
    scalay_workload_front_destroy(&front);
    return status;
}

static scalay_status solve_single(const scalay_gemm_job *job, const scalay_profile *profile, scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    const int wants_time = strcmp(job->options->objective, "time") == 0;
    int64_t below = 0, above = 0;
    SCALAY_TRY(
        (wants_time ? scalay_workload_min_time : scalay_workload_min_energy)(profile, job->c.file.m, NULL, workload));
    if (scalay_workload_feasible(*workload)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_workload_nearest(*workload, &below, &above));
    status = say_infeasible(job, below, above);
cleanup:
    return status;
}

static scalay_status solve(const scalay_gemm_job *job, scalay_gemm_share *share)
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

/* ---------------------------------------------------------------------------------------------- speeds */

/* Seconds for a row of the product at the listed size nearest to one. */
static double seconds_per_row(const scalay_profile *profile, int group, double size)
{
    int64_t points = 0;
    const int64_t *listed = NULL;
    const double *time = NULL;
    int64_t nearest = 0;
    if (scalay_profile_points(profile, group, &points, &listed, &time, NULL) != SCALAY_SUCCESS) return 0.0;
    for (int64_t k = 1; k < points; k++)
        if (fabs((double)listed[k] - size) < fabs((double)listed[nearest] - size)) nearest = k;
    return time[nearest] / (double)listed[nearest];
}

/* The profile knows rows in double precision. */
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

/* A rank gets the next share of its own group; none does when the facts are not of these rows. */
static scalay_status deal_out(const scalay_profile_record *record, scalay_gemm_share *share, int ranks)
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

/* A row of dgemm as it was measured is one of m x n by n x n; a row of what users measured is one of this product. */
static scalay_status scale_rows(const scalay_gemm_job *job, const char *kernel, scalay_gemm_share *share)
{
    static const char *const others[] = {"dgemv", "fft", "stencil"};
    double n = 0.0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strncmp(kernel, others[k], strlen(others[k])) == 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                               "--profile: %.200s is of the kernel '%.60s'; a product needs one of dgemm: scalay "
                               "profile --kernel dgemm:n=%lld",
                               job->options->profile, kernel, (long long)job->k);
    if (sscanf(kernel, "dgemm n=%lf", &n) == 1 && n > 0.0)
        share->scale = (double)job->k * (double)job->c.file.n / (n * n);
    share->seconds *= share->scale;
    share->joules *= share->scale;
    return SCALAY_SUCCESS;
}

/* The groups of a measured profile need not be of neighbours: its facts say which ranks they are of. Where there are no
 * such facts, ranks are numbered as the profile lists them. */
static scalay_status follow_record(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_profile_record *record = NULL;
    scalay_profile_facts facts;
    const int ranks = scalay_comm_size(job->comm);
    scalay_status status = scalay_profile_record_read(job->options->profile, &record);
    if (status == SCALAY_ERROR_FORMAT) return SCALAY_SUCCESS;
    SCALAY_TRY(status);
    SCALAY_TRY(scalay_profile_record_get(record, &facts));
    SCALAY_TRY(scale_rows(job, facts.kernel, share));
    if (facts.processors == ranks) status = deal_out(record, share, ranks);
cleanup:
    scalay_profile_record_destroy(&record);
    return status;
}

static scalay_status share_by_profile(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    SCALAY_TRY(read_profile(job, &share->profile));
    share->modelled = scalay_profile_is_modelled(share->profile);
    SCALAY_TRY(solve(job, share));
    SCALAY_TRY(SCALAY_NEW(share->seconds_per_flop, ranks));
    SCALAY_TRY(SCALAY_NEW(share->even_seconds, ranks));
    set_groups(share);
    SCALAY_TRY(follow_record(job, share));
    set_speeds(job, share);
    for (int rank = 0; rank < ranks; rank++) share->area[rank] = (double)share->size[rank];
cleanup:
    return status;
}

static scalay_status share_on_rank(const scalay_gemm_job *job, scalay_gemm_share *share)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    share->seconds = share->joules = NAN;
    share->scale = 1.0;
    SCALAY_TRY(SCALAY_NEW(share->area, ranks));
    SCALAY_TRY(SCALAY_NEW(share->group, ranks));
    for (int rank = 0; rank < ranks; rank++) share->area[rank] = 1.0;
    if (job->options->profile != NULL) SCALAY_TRY(share_by_profile(job, share));
cleanup:
    return status;
}

scalay_status scalay_gemm_share_out(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = scalay_comm_size(job->comm);
    uint64_t print = scalay_fingerprint_start();
    if (job->options->profile != NULL) scalay_progress_say("distributing by %s", job->options->profile);
    SCALAY_TRY(scalay_comm_agree(job->comm, share_on_rank(job, &job->share)));
    for (int rank = 0; rank < ranks; rank++) {
        print = scalay_fingerprint_add(print, (int64_t)job->share.area[rank]);
        print = scalay_fingerprint_add(print, job->share.group[rank]);
    }
    SCALAY_TRY(scalay_comm_agree_value(job->comm, print, "scalay_cli", "what is in the profile"));
cleanup:
    return status;
}

void scalay_gemm_share_free(scalay_gemm_share *share)
{
    scalay_release(share->even_seconds);
    scalay_release(share->seconds_per_flop);
    scalay_release(share->group);
    scalay_release(share->area);
    scalay_release(share->size);
    scalay_profile_destroy(&share->profile);
    *share = (scalay_gemm_share){0};
}
