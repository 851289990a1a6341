/*
 * QR factorisation by p?geqrf of ScaLAPACK, for any layout of the matrix.
 *
 * 1. The model chooses grid and block size; a mapping assigns the processes of the grid so that little moves.
 * 2. The matrix moves to the grid, and p?geqrf factors it there.
 * 3. The result stays on the grid, with an ordinary BLACS context and descriptor, or moves back.
 *
 * Memory: one copy of the matrix, plus the workspace of p?geqrf; verification needs two more copies.
 */

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "factor/qr_operations.h"
#include "multiply/move_time.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "parallel/scalapack.h"
#include "scalay/factor.h"
#include "scalay/redist.h"

struct scalay_qr {
    scalay_comm *comm;
    scalay_type type;
    const scalay_qr_operations *operations;
    scalay_qr_choice *choice;
    scalay_layout *first_columns; /* where the matrix was: its first k columns */
    int is_source;                /* this rank holds elements there */
    scalay_layout *target;        /* the grid, on the processes that the mapping chose */
    scalay_plan *plan;            /* from where the matrix was to the target */
    char transport[32];           /* asked for, of plans */
    scalay_objective objective;   /* of the mapping */
    scalay_proof proof;
    int m, n, k;
    int nprow, npcol, nb;
    int ctxt; /* -1 on idle ranks */
    int desc[DLEN_];
    int row, col; /* of this rank on the grid; -1 when idle */
    int local_rows, local_cols;
    int local_reflectors; /* entries of tau */
    int64_t local_size;   /* local_rows * local_cols */
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
    return qr->row >= 0;
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
    const size_t size = scalay_type_size(qr->type);
    *array = scalay_allocate(count, size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "a local part", count, size);
}

static scalay_status create_factors(const scalay_qr *qr, scalay_qr_factors *factors)
{
    int64_t lwork = scalay_qr_workspace(qr->nb, qr->local_rows, qr->local_cols);
    *factors = (scalay_qr_factors){
        .m = qr->m, .n = qr->n, .k = qr->k, .desc = qr->desc, .a = qr->local, .tau = qr->tau, .lwork = (int)lwork};
    if (!is_on_grid(qr) || qr->k == 0) return SCALAY_SUCCESS;
    return new_array(qr, lwork, &factors->work);
}

/* ------------------------------------------------------------------------------- grid, mapping and sizes */

static scalay_status choose_grid(scalay_qr *qr, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_qr_limits limits = {
        .processes = qr->comm->size, .nprow = options->nprow, .npcol = options->npcol, .nb = options->nb};
    scalay_qr_candidate best = {0};
    SCALAY_TRY(scalay_model_qr_choose(options->machine, qr->type, qr->m, qr->n, &limits, &qr->choice));
    SCALAY_TRY(scalay_qr_choice_get_candidate(qr->choice, 0, &best));
    qr->nprow = qr->statistics.nprow = best.nprow;
    qr->npcol = qr->statistics.npcol = best.npcol;
    qr->nb = qr->statistics.nb = best.nb;
    qr->statistics.processes = qr->comm->size;
    qr->statistics.predicted_kernel_seconds = best.cost.seconds;
cleanup:
    return status;
}

static scalay_status record_costs(scalay_qr *qr, const scalay_layout *layout, const scalay_layout *parts,
                                  const scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *canonical = NULL;
    scalay_qr_statistics *statistics = &qr->statistics;
    SCALAY_TRY(scalay_mapping_create(layout, parts, SCALAY_CANONICAL, NULL, &canonical));
    statistics->canonical_volume = scalay_mapping_volume(canonical);
    statistics->canonical_steps = scalay_mapping_steps(canonical);
    statistics->volume = scalay_mapping_volume(mapping);
    statistics->steps = scalay_mapping_steps(mapping);
    qr->objective = scalay_mapping_objective(mapping);
    qr->proof = scalay_mapping_proof(mapping);
cleanup:
    scalay_mapping_destroy(&canonical);
    return status;
}

