/*
 * Trials of advice: moves random matrices to the layout of a candidate, runs the kernel, and moves the result back. The
 * command uses them for advise --measure, and benchmarks/advise.c for the accuracy of predictions.
 */

#include "cli/trial.h"

#include "base/memory.h"
#include "base/random.h"
#include "factor/scalapack_kernels.h"
#include "layout/layout.h"
#include "model/product.h"
#include "multiply/product.h"
#include "parallel/blacs.h"
#include "parallel/scalapack.h"
#include "scalay/factor.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"
#include "scalay/stencil.h"

enum { MAX_MATRICES = 3 };

/* State of a trial. */
typedef struct {
    const scalay_trial *trial;
    const scalay_layout *target;
    int matrices;   /* that move: 1, or 3 for A, B and C */
    int is_product; /* 1: by SUMMA, because p?gemm cannot use the layout */
    int in_place;
    scalay_plan *plan;
    int ctxt;
    int desc[DLEN_];
    void *before[MAX_MATRICES]; /* local arrays of the source */
    void *at[MAX_MATRICES];     /* local arrays of the target; equal to `before` if in place */
    void *vector;               /* tau or pivots of ScaLAPACK */
    scalay_qr_factors factors;
    scalay_factor *factor;
    scalay_stencil *stencil;
    scalay_summa *summa;
} run;

/* Fills a local array with random numbers in [-1/2, 1/2), real or complex. */
static void fill(void *local, scalay_type type, int64_t count, scalay_random *random)
{
    const int parts = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
    const int is_float = type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
    for (int64_t k = 0; k < count * parts; k++) {
        const double value = scalay_random_unit(random) - 0.5;
        if (is_float)
            ((float *)local)[k] = (float)value;
        else
            ((double *)local)[k] = value;
    }
}

static scalay_status new_local(const run *r, int64_t count, void **local)
{
    const size_t size = scalay_type_size(r->trial->type);
    *local = scalay_allocate(count, size);
    return *local != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "a local array", count, size);
}

/* Returns the factorisation of a kernel; -1: it is none. */
static int kind_of(scalay_kernel kernel)
{
    if (kernel == SCALAY_KERNEL_LU) return SCALAY_GETRF;
    if (kernel == SCALAY_KERNEL_CHOLESKY) return SCALAY_POTRF;
    return kernel == SCALAY_KERNEL_QR ? SCALAY_GEQRF : -1;
}

/* Adds n to the diagonal elements of this rank, so that the matrix of the lower triangle is positive definite. */
static void add_to_diagonal(const scalay_layout *layout, int rank, scalay_type type, void *local)
{
    const int part = scalay_layout_part_of_process(layout, rank), is_double = type == SCALAY_DOUBLE;
    const int stride = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
    for (int64_t i = 0; i < layout->row.extent; i++) {
        const scalay_cell cell =
            scalay_layout_cell_at(layout, scalay_axis_class(&layout->row, i), scalay_axis_class(&layout->col, i));
        if (scalay_layout_owner(layout, i, i) != rank || part < 0) continue;
        const int64_t at = stride * (cell.offset + scalay_axis_local_index(&layout->row, i) +
                                     scalay_axis_local_index(&layout->col, i) * cell.ld);
        if (is_double || type == SCALAY_COMPLEX_DOUBLE)
            ((double *)local)[at] = (double)layout->row.extent;
        else
            ((float *)local)[at] = (float)layout->row.extent;
        /* The imaginary part of a Hermitian matrix's diagonal is 0. */
        if (stride == 2 && type == SCALAY_COMPLEX_DOUBLE) ((double *)local)[at + 1] = 0;
        if (stride == 2 && type == SCALAY_COMPLEX_FLOAT) ((float *)local)[at + 1] = 0;
    }
}

static scalay_status make_matrices(run *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = r->trial->comm->rank;
    const int64_t count = scalay_layout_local_size(r->trial->source, rank);
    scalay_random random = scalay_random_seed(1 + (uint64_t)rank);
    for (int k = 0; k < r->matrices; k++) {
        SCALAY_TRY(new_local(r, count, &r->before[k]));
        fill(r->before[k], r->trial->type, count, &random);
        if (r->trial->kernel == SCALAY_KERNEL_CHOLESKY)
            add_to_diagonal(r->trial->source, rank, r->trial->type, r->before[k]);
        r->at[k] = r->before[k];
        if (!r->in_place) SCALAY_TRY(new_local(r, scalay_layout_local_size(r->target, rank), &r->at[k]));
    }
cleanup:
    return status;
}

