/* The ways to multiply: shapes for SUMMA, and p?gemm on a homogeneous grid. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "failure.h"
#include "gemm.h"
#include "multiply/gemm.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "progress.h"

static const char pblas_name[] = "p?gemm";

void scalay_gemm_square_grid(int processes, int grid[2])
{
    for (int rows = 1; (int64_t)rows * rows <= processes; rows++)
        if (processes % rows == 0) grid[0] = rows;
    grid[1] = processes / grid[0];
}

/* ------------------------------------------------------------------------------------------------- listing */

static int is_listed(const scalay_gemm_job *job, const char *name)
{
    for (int k = 0; k < job->count; k++)
        if (strcmp(job->strategies[k].name, name) == 0) return 1;
    return 0;
}

static void add_way(scalay_gemm_job *job, const char *name, scalay_owner_map *map)
{
    job->ways[job->count].map = map;
    if (map == NULL) scalay_gemm_square_grid(scalay_comm_size(job->comm), job->ways[job->count].grid);
    job->strategies[job->count++] = (scalay_strategy){.name = name, .objective = SCALAY_MIN_VOLUME, .bytes = -1};
}

static scalay_status cut(const scalay_gemm_job *job, const char *shape, scalay_partition **partition)
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
    scalay_partition_candidate candidate;
    scalay_owner_map *map = NULL;
    SCALAY_TRY(cut(job, shape, &partition));
    SCALAY_TRY(scalay_partition_get_candidate(partition, scalay_partition_chosen(partition), &candidate));
    SCALAY_TRY(scalay_owner_map_resize(scalay_partition_map(partition), job->c.file.m, job->c.file.n, &map));
    add_way(job, candidate.shape, map);
cleanup:
    scalay_partition_destroy(&partition);
    return status;
}

/* Another shape: one that does not exist for these areas, or for so many parts, is no failure. */
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
    scalay_status status = SCALAY_SUCCESS;
    status = add_shape(job, job->options->shape != NULL ? job->options->shape : "auto");
    if (status != SCALAY_SUCCESS) return scalay_fail_at(status, "--shape");
    if (!job->options->compare) return SCALAY_SUCCESS;
    add_way(job, pblas_name, NULL);
    for (int k = 0; k < 4; k++) SCALAY_TRY(try_shape(job, others[k]));
cleanup:
    return status;
}

scalay_status scalay_gemm_list_ways(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(job->comm, list_on_rank(job)));
    job->chosen = 0;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- running */

static scalay_gemm_options options_of(const scalay_gemm_job *job, const scalay_gemm_way *way)
{
    scalay_gemm_options options = scalay_gemm_options_default();
    options.map = way->map;
    options.objective = SCALAY_MIN_VOLUME;
    options.group = job->share.group;
    options.transport = job->options->transport;
    options.machine = &job->machine;
    options.seconds_per_flop = way->map != NULL ? job->share.seconds_per_flop : job->share.even_seconds;
    if (way->map != NULL) return options;
    options.nprow = way->grid[0];
    options.npcol = way->grid[1];
    options.nb = (int)job->options->nb;
    return options;
}

static scalay_status create(const scalay_gemm_job *job, const scalay_gemm_way *way, scalay_gemm **gemm)
{
    const scalay_gemm_options options = options_of(job, way);
    return scalay_gemm_create(job->comm, job->c.type, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, job->a.source,
                              job->b.source, job->c.source, &options, gemm);
}

/* Notes a run; its seconds are those of the slowest rank. */
static scalay_status record(scalay_gemm_job *job, int at, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *strategy = &job->strategies[at];
    scalay_gemm_statistics s;
    double move = 0.0, multiply = 0.0;
    SCALAY_TRY(scalay_gemm_get_statistics(gemm, &s));
    SCALAY_TRY(scalay_job_maximum(&job->a, s.move_seconds + s.back_seconds, &move));
    SCALAY_TRY(scalay_job_maximum(&job->a, s.multiply_seconds, &multiply));
    strategy->volume = s.move_volume + s.back_volume;
    strategy->steps = s.move_steps;
    strategy->predicted_seconds = s.predicted_move_seconds + s.predicted_multiply_seconds;
    strategy->grid[0] = job->ways[at].grid[0];
    strategy->grid[1] = job->ways[at].grid[1];
    if (job->ways[at].map == NULL) strategy->mb = strategy->nb = job->options->nb;
    job->ways[at].statistics = s;
    scalay_strategy_add(strategy, move, multiply);
cleanup:
    return status;
}

