/*
 * Grid jobs: QR, LU and Cholesky by p?geqrf, p?getrf and p?potrf.
 *
 * grid_choice.c chooses the layout. The ranks make equal choices from equal numbers; one reduction checks this.
 */

#include "factor/grid_job.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/change.h"
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "factor/grid_choice.h"
#include "factor/vector.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "multiply/in_place.h"
#include "multiply/move_time.h"
#include "parallel/grid.h"
#include "parallel/machine_numbers.h"
#include "parallel/machine_types.h"
#include "parallel/node.h"
#include "parallel/scalapack.h"
#include "parallel/topologies.h"

/* Local workspaces of p?geqrf up to this size are kept with the job, in bytes. */
enum { KEPT_WORK = 1 << 20 };

int scalay_grid_job_has_rank(const scalay_grid_job *job)
{
    return job->row >= 0;
}

/* ---------------------------------------------------------------------------------------------- arguments */

static scalay_status check_layout(const scalay_comm *comm, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    int extent = 0;
    SCALAY_TRY(scalay_check_not_null(r->layout, r->function, "layout"));
    if (scalay_layout_processes(r->layout) > comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "layout has %d processes; it must have at most %d, the ranks of comm. Use a communicator "
                           "that contains them",
                           scalay_layout_processes(r->layout), comm->size);
    SCALAY_TRY(scalay_to_int(scalay_layout_rows(r->layout), r->function, "the number of rows", &extent));
    SCALAY_TRY(scalay_to_int(scalay_layout_cols(r->layout), r->function, "the number of columns", &extent));
    if (r->kind == SCALAY_POTRF && scalay_layout_rows(r->layout) != scalay_layout_cols(r->layout))
        return scalay_fail(SCALAY_ERROR_MISMATCH, r->function, "layout is %lld x %lld; it must be square",
                           (long long)scalay_layout_rows(r->layout), (long long)scalay_layout_cols(r->layout));
cleanup:
    return status;
}

scalay_status scalay_grid_request_check(const scalay_comm *comm, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_layout(comm, r));
    if (scalay_scalapack_kernels_of(r->type) == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "type is %d; it must be SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or "
                           "SCALAY_COMPLEX_DOUBLE",
                           r->type);
    if (r->kind == SCALAY_POTRF && r->uplo != SCALAY_UPPER && r->uplo != SCALAY_LOWER)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function, "uplo is %d; it must be SCALAY_UPPER or SCALAY_LOWER",
                           (int)r->uplo);
    if (r->options->objective < SCALAY_CANONICAL || r->options->objective > SCALAY_MIN_TIME)
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, r->function,
            "options->objective is %d; it must be a scalay_objective, SCALAY_CANONICAL to SCALAY_MIN_TIME",
            (int)r->options->objective);
    if (r->options->placement < SCALAY_PLACEMENT_CHOOSE || r->options->placement > SCALAY_PLACEMENT_ENGINE)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, r->function,
                           "options->placement is %d; it must be a scalay_placement", (int)r->options->placement);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ staying */

static void find_position(scalay_grid_job *job, const scalay_layout *layout)
{
    const scalay_grid_position at = scalay_grid_position_of(layout, job->comm->rank);
    job->row = at.row;
    job->col = at.col;
}

/* Prepares a job that stays, except for its context. */
static scalay_status prepare_stay(scalay_grid_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *layout = job->layout;
    const scalay_axis *row = &layout->row, *col = &layout->col;
    job->nprow = (int)row->classes;
    job->npcol = (int)col->classes;
    job->nb = (int)col->block;
    find_position(job, layout);
    SCALAY_TRY(scalay_layout_copy(layout, &job->target));
    if (job->row < 0) goto cleanup;
    const int64_t local_rows = scalay_axis_count_upto(row, job->row, row->first + row->extent);
    const int64_t local_cols = scalay_axis_count_upto(col, job->col, col->first + col->extent);
    job->lwork = (int)scalay_min_int64(
        scalay_qr_workspace((int)scalay_max_int64(row->block, col->block), (int)local_rows, (int)local_cols), INT_MAX);
    job->vector_size = scalay_vector_size(job->kind, layout, job->comm->rank);
cleanup:
    return status;
}

static void use_in_place(scalay_grid_job *job, const scalay_in_place *in_place)
{
    job->ctxt = in_place->ctxt;
    memcpy(job->desc, in_place->desc, sizeof job->desc);
    job->ia = in_place->ia;
    job->ja = in_place->ja;
}

