/* One-port schedules of exact length in few global steps. In every step the processes that could not catch up later
 * must be busy; steps are kept long by using, as long as it works, only messages above a threshold, which falls: by an
 * eighth, or from one power of two to the next. Which takes fewer steps depends on the messages: halving suits those of
 * few different sizes. A schedule that cuts less does so down to its slice and then sends what is left whole: the same
 * with messages of one item. */
#include "mapping/schedule.h"

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/message_bits.h"
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

/* Writes down a step that moves `duration` items of every matched message. */
static scalay_status append_step(scalay_message_graph *graph, const int *process, int64_t duration,
                                 scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = schedule->start[schedule->steps];
    int64_t longest = 0;
    SCALAY_TRY(SCALAY_GROW(schedule->duration, schedule->duration_capacity, schedule->steps + 1));
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->steps + 2));
    SCALAY_TRY(SCALAY_GROW(schedule->messages, schedule->messages_capacity, filled + graph->port[0].nodes));
    for (int i = 0; i < graph->port[0].nodes; i++) {
        int64_t message = graph->port[0].matched[i];
        if (message < 0) continue;
        int part = graph->node[1][message];
        int64_t items = graph->rest != NULL ? graph->rest[message] : duration;
        schedule->messages[filled++] = (scalay_message){i, process[part], items};
        longest = scalay_max_int64(longest, items);
        graph->left[message] -= duration;
        graph->finished += graph->left[message] == 0;
        graph->port[0].load[i] -= duration;
        graph->port[1].load[part] -= duration;
    }
    schedule->duration[schedule->steps++] = longest;
    schedule->start[schedule->steps] = filled;
    schedule->length += longest;
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

int64_t scalay_schedule_time(const scalay_schedule *schedule, int64_t startup)
{
    int64_t time = 0;
    if (!scalay_multiply_int64(schedule->steps, startup, &time) || !scalay_add_int64(time, schedule->length, &time))
        return INT64_MAX;
    return time;
}

/* Steps that are needed at least: as many as the busiest has partners, which is known before any step. */
static int64_t least_steps(const scalay_message_graph *graph, int64_t made)
{
    int64_t most = 1;
    if (graph->rest != NULL) return graph->remaining;
    for (int s = 0; s < 2 && made == 0; s++)
        for (int x = 0; x < graph->port[s].nodes; x++)
            most = scalay_max_int64(most, graph->port[s].start[x + 1] - graph->port[s].start[x]);
    return most;
}

static int64_t least_length(const scalay_message_graph *graph)
{
    return graph->rest != NULL ? graph->ahead[graph->remaining] : graph->remaining;
}

/* Whether a schedule takes no less than the limit when it has taken at least what is still to do. */
static int is_hopeless(const scalay_message_graph *graph, const scalay_schedule_way *way,
                       const scalay_schedule *schedule)
{
    if (way->limit == INT64_MAX) return 0;
    scalay_schedule least = {.steps = schedule->steps + least_steps(graph, schedule->steps)};
    if (!scalay_add_int64(schedule->length, least_length(graph), &least.length)) return 1;
    return scalay_schedule_time(&least, way->startup) >= way->limit;
}

scalay_status scalay_schedule_append_steps(scalay_message_graph *graph, const int *process,
                                           const scalay_schedule_way *way, scalay_steps_end *end,
                                           scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    *end = SCALAY_STEPS_DONE;
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->steps + 1));
    if (schedule->steps == 0) schedule->start[0] = 0;
    while (graph->remaining > 0) {
        if (is_hopeless(graph, way, schedule))
            *end = SCALAY_STEPS_HOPELESS;
        else if (!scalay_message_graph_match(graph))
            *end = SCALAY_STEPS_STUCK;
        if (*end != SCALAY_STEPS_DONE) return status;
        SCALAY_TRY(check_matching(graph));
        int64_t duration = step_duration(graph);
        if (duration < 1) return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "a step of no length; please report it");
        SCALAY_TRY(append_step(graph, process, duration, schedule));
    }
    status = scalay_message_graph_check_complete(graph);
cleanup:
    return status;
}

static scalay_status fail_stuck(scalay_steps_end end)
{
    if (end != SCALAY_STEPS_STUCK) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_schedule_create",
                       "no matching covers the busiest processes; please report it");
}