/* Sets the target layout, on the processes that the mapping chooses. */
static scalay_status choose_processes(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *parts = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options mapping_options = scalay_mapping_options_default();
    mapping_options.processes = qr->comm->size;
    SCALAY_TRY(
        scalay_layout_block_cyclic(qr->m, qr->n, qr->nb, qr->nb, qr->nprow, qr->npcol, 0, 0, SCALAY_ROW_MAJOR, &parts));
    SCALAY_TRY(scalay_mapping_create(layout, parts, options->objective, &mapping_options, &mapping));
    SCALAY_TRY(scalay_mapping_apply(mapping, parts, &qr->target));
    SCALAY_TRY(record_costs(qr, layout, parts, mapping));
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&parts);
    return status;
}

/* ScaLAPACK counts and addresses with 32 bits. */
static scalay_status check_local_range(const scalay_qr *qr)
{
    if (qr->local_size > INT_MAX)
        return scalay_fail(
            SCALAY_ERROR_RANGE, create_name,
            "the local array on the grid is %d x %d; ScaLAPACK addresses at most 2^31 - 1 elements. Use more ranks",
            qr->local_rows, qr->local_cols);
    int64_t lwork = scalay_qr_workspace(qr->nb, qr->local_rows, qr->local_cols);
    int64_t last = scalay_max_int64(qr->m, qr->n) + qr->nb;
    if (lwork > INT_MAX || last > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, create_name,
                           "blocks of %d for a %d x %d matrix need %lld elements of workspace, more than ScaLAPACK can "
                           "count; use a smaller nb",
                           qr->nb, qr->m, qr->n, (long long)lwork);
    return SCALAY_SUCCESS;
}

static scalay_status find_local_part(scalay_qr *qr)
{
    const int zero = 0;
    int part = scalay_layout_part_of_process(qr->target, qr->comm->rank);
    if (part < 0) return SCALAY_SUCCESS;
    qr->row = part / qr->npcol;
    qr->col = part % qr->npcol;
    qr->local_rows = numroc_(&qr->m, &qr->nb, &qr->row, &zero, &qr->nprow);
    qr->local_cols = numroc_(&qr->n, &qr->nb, &qr->col, &zero, &qr->npcol);
    qr->local_reflectors = numroc_(&qr->k, &qr->nb, &qr->col, &zero, &qr->npcol);
    qr->local_size = (int64_t)qr->local_rows * qr->local_cols;
    return check_local_range(qr);
}

static scalay_status plan_on_rank(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    if (scalay_layout_processes(layout) > qr->comm->size)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "layout has %d processes; it must have at most %d, the ranks of comm. Use a communicator "
                           "that contains them",
                           scalay_layout_processes(layout), qr->comm->size);
    SCALAY_TRY(scalay_to_int(scalay_layout_rows(layout), create_name, "the number of rows", &qr->m));
    SCALAY_TRY(scalay_to_int(scalay_layout_cols(layout), create_name, "the number of columns", &qr->n));
    qr->k = qr->m < qr->n ? qr->m : qr->n;
    qr->is_source = scalay_layout_elements(layout, qr->comm->rank) > 0;
    SCALAY_TRY(scalay_layout_submatrix(layout, 0, 0, qr->m, qr->k, &qr->first_columns));
    SCALAY_TRY(choose_grid(qr, options));
    SCALAY_TRY(choose_processes(qr, layout, options));
    SCALAY_TRY(find_local_part(qr));
cleanup:
    return status;
}
/* ------------------------------------------------------------------------------------------------ create */

/* The rates of the machine may differ between ranks, and with them the choices. */
static scalay_status agree_on_grid(const scalay_qr *qr)
{
    const int choice[] = {qr->nprow, qr->npcol, qr->nb, (int)qr->type, (int)qr->objective};
    uint64_t print = scalay_fingerprint_add_ints(scalay_fingerprint_start(), choice, sizeof choice / sizeof choice[0]);
    return scalay_comm_agree_value(qr->comm, print, create_name, "type, objective, grid or block size");
}

