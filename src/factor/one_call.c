/*
 * One-call factorisations: plan, move, factor, move back, or factor in the layout of the caller.
 *
 * If the layout is block-cyclic, the vector (tau or ipiv) is returned as ScaLAPACK defines it: distributed along the
 * columns or rows of the distributed matrix, replicated over the other dimension of the grid. After a move, the vector
 * is gathered on all ranks, O(min(m, n)) entries, and each rank takes its own.
 */

#include "factor/one_call.h"

#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/kept_memory.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "factor/engine_call.h"
#include "factor/grid_choice.h"
#include "factor/vector.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "parallel/cache.h"
#include "parallel/machine_numbers.h"

void scalay_one_call_options_init(scalay_one_call_options *options, size_t size)
{
    const scalay_one_call_options defaults = {.size = sizeof defaults, .objective = SCALAY_MIN_STEPS_THEN_VOLUME};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

typedef scalay_one_call_arrays operands;

/* Arrays of one call. */
typedef struct {
    void *local;  /* copy of the matrix on the target; none if it stays */
    void *vector; /* local vector on the target; NULL if the caller's is used */
    void *all;    /* gathered vector; NULL: not gathered */
    void *work;   /* of p?geqrf */
} buffers;

static scalay_status check_arrays(const scalay_comm *comm, const scalay_grid_request *r, const operands *o)
{
    const int64_t elements = scalay_layout_elements(r->layout, comm->rank);
    if (o->a == NULL && elements > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "a is NULL, or too short in Fortran; it must have the %lld elements of this rank",
                           (long long)elements);
    if (o->vector != NULL && !scalay_layout_is_grid(r->layout))
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function,
                           "%s is not NULL, but layout is not block-cyclic; use options->replicated, which has all "
                           "entries on every rank",
                           r->kind == SCALAY_GETRF ? "ipiv" : "tau");
    return SCALAY_SUCCESS;
}

/* Flags of a call: whether any rank wants an output, or does not. */
enum { WANTS_VECTOR, LACKS_VECTOR, WANTS_REPLICATED };

/* ------------------------------------------------------------------------------------------------- arrays */

/* The vector is gathered if a rank wants it and the routine does not return it. The same on every rank. */
static int gathers(const scalay_grid_job *job, const scalay_cache_call *call)
{
    if (scalay_grid_job_entry_size(job) == 0) return 0;
    return call->flags[WANTS_REPLICATED] || (call->flags[WANTS_VECTOR] && !job->stays);
}

static scalay_status allocate(int64_t count, size_t size, void **array)
{
    *array = scalay_allocate(count, size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory("", "an array of a factorisation", count, size);
}

/* Whether p?geqrf needs a workspace that neither the job nor the caller has. */
static int needs_work(const scalay_grid_job *job, const scalay_grid_request *r)
{
    return job->kind == SCALAY_GEQRF && !job->keeps_work && !scalay_grid_job_borrows(job, r);
}

/* Returns 0 if no rank needs a buffer. The same on every rank. */
static int needs_buffers(const scalay_grid_job *job, const scalay_grid_request *r, const scalay_cache_call *call)
{
    if (!job->stays || gathers(job, call)) return 1;
    if (scalay_grid_job_entry_size(job) > 0 && call->flags[LACKS_VECTOR]) return 1;
    return needs_work(job, r);
}

static scalay_status create_buffers(const scalay_grid_job *job, const scalay_grid_request *r, const operands *o,
                                    const scalay_cache_call *call, buffers *b)
{
    scalay_status status = SCALAY_SUCCESS;
    const size_t entry = scalay_grid_job_entry_size(job), size = scalay_type_size(job->type);
    if (!job->stays) {
        b->local = scalay_kept_memory_take(scalay_max_int64(job->local_size, 1) * (int64_t)size);
        if (b->local == NULL) return scalay_no_memory("", "a copy of the matrix", job->local_size, size);
    }
    if (entry > 0 && (!job->stays || o->vector == NULL)) SCALAY_TRY(allocate(job->vector_size, entry, &b->vector));
    if (needs_work(job, r)) SCALAY_TRY(allocate(job->lwork, size, &b->work));
    if (gathers(job, call)) SCALAY_TRY(allocate(job->k, entry, &b->all));
cleanup:
    return status;
}

static void free_buffers(buffers *b)
{
    scalay_release(b->all);
    scalay_release(b->work);
    scalay_release(b->vector);
    scalay_kept_memory_give(b->local);
}

/* ---------------------------------------------------------------------------------------------- execution */

static scalay_status check_info(const scalay_grid_request *r, int info, int *wanted)
{
    static const char *const names[] = {"p?geqrf", "p?getrf", "p?potrf"};
    if (info < 0)
        return scalay_fail(SCALAY_ERROR_BLACS, r->function, "internal error: %s returned info = %d; please report this",
                           names[r->kind], info);
    if (wanted != NULL) *wanted = info;
    if (info == 0 || wanted != NULL) return SCALAY_SUCCESS;
    if (r->kind == SCALAY_GETRF)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, r->function,
                           "U(%d, %d) is exactly zero: the matrix is singular. Pass info to continue", info, info);
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, r->function,
                       "the leading minor of order %d is not positive definite. Pass info to continue", info);
}