scalay_status scalay_schedule_append_whole(const scalay_message_graph *graph, const int64_t *left, const int *process,
                                           const scalay_schedule_way *way, scalay_steps_end *end,
                                           scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_graph whole = {0};
    SCALAY_TRY(scalay_message_graph_create_whole(graph, left, &whole));
    SCALAY_TRY(scalay_schedule_append_steps(&whole, process, way, end, schedule));
    SCALAY_TRY(fail_stuck(*end));
cleanup:
    scalay_message_graph_free(&whole);
    return status;
}

static scalay_status fill_schedule(scalay_message_graph *graph, const int *process, const scalay_schedule_way *way,
                                   scalay_steps_end *end, scalay_schedule *schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_graph_set_descent(graph, way->halves, way->slice);
    SCALAY_TRY(scalay_schedule_append_steps(graph, process, way, end, schedule));
    if (*end == SCALAY_STEPS_STUCK && way->slice > 1) {
        scalay_message_bits_free(graph); /* whole messages are searched in order */
        SCALAY_TRY(scalay_schedule_append_whole(graph, graph->left, process, way, end, schedule));
    }
    SCALAY_TRY(fail_stuck(*end));
cleanup:
    return status;
}

static scalay_status make(const scalay_traffic *traffic, const int *process, const scalay_schedule_way *way,
                          scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_graph graph = {0};
    scalay_schedule *made = NULL;
    scalay_steps_end end = SCALAY_STEPS_DONE;
    *schedule = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    SCALAY_TRY(scalay_message_graph_create(traffic, process, &graph));
    SCALAY_TRY(fill_schedule(&graph, process, way, &end, made));
    if (end == SCALAY_STEPS_DONE) {
        *schedule = made;
        made = NULL;
    }
cleanup:
    scalay_message_graph_free(&graph);
    scalay_schedule_destroy(&made);
    return status;
}

/* More messages are scheduled in one way only. */
enum { FEW_MESSAGES = 300000 };

int scalay_schedule_has_ways(const scalay_traffic *traffic)
{
    return traffic->start[traffic->processes] <= FEW_MESSAGES;
}

/* In the better of both ways, whatever `halves` says. */
static scalay_status make_best(const scalay_traffic *traffic, const int *process, const scalay_schedule_way *way,
                               scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *best = NULL, *other = NULL;
    scalay_schedule_way next = *way;
    *schedule = NULL;
    next.halves = 0;
    SCALAY_TRY(make(traffic, process, &next, &best));
    if (way->slice < INT64_MAX && scalay_schedule_has_ways(traffic)) {
        next.halves = 1;
        if (best != NULL) next.limit = scalay_schedule_time(best, way->startup);
        SCALAY_TRY(make(traffic, process, &next, &other));
    }
    if (other != NULL) scalay_schedule_destroy(&best);
    *schedule = other != NULL ? other : best;
    best = other = NULL;
cleanup:
    scalay_schedule_destroy(&best);
    scalay_schedule_destroy(&other);
    return status;
}

static scalay_status create(const scalay_traffic *traffic, const int *process, int64_t slice, const char *function,
                            scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    if (schedule == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "schedule is NULL; pass where to put it");
    *schedule = NULL;
    if (traffic == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "traffic is NULL; create one first");
    if (slice < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "slice = %lld; pass at least 1 item", (long long)slice);
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, function));
    const scalay_schedule_way way = {.slice = slice, .startup = slice, .limit = INT64_MAX};
    SCALAY_TRY(make_best(traffic, process, &way, schedule));
cleanup:
    return status;
}

scalay_status scalay_schedule_create(const scalay_traffic *traffic, const int *process, scalay_schedule **schedule)
{
    return create(traffic, process, 1, __func__, schedule);
}

scalay_status scalay_schedule_create_sliced(const scalay_traffic *traffic, const int *process, int64_t slice,
                                            scalay_schedule **schedule)
{
    return create(traffic, process, slice, __func__, schedule);
}

int64_t scalay_schedule_rounds(const scalay_schedule *schedule)
{
    return schedule != NULL ? schedule->steps : 0;
}

int64_t scalay_schedule_length(const scalay_schedule *schedule)
{
    return schedule != NULL ? schedule->length : 0;
}

scalay_status scalay_schedule_round(const scalay_schedule *schedule, int64_t step, int64_t *length, int64_t *count,
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
