#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "factor/qr_object.h"
#include "parallel/scalapack.h"

/* What a verification works with. */
typedef struct {
    scalay_qr_factors factors;
    void *x;         /* A, then Q */
    void *y;         /* Q R, then Q^H Q - I */
    double norms[3]; /* of A, of A - Q R, of Q^H Q - I */
} workbench;

static scalay_status make_bench(const scalay_qr *qr, workbench *bench)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_qr_factors_create(qr, &bench->factors));
    SCALAY_TRY(scalay_qr_new_local(qr, qr->local_size, &bench->x));
    SCALAY_TRY(scalay_qr_new_local(qr, qr->local_size, &bench->y));
cleanup:
    return status;
}

static scalay_status compare_product(const scalay_qr *qr, workbench *bench)
{
    const scalay_qr_operations *operations = qr->operations;
    int info = operations->multiply(&bench->factors, bench->y);
    if (info != 0) return scalay_qr_check_info("scalay_qr_verify", "p?ormqr", info);
    bench->norms[0] = operations->norm(qr->m, qr->n, bench->x, qr->desc);
    operations->subtract(qr->local_size, bench->x, bench->y);
    bench->norms[1] = operations->norm(qr->m, qr->n, bench->y, qr->desc);
    return SCALAY_SUCCESS;
}

/* Q^H Q is k x k, which fits where the m x n product was, with a leading dimension of its own. */
static scalay_status compare_identity(const scalay_qr *qr, workbench *bench)
{
    const int zero = 0;
    const int rows = numroc_(&qr->k, &qr->nb, &qr->row, &zero, &qr->nprow);
    int desc[DLEN_];
    memcpy(desc, qr->desc, sizeof desc);
    desc[M_] = desc[N_] = qr->k;
    desc[LLD_] = rows > 1 ? rows : 1;
    memcpy(bench->x, qr->local, (size_t)qr->local_size * scalay_type_size(qr->type));
    int info = qr->operations->form_q(&bench->factors, bench->x);
    if (info != 0) return scalay_qr_check_info("scalay_qr_verify", "p?orgqr", info);
    qr->operations->test_orthogonality(&bench->factors, bench->x, bench->y, desc);
    bench->norms[2] = qr->operations->norm(qr->k, qr->k, bench->y, desc);
    return SCALAY_SUCCESS;
}

static scalay_status compare_on_grid(const scalay_qr *qr, workbench *bench)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!scalay_qr_is_member(qr) || qr->k == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(compare_product(qr, bench));
    SCALAY_TRY(compare_identity(qr, bench));
cleanup:
    return status;
}

/* norm / scale, where nothing against nothing is no error at all. */
static double ratio(double norm, double scale)
{
    return norm == 0.0 && scale == 0.0 ? 0.0 : norm / scale;
}

scalay_status scalay_qr_verify(scalay_qr *qr, const void *a, double *residual, double *orthogonality)
{
    scalay_status status = SCALAY_SUCCESS;
    workbench bench = {.norms = {0.0, 0.0, 0.0}};
    if (qr == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "qr is NULL; make one with scalay_qr_create");
    if (residual == NULL || orthogonality == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL; pass the address of a double",
                             residual == NULL ? "residual" : "orthogonality");
    SCALAY_TRY(scalay_comm_agree(qr->comm, status));
    SCALAY_TRY(scalay_qr_agree_on_array(qr, __func__, "a", a));
    SCALAY_TRY(scalay_comm_agree(qr->comm, make_bench(qr, &bench)));
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute(qr->plan, a, bench.x)));
    SCALAY_TRY(scalay_comm_agree(qr->comm, compare_on_grid(qr, &bench)));
    SCALAY_TRY_MPI(MPI_Bcast(bench.norms, 3, MPI_DOUBLE, scalay_layout_process_of_part(qr->target, 0), qr->comm->mpi));
    const double scale = (double)scalay_max_int64(qr->m, qr->n) * qr->operations->epsilon;
    *residual = ratio(bench.norms[1], bench.norms[0] * scale);
    *orthogonality = ratio(bench.norms[2], scale);
cleanup:
    scalay_release(bench.y);
    scalay_release(bench.x);
    scalay_release(bench.factors.work);
    return status;
}