static int has_idle_ranks(const scalay_grid_job *job)
{
    return (int64_t)job->nprow * job->npcol < job->comm->size;
}

/* The info of the routine, which only the ranks of the grid know. */
static scalay_status agree_on_info(scalay_comm *comm, int *info)
{
    scalay_status status = SCALAY_SUCCESS;
    int range[2] = {*info, -*info};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, comm->mpi));
    *info = range[1] > 0 ? -range[1] : range[0];
cleanup:
    return status;
}

static scalay_status move_to_grid(scalay_grid_job *job, const void *a, void *local)
{
    const double began = MPI_Wtime();
    const scalay_status status = scalay_plan_execute(job->plan, a, local);
    job->statistics.move_seconds = MPI_Wtime() - began;
    return status;
}

static scalay_status move_back(scalay_grid_job *job, const void *local, void *a)
{
    const double began = MPI_Wtime();
    const scalay_status status = scalay_plan_execute_back(job->plan, local, a);
    job->statistics.back_seconds = MPI_Wtime() - began;
    return status;
}

/* Returns the vector to the caller. */
static scalay_status return_vector(const scalay_grid_job *job, const scalay_grid_request *r, const operands *o,
                                   const buffers *b, const void *vector)
{
    scalay_status status = SCALAY_SUCCESS;
    if (b->all == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_grid_job_gather(job, vector, b->all));
    if (o->vector != NULL && !job->stays) scalay_grid_job_scatter(job, b->all, o->vector);
    if (r->options->replicated != NULL)
        memcpy(r->options->replicated, b->all, (size_t)job->k * scalay_grid_job_entry_size(job));
cleanup:
    return status;
}

