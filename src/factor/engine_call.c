/*
 * One-call factorisations by the engine.
 *
 * The engine is compared with the job, ScaLAPACK's routine where the matrix is or on a grid. Processes get equal work
 * there, so the time predicted for equal speeds is multiplied by the mean speed over the smallest one. The object of
 * the engine lives for one call: it has a copy of the matrix, which is not kept.
 */
#include "factor/engine_call.h"

#include "factor/factor.h"

/* The engine must be predicted to be faster by this factor: with measured rates, and without. */
static const double margin_with_rates = 1.1, margin_without_rates = 1.25;

/* Mean speed over the smallest one up to which speeds count as equal. */
static const double equal_speeds = 1.05;

/* Seconds to create the engine for one call: plans, buffers. Measured on one node with 3 processes. */
static const double create_seconds = 2e-3;

static const scalay_factor_kind kinds[SCALAY_KERNEL_KINDS] = {
    [SCALAY_GEQRF] = SCALAY_FACTOR_QR, [SCALAY_GETRF] = SCALAY_FACTOR_LU, [SCALAY_POTRF] = SCALAY_FACTOR_CHOLESKY};

static scalay_factor_options options_of(const scalay_grid_request *r, const scalay_machine *machine)
{
    scalay_factor_options options = scalay_factor_options_default();
    if (r->kind == SCALAY_POTRF) options.uplo = r->uplo;
    options.profile = r->options->profile;
    options.transport = r->options->transport;
    options.machine = machine;
    return options;
}

scalay_status scalay_engine_weigh(const scalay_grid_request *r, const scalay_machine *machine, scalay_grid_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_one_call_options *o = r->options;
    const scalay_factor_options options = options_of(r, machine);
    const scalay_one_call_statistics *s = &job->statistics;
    scalay_factor_prediction prediction = {0};
    job->by_engine = o->placement == SCALAY_PLACEMENT_ENGINE;
    if (o->placement != SCALAY_PLACEMENT_CHOOSE || o->nprow > 0 || o->npcol > 0 || o->nb > 0 || job->k == 0)
        return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_factor_predict(r->function, job->comm, kinds[r->kind], r->layout, r->type, &options,
                                     machine != NULL ? 0.0 : equal_speeds, &prediction));
    if (prediction.seconds <= 0.0) return SCALAY_SUCCESS;
    const double theirs = s->predicted_kernel_seconds * prediction.slowdown + s->predicted_move_seconds;
    const double ours = prediction.seconds + create_seconds;
    job->by_engine = ours * (machine != NULL ? margin_with_rates : margin_without_rates) < theirs;
cleanup:
    return status;
}

/* Returns tau or the pivots to the caller. */
static scalay_status return_vectors(const scalay_factor *factor, const scalay_grid_request *r,
                                    const scalay_one_call_arrays *arrays)
{
    scalay_status status = SCALAY_SUCCESS;
    if (r->kind == SCALAY_POTRF) return SCALAY_SUCCESS;
    if (arrays->vector != NULL) SCALAY_TRY(scalay_factor_get_local_vector(factor, arrays->vector));
    if (r->options->replicated != NULL) SCALAY_TRY(scalay_factor_get_vector(factor, r->options->replicated));
cleanup:
    return status;
}

static void record(const scalay_factor *factor, scalay_one_call_statistics *statistics)
{
    scalay_factor_statistics s;
    const scalay_factor_choice choice = scalay_factor_get_choice(factor);
    (void)scalay_factor_get_statistics(factor, &s);
    statistics->engine = 1;
    statistics->stays = s.in_place;
    statistics->nprow = statistics->npcol = 0;
    statistics->nb = s.nb;
    statistics->volume = s.volume;
    statistics->steps = 0;
    statistics->plan_seconds = s.create_seconds;
    statistics->move_seconds = s.move_seconds;
    statistics->kernel_seconds = s.kernel_seconds;
    statistics->back_seconds = s.back_seconds;
    statistics->predicted_move_seconds = 2 * choice.predicted_move_seconds;
    statistics->predicted_kernel_seconds = choice.predicted_kernel_seconds;
}

scalay_status scalay_engine_call(const scalay_grid_request *r, const scalay_machine *machine, scalay_grid_job *job,
                                 const scalay_one_call_arrays *arrays, int *info)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_factor *factor = NULL;
    const scalay_factor_options options = options_of(r, machine);
    SCALAY_TRY(scalay_factor_create(job->comm, kinds[r->kind], r->layout, r->type, &options, &factor));
    SCALAY_TRY(scalay_factor_execute(factor, arrays->a, info));
    SCALAY_TRY(return_vectors(factor, r, arrays));
    if (arrays->statistics == NULL) goto cleanup;
    *arrays->statistics = job->statistics;
    record(factor, arrays->statistics);
cleanup:
    scalay_factor_destroy(&factor);
    return status;
}
