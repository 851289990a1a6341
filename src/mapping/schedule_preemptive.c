/* Schedules of exact length without global steps. Every process goes from message to message by itself. Something
 * happens only when a message has nothing left, or when an idle process cannot afford to be idle any longer: it has as
 * many items to send, or to receive, as there is time left, and is busy to the end from then on. Who gives way, so that
 * it can be, an alternating search finds. At most one event per message and two per process: the cost is one of pairs,
 * not items.
 *
 * Gonzalez and Sahni, Open shop scheduling to minimize finish time, Journal of the ACM 23 (1976), section 4. */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/heap.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

#define NEVER INT64_MAX

typedef struct {
    scalay_message_graph graph;
    const int *process; /* of each part; not owned */
    scalay_schedule *schedule;
    int64_t length; /* of the whole */
    int64_t now;
    int64_t begun;    /* when the last step began */
    int64_t *running; /* shape [senders], likewise the next two: the message under way, or -1 */
    int64_t *since;   /* when it began */
    int64_t *written; /* where it stands in the schedule */
    int64_t *due; /* shape [senders + receivers]: when something happens to each, unless something else does before */
    scalay_heap events;     /* senders and receivers by due */
    int *late;              /* shape [senders + receivers]: that must be busy from now on */
    unsigned char *is_late; /* shape [senders + receivers] */
    int late_count;
    int *touched;              /* shape [senders]: that may have another message from now on */
    unsigned char *is_touched; /* shape [senders] */
    int touched_count;
} timeline;

static scalay_status timeline_allocate(const scalay_traffic *traffic, timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    const int senders = traffic->processes, nodes = senders + traffic->parts;
    SCALAY_TRY(SCALAY_NEW(line->schedule, 1));
    SCALAY_TRY(SCALAY_GROW(line->schedule->start, line->schedule->start_capacity, 1));
    SCALAY_TRY(scalay_message_graph_create(traffic, line->process, &line->graph));
    SCALAY_TRY(SCALAY_NEW(line->running, senders));
    SCALAY_TRY(SCALAY_NEW(line->since, senders));
    SCALAY_TRY(SCALAY_NEW(line->written, senders));
    SCALAY_TRY(SCALAY_NEW(line->due, nodes));
    SCALAY_TRY(SCALAY_NEW(line->late, nodes));
    SCALAY_TRY(SCALAY_NEW(line->is_late, nodes));
    SCALAY_TRY(SCALAY_NEW(line->touched, senders));
    SCALAY_TRY(SCALAY_NEW(line->is_touched, senders));
    SCALAY_TRY(scalay_heap_allocate(nodes, line->due, &line->events));
cleanup:
    return status;
}

static void timeline_free(timeline *line)
{
    scalay_schedule_destroy(&line->schedule);
    scalay_message_graph_free(&line->graph);
    scalay_release(line->running);
    scalay_release(line->since);
    scalay_release(line->written);
    scalay_release(line->due);
    scalay_release(line->late);
    scalay_release(line->is_late);
    scalay_release(line->touched);
    scalay_release(line->is_touched);
    scalay_heap_free(&line->events);
}

static void set_due(timeline *line, int side, int x, int64_t time)
{
    const int member = side == 0 ? x : line->graph.port[0].nodes + x;
    line->due[member] = time;
    scalay_heap_move(&line->events, member);
}

/* When a node must be busy: when all the time left is needed. */
static void await(timeline *line, int side, int x)
{
    const scalay_port *port = &line->graph.port[side];
    set_due(line, side, x, port->matched[x] >= 0 || port->load[x] == 0 ? NEVER : -port->load[x]);
}

/* The search works with the threshold: one item is worth a message. */
static void start(timeline *line)
{
    scalay_message_graph *graph = &line->graph;
    scalay_message_graph_set_threshold(graph, 1);
    line->schedule->length = graph->remaining;
    for (int i = 0; i < graph->port[0].nodes; i++) line->running[i] = -1;
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < graph->port[side].nodes; x++) await(line, side, x);
}

static void touch(timeline *line, int sender)
{
    if (line->is_touched[sender]) return;
    line->is_touched[sender] = 1;
    line->touched[line->touched_count++] = sender;
}

/* From now on a node must be busy. */
static void make_late(timeline *line, int member)
{
    const int senders = line->graph.port[0].nodes, side = member >= senders;
    line->graph.port[side].must[side ? member - senders : member] = 1;
    line->is_late[member] = 1;
    line->late[line->late_count++] = member;
    if (line->due[member] == NEVER) return;
    line->due[member] = NEVER;
    scalay_heap_move(&line->events, member);
}

/* Writes down what a sender has sent of its message, which has come to its end or gives way. */
static void stop(timeline *line, int sender)
{
    scalay_message_graph *graph = &line->graph;
    const int64_t message = line->running[sender], sent = line->now - line->since[sender];
    const int receiver = graph->node[1][message];
    line->running[sender] = -1;
    line->schedule->messages[line->written[sender]].items = sent;
    graph->left[message] -= sent;
    graph->finished += graph->left[message] == 0;
    graph->port[0].load[sender] -= sent;
    graph->port[1].load[receiver] -= sent;
    if (graph->left[message] == 0) scalay_message_graph_unmatch(graph, message);
}

/* A node without a message: it is late now, or will be. */
static void await_or_late(timeline *line, int side, int x)
{
    const scalay_port *port = &line->graph.port[side];
    if (port->load[x] > 0 && -port->load[x] == line->now)
        make_late(line, side == 0 ? x : line->graph.port[0].nodes + x);
    else
        await(line, side, x);
}