/* Allocates tau and the workspace of p?geqrf, or the pivots of p?getrf. */
static scalay_status allocate_workspace(run *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const int zero = 0;
    int nprow = 0, npcol = 0, row = 0, col = 0;
    const int kind = kind_of(r->trial->kernel);
    if ((kind != SCALAY_GEQRF && kind != SCALAY_GETRF) || r->ctxt < 0) return SCALAY_SUCCESS;
    Cblacs_gridinfo(r->ctxt, &nprow, &npcol, &row, &col);
    const int rows = numroc_(&r->desc[M_], &r->desc[MB_], &row, &zero, &nprow);
    const int cols = numroc_(&r->desc[N_], &r->desc[NB_], &col, &zero, &npcol);
    r->factors = (scalay_qr_factors){.m = r->desc[M_], .n = r->desc[N_], .desc = r->desc};
    if (kind == SCALAY_GETRF) {
        int *pivot = NULL;
        status = SCALAY_NEW(pivot, (int64_t)rows + r->desc[MB_]);
        r->vector = pivot;
        return status;
    }
    const int64_t lwork = scalay_qr_workspace(r->desc[NB_], rows, cols);
    if (lwork > INT32_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                           "blocks of %d need %lld elements of workspace, more than ScaLAPACK can "
                           "count",
                           r->desc[NB_], (long long)lwork);
    r->factors.lwork = (int)lwork;
    SCALAY_TRY(new_local(r, (int64_t)cols + 1, &r->vector));
    SCALAY_TRY(new_local(r, lwork, &r->factors.work));
cleanup:
    return status;
}

static scalay_status prepare(run *r)
{
    static const scalay_factor_kind engine_kinds[] = {
        [SCALAY_GEQRF] = SCALAY_FACTOR_QR, [SCALAY_GETRF] = SCALAY_FACTOR_LU, [SCALAY_POTRF] = SCALAY_FACTOR_CHOLESKY};
    scalay_status status = SCALAY_SUCCESS;
    const scalay_trial *trial = r->trial;
    scalay_factor_options options = scalay_factor_options_default();
    options.placement = SCALAY_PLACEMENT_STAY;
    if (!r->in_place)
        SCALAY_TRY(scalay_plan_create(trial->comm, trial->source, r->target, NULL, trial->type, NULL, &r->plan));
    if (trial->kernel == SCALAY_KERNEL_STENCIL)
        SCALAY_TRY(scalay_stencil_create(trial->comm, r->target, trial->type, NULL, &r->stencil));
    else if (trial->is_engine)
        SCALAY_TRY(scalay_factor_create(trial->comm, engine_kinds[kind_of(trial->kernel)], r->target, trial->type,
                                        &options, &r->factor));
    else if (r->is_product)
        SCALAY_TRY(scalay_summa_create(trial->comm, trial->type, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, r->target,
                                       r->target, r->target, NULL, &r->summa));
    else
        SCALAY_TRY(scalay_grid_create(trial->comm, r->target, NULL, &r->ctxt, r->desc));
    status = make_matrices(r);
    if (status == SCALAY_SUCCESS) status = allocate_workspace(r);
    SCALAY_TRY(scalay_comm_agree(trial->comm, status));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- steps */

static scalay_status move_forward(run *r)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < r->matrices && !r->in_place; k++)
        SCALAY_TRY(scalay_plan_execute(r->plan, r->before[k], r->at[k]));
cleanup:
    return status;
}

static void multiply(const run *r)
{
    const int n = r->desc[N_];
    const void *one = scalay_gemm_operations_of(r->trial->type)->one;
    const scalay_pgemm_arguments arguments = {.op_a = 'N',
                                              .op_b = 'N',
                                              .m = n,
                                              .n = n,
                                              .k = n,
                                              .alpha = one,
                                              .a = r->at[0],
                                              .desc_a = r->desc,
                                              .b = r->at[1],
                                              .desc_b = r->desc,
                                              .beta = one,
                                              .c = r->at[2],
                                              .desc_c = r->desc};
    scalay_gemm_operations_of(r->trial->type)->multiply_on_grid(&arguments);
}

static scalay_status run_engine(run *r)
{
    scalay_status status = SCALAY_SUCCESS;
    int info = 0;
    SCALAY_TRY(scalay_factor_execute(r->factor, r->at[0], &info));
    if (info != 0)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the engine returned info = %d; please report this", info);
cleanup:
    return status;
}

