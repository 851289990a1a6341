/*
 * Preemptive one-port schedules: exact length without global rounds. Each process starts its messages independently. An
 * event happens only if a message ends, or if an idle process has as many elements to send or receive as there is time
 * left. Such a process is late: it must be busy from then on. An alternating search decides which messages are
 * interrupted for it.
 *
 * There is at most one event per message and two per process: the cost depends on pairs of processes, not on elements.
 *
 * Source: Gonzalez and Sahni, Open shop scheduling to minimize finish time, Journal of the ACM 23 (1976), section 4.
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

#define NEVER INT64_MAX

typedef struct {
    scalay_message_graph graph;
    const int *process; /* of each part; not owned */
    scalay_schedule *schedule;
    int64_t now;
    int64_t round_start; /* time at which the last round began */
    int *running;        /* shape [senders]: the message being sent, or -1 */
    int64_t *since;      /* shape [senders]: when it began */
    int64_t *written;    /* shape [senders]: its number in the schedule */
    int64_t *due;        /* shape [senders + receivers]: next event of each node, unless another event happens before */
    int *event;          /* shape [senders + receivers]: heap of nodes by due */
    int64_t *position;   /* shape [senders + receivers]: in the heap */
    int *late;           /* shape [senders + receivers]: nodes that became late now */
    unsigned char *is_late;
    int late_count;
    int *touched; /* shape [senders]: senders that may have another message from now on */
    unsigned char *is_touched;
    int touched_count;
} timeline;

#define BINARY_HEAP_NAME event_heap
#define BINARY_HEAP_ENTRY int
#define BINARY_HEAP_OWNER timeline
#define BINARY_HEAP_BEFORE(owner, a, b) ((owner)->due[a] < (owner)->due[b])
#define BINARY_HEAP_MOVED(owner, entry, index) ((owner)->position[entry] = (index))
#include "base/binary_heap_worker.h"

static int64_t node_count(const timeline *line)
{
    return (int64_t)line->graph.port[0].nodes + line->graph.port[1].nodes;
}

/* Senders come before receivers. */
static int number_of(const timeline *line, int side, int x)
{
    return side == 0 ? x : line->graph.port[0].nodes + x;
}

static scalay_status timeline_create(const scalay_traffic *traffic, timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    const int senders = traffic->processes, nodes = senders + traffic->parts;
    SCALAY_TRY(SCALAY_NEW(line->schedule, 1));
    SCALAY_TRY(SCALAY_GROW(line->schedule->start, line->schedule->start_capacity, 1));
    line->schedule->start[0] = 0;
    SCALAY_TRY(scalay_message_graph_create(traffic, line->process, 1, &line->graph));
    SCALAY_TRY(SCALAY_NEW(line->running, senders));
    SCALAY_TRY(SCALAY_NEW(line->since, senders));
    SCALAY_TRY(SCALAY_NEW(line->written, senders));
    SCALAY_TRY(SCALAY_NEW(line->due, nodes));
    SCALAY_TRY(SCALAY_NEW(line->event, nodes));
    SCALAY_TRY(SCALAY_NEW(line->position, nodes));
    SCALAY_TRY(SCALAY_NEW(line->late, nodes));
    SCALAY_TRY(SCALAY_NEW(line->is_late, nodes));
    SCALAY_TRY(SCALAY_NEW(line->touched, senders));
    SCALAY_TRY(SCALAY_NEW(line->is_touched, senders));
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
    scalay_release(line->event);
    scalay_release(line->position);
    scalay_release(line->late);
    scalay_release(line->is_late);
    scalay_release(line->touched);
    scalay_release(line->is_touched);
}

/* ------------------------------------------------------------------------------------------------ events */

static void set_due(timeline *line, int member, int64_t time)
{
    const int64_t index = line->position[member];
    line->due[member] = time;
    event_heap_sift_up(line, line->event, index, member);
    if (line->position[member] == index) event_heap_sift_down(line, line->event, node_count(line), index, member);
}

/* A node without a message is due when all the time left is needed. Time is counted from -length to 0. */
static int64_t due_when_idle(const timeline *line, int side, int x)
{
    const scalay_port *port = &line->graph.port[side];
    return port->matched[x] >= 0 || port->load[x] == 0 ? NEVER : -port->load[x];
}

static void start(timeline *line)
{
    scalay_message_graph *graph = &line->graph;
    int64_t count = 0;
    line->schedule->length = graph->remaining;
    for (int i = 0; i < graph->port[0].nodes; i++) line->running[i] = -1;
    for (int side = 0; side < 2; side++)
        for (int x = 0; x < graph->port[side].nodes; x++) {
            const int member = number_of(line, side, x);
            line->due[member] = due_when_idle(line, side, x);
            event_heap_sift_up(line, line->event, count++, member);
        }
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
    if (line->due[member] != NEVER) set_due(line, member, NEVER);
}

/* Ends the message of a sender, which is complete or interrupted. */
static void stop(timeline *line, int sender)
{
    const int64_t sent = line->now - line->since[sender];
    line->schedule->messages[line->written[sender]].elements = sent;
    scalay_message_graph_send(&line->graph, line->running[sender], sent);
    line->running[sender] = -1;
}

