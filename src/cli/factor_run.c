/* scalay qr, lu and cholesky: the strategies and their runs. */

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor.h"
#include "factor/vector.h"
#include "factor/verify.h"
#include "input.h"
#include "layout/layout.h"
#include "model/product.h"
#include "parallel/agree.h"
#include "parallel/node.h"

/* --------------------------------------------------------------------------------------------- strategies */

static void add_strategy(scalay_factor_job *q, const char *name, scalay_objective objective)
{
    q->strategies[q->count++] = (scalay_strategy){.name = name, .objective = objective, .bytes = -1};
}

/* The mapping that the one-call routines take on several nodes. */
static const char by_nodes[] = "nodes";

static void list_strategies(scalay_factor_job *q, int has_nodes)
{
    static const scalay_objective always[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME};
    q->chosen = -1;
    q->no_owner = scalay_owner_obstacle(q->job.source);
    if (q->no_owner == NULL) add_strategy(q, "owner", SCALAY_MIN_VOLUME);
    for (int k = 0; k < 3; k++) add_strategy(q, scalay_objective_name(always[k]), always[k]);
    if (has_nodes) add_strategy(q, by_nodes, SCALAY_MIN_STEPS_THEN_VOLUME);
    for (int k = 0; q->options->objective != NULL && k < q->count; k++)
        if (strcmp(q->strategies[k].name, q->options->objective) == 0) q->chosen = k;
    if (q->options->objective != NULL && q->chosen < 0) {
        q->chosen = q->count;
        add_strategy(q, q->options->objective, scalay_input_objective(q->options->objective));
    }
    q->own = q->count;
    add_strategy(q, "own", SCALAY_CANONICAL);
    q->strategies[q->own].map = q->options->map != NULL ? q->options->map : "auto";
}

static scalay_status check_info(const scalay_factor_job *q)
{
    if (q->kind != SCALAY_POTRF || q->info == 0) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "%s is not positive definite: its leading minor of order %d is not",
                       q->job.path, q->info);
}

/* Sets the target of a strategy, and what moving there takes. */
static scalay_status set_target(scalay_factor_job *q, scalay_strategy *strategy, const scalay_layout *target)
{
    return scalay_comm_agree(q->job.comm, scalay_strategy_set_mapping(strategy, target));
}

/* ------------------------------------------------------------------------------------- ScaLAPACK on a grid */

static int is_owner(const scalay_strategy *strategy)
{
    return strcmp(strategy->name, "owner") == 0;
}

/* The strategy "owner" factors on the grid of the source. The mapping of minimum volume then moves nothing. */
static scalay_one_call_options options_of(const scalay_factor_job *q, const scalay_strategy *strategy)
{
    scalay_one_call_options options = scalay_one_call_options_default();
    const scalay_layout *source = q->job.source;
    options.placement = SCALAY_PLACEMENT_MOVE;
    options.objective = strategy->objective;
    options.transport = q->options->job.transport;
    options.machine = &q->machine;
    options.nprow = (int)(is_owner(strategy) ? source->row.classes : q->options->grid[0]);
    options.npcol = (int)(is_owner(strategy) ? source->col.classes : q->options->grid[1]);
    options.nb = (int)(is_owner(strategy) ? source->row.block : q->options->nb);
    return options;
}

/* Arrays of a run on a grid. */
typedef struct {
    scalay_grid_job *job;
    void *local, *vector, *work;
} grid_run;

static scalay_status allocate(int64_t count, size_t size, void **array)
{
    *array = scalay_allocate(count, size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "an array on the grid", count, size);
}