static scalay_status execute(scalay_grid_job *job, const scalay_grid_request *r, const operands *o, const buffers *b)
{
    scalay_status status = SCALAY_SUCCESS;
    void *vector = b->vector != NULL ? b->vector : o->vector;
    if (!job->stays) SCALAY_TRY(move_to_grid(job, o->a, b->local));
    const double began = MPI_Wtime();
    const int borrows = scalay_grid_job_borrows(job, r);
    void *work = borrows ? r->work : b->work != NULL ? b->work : job->work;
    int info = scalay_grid_job_factor(job, job->stays ? o->a : b->local, vector, work, borrows ? r->lwork : job->lwork);
    job->statistics.kernel_seconds = MPI_Wtime() - began;
    if (!job->stays) SCALAY_TRY(move_back(job, b->local, o->a));
    SCALAY_TRY(return_vector(job, r, o, b, vector));
    /* p?geqrf has no info but 0 for valid arguments. */
    if (job->kind != SCALAY_GEQRF && has_idle_ranks(job)) SCALAY_TRY(agree_on_info(job->comm, &info));
    SCALAY_TRY(check_info(r, info, o->info));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- one call */

static void destroy_job(void **object)
{
    scalay_grid_job *job = *object;
    *object = NULL;
    scalay_grid_job_destroy(&job);
}

static uint64_t add_profile(uint64_t key, const scalay_profile *profile)
{
    for (int group = 0; group < scalay_profile_groups(profile); group++) {
        const int64_t *size = NULL;
        const double *time = NULL;
        int64_t points = 0;
        if (scalay_profile_points(profile, group, &points, &size, &time, NULL) != SCALAY_SUCCESS) points = 0;
        key = scalay_fingerprint_add(key, scalay_profile_multiplicity(profile, group));
        for (int64_t k = 0; k < points; k++) {
            int64_t bits = 0;
            memcpy(&bits, &time[k], sizeof bits);
            key = scalay_fingerprint_add(scalay_fingerprint_add(key, size[k]), bits);
        }
    }
    return key;
}

/* Everything that a job depends on. Names of transports are hashed by their characters. */
static uint64_t key_of(const scalay_grid_request *r)
{
    const scalay_one_call_options *o = r->options;
    const int numbers[] = {(int)r->kind, r->type,  (int)r->uplo, (int)o->placement,
                           o->nprow,     o->npcol, o->nb,        (int)o->objective};
    uint64_t key = scalay_fingerprint_add_ints(scalay_fingerprint_start(), numbers, sizeof numbers / sizeof *numbers);
    key = scalay_fingerprint_add(key, (int64_t)scalay_layout_fingerprint(r->layout));
    for (const char *c = o->transport; c != NULL && *c != '\0'; c++) key = scalay_fingerprint_add(key, *c);
    if (o->profile != NULL) key = add_profile(key, o->profile);
    return scalay_machine_fingerprint(key, o->machine);
}

/* The leading dimension of this rank's array. */
static uint64_t local_key_of(const scalay_comm *comm, const scalay_layout *layout)
{
    const int part = scalay_layout_part_of_process(layout, comm->rank);
    if (part < 0 || !scalay_layout_is_grid(layout)) return 0;
    return (uint64_t)scalay_layout_cell(layout, part, 0).ld;
}

/* Sets the rates to those of the communicator, unless the caller gives rates. Collective; all ranks give rates, or
 * none. A new job may measure them.
 */
static scalay_status find_machine(scalay_comm *comm, int is_new, scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine_numbers *numbers = NULL;
    if (r->options->machine != NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_machine_numbers_get(comm, is_new ? scalay_grid_request_time_limit(comm, r) : 0, &numbers));
    r->page_seconds = numbers->page_seconds;
    if (numbers->source != SCALAY_NUMBERS_NONE) r->machine = &numbers->machine;
cleanup:
    return status;
}

static const scalay_placement placement_of[SCALAY_WAYS] = {[SCALAY_WAY_STAY] = SCALAY_PLACEMENT_STAY,
                                                           [SCALAY_WAY_MOVE] = SCALAY_PLACEMENT_MOVE,
                                                           [SCALAY_WAY_ENGINE] = SCALAY_PLACEMENT_ENGINE};

static scalay_way way_of(const scalay_grid_job *job)
{
    return job->by_engine ? SCALAY_WAY_ENGINE : job->stays ? SCALAY_WAY_STAY : SCALAY_WAY_MOVE;
}

/* Are the ways to compute compared? Without rates a good layout is not left, and rates of the caller decide alone. */
static int has_trials(const scalay_grid_request *r)
{
    return r->machine != NULL && r->options->machine == NULL && scalay_grid_request_leaves_choice(r);
}

/* Creates the job of a call. Collective. */
static scalay_status create_job(scalay_comm *comm, const scalay_grid_request *r, scalay_grid_job **job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_grid_job_choose(comm, r, job));
    SCALAY_TRY(scalay_engine_weigh(r, scalay_grid_request_machine(r), *job));
    scalay_trials_start(&(*job)->trials, way_of(*job));
    if (!(*job)->by_engine) SCALAY_TRY(scalay_grid_job_connect(*job, r));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_grid_job_destroy(job);
    return status;
}

