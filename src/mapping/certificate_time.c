/*
 * Check of a time: a part costs at least its dual minus the dual of the process that takes it. Therefore the sum of the
 * duals of all parts minus that of all processes bounds the time of every mapping.
 *
 * Time: O(processes * entries) for any link cost, O(entries + processes) between uniform nodes, O(nodes * entries) with
 * distances. Memory: O(processes + parts).
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/certificate.h"
#include "mapping/node_links.h"

#define DENY SCALAY_DENY

/* Costs on the current process, and sums over all processes. */
typedef struct {
    const scalay_checker *check;
    double unit;
    double *cost;    /* shape [parts]: on the current process, or on a process of the current node without elements */
    double *worst;   /* shape [parts] */
    double total;    /* of the mapping */
    double min_dual; /* that a process needs for parts of which it holds no element */
    int *part;       /* shape [processes]: part of each process; -1: none */
    int *visited;    /* shape [parts]: last node, plus 1, that visited a part */
    int *touched;    /* shape [parts]: parts visited by the current node */
    int count;
} price_list;

static double price_of(const price_list *prices, int part)
{
    return (double)prices->check->mapping->certificate.part_dual[part] * prices->unit;
}

static double dual_of(const price_list *prices, int process)
{
    return (double)prices->check->mapping->certificate.process_dual[process] * prices->unit;
}

/* Whether the price of a part exceeds its cost on a process by at most the dual of the process. */
static int is_dominated(const price_list *prices, int process, int part, double cost)
{
    return price_of(prices, part) - cost <= dual_of(prices, process) + 1e-12 * prices->worst[part] + 4.0 * prices->unit;
}

static scalay_status deny_price(int process, int part)
{
    return DENY("the duals exceed the cost of part %d on process %d", part, process);
}

/* ----------------------------------------------------------------------------------------- any links */

/* The cost of each part on process k. */
static void cost_of_process(const price_list *prices, int k)
{
    const scalay_checker *check = prices->check;
    for (int j = 0; j < check->view->parts; j++) prices->cost[j] = 0.0;
    for (int i = 0; i < check->view->processes; i++) {
        const double link = check->link_cost(i, k, check->link_context);
        const scalay_view_row row = scalay_view_read(check->view, i, 0);
        for (int64_t e = 0; e < row.entries; e++) prices->cost[row.part[e]] += (double)row.count[e] * link;
    }
    for (int j = 0; j < check->view->parts; j++) prices->worst[j] = fmax(prices->worst[j], prices->cost[j]);
}

static scalay_status check_links(price_list *prices)
{
    const scalay_checker *check = prices->check;
    for (int k = 0; k < check->processes; k++) {
        if (!scalay_checker_may_take(check, k)) continue;
        cost_of_process(prices, k);
        if (prices->part[k] >= 0) prices->total += prices->cost[prices->part[k]];
        for (int j = 0; j < check->view->parts; j++)
            if (!is_dominated(prices, k, j, prices->cost[j])) return deny_price(k, j);
    }
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------- nodes */

/* The costs of parts on a node, for a process that holds no element of them. Between uniform nodes this is the number
 * of elements of the part, minus the saving of the node on the elements that it holds. */
static void cost_of_node(price_list *prices, const scalay_node_links *links, const scalay_node_members *members,
                         int node)
{
    const scalay_checker *check = prices->check;
    const int all = !scalay_nodes_are_uniform(links);
    const int first = all ? 0 : members->start[node], end = all ? check->view->processes : members->start[node + 1];
    for (int t = 0; t < prices->count; t++) prices->cost[prices->touched[t]] = prices->worst[prices->touched[t]];
    for (int j = 0; j < check->view->parts && all; j++) prices->cost[j] = 0.0;
    prices->count = 0;
    for (int k = first; k < end; k++) {
        const int i = all ? k : members->process[k];
        if (i >= check->view->processes) continue;
        const double link = all ? scalay_node_distance(links, scalay_node_of(links, i), node) : links->within - 1.0;
        const scalay_view_row row = scalay_view_read(check->view, i, 0);
        for (int64_t e = 0; e < row.entries; e++) {
            const int j = row.part[e];
            prices->cost[j] += (double)row.count[e] * link;
            if (prices->visited[j] != node + 1) prices->touched[prices->count++] = j;
            prices->visited[j] = node + 1;
        }
    }
}

/* Checks a process: `needed` for the parts of which it holds no element, and the parts of which it does. */
static scalay_status check_member(price_list *prices, const scalay_node_links *links, int node, int k, double needed)
{
    const scalay_checker *check = prices->check;
    const double own = scalay_node_distance(links, node, node);
    const int mine = prices->part[k];
    if (dual_of(prices, k) < needed) return DENY("the dual of process %d is less than its node needs", k);
    if (mine >= 0) prices->total += prices->cost[mine];
    if (k >= check->view->processes) return SCALAY_SUCCESS;
    const scalay_view_row row = scalay_view_read(check->view, k, 0);
    for (int64_t e = 0; e < row.entries; e++) {
        const int j = row.part[e];
        const double saved = (double)row.count[e] * own;
        if (j == mine) prices->total -= saved;
        if (!is_dominated(prices, k, j, prices->cost[j] - saved)) return deny_price(k, j);
    }
    return SCALAY_SUCCESS;
}

static double dual_needed(const price_list *prices, int part)
{
    return price_of(prices, part) - prices->cost[part] - 1e-12 * prices->worst[part] - 4.0 * prices->unit;
}

/* The least dual of every process of a node. */
static double node_dual_needed(const price_list *prices, const scalay_node_links *links)
{
    double needed = !scalay_nodes_are_uniform(links) ? 0.0 : prices->min_dual;
    for (int t = 0; t < prices->count; t++) needed = fmax(needed, dual_needed(prices, prices->touched[t]));
    for (int j = 0; j < prices->check->view->parts && !scalay_nodes_are_uniform(links); j++)
        needed = fmax(needed, dual_needed(prices, j));
    return needed;
}

/* The longest distance between processes. */
static double longest_distance(const scalay_node_links *links, const scalay_node_members *members)
{
    double longest = scalay_nodes_are_uniform(links) ? 1.0 : 0.0;
    for (int a = 0; a < links->nodes && !scalay_nodes_are_uniform(links); a++)
        for (int b = 0; b < links->nodes && members->start[a] < members->start[a + 1]; b++)
            if (members->start[b] < members->start[b + 1]) longest = fmax(longest, scalay_node_distance(links, a, b));
    return longest;
}

static void start_nodes(price_list *prices, const scalay_node_links *links, const scalay_node_members *members)
{
    const scalay_traffic_view *view = prices->check->view;
    const double longest = longest_distance(links, members);
    for (int j = 0; j < view->parts; j++) {
        prices->worst[j] = (double)view->wanted[j] * longest;
        prices->cost[j] = prices->worst[j];
        prices->min_dual = fmax(prices->min_dual, dual_needed(prices, j));
    }
}

static scalay_status check_nodes(price_list *prices, const scalay_node_links *links)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_checker *check = prices->check;
    scalay_node_members members = {0};
    SCALAY_TRY(SCALAY_NEW(prices->visited, check->view->parts));
    SCALAY_TRY(SCALAY_NEW(prices->touched, check->view->parts));
    SCALAY_TRY(
        scalay_node_members_create(links, (int)scalay_max_int64(check->processes, check->view->processes), &members));
    start_nodes(prices, links, &members);
    for (int node = 0; node < links->nodes; node++) {
        cost_of_node(prices, links, &members, node);
        const double needed = node_dual_needed(prices, links);
        for (int k = members.start[node]; k < members.start[node + 1]; k++)
            if (members.process[k] < check->processes && scalay_checker_may_take(check, members.process[k]))
                SCALAY_TRY(check_member(prices, links, node, members.process[k], needed));
    }
cleanup:
    scalay_node_members_free(&members);
    return status;
}

