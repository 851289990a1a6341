#include "base/fingerprint.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "multiply/gemm_object.h"
#include "multiply/pgemm.h"
#include "multiply/summa_gemm.h"

/* Failures go by the public name. */
static const char create_name[] = "scalay_gemm_create";
static const char execute_name[] = "scalay_gemm_execute";

scalay_gemm_options scalay_gemm_options_default(void)
{
    return (scalay_gemm_options){.objective = SCALAY_CANONICAL, .summa = scalay_summa_options_default()};
}

/* ------------------------------------------------------------------------------------------------ create */

static scalay_status make_copy(scalay_gemm *gemm, scalay_gemm_matrix *matrix)
{
    if (!matrix->moves) return SCALAY_SUCCESS;
    const int64_t bytes =
        scalay_layout_local_size(matrix->target, gemm->comm->rank) * (int64_t)scalay_type_size(gemm->type);
    gemm->statistics.copy_bytes += bytes;
    return scalay_alloc(gemm->comm, bytes, &matrix->copy);
}

static scalay_plan_options moving(const scalay_gemm_options *options)
{
    scalay_plan_options wanted = scalay_plan_options_default();
    if (options->transport != NULL) wanted.transport = options->transport;
    wanted.machine = options->machine;
    return wanted;
}

static scalay_plan_matrix moving_matrix(const scalay_gemm *gemm, const scalay_layout *where, scalay_op op,
                                        const scalay_gemm_matrix *matrix)
{
    return (scalay_plan_matrix){.source = where,
                                .target = matrix->target,
                                .type = gemm->type,
                                .op = op == matrix->op ? SCALAY_NO_TRANSPOSE : op};
}

static scalay_status plan_moves(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_plan_options options = moving(r->options);
    scalay_plan_matrix moved[2];
    scalay_plan_statistics told;
    int count = 0;
    if (gemm->a.moves) moved[count++] = moving_matrix(gemm, r->a, r->op_a, &gemm->a);
    if (gemm->b.moves) moved[count++] = moving_matrix(gemm, r->b, r->op_b, &gemm->b);
    if (count > 0) {
        SCALAY_TRY(scalay_plan_create_many(gemm->comm, count, moved, &options, &gemm->there));
        SCALAY_TRY(scalay_plan_get_statistics(gemm->there, &told));
        gemm->statistics.move_volume = told.volume;
        gemm->statistics.move_steps = told.steps;
    }
    if (gemm->c.moves) {
        SCALAY_TRY(scalay_plan_create(gemm->comm, gemm->c.target, r->c, NULL, gemm->type, &options, &gemm->back));
        SCALAY_TRY(scalay_plan_get_statistics(gemm->back, &told));
        gemm->statistics.back_volume = told.volume;
    }
cleanup:
    return status;
}

static scalay_status plan_multiplication(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_matrix *const matrix[] = {&gemm->a, &gemm->b, &gemm->c};
    if (gemm->grid[0] > 0)
        for (int k = 0; k < 3; k++)
            SCALAY_TRY(scalay_grid_create(gemm->comm, matrix[k]->target, NULL, &matrix[k]->ctxt, matrix[k]->desc));
    else
        SCALAY_TRY(scalay_summa_create(gemm->comm, gemm->type, gemm->a.op, gemm->b.op, gemm->a.target, gemm->b.target,
                                       gemm->c.target, &r->options->summa, &gemm->summa));
cleanup:
    return status;
}

static int is_empty(const scalay_gemm *gemm)
{
    return gemm->m == 0 || gemm->n == 0;
}

/* What the plans do not compare between the ranks: who does what, and whether it moves at all. */
static scalay_status agree_on_request(const scalay_gemm *gemm)
{
    const int choice[] = {(int)gemm->type, (int)gemm->a.op, (int)gemm->b.op, gemm->a.moves, gemm->b.moves,
                          gemm->c.moves,   gemm->grid[0],   gemm->grid[1],   is_empty(gemm)};
    uint64_t print = scalay_fingerprint_add_ints(scalay_fingerprint_start(), choice, sizeof choice / sizeof choice[0]);
    return scalay_comm_agree_value(gemm->comm, print, create_name, "type, operations, layouts or options");
}

