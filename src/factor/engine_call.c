/*
 * One-call factorisations by the engine.
 *
 * The engine is compared with the job, ScaLAPACK's routine where the matrix is or on a grid. Processes get equal work
 * there, so the time predicted for equal speeds is multiplied by the mean speed over the smallest one. The object of
 * the engine has buffers. It is kept for the next call if the cache of the communicator has space for it
 * (SCALAY_CACHE_BYTES). A copy of the matrix has memory from base/kept_memory.h, as a move has: while both are compared
 * and afterwards, there is memory for one of them.
 */
#include "factor/engine_call.h"

#include <math.h>

#include "base/integer.h"
#include "base/kept_memory.h"
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/grid_choice.h"
#include "parallel/machine_numbers.h"

/* The engine must be predicted to be faster by this factor: with measured rates, without, and without if the matrix is
 * moved in any case. Typical rates rank the engine behind ScaLAPACK's kernel on a grid where it was measured to be 1.02
 * to 1.15 times as fast (docs/benchmarks.md). */
static const double margin_with_rates = 1.02, margin_without_rates = 1.25, margin_of_moves = 0.8;

/* Mean speed over the smallest one up to which speeds count as equal. */
static const double equal_speeds = 1.05;

/* Seconds of a new page of panels or of a copy over those of a first access, in small pages and in huge ones that the
 * host has to give: pages come in batches, and each process maps the panels of all. Measured with 2 processes, n = 480
 * to 4096 (docs/benchmarks.md). */
static const double page_of_engine = 0.75;

/* Seconds to plan the engine. */
static double plan_seconds(const scalay_grid_job *job)
{
    return 4e-5 + 2e-7 * job->k;
}

/* Seconds of its communicator and of the messages of its creation. */
static const double connect_seconds = 3e-4;

/* Bytes of the pages of new memory, which several processes share. */
static double bytes_of_pages(const scalay_grid_request *r, const scalay_grid_job *job, double bytes)
{
    return job->comm->size > 1 ? scalay_bytes_of_shared_pages(r->page_seconds, bytes) : bytes;
}

/* Returns the seconds to create the engine in the first call: plans, and the pages of two panels of each process and,
 * if its memory is new, of the copy. */
static double create_seconds(const scalay_grid_request *r, const scalay_grid_job *job,
                             const scalay_factor_prediction *prediction, int has_new_copy)
{
    const double size = (double)scalay_type_size(job->type), copy = size * job->m * job->n / job->comm->size;
    const double panels = 2.0 * job->comm->size * size * job->m * prediction->nb;
    const double new_bytes = bytes_of_pages(r, job, panels) + (has_new_copy ? bytes_of_pages(r, job, copy) : 0.0);
    return plan_seconds(job) + connect_seconds + page_of_engine * scalay_grid_request_page_seconds(r, new_bytes);
}

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

static double margin_of(const scalay_machine *machine, const scalay_grid_job *job)
{
    if (machine != NULL) return margin_with_rates;
    return job->stays ? margin_without_rates : margin_of_moves;
}

