#include "dropin/carry_out.h"

#include <mpi.h>

#include "dropin/active.h"
#include "dropin/failure.h"
#include "dropin/planning.h"
#include "dropin/union.h"
#include "scalay/context.h"

/* What the processes tell each other about a call, besides the slots that fit it. */
static const uint64_t RIGHT = (uint64_t)1 << 62; /* the arguments are */
static const uint64_t APART = (uint64_t)1 << 61; /* the submatrices lie, in memory */
static const uint64_t SLOTS = ((uint64_t)1 << SCALAY_PLANS_MOST) - 1;

/* What all processes say. */
static uint64_t ask_all(const scalay_call *call, scalay_status status, const scalay_union *kept)
{
    uint64_t mine = 0, all = 0;
    if (status == SCALAY_SUCCESS) mine = RIGHT | scalay_union_fitting(kept, &call->key);
    if (call->apart) mine |= APART;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BAND, scalay_comm_handle(kept->comm));
    return all;
}

static scalay_slot *first_slot(scalay_union *kept, uint64_t slots)
{
    for (int k = 0; k < kept->kept; k++)
        if (slots >> k & 1) return &kept->slots[k];
    return NULL;
}

static void move(const scalay_call *call, scalay_plan *plan)
{
    if (scalay_plan_execute_with(plan, SCALAY_FORWARD, &call->operands) != SCALAY_SUCCESS) scalay_call_abort(call);
}

/* Plans, moves, and keeps the plan if any are kept. */
static void move_anew(scalay_call *call, scalay_union *kept, int in_place)
{
    scalay_slot *slot = scalay_call_keeps_plan(call, in_place) ? scalay_union_take_slot(kept) : NULL;
    scalay_plan *plan = scalay_call_plan(call, kept->comm, in_place);
    scalay_announce(call, kept->comm, plan);
    move(call, plan);
    if (slot == NULL) {
        scalay_plan_destroy(&plan);
        return;
    }
    *slot = (scalay_slot){plan, call->key, in_place, kept->calls};
}

void scalay_call_carry_out(scalay_call *call, scalay_status status)
{
    scalay_union *kept = NULL;
    if (scalay_union_find(call, &kept) != SCALAY_SUCCESS) scalay_call_abort(call);
    kept->calls++;
    const uint64_t all = ask_all(call, status, kept);
    if (!(all & RIGHT)) scalay_call_need_all(call, kept->comm, status);
    const uint64_t in_place = scalay_union_in_place(kept);
    scalay_slot *slot = first_slot(kept, all & SLOTS & (all & APART ? ~in_place : in_place));
    if (slot == NULL) {
        move_anew(call, kept, !(all & APART));
        return;
    }
    slot->used = kept->calls;
    move(call, slot->plan);
}