static scalay_status create_stay(scalay_grid_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_in_place in_place;
    SCALAY_TRY(scalay_comm_agree(job->comm, prepare_stay(job)));
    SCALAY_TRY(scalay_in_place_create(job->comm, job->layout, &in_place));
    use_in_place(job, &in_place);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- moving */

/* ScaLAPACK counts and addresses with 32 bits. */
static scalay_status check_local_range(const scalay_grid_job *job, const char *function)
{
    const int64_t lwork = scalay_qr_workspace(job->nb, job->local_rows, job->local_cols);
    if (job->local_size > INT_MAX)
        return scalay_fail(
            SCALAY_ERROR_RANGE, function,
            "the local array on the grid is %d x %d; ScaLAPACK addresses at most 2^31 - 1 elements. Use more ranks",
            job->local_rows, job->local_cols);
    if (lwork > INT_MAX || scalay_max_int64(job->m, job->n) + job->nb > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, function,
                           "blocks of %d for a %d x %d matrix need %lld elements of workspace, more than ScaLAPACK can "
                           "count; use a smaller nb",
                           job->nb, job->m, job->n, (long long)lwork);
    return SCALAY_SUCCESS;
}

static scalay_status find_local_part(scalay_grid_job *job, const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    const int zero = 0;
    find_position(job, job->target);
    if (job->row < 0) return SCALAY_SUCCESS;
    job->local_rows = numroc_(&job->m, &job->nb, &job->row, &zero, &job->nprow);
    job->local_cols = numroc_(&job->n, &job->nb, &job->col, &zero, &job->npcol);
    SCALAY_TRY(scalay_layout_spread(&job->target, job->comm->rank, scalay_type_size(job->type)));
    job->local_size = scalay_layout_local_size(job->target, job->comm->rank);
    SCALAY_TRY(check_local_range(job, function));
    job->lwork = (int)scalay_qr_workspace(job->nb, job->local_rows, job->local_cols);
    job->vector_size = scalay_vector_size(job->kind, job->target, job->comm->rank);
cleanup:
    return status;
}

static scalay_status plan_on_rank(scalay_grid_job *job, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_grid_choose_processes(job, r));
    SCALAY_TRY(find_local_part(job, r->function));
cleanup:
    return status;
}

/* Predicts both moves. On several nodes, scalay_grid_choose_processes() has done so. */
static scalay_status predict_plan(scalay_grid_job *job, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *machine = scalay_grid_request_machine(r);
    double seconds = 0.0;
    if (job->node != NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_move_time(job->comm, job->plan,
                                scalay_move_segments(job->layout, job->target, SCALAY_NO_TRANSPOSE), job->type, machine,
                                &seconds));
    job->statistics.predicted_move_seconds = 2.0 * (seconds + scalay_grid_move_start(machine));
cleanup:
    return status;
}

static scalay_status create_move(scalay_grid_job *job, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_options options = scalay_plan_options_default();
    const scalay_uplo part = job->kind == SCALAY_POTRF ? job->uplo : SCALAY_WHOLE;
    if (r->options->transport != NULL) options.transport = r->options->transport;
    options.machine = r->options->machine;
    const scalay_plan_matrix matrix = {.source = job->layout, .target = job->target, .type = job->type, .uplo = part};
    SCALAY_TRY(scalay_plan_create_many(job->comm, 1, &matrix, &options, &job->plan));
    (void)snprintf(job->transport, sizeof job->transport, "%s", options.transport);
    SCALAY_TRY(predict_plan(job, r));
    SCALAY_TRY(scalay_grid_create(job->comm, job->target, NULL, &job->ctxt, job->desc));
    job->ia = job->ja = 1;
cleanup:
    return status;
}

/* The rates of the machine may differ between ranks, and with them the choices. */
static scalay_status agree_on_choice(const scalay_grid_job *job, const scalay_grid_request *r, int stays)
{
    const int choice[] = {job->nprow,     job->npcol,     job->nb,        stays,
                          (int)job->type, (int)job->kind, (int)job->uplo, (int)r->options->objective};
    uint64_t print = scalay_fingerprint_add_ints(scalay_fingerprint_start(), choice, sizeof choice / sizeof choice[0]);
    print = scalay_fingerprint_add(print, (int64_t)scalay_layout_fingerprint(job->layout));
    return scalay_comm_agree_value(job->comm, print, r->function, "layout, type, options or the choice of the grid");
}

