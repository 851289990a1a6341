/*
 * Products for any layouts: planning and execution.
 *
 *   gemm_one_call.c  p?gemm in one call, with kept plans
 *   gemm_targets.c   where the product is computed, and which matrices move
 *   gemm_predict.c   predicted times, description
 *   gemm_check.c     check of a product
 *   summa.c          the product itself
 *
 * An execution moves A and B in one round of communication, multiplies by SUMMA or p?gemm, and moves the result.
 */

#include "multiply/gemm.h"

#include <math.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "layout/layout.h"
#include "multiply/in_place.h"
#include "multiply/summa.h"
#include "parallel/node.h"

/* Public names for messages of static functions. */
static const char create_name[] = "scalay_gemm_create";
static const char execute_name[] = "scalay_gemm_execute";

void scalay_gemm_options_init(scalay_gemm_options *options, size_t size)
{
    const scalay_gemm_options defaults = {.size = sizeof defaults, .objective = SCALAY_CANONICAL};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
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

static scalay_plan_options plan_options_of(const scalay_gemm_options *options)
{
    scalay_plan_options plan_options = scalay_plan_options_default();
    if (options->transport != NULL) plan_options.transport = options->transport;
    plan_options.machine = options->machine;
    return plan_options;
}

static scalay_plan_matrix plan_matrix(const scalay_gemm *gemm, const scalay_layout *where, scalay_op op,
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
    const scalay_plan_options options = plan_options_of(r->options);
    scalay_plan_matrix moved[2];
    scalay_plan_statistics plan_statistics;
    int count = 0;
    if (gemm->a.moves) moved[count++] = plan_matrix(gemm, r->a, r->op_a, &gemm->a);
    if (gemm->b.moves) moved[count++] = plan_matrix(gemm, r->b, r->op_b, &gemm->b);
    if (count > 0) {
        SCALAY_TRY(scalay_plan_create_many(gemm->comm, count, moved, &options, &gemm->operand_plan));
        SCALAY_TRY(scalay_plan_get_statistics(gemm->operand_plan, &plan_statistics));
        gemm->statistics.move_volume = plan_statistics.volume;
        gemm->statistics.move_steps = plan_statistics.steps;
    }
    if (gemm->c.moves) {
        SCALAY_TRY(
            scalay_plan_create(gemm->comm, gemm->c.target, r->c, NULL, gemm->type, &options, &gemm->result_plan));
        SCALAY_TRY(scalay_plan_get_statistics(gemm->result_plan, &plan_statistics));
        gemm->statistics.back_volume = plan_statistics.volume;
    }
cleanup:
    return status;
}

static void set_descriptor(scalay_gemm_matrix *matrix, const scalay_in_place *in_place)
{
    memcpy(matrix->desc, in_place->desc, sizeof matrix->desc);
    matrix->first[0] = in_place->ia - 1;
    matrix->first[1] = in_place->ja - 1;
}

/* A, B and C are on the same grid. One context serves all of them; it belongs to C. */
static scalay_status describe_in_place(scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_matrix *const factor[] = {&gemm->a, &gemm->b};
    scalay_in_place in_place;
    SCALAY_TRY(scalay_in_place_create(gemm->comm, gemm->c.target, &in_place));
    gemm->c.ctxt = in_place.ctxt;
    set_descriptor(&gemm->c, &in_place);
    for (int k = 0; k < 2; k++) {
        scalay_in_place_describe(gemm->comm, factor[k]->target, gemm->c.ctxt, &in_place);
        set_descriptor(factor[k], &in_place);
    }
cleanup:
    return status;
}

/* Panels between nodes are not narrow: each is a message. Collective. */
static scalay_status widen_between_nodes(scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *node = NULL;
    if (gemm->panel == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_node_of_ranks(gemm->comm, &node));
    if (node == NULL) return SCALAY_SUCCESS;
    gemm->panel = 0;
    gemm->calls_before_plan = INFINITY;
cleanup:
    return status;
}

static scalay_status plan_summa(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *const target[] = {gemm->a.target, gemm->b.target, gemm->c.target};
    const scalay_op op[] = {gemm->a.op, gemm->b.op};
    const scalay_summa_arrays own = r->allows_in_place ? SCALAY_SUMMA_ORDINARY : SCALAY_SUMMA_UNKNOWN;
    const scalay_summa_arrays arrays[] = {gemm->a.moves ? SCALAY_SUMMA_VISIBLE : own,
                                          gemm->b.moves ? SCALAY_SUMMA_VISIBLE : own};
    /* A product that needs no rates for its own choice reads none for that of SUMMA. */
    static const scalay_machine not_measured = {0};
    const scalay_machine *rates = scalay_gemm_request_machine(r);
    scalay_summa_options narrow = scalay_summa_options_default();
    SCALAY_TRY(widen_between_nodes(gemm));
    narrow.panel = gemm->panel;
    SCALAY_TRY(scalay_summa_create_for(gemm->comm, gemm->type, op, target,
                                       gemm->panel > 0 ? &narrow : r->options->summa, arrays,
                                       rates != NULL ? rates : &not_measured, &gemm->summa));
cleanup:
    return status;
}

static scalay_status plan_multiplication(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_matrix *const matrix[] = {&gemm->a, &gemm->b, &gemm->c};
    if (gemm->in_place)
        SCALAY_TRY(describe_in_place(gemm));
    else if (gemm->grid[0] > 0)
        for (int k = 0; k < 3; k++)
            SCALAY_TRY(scalay_grid_create(gemm->comm, matrix[k]->target, NULL, &matrix[k]->ctxt, matrix[k]->desc));
    else
        SCALAY_TRY(plan_summa(gemm, r));
cleanup:
    return status;
}

static int is_empty(const scalay_gemm *gemm)
{
    return gemm->m == 0 || gemm->n == 0;
}

/* Agrees on the status, and compares the choices that the plans of the moves and of SUMMA do not compare. */
static scalay_status agree_on_request(scalay_comm *comm, scalay_status status, const scalay_gemm *gemm)
{
    scalay_agreement values = {{0}, {0}, {0}};
    if (status == SCALAY_SUCCESS) {
        const int choice[] = {(int)gemm->type, (int)gemm->a.op, (int)gemm->b.op, gemm->a.moves,  gemm->b.moves,
                              gemm->c.moves,   gemm->grid[0],   gemm->grid[1],   gemm->in_place, is_empty(gemm)};
        const uint64_t print =
            scalay_fingerprint_add_ints(scalay_fingerprint_start(), choice, sizeof choice / sizeof choice[0]);
        scalay_agreement_compare(&values, 0, (int64_t)print);
    }
    SCALAY_TRY(scalay_comm_agree_on(comm, status, &values));
    if (!scalay_agreement_is_equal(&values, 0))
        status = scalay_fail(SCALAY_ERROR_MISMATCH, create_name,
                             "the ranks disagree about type, operations, layouts or options; it must be equal on all");
cleanup:
    return status;
}

static scalay_status create_on_all(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    gemm->computes = r->options->summa == NULL || !r->options->summa->no_computation;
    if (!is_empty(gemm)) {
        SCALAY_TRY(plan_moves(gemm, r));
        SCALAY_TRY(make_copy(gemm, &gemm->a));
        SCALAY_TRY(make_copy(gemm, &gemm->b));
        SCALAY_TRY(make_copy(gemm, &gemm->c));
        SCALAY_TRY(plan_multiplication(gemm, r));
        SCALAY_TRY(scalay_gemm_predict(gemm, r));
    }
cleanup:
    return status;
}

/* Creates a plan that can be destroyed. */
static scalay_status init(scalay_comm *comm, scalay_type type, scalay_gemm **gemm)
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

scalay_status scalay_gemm_plan(scalay_comm *comm, scalay_status status, scalay_type type,
                               const scalay_gemm_request *request, scalay_gemm **gemm)
{
    scalay_gemm *new_gemm = NULL;
    const double began = MPI_Wtime();
    if (status == SCALAY_SUCCESS) status = init(comm, type, &new_gemm);
    if (status == SCALAY_SUCCESS) status = scalay_gemm_choose_targets(new_gemm, request);
    SCALAY_TRY(agree_on_request(comm, status, new_gemm));
    SCALAY_TRY(create_on_all(new_gemm, request));
    new_gemm->statistics.plan_seconds = MPI_Wtime() - began;
    *gemm = new_gemm;
    new_gemm = NULL;
cleanup:
    scalay_gemm_destroy(&new_gemm);
    return status;
}

scalay_status scalay_gemm_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                 const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                 const scalay_gemm_options *options, scalay_gemm **gemm)
{
    scalay_gemm_options given = scalay_gemm_options_default();
    const scalay_gemm_request request = {.op_a = op_a, .op_b = op_b, .a = a, .b = b, .c = c, .options = &given};
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status != SCALAY_SUCCESS) return status;
    if (gemm != NULL) *gemm = NULL;
    status = scalay_check_not_null(gemm, __func__, "gemm");
    if (status == SCALAY_SUCCESS) status = scalay_option_struct_read(options, &given, sizeof given, __func__);
    return scalay_gemm_plan(comm, status, type, &request, gemm);
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
    scalay_gemm *old_gemm = *gemm;
    *gemm = NULL;
    scalay_release(old_gemm->copied);
    scalay_release(old_gemm->segments);
    scalay_summa_destroy(&old_gemm->summa);
    scalay_plan_destroy(&old_gemm->result_plan);
    scalay_plan_destroy(&old_gemm->operand_plan);
    free_matrix(old_gemm, &old_gemm->c);
    free_matrix(old_gemm, &old_gemm->b);
    free_matrix(old_gemm, &old_gemm->a);
    scalay_release(old_gemm->process);
    scalay_owner_map_destroy(&old_gemm->map);
    scalay_comm_destroy(&old_gemm->comm);
    scalay_release(old_gemm);
}