/* All that is due now: messages come to their end, and idle processes become late. */
static void take_events(timeline *line)
{
    const int senders = line->graph.port[0].nodes;
    line->late_count = 0;
    while (line->due[line->events.member[0]] == line->now) {
        const int member = line->events.member[0];
        if (member >= senders || line->running[member] < 0) {
            make_late(line, member);
            continue;
        }
        const int receiver = line->graph.node[1][line->running[member]];
        stop(line, member);
        await_or_late(line, 0, member);
        await_or_late(line, 1, receiver);
        touch(line, member);
    }
}

static scalay_status make_busy(timeline *line, int side, int x)
{
    scalay_message_graph *graph = &line->graph;
    const scalay_port *port = &graph->port[side];
    if (port->matched[x] >= 0) return SCALAY_SUCCESS;
    if (!scalay_message_graph_match_node(graph, side, x))
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "%s %d cannot be busy; please report it",
                           side == 0 ? "sender" : "receiver", x);
    for (int k = 0; k < graph->changed; k++) {
        const int64_t message = port->matched[graph->queue[k]];
        if (side == 0)
            touch(line, graph->queue[k]);
        else if (message >= 0)
            touch(line, graph->node[0][message]);
    }
    return SCALAY_SUCCESS;
}

/* Where many of `all` are listed, going through their marks is quicker than sorting. */
static void sort_marked(const unsigned char *marked, int all, int *list, int count)
{
    enum { MANY = 16 };
    if (count < all / MANY) {
        qsort(list, (size_t)count, sizeof *list, scalay_compare_ints);
        return;
    }
    for (int x = 0, filled = 0; filled < count; x++)
        if (marked[x]) list[filled++] = x;
}

/* Senders first. */
static scalay_status cover_late(timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    const int senders = line->graph.port[0].nodes;
    sort_marked(line->is_late, senders + line->graph.port[1].nodes, line->late, line->late_count);
    for (int k = 0; k < line->late_count; k++) {
        const int side = line->late[k] >= senders;
        line->is_late[line->late[k]] = 0;
        SCALAY_TRY(make_busy(line, side, side ? line->late[k] - senders : line->late[k]));
    }
cleanup:
    return status;
}

/* A step begins, in which so many messages may. */
static scalay_status begin_step(timeline *line, int most)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *schedule = line->schedule;
    SCALAY_TRY(SCALAY_GROW(schedule->duration, schedule->duration_capacity, schedule->steps + 1));
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->steps + 2));
    SCALAY_TRY(SCALAY_GROW(schedule->messages, schedule->messages_capacity, schedule->start[schedule->steps] + most));
    if (schedule->steps > 0) schedule->duration[schedule->steps - 1] = line->now - line->begun;
    line->begun = line->now;
    schedule->start[schedule->steps + 1] = schedule->start[schedule->steps];
    schedule->steps++;
    /* Of the last one; the next one cuts it off. */
    schedule->duration[schedule->steps - 1] = -line->now;
cleanup:
    return status;
}

static void begin_message(timeline *line, int sender)
{
    scalay_schedule *schedule = line->schedule;
    const int64_t message = line->graph.port[0].matched[sender], at = schedule->start[schedule->steps]++;
    const int receiver = line->graph.node[1][message];
    schedule->messages[at] = (scalay_message){sender, line->process[receiver], 0};
    line->running[sender] = message;
    line->since[sender] = line->now;
    line->written[sender] = at;
    set_due(line, 0, sender, line->now + line->graph.left[message]);
    set_due(line, 1, receiver, NEVER);
}

static void give_way(timeline *line, int sender)
{
    const int receiver = line->graph.node[1][line->running[sender]];
    stop(line, sender);
    await(line, 0, sender);
    await(line, 1, receiver);
}

/* Messages that have to give way end, and those that take their places begin, by ascending sender. */
static scalay_status change_messages(timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t *matched = line->graph.port[0].matched;
    int begins = 0;
    sort_marked(line->is_touched, line->graph.port[0].nodes, line->touched, line->touched_count);
    for (int k = 0; k < line->touched_count; k++) {
        const int sender = line->touched[k];
        line->is_touched[sender] = 0;
        if (line->running[sender] >= 0 && line->running[sender] != matched[sender]) give_way(line, sender);
        begins += line->running[sender] < 0 && matched[sender] >= 0;
    }
    if (begins > 0) SCALAY_TRY(begin_step(line, begins));
    for (int k = 0; k < line->touched_count; k++)
        if (line->running[line->touched[k]] < 0 && matched[line->touched[k]] >= 0)
            begin_message(line, line->touched[k]);
    line->touched_count = 0;
cleanup:
    return status;
}

static scalay_status run(timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    start(line);
    while ((line->now = line->due[line->events.member[0]]) != NEVER) {
        take_events(line);
        scalay_message_graph_forget_finished(&line->graph);
        SCALAY_TRY(cover_late(line));
        SCALAY_TRY(change_messages(line));
    }
    SCALAY_TRY(scalay_message_graph_check_complete(&line->graph));
cleanup:
    return status;
}

scalay_status scalay_schedule_create_preemptive(const scalay_traffic *traffic, const int *process,
                                                scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    timeline line = {.process = process};
    if (schedule == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule is NULL; pass where to put it");
    *schedule = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    SCALAY_TRY(timeline_allocate(traffic, &line));
    SCALAY_TRY(run(&line));
    status = scalay_schedule_check(traffic, process, line.schedule);
    if (status == SCALAY_ERROR_MISMATCH) status = SCALAY_ERROR_INTERNAL;
    SCALAY_TRY(status);
    *schedule = line.schedule;
    line.schedule = NULL;
cleanup:
    timeline_free(&line);
    return status;
}