/* Each run adds nothing to what was there: beta is 0. */
static scalay_status run_once(scalay_gemm_job *job, scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Barrier(scalay_comm_handle(job->comm)));
    scalay_job_must(&job->a, "gemm", scalay_gemm_execute(gemm, NULL, job->a.a, job->b.a, NULL, job->c.a));
cleanup:
    return status;
}

/* What every rank did in the last run, on all ranks. */
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

/* The predictions of the parts, for the ranks that have them. */
static scalay_status predict_rows(scalay_gemm_job *job, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(gemm->map);
    scalay_multiply_time time;
    double *compute = NULL, *communicate = NULL;
    SCALAY_TRY(SCALAY_NEW(compute, parts));
    SCALAY_TRY(SCALAY_NEW(communicate, parts));
    SCALAY_TRY(scalay_gemm_model(gemm, &job->machine, job->share.seconds_per_flop, compute, communicate, &time));
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
    (void)scalay_gemm_describe(gemm, job->how, sizeof job->how);
    SCALAY_TRY(gather_rows(job, gemm));
    SCALAY_TRY(scalay_comm_agree(job->comm, predict_rows(job, gemm)));
cleanup:
    return status;
}

/* One run to warm up, then those that count. */
static scalay_status run_way(scalay_gemm_job *job, int at)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm *gemm = NULL;
    scalay_strategy *strategy = &job->strategies[at];
    scalay_progress_say("%s: planning", strategy->name);
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_strategy_start(strategy, job->a.repeat)));
    SCALAY_TRY(create(job, &job->ways[at], &gemm));
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_strategy_set_mapping(strategy, scalay_gemm_layout(gemm))));
    scalay_progress_say("%s: a run to warm up", strategy->name);
    SCALAY_TRY(run_once(job, gemm));
    for (int64_t turn = 0; turn < job->a.repeat; turn++) {
        scalay_progress_say("%s: run %lld of %lld", strategy->name, (long long)turn + 1, (long long)job->a.repeat);
        SCALAY_TRY(run_once(job, gemm));
        SCALAY_TRY(record(job, at, gemm));
    }
    scalay_strategy_finish(strategy);
    if (at == job->chosen) SCALAY_TRY(keep_chosen(job, gemm));
cleanup:
    scalay_gemm_destroy(&gemm);
    return status;
}

scalay_status scalay_gemm_run_ways(scalay_gemm_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_memory_keep_released();
    for (int at = 0; at < job->count; at++)
        if (at != job->chosen) SCALAY_TRY(run_way(job, at));
    SCALAY_TRY(run_way(job, job->chosen));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- verifying */

static double number_at(scalay_type type, const void *local, int64_t k)
{
    const int is_single = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
    return is_single ? (double)((const float *)local)[k] : ((const double *)local)[k];
}

/* The sum of squares of what this rank holds of a matrix, less another one that is stored alike; NULL: zero. */
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
                const int64_t place = (at.offset + col * at.ld) * numbers + k;
                const double less = other != NULL ? number_at(matrix->type, other, place) : 0.0;
                const double x = number_at(matrix->type, local, place) - less;
                sum += x * x;
            }
    }
    return sum;
}

/* What cancels in a product is of the size of its factors: their norms are the measure. */
scalay_status scalay_gemm_verify(scalay_gemm_job *job)
{
    enum { OF_A, OF_B, OF_DIFFERENCE, SUMS };
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_way way = {0};
    scalay_gemm *gemm = NULL;
    void *other = NULL;
    scalay_progress_say("verifying with %s", pblas_name);
    scalay_gemm_square_grid(scalay_comm_size(job->comm), way.grid);
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_job_new_local(&job->c, job->c.source, &other)));
    SCALAY_TRY(create(job, &way, &gemm));
    scalay_job_must(&job->a, "gemm", scalay_gemm_execute(gemm, NULL, job->a.a, job->b.a, NULL, other));
    double sums[SUMS] = {[OF_A] = squares(&job->a, job->a.a, NULL),
                         [OF_B] = squares(&job->b, job->b.a, NULL),
                         [OF_DIFFERENCE] = squares(&job->c, job->c.a, other)};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, SUMS, MPI_DOUBLE, MPI_SUM, scalay_comm_handle(job->comm)));
    job->difference =
        sums[OF_DIFFERENCE] != 0.0 ? sqrt(sums[OF_DIFFERENCE]) / sqrt(sums[OF_A]) / sqrt(sums[OF_B]) : 0.0;
cleanup:
    scalay_gemm_destroy(&gemm);
    scalay_release(other);
    return status;
}