/* ------------------------------------------------------------------------------------------------ execute */

static scalay_status check_array(const scalay_gemm_matrix *matrix, const void *array, const char *name)
{
    if (array != NULL || matrix->elements == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, execute_name,
                       "%s is NULL, or too short in Fortran; it must have the %lld elements of this rank", name,
                       (long long)matrix->elements);
}

static scalay_status check_arrays(const scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                  const void *c)
{
    scalay_status status = SCALAY_SUCCESS;
    if (is_empty(gemm)) return SCALAY_SUCCESS;
    if (alpha == NULL || !scalay_element_is_zero(gemm->type, alpha)) {
        SCALAY_TRY(check_array(&gemm->a, a, "a"));
        SCALAY_TRY(check_array(&gemm->b, b, "b"));
    }
    SCALAY_TRY(check_array(&gemm->c, c, "c"));
cleanup:
    return status;
}

static scalay_status move_operands(scalay_gemm *gemm, const void *a, const void *b)
{
    scalay_operands operands[2] = {{0}};
    int count = 0;
    if (gemm->operand_plan == NULL) return SCALAY_SUCCESS;
    if (gemm->a.moves) operands[count++] = (scalay_operands){.a = (void *)a, .b = gemm->a.copy};
    if (gemm->b.moves) operands[count++] = (scalay_operands){.a = (void *)b, .b = gemm->b.copy};
    return scalay_plan_execute_with(gemm->operand_plan, SCALAY_FORWARD, operands);
}