static scalay_status run_kernel(run *r)
{
    static const char *const names[] = {
        [SCALAY_GEQRF] = "p?geqrf", [SCALAY_GETRF] = "p?getrf", [SCALAY_POTRF] = "p?potrf"};
    const int kind = kind_of(r->trial->kernel);
    static const double coefficients[3] = {0.25, 0.5, 0.25};
    if (r->stencil != NULL) return scalay_stencil_execute(r->stencil, coefficients, r->trial->iterations, r->at[0]);
    if (r->summa != NULL) {
        const void *one = scalay_gemm_operations_of(r->trial->type)->one;
        return scalay_summa_execute(r->summa, one, r->at[0], r->at[1], one, r->at[2]);
    }
    if (r->factor != NULL) return run_engine(r);
    if (r->ctxt < 0) return SCALAY_SUCCESS;
    if (r->trial->kernel == SCALAY_KERNEL_GEMM) {
        multiply(r);
        return SCALAY_SUCCESS;
    }
    const scalay_kernel_arguments arguments = {.uplo = 'L',
                                               .m = r->desc[M_],
                                               .n = r->desc[N_],
                                               .a = r->at[0],
                                               .ia = 1,
                                               .ja = 1,
                                               .desc = r->desc,
                                               .vector = r->vector,
                                               .work = r->factors.work,
                                               .lwork = r->factors.lwork};
    const int info = scalay_scalapack_kernels_of(r->trial->type)->factor[kind](&arguments);
    if (info == 0) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_BLACS, "%s returned info = %d; please report this", names[kind], info);
}

/* Moves the result back: R and the reflectors, or C. */
static scalay_status move_back(run *r)
{
    if (r->in_place || !r->trial->bring_back) return SCALAY_SUCCESS;
    return scalay_plan_execute_back(r->plan, r->at[r->matrices - 1], r->before[r->matrices - 1]);
}

static scalay_status time_step(run *r, scalay_status (*step)(run *), double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = r->trial->comm;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(comm, step(r)));
    const double mine = MPI_Wtime() - began;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
cleanup:
    return status;
}

static void release(run *r)
{
    (void)scalay_grid_release(r->trial->comm, &r->ctxt);
    scalay_stencil_destroy(&r->stencil);
    scalay_summa_destroy(&r->summa);
    scalay_plan_destroy(&r->plan);
    for (int k = 0; k < r->matrices; k++) {
        if (!r->in_place) scalay_release(r->at[k]);
        scalay_release(r->before[k]);
    }
    scalay_factor_destroy(&r->factor);
    scalay_release(r->vector);
    scalay_release(r->factors.work);
}

scalay_status scalay_trial_run(const scalay_trial *trial, const scalay_layout *target, scalay_trial_seconds *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    run r = {.trial = trial, .target = target, .ctxt = -1};
    if (trial->kernel < SCALAY_KERNEL_QR || trial->kernel == SCALAY_KERNEL_OTHER ||
        trial->kernel > SCALAY_KERNEL_CHOLESKY)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                           "kernel %d has no trial; it must be QR, LU, Cholesky, gemm or the stencil",
                           (int)trial->kernel);
    r.matrices = trial->kernel == SCALAY_KERNEL_GEMM ? MAX_MATRICES : 1;
    const int is_whole = target->row.first == 0 && target->col.first == 0;
    r.is_product = trial->kernel == SCALAY_KERNEL_GEMM &&
                   (trial->is_summa || scalay_scalapack_obstacle(target) != NULL || !is_whole);
    if (r.is_product || trial->is_engine)
        r.in_place = scalay_layout_fingerprint(trial->source) == scalay_layout_fingerprint(target);
    else
        r.in_place = scalay_layout_is_grid(trial->source) && scalay_layout_is_grid(target) &&
                     scalay_layout_same_owners(trial->source, target);
    scalay_trial_seconds found = {0.0, 0.0, 0.0};
    SCALAY_TRY(prepare(&r));
    SCALAY_TRY(time_step(&r, move_forward, &found.move));
    SCALAY_TRY(time_step(&r, run_kernel, &found.kernel));
    SCALAY_TRY(time_step(&r, move_back, &found.back));
    if (r.stencil != NULL) found.kernel /= (double)trial->iterations;
    *seconds = found;
cleanup:
    release(&r);
    return status;
}
