#include <stdio.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "factor/qr_object.h"
#include "multiply/moving.h"

/* Failures go by the public name. */
static const char create_name[] = "scalay_qr_create";

scalay_qr_options scalay_qr_options_default(void)
{
    return (scalay_qr_options){.objective = SCALAY_MIN_STEPS_THEN_VOLUME};
}

int scalay_qr_is_member(const scalay_qr *qr)
{
    return qr->row >= 0;
}

scalay_status scalay_qr_elapsed(scalay_comm *comm, double began, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double mine = MPI_Wtime() - began;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
cleanup:
    return status;
}

scalay_status scalay_qr_check_info(const char *function, const char *routine, int info)
{
    if (info == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_BLACS, function, "%s returned info = %d; please report it", routine, info);
}

scalay_status scalay_qr_new_local(const scalay_qr *qr, int64_t count, void **array)
{
    const size_t size = scalay_type_size(qr->type);
    *array = scalay_allocate(count, size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "a local part", count, size);
}

scalay_status scalay_qr_factors_create(const scalay_qr *qr, scalay_qr_factors *factors)
{
    int64_t lwork = scalay_qr_workspace(qr->nb, qr->local_rows, qr->local_cols);
    *factors = (scalay_qr_factors){
        .m = qr->m, .n = qr->n, .k = qr->k, .desc = qr->desc, .a = qr->local, .tau = qr->tau, .lwork = (int)lwork};
    if (!scalay_qr_is_member(qr) || qr->k == 0) return SCALAY_SUCCESS;
    return scalay_qr_new_local(qr, lwork, &factors->work);
}

/* ------------------------------------------------------------------------------------------------ create */

/* Grid and block come from rates that may have been measured by each rank for itself. */
static scalay_status agree_on_grid(const scalay_qr *qr)
{
    const int choice[] = {qr->nprow, qr->npcol, qr->nb, (int)qr->type, (int)qr->objective};
    uint64_t print = scalay_fingerprint_add_ints(scalay_fingerprint_start(), choice, sizeof choice / sizeof choice[0]);
    return scalay_comm_agree_value(qr->comm, print, create_name, "type, objective, grid or block size");
}

/* The ways to move and to compute: the plan and the BLACS context, on every rank or on none. */
static scalay_status make_ways(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_options plan_options = scalay_plan_options_default();
    if (options->transport != NULL) plan_options.transport = options->transport;
    plan_options.machine = options->machine;
    SCALAY_TRY(scalay_plan_create(qr->comm, layout, qr->target, NULL, qr->type, &plan_options, &qr->plan));
    (void)snprintf(qr->transport, sizeof qr->transport, "%s", plan_options.transport);
    SCALAY_TRY(scalay_moving_predict(qr->comm, qr->plan,
                                     scalay_moving_segments(layout, qr->target, SCALAY_NO_TRANSPOSE), qr->type,
                                     options->machine, &qr->statistics.predicted_move_seconds));
    SCALAY_TRY(scalay_grid_create(qr->comm, qr->target, NULL, &qr->ctxt, qr->desc));
cleanup:
    return status;
}

static scalay_status make_room(scalay_qr *qr, scalay_qr_factors *factors)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_qr_new_local(qr, qr->local_size, &qr->local));
    SCALAY_TRY(scalay_qr_new_local(qr, qr->local_reflectors, &qr->tau));
    SCALAY_TRY(scalay_qr_factors_create(qr, factors));
cleanup:
    return status;
}

static scalay_status move_there(scalay_qr *qr, const void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute(qr->plan, a, qr->local)));
    SCALAY_TRY(scalay_qr_elapsed(qr->comm, began, &qr->statistics.move_seconds));
cleanup:
    return status;
}

static scalay_status factor(scalay_qr *qr, const scalay_qr_factors *factors)
{
    scalay_status status = SCALAY_SUCCESS;
    int info = 0;
    const double began = MPI_Wtime();
    if (scalay_qr_is_member(qr) && qr->k > 0) info = qr->operations->factor(factors, qr->local, qr->tau);
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_qr_check_info(create_name, "p?geqrf", info)));
    SCALAY_TRY(scalay_qr_elapsed(qr->comm, began, &qr->statistics.kernel_seconds));
cleanup:
    return status;
}

static scalay_status create_on_all(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options,
                                   const void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_factors factors = {0};
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_qr_prepare(qr, layout, options)));
    SCALAY_TRY(agree_on_grid(qr));
    SCALAY_TRY(make_ways(qr, layout, options));
    SCALAY_TRY(scalay_comm_agree(qr->comm, make_room(qr, &factors)));
    SCALAY_TRY(scalay_qr_elapsed(qr->comm, began, &qr->statistics.plan_seconds));
    SCALAY_TRY(move_there(qr, a));
    SCALAY_TRY(factor(qr, &factors));