static scalay_status create_grid_run(const scalay_factor_job *q, const scalay_strategy *strategy, grid_run *run)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_one_call_options options = options_of(q, strategy);
    const scalay_grid_request request = {.function = "scalay",
                                         .kind = q->kind,
                                         .type = q->job.type,
                                         .uplo = q->uplo,
                                         .layout = q->job.source,
                                         .options = &options,
                                         .is_repeated = 1,
                                         .keeps_objective = strcmp(strategy->name, by_nodes) != 0};
    const size_t size = scalay_type_size(q->job.type);
    SCALAY_TRY(scalay_grid_job_create(q->job.comm, &request, &run->job));
    status = allocate(run->job->local_size, size, &run->local);
    if (status == SCALAY_SUCCESS && q->kind != SCALAY_POTRF)
        status = allocate(run->job->vector_size, scalay_grid_job_entry_size(run->job), &run->vector);
    if (status == SCALAY_SUCCESS && q->kind == SCALAY_GEQRF) status = allocate(run->job->lwork, size, &run->work);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
cleanup:
    return status;
}

static void free_grid_run(grid_run *run)
{
    scalay_release(run->work);
    scalay_release(run->vector);
    scalay_release(run->local);
    scalay_grid_job_destroy(&run->job);
}

/* The info of the routine, which only the ranks of the grid know. */
static scalay_status set_info(scalay_factor_job *q, int info)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Allreduce(&info, &q->info, 1, MPI_INT, MPI_MAX, q->job.comm->mpi));
cleanup:
    return status;
}

static scalay_status record_grid(scalay_factor_job *q, scalay_strategy *strategy, const scalay_grid_job *job,
                                 const double seconds[2])
{
    const scalay_one_call_statistics *s = &job->statistics;
    const int in_place = is_owner(strategy);
    strategy->grid[0] = s->nprow;
    strategy->grid[1] = s->npcol;
    strategy->mb = strategy->nb = s->nb;
    strategy->volume = s->volume;
    strategy->steps = s->steps;
    strategy->predicted_seconds = s->predicted_kernel_seconds + (in_place ? 0.0 : 0.5 * s->predicted_move_seconds);
    scalay_strategy_add(strategy, in_place ? 0.0 : seconds[0], seconds[1]);
    return strategy->mapping == NULL ? set_target(q, strategy, job->target) : SCALAY_SUCCESS;
}

/* Moves, factors and records the times; `keep` 0: does not record. with_result: brings the factors back. */
static scalay_status run_grid(scalay_factor_job *q, scalay_strategy *strategy, int keep, int with_result)
{
    scalay_status status = SCALAY_SUCCESS;
    grid_run run = {0};
    double seconds[2];
    SCALAY_TRY(create_grid_run(q, strategy, &run));
    double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(q->job.comm, scalay_plan_execute(run.job->plan, q->job.local, run.local)));
    SCALAY_TRY(scalay_job_maximum(&q->job, MPI_Wtime() - began, &seconds[0]));
    began = MPI_Wtime();
    const int info = scalay_grid_job_factor(run.job, run.local, run.vector, run.work, run.job->lwork);
    SCALAY_TRY(scalay_job_maximum(&q->job, MPI_Wtime() - began, &seconds[1]));
    SCALAY_TRY(set_info(q, info));
    SCALAY_TRY(check_info(q));
    if (keep) SCALAY_TRY(record_grid(q, strategy, run.job, seconds));
    if (!with_result) goto cleanup;
    SCALAY_TRY(scalay_comm_agree(q->job.comm, scalay_plan_execute_back(run.job->plan, run.local, q->result)));
    SCALAY_TRY(scalay_grid_job_gather(run.job, run.vector, q->vector));
    if (q->target == NULL) SCALAY_TRY(scalay_comm_agree(q->job.comm, scalay_layout_copy(run.job->target, &q->target)));
cleanup:
    free_grid_run(&run);
    return status;
}

/* -------------------------------------------------------------------------------------- the engine on a map */