/* A node without a message is late now, or due later. */
static void set_idle(timeline *line, int side, int x)
{
    const int member = number_of(line, side, x);
    const int64_t due = due_when_idle(line, side, x);
    if (due == line->now)
        make_late(line, member);
    else
        set_due(line, member, due);
}

/* Processes all events that are due now: messages end, and idle nodes become late. */
static void process_events(timeline *line)
{
    const int senders = line->graph.port[0].nodes;
    line->late_count = 0;
    while (line->due[line->event[0]] == line->now) {
        const int member = line->event[0];
        if (member >= senders || line->running[member] < 0) {
            make_late(line, member);
            continue;
        }
        const int receiver = line->graph.message[line->running[member]].node[1];
        stop(line, member);
        set_idle(line, 0, member);
        set_idle(line, 1, receiver);
        touch(line, member);
    }
}

/* ---------------------------------------------------------------------------------------------- messages */

static scalay_status make_busy(timeline *line, int side, int x)
{
    scalay_message_graph *graph = &line->graph;
    const scalay_port *port = &graph->port[side];
    if (port->matched[x] >= 0) return SCALAY_SUCCESS;
    if (!scalay_message_graph_match_node(graph, side, x))
        return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "internal error: %s %d cannot be busy; please report this",
                           side == 0 ? "sender" : "receiver", x);
    for (int k = 0; k < graph->changed; k++) {
        if (side == 0)
            touch(line, graph->queue[k]);
        else if (port->matched[graph->queue[k]] >= 0)
            touch(line, port->node[graph->queue[k]].partner);
    }
    return SCALAY_SUCCESS;
}

/* Sorts a list. If more than one of MARKED numbers is in the list, a scan of the marks is faster. */
static void sort_marked(const unsigned char *marked, int64_t all, int *list, int count)
{
    enum { MARKED = 16 };
    if (count < all / MARKED) {
        qsort(list, (size_t)count, sizeof *list, scalay_compare_ints);
        return;
    }
    for (int x = 0, filled = 0; filled < count; x++)
        if (marked[x]) list[filled++] = x;
}

static scalay_status match_late(timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    const int senders = line->graph.port[0].nodes;
    sort_marked(line->is_late, node_count(line), line->late, line->late_count);
    for (int k = 0; k < line->late_count; k++) {
        const int side = line->late[k] >= senders;
        line->is_late[line->late[k]] = 0;
        SCALAY_TRY(make_busy(line, side, side ? line->late[k] - senders : line->late[k]));
    }
cleanup:
    return status;
}

/* Begins a round with room for a number of messages. The duration of the last round is that to the end. */
static scalay_status begin_round(timeline *line, int messages)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *schedule = line->schedule;
    const int64_t filled = schedule->start[schedule->rounds];
    SCALAY_TRY(SCALAY_GROW(schedule->duration, schedule->duration_capacity, schedule->rounds + 1));
    SCALAY_TRY(SCALAY_GROW(schedule->start, schedule->start_capacity, schedule->rounds + 2));
    SCALAY_TRY(SCALAY_GROW(schedule->messages, schedule->messages_capacity, filled + messages));
    if (schedule->rounds > 0) schedule->duration[schedule->rounds - 1] = line->now - line->round_start;
    line->round_start = line->now;
    schedule->duration[schedule->rounds] = -line->now;
    schedule->start[++schedule->rounds] = filled;
cleanup:
    return status;
}

static void begin_message(timeline *line, int sender)
{
    scalay_schedule *schedule = line->schedule;
    const int message = line->graph.port[0].matched[sender], receiver = line->graph.message[message].node[1];
    const int64_t at = schedule->start[schedule->rounds]++;
    schedule->messages[at] = (scalay_message){sender, line->process[receiver], 0};
    line->running[sender] = message;
    line->since[sender] = line->now;
    line->written[sender] = at;
    set_due(line, sender, line->now + line->graph.message[message].left);
    set_due(line, number_of(line, 1, receiver), NEVER);
}

static void interrupt(timeline *line, int sender)
{
    const int receiver = line->graph.message[line->running[sender]].node[1];
    stop(line, sender);
    set_due(line, sender, due_when_idle(line, 0, sender));
    set_due(line, number_of(line, 1, receiver), due_when_idle(line, 1, receiver));
}

/* Ends the messages that are interrupted, and begins the new ones by ascending sender. */
static scalay_status change_messages(timeline *line)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *matched = line->graph.port[0].matched;
    int begins = 0;
    sort_marked(line->is_touched, line->graph.port[0].nodes, line->touched, line->touched_count);
    for (int k = 0; k < line->touched_count; k++) {
        const int sender = line->touched[k];
        line->is_touched[sender] = 0;
        if (line->running[sender] >= 0 && line->running[sender] != matched[sender]) interrupt(line, sender);
        begins += line->running[sender] < 0 && matched[sender] >= 0;
    }
    if (begins > 0) SCALAY_TRY(begin_round(line, begins));
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
    while ((line->now = line->due[line->event[0]]) != NEVER) {
        process_events(line);
        SCALAY_TRY(match_late(line));
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
    SCALAY_TRY(timeline_create(traffic, &line));
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