scalay_status scalay_engine_weigh(const scalay_grid_request *r, const scalay_machine *machine, scalay_grid_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_factor_options options = options_of(r, machine);
    const scalay_one_call_statistics *s = &job->statistics;
    scalay_factor_prediction prediction = {0};
    job->by_engine = r->options->placement == SCALAY_PLACEMENT_ENGINE;
    if (!scalay_grid_request_leaves_choice(r) || job->k == 0) return SCALAY_SUCCESS;
    const int needs_speeds = machine == NULL && job->stays; /* a bad layout is left in any case */
    SCALAY_TRY(scalay_factor_predict(r->function, job->comm, kinds[r->kind], r->layout, r->type, &options,
                                     needs_speeds ? equal_speeds : 0.0, &prediction));
    if (prediction.seconds <= 0.0) return SCALAY_SUCCESS;
    const double theirs = s->predicted_kernel_seconds * prediction.slowdown + s->predicted_move_seconds;
    /* In the first call, a move takes time once, too; but the engine must gain what its plan takes. */
    const double margin = margin_of(machine, job), creation = create_seconds(r, job, &prediction, prediction.is_copied);
    /* Calls that move have the memory of a copy. */
    const double later_creation = create_seconds(r, job, &prediction, prediction.is_copied && job->stays);
    const double first_move = job->stays ? 0.0 : scalay_grid_first_move_seconds(job, r);
    const double created = job->stays ? creation : fmax(plan_seconds(job), creation - first_move);
    const double ours = prediction.seconds + (r->is_repeated ? 0.0 : created);
    /* The other ways are slowed down by unequal speeds. */
    scalay_trials_add(&job->trials, SCALAY_WAY_ENGINE,
                      scalay_whole_nanoseconds(prediction.seconds / prediction.slowdown),
                      scalay_whole_nanoseconds(later_creation));
    job->by_engine = ours * margin + scalay_least_gain(machine) < theirs;
    /* A move that the job does not plan yet may be faster than the engine, too. */
    if (job->by_engine && job->gain_nanoseconds > 0)
        job->gain_nanoseconds -= scalay_whole_nanoseconds(theirs) - scalay_whole_nanoseconds(ours);
    /* The engine is worth creating if the call is repeated. */
    if (!job->by_engine && !r->is_repeated && prediction.seconds * margin + scalay_least_gain(machine) < theirs) {
        const int64_t gain = scalay_whole_nanoseconds(theirs) - scalay_whole_nanoseconds(prediction.seconds);
        job->prefers_engine = gain > job->gain_nanoseconds;
        if (job->prefers_engine) job->change_nanoseconds = scalay_whole_nanoseconds(later_creation);
        job->gain_nanoseconds = scalay_max_int64(job->gain_nanoseconds, gain);
    }
    if (job->gain_nanoseconds < 0) job->gain_nanoseconds = 0;
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

static void destroy_factor(void **object)
{
    scalay_factor *factor = *object;
    *object = NULL;
    scalay_factor_destroy(&factor);
}

/* Bytes of all memory but that of copies. */
static int64_t bytes_without_copies(void)
{
    return scalay_memory_bytes() - scalay_kept_memory_bytes();
}

/* Creates the object of a call. *bytes is its memory, and *references what it holds of the communicator. */
static scalay_status create_factor(const scalay_grid_request *r, const scalay_machine *machine, scalay_comm *comm,
                                   scalay_factor **factor, int64_t *bytes, int *references)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_factor_options options = options_of(r, machine);
    const int before = comm->references;
    *bytes = -bytes_without_copies();
    SCALAY_TRY(scalay_factor_create(comm, kinds[r->kind], r->layout, r->type, &options, factor));
    *bytes += bytes_without_copies();
    *references = comm->references - before;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_INT64_T, MPI_MAX, comm->mpi));
cleanup:
    return status;
}

/* The engine has an object of its own in the cache. */
static scalay_cache_call object_call(const scalay_cache_call *job_call)
{
    return scalay_cache_part(job_call, SCALAY_PLACEMENT_ENGINE);
}

void scalay_engine_forget(scalay_comm *comm, const scalay_cache_call *job_call)
{
    const scalay_cache_call call = object_call(job_call);
    scalay_cache_drop(comm, &call);
}

scalay_status scalay_engine_call(const scalay_grid_request *r, const scalay_machine *machine,
                                 const scalay_cache_call *job_call, scalay_grid_job *job,
                                 const scalay_one_call_arrays *arrays, int *info)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_factor *factor = NULL;
    void *object = NULL;
    int64_t bytes = 0;
    int references = 0;
    scalay_cache_call call = object_call(job_call);
    call.status = scalay_factor_take_copy(r->function, scalay_cache_peek(job->comm, &call));
    SCALAY_TRY(scalay_cache_find(job->comm, &call, &object));
    factor = object;
    if (object == NULL) SCALAY_TRY(create_factor(r, machine, job->comm, &factor, &bytes, &references));
    SCALAY_TRY(scalay_factor_execute(factor, arrays->a, info));
    SCALAY_TRY(return_vectors(factor, r, arrays));
    if (arrays->statistics == NULL) goto cleanup;
    *arrays->statistics = job->statistics;
    record(factor, arrays->statistics);
    if (object != NULL) arrays->statistics->plan_seconds = 0;
cleanup:
    if (references > 0) scalay_cache_keep(job->comm, &call, factor, destroy_factor, bytes, references);
    scalay_factor_give_copy(scalay_cache_peek(job->comm, &call));
    return status;
}
