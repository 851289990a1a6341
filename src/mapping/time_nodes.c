/*
 * Least time between nodes. A part is equally far from all processes of a node, except for the elements that a process
 * holds itself: the cost of part j on process k of node n is T[n][j] minus the way of k's own elements within the node.
 * Parts are therefore assigned to nodes, or to processes that hold some of their elements, instead of to all processes.
 * Auctions with decreasing steps find an assignment that is nearly optimal, and then prices that prove it
 * (node_assignment.h).
 *
 * If all pairs of different nodes have the same distance (uniform nodes), T is the same for all nodes that hold no
 * element of a part.
 *
 * Memory: O(entries of the traffic); with distances, O(nodes * parts). Time: rounds of bids, each O(offers of a part).
 */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/node_assignment.h"
#include "mapping/traffic.h"

/* The first step is this fraction of the largest saving; each next step is this fraction of the one before. */
enum { FIRST_STEP = 4, STEP_RATIO = 8 };

typedef struct {
    const scalay_mapping_problem *problem;
    const scalay_traffic *traffic;
    const scalay_node_links *links;
    scalay_node_members members; /* that may take a part */
    int exponent;
    int uniform;
    int64_t *worst;      /* shape [parts], in units */
    scalay_edges saving; /* of nodes and parts: worst minus the cost of the part on the node, in units */
    int64_t *of_node;    /* shape [parts]: scratch for one node; zero between nodes */
    int *node;           /* shape [processes]: node of each */
    scalay_node_assignment state;
    scalay_assignment assignment;
} node_solver;

/* ----------------------------------------------------------------------------------------------- savings */

static scalay_status check_distances(const node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int nodes = s->links->nodes, *start = s->members.start, *process = s->members.process;
    for (int a = 0; a < nodes && !s->uniform; a++)
        for (int b = 0; b < nodes; b++) {
            const int from = start[a] < start[a + 1] ? process[start[a]] : a;
            const int to = start[b] < start[b + 1] ? process[start[b]] : b;
            SCALAY_TRY(scalay_time_check_link(scalay_node_distance(s->links, a, b), from, to));
        }
    if (s->uniform) SCALAY_TRY(scalay_time_check_link(s->links->within, 0, 1));
cleanup:
    return status;
}

/* The cost of each part on a node, for a process that holds no element of it; `cost` is zero before. */
static void add_node_costs(const node_solver *s, int node, double *cost)
{
    const scalay_traffic *traffic = s->traffic;
    for (int i = 0; i < traffic->processes; i++) {
        const double link = scalay_node_distance(s->links, scalay_node_of(s->links, i), node);
        for (int64_t e = traffic->start[i]; link > 0.0 && e < traffic->start[i + 1]; e++)
            cost[traffic->part[e]] += (double)traffic->count[e] * link;
    }
}

static int has_members(const node_solver *s, int node)
{
    return s->members.start[node] < s->members.start[node + 1];
}

/* T of all nodes with members, row by row. */
static scalay_status find_costs(const node_solver *s, double **cost)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*cost, (int64_t)s->links->nodes * s->traffic->parts));
    for (int node = 0; node < s->links->nodes; node++)
        if (has_members(s, node)) add_node_costs(s, node, *cost + (int64_t)node * s->traffic->parts);
cleanup:
    return status;
}

/* The largest cost of each part. Between uniform nodes (cost is NULL) every element goes a distance of 1. */
static void set_worst(const node_solver *s, const double *cost, double *worst)
{
    const int parts = s->traffic->parts;
    for (int j = 0; j < parts; j++) worst[j] = s->uniform ? (double)s->traffic->wanted[j] : 0.0;
    for (int node = 0; node < s->links->nodes && cost != NULL; node++) {
        const double *of_node = cost + (int64_t)node * parts;
        for (int j = 0; j < parts; j++)
            if (of_node[j] > worst[j]) worst[j] = of_node[j];
    }
}

static scalay_status find_worst(node_solver *s, const double *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = s->traffic->parts;
    double *worst = NULL, sum = 0.0;
    SCALAY_TRY(SCALAY_NEW(worst, parts));
    SCALAY_TRY(SCALAY_NEW(s->worst, parts));
    set_worst(s, cost, worst);
    for (int j = 0; j < parts; j++) sum += worst[j];
    SCALAY_TRY(scalay_time_exponent(sum, &s->exponent));
    for (int j = 0; j < parts; j++) s->worst[j] = scalay_time_in_units(worst[j], s->exponent);
cleanup:
    scalay_release(worst);
    return status;
}

