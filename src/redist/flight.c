#include "redist/flight.h"

#include <sched.h>

/* All plans under way, of all communicators, the latest first. */
static scalay_plan *under_way;

static void leave(scalay_plan *plan)
{
    scalay_plan **link = &under_way;
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

/* Whether the others on the same communicator have moved all, too: ranks of another one may not have begun as yet. */
static int look_after_others(const scalay_plan *plan)
{
    int done = 1;
    for (scalay_plan *other = under_way; other != NULL; other = other->next) {
        if (other == plan) continue;
        go_on(other);
        done = done && (other->comm != plan->comm || other->moved || other->verdict != SCALAY_SUCCESS);
    }
    return done;
}

/* Tags are used again after thousands of plans; messages of two of them must not meet. */
static int shares_tag(const scalay_plan *plan)
{
    for (const scalay_plan *other = under_way; other != NULL; other = other->next)
        if (other->comm == plan->comm && other->tag == plan->tag) return 1;
    return 0;
}

scalay_status scalay_flight_start(scalay_plan *plan)
{
    while ((plan->transport->blocks || shares_tag(plan)) && !look_after_others(plan)) (void)sched_yield();
    const scalay_status status = plan->transport->begin(plan);
    if (status != SCALAY_SUCCESS) return status;
    plan->under_way = 1;
    plan->moved = plan->transport->blocks;
    plan->verdict = SCALAY_SUCCESS;
    plan->next = under_way;
    under_way = plan;
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
    (void)look_after_others(plan);
    go_on(plan);
    *done = plan->moved;
    return verdict_of(plan, before);
}

scalay_status scalay_flight_finish(scalay_plan *plan)
{
    const scalay_status before = plan->verdict;
    const int alone = under_way == plan && plan->next == NULL;
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
