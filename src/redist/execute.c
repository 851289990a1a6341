/* Executions: checks of the operands, progress of pending executions, and the public functions.

   A rank makes progress only inside library calls, because buffers are small. While a rank waits for one execution, it
   also advances all other pending executions. Otherwise two ranks could deadlock: each could wait for an execution that
   the other has started but does not advance.

   Under MPI_THREAD_MULTIPLE, threads execute plans of different communicators at the same time. */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/integer.h"
#include "redist/plan.h"

/* ------------------------------------------------------------------------------------------- progress */

/* All pending plans of the process, the newest first. A thread advances the plans that it started. The lock protects
   the list; comm->busy protects the plans of a communicator while another thread completes one that it took over. */
static scalay_plan *pending_plans;
static atomic_flag list_lock = ATOMIC_FLAG_INIT;

/* Its address identifies the thread. */
static _Thread_local char thread_mark;

static void lock(atomic_flag *flag)
{
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) (void)sched_yield();
}

static void unlock(atomic_flag *flag)
{
    atomic_flag_clear_explicit(flag, memory_order_release);
}

static void add_pending(scalay_plan *plan)
{
    lock(&list_lock);
    plan->pending = 1;
    plan->thread = &thread_mark;
    plan->next_pending = pending_plans;
    pending_plans = plan;
    unlock(&list_lock);
}

static void remove_pending(scalay_plan *plan)
{
    lock(&list_lock);
    scalay_plan **link = &pending_plans;
    while (*link != plan) link = &(*link)->next_pending;
    *link = plan->next_pending;
    plan->next_pending = NULL;
    plan->pending = 0;
    unlock(&list_lock);
}

static scalay_status advance_transport(scalay_plan *plan, int waits)
{
    return plan->panels != NULL ? scalay_panels_advance(plan, waits, &plan->complete)
                                : plan->transport->advance(plan, waits, &plan->complete);
}

/* A failure is stored until the execution is completed. */
static void advance(scalay_plan *plan)
{
    if (!plan->complete && plan->status == SCALAY_SUCCESS) plan->status = advance_transport(plan, 0);
}

/* Advances another plan of this thread, unless another thread uses its communicator. Plans of the communicator of
   `plan` are protected by the caller. */
static void advance_other(const scalay_plan *plan, scalay_plan *other)
{
    if (other->comm == plan->comm) {
        advance(other);
    } else if (!atomic_flag_test_and_set_explicit(&other->comm->busy, memory_order_acquire)) {
        advance(other);
        unlock(&other->comm->busy);
    }
}

/* Advances the other plans of this thread. Returns 1 if all other executions on the same communicator are complete.
   Ranks of other communicators may not have started their executions yet. */
static int advance_others(const scalay_plan *plan)
{
    int complete = 1;
    lock(&list_lock);
    for (scalay_plan *other = pending_plans; other != NULL; other = other->next_pending) {
        if (other == plan || (other->thread != &thread_mark && other->comm != plan->comm)) continue;
        advance_other(plan, other);
        complete = complete && (other->comm != plan->comm || other->complete || other->status != SCALAY_SUCCESS);
    }
    unlock(&list_lock);
    return complete;
}

/* Returns 1 if no other plan of this thread or of the communicator is pending. */
static int is_only_plan(const scalay_plan *plan)
{
    int is_only = 1;
    lock(&list_lock);
    for (const scalay_plan *other = pending_plans; other != NULL; other = other->next_pending)
        is_only = is_only && (other == plan || (other->thread != &thread_mark && other->comm != plan->comm));
    unlock(&list_lock);
    return is_only;
}

/* Tags repeat after thousands of plans. Messages of two plans must not match each other. */
static int has_tag_in_use(const scalay_plan *plan)
{
    int found = 0;
    lock(&list_lock);
    for (const scalay_plan *other = pending_plans; other != NULL; other = other->next_pending)
        found = found || (other->comm == plan->comm && other->tag == plan->tag);
    unlock(&list_lock);
    return found;
}

/* Starts the execution of plan->transfers. After a failure nothing is pending. */
static scalay_status execution_start(scalay_plan *plan, int consumes)
{
    lock(&plan->comm->busy);
    while ((plan->transport->advance == NULL || has_tag_in_use(plan)) && !advance_others(plan)) (void)sched_yield();
    plan->damaged_peer = -1;
    const scalay_status status =
        plan->panels != NULL ? scalay_panels_begin(plan, consumes) : plan->transport->begin(plan);
    if (status == SCALAY_SUCCESS) {
        plan->complete = plan->transport->advance == NULL;
        plan->status = SCALAY_SUCCESS;
        add_pending(plan);
    }
    unlock(&plan->comm->busy);
    return status;
}

/* Returns the status of the execution. The message of a failure that occurred during another call is lost. */
static scalay_status execution_status(scalay_plan *plan, scalay_status status_before)
{
    if (plan->status != SCALAY_SUCCESS) remove_pending(plan);
    if (status_before == SCALAY_SUCCESS) return plan->status;
    return scalay_fail(status_before, "scalay_plan_end",
                       "the execution failed while the library waited for another execution");
}