/* Appends the parts of which a node holds elements; `saved` is the saving of one element. */
static void append_node(node_solver *s, const scalay_node_members *all, int node, int *visited, double saved)
{
    const scalay_traffic *traffic = s->traffic;
    int64_t filled = s->saving.start[node];
    int count = 0;
    for (int k = all->start[node]; k < all->start[node + 1] && saved > 0.0; k++) {
        const int i = all->process[k];
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            if (s->of_node[traffic->part[e]] == 0) visited[count++] = traffic->part[e];
            s->of_node[traffic->part[e]] += traffic->count[e];
        }
    }
    for (int v = 0; v < count; v++) {
        s->saving.col[filled] = visited[v];
        s->saving.weight[filled++] = scalay_time_in_units((double)s->of_node[visited[v]] * saved, s->exponent);
        s->of_node[visited[v]] = 0;
    }
    s->saving.start[node + 1] = filled;
}

static scalay_status find_uniform_savings(node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node_members all = {0};
    int *visited = NULL;
    const int64_t entries = s->traffic->start[s->traffic->processes];
    SCALAY_TRY(SCALAY_NEW(visited, s->traffic->parts));
    SCALAY_TRY(SCALAY_NEW(s->saving.col, entries));
    SCALAY_TRY(SCALAY_NEW(s->saving.weight, entries));
    SCALAY_TRY(scalay_node_members_create(s->links, s->traffic->processes, &all));
    for (int node = 0; node < s->links->nodes; node++) append_node(s, &all, node, visited, 1.0 - s->links->within);
cleanup:
    scalay_node_members_free(&all);
    scalay_release(visited);
    return status;
}

static scalay_status find_distance_savings(node_solver *s, const double *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = s->traffic->parts;
    int64_t filled = 0;
    SCALAY_TRY(SCALAY_NEW(s->saving.col, (int64_t)s->links->nodes * parts));
    SCALAY_TRY(SCALAY_NEW(s->saving.weight, (int64_t)s->links->nodes * parts));
    for (int node = 0; node < s->links->nodes; node++) {
        for (int j = 0; j < parts && has_members(s, node); j++) {
            const int64_t saved = s->worst[j] - scalay_time_in_units(cost[(int64_t)node * parts + j], s->exponent);
            if (saved <= 0) continue;
            s->saving.col[filled] = j;
            s->saving.weight[filled++] = saved;
        }
        s->saving.start[node + 1] = filled;
    }
cleanup:
    return status;
}

/* Sets worst, exponent and saving. */
static scalay_status find_savings(node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    double *cost = NULL;
    SCALAY_TRY(check_distances(s));
    s->saving.rows = s->links->nodes;
    s->saving.cols = s->traffic->parts;
    SCALAY_TRY(SCALAY_NEW(s->saving.start, (int64_t)s->links->nodes + 1));
    SCALAY_TRY(SCALAY_NEW(s->of_node, s->traffic->parts));
    if (!s->uniform) SCALAY_TRY(find_costs(s, &cost));
    SCALAY_TRY(find_worst(s, cost));
    SCALAY_TRY(s->uniform ? find_uniform_savings(s) : find_distance_savings(s, cost));
cleanup:
    scalay_release(cost);
    return status;
}

/* The saving of a process on its own elements of an entry, in addition to that of its node. */
static int64_t own_saving(const node_solver *s, int node, int64_t entry)
{
    return scalay_time_in_units((double)s->traffic->count[entry] * scalay_node_distance(s->links, node, node),
                                s->exponent);
}

/* ------------------------------------------------------------------------------------------------ offers */

/* First pass: counts an offer in start[part + 2]. Second pass: appends it at start[part + 1]. */
static void add_offer(scalay_edges *offers, int part, int site, int64_t weight)
{
    if (offers->col == NULL) {
        offers->start[part + 2]++;
        return;
    }
    const int64_t at = offers->start[part + 1]++;
    offers->col[at] = site;
    offers->weight[at] = weight;
}

static void set_of_node(node_solver *s, int node, int filled)
{
    for (int64_t e = s->saving.start[node]; e < s->saving.start[node + 1]; e++)
        s->of_node[s->saving.col[e]] = filled ? s->saving.weight[e] : 0;
}

/* The offers of a process for the parts of which it holds elements. */
static void offer_process(const node_solver *s, int node, int process, scalay_edges *offers)
{
    const scalay_traffic *traffic = s->traffic;
    for (int64_t e = traffic->start[process]; e < traffic->start[process + 1]; e++) {
        const int64_t own = own_saving(s, node, e);
        if (own > 0) add_offer(offers, traffic->part[e], s->links->nodes + process, s->of_node[traffic->part[e]] + own);
    }
}

