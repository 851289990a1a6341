/*
 * Verification of QR, LU and Cholesky: the product of the factors is compared with the matrix.
 *
 * The matrix and its factors move to a process grid. There p?ormqr computes Q R; p?trmm computes L U, whose rows are
 * swapped back, or L L^H. Cost: that of the factorisation.
 */
#include "factor/verify.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/scalapack.h"
#include "scalay/redist.h"

enum { BLOCK = 64 };

double scalay_residual_ratio(double norm, double scale)
{
    return norm == 0.0 && scale == 0.0 ? 0.0 : norm / scale;
}

/* ------------------------------------------------------------------------------------------------------ QR */

static scalay_status check_info(const char *function, const char *routine, int info)
{
    if (info == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_BLACS, function, "internal error: %s returned info = %d; please report this",
                       routine, info);
}

static scalay_status compare_product(const char *function, scalay_qr_check *check, double norms[3])
{
    const scalay_scalapack_kernels *kernels = check->kernels;
    const scalay_qr_factors *f = &check->factors;
    const int info = kernels->multiply(f, check->y);
    if (info != 0) return check_info(function, "p?ormqr", info);
    norms[0] = kernels->norm(f->m, f->n, check->x, f->desc);
    kernels->subtract(check->local_size, check->x, check->y);
    norms[1] = kernels->norm(f->m, f->n, check->y, f->desc);
    return SCALAY_SUCCESS;
}

/* Q^H Q is k x k. It is stored in the array of the m x n product, with its own leading dimension. */
static scalay_status compare_identity(const char *function, scalay_qr_check *check, double norms[3])
{
    const scalay_scalapack_kernels *kernels = check->kernels;
    const scalay_qr_factors *f = &check->factors;
    const int zero = 0;
    int nprow = 0, npcol = 0, row = 0, col = 0, desc[DLEN_];
    Cblacs_gridinfo(f->desc[CTXT_], &nprow, &npcol, &row, &col);
    const int rows = numroc_(&f->k, &f->desc[MB_], &row, &zero, &nprow);
    memcpy(desc, f->desc, sizeof desc);
    desc[M_] = desc[N_] = f->k;
    desc[LLD_] = rows > 1 ? rows : 1;
    memcpy(check->x, f->a, (size_t)check->local_size * kernels->size);
    const int info = kernels->form_q(f, check->x);
    if (info != 0) return check_info(function, "p?orgqr", info);
    kernels->test_orthogonality(f, check->x, check->y, desc);
    norms[2] = kernels->norm(f->k, f->k, check->y, desc);
    return SCALAY_SUCCESS;
}

scalay_status scalay_qr_compare(const char *function, scalay_qr_check *check, double norms[3])
{
    const scalay_status status = compare_product(function, check, norms);
    return status == SCALAY_SUCCESS ? compare_identity(function, check, norms) : status;
}

/* -------------------------------------------------------------------------------------------------- on a grid */

/* A verification on a grid of all ranks. */
typedef struct {
    const scalay_factor_check *given;
    scalay_comm *comm;
    scalay_layout *target;
    scalay_plan *plan;
    int m, n, k, ctxt, desc[DLEN_];
    int64_t local_size;
    scalay_qr_check qr; /* x: the matrix; y: the product */
    void *factors, *tau;
} verification;

static scalay_status allocate(int64_t count, size_t size, void **array)
{
    *array = scalay_allocate(count, size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "a copy for the verification", count, size);
}

static scalay_status plan_target(verification *v)
{
    int nprow = 1;
    for (int rows = 1; rows * rows <= v->comm->size; rows++)
        if (v->comm->size % rows == 0) nprow = rows;
    return scalay_layout_block_cyclic(v->m, v->n, BLOCK, BLOCK, nprow, v->comm->size / nprow, 0, 0, SCALAY_ROW_MAJOR,
                                      &v->target);
}

/* The entries of tau that belong to the columns of this rank. */
static void take_tau(const verification *v)
{
    int nprow = 0, npcol = 0, row = 0, col = 0;
    const size_t size = v->qr.kernels->size;
    Cblacs_gridinfo(v->ctxt, &nprow, &npcol, &row, &col);
    for (int j = 0; j < v->k; j++)
        if (j / BLOCK % npcol == col)
            memcpy((char *)v->tau + size * (size_t)(j / BLOCK / npcol * BLOCK + j % BLOCK),
                   (const char *)v->given->vector + size * (size_t)j, size);
}

static scalay_status allocate_arrays(verification *v)
{
    scalay_status status = SCALAY_SUCCESS;
    const size_t size = v->qr.kernels->size;
    const int zero = 0, block = BLOCK;
    int nprow = 0, npcol = 0, row = 0, col = 0;
    v->local_size = scalay_layout_local_size(v->target, v->comm->rank);
    SCALAY_TRY(allocate(v->local_size, size, &v->qr.x));
    SCALAY_TRY(allocate(v->local_size, size, &v->qr.y));
    SCALAY_TRY(allocate(v->local_size, size, &v->factors));
    if (v->given->kind != SCALAY_GEQRF) return SCALAY_SUCCESS;
    Cblacs_gridinfo(v->ctxt, &nprow, &npcol, &row, &col);
    const int rows = numroc_(&v->m, &block, &row, &zero, &nprow), cols = numroc_(&v->n, &block, &col, &zero, &npcol);
    const int64_t work = scalay_qr_workspace(BLOCK, rows, cols);
    if (work > INT32_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_RANGE, "the workspace of p?ormqr has %lld elements, more than an int counts",
                           (long long)work);
    SCALAY_TRY(allocate((int64_t)cols + 1, size, &v->tau));
    SCALAY_TRY(allocate(work, size, &v->qr.factors.work));
    v->qr.factors.lwork = (int)work;
cleanup:
    return status;
}

