#include <string.h>

#include "base/memory.h"
#include "factor/qr_object.h"

/* ------------------------------------------------------------------------------------------------- queries */

int scalay_qr_context(const scalay_qr *qr)
{
    return qr != NULL ? qr->ctxt : -1;
}

const int *scalay_qr_descriptor(const scalay_qr *qr)
{
    return qr != NULL ? qr->desc : NULL;
}

void *scalay_qr_local(scalay_qr *qr)
{
    return qr != NULL ? qr->local : NULL;
}

const void *scalay_qr_local_tau(const scalay_qr *qr)
{
    return qr != NULL ? qr->tau : NULL;
}

int64_t scalay_qr_reflectors(const scalay_qr *qr)
{
    return qr != NULL ? qr->k : 0;
}

const scalay_qr_choice *scalay_qr_get_choice(const scalay_qr *qr)
{
    return qr != NULL ? qr->choice : NULL;
}

scalay_status scalay_qr_get_statistics(const scalay_qr *qr, scalay_qr_statistics *statistics)
{
    if (qr == NULL || statistics == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", qr == NULL ? "qr" : "statistics");
    *statistics = qr->statistics;
    return SCALAY_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------- bring back */

static scalay_status fail_without_qr(const char *function)
{
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "qr is NULL; make one with scalay_qr_create");
}

scalay_status scalay_qr_agree_on_array(const scalay_qr *qr, const char *function, const char *name, const void *array)
{
    scalay_status status = SCALAY_SUCCESS;
    if (array == NULL && qr->is_source)
        status = scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is NULL, but this rank holds elements of the matrix",
                             name);
    return scalay_comm_agree(qr->comm, status);
}

scalay_status scalay_qr_bring_back(scalay_qr *qr, void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    if (qr == NULL) return fail_without_qr(__func__);
    SCALAY_TRY(scalay_qr_agree_on_array(qr, __func__, "a", a));
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute_back(qr->plan, qr->local, a)));
    SCALAY_TRY(scalay_qr_elapsed(qr->comm, began, &qr->statistics.back_seconds));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ tau */

static MPI_Datatype mpi_type(scalay_type type)
{
    switch (type) {
    case SCALAY_FLOAT:
        return MPI_FLOAT;
    case SCALAY_DOUBLE:
        return MPI_DOUBLE;
    case SCALAY_COMPLEX_FLOAT:
        return MPI_C_FLOAT_COMPLEX;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

/* The first grid row writes its factors where they belong; everything else stays zero, so that a sum gathers. */
static void write_own_factors(const scalay_qr *qr, char *all)
{
    const size_t size = scalay_type_size(qr->type);
    if (qr->row != 0) return;
    for (int64_t block = 0; block * qr->nb < qr->local_reflectors; block++) {
        int64_t first = block * qr->nb, left = qr->local_reflectors - first;
        int64_t global = (block * qr->npcol + qr->col) * qr->nb;
        memcpy(all + (size_t)global * size, (const char *)qr->tau + (size_t)first * size,
               (size_t)(left < qr->nb ? left : qr->nb) * size);
    }
}

scalay_status scalay_qr_collect_tau(scalay_qr *qr, void *tau)
{
    scalay_status status = SCALAY_SUCCESS;
    void *all = NULL;
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_qr_new_local(qr, qr->k, &all)));
    write_own_factors(qr, all);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, all, qr->k, mpi_type(qr->type), MPI_SUM, qr->comm->mpi));
    if (tau != NULL) memcpy(tau, all, (size_t)qr->k * scalay_type_size(qr->type));
cleanup:
    scalay_release(all);
    return status;
}

scalay_status scalay_qr_gather_tau(scalay_qr *qr, void *tau)
{
    scalay_status status = SCALAY_SUCCESS;
    if (qr == NULL) return fail_without_qr(__func__);
    if (tau == NULL && qr->k > 0)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "tau is NULL; pass an array of %d elements", qr->k);
    SCALAY_TRY(scalay_comm_agree(qr->comm, status));
    SCALAY_TRY(scalay_qr_collect_tau(qr, tau));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- form Q */

/* The way home of the first k columns. */
static scalay_status plan_first_columns(scalay_qr *qr, scalay_plan **plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *columns = NULL;
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = qr->transport;
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_layout_submatrix(qr->target, 0, 0, qr->m, qr->k, &columns)));
    SCALAY_TRY(scalay_plan_create(qr->comm, qr->first_columns, columns, NULL, qr->type, &options, plan));
cleanup:
    scalay_layout_destroy(&columns);
    return status;
}

static scalay_status bring_back_q(scalay_qr *qr, const void *local, void *q)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan *plan = NULL;
    if (qr->k < qr->n) SCALAY_TRY(plan_first_columns(qr, &plan));
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute_back(plan != NULL ? plan : qr->plan, local, q)));
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
    if (qr == NULL) return fail_without_qr(__func__);
    SCALAY_TRY(scalay_qr_agree_on_array(qr, __func__, "q", q));
    status = scalay_qr_factors_create(qr, &factors);
    if (status == SCALAY_SUCCESS) status = scalay_qr_new_local(qr, qr->local_size, &local);
    SCALAY_TRY(scalay_comm_agree(qr->comm, status));
    if (scalay_qr_is_member(qr) && qr->k > 0) {
        memcpy(local, qr->local, (size_t)qr->local_size * scalay_type_size(qr->type));
        info = qr->operations->form_q(&factors, local);
    }
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_qr_check_info(__func__, "p?orgqr", info)));
    SCALAY_TRY(bring_back_q(qr, local, q));
cleanup:
    scalay_release(local);
    scalay_release(factors.work);
    return status;
}