/* Creates the plan and the BLACS context, on every rank or on none. */
static scalay_status plan_moves(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_options plan_options = scalay_plan_options_default();
    if (options->transport != NULL) plan_options.transport = options->transport;
    plan_options.machine = options->machine;
    SCALAY_TRY(scalay_plan_create(qr->comm, layout, qr->target, NULL, qr->type, &plan_options, &qr->plan));
    (void)snprintf(qr->transport, sizeof qr->transport, "%s", plan_options.transport);
    SCALAY_TRY(scalay_move_time(qr->comm, qr->plan, scalay_move_segments(layout, qr->target, SCALAY_NO_TRANSPOSE),
                                qr->type, options->machine, &qr->statistics.predicted_move_seconds));
    SCALAY_TRY(scalay_grid_create(qr->comm, qr->target, NULL, &qr->ctxt, qr->desc));
cleanup:
    return status;
}

static scalay_status create_arrays(scalay_qr *qr, scalay_qr_factors *factors)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(new_array(qr, qr->local_size, &qr->local));
    SCALAY_TRY(new_array(qr, qr->local_reflectors, &qr->tau));
    SCALAY_TRY(create_factors(qr, factors));
cleanup:
    return status;
}

static scalay_status move_to_grid(scalay_qr *qr, const void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute(qr->plan, a, qr->local)));
    SCALAY_TRY(max_elapsed(qr->comm, began, &qr->statistics.move_seconds));
cleanup:
    return status;
}

static scalay_status factor(scalay_qr *qr, const scalay_qr_factors *factors)
{
    scalay_status status = SCALAY_SUCCESS;
    int info = 0;
    const double began = MPI_Wtime();
    if (is_on_grid(qr) && qr->k > 0) info = qr->operations->factor(factors, qr->local, qr->tau);
    SCALAY_TRY(scalay_comm_agree(qr->comm, check_info(create_name, "p?geqrf", info)));
    SCALAY_TRY(max_elapsed(qr->comm, began, &qr->statistics.kernel_seconds));
cleanup:
    return status;
}

static scalay_status create_on_all(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options,
                                   const void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr_factors factors = {0};
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->comm, plan_on_rank(qr, layout, options)));
    SCALAY_TRY(agree_on_grid(qr));
    SCALAY_TRY(plan_moves(qr, layout, options));
    SCALAY_TRY(scalay_comm_agree(qr->comm, create_arrays(qr, &factors)));
    SCALAY_TRY(max_elapsed(qr->comm, began, &qr->statistics.plan_seconds));
    SCALAY_TRY(move_to_grid(qr, a));
    SCALAY_TRY(factor(qr, &factors));
cleanup:
    scalay_release(factors.work);
    return status;
}

static scalay_status check_arguments(const scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                     const scalay_qr_options *options, const void *a, scalay_qr **qr)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, create_name, "qr"));
    SCALAY_TRY(scalay_check_not_null(layout, create_name, "layout"));
    if (scalay_qr_operations_of(type) == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "type is %d; it must be SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or "
                           "SCALAY_COMPLEX_DOUBLE",
                           type);
    if (options->objective < SCALAY_CANONICAL || options->objective > SCALAY_MIN_TIME)
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, create_name,
            "options->objective is %d; it must be a scalay_objective, SCALAY_CANONICAL to SCALAY_MIN_TIME",
            (int)options->objective);
    if (a == NULL && scalay_layout_elements(layout, comm->rank) > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "a is NULL; it must have the %lld elements of this rank",
                           (long long)scalay_layout_elements(layout, comm->rank));
cleanup:
    return status;
}

/* Creates a factorisation that can be destroyed. */
static scalay_status init(scalay_comm *comm, scalay_type type, scalay_qr **qr)
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
    scalay_qr *new_qr = NULL;
    scalay_qr_options given = scalay_qr_options_default();
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    if (qr != NULL) *qr = NULL;
    status = scalay_option_struct_read(options, &given, sizeof given, __func__);
    if (status == SCALAY_SUCCESS) status = check_arguments(comm, layout, type, &given, a, qr);
    if (status == SCALAY_SUCCESS) status = init(comm, type, &new_qr);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(create_on_all(new_qr, layout, &given, a));
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
    scalay_plan_destroy(&old_qr->plan);
    (void)scalay_grid_release(old_qr->comm, &old_qr->ctxt);
    scalay_layout_destroy(&old_qr->first_columns);
    scalay_layout_destroy(&old_qr->target);
    scalay_qr_choice_destroy(&old_qr->choice);
    scalay_comm_destroy(&old_qr->comm);
    scalay_release(old_qr);
}