static scalay_status create_on_all(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    gemm->computes = !r->options->summa.no_computation;
    SCALAY_TRY(scalay_comm_agree(gemm->comm, scalay_gemm_prepare(gemm, r)));
    SCALAY_TRY(agree_on_request(gemm));
    if (!is_empty(gemm)) {
        SCALAY_TRY(plan_moves(gemm, r));
        SCALAY_TRY(make_copy(gemm, &gemm->a));
        SCALAY_TRY(make_copy(gemm, &gemm->b));
        SCALAY_TRY(make_copy(gemm, &gemm->c));
        SCALAY_TRY(plan_multiplication(gemm, r));
        SCALAY_TRY(scalay_gemm_predict(gemm, r));
    }
    gemm->statistics.plan_seconds = MPI_Wtime() - began;
cleanup:
    return status;
}

/* A multiplication that can be destroyed. */
static scalay_status start(scalay_comm *comm, scalay_type type, scalay_gemm **gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*gemm, 1));
    (*gemm)->comm = scalay_comm_retain(comm);
    (*gemm)->type = type;
    (*gemm)->statistics.processes = comm->size;
    (*gemm)->a.ctxt = (*gemm)->b.ctxt = (*gemm)->c.ctxt = -1;
cleanup:
    return status;
}

scalay_status scalay_gemm_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                 const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                 const scalay_gemm_options *options, scalay_gemm **gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm *made = NULL;
    const scalay_gemm_options wanted = options != NULL ? *options : scalay_gemm_options_default();
    const scalay_gemm_request request = {.op_a = op_a, .op_b = op_b, .a = a, .b = b, .c = c, .options = &wanted};
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (gemm != NULL)
        *gemm = NULL;
    else
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "gemm is NULL; pass the address of a scalay_gemm *");
    if (status == SCALAY_SUCCESS) status = start(comm, type, &made);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(create_on_all(made, &request));
    *gemm = made;
    made = NULL;
cleanup:
    scalay_gemm_destroy(&made);
    return status;
}

static void free_matrix(scalay_gemm *gemm, scalay_gemm_matrix *matrix)
{
    (void)scalay_grid_release(gemm->comm, &matrix->ctxt);
    scalay_free(&matrix->copy);
    scalay_layout_destroy(&matrix->target);
}

void scalay_gemm_destroy(scalay_gemm **gemm)
{
    if (gemm == NULL || *gemm == NULL) return;
    scalay_gemm *going = *gemm;
    *gemm = NULL;
    scalay_release(going->copied);
    scalay_release(going->segments);
    scalay_summa_destroy(&going->summa);
    scalay_plan_destroy(&going->back);
    scalay_plan_destroy(&going->there);
    free_matrix(going, &going->c);
    free_matrix(going, &going->b);
    free_matrix(going, &going->a);
    scalay_release(going->process);
    scalay_owner_map_destroy(&going->map);
    scalay_comm_destroy(&going->comm);
    scalay_release(going);
}

/* ------------------------------------------------------------------------------------------------ execute */

static scalay_status check_array(const scalay_gemm_matrix *matrix, const void *array, const char *name)
{
    if (array != NULL || matrix->held == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, execute_name, "%s is NULL, but this rank holds %lld elements of it", name,
                       (long long)matrix->held);
}

scalay_status scalay_gemm_check_arrays(const scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                       const void *c)
{
    scalay_status status = SCALAY_SUCCESS;
    if (is_empty(gemm)) return SCALAY_SUCCESS;
    if (alpha == NULL || !scalay_summa_is_zero(gemm->type, alpha)) {
        SCALAY_TRY(check_array(&gemm->a, a, "a"));
        SCALAY_TRY(check_array(&gemm->b, b, "b"));
    }
    SCALAY_TRY(check_array(&gemm->c, c, "c"));
cleanup:
    return status;
}

static scalay_status move_there(scalay_gemm *gemm, const void *a, const void *b)
{
    scalay_operands operands[2] = {{0}};
    int count = 0;
    if (gemm->there == NULL) return SCALAY_SUCCESS;
    if (gemm->a.moves) operands[count++] = (scalay_operands){.a = a, .b = gemm->a.copy};
    if (gemm->b.moves) operands[count++] = (scalay_operands){.a = b, .b = gemm->b.copy};
    return scalay_plan_execute_with(gemm->there, SCALAY_FORWARD, operands);
}

