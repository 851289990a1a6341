#include <stdint.h>

#include "base/integer.h"
#include "redist/flight.h"
#include "redist/plan.h"

static int has_elements(const scalay_side *side)
{
    return side->span_end > side->span_start;
}

static int64_t count_elements(const scalay_side *side)
{
    return side->elements + side->kept.elements;
}

/* ------------------------------------------------------------------------------------------ arguments */

/* The addresses between a source's and a target's first and last element. */
static int spans_overlap(const scalay_freight *read, const scalay_freight *written)
{
    const uintptr_t read_size = read->packer.size, written_size = written->packer.size;
    const uintptr_t source = (uintptr_t)read->source, target = (uintptr_t)written->target;
    if (!has_elements(read->from) || !has_elements(written->to)) return 0;
    return source + (uintptr_t)read->from->span_start * read_size <
               target + (uintptr_t)written->to->span_end * written_size &&
           target + (uintptr_t)written->to->span_start * written_size <
               source + (uintptr_t)read->from->span_end * read_size;
}

static scalay_status check_overlap(const scalay_plan *plan, const scalay_freight *freight, const char *function)
{
    for (int k = 0; k < plan->count; k++) {
        if (!spans_overlap(&plan->freight[k], freight)) continue;
        if (!plan->in_place)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "an array to move from and one to move to overlap in memory; move into an array of its "
                               "own, or make the plan with options.in_place = 1");
        if (freight->unpacker.adds)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "beta is not 0, and what it would scale shares memory with what moves; move into an "
                               "array of its own, or pass beta = 0");
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_arrays(const scalay_freight *freight, const char *function)
{
    if (freight->source == NULL && has_elements(freight->from))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the array to move from is NULL; this rank has %lld elements",
                           (long long)count_elements(freight->from));
    if (freight->target == NULL && has_elements(freight->to))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the array to move to is NULL; this rank gets %lld elements",
                           (long long)count_elements(freight->to));
    return SCALAY_SUCCESS;
}

static scalay_status check_scalars(scalay_type type, const scalay_operands *operands, const char *function)
{
    const int arithmetic = type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE;
    if (arithmetic || (operands->alpha == NULL && operands->beta == NULL)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                       "%s is given for elements of type %s, which are not calculated with; pass NULL",
                       operands->alpha != NULL ? "alpha" : "beta", scalay_type_name(type));
}

/* ------------------------------------------------------------------------------------------------ begin */

static int is_complex(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE;
}

static void load(const scalay_plan *plan, const scalay_plan_part *part, int back, const scalay_operands *operands,
                 scalay_freight *freight)
{
    scalay_copier plain = scalay_copier_for(part->type);
    plain.threads = plan->threads;
    *freight = (scalay_freight){.from = back ? &part->target : &part->source,
                                .to = back ? &part->source : &part->target,
                                .source = back ? operands->b : operands->a,
                                .target = back ? (void *)operands->a : operands->b,
                                .packer = plain,
                                .unpacker = plain};
    scalay_copier *unpacker = &freight->unpacker;
    unpacker->target_bytes = freight->to->local_size * (int64_t)plain.size;
    unpacker->conjugate = part->op == SCALAY_CONJUGATE_TRANSPOSE && is_complex(part->type);
    scalay_copier_scalar(part->type, operands->alpha, 1.0, unpacker->alpha);
    scalay_copier_scalar(part->type, operands->beta, 0.0, unpacker->beta);
    unpacker->adds = unpacker->beta[0] != 0.0 || unpacker->beta[1] != 0.0;
    unpacker->scaled = unpacker->adds || unpacker->alpha[0] != 1.0 || unpacker->alpha[1] != 0.0;
}