/* ------------------------------------------------------------------------------------------------- queries */

scalay_status scalay_qr_get_matrix(const scalay_qr *qr, scalay_qr_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(scalay_check_not_null(matrix, __func__, "matrix"));
    *matrix = (scalay_qr_matrix){
        .ctxt = qr->ctxt, .desc = qr->desc, .local = qr->local, .tau = qr->tau, .reflectors = qr->k};
cleanup:
    return status;
}

const scalay_qr_choice *scalay_qr_get_choice(const scalay_qr *qr)
{
    return qr != NULL ? qr->choice : NULL;
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
        status =
            scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is NULL; it must have the elements of this rank", name);
    return scalay_comm_agree(qr->comm, status);
}

scalay_status scalay_qr_bring_back(scalay_qr *qr, void *a)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(agree_on_array(qr, __func__, "a", a));
    const double began = MPI_Wtime();
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute_back(qr->plan, qr->local, a)));
    SCALAY_TRY(max_elapsed(qr->comm, began, &qr->statistics.back_seconds));
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

/* The first grid row writes its entries, all others are 0, so the sum over the ranks is the whole vector. */
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

static scalay_status collect_tau(scalay_qr *qr, void *tau)
{
    scalay_status status = SCALAY_SUCCESS;
    void *all = NULL;
    SCALAY_TRY(scalay_comm_agree(qr->comm, new_array(qr, qr->k, &all)));
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
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    if (tau == NULL && qr->k > 0)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "tau is NULL; it must have %d elements", qr->k);
    SCALAY_TRY(scalay_comm_agree(qr->comm, status));
    SCALAY_TRY(collect_tau(qr, tau));
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
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    SCALAY_TRY(agree_on_array(qr, __func__, "q", q));
    status = create_factors(qr, &factors);
    if (status == SCALAY_SUCCESS) status = new_array(qr, qr->local_size, &local);
    SCALAY_TRY(scalay_comm_agree(qr->comm, status));
    if (is_on_grid(qr) && qr->k > 0) {
        memcpy(local, qr->local, (size_t)qr->local_size * scalay_type_size(qr->type));
        info = qr->operations->form_q(&factors, local);
    }
    SCALAY_TRY(scalay_comm_agree(qr->comm, check_info(__func__, "p?orgqr", info)));
    SCALAY_TRY(bring_back_q(qr, local, q));
cleanup:
    scalay_release(local);
    scalay_release(factors.work);
    return status;
}

/* ------------------------------------------------------------------------------------------- verification */
/* Arrays and results of a verification. */
typedef struct {
    scalay_qr_factors factors;
    void *x;         /* A, then Q */
    void *y;         /* Q R, then Q^H Q - I */
    double norms[3]; /* of A, of A - Q R, of Q^H Q - I */
} verification;

static scalay_status create_verification(const scalay_qr *qr, verification *work)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(create_factors(qr, &work->factors));
    SCALAY_TRY(new_array(qr, qr->local_size, &work->x));
    SCALAY_TRY(new_array(qr, qr->local_size, &work->y));
cleanup:
    return status;
}

static scalay_status compare_product(const scalay_qr *qr, verification *work)
{
    const scalay_qr_operations *operations = qr->operations;
    int info = operations->multiply(&work->factors, work->y);
    if (info != 0) return check_info("scalay_qr_verify", "p?ormqr", info);
    work->norms[0] = operations->norm(qr->m, qr->n, work->x, qr->desc);
    operations->subtract(qr->local_size, work->x, work->y);
    work->norms[1] = operations->norm(qr->m, qr->n, work->y, qr->desc);
    return SCALAY_SUCCESS;
}