/* ------------------------------------------------------------------------------------------------- all */

static scalay_status compare_times(const price_list *prices)
{
    const scalay_checker *check = prices->check;
    double worst = 0.0;
    scalay_wide duals = 0; /* a sum of doubles would accumulate rounding errors */
    for (int j = 0; j < check->view->parts; j++) worst += prices->worst[j];
    for (int j = 0; j < check->view->parts; j++) duals += check->mapping->certificate.part_dual[j];
    for (int k = 0; k < check->processes; k++)
        if (scalay_checker_may_take(check, k)) duals -= check->mapping->certificate.process_dual[k];
    const double bound = (double)duals * prices->unit;
    const double tolerance = 1e-12 * worst + 4.0 * prices->unit * check->view->parts;
    if (fabs(prices->total - check->mapping->time) > tolerance)
        return DENY("the time is %.17g, not %.17g", prices->total, check->mapping->time);
    if (check->mapping->time_bound > bound + tolerance || check->mapping->time_bound > check->mapping->time)
        return DENY("the bound of the time is %.17g, but the duals prove only %.17g", check->mapping->time_bound,
                    bound);
    if (check->mapping->proof == SCALAY_PROOF_OPTIMAL && fabs(prices->total - bound) > tolerance)
        return DENY("the time is %.17g, but the duals prove only %.17g", prices->total, bound);
    return SCALAY_SUCCESS;
}

static scalay_status check_duals(const scalay_checker *check)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    if (proof->process_dual == NULL || proof->part_dual == NULL) return DENY("there are no duals");
    for (int k = 0; k < check->processes; k++)
        if (scalay_checker_may_take(check, k) && proof->process_dual[k] < 0)
            return DENY("the dual of process %d is negative; it must be at least 0", k);
    return SCALAY_SUCCESS;
}

scalay_status scalay_checker_time(const scalay_checker *check)
{
    scalay_status status = SCALAY_SUCCESS;
    price_list prices = {.check = check, .unit = check->mapping->certificate.unit};
    SCALAY_TRY(check_duals(check));
    SCALAY_TRY(SCALAY_NEW(prices.cost, check->view->parts));
    SCALAY_TRY(SCALAY_NEW(prices.worst, check->view->parts));
    SCALAY_TRY(SCALAY_NEW(prices.part, check->processes));
    for (int k = 0; k < check->processes; k++) prices.part[k] = -1;
    for (int j = 0; j < check->view->parts; j++) prices.part[check->mapping->process[j]] = j;
    SCALAY_TRY(check->link_cost == scalay_node_link_cost ? check_nodes(&prices, check->link_context)
                                                         : check_links(&prices));
    SCALAY_TRY(compare_times(&prices));
cleanup:
    scalay_release(prices.cost);
    scalay_release(prices.worst);
    scalay_release(prices.part);
    scalay_release(prices.visited);
    scalay_release(prices.touched);
    return status;
}