/* The job that a comparison puts aside has an entry of its own in the cache. */
static scalay_cache_call aside_of(const scalay_cache_call *call)
{
    return scalay_cache_part(call, SCALAY_PLACEMENT_CHOOSE);
}

/* Releases the job that was put aside, if there is one. Collective. */
static void drop_aside(scalay_comm *comm, const scalay_cache_call *call)
{
    const scalay_cache_call aside = aside_of(call);
    scalay_cache_drop(comm, &aside);
}

/* Creates a job that computes as the trials of another one say. Collective. */
static scalay_status create_other_job(scalay_comm *comm, const scalay_grid_request *r, const scalay_grid_job *job,
                                      scalay_grid_job **other, int *references)
{
    scalay_status status = SCALAY_SUCCESS;
    const int before = comm->references;
    scalay_one_call_options options = *r->options;
    scalay_grid_request there = *r;
    options.placement = placement_of[job->trials.present];
    there.options = &options;
    there.is_repeated = 1;
    SCALAY_TRY(create_job(comm, &there, other));
    *references = comm->references - before;
    (*other)->statistics.predicted_stay_seconds = job->statistics.predicted_stay_seconds;
cleanup:
    return status;
}

/* Goes on with the job that computes as the trials say: with that put aside, or a new one. The job of the call, which
 * is in the cache unless *references says that it is new, is put aside then. If that fails, it goes on. Collective. */
static scalay_status change_job(scalay_comm *comm, const scalay_grid_request *r, const scalay_cache_call *call,
                                scalay_grid_job **job, int *references)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_cache_call aside = aside_of(call);
    const int is_cached = *references == 0;
    scalay_grid_job *old_job = *job, *other = scalay_cache_exchange(comm, call, &aside);
    if (other != NULL && way_of(other) != old_job->trials.present) {
        scalay_cache_drop(comm, call);
        other = NULL;
    }
    if (other != NULL)
        *references = 0;
    else
        SCALAY_TRY(create_other_job(comm, r, old_job, &other, references));
    other->trials = old_job->trials;
    other->gain_nanoseconds = 0;
    if (!is_cached) scalay_grid_job_destroy(&old_job);
    *job = other;
cleanup:
    if (status != SCALAY_SUCCESS) (void)scalay_cache_exchange(comm, call, &aside);
    return status;
}

/* Releases what a comparison has put aside. Collective. */
static void end_comparison(scalay_comm *comm, const scalay_cache_call *call, const scalay_grid_job *job)
{
    drop_aside(comm, call);
    if (!job->by_engine) scalay_engine_forget(comm, call);
}

/* Lets the cached job of a call compute as its trials say. If that fails, the old one goes on. Collective. */
static void count_trial(scalay_comm *comm, const scalay_grid_request *r, const scalay_cache_call *call,
                        scalay_grid_job **job, int *references)
{
    const scalay_way before = way_of(*job);
    const int was_comparing = scalay_trials_are_comparing(&(*job)->trials);
    scalay_trials_count(&(*job)->trials, call->nanoseconds);
    if ((*job)->trials.present != before && change_job(comm, r, call, job, references) != SCALAY_SUCCESS)
        scalay_trials_give_up(&(*job)->trials, before);
    if (was_comparing && !scalay_trials_are_comparing(&(*job)->trials)) end_comparison(comm, call, *job);
}

/* Lets the engine compute from this call on if the job prefers it. Returns 0 if it prefers a move, which is not planned
 * yet. */
static int change_to_engine(scalay_grid_job *job)
{
    if (!job->prefers_engine) return 0;
    job->by_engine = 1;
    job->gain_nanoseconds = 0;
    scalay_trials_start(&job->trials, SCALAY_WAY_ENGINE);
    return 1;
}