cleanup:
    scalay_release(factors.work);
    return status;
}

static scalay_status check_arguments(const scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                     const scalay_qr_options *options, const void *a, scalay_qr **qr)
{
    if (qr == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "qr is NULL; pass the address of a scalay_qr *");
    if (layout == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "layout is NULL; say where the matrix is");
    if (scalay_qr_operations_of(type) == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "type is %d; pass SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    if (options->objective < SCALAY_CANONICAL || options->objective > SCALAY_MIN_TIME)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options has objective %d; pass SCALAY_CANONICAL, SCALAY_MIN_TIME or one between them",
                           (int)options->objective);
    if (a == NULL && scalay_layout_elements(layout, comm->rank) > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "a is NULL, but this rank holds %lld elements",
                           (long long)scalay_layout_elements(layout, comm->rank));
    return SCALAY_SUCCESS;
}

/* A factorisation that can be destroyed. */
static scalay_status start(scalay_comm *comm, scalay_type type, scalay_qr **qr)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*qr, 1));
    (*qr)->comm = scalay_comm_retain(comm);
    (*qr)->type = type;
    (*qr)->operations = scalay_qr_operations_of(type);
    (*qr)->ctxt = (*qr)->row = (*qr)->col = -1;
cleanup:
    return status;
}

scalay_status scalay_qr_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                               const scalay_qr_options *options, const void *a, scalay_qr **qr)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *made = NULL;
    const scalay_qr_options wanted = options != NULL ? *options : scalay_qr_options_default();
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (qr != NULL) *qr = NULL;
    status = check_arguments(comm, layout, type, &wanted, a, qr);
    if (status == SCALAY_SUCCESS) status = start(comm, type, &made);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(create_on_all(made, layout, &wanted, a));
    *qr = made;
    made = NULL;
cleanup:
    scalay_qr_destroy(&made);
    return status;
}

void scalay_qr_destroy(scalay_qr **qr)
{
    if (qr == NULL || *qr == NULL) return;
    scalay_qr *going = *qr;
    *qr = NULL;
    scalay_release(going->tau);
    scalay_release(going->local);
    scalay_plan_destroy(&going->plan);
    (void)scalay_grid_release(going->comm, &going->ctxt);
    scalay_layout_destroy(&going->first_columns);
    scalay_layout_destroy(&going->target);
    scalay_qr_choice_destroy(&going->choice);
    scalay_comm_destroy(&going->comm);
    scalay_release(going);
}

/* --------------------------------------------------------------------------------------------- in one call */

static scalay_status factor_in_place(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                     const scalay_qr_options *options, void *a, void *tau,
                                     scalay_qr_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *qr = NULL;
    SCALAY_TRY(scalay_qr_create(comm, layout, type, options, a, &qr));
    SCALAY_TRY(scalay_qr_collect_tau(qr, tau));
    SCALAY_TRY(scalay_qr_bring_back(qr, a));
    if (statistics != NULL) *statistics = qr->statistics;
cleanup:
    scalay_qr_destroy(&qr);
    return status;
}

scalay_status scalay_pdgeqrf(scalay_comm *comm, const scalay_layout *layout, const scalay_qr_options *options,
                             double *a, double *tau, scalay_qr_statistics *statistics)
{
    return factor_in_place(comm, layout, SCALAY_DOUBLE, options, a, tau, statistics);
}

scalay_status scalay_psgeqrf(scalay_comm *comm, const scalay_layout *layout, const scalay_qr_options *options, float *a,
                             float *tau, scalay_qr_statistics *statistics)
{
    return factor_in_place(comm, layout, SCALAY_FLOAT, options, a, tau, statistics);
}

scalay_status scalay_pcgeqrf(scalay_comm *comm, const scalay_layout *layout, const scalay_qr_options *options, void *a,
                             void *tau, scalay_qr_statistics *statistics)
{
    return factor_in_place(comm, layout, SCALAY_COMPLEX_FLOAT, options, a, tau, statistics);
}

scalay_status scalay_pzgeqrf(scalay_comm *comm, const scalay_layout *layout, const scalay_qr_options *options, void *a,
                             void *tau, scalay_qr_statistics *statistics)
{
    return factor_in_place(comm, layout, SCALAY_COMPLEX_DOUBLE, options, a, tau, statistics);
}