/* The product of LU or Cholesky in y, and what of A is compared with it in x. */
static void multiply_factors(verification *v)
{
    const scalay_scalapack_kernels *kernels = v->qr.kernels;
    const int is_lower = v->given->uplo == SCALAY_LOWER;
    if (v->given->kind == SCALAY_GETRF) {
        const int is_tall = v->m > v->n; /* L is as large as A, or U is */
        kernels->copy_triangle(is_tall ? 'L' : 'U', is_tall, v->m, v->n, v->factors, v->qr.y, v->desc);
        kernels->multiply_triangle(is_tall ? "RUNN" : "LLNU", v->m, v->n, v->factors, v->qr.y, v->desc);
        kernels->swap_back(v->n, v->k, v->given->vector, v->qr.y, v->desc);
    } else {
        kernels->copy_triangle(is_lower ? 'L' : 'U', 0, v->n, v->n, v->factors, v->qr.y, v->desc);
        kernels->multiply_triangle(is_lower ? "RLCN" : "LUCN", v->n, v->n, v->factors, v->qr.y, v->desc);
        kernels->clear_triangle(is_lower ? 'U' : 'L', v->n, v->qr.x, v->desc);
        kernels->clear_triangle(is_lower ? 'U' : 'L', v->n, v->qr.y, v->desc);
    }
}

static scalay_status compare(verification *v, double norms[3])
{
    const scalay_scalapack_kernels *kernels = v->qr.kernels;
    if (v->given->kind == SCALAY_GEQRF) {
        take_tau(v);
        v->qr.factors.m = v->m;
        v->qr.factors.n = v->n;
        v->qr.factors.k = v->k;
        v->qr.factors.desc = v->desc;
        v->qr.factors.a = v->factors;
        v->qr.factors.tau = v->tau;
        v->qr.local_size = v->local_size;
        return scalay_qr_compare("scalay_factor_verify", &v->qr, norms);
    }
    multiply_factors(v);
    norms[0] = kernels->norm(v->m, v->n, v->qr.x, v->desc);
    kernels->subtract(v->local_size, v->qr.x, v->qr.y);
    norms[1] = kernels->norm(v->m, v->n, v->qr.y, v->desc);
    return SCALAY_SUCCESS;
}

static scalay_status verify(verification *v, double norms[3])
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(v->comm, plan_target(v)));
    SCALAY_TRY(scalay_plan_create(v->comm, v->given->layout, v->target, NULL, v->given->type, NULL, &v->plan));
    SCALAY_TRY(scalay_grid_create(v->comm, v->target, NULL, &v->ctxt, v->desc));
    SCALAY_TRY(scalay_comm_agree(v->comm, allocate_arrays(v)));
    SCALAY_TRY(scalay_comm_agree(v->comm, scalay_plan_execute(v->plan, v->given->original, v->qr.x)));
    SCALAY_TRY(scalay_comm_agree(v->comm, scalay_plan_execute(v->plan, v->given->factors, v->factors)));
    SCALAY_TRY(scalay_comm_agree(v->comm, compare(v, norms)));
    SCALAY_TRY_MPI(MPI_Bcast(norms, 3, MPI_DOUBLE, scalay_layout_process_of_part(v->target, 0), v->comm->mpi));
cleanup:
    return status;
}

scalay_status scalay_factor_verify(scalay_comm *comm, const scalay_factor_check *check, double *residual,
                                   double *orthogonality)
{
    verification v = {.given = check, .comm = comm, .ctxt = -1};
    scalay_status status = SCALAY_SUCCESS;
    double norms[3] = {0.0, 0.0, 0.0};
    v.m = (int)scalay_layout_rows(check->layout);
    v.n = (int)scalay_layout_cols(check->layout);
    v.k = v.m < v.n ? v.m : v.n;
    v.qr.kernels = scalay_scalapack_kernels_of(check->type);
    if (v.k > 0) SCALAY_TRY(verify(&v, norms));
    const double scale = (double)scalay_max_int64(v.m, v.n) * v.qr.kernels->epsilon;
    *residual = scalay_residual_ratio(norms[1], norms[0] * scale);
    *orthogonality = v.k > 0 ? norms[2] / scale : 0.0;
cleanup:
    scalay_release(v.qr.factors.work);
    scalay_release(v.tau);
    scalay_release(v.factors);
    scalay_release(v.qr.y);
    scalay_release(v.qr.x);
    (void)scalay_grid_release(comm, &v.ctxt);
    scalay_plan_destroy(&v.plan);
    scalay_layout_destroy(&v.target);
    return status;
}
