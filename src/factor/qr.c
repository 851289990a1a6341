/*
 * QR factorisation by p?geqrf of ScaLAPACK, kept on its grid, for any layout of the matrix.
 *
 * 1. A grid job (grid_job.c) chooses grid, block size and processes, and moves the matrix to the grid.
 * 2. p?geqrf factors it there.
 * 3. The result stays on the grid, with an ordinary BLACS context and descriptor, or moves back.
 *
 * Memory: one copy of the matrix, plus the workspace of p?geqrf; verification needs two more copies.
 */

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "factor/grid_job.h"
#include "factor/vector.h"
#include "factor/verify.h"
#include "parallel/scalapack.h"

struct scalay_qr {
    scalay_grid_job *job;
    const scalay_scalapack_kernels *kernels;
    scalay_layout *first_columns; /* of the caller's layout: columns 0 .. k - 1 */
    int is_source;                /* 1: this rank has elements in the caller's layout */
    void *local;
    void *tau;
    scalay_qr_statistics statistics;
};

/* Public name for messages of static functions. */
static const char create_name[] = "scalay_qr_create";

void scalay_qr_options_init(scalay_qr_options *options, size_t size)
{
    const scalay_qr_options defaults = {.size = sizeof defaults, .objective = SCALAY_MIN_STEPS_THEN_VOLUME};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static int is_on_grid(const scalay_qr *qr)
{
    return scalay_grid_job_has_rank(qr->job);
}

static scalay_status max_elapsed(scalay_comm *comm, double began, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double mine = MPI_Wtime() - began;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
cleanup:
    return status;
}

static scalay_status check_info(const char *function, const char *routine, int info)
{
    if (info == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_BLACS, function, "internal error: %s returned info = %d; please report this",
                       routine, info);
}

static scalay_status new_array(const scalay_qr *qr, int64_t count, void **array)
{
    const size_t size = scalay_type_size(qr->job->type);
    *array = scalay_allocate(count, size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "a local part", count, size);
}

static scalay_status create_factors(const scalay_qr *qr, scalay_qr_factors *factors)
{
    const scalay_grid_job *job = qr->job;
    *factors = (scalay_qr_factors){
        .m = job->m, .n = job->n, .k = job->k, .desc = job->desc, .a = qr->local, .tau = qr->tau, .lwork = job->lwork};
    if (!is_on_grid(qr) || job->k == 0) return SCALAY_SUCCESS;
    return new_array(qr, job->lwork, &factors->work);
}

/* ------------------------------------------------------------------------------------------------ create */

static scalay_status check_arguments(const scalay_comm *comm, const scalay_grid_request *r, const void *a,
                                     scalay_qr **qr)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, create_name, "qr"));
    SCALAY_TRY(scalay_grid_request_check(comm, r));
    if (a == NULL && scalay_layout_elements(r->layout, comm->rank) > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "a is NULL, or too short in Fortran; it must have the %lld elements of this rank",
                           (long long)scalay_layout_elements(r->layout, comm->rank));
cleanup:
    return status;
}

static scalay_status create_arrays(scalay_qr *qr, scalay_qr_factors *factors)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_grid_job *job = qr->job;
    SCALAY_TRY(new_array(qr, job->local_size, &qr->local));
    SCALAY_TRY(new_array(qr, job->vector_size, &qr->tau));
    SCALAY_TRY(scalay_layout_submatrix(job->layout, 0, 0, job->m, job->k, &qr->first_columns));
    SCALAY_TRY(create_factors(qr, factors));
cleanup:
    return status;
}

static scalay_status move_to_grid(scalay_qr *qr, const void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, scalay_plan_execute(qr->job->plan, a, qr->local)));
    SCALAY_TRY(max_elapsed(qr->job->comm, began, &qr->statistics.move_seconds));
cleanup:
    return status;
}

static scalay_status factor(scalay_qr *qr, const scalay_qr_factors *factors)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    const int info = scalay_grid_job_factor(qr->job, qr->local, qr->tau, factors->work, qr->job->lwork);
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, check_info(create_name, "p?geqrf", info)));
    SCALAY_TRY(max_elapsed(qr->job->comm, began, &qr->statistics.kernel_seconds));
cleanup:
    return status;
}

static void record_choice(scalay_qr *qr)
{
    const scalay_grid_job *job = qr->job;
    const scalay_one_call_statistics *s = &job->statistics;
    qr->statistics.processes = s->processes;
    qr->statistics.nprow = s->nprow;
    qr->statistics.npcol = s->npcol;
    qr->statistics.nb = s->nb;
    qr->statistics.volume = s->volume;
    qr->statistics.steps = s->steps;
    qr->statistics.canonical_volume = job->canonical_volume;
    qr->statistics.canonical_steps = job->canonical_steps;
    qr->statistics.predicted_move_seconds = s->predicted_move_seconds / 2.0; /* of both moves */
    qr->statistics.predicted_kernel_seconds = s->predicted_kernel_seconds;
}