/* Ranks that the grid leaves out have nothing to do. */
static void multiply_on_grid(const scalay_gemm *gemm, const void *alpha, const void *a, const void *b, const void *beta,
                             void *c)
{
    const scalay_pgemm_arguments arguments = {.op_a = scalay_summa_op_letter(gemm->a.op),
                                              .op_b = scalay_summa_op_letter(gemm->b.op),
                                              .m = (int)gemm->m,
                                              .n = (int)gemm->n,
                                              .k = (int)gemm->k,
                                              .alpha = alpha,
                                              .a = a,
                                              .desc_a = gemm->a.desc,
                                              .b = b,
                                              .desc_b = gemm->b.desc,
                                              .beta = beta,
                                              .c = c,
                                              .desc_c = gemm->c.desc};
    if (gemm->c.ctxt >= 0) scalay_pgemm(gemm->type, &arguments);
}

static scalay_status multiply(scalay_gemm *gemm, const void *alpha, const void *a, const void *b, const void *beta,
                              void *c)
{
    scalay_gemm_statistics *s = &gemm->statistics;
    scalay_summa_statistics summa = {0};
    const double began = MPI_Wtime();
    if (gemm->summa == NULL) {
        multiply_on_grid(gemm, alpha, a, b, beta, c);
        s->multiply_seconds = s->compute_seconds = MPI_Wtime() - began;
        return SCALAY_SUCCESS;
    }
    scalay_status status = scalay_summa_execute(gemm->summa, alpha, a, b, beta, c);
    s->multiply_seconds = MPI_Wtime() - began;
    if (status == SCALAY_SUCCESS) status = scalay_summa_get_statistics(gemm->summa, &summa);
    s->elements_sent = summa.elements_sent;
    s->elements_received = summa.elements_received;
    s->compute_seconds = summa.compute_seconds;
    s->communicate_seconds = s->multiply_seconds - summa.compute_seconds;
    return status;
}

static scalay_status bring_back(scalay_gemm *gemm, const void *beta, void *c)
{
    const scalay_operands operands = {.a = gemm->c.copy, .beta = beta, .b = c};
    if (gemm->back == NULL) return SCALAY_SUCCESS;
    return scalay_plan_execute_with(gemm->back, SCALAY_FORWARD, &operands);
}

scalay_status scalay_gemm_execute(scalay_gemm *gemm, const void *alpha, const void *a, const void *b, const void *beta,
                                  void *c)
{
    scalay_status status = SCALAY_SUCCESS;
    if (gemm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "gemm is NULL; make one with scalay_gemm_create");
    if (is_empty(gemm)) return SCALAY_SUCCESS;
    if (alpha == NULL) alpha = scalay_summa_gemm_of(gemm->type)->one;
    if (beta == NULL) beta = scalay_pgemm_zero();
    const int reads = !scalay_summa_is_zero(gemm->type, alpha);
    scalay_gemm_statistics *s = &gemm->statistics;
    SCALAY_TRY(scalay_gemm_check_arrays(gemm, alpha, a, b, c));
    const double began = MPI_Wtime();
    if (reads) SCALAY_TRY(move_there(gemm, a, b));
    s->move_seconds = MPI_Wtime() - began;
    /* A product that is brought back meets what was there on the way: C itself never moves to the map. */
    SCALAY_TRY(multiply(gemm, alpha, gemm->a.moves ? gemm->a.copy : a, gemm->b.moves ? gemm->b.copy : b,
                        gemm->c.moves ? scalay_pgemm_zero() : beta, gemm->c.moves ? gemm->c.copy : c));
    const double multiplied = MPI_Wtime();
    if (gemm->computes) SCALAY_TRY(bring_back(gemm, beta, c));
    s->back_seconds = MPI_Wtime() - multiplied;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ queries */

scalay_status scalay_gemm_get_statistics(const scalay_gemm *gemm, scalay_gemm_statistics *statistics)
{
    if (gemm == NULL || statistics == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL; pass a multiplication and where to put what it did",
                           gemm == NULL ? "gemm" : "statistics");
    *statistics = gemm->statistics;
    statistics->moves_a = gemm->a.moves;
    statistics->moves_b = gemm->b.moves;
    statistics->moves_c = gemm->c.moves;
    return SCALAY_SUCCESS;
}

const scalay_layout *scalay_gemm_layout(const scalay_gemm *gemm)
{
    return gemm != NULL ? gemm->c.target : NULL;
}