static scalay_status execution_test(scalay_plan *plan, int *complete)
{
    lock(&plan->comm->busy);
    const scalay_status status_before = plan->status;
    (void)advance_others(plan);
    advance(plan);
    *complete = plan->complete;
    const scalay_status status = execution_status(plan, status_before);
    unlock(&plan->comm->busy);
    return status;
}

static scalay_status check_damage(const scalay_plan *plan)
{
    if (plan->damaged_peer < 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_plan_execute",
                       "a message from rank %d to rank %d does not match its checksum: its elements of the target are "
                       "wrong. Move the matrix again, and have the network and the memory of both nodes checked.",
                       plan->damaged_peer, plan->comm->rank);
}

/* Completes the execution; nothing is pending afterwards. */
static scalay_status execution_wait(scalay_plan *plan)
{
    lock(&plan->comm->busy);
    const scalay_status status_before = plan->status;
    const int is_only = is_only_plan(plan);
    while (!plan->complete && plan->status == SCALAY_SUCCESS) {
        if (is_only)
            plan->status = advance_transport(plan, 1);
        else
            advance(plan);
        if (is_only || plan->complete) continue;
        (void)advance_others(plan);
        (void)sched_yield();
    }
    scalay_status status = execution_status(plan, status_before);
    if (status == SCALAY_SUCCESS) status = check_damage(plan);
    if (plan->pending) remove_pending(plan);
    unlock(&plan->comm->busy);
    return status;
}

void scalay_plan_abandon(scalay_plan *plan)
{
    if (plan->pending) remove_pending(plan);
}

void scalay_plan_copy_kept(const scalay_plan *plan)
{
    for (int k = 0; k < plan->count; k++) {
        const scalay_transfer *transfer = &plan->transfers[k];
        if (transfer->to->kept.elements == 0) continue;
        scalay_package_copy(transfer->to, &transfer->to->kept, &transfer->unpacker, transfer->source, transfer->target);
    }
}

/* -------------------------------------------------------------------------------------------- operands */

static int has_elements(const scalay_side *side)
{
    return side->span_end > side->span_start;
}

static int64_t count_elements(const scalay_side *side)
{
    return side->elements + side->kept.elements;
}

/* Compares the addresses between the first and the last element of a source and of a target. */
static int spans_overlap(const scalay_transfer *read, const scalay_transfer *written)
{
    const uintptr_t read_size = read->packer.size, written_size = written->packer.size;
    const uintptr_t source = (uintptr_t)read->source, target = (uintptr_t)written->target;
    if (!has_elements(read->from) || !has_elements(written->to)) return 0;
    return source + (uintptr_t)read->from->span_start * read_size <
               target + (uintptr_t)written->to->span_end * written_size &&
           target + (uintptr_t)written->to->span_start * written_size <
               source + (uintptr_t)read->from->span_end * read_size;
}

static scalay_status check_overlap(const scalay_plan *plan, const scalay_transfer *transfer, const char *function)
{
    for (int k = 0; k < plan->count; k++) {
        if (!spans_overlap(&plan->transfers[k], transfer)) continue;
        if (plan->can_consume)
            return scalay_fail(
                SCALAY_ERROR_ARGUMENT, function,
                "the source array and the target array overlap in memory; they must be disjoint, because "
                "the source is consumed");
        if (!plan->in_place)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "a source array and a target array overlap in memory; they must be disjoint. Or create "
                               "the plan with options.in_place = 1.");
        if (transfer->unpacker.adds)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "beta is not 0, and the target array overlaps a source array in memory; beta must be 0 "
                               "then");
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_arrays(const scalay_transfer *transfer, const char *function)
{
    if (transfer->source == NULL && has_elements(transfer->from))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the source array is NULL; it must hold the %lld elements of this rank",
                           (long long)count_elements(transfer->from));
    if (transfer->target == NULL && has_elements(transfer->to))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the target array is NULL; it must have space for the %lld elements of this rank",
                           (long long)count_elements(transfer->to));
    return SCALAY_SUCCESS;
}

static scalay_status check_scalars(scalay_type type, const scalay_operands *operands, const char *function)
{
    const int is_arithmetic = type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE;
    if (is_arithmetic || (operands->alpha == NULL && operands->beta == NULL)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is not NULL; it must be NULL for elements of type %s",
                       operands->alpha != NULL ? "alpha" : "beta", scalay_type_name(type));
}

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static void set_transfer(const scalay_plan *plan, const scalay_planned_matrix *matrix, int backward,
                         const scalay_operands *operands, scalay_transfer *transfer)
{
    scalay_copier plain = scalay_copier_for(matrix->type);
    plain.threads = plan->threads;
    *transfer = (scalay_transfer){.from = backward ? &matrix->target : &matrix->source,
                                  .to = backward ? &matrix->source : &matrix->target,
                                  .source = backward ? operands->b : operands->a,
                                  .target = backward ? operands->a : operands->b,
                                  .packer = plain,
                                  .unpacker = plain};
    scalay_copier *unpacker = &transfer->unpacker;
    unpacker->target_bytes = transfer->to->local_size * (int64_t)plain.size;
    unpacker->conjugate = matrix->op == SCALAY_CONJUGATE_TRANSPOSE && is_complex(matrix->type);
    scalay_copier_scalar(matrix->type, operands->alpha, 1.0, unpacker->alpha);
    scalay_copier_scalar(matrix->type, operands->beta, 0.0, unpacker->beta);
    unpacker->adds = unpacker->beta[0] != 0.0 || unpacker->beta[1] != 0.0;
    unpacker->scaled = unpacker->adds || unpacker->alpha[0] != 1.0 || unpacker->alpha[1] != 0.0;
}

