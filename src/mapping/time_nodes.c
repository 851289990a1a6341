/* Least time between nodes. Whoever shares a node finds a part equally far away, but for what it holds itself: what
 * part j costs on process k of node n is T[n][j] less the way of k's own items within the node. So an edge from every
 * process to every part is not needed: an assignment on a few processes of each node, and on what they hold, is solved;
 * then nodes are priced, the process of least dual standing for all of its node, and edges that could matter are added.
 *
 * Where nodes differ only in whether they are the same, T is the same for all nodes that hold nothing of a part. */
#include <stdlib.h>

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/time_nodes.h"
#include "mapping/traffic.h"

/* Nodes that a part begins with, processes of each, edges of its own that a process begins with, and how many
 * edges a node and a part, or a process, get at most when prices are checked. */
enum { NODES_PER_PART = 4, PER_NODE = 3, PER_ROW = 32, PER_PRICING = 4, PER_PROCESS = 16 };

/* ------------------------------------------------------------------------------------------------- core */

/* Edges of what the processes of a node hold themselves that exceed their duals; the savings of the node are `here`. */
static scalay_status add_own(scalay_node_solver *s, int node, int process, int most)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_traffic *traffic = s->traffic;
    const int64_t *dual = s->assignment.col_dual;
    const int64_t own = s->assignment.row_dual[process];
    for (int64_t e = traffic->start[process]; e < traffic->start[process + 1] && most > 0; e++) {
        const int j = traffic->part[e];
        const int64_t weight = s->here[j] + scalay_node_own_saving(s, node, e);
        if (weight <= 0 || weight - dual[j] <= own) continue;
        SCALAY_TRY(scalay_edge_core_add(&s->core, process, j, weight));
        most--;
    }
cleanup:
    return status;
}

/* Edges to some of the first `count` members of a node: by turns, so that not all parts want the same. */
static scalay_status add_members(scalay_node_solver *s, int node, int count, int most, int part, int64_t weight)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *process = s->members.process + s->members.start[node];
    const int first = (int)((uint32_t)part * 2654435761U % (uint32_t)count);
    for (int k = 0; k < most && k < count; k++) {
        const int member = process[(first + k) % count];
        const int64_t entry = scalay_traffic_find(s->traffic, member, part);
        const int64_t own = entry >= 0 ? scalay_node_own_saving(s, node, entry) : 0;
        SCALAY_TRY(scalay_edge_core_add(&s->core, member, part, weight + own));
    }
cleanup:
    return status;
}

/* The members of a node whose duals are below what is needed; they ascend. */
static int count_below(const scalay_node_solver *s, int node, int64_t needed)
{
    int low = s->members.start[node], high = s->members.start[node + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (s->assignment.row_dual[s->members.process[middle]] < needed)
            low = middle + 1;
        else
            high = middle;
    }
    return low - s->members.start[node];
}

static void set_here(scalay_node_solver *s, int node, int filled)
{
    for (int64_t e = s->saving.start[node]; e < s->saving.start[node + 1]; e++)
        s->here[s->saving.col[e]] = filled ? s->saving.weight[e] : 0;
}

static scalay_status price_node(scalay_node_solver *s, int node)
{
    scalay_status status = SCALAY_SUCCESS;
    const int size = s->members.start[node + 1] - s->members.start[node];
    const int *process = s->members.process + s->members.start[node];
    if (size == 0) return SCALAY_SUCCESS;
    const int64_t least = s->assignment.row_dual[process[0]];
    for (int64_t e = s->saving.start[node]; e < s->saving.start[node + 1]; e++) {
        const int j = s->saving.col[e];
        const int64_t needed = s->saving.weight[e] - s->assignment.col_dual[j];
        if (needed <= least) continue;
        SCALAY_TRY(add_members(s, node, count_below(s, node, least + 1), PER_PRICING / 2, j, s->saving.weight[e]));
        SCALAY_TRY(add_members(s, node, count_below(s, node, needed), PER_PRICING / 2, j, s->saving.weight[e]));
    }
    set_here(s, node, 1);
    for (int k = 0; k < size; k++)
        if (process[k] < s->traffic->processes) SCALAY_TRY(add_own(s, node, process[k], PER_PROCESS));
    set_here(s, node, 0);
cleanup:
    return status;
}

