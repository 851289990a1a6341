#include "redist/flight.h"

#include <sched.h>

static void leave(scalay_plan *plan)
{
    scalay_plan **link = &plan->comm->under_way;
    while (*link != plan) link = &(*link)->next;
    *link = plan->next;
    plan->next = NULL;
    plan->under_way = 0;
}

/* A failure is kept for those who finish the move. */
static void go_on(scalay_plan *plan)
{
    if (!plan->moved && plan->verdict == SCALAY_SUCCESS)
        plan->verdict = plan->transport->advance(plan, 0, &plan->moved);
}

/* Whether the others have moved all, too. */
static int look_after_others(const scalay_plan *plan)
{
    int done = 1;
    for (scalay_plan *other = plan->comm->under_way; other != NULL; other = other->next) {
        if (other == plan) continue;
        go_on(other);
        done = done && (other->moved || other->verdict != SCALAY_SUCCESS);
    }
    return done;
}

scalay_status scalay_flight_start(scalay_plan *plan)
{
    while (plan->transport->blocks && !look_after_others(plan)) continue;
    const scalay_status status = plan->transport->begin(plan);
    if (status != SCALAY_SUCCESS) return status;
    plan->under_way = 1;
    plan->moved = 0;
    plan->verdict = SCALAY_SUCCESS;
    plan->next = plan->comm->under_way;
    plan->comm->under_way = plan;
    return SCALAY_SUCCESS;
}

/* The message of a failure that another call met is gone. */
static scalay_status verdict_of(scalay_plan *plan, scalay_status before)
{
    if (plan->verdict != SCALAY_SUCCESS) leave(plan);
    if (before == SCALAY_SUCCESS) return plan->verdict;
    return scalay_fail(before, "scalay_plan_end", "the move failed while another one was waited for");
}

scalay_status scalay_flight_test(scalay_plan *plan, int *done)
{
    const scalay_status before = plan->verdict;
    go_on(plan);
    *done = plan->moved;
    return verdict_of(plan, before);
}

scalay_status scalay_flight_finish(scalay_plan *plan)
{
    const scalay_status before = plan->verdict;
    const int alone = plan->comm->under_way == plan && plan->next == NULL;
    while (!plan->moved && plan->verdict == SCALAY_SUCCESS) {
        if (alone)
            plan->verdict = plan->transport->advance(plan, 1, &plan->moved);
        else
            go_on(plan);
        if (alone || plan->moved) continue;
        (void)look_after_others(plan);
        (void)sched_yield();
    }
    const scalay_status status = verdict_of(plan, before);
    if (plan->under_way) leave(plan);
    return status;
}
