/* The graph of messages of a schedule, and the matchings that its steps are made of. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/message_bits.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

/* Lists are shortened when one in so many of their messages is finished. */
enum { FINISHED_SHARE = 8 };

static scalay_status port_allocate(scalay_port *port, int nodes, int64_t messages)
{
    scalay_status status = SCALAY_SUCCESS;
    port->nodes = nodes;
    SCALAY_TRY(SCALAY_NEW(port->start, (int64_t)nodes + 1));
    SCALAY_TRY(SCALAY_NEW(port->message, messages));
    SCALAY_TRY(SCALAY_NEW(port->other, messages));
    SCALAY_TRY(SCALAY_NEW(port->load, nodes));
    SCALAY_TRY(SCALAY_NEW(port->matched, nodes));
    SCALAY_TRY(SCALAY_NEW(port->must, nodes));
    for (int x = 0; x < nodes; x++) port->matched[x] = -1;
cleanup:
    return status;
}

/* Lists the messages of each node; node[] and other[] tell the two nodes of each message. */
static void port_fill(scalay_port *port, int64_t messages, const int *node, const int *other, const int64_t *items)
{
    for (int64_t e = 0; e < messages; e++) {
        port->start[node[e] + 1]++;
        port->load[node[e]] += items[e];
    }
    for (int x = 0; x < port->nodes; x++) port->start[x + 1] += port->start[x];
    for (int64_t e = 0; e < messages; e++) {
        port->other[port->start[node[e]]] = other[e];
        port->message[port->start[node[e]]++] = e;
    }
    for (int x = port->nodes; x > 0; x--) port->start[x] = port->start[x - 1];
    port->start[0] = 0;
}

static void port_free(scalay_port *port)
{
    scalay_release(port->start);
    scalay_release(port->message);
    scalay_release(port->other);
    scalay_release(port->load);
    scalay_release(port->matched);
    scalay_release(port->must);
}

void scalay_message_graph_free(scalay_message_graph *graph)
{
    for (int s = 0; s < 2; s++) {
        port_free(&graph->port[s]);
        scalay_release(graph->node[s]);
    }
    scalay_message_bits_free(graph);
    scalay_release(graph->left);
    scalay_release(graph->rest);
    scalay_release(graph->ahead);
    scalay_release(graph->queue);
    scalay_release(graph->via);
    scalay_release(graph->seen);
    *graph = (scalay_message_graph){0};
}

/* Lists what changes process, or only counts it when there is no room yet. */
static int64_t list_messages(const scalay_traffic *traffic, const int *process, scalay_message_graph *graph)
{
    int64_t found = 0;
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            if (process[traffic->part[e]] == i) continue;
            if (graph->left != NULL) {
                graph->node[0][found] = i;
                graph->node[1][found] = traffic->part[e];
                graph->left[found] = traffic->count[e];
            }
            found++;
        }
    return found;
}

static int64_t largest(const int64_t *values, int64_t count)
{
    int64_t most = 0;
    for (int64_t k = 0; k < count; k++) most = scalay_max_int64(most, values[k]);
    return most;
}

scalay_status scalay_message_graph_allocate(int senders, int receivers, int64_t messages, scalay_message_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    const int nodes = senders > receivers ? senders : receivers;
    *graph = (scalay_message_graph){.messages = messages, .listed = messages};
    SCALAY_TRY(SCALAY_NEW(graph->node[0], messages));
    SCALAY_TRY(SCALAY_NEW(graph->node[1], messages));
    SCALAY_TRY(SCALAY_NEW(graph->left, messages));
    SCALAY_TRY(port_allocate(&graph->port[0], senders, messages));
    SCALAY_TRY(port_allocate(&graph->port[1], receivers, messages));
    SCALAY_TRY(SCALAY_NEW(graph->queue, nodes));
    SCALAY_TRY(SCALAY_NEW(graph->via, nodes));
    SCALAY_TRY(SCALAY_NEW(graph->seen, nodes));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_message_graph_free(graph);
    return status;
}

void scalay_message_graph_list(scalay_message_graph *graph)
{
    graph->remaining = 0;
    for (int s = 0; s < 2; s++) {
        scalay_port *port = &graph->port[s];
        port_fill(port, graph->messages, graph->node[s], graph->node[1 - s], graph->left);
        graph->remaining = scalay_max_int64(graph->remaining, largest(port->load, port->nodes));
    }
    graph->threshold = largest(graph->left, graph->messages);
}