static scalay_status init(scalay_comm *comm, const scalay_grid_request *r, scalay_grid_job **job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*job, 1));
    (*job)->comm = scalay_comm_retain(comm);
    (*job)->kind = r->kind;
    (*job)->type = r->type;
    (*job)->uplo = r->uplo;
    (*job)->m = (int)scalay_layout_rows(r->layout);
    (*job)->n = (int)scalay_layout_cols(r->layout);
    (*job)->k = (*job)->m < (*job)->n ? (*job)->m : (*job)->n;
    (*job)->ctxt = (*job)->row = (*job)->col = -1;
    (*job)->statistics.processes = comm->size;
    SCALAY_TRY(scalay_layout_copy(r->layout, &(*job)->layout));
cleanup:
    return status;
}

static scalay_status create_work(scalay_grid_job *job, const scalay_grid_request *r)
{
    const int64_t size = (int64_t)scalay_type_size(job->type);
    const int64_t all = scalay_qr_workspace(job->nb, job->m, job->n);
    job->keeps_work = job->kind == SCALAY_GEQRF && !scalay_grid_job_borrows(job, r) && all <= KEPT_WORK / size;
    if (!job->keeps_work || job->lwork == 0) return SCALAY_SUCCESS;
    job->work = scalay_allocate(job->lwork, (size_t)size);
    return job->work != NULL ? SCALAY_SUCCESS : scalay_no_memory("", "a workspace", job->lwork, (size_t)size);
}

static void set_shape(scalay_grid_job *job)
{
    job->statistics.nprow = job->nprow;
    job->statistics.npcol = job->npcol;
    job->statistics.nb = job->nb;
}

void scalay_grid_job_count(scalay_grid_job *job, int64_t nanoseconds)
{
    scalay_grid_job_calls *c = &job->calls;
    c->count++;
    if (nanoseconds <= 0) return;
    c->measured++;
    c->spent += nanoseconds;
    if (c->shortest == 0 || nanoseconds < c->shortest) c->shortest = nanoseconds;
}

/* What calls that moved have saved so far over staying, as predicted. */
static double saved_nanoseconds(const scalay_grid_job *job)
{
    const double stay = 1e9 * job->statistics.predicted_stay_seconds;
    return job->stays ? 0.0 : fmax(0.0, stay * (double)job->calls.measured - (double)job->calls.spent);
}

/* Calls so far may lose what the change takes beyond what they have saved; those that follow must gain all of it. If
 * calls take less than predicted, the gain is less, too. */
int scalay_grid_job_should_change(const scalay_grid_job *job)
{
    const scalay_one_call_statistics *s = &job->statistics;
    const double predicted = 1e9 * (s->predicted_kernel_seconds + s->predicted_move_seconds);
    const double call = job->calls.shortest > 0 ? (double)job->calls.shortest : predicted;
    const double change = (double)job->change_nanoseconds;
    const double gain = (double)job->gain_nanoseconds - fmax(0.0, predicted - call);
    const double unpaid = change - saved_nanoseconds(job);
    return gain > 0.0 && (double)job->calls.count >= scalay_calls_before_change(unpaid, gain, call) &&
           change <= gain * SCALAY_EXPECTED_REPEATS * (double)job->calls.count;
}

/* ---------------------------------------------------------------------------------------- undecided jobs */

static void use_context(scalay_grid_job *job, int ctxt)
{
    scalay_in_place in_place;
    scalay_in_place_describe(job->comm, job->layout, ctxt, &in_place);
    use_in_place(job, &in_place);
}

/* What a rank does before the agreement. The rest is not needed if the way is to be chosen now. */
static scalay_status prepare_undecided(scalay_comm *comm, const scalay_grid_request *r, scalay_grid_job **job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(init(comm, r, job));
    (*job)->stays = (*job)->statistics.stays = 1;
    SCALAY_TRY(scalay_grid_wait_for_choice(*job));
    if ((*job)->undecided_nanoseconds == 0) goto cleanup;
    SCALAY_TRY(prepare_stay(*job));
    SCALAY_TRY(create_work(*job, r));
cleanup:
    return status;
}

/* Between nodes, messages can take much longer than on a typical machine, so the first call chooses. */
scalay_status scalay_grid_job_create_undecided(scalay_comm *comm, const scalay_grid_request *r, scalay_grid_job **job)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    *job = NULL;
    const int may_wait = scalay_grid_may_wait(r) && !scalay_node_launched_on_several(comm->size);
    const uint64_t members = may_wait ? scalay_in_place_members(comm, r->layout) : 0;
    const int ctxt = members != 0 ? scalay_grid_find(comm, members) : -1;
    if (ctxt < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(comm, prepare_undecided(comm, r, job)));
    if ((*job)->undecided_nanoseconds == 0) {
        scalay_grid_job_destroy(job);
        return SCALAY_SUCCESS;
    }
    (*job)->members = members;
    use_context(*job, ctxt);
    scalay_trials_start(&(*job)->trials, SCALAY_WAY_STAY);
    set_shape(*job);
    (*job)->statistics.plan_seconds = MPI_Wtime() - began;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_grid_job_destroy(job);
    return status;
}

