/*
 * Least time with a cost per link. The cost of part j on process k is the sum over i of q[i][j] * link(i, k), whatever
 * the other parts do: an assignment problem of minimum cost. It is solved as one of maximum weight, where the weight of
 * (k, j) is the saving compared with the most expensive process for part j.
 *
 * Costs are rounded to multiples of a power of two, at most 2^-59 of the sum of the largest costs. Integer costs are
 * exact.
 *
 * Time: O(processes * entries) for the costs, and an assignment problem with all pairs. Memory: O(processes * parts).
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/node_links.h"
#include "mapping/traffic.h"

/* ------------------------------------------------------------------------------------------------- nodes */

int scalay_node_of(const scalay_node_links *links, int process)
{
    int node = links->node != NULL ? links->node[process] : -1;
    if (links->node == NULL && links->ranks_per_node > 0) node = process / links->ranks_per_node;
    return node < links->nodes ? node : -1;
}

double scalay_node_distance(const scalay_node_links *links, int a, int b)
{
    if (links->distance != NULL) return links->distance[(size_t)a * (size_t)links->nodes + (size_t)b];
    return a == b ? links->within : 1.0;
}

int scalay_nodes_are_uniform(const scalay_node_links *links)
{
    return links->distance == NULL && links->within <= 1.0;
}

double scalay_node_link_cost(int from, int to, void *context)
{
    const scalay_node_links *links = context;
    const int a = scalay_node_of(links, from), b = scalay_node_of(links, to);
    if (a < 0 || b < 0) return (double)NAN;
    return from == to ? 0.0 : scalay_node_distance(links, a, b);
}

scalay_status scalay_node_members_create(const scalay_node_links *links, int processes, scalay_node_members *members)
{
    static const char function[] = "scalay_node_link_cost";
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(links, function, "context"));
    if (links->nodes < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "nodes is %d; it must be at least 1", links->nodes);
    SCALAY_TRY(SCALAY_NEW(members->start, (int64_t)links->nodes + 1));
    SCALAY_TRY(SCALAY_NEW(members->process, processes));
    for (int k = 0; k < processes; k++) {
        const int node = scalay_node_of(links, k);
        if (node < 0)
            return scalay_fail(
                SCALAY_ERROR_ARGUMENT, function,
                "process %d has no node; its node must be in [0, %d). Set `node` or `ranks_per_node` for "
                "all %d processes.",
                k, links->nodes, processes);
        members->start[node + 1]++;
    }
    for (int n = 0; n < links->nodes; n++) members->start[n + 1] += members->start[n];
    for (int k = 0; k < processes; k++) members->process[members->start[scalay_node_of(links, k)]++] = k;
    for (int n = links->nodes; n > 0; n--) members->start[n] = members->start[n - 1];
    members->start[0] = 0;
cleanup:
    return status;
}

void scalay_node_members_free(scalay_node_members *members)
{
    scalay_release(members->start);
    scalay_release(members->process);
}

/* ------------------------------------------------------------------------------------------------- units */

enum {
    COST_BITS = 60,
    MAX_EXPONENT = 1074 /* 2^-1074 is the smallest double: every cost is a multiple of it */
};

scalay_status scalay_time_check_link(double link, int from, int to)
{
    if (isfinite(link) && link >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_mapping_create",
                       "link_cost(%d, %d) is %g; it must be finite and at least 0", from, to, link);
}

scalay_status scalay_time_exponent(double sum, int *exponent)
{
    int of_sum = 0;
    if (!isfinite(sum))
        return scalay_fail(SCALAY_ERROR_RANGE, "scalay_mapping_create",
                           "the sum of all times is %g; it must be finite. Use a larger unit for link costs.", sum);
    if (sum > 0.0) (void)frexp(sum, &of_sum);
    *exponent = COST_BITS - of_sum < MAX_EXPONENT ? COST_BITS - of_sum : MAX_EXPONENT;
    return SCALAY_SUCCESS;
}

int64_t scalay_time_in_units(double time, int exponent)
{
    return llround(ldexp(time, exponent));
}