/* Creates the factorisation of the strategy "own". */
static scalay_status create_own(scalay_factor_job *q)
{
    static const scalay_factor_kind kinds[] = {
        [SCALAY_GEQRF] = SCALAY_FACTOR_QR, [SCALAY_GETRF] = SCALAY_FACTOR_LU, [SCALAY_POTRF] = SCALAY_FACTOR_CHOLESKY};
    const scalay_strategy *own = &q->strategies[q->own];
    scalay_factor_options options = scalay_factor_options_default();
    options.uplo = q->kind == SCALAY_POTRF ? q->uplo : SCALAY_LOWER;
    options.placement = strcmp(own->map, "auto") == 0     ? SCALAY_PLACEMENT_CHOOSE
                        : strcmp(own->map, "source") == 0 ? SCALAY_PLACEMENT_STAY
                                                          : SCALAY_PLACEMENT_MOVE;
    options.map = q->given_map;
    options.speeds = q->speed;
    options.profile = q->profile;
    options.nb = (int)q->options->nb;
    options.transport = q->options->job.transport;
    options.machine = &q->machine;
    return scalay_factor_create(q->job.comm, kinds[q->kind], q->job.source, q->job.type, &options, &q->factor);
}

/* What the report says about the map. */
static scalay_status describe_own(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *own = &q->strategies[q->own];
    scalay_factor_statistics s;
    scalay_traffic *traffic = NULL;
    const scalay_factor_choice choice = scalay_factor_get_choice(q->factor);
    SCALAY_TRY(scalay_factor_get_statistics(q->factor, &s));
    if (strcmp(own->map, "auto") == 0) own->map = s.stays ? "source" : "1d1d";
    own->mb = own->nb = s.nb;
    own->balance = s.balance;
    own->predicted_seconds = choice.predicted_kernel_seconds + choice.predicted_move_seconds;
    SCALAY_TRY(scalay_layout_from_owner_map(choice.map, &q->own_target));
    SCALAY_TRY(scalay_strategy_set_mapping(own, q->own_target));
    if (s.in_place) goto cleanup;
    SCALAY_TRY(scalay_traffic_create(q->job.source, q->own_target, &traffic));
    SCALAY_TRY(scalay_traffic_cost(traffic, own->mapping, &own->volume, &own->steps));
cleanup:
    scalay_traffic_destroy(&traffic);
    return scalay_comm_agree(q->job.comm, status);
}

static scalay_status record_own(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_strategy *own = &q->strategies[q->own];
    scalay_factor_statistics s;
    double seconds[2];
    SCALAY_TRY(scalay_factor_get_statistics(q->factor, &s));
    int64_t sent[2] = {s.messages, s.bytes};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, sent, 2, MPI_INT64_T, MPI_SUM, q->job.comm->mpi));
    own->messages = sent[0];
    own->bytes = sent[1];
    SCALAY_TRY(scalay_job_maximum(&q->job, s.move_seconds, &seconds[0]));
    SCALAY_TRY(scalay_job_maximum(&q->job, s.kernel_seconds, &seconds[1]));
    scalay_strategy_add(own, seconds[0], seconds[1]);
cleanup:
    return status;
}

static scalay_status run_own(scalay_factor_job *q, int keep)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = scalay_layout_local_size(q->job.source, q->job.comm->rank);
    if (count > 0) memcpy(q->result, q->job.local, (size_t)count * scalay_type_size(q->job.type));
    SCALAY_TRY_MPI(MPI_Barrier(q->job.comm->mpi));
    SCALAY_TRY(scalay_factor_execute(q->factor, q->result, &q->info));
    SCALAY_TRY(check_info(q));
    if (keep) SCALAY_TRY(record_own(q));
    if (q->kind != SCALAY_POTRF) SCALAY_TRY(scalay_factor_get_vector(q->factor, q->vector));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- runs */

static scalay_status run_once(scalay_factor_job *q, int k, int keep)
{
    return k == q->own ? run_own(q, keep) : run_grid(q, &q->strategies[k], keep, 0);
}

static scalay_status prepare(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t k = scalay_min_int64(q->job.file.m, q->job.file.n);
    for (int s = 0; s < q->count && status == SCALAY_SUCCESS; s++)
        status = scalay_strategy_start(&q->strategies[s], q->job.repeat);
    if (status == SCALAY_SUCCESS) status = scalay_job_new_local(&q->job, q->job.source, &q->result);
    if (status == SCALAY_SUCCESS) status = allocate(k, 2 * sizeof(double), &q->vector);
    SCALAY_TRY(scalay_comm_agree(q->job.comm, status));
    SCALAY_TRY(create_own(q));
    SCALAY_TRY(describe_own(q));
cleanup:
    return status;
}