static scalay_status begin(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands,
                           const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < plan->count; k++) {
        SCALAY_TRY(check_scalars(plan->parts[k].type, &operands[k], function));
        load(plan, &plan->parts[k], direction == SCALAY_BACKWARD, &operands[k], &plan->freight[k]);
        SCALAY_TRY(check_arrays(&plan->freight[k], function));
    }
    for (int k = 0; k < plan->count; k++) SCALAY_TRY(check_overlap(plan, &plan->freight[k], function));
    plan->back = direction == SCALAY_BACKWARD;
    SCALAY_TRY(scalay_flight_start(plan));
cleanup:
    return status;
}

static scalay_status check_and_begin(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands,
                                     const char *function)
{
    if (plan == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "plan is NULL; make one with scalay_plan_create");
    if (plan->under_way)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the plan has a move under way; finish it with scalay_plan_end, or make another plan");
    if (direction != SCALAY_FORWARD && direction != SCALAY_BACKWARD)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "direction = %d is none; pass SCALAY_FORWARD or SCALAY_BACKWARD", (int)direction);
    if (operands == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "operands is NULL; pass one for each of %d matrices",
                           plan->count);
    return begin(plan, direction, operands, function);
}

/* The short calls are for one matrix. */
static scalay_status begin_one(scalay_plan *plan, scalay_direction direction, const void *a, void *b,
                               const char *function)
{
    const scalay_operands operands = {.a = a, .b = b};
    if (plan != NULL && plan->count != 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "the plan moves %d matrices; call scalay_plan_execute_with or scalay_plan_begin_with",
                           plan->count);
    return check_and_begin(plan, direction, &operands, function);
}

/* ------------------------------------------------------------------------------------------ the public calls */

scalay_status scalay_plan_begin_with(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands)
{
    return check_and_begin(plan, direction, operands, __func__);
}

scalay_status scalay_plan_execute_with(scalay_plan *plan, scalay_direction direction, const scalay_operands *operands)
{
    scalay_status status = check_and_begin(plan, direction, operands, __func__);
    return status == SCALAY_SUCCESS ? scalay_flight_finish(plan) : status;
}

scalay_status scalay_plan_begin(scalay_plan *plan, const void *a, void *b)
{
    return begin_one(plan, SCALAY_FORWARD, a, b, __func__);
}

scalay_status scalay_plan_begin_back(scalay_plan *plan, const void *b, void *a)
{
    return begin_one(plan, SCALAY_BACKWARD, a, (void *)b, __func__);
}

scalay_status scalay_plan_test(scalay_plan *plan, int *done)
{
    int all = 0;
    if (done != NULL) *done = 0;
    if (plan == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "plan is NULL; make one with scalay_plan_create");
    if (!plan->under_way)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the plan has nothing under way; call scalay_plan_begin first");
    const scalay_status status = scalay_flight_test(plan, &all);
    if (done != NULL) *done = all;
    return status;
}

scalay_status scalay_plan_end(scalay_plan *plan)
{
    if (plan == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "plan is NULL; make one with scalay_plan_create");
    if (!plan->under_way)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the plan has nothing under way; call scalay_plan_begin first");
    return scalay_flight_finish(plan);
}

scalay_status scalay_plan_execute(scalay_plan *plan, const void *a, void *b)
{
    scalay_status status = begin_one(plan, SCALAY_FORWARD, a, b, __func__);
    return status == SCALAY_SUCCESS ? scalay_flight_finish(plan) : status;
}

scalay_status scalay_plan_execute_back(scalay_plan *plan, const void *b, void *a)
{
    scalay_status status = begin_one(plan, SCALAY_BACKWARD, a, (void *)b, __func__);
    return status == SCALAY_SUCCESS ? scalay_flight_finish(plan) : status;
}

void scalay_plan_copy_kept(const scalay_plan *plan)
{
    for (int k = 0; k < plan->count; k++) {
        const scalay_freight *freight = &plan->freight[k];
        if (freight->to->kept.elements == 0) continue;
        scalay_parcel_pull(freight->to, &freight->to->kept, &freight->unpacker, freight->source, freight->target);
    }
}