/* Q^H Q is k x k. It is stored in the array of the m x n product, with its own leading dimension. */
static scalay_status compare_identity(const scalay_qr *qr, verification *work)
{
    const int zero = 0;
    const int rows = numroc_(&qr->k, &qr->nb, &qr->row, &zero, &qr->nprow);
    int desc[DLEN_];
    memcpy(desc, qr->desc, sizeof desc);
    desc[M_] = desc[N_] = qr->k;
    desc[LLD_] = rows > 1 ? rows : 1;
    memcpy(work->x, qr->local, (size_t)qr->local_size * scalay_type_size(qr->type));
    int info = qr->operations->form_q(&work->factors, work->x);
    if (info != 0) return check_info("scalay_qr_verify", "p?orgqr", info);
    qr->operations->test_orthogonality(&work->factors, work->x, work->y, desc);
    work->norms[2] = qr->operations->norm(qr->k, qr->k, work->y, desc);
    return SCALAY_SUCCESS;
}

static scalay_status compare_on_grid(const scalay_qr *qr, verification *work)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!is_on_grid(qr) || qr->k == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(compare_product(qr, work));
    SCALAY_TRY(compare_identity(qr, work));
cleanup:
    return status;
}

/* Returns norm / scale; 0 if both are 0. */
static double ratio(double norm, double scale)
{
    return norm == 0.0 && scale == 0.0 ? 0.0 : norm / scale;
}

scalay_status scalay_qr_verify(scalay_qr *qr, const void *a, double *residual, double *orthogonality)
{
    scalay_status status = SCALAY_SUCCESS;
    verification work = {.norms = {0.0, 0.0, 0.0}};
    SCALAY_TRY(scalay_check_not_null(qr, __func__, "qr"));
    status = scalay_check_not_null(residual, __func__, "residual");
    if (status == SCALAY_SUCCESS) status = scalay_check_not_null(orthogonality, __func__, "orthogonality");
    SCALAY_TRY(scalay_comm_agree(qr->comm, status));
    SCALAY_TRY(agree_on_array(qr, __func__, "a", a));
    SCALAY_TRY(scalay_comm_agree(qr->comm, create_verification(qr, &work)));
    SCALAY_TRY(scalay_comm_agree(qr->comm, scalay_plan_execute(qr->plan, a, work.x)));
    SCALAY_TRY(scalay_comm_agree(qr->comm, compare_on_grid(qr, &work)));
    SCALAY_TRY_MPI(MPI_Bcast(work.norms, 3, MPI_DOUBLE, scalay_layout_process_of_part(qr->target, 0), qr->comm->mpi));
    const double scale = (double)scalay_max_int64(qr->m, qr->n) * qr->operations->epsilon;
    *residual = ratio(work.norms[1], work.norms[0] * scale);
    *orthogonality = ratio(work.norms[2], scale);
cleanup:
    scalay_release(work.y);
    scalay_release(work.x);
    scalay_release(work.factors.work);
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
    all.length = scalay_qr_choice_describe(qr->choice, text, size);
    scalay_text_append(&all, " Mapping by %s (%s): %lld of %lld elements change process in %lld one-port steps",
                       scalay_objective_name(qr->objective), proof_text(qr->proof), (long long)s->volume,
                       (long long)qr->m * qr->n, (long long)s->steps);
    scalay_text_append(&all, " (canonical: %lld in %lld), predicted to take %.3g s.", (long long)s->canonical_volume,
                       (long long)s->canonical_steps, s->predicted_move_seconds);
    scalay_text_append(&all, " Measured: plan %.3g s, move %.3g s, kernel %.3g s", s->plan_seconds, s->move_seconds,
                       s->kernel_seconds);
    if (s->back_seconds > 0.0) scalay_text_append(&all, ", back %.3g s", s->back_seconds);
    scalay_text_append(&all, ".");
    return (int)all.length;
}
/* --------------------------------------------------------------------------------------------- in one call */

static scalay_status factor_in_place(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                     const scalay_qr_options *options, void *a, void *tau,
                                     scalay_qr_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *qr = NULL;
    SCALAY_TRY(scalay_qr_create(comm, layout, type, options, a, &qr));
    SCALAY_TRY(collect_tau(qr, tau));
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