/* The duals that members are sorted by. */
typedef struct {
    int64_t dual;
    int process;
} ranked_member;

static int compare_members(const void *left, const void *right)
{
    const ranked_member *a = left, *b = right;
    if (a->dual != b->dual) return a->dual < b->dual ? -1 : 1;
    return a->process - b->process;
}

static scalay_status sort_members(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    ranked_member *ranked = NULL;
    const int count = s->members.start[s->links->nodes];
    SCALAY_TRY(SCALAY_NEW(ranked, count));
    for (int k = 0; k < count; k++)
        ranked[k] = (ranked_member){s->assignment.row_dual[s->members.process[k]], s->members.process[k]};
    for (int node = 0; node < s->links->nodes; node++) {
        const int first = s->members.start[node];
        qsort(ranked + first, (size_t)(s->members.start[node + 1] - first), sizeof *ranked, compare_members);
    }
    for (int k = 0; k < count; k++) s->members.process[k] = ranked[k].process;
cleanup:
    scalay_release(ranked);
    return status;
}

/* What the heaviest few savings of each part exceed: shape [parts]. */
static scalay_status find_floors(const scalay_node_solver *s, int64_t *floor)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *top = NULL;
    SCALAY_TRY(SCALAY_NEW(top, (int64_t)s->saving.cols * NODES_PER_PART));
    for (int64_t e = 0; e < s->saving.start[s->saving.rows]; e++) {
        int64_t *of_part = top + (int64_t)s->saving.col[e] * NODES_PER_PART;
        int place = NODES_PER_PART - 1;
        if (of_part[place] >= s->saving.weight[e]) continue;
        for (; place > 0 && of_part[place - 1] < s->saving.weight[e]; place--) of_part[place] = of_part[place - 1];
        of_part[place] = s->saving.weight[e];
    }
    for (int j = 0; j < s->saving.cols; j++) floor[j] = top[(int64_t)j * NODES_PER_PART + NODES_PER_PART - 1];
cleanup:
    scalay_release(top);
    return status;
}

static scalay_status start_core(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *floor = NULL;
    SCALAY_TRY(SCALAY_NEW(floor, s->saving.cols));
    SCALAY_TRY(find_floors(s, floor));
    for (int node = 0; node < s->links->nodes; node++) {
        const int size = s->members.start[node + 1] - s->members.start[node];
        for (int64_t e = s->saving.start[node]; size > 0 && e < s->saving.start[node + 1]; e++)
            if (s->saving.weight[e] > 0 && s->saving.weight[e] >= floor[s->saving.col[e]])
                SCALAY_TRY(add_members(s, node, size, PER_NODE, s->saving.col[e], s->saving.weight[e]));
        set_here(s, node, 1);
        for (int k = s->members.start[node]; k < s->members.start[node + 1]; k++)
            if (s->members.process[k] < s->traffic->processes)
                SCALAY_TRY(add_own(s, node, s->members.process[k], PER_ROW));
        set_here(s, node, 0);
    }
cleanup:
    scalay_release(floor);
    return status;
}

/* --------------------------------------------------------------------------------------------- rounds */

/* What edges to a part exceed the duals of processes by: at least that has the part's dual to be. */
static void raise_duals(scalay_node_solver *s, int64_t *dual)
{
    const scalay_traffic *traffic = s->traffic;
    const int64_t *of_row = s->assignment.row_dual;
    for (int node = 0; node < s->links->nodes; node++) {
        const int first = s->members.start[node], end = s->members.start[node + 1];
        const int64_t least = first < end ? of_row[s->members.process[first]] : 0;
        for (int64_t e = s->saving.start[node]; first < end && e < s->saving.start[node + 1]; e++)
            dual[s->saving.col[e]] = scalay_max_int64(dual[s->saving.col[e]], s->saving.weight[e] - least);
        set_here(s, node, 1);
        for (int k = first; k < end; k++) {
            const int i = s->members.process[k];
            if (i >= traffic->processes) continue;
            for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
                const int j = traffic->part[e];
                dual[j] = scalay_max_int64(dual[j], s->here[j] + scalay_node_own_saving(s, node, e) - of_row[i]);
            }
        }
        set_here(s, node, 0);
    }
}