/* A context of the program may be released between calls. */
int scalay_grid_job_stays_undecided(scalay_grid_job *job)
{
    const int ctxt = scalay_grid_find(job->comm, job->members);
    if (ctxt < 0 || job->calls.spent >= job->undecided_nanoseconds) return 0;
    use_context(job, ctxt);
    return 1;
}

/* ----------------------------------------------------------------------------------------------- creation */

scalay_status scalay_grid_job_choose(scalay_comm *comm, const scalay_grid_request *r, scalay_grid_job **job)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_grid_job *new_job = NULL;
    int stays = 0;
    const double began = MPI_Wtime();
    const int *node = NULL, *type = NULL;
    SCALAY_TRY(scalay_node_of_ranks(comm, &node));
    SCALAY_TRY(scalay_node_types_of_ranks(comm, &type));
    status = init(comm, r, &new_job);
    if (status == SCALAY_SUCCESS) new_job->node = node;
    if (status == SCALAY_SUCCESS) new_job->node_type = type;
    if (status == SCALAY_SUCCESS) status = scalay_grid_choose_placement(new_job, r, &stays);
    if (status == SCALAY_SUCCESS && !stays) status = plan_on_rank(new_job, r);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(agree_on_choice(new_job, r, stays));
    new_job->stays = new_job->statistics.stays = stays;
    new_job->change_nanoseconds = scalay_whole_nanoseconds(scalay_grid_first_move_seconds(new_job, r));
    new_job->statistics.plan_seconds = MPI_Wtime() - began;
    *job = new_job;
    new_job = NULL;
cleanup:
    scalay_grid_job_destroy(&new_job);
    return status;
}

scalay_status scalay_grid_job_connect(scalay_grid_job *job, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    SCALAY_TRY(job->stays ? create_stay(job) : create_move(job, r));
    SCALAY_TRY(scalay_comm_agree(job->comm, create_work(job, r)));
    set_shape(job);
    job->statistics.plan_seconds += MPI_Wtime() - began;
cleanup:
    return status;
}

scalay_status scalay_grid_job_create(scalay_comm *comm, const scalay_grid_request *r, scalay_grid_job **job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_grid_job_choose(comm, r, job));
    SCALAY_TRY(scalay_grid_job_connect(*job, r));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_grid_job_destroy(job);
    return status;
}

void scalay_grid_job_destroy(scalay_grid_job **job)
{
    if (job == NULL || *job == NULL) return;
    scalay_grid_job *old_job = *job;
    *job = NULL;
    scalay_release(old_job->work);
    scalay_plan_destroy(&old_job->plan);
    if (old_job->members == 0) (void)scalay_grid_release(old_job->comm, &old_job->ctxt);
    scalay_qr_choice_destroy(&old_job->choice);
    scalay_layout_destroy(&old_job->target);
    scalay_layout_destroy(&old_job->layout);
    scalay_comm_destroy(&old_job->comm);
    scalay_release(old_job);
}

/* ---------------------------------------------------------------------------------------------- execution */

int scalay_grid_job_factor(const scalay_grid_job *job, void *a, void *vector, void *work, int lwork)
{
    const scalay_kernel_arguments arguments = {.uplo = job->uplo == SCALAY_UPPER ? 'U' : 'L',
                                               .m = job->m,
                                               .n = job->n,
                                               .a = a,
                                               .ia = job->ia,
                                               .ja = job->ja,
                                               .desc = job->desc,
                                               .vector = vector,
                                               .work = work,
                                               .lwork = lwork};
    if (!scalay_grid_job_has_rank(job) || job->k == 0) return 0;
    scalay_memory_keep_buffers();
    const scalay_scalapack_kernels *kernels = scalay_scalapack_kernels_of(job->type);
    if (job->stays) return kernels->factor[job->kind](&arguments);
    const scalay_topologies before = scalay_topologies_reset(job->ctxt);
    const int info = kernels->factor[job->kind](&arguments);
    scalay_topologies_restore(job->ctxt, &before);
    return info;
}