scalay_status scalay_message_graph_create(const scalay_traffic *traffic, const int *process,
                                          scalay_message_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    *graph = (scalay_message_graph){0};
    const int64_t messages = list_messages(traffic, process, graph);
    SCALAY_TRY(scalay_message_graph_allocate(traffic->processes, traffic->parts, messages, graph));
    (void)list_messages(traffic, process, graph);
    scalay_message_graph_list(graph);
    SCALAY_TRY(scalay_message_bits_create(graph));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_message_graph_free(graph);
    return status;
}

scalay_status scalay_message_graph_check_complete(const scalay_message_graph *graph)
{
    for (int64_t e = 0; e < graph->messages; e++)
        if (graph->left[e] != 0)
            return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "message %lld has %lld items left over; please report it",
                               (long long)e, (long long)graph->left[e]);
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------- matching */

/* Makes the alternating path that ends at node y of the other side the matching, and lists its nodes in the queue. */
static void flip_path(scalay_message_graph *graph, int side, int root, int y)
{
    int64_t *mine = graph->port[side].matched;
    int64_t *others = graph->port[1 - side].matched;
    for (;;) {
        int64_t message = graph->via[y];
        int x = graph->node[side][message];
        int64_t before = mine[x];
        mine[x] = message;
        others[y] = message;
        graph->queue[graph->changed++] = x;
        if (x == root) return;
        y = graph->node[1 - side][before];
    }
}

/* The end of an alternating path, breadth first: a free node of the other side, or one that is taken from a node of
 * this side that can afford to be idle. -1: there is none. */
static int search_lists(scalay_message_graph *graph, int side, int root)
{
    const scalay_port *port = &graph->port[side];
    int64_t *others = graph->port[1 - side].matched;
    int head = 0;
    int tail = 0;
    graph->search++;
    graph->queue[tail++] = root;
    while (head < tail) {
        int x = graph->queue[head++];
        for (int64_t k = port->start[x]; k < port->start[x + 1]; k++) {
            int64_t message = port->message[k];
            int y = port->other[k];
            if (graph->left[message] < graph->threshold || graph->seen[y] == graph->search) continue;
            graph->seen[y] = graph->search;
            graph->via[y] = message;
            int next = others[y] >= 0 ? graph->node[side][others[y]] : -1;
            if (next < 0 || !port->must[next]) return y;
            graph->queue[tail++] = next;
        }
    }
    return -1;
}

/* Matches along the path that ends at y. */
static void take_path(scalay_message_graph *graph, int side, int root, int y)
{
    const int64_t taken = graph->port[1 - side].matched[y];
    graph->changed = 0;
    flip_path(graph, side, root, y);
    if (taken < 0) return;
    const int idle = graph->node[side][taken];
    graph->port[side].matched[idle] = -1;
    graph->queue[graph->changed++] = idle;
}

/* Where searches may end changes along a path. */
static void find_ends_of_path(scalay_message_graph *graph, int side)
{
    for (int k = 0; k < graph->changed; k++) {
        const int64_t message = graph->port[side].matched[graph->queue[k]];
        scalay_message_bits_find_end(graph, 1 - side, graph->queue[k]);
        if (message >= 0) scalay_message_bits_find_end(graph, side, graph->node[1 - side][message]);
    }
}

int scalay_message_graph_match_node(scalay_message_graph *graph, int side, int node)
{
    const int in_bits = scalay_message_bits_exist(graph);
    const int end = in_bits ? scalay_message_bits_search(graph, side, node) : search_lists(graph, side, node);
    if (end < 0) return 0;
    take_path(graph, side, node, end);
    if (in_bits) find_ends_of_path(graph, side);
    return 1;
}

void scalay_message_graph_set_threshold(scalay_message_graph *graph, int64_t threshold)
{
    const int64_t before = graph->threshold;
    graph->threshold = threshold;
    if (scalay_message_bits_exist(graph)) scalay_message_bits_add(graph, before);
}

void scalay_message_graph_unmatch(scalay_message_graph *graph, int64_t message)
{
    for (int side = 0; side < 2; side++) graph->port[side].matched[graph->node[side][message]] = -1;
    if (!scalay_message_bits_exist(graph)) return;
    if (graph->left[message] < graph->threshold) scalay_message_bits_drop(graph, message);
    for (int side = 0; side < 2; side++) scalay_message_bits_find_end(graph, side, graph->node[1 - side][message]);
}

static void unmatch_small(scalay_message_graph *graph)
{
    for (int i = 0; i < graph->port[0].nodes; i++) {
        int64_t message = graph->port[0].matched[i];
        if (message >= 0 && graph->left[message] < graph->threshold) scalay_message_graph_unmatch(graph, message);
    }
}