/* Finds or creates a job that stays because the calls so far are too short for a choice. *job: that of the cache; NULL
 * if the way is to be chosen now. *calls: so far. Collective. */
static scalay_status find_undecided(scalay_comm *comm, const scalay_grid_request *r, const scalay_cache_call *call,
                                    scalay_grid_job **job, scalay_grid_job_calls *calls, int *references)
{
    scalay_status status = SCALAY_SUCCESS;
    const int before = comm->references;
    if (*job == NULL) {
        SCALAY_TRY(scalay_grid_job_create_undecided(comm, r, job));
        *references = comm->references - before;
    } else if (scalay_grid_job_stays_undecided(*job)) {
        (*job)->statistics.plan_seconds = 0.0;
    } else {
        *calls = (*job)->calls;
        *job = NULL;
        scalay_cache_drop(comm, call);
    }
cleanup:
    return status;
}

/* Finds the job of a call in the cache, or creates it. *began is set when the ranks have met. Collective. */
static scalay_status find_job(scalay_comm *comm, scalay_grid_request *r, scalay_cache_call *call, scalay_grid_job **job,
                              int *references, double *began)
{
    scalay_status status = SCALAY_SUCCESS;
    void *object = NULL;
    scalay_grid_job_calls calls = {0};
    if (call->status == SCALAY_SUCCESS) {
        call->key = key_of(r);
        call->local_key = local_key_of(comm, r->layout);
    }
    SCALAY_TRY(scalay_cache_find(comm, call, &object));
    *began = MPI_Wtime();
    *references = 0;
    *job = object;
    if (*job != NULL) scalay_grid_job_count(*job, call->nanoseconds);
    if (*job == NULL || (*job)->undecided_nanoseconds > 0) {
        SCALAY_TRY(find_undecided(comm, r, call, job, &calls, references));
        if (*job != NULL) goto cleanup;
    }
    SCALAY_TRY(find_machine(comm, *job == NULL, r));
    if (*job != NULL && scalay_grid_job_should_change(*job)) r->is_repeated = !change_to_engine(*job);
    if (*job != NULL && !r->is_repeated) {
        if (has_trials(r)) count_trial(comm, r, call, job, references);
        if (*references == 0) (*job)->statistics.plan_seconds = 0.0;
        goto cleanup;
    }
    *job = NULL;
    drop_aside(comm, call);
    if (r->is_repeated) scalay_cache_drop(comm, call);
    const int before = comm->references;
    SCALAY_TRY(create_job(comm, r, job));
    /* Calls that stayed have saved nothing. */
    (*job)->calls = (*job)->stays ? calls : (scalay_grid_job_calls){.count = calls.count};
    *references = comm->references - before;
cleanup:
    return status;
}

/* Factors by the engine. If it has too little memory, a job by ScaLAPACK's routine takes over, in this call and in
 * later ones: *done is 0 on all ranks. Collective. */
static scalay_status factor_by_engine(scalay_comm *comm, const scalay_grid_request *r, const scalay_cache_call *call,
                                      const operands *o, scalay_grid_job **job, int *references, int *done)
{
    int info = 0;
    *done = 1;
    scalay_status status = scalay_engine_call(r, scalay_grid_request_machine(r), call, *job, o, &info);
    if (status == SCALAY_SUCCESS) return check_info(r, info, o->info);
    if (status != SCALAY_ERROR_MEMORY || r->options->placement == SCALAY_PLACEMENT_ENGINE) return status;
    *done = 0;
    scalay_engine_forget(comm, call);
    scalay_trials_give_up(&(*job)->trials, (*job)->stays ? SCALAY_WAY_STAY : SCALAY_WAY_MOVE);
    SCALAY_TRY(change_job(comm, r, call, job, references));
    end_comparison(comm, call, *job);
cleanup:
    return status;
}