void scalay_time_set(const int64_t *worst, int exponent, scalay_assignment *assignment, double time,
                     scalay_mapping *mapping)
{
    const double unit = ldexp(1.0, -exponent);
    scalay_wide bound = 0;
    for (int j = 0; j < mapping->parts; j++) {
        assignment->col_dual[j] = worst[j] - assignment->col_dual[j];
        bound += assignment->col_dual[j];
    }
    for (int k = 0; k < mapping->processes; k++) bound -= assignment->row_dual[k];
    mapping->time = mapping->time_bound = time;
    if (assignment->unfinished) {
        mapping->time_bound = fmax(0.0, fmin((double)bound * unit, time));
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    mapping->certificate.unit = unit;
    scalay_mapping_problem_take_duals(assignment, mapping->processes, mapping);
}

/* --------------------------------------------------------------------------------------------- all pairs */

typedef struct {
    const scalay_mapping_problem *problem;
    int parts;
    double *cost;   /* shape [processes][parts]; rows of processes that may take no part are not set */
    double *worst;  /* shape [parts]: the largest cost of each part */
    int64_t *units; /* shape [parts]: the same in units */
    int exponent;
} cost_table;

/* The cost of each part on process k. */
static scalay_status add_costs(cost_table *table, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping_problem *problem = table->problem;
    const scalay_traffic *traffic = problem->traffic;
    double *cost = table->cost + (int64_t)k * table->parts;
    for (int i = 0; i < traffic->processes; i++) {
        const double link = problem->link_cost(i, k, problem->link_context);
        SCALAY_TRY(scalay_time_check_link(link, i, k));
        for (int64_t e = traffic->start[i]; link > 0.0 && e < traffic->start[i + 1]; e++)
            cost[traffic->part[e]] += (double)traffic->count[e] * link;
    }
    for (int j = 0; j < table->parts; j++)
        if (cost[j] > table->worst[j]) table->worst[j] = cost[j];
cleanup:
    return status;
}

static scalay_status find_costs(cost_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = table->problem->processes;
    double sum = 0.0;
    SCALAY_TRY(SCALAY_NEW(table->cost, (int64_t)processes * table->parts));
    SCALAY_TRY(SCALAY_NEW(table->worst, table->parts));
    SCALAY_TRY(SCALAY_NEW(table->units, table->parts));
    for (int k = 0; k < processes; k++)
        if (scalay_mapping_problem_may_take(table->problem, k)) SCALAY_TRY(add_costs(table, k));
    for (int j = 0; j < table->parts; j++) sum += table->worst[j];
    SCALAY_TRY(scalay_time_exponent(sum, &table->exponent));
    for (int j = 0; j < table->parts; j++) table->units[j] = scalay_time_in_units(table->worst[j], table->exponent);
cleanup:
    return status;
}

/* An edge for each pair with a saving. */
static scalay_status find_savings(const cost_table *table, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = table->problem->processes;
    const int64_t pairs = (int64_t)processes * table->parts;
    int64_t filled = 0;
    *edges = (scalay_edges){.rows = processes, .cols = table->parts};
    SCALAY_TRY(SCALAY_NEW(edges->start, (int64_t)processes + 1));
    SCALAY_TRY(SCALAY_NEW(edges->col, pairs));
    SCALAY_TRY(SCALAY_NEW(edges->weight, pairs));
    for (int k = 0; k < processes; k++) {
        const double *cost = table->cost + (int64_t)k * table->parts;
        for (int j = 0; j < table->parts && scalay_mapping_problem_may_take(table->problem, k); j++) {
            const int64_t saved = table->units[j] - scalay_time_in_units(cost[j], table->exponent);
            if (saved == 0) continue;
            edges->col[filled] = j;
            edges->weight[filled++] = saved;
        }
        edges->start[k + 1] = filled;
    }
cleanup:
    return status;
}

static double time_of(const cost_table *table, const scalay_mapping *mapping)
{
    double time = 0.0;
    for (int j = 0; j < table->parts; j++) time += table->cost[(int64_t)mapping->process[j] * table->parts + j];
    return time;
}

scalay_status scalay_mapping_problem_solve_time(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_table table = {.problem = problem, .parts = problem->traffic->parts};
    scalay_edges edges = {0};
    scalay_assignment assignment = {0};
    if (problem->link_cost == scalay_node_link_cost) return scalay_mapping_problem_solve_nodes(problem, mapping);
    SCALAY_TRY(find_costs(&table));
    SCALAY_TRY(find_savings(&table, &edges));
    SCALAY_TRY(scalay_assignment_allocate(edges.rows, edges.cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, &assignment));
    if (assignment.unfinished) (void)scalay_assignment_bound(&edges, &assignment);
    SCALAY_TRY(scalay_mapping_problem_place(problem, assignment.matching.of_col, mapping));
    scalay_time_set(table.units, table.exponent, &assignment, time_of(&table, mapping), mapping);
cleanup:
    scalay_release(table.cost);
    scalay_release(table.worst);
    scalay_release(table.units);
    scalay_edges_free(&edges);
    scalay_assignment_free(&assignment);
    return status;
}