/* Matches every node that cannot stand idle for `threshold` items. By the theorem of Mendelsohn and Dulmage the two
 * sides can be covered one after the other. */
static int cover(scalay_message_graph *graph)
{
    unmatch_small(graph);
    for (int side = 0; side < 2; side++) {
        scalay_port *port = &graph->port[side];
        for (int x = 0; x < port->nodes; x++) port->must[x] = graph->remaining - port->load[x] < graph->threshold;
    }
    for (int side = 0; side < 2 && scalay_message_bits_exist(graph); side++) scalay_message_bits_find_ends(graph, side);
    for (int side = 0; side < 2; side++) {
        scalay_port *port = &graph->port[side];
        for (int x = 0; x < port->nodes; x++)
            if (port->must[x] && port->matched[x] < 0 && !scalay_message_graph_match_node(graph, side, x)) return 0;
    }
    return 1;
}

/* The longest message of the step at hand, when messages go whole. */
static int64_t longest_matched(const scalay_message_graph *graph)
{
    int64_t longest = 0;
    for (int i = 0; i < graph->port[0].nodes; i++)
        if (graph->port[0].matched[i] >= 0) longest = scalay_max_int64(longest, graph->rest[graph->port[0].matched[i]]);
    return longest;
}

/* Lets idle pairs work as well, as long as they hold nobody up. */
static void fill_up(scalay_message_graph *graph)
{
    scalay_port *from = &graph->port[0];
    int64_t *to = graph->port[1].matched;
    const int64_t longest = graph->rest != NULL ? longest_matched(graph) : 0;
    if (scalay_message_bits_exist(graph)) {
        scalay_message_bits_fill_up(graph);
        return;
    }
    for (int i = 0; i < from->nodes; i++)
        for (int64_t k = from->start[i]; k < from->start[i + 1] && from->matched[i] < 0; k++) {
            int64_t message = from->message[k];
            int j = from->other[k];
            if (graph->left[message] < graph->threshold || to[j] >= 0) continue;
            if (graph->rest != NULL && graph->rest[message] > longest) continue;
            from->matched[i] = message;
            to[j] = message;
        }
}

/* Takes what has nothing left out of the lists of a port. */
static void drop_finished(const scalay_message_graph *graph, scalay_port *port)
{
    int64_t kept = 0, read = 0;
    for (int x = 0; x < port->nodes; x++) {
        const int64_t end = port->start[x + 1];
        for (port->start[x] = kept; read < end; read++) {
            if (graph->left[port->message[read]] == 0) continue;
            port->other[kept] = port->other[read];
            port->message[kept++] = port->message[read];
        }
    }
    port->start[port->nodes] = kept;
}

void scalay_message_graph_forget_finished(scalay_message_graph *graph)
{
    if (graph->finished <= graph->listed / FINISHED_SHARE) return;
    for (int s = 0; s < 2; s++) drop_finished(graph, &graph->port[s]);
    graph->listed -= graph->finished;
    graph->finished = 0;
}

static int64_t power_of_two_up_to(int64_t most)
{
    int64_t power = 1;
    while (power <= most / 2) power *= 2;
    return power;
}

void scalay_message_graph_set_descent(scalay_message_graph *graph, int halves, int64_t floor)
{
    graph->halves = halves;
    graph->floor = graph->stop = floor;
    if (halves && graph->messages > 0) scalay_message_graph_set_threshold(graph, power_of_two_up_to(graph->threshold));
}

/* An eighth lower, but not past the floor unless that has been tried; powers of two stay such. */
static int64_t lower_threshold(const scalay_message_graph *graph)
{
    const int64_t lower = graph->threshold - scalay_max_int64(1, graph->threshold / 8);
    if (graph->halves) return graph->threshold / 2;
    return graph->threshold > graph->floor ? scalay_max_int64(lower, graph->floor) : lower;
}

int scalay_message_graph_match(scalay_message_graph *graph)
{
    scalay_message_graph_forget_finished(graph);
    const int64_t most = graph->halves ? power_of_two_up_to(graph->remaining) : graph->remaining;
    if (graph->threshold > most) scalay_message_graph_set_threshold(graph, most);
    while (graph->threshold >= graph->stop && !cover(graph))
        scalay_message_graph_set_threshold(graph, lower_threshold(graph));
    if (graph->threshold < graph->stop) return 0;
    fill_up(graph);
    return 1;
}
