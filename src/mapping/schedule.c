/* One-port schedules of exact length in few global steps. In every step the processes that could not catch up later
 * must be busy; steps are kept long by using, as long as it works, only messages above a power of two. */
#include "mapping/schedule.h"

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/traffic.h"

void scalay_schedule_destroy(scalay_schedule **schedule)
{
    if (schedule == NULL || *schedule == NULL) return;
    scalay_release((*schedule)->duration);
    scalay_release((*schedule)->start);
    scalay_release((*schedule)->messages);
    scalay_release(*schedule);
    *schedule = NULL;
}

/* How long a step may last: no matched message is used up, no idle node falls behind. */
static int64_t step_duration(const scalay_message_graph *graph)
{
    int64_t duration = graph->remaining;
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < graph->port[side].nodes; x++) {
            int64_t message = graph->port[side].matched[x];
            int64_t limit = message >= 0 ? graph->left[message] : graph->remaining - graph->port[side].load[x];
            duration = scalay_min_int64(duration, limit);
        }
    return duration;
}

/* Moves `duration` items of every matched message and writes the step down. */
static scalay_status append_step(scalay_message_graph *graph, const int *process, int64_t duration,
                                 scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = schedule->start[schedule->steps];
    SCALAY_TRY(SCALAY_GROW(schedule->duration, schedule->duration_capacity, schedule->steps + 1));
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->steps + 2));
    SCALAY_TRY(SCALAY_GROW(schedule->messages, schedule->messages_capacity, filled + graph->port[0].nodes));
    for (int i = 0; i < graph->port[0].nodes; i++) {
        int64_t message = graph->port[0].matched[i];
        if (message < 0) continue;
        int part = graph->node[1][message];
        schedule->messages[filled++] = (scalay_message){i, process[part], duration};
        graph->left[message] -= duration;
        graph->port[0].load[i] -= duration;
        graph->port[1].load[part] -= duration;
    }
    schedule->duration[schedule->steps++] = duration;
    schedule->start[schedule->steps] = filled;
    schedule->length += duration;
    graph->remaining -= duration;
cleanup:
    return status;
}

/* The matched messages of both sides are the same: no sender and no receiver twice. */
static scalay_status check_matching(const scalay_message_graph *graph)
{
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < graph->port[side].nodes; x++) {
            int64_t message = graph->port[side].matched[x];
            if (message < 0) continue;
            if (graph->node[side][message] != x ||
                graph->port[1 - side].matched[graph->node[1 - side][message]] != message)
                return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "a step is no matching; please report it");
        }
    return SCALAY_SUCCESS;
}

static scalay_status check_complete(const scalay_message_graph *graph)
{
    for (int64_t e = 0; e < graph->messages; e++)
        if (graph->left[e] != 0)
            return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "message %lld has %lld items left over; please report it",
                               (long long)e, (long long)graph->left[e]);
    return SCALAY_SUCCESS;
}

static scalay_status fill_schedule(scalay_message_graph *graph, const int *process, scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, 1));
    schedule->start[0] = 0;
    while (graph->remaining > 0) {
        SCALAY_TRY(scalay_message_graph_match(graph));
        SCALAY_TRY(check_matching(graph));
        int64_t duration = step_duration(graph);
        if (duration < 1) return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "a step of no length; please report it");
        SCALAY_TRY(append_step(graph, process, duration, schedule));
    }
    SCALAY_TRY(check_complete(graph));
cleanup:
    return status;
}

scalay_status scalay_schedule_create(const scalay_traffic *traffic, const int *process, scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_graph graph = {0};
    scalay_schedule *made = NULL;
    if (schedule == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule is NULL; pass where to put it");
    *schedule = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    SCALAY_TRY(SCALAY_NEW(made, 1));
    SCALAY_TRY(scalay_message_graph_create(traffic, process, &graph));
    SCALAY_TRY(fill_schedule(&graph, process, made));
    *schedule = made;
    made = NULL;
cleanup:
    scalay_message_graph_free(&graph);
    scalay_schedule_destroy(&made);
    return status;
}

int64_t scalay_schedule_steps(const scalay_schedule *schedule)
{
    return schedule != NULL ? schedule->steps : 0;
}

int64_t scalay_schedule_length(const scalay_schedule *schedule)
{
    return schedule != NULL ? schedule->length : 0;
}

scalay_status scalay_schedule_step(const scalay_schedule *schedule, int64_t step, int64_t *length, int64_t *count,
                                   const scalay_message **messages)
{
    if (schedule == NULL || length == NULL || count == NULL || messages == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule, length, count or messages is NULL");
    if (step < 0 || step >= schedule->steps)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "step = %lld; it must be at least 0 and below %lld", (long long)step,
                           (long long)schedule->steps);
    *length = schedule->duration[step];
    *count = schedule->start[step + 1] - schedule->start[step];
    *messages = schedule->messages + schedule->start[step];
    return SCALAY_SUCCESS;
}
