/*
 * The work of scalay gemm: strategies for the product (shapes for SUMMA, a grid for p?gemm), their runs, and the
 * verification.
 */

#include "gemm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "model/machine.h"
#include "multiply/gemm.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "parallel/machine_numbers.h"

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
    for (int at = 0; at < job->count; at++) {
        scalay_owner_map_destroy(&job->strategies[at].map);
        job->strategies[at] = (scalay_gemm_strategy){0};
    }
    job->count = job->skips = job->chosen = 0;
    SCALAY_TRY(scalay_comm_agree(job->comm, list_on_rank(job)));
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

scalay_status scalay_gemm_create_strategy(const scalay_gemm_job *job, int at, scalay_gemm **gemm)
{
    return create(job, &job->strategies[at], gemm);
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

scalay_status scalay_gemm_predict_rows(scalay_gemm_job *job, int at, const scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(gemm->map);
    scalay_multiply_time time;
    double *compute = NULL, *communicate = NULL;
    SCALAY_TRY(SCALAY_NEW(compute, parts));
    SCALAY_TRY(SCALAY_NEW(communicate, parts));
    const double *seconds = options_of(job, &job->strategies[at]).seconds_per_flop;
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
    SCALAY_TRY(scalay_comm_agree(job->comm, scalay_gemm_predict_rows(job, job->chosen, gemm)));
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