static scalay_status factor(scalay_comm *comm, scalay_grid_request *r, const scalay_one_call_options *options,
                            const operands *o)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_one_call_options given = scalay_one_call_options_default();
    scalay_cache_call call = {.function = r->function};
    scalay_grid_job *job = NULL;
    buffers b = {0};
    int references = 0, done = 0;
    double began = 0.0;
    SCALAY_TRY(scalay_check_not_null(comm, r->function, "comm"));
    r->options = &given;
    status = scalay_option_struct_read(options, &given, sizeof given, r->function);
    if (status == SCALAY_SUCCESS) status = scalay_grid_request_check(comm, r);
    if (status == SCALAY_SUCCESS) status = check_arrays(comm, r, o);
    call.status = status;
    call.flags[WANTS_VECTOR] = o->vector != NULL;
    call.flags[LACKS_VECTOR] = o->vector == NULL;
    call.flags[WANTS_REPLICATED] = given.replicated != NULL;
    SCALAY_TRY(find_job(comm, r, &call, &job, &references, &began));
    job->statistics.settled = job->undecided_nanoseconds == 0 && job->gain_nanoseconds == 0 &&
                              (!has_trials(r) || scalay_trials_are_over(&job->trials));
    job->statistics.trial = scalay_trials_is_trial(&job->trials);
    if (job->by_engine) SCALAY_TRY(factor_by_engine(comm, r, &call, o, &job, &references, &done));
    if (done) goto cleanup;
    if (needs_buffers(job, r, &call)) SCALAY_TRY(scalay_comm_agree(comm, create_buffers(job, r, o, &call, &b)));
    SCALAY_TRY(execute(job, r, o, &b));
    if (o->statistics != NULL) *o->statistics = job->statistics;
cleanup:
    if (references > 0) scalay_cache_keep(comm, &call, job, destroy_job, 0, references);
    free_buffers(&b);
    if (began > 0.0) scalay_cache_ended(comm, &call, scalay_whole_nanoseconds(MPI_Wtime() - began));
    return status;
}

scalay_status scalay_geqrf_with_work(scalay_comm *comm, scalay_type type, const scalay_layout *layout,
                                     const scalay_one_call_options *options, void *a, void *tau, void *work, int lwork,
                                     scalay_one_call_statistics *statistics)
{
    static const char *const function[] = {[SCALAY_FLOAT] = "scalay_psgeqrf",
                                           [SCALAY_DOUBLE] = "scalay_pdgeqrf",
                                           [SCALAY_COMPLEX_FLOAT] = "scalay_pcgeqrf",
                                           [SCALAY_COMPLEX_DOUBLE] = "scalay_pzgeqrf"};
    scalay_grid_request r = {.function = function[type],
                             .kind = SCALAY_GEQRF,
                             .type = type,
                             .uplo = SCALAY_WHOLE,
                             .layout = layout,
                             .work = work,
                             .lwork = lwork};
    const operands o = {.a = a, .vector = tau, .statistics = statistics};
    return factor(comm, &r, options, &o);
}

#define ENTRY float
#define TYPE SCALAY_FLOAT
#define GEQRF scalay_psgeqrf
#define GETRF scalay_psgetrf
#define POTRF scalay_pspotrf
#include "factor/one_call_worker.c"

#define ENTRY double
#define TYPE SCALAY_DOUBLE
#define GEQRF scalay_pdgeqrf
#define GETRF scalay_pdgetrf
#define POTRF scalay_pdpotrf
#include "factor/one_call_worker.c"

#define ENTRY void
#define TYPE SCALAY_COMPLEX_FLOAT
#define GEQRF scalay_pcgeqrf
#define GETRF scalay_pcgetrf
#define POTRF scalay_pcpotrf
#include "factor/one_call_worker.c"

#define ENTRY void
#define TYPE SCALAY_COMPLEX_DOUBLE
#define GEQRF scalay_pzgeqrf
#define GETRF scalay_pzgetrf
#define POTRF scalay_pzpotrf
#include "factor/one_call_worker.c"