static void offer_nodes(node_solver *s, scalay_edges *offers)
{
    for (int node = 0; node < s->links->nodes; node++) {
        const int first = s->members.start[node], end = s->members.start[node + 1];
        for (int64_t e = s->saving.start[node]; first < end && e < s->saving.start[node + 1]; e++)
            if (s->saving.weight[e] > 0) add_offer(offers, s->saving.col[e], node, s->saving.weight[e]);
        set_of_node(s, node, 1);
        for (int k = first; k < end; k++)
            if (s->members.process[k] < s->traffic->processes) offer_process(s, node, s->members.process[k], offers);
        set_of_node(s, node, 0);
    }
}

/* The savings of every part on nodes, and on processes if these are larger. */
static scalay_status make_offers(node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges *offers = &s->state.offers;
    const int parts = s->traffic->parts;
    *offers = (scalay_edges){.rows = parts, .cols = s->links->nodes + s->problem->processes};
    SCALAY_TRY(SCALAY_NEW(offers->start, (int64_t)parts + 2));
    offer_nodes(s, offers);
    for (int j = 0; j <= parts; j++) offers->start[j + 1] += offers->start[j];
    SCALAY_TRY(SCALAY_NEW(offers->weight, offers->start[parts + 1]));
    SCALAY_TRY(SCALAY_NEW(offers->col, offers->start[parts + 1]));
    offer_nodes(s, offers);
    scalay_edges_free(&s->saving);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ search */

static int64_t largest_offer(const scalay_edges *offers)
{
    int64_t max = 0;
    for (int j = 0; j < offers->rows; j++) max = scalay_max_int64(max, scalay_edges_heaviest(offers, j));
    return max;
}

/* The best assignment found. */
typedef struct {
    int64_t *choice; /* shape [parts]: offer of each, -1: none */
    int64_t saved;
} best_choice;

/* Returns 1 if the current assignment saves exactly as much as the best one before. */
static int remember(const scalay_node_assignment *state, best_choice *best)
{
    const int64_t saved = scalay_node_assignment_saved(state), before = best->saved;
    if (saved < before) return 0;
    best->saved = saved;
    for (int j = 0; j < state->parts; j++) best->choice[j] = state->choice[j];
    return saved == before;
}

/* A proof is tried when steps are small, or no longer improve the assignment, with as much effort as all bids so far.
 */
static scalay_status find_assignment(node_solver *s, best_choice *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node_assignment *state = &s->state;
    const scalay_deadline deadline = s->problem->deadline;
    const int64_t max = largest_offer(&state->offers);
    int64_t step = scalay_max_int64(max / FIRST_STEP, 1), bids = 0;
    int done = 0, late = 0;
    for (; !done && !late; step = scalay_max_int64(step / STEP_RATIO, 1)) {
        SCALAY_TRY(scalay_node_assignment_auction(state, step, deadline, &bids, &late));
        const int try_proof = remember(state, best) || step == 1 || step <= max / state->parts;
        if (late || !try_proof) continue;
        SCALAY_TRY(scalay_node_assignment_refine(state, step > 1 ? bids : INT64_MAX, deadline, &done));
        (void)remember(state, best);
        late = !done && scalay_deadline_passed(deadline);
    }
    s->assignment.unfinished = !done;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ result */

/* A part that holds a process is assigned to it. The other parts of a node are assigned to the remaining processes. */
static void set_matching(node_solver *s, const best_choice *best)
{
    const scalay_node_assignment *state = &s->state;
    int *of_part = s->assignment.matching.of_col, *of_process = s->assignment.matching.of_row;
    int64_t *next = state->occupants; /* no longer needed: next member of each node */
    for (int j = 0; j < state->parts; j++) {
        const int site = best->choice[j] >= 0 ? state->offers.col[best->choice[j]] : 0;
        if (site < state->nodes) continue;
        of_part[j] = site - state->nodes;
        of_process[of_part[j]] = j;
    }
    for (int n = 0; n < state->nodes; n++) next[n] = s->members.start[n];
    for (int j = 0; j < state->parts; j++) {
        if (best->choice[j] < 0 || of_part[j] >= 0) continue;
        int64_t *member = &next[state->offers.col[best->choice[j]]];
        while (of_process[s->members.process[*member]] >= 0) ++*member;
        of_part[j] = s->members.process[*member];
        of_process[of_part[j]] = j;
    }
}

/* Sets the least duals of parts that dominate all offers, given the duals of processes and the prices of nodes. Returns
 * the sum of all duals. */
static double dominate(const scalay_node_assignment *state, scalay_assignment *assignment)
{
    const scalay_edges *offers = &state->offers;
    double sum = 0.0;
    for (int k = 0; k < state->processes; k++) sum += (double)assignment->row_dual[k];
    for (int j = 0; j < state->parts; j++) {
        int64_t dual = 0;
        for (int64_t e = offers->start[j]; e < offers->start[j + 1]; e++) {
            const int site = offers->col[e], process = site - state->nodes;
            const int64_t cost = process >= 0 ? assignment->row_dual[process] : state->price[site];
            dual = scalay_max_int64(dual, offers->weight[e] - cost);
        }
        assignment->col_dual[j] = dual;
        sum += (double)dual;
    }
    return sum;
}

/* The dual of a process is the price of its holder or of its node, minus the price of no assignment. */
static void set_process_duals(node_solver *s)
{
    scalay_node_assignment *state = &s->state;
    const int64_t unassigned = state->price[state->nodes + state->processes];
    for (int n = 0; n < state->nodes; n++) {
        state->price[n] = scalay_max_int64(state->price[n] - unassigned, 0);
        for (int k = s->members.start[n]; k < s->members.start[n + 1]; k++) {
            const int process = s->members.process[k];
            const int64_t held = state->holder[process] >= 0 ? state->price[state->nodes + process] - unassigned : 0;
            s->assignment.row_dual[process] = scalay_max_int64(held, state->price[n]);
        }
    }
}

/* After a deadline, duals of 0 for all processes may prove more. */
static void set_duals(node_solver *s)
{
    const scalay_edges *offers = &s->state.offers;
    double heaviest = 0.0;
    set_process_duals(s);
    const double sum = dominate(&s->state, &s->assignment);
    if (!s->assignment.unfinished) return;
    for (int j = 0; j < offers->rows; j++) heaviest += (double)scalay_edges_heaviest(offers, j);
    if (sum <= heaviest) return;
    for (int n = 0; n < s->state.nodes; n++) s->state.price[n] = 0;
    for (int k = 0; k < s->state.processes; k++) s->assignment.row_dual[k] = 0;
    (void)dominate(&s->state, &s->assignment);
}

static double time_of(const node_solver *s, const scalay_mapping *mapping)
{
    double time = 0.0;
    for (int i = 0; i < s->traffic->processes; i++)
        for (int64_t e = s->traffic->start[i]; e < s->traffic->start[i + 1]; e++)
            time += (double)s->traffic->count[e] *
                    s->problem->link_cost(i, mapping->process[s->traffic->part[e]], s->problem->link_context);
    return time;
}

/* ------------------------------------------------------------------------------------------------- solver */

/* Removes members that may take no part. */
static void remove_closed(node_solver *s)
{
    int kept = 0, read = 0;
    for (int node = 0; node < s->links->nodes; node++) {
        const int end = s->members.start[node + 1];
        for (s->members.start[node] = kept; read < end; read++)
            if (scalay_mapping_problem_may_take(s->problem, s->members.process[read]))
                s->members.process[kept++] = s->members.process[read];
    }
    s->members.start[s->links->nodes] = kept;
}

static scalay_status prepare(node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = s->problem->processes, parts = s->traffic->parts;
    const int64_t all_processes = scalay_max_int64(processes, s->traffic->processes);
    SCALAY_TRY(scalay_node_members_create(s->links, (int)all_processes, &s->members));
    s->uniform = scalay_nodes_are_uniform(s->links);
    remove_closed(s);
    SCALAY_TRY(find_savings(s));
    SCALAY_TRY(SCALAY_NEW(s->node, processes));
    for (int k = 0; k < processes; k++) s->node[k] = scalay_node_of(s->links, k);
    SCALAY_TRY(scalay_node_assignment_create(&s->members, s->node, s->links->nodes, processes, parts, &s->state));
    SCALAY_TRY(make_offers(s));
    SCALAY_TRY(scalay_assignment_allocate(processes, parts, &s->assignment));
cleanup:
    return status;
}

scalay_status scalay_mapping_problem_solve_nodes(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    node_solver s = {.problem = problem, .traffic = problem->traffic, .links = problem->link_context};
    best_choice best = {0};
    SCALAY_TRY(prepare(&s));
    SCALAY_TRY(SCALAY_NEW(best.choice, s.state.parts));
    SCALAY_TRY(find_assignment(&s, &best));
    set_duals(&s);
    set_matching(&s, &best);
    SCALAY_TRY(scalay_mapping_problem_place(problem, s.assignment.matching.of_col, mapping));
    scalay_time_set(s.worst, s.exponent, &s.assignment, time_of(&s, mapping), mapping);
cleanup:
    scalay_release(best.choice);
    scalay_node_members_free(&s.members);
    scalay_release(s.worst);
    scalay_release(s.of_node);
    scalay_release(s.node);
    scalay_edges_free(&s.saving);
    scalay_node_assignment_free(&s.state);
    scalay_assignment_free(&s.assignment);
    return status;
}