static scalay_status set_transfers(scalay_plan *plan, int backward, const scalay_operands *operands,
                                   const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < plan->count; k++) {
        SCALAY_TRY(check_scalars(plan->matrices[k].type, &operands[k], function));
        set_transfer(plan, &plan->matrices[k], backward, &operands[k], &plan->transfers[k]);
        SCALAY_TRY(check_arrays(&plan->transfers[k], function));
    }
    for (int k = 0; k < plan->count; k++) SCALAY_TRY(check_overlap(plan, &plan->transfers[k], function));
    plan->backward = backward;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------- public functions */

static scalay_status begin(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands, int consumes,
                           const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(plan, function, "plan"));
    SCALAY_TRY(scalay_check_not_null(operands, function, "operands"));
    if (plan->pending)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the plan has a pending execution. Complete it with scalay_plan_end, or create another "
                           "plan.");
    if (direction != SCALAY_FORWARD && direction != SCALAY_BACKWARD)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "direction is %d; it must be SCALAY_FORWARD or SCALAY_BACKWARD", (int)direction);
    SCALAY_TRY(set_transfers(plan, direction == SCALAY_BACKWARD, operands, function));
    SCALAY_TRY(execution_start(plan, consumes));
cleanup:
    return status;
}

/* For the functions that take arrays instead of operands. */
static scalay_status begin_one(scalay_plan *plan, scalay_direction direction, const void *a, const void *b,
                               const char *function)
{
    const scalay_operands operands = {.a = (void *)a, .b = (void *)b};
    if (plan != NULL && plan->count != 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the plan has %d matrices; it must have 1. Call scalay_plan_execute_with or "
                           "scalay_plan_begin_with.",
                           plan->count);
    return begin(plan, direction, &operands, 0, function);
}

scalay_status scalay_plan_begin_with(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands)
{
    return begin(plan, direction, operands, 0, __func__);
}

scalay_status scalay_plan_execute_with(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands)
{
    const scalay_status status = begin(plan, direction, operands, 0, __func__);
    return status == SCALAY_SUCCESS ? execution_wait(plan) : status;
}

scalay_status scalay_plan_begin(scalay_plan *plan, const void *a, void *b)
{
    return begin_one(plan, SCALAY_FORWARD, a, b, __func__);
}

scalay_status scalay_plan_begin_back(scalay_plan *plan, const void *b, void *a)
{
    return begin_one(plan, SCALAY_BACKWARD, a, b, __func__);
}

scalay_status scalay_plan_execute(scalay_plan *plan, const void *a, void *b)
{
    const scalay_status status = begin_one(plan, SCALAY_FORWARD, a, b, __func__);
    return status == SCALAY_SUCCESS ? execution_wait(plan) : status;
}

scalay_status scalay_plan_execute_back(scalay_plan *plan, const void *b, void *a)
{
    const scalay_status status = begin_one(plan, SCALAY_BACKWARD, a, b, __func__);
    return status == SCALAY_SUCCESS ? execution_wait(plan) : status;
}

scalay_status scalay_plan_execute_consume(scalay_plan *plan, void *a, void *b)
{
    const scalay_operands operands = {.a = a, .b = b};
    if (plan != NULL && !plan->can_consume)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, __func__,
                           "the plan cannot consume its source. Create it with options.consume = 1.");
    const scalay_status status = begin(plan, SCALAY_FORWARD, &operands, 1, __func__);
    return status == SCALAY_SUCCESS ? execution_wait(plan) : status;
}

static scalay_status check_pending(const scalay_plan *plan, const char *function)
{
    scalay_status status = scalay_check_not_null(plan, function, "plan");
    if (status == SCALAY_SUCCESS && !plan->pending)
        status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                             "the plan has no pending execution. Call scalay_plan_begin first.");
    return status;
}

scalay_status scalay_plan_test(scalay_plan *plan, int *done)
{
    int complete = 0;
    if (done != NULL) *done = 0;
    scalay_status status = check_pending(plan, __func__);
    if (status == SCALAY_SUCCESS) status = execution_test(plan, &complete);
    if (done != NULL) *done = complete;
    return status;
}

scalay_status scalay_plan_end(scalay_plan *plan)
{
    const scalay_status status = check_pending(plan, __func__);
    return status == SCALAY_SUCCESS ? execution_wait(plan) : status;
}