static scalay_status create_on_all(scalay_comm *comm, const scalay_grid_request *r, const void *a, scalay_qr *qr)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_factors factors = {0};
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_grid_job_create(comm, r, &qr->job));
    record_choice(qr);
    qr->is_source = scalay_layout_elements(r->layout, comm->rank) > 0;
    SCALAY_TRY(scalay_comm_agree(comm, create_arrays(qr, &factors)));
    SCALAY_TRY(max_elapsed(comm, began, &qr->statistics.plan_seconds));
    SCALAY_TRY(move_to_grid(qr, a));
    SCALAY_TRY(factor(qr, &factors));
cleanup:
    scalay_release(factors.work);
    return status;
}

scalay_status scalay_qr_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                               const scalay_qr_options *options, const void *a, scalay_qr **qr)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *new_qr = NULL;
    scalay_qr_options given = scalay_qr_options_default();
    scalay_one_call_options job_options = scalay_one_call_options_default();
    const scalay_grid_request request = {.function = create_name,
                                         .kind = SCALAY_GEQRF,
                                         .type = type,
                                         .uplo = SCALAY_WHOLE,
                                         .layout = layout,
                                         .options = &job_options,
                                         .is_repeated = 1};
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    if (qr != NULL) *qr = NULL;
    status = scalay_option_struct_read(options, &given, sizeof given, __func__);
    job_options.placement = SCALAY_PLACEMENT_MOVE;
    job_options.nprow = given.nprow;
    job_options.npcol = given.npcol;
    job_options.nb = given.nb;
    job_options.objective = given.objective;
    job_options.transport = given.transport;
    job_options.machine = given.machine;
    if (status == SCALAY_SUCCESS) status = check_arguments(comm, &request, a, qr);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(new_qr, 1);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    new_qr->kernels = scalay_scalapack_kernels_of(type);
    SCALAY_TRY(create_on_all(comm, &request, a, new_qr));
    *qr = new_qr;
    new_qr = NULL;
cleanup:
    scalay_qr_destroy(&new_qr);
    return status;
}

void scalay_qr_destroy(scalay_qr **qr)
{
    if (qr == NULL || *qr == NULL) return;
    scalay_qr *old_qr = *qr;
    *qr = NULL;
    scalay_release(old_qr->tau);
    scalay_release(old_qr->local);
    scalay_layout_destroy(&old_qr->first_columns);
    scalay_grid_job_destroy(&old_qr->job);
    scalay_release(old_qr);
}

/* ------------------------------------------------------------------------------------------------- queries */

scalay_status scalay_qr_get_matrix(const scalay_qr *qr, scalay_qr_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(scalay_check_not_null(matrix, __func__, "matrix"));
    *matrix = (scalay_qr_matrix){
        .ctxt = qr->job->ctxt, .desc = qr->job->desc, .local = qr->local, .tau = qr->tau, .reflectors = qr->job->k};
cleanup:
    return status;
}

const scalay_qr_choice *scalay_qr_get_choice(const scalay_qr *qr)
{
    return qr != NULL ? qr->job->choice : NULL;
}

scalay_status scalay_qr_get_statistics(const scalay_qr *qr, scalay_qr_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(scalay_check_not_null(statistics, __func__, "statistics"));
    *statistics = qr->statistics;
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- bring back */

static scalay_status agree_on_array(const scalay_qr *qr, const char *function, const char *name, const void *array)
{
    scalay_status status = SCALAY_SUCCESS;
    if (array == NULL && qr->is_source)
        status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                             "%s is NULL, or too short in Fortran; it must have the elements of this rank", name);
    return scalay_comm_agree(qr->job->comm, status);
}

scalay_status scalay_qr_bring_back(scalay_qr *qr, void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(agree_on_array(qr, __func__, "a", a));
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, scalay_plan_execute_back(qr->job->plan, qr->local, a)));
    SCALAY_TRY(max_elapsed(qr->job->comm, began, &qr->statistics.back_seconds));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ tau */

scalay_status scalay_qr_gather_tau(scalay_qr *qr, void *tau)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    if (tau == NULL && qr->job->k > 0)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "tau is NULL, or too short in Fortran; it must have %d elements",
                             qr->job->k);
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, status));
    if (qr->job->k > 0) SCALAY_TRY(scalay_grid_job_gather(qr->job, qr->tau, tau));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- form Q */

/* Plans the move of the first k columns. */
static scalay_status plan_first_columns(scalay_qr *qr, scalay_plan **plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *columns = NULL;
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = qr->job->transport;
    SCALAY_TRY(scalay_comm_agree(qr->job->comm,
                                 scalay_layout_submatrix(qr->job->target, 0, 0, qr->job->m, qr->job->k, &columns)));
    SCALAY_TRY(scalay_plan_create(qr->job->comm, qr->first_columns, columns, NULL, qr->job->type, &options, plan));
cleanup:
    scalay_layout_destroy(&columns);
    return status;
}

