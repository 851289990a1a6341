#include "redist/plan.h"

#include <stdint.h>

static int has_elements(const scalay_side *side)
{
    return side->span_end > side->span_start;
}

/* The addresses between a side's first and last element in an array. */
static int spans_overlap(const scalay_plan *plan, const scalay_plan_move *move)
{
    const uintptr_t size = plan->copier.size;
    const uintptr_t source = (uintptr_t)move->source, target = (uintptr_t)move->target;
    if (!has_elements(move->from) || !has_elements(move->to)) return 0;
    return source + (uintptr_t)move->from->span_start * size < target + (uintptr_t)move->to->span_end * size &&
           target + (uintptr_t)move->to->span_start * size < source + (uintptr_t)move->from->span_end * size;
}

static scalay_status check_move(const scalay_plan *plan, const scalay_plan_move *move, const char *function)
{
    if (plan->under_way)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the plan has a move under way; finish it with scalay_plan_end, or make another plan");
    if (move->source == NULL && has_elements(move->from))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the array to move from is NULL; this rank has %lld elements",
                           (long long)(move->from->elements + move->from->kept.elements));
    if (move->target == NULL && has_elements(move->to))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the array to move to is NULL; this rank gets %lld elements",
                           (long long)(move->to->elements + move->to->kept.elements));
    if (spans_overlap(plan, move))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the two arrays overlap in memory; move into an array of its own");
    return SCALAY_SUCCESS;
}

static scalay_status begin(scalay_plan *plan, int back, const void *source, void *target, const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    if (plan == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "plan is NULL; make one with scalay_plan_create");
    const scalay_plan_move move = {.from = back ? &plan->target : &plan->source,
                                   .to = back ? &plan->source : &plan->target,
                                   .source = source,
                                   .target = target,
                                   .send_buffer = back ? plan->target_buffer : plan->source_buffer,
                                   .receive_buffer = back ? plan->source_buffer : plan->target_buffer};
    SCALAY_TRY(check_move(plan, &move, function));
    plan->move = move;
    SCALAY_TRY(plan->transport->begin(plan, &plan->move));
    plan->under_way = 1;
cleanup:
    return status;
}

static scalay_status end(scalay_plan *plan)
{
    plan->under_way = 0;
    return plan->transport->end(plan, &plan->move);
}

scalay_status scalay_plan_begin(scalay_plan *plan, const void *a, void *b)
{
    return begin(plan, 0, a, b, __func__);
}

scalay_status scalay_plan_begin_back(scalay_plan *plan, const void *b, void *a)
{
    return begin(plan, 1, b, a, __func__);
}

scalay_status scalay_plan_end(scalay_plan *plan)
{
    if (plan == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "plan is NULL; make one with scalay_plan_create");
    if (!plan->under_way)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the plan has nothing under way; call scalay_plan_begin first");
    return end(plan);
}

scalay_status scalay_plan_execute(scalay_plan *plan, const void *a, void *b)
{
    scalay_status status = begin(plan, 0, a, b, __func__);
    return status == SCALAY_SUCCESS ? end(plan) : status;
}

scalay_status scalay_plan_execute_back(scalay_plan *plan, const void *b, void *a)
{
    scalay_status status = begin(plan, 1, b, a, __func__);
    return status == SCALAY_SUCCESS ? end(plan) : status;
}