void scalay_gemm_multiply_on_grid(const scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c)
{
    const scalay_gemm_operations *operations = scalay_gemm_operations_of(gemm->type);
    const scalay_pgemm_arguments arguments = {.op_a = scalay_op_letter(gemm->a.op),
                                              .op_b = scalay_op_letter(gemm->b.op),
                                              .m = (int)gemm->m,
                                              .n = (int)gemm->n,
                                              .k = (int)gemm->k,
                                              .alpha = alpha,
                                              .a = a,
                                              .desc_a = gemm->a.desc,
                                              .first_a = {gemm->a.first[0], gemm->a.first[1]},
                                              .b = b,
                                              .desc_b = gemm->b.desc,
                                              .first_b = {gemm->b.first[0], gemm->b.first[1]},
                                              .beta = beta != NULL ? beta : operations->zero,
                                              .c = c,
                                              .desc_c = gemm->c.desc,
                                              .first_c = {gemm->c.first[0], gemm->c.first[1]}};
    if (gemm->c.ctxt >= 0) operations->multiply_on_grid(&arguments);
}

static scalay_status multiply(scalay_gemm *gemm, const void *alpha, const void *a, const void *b, const void *beta,
                              void *c)
{
    scalay_gemm_statistics *s = &gemm->statistics;
    scalay_summa_statistics summa = {0};
    const double began = MPI_Wtime();
    if (gemm->summa == NULL) {
        scalay_gemm_multiply_on_grid(gemm, alpha, a, b, beta, c);
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

static scalay_status move_result(scalay_gemm *gemm, const void *beta, void *c)
{
    const scalay_operands operands = {.a = gemm->c.copy, .beta = beta, .b = c};
    if (gemm->result_plan == NULL) return SCALAY_SUCCESS;
    return scalay_plan_execute_with(gemm->result_plan, SCALAY_FORWARD, &operands);
}

scalay_status scalay_gemm_execute(scalay_gemm *gemm, const void *alpha, const void *a, const void *b, const void *beta,
                                  void *c)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(gemm, __func__, "gemm"));
    if (is_empty(gemm)) return SCALAY_SUCCESS;
    const scalay_gemm_operations *operations = scalay_gemm_operations_of(gemm->type);
    if (alpha == NULL) alpha = operations->one;
    if (beta == NULL) beta = operations->zero;
    const int reads = !scalay_element_is_zero(gemm->type, alpha);
    scalay_gemm_statistics *s = &gemm->statistics;
    SCALAY_TRY(check_arrays(gemm, alpha, a, b, c));
    const double began = MPI_Wtime();
    if (reads) SCALAY_TRY(move_operands(gemm, a, b));
    s->move_seconds = MPI_Wtime() - began;
    /* If the result moves, beta C is added during the move, so C itself is never moved to the map. */
    SCALAY_TRY(multiply(gemm, alpha, gemm->a.moves ? gemm->a.copy : a, gemm->b.moves ? gemm->b.copy : b,
                        gemm->c.moves ? operations->zero : beta, gemm->c.moves ? gemm->c.copy : c));
    const double multiplied = MPI_Wtime();
    if (gemm->computes) SCALAY_TRY(move_result(gemm, beta, c));
    s->back_seconds = MPI_Wtime() - multiplied;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ queries */

scalay_status scalay_gemm_get_statistics(const scalay_gemm *gemm, scalay_gemm_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(gemm, __func__, "gemm"));
    SCALAY_TRY(scalay_check_not_null(statistics, __func__, "statistics"));
    *statistics = gemm->statistics;
    statistics->moves_a = gemm->a.moves;
    statistics->moves_b = gemm->b.moves;
    statistics->moves_c = gemm->c.moves;
cleanup:
    return status;
}

const scalay_layout *scalay_gemm_layout(const scalay_gemm *gemm)
{
    return gemm != NULL ? gemm->c.target : NULL;
}

int64_t scalay_gemm_workspace(const scalay_gemm *gemm)
{
    return gemm->summa != NULL ? gemm->summa->statistics.workspace_bytes : 0;
}