static double sum_of(const int64_t *values, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) sum += (double)values[k];
    return sum;
}

/* Where the deadline came first: the duals of the core, raised to dominate everything else, or those of the parts
 * alone, where these prove more. */
static scalay_status dominate(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *alone = NULL, *none = NULL, *of_row = s->assignment.row_dual;
    const int processes = s->problem->processes, parts = s->traffic->parts;
    SCALAY_TRY(SCALAY_NEW(alone, parts));
    raise_duals(s, s->assignment.col_dual);
    const double all = sum_of(s->assignment.row_dual, processes) + sum_of(s->assignment.col_dual, parts);
    SCALAY_TRY(SCALAY_NEW(none, processes));
    s->assignment.row_dual = none;
    raise_duals(s, alone);
    const int is_better = sum_of(alone, parts) < all;
    s->assignment.row_dual = is_better ? none : of_row;
    none = is_better ? of_row : none;
    for (int j = 0; is_better && j < parts; j++) s->assignment.col_dual[j] = alone[j];
cleanup:
    scalay_release(none);
    scalay_release(alone);
    return status;
}

static scalay_status solve_rounds(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(start_core(s));
    do {
        SCALAY_TRY(scalay_edge_core_grow(&s->core, s->problem->processes, s->traffic->parts));
        SCALAY_TRY(scalay_assignment_sparse(&s->core.edges, NULL, &s->assignment));
        SCALAY_TRY(sort_members(s));
        for (int node = 0; node < s->links->nodes; node++) SCALAY_TRY(price_node(s, node));
        if (s->core.count > 0 && scalay_deadline_passed(s->problem->deadline)) s->assignment.unfinished = 1;
    } while (s->core.count > 0 && !s->assignment.unfinished);
    if (s->assignment.unfinished) SCALAY_TRY(dominate(s));
cleanup:
    return status;
}

static double time_of(const scalay_node_solver *s, const scalay_mapping *mapping)
{
    double time = 0.0;
    for (int i = 0; i < s->traffic->processes; i++)
        for (int64_t e = s->traffic->start[i]; e < s->traffic->start[i + 1]; e++)
            time += (double)s->traffic->count[e] *
                    s->problem->link_cost(i, mapping->process[s->traffic->part[e]], s->problem->link_context);
    return time;
}

/* Only whoever may take a part stays among the members. */
static void leave_open(scalay_node_solver *s)
{
    int kept = 0, read = 0;
    for (int node = 0; node < s->links->nodes; node++) {
        const int end = s->members.start[node + 1];
        for (s->members.start[node] = kept; read < end; read++)
            if (scalay_problem_may_take(s->problem, s->members.process[read]))
                s->members.process[kept++] = s->members.process[read];
    }
    s->members.start[s->links->nodes] = kept;
}

scalay_status scalay_problem_solve_nodes(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_node_links *links = problem->link_context;
    scalay_node_solver s = {.problem = problem, .traffic = problem->traffic, .links = links};
    const int64_t most = scalay_max_int64(problem->processes, problem->traffic->processes);
    SCALAY_TRY(scalay_node_members_create(links, (int)most, &s.members));
    s.apart = scalay_nodes_are_apart(links);
    leave_open(&s);
    SCALAY_TRY(scalay_node_savings(&s));
    SCALAY_TRY(scalay_assignment_allocate(problem->processes, problem->traffic->parts, &s.assignment));
    s.assignment.deadline = problem->deadline;
    SCALAY_TRY(solve_rounds(&s));
    SCALAY_TRY(scalay_problem_place(problem, s.assignment.matching.of_col, mapping));
    scalay_time_settle(s.worst, s.exponent, &s.assignment, time_of(&s, mapping), mapping);
cleanup:
    scalay_node_members_free(&s.members);
    scalay_release(s.worst);
    scalay_release(s.here);
    scalay_edges_free(&s.saving);
    scalay_edge_core_free(&s.core);
    scalay_assignment_free(&s.assignment);
    return status;
}