static scalay_status bring_back_q(scalay_qr *qr, const void *local, void *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan *plan = NULL;
    if (qr->job->k < qr->job->n) SCALAY_TRY(plan_first_columns(qr, &plan));
    SCALAY_TRY(
        scalay_comm_agree(qr->job->comm, scalay_plan_execute_back(plan != NULL ? plan : qr->job->plan, local, q)));
cleanup:
    scalay_plan_destroy(&plan);
    return status;
}

scalay_status scalay_qr_form_q(scalay_qr *qr, void *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_factors factors = {0};
    void *local = NULL;
    int info = 0;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(agree_on_array(qr, __func__, "q", q));
    status = create_factors(qr, &factors);
    if (status == SCALAY_SUCCESS) status = new_array(qr, qr->job->local_size, &local);
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, status));
    if (is_on_grid(qr) && qr->job->k > 0) {
        memcpy(local, qr->local, (size_t)qr->job->local_size * scalay_type_size(qr->job->type));
        info = qr->kernels->form_q(&factors, local);
    }
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, check_info(__func__, "p?orgqr", info)));
    SCALAY_TRY(bring_back_q(qr, local, q));
cleanup:
    scalay_release(local);
    scalay_release(factors.work);
    return status;
}

/* ------------------------------------------------------------------------------------------- verification */
static scalay_status create_check(const scalay_qr *qr, scalay_qr_check *check)
{
    scalay_status status = SCALAY_SUCCESS;
    check->kernels = qr->kernels;
    check->local_size = qr->job->local_size;
    SCALAY_TRY(create_factors(qr, &check->factors));
    SCALAY_TRY(new_array(qr, qr->job->local_size, &check->x));
    SCALAY_TRY(new_array(qr, qr->job->local_size, &check->y));
cleanup:
    return status;
}

static scalay_status compare_on_grid(const scalay_qr *qr, scalay_qr_check *check, double norms[3])
{
    if (!is_on_grid(qr) || qr->job->k == 0) return SCALAY_SUCCESS;
    return scalay_qr_compare("scalay_qr_verify", check, norms);
}

scalay_status scalay_qr_verify(scalay_qr *qr, const void *a, double *residual, double *orthogonality)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_check check = {0};
    double norms[3] = {0.0, 0.0, 0.0};
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    status = scalay_check_not_null(residual, __func__, "residual");
    if (status == SCALAY_SUCCESS) status = scalay_check_not_null(orthogonality, __func__, "orthogonality");
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, status));
    SCALAY_TRY(agree_on_array(qr, __func__, "a", a));
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, create_check(qr, &check)));
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, scalay_plan_execute(qr->job->plan, a, check.x)));
    SCALAY_TRY(scalay_comm_agree(qr->job->comm, compare_on_grid(qr, &check, norms)));
    SCALAY_TRY_MPI(
        MPI_Bcast(norms, 3, MPI_DOUBLE, scalay_layout_process_of_part(qr->job->target, 0), qr->job->comm->mpi));
    const double scale = (double)scalay_max_int64(qr->job->m, qr->job->n) * qr->kernels->epsilon;
    *residual = scalay_residual_ratio(norms[1], norms[0] * scale);
    *orthogonality = scalay_residual_ratio(norms[2], scale);
cleanup:
    scalay_release(check.y);
    scalay_release(check.x);
    scalay_release(check.factors.work);
    return status;
}

/* -------------------------------------------------------------------------------------------- description */
static const char *proof_text(scalay_proof proof)
{
    static const char *const texts[] = {[SCALAY_PROOF_NONE] = "not optimised",
                                        [SCALAY_PROOF_OPTIMAL] = "proven optimal",
                                        [SCALAY_PROOF_HEURISTIC] = "heuristic"};
    return texts[proof];
}

int scalay_qr_describe(const scalay_qr *qr, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (qr == NULL) {
        scalay_text_append(&all, "no factorisation");
        return (int)all.length;
    }
    const scalay_qr_statistics *s = &qr->statistics;
    all.length = scalay_qr_choice_describe(qr->job->choice, text, size);
    scalay_text_append(&all, " Mapping by %s (%s): %lld of %lld elements change process in %lld one-port steps",
                       scalay_objective_name(qr->job->objective), proof_text(qr->job->proof), (long long)s->volume,
                       (long long)qr->job->m * qr->job->n, (long long)s->steps);
    scalay_text_append(&all, " (canonical: %lld in %lld), predicted to take %.3g s.", (long long)s->canonical_volume,
                       (long long)s->canonical_steps, s->predicted_move_seconds);
    scalay_text_append(&all, " Measured: plan %.3g s, move %.3g s, kernel %.3g s", s->plan_seconds, s->move_seconds,
                       s->kernel_seconds);
    if (s->back_seconds > 0.0) scalay_text_append(&all, ", back %.3g s", s->back_seconds);
    scalay_text_append(&all, ".");
    return (int)all.length;
}