/* Runs all strategies in turn, so that a disturbance of the machine affects all of them. */
static scalay_status run_strategies(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_memory_keep_released();
    scalay_progress_say("warm-up run");
    SCALAY_TRY(run_once(q, 0, 0));
    for (int64_t turn = 0; turn < q->job.repeat; turn++)
        for (int k = 0; k < q->count; k++) {
            const int at = (int)((turn + k) % q->count);
            scalay_progress_set((double)(turn * q->count + k) / (double)(q->job.repeat * q->count));
            scalay_progress_say("%s, run %lld of %lld", q->strategies[at].name, (long long)turn + 1,
                                (long long)q->job.repeat);
            SCALAY_TRY(run_once(q, at, 1));
        }
    scalay_progress_set(-1.0);
    for (int k = 0; k < q->count; k++) scalay_strategy_finish(&q->strategies[k]);
cleanup:
    return status;
}

static int is_better(const scalay_strategy *a, const scalay_strategy *b)
{
    if (a->predicted_seconds != b->predicted_seconds) return a->predicted_seconds < b->predicted_seconds;
    return a->steps != b->steps ? a->steps < b->steps : a->volume <= b->volume;
}

static const scalay_strategy *canonical_of(const scalay_factor_job *q)
{
    int k = 0;
    while (strcmp(q->strategies[k].name, scalay_objective_name(SCALAY_CANONICAL)) != 0) k++;
    return &q->strategies[k];
}

/* Chooses the least predicted time; of equal ones the fewest steps, then the least volume, then the last one. A
 * strategy whose measured time is longer than that of the canonical mapping by more than TOLERANCE is not chosen. */
static void choose(scalay_factor_job *q)
{
    static const double TOLERANCE = 0.03;
    const scalay_strategy *canonical = canonical_of(q), *best = canonical;
    const double limit = (1.0 + TOLERANCE) * (canonical->move_seconds + canonical->kernel_seconds);
    if (q->chosen >= 0) return;
    for (int k = 0; k < q->count; k++) {
        const scalay_strategy *s = &q->strategies[k];
        if (s->move_seconds + s->kernel_seconds <= limit && is_better(s, best)) best = s;
    }
    q->chosen = (int)(best - q->strategies);
}

/* Verifies the result. */
static scalay_status verify(scalay_factor_job *q, double *residual, double *orthogonality)
{
    const scalay_factor_check check = {.kind = q->kind,
                                       .type = q->job.type,
                                       .uplo = q->uplo,
                                       .layout = q->job.source,
                                       .original = q->job.local,
                                       .factors = q->result,
                                       .vector = q->vector};
    return scalay_factor_verify(q->job.comm, &check, residual, orthogonality);
}

/* Afterwards the result is that of the chosen strategy. */
static scalay_status verify_all(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("verifying");
    SCALAY_TRY(run_own(q, 0));
    SCALAY_TRY(verify(q, &q->own_residual, &q->own_orthogonality));
    if (q->chosen == q->own) {
        q->residual = q->own_residual;
        q->orthogonality = q->own_orthogonality;
        return scalay_comm_agree(q->job.comm, scalay_layout_copy(q->own_target, &q->target));
    }
    SCALAY_TRY(run_grid(q, &q->strategies[q->chosen], 0, 1));
    SCALAY_TRY(verify(q, &q->residual, &q->orthogonality));
cleanup:
    return status;
}

scalay_status scalay_factor_job_run(scalay_factor_job *q)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *node = NULL;
    SCALAY_TRY(scalay_node_of_ranks(q->job.comm, &node));
    list_strategies(q, node != NULL);
    SCALAY_TRY(prepare(q));
    SCALAY_TRY(run_strategies(q));
    choose(q);
    SCALAY_TRY(verify_all(q));
cleanup:
    return status;
}
