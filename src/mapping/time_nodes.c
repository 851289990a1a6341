/* Least time between nodes. Whoever shares a node finds a part equally far away, but for what it holds itself: what
 * part j costs on process k of node n is T[n][j] less the way of k's own items within the node. So parts look for a
 * seat on a node, or for a process that holds some of them: nodes and holders instead of all pairs. Auctions of ever
 * smaller steps find seats that are nearly the best, and then prices that prove it.
 *
 * Where nodes differ only in whether they are the same, T is the same for all nodes that hold nothing of a part. */
#include "mapping/time_nodes.h"
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/traffic.h"

/* The first step is such a part of the largest saving, each of the next such a part of the one before. */
enum { FIRST_STEP = 4, SMALLER = 8 };

/* ------------------------------------------------------------------------------------------------- offers */

/* Counts an offer while there is no room yet: start[part + 2]; lists it afterwards, at start[part + 1]. */
static void add_offer(scalay_edges *offers, int part, int place, int64_t weight)
{
    if (offers->col == NULL) {
        offers->start[part + 2]++;
        return;
    }
    const int64_t at = offers->start[part + 1]++;
    offers->col[at] = place;
    offers->weight[at] = weight;
}

static void set_here(scalay_node_solver *s, int node, int filled)
{
    for (int64_t e = s->saving.start[node]; e < s->saving.start[node + 1]; e++)
        s->here[s->saving.col[e]] = filled ? s->saving.weight[e] : 0;
}

/* Those of what a process of a node holds itself. */
static void offer_process(const scalay_node_solver *s, int node, int process, scalay_edges *offers)
{
    const scalay_traffic *traffic = s->traffic;
    for (int64_t e = traffic->start[process]; e < traffic->start[process + 1]; e++) {
        const int64_t own = scalay_node_own_saving(s, node, e);
        if (own > 0) add_offer(offers, traffic->part[e], s->links->nodes + process, s->here[traffic->part[e]] + own);
    }
}

static void offer_nodes(scalay_node_solver *s, scalay_edges *offers)
{
    for (int node = 0; node < s->links->nodes; node++) {
        const int first = s->members.start[node], end = s->members.start[node + 1];
        for (int64_t e = s->saving.start[node]; first < end && e < s->saving.start[node + 1]; e++)
            if (s->saving.weight[e] > 0) add_offer(offers, s->saving.col[e], node, s->saving.weight[e]);
        set_here(s, node, 1);
        for (int k = first; k < end; k++)
            if (s->members.process[k] < s->traffic->processes) offer_process(s, node, s->members.process[k], offers);
        set_here(s, node, 0);
    }
}

/* What every part saves on nodes, and on processes where that is more. */
static scalay_status make_offers(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges *offers = &s->seats.offers;
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

/* ------------------------------------------------------------------------------------------------- search */

static int64_t largest_offer(const scalay_edges *offers)
{
    int64_t most = 0;
    for (int j = 0; j < offers->rows; j++) most = scalay_max_int64(most, scalay_edges_heaviest(offers, j));
    return most;
}

/* The best that has been found. */
typedef struct {
    int64_t *choice; /* shape [parts]: the offer of each, -1: none */
    int64_t saved;
} seating;

/* Returns whether what is saved now is what was saved at best before. */
static int remember(const scalay_node_seats *seats, seating *best)
{
    const int64_t saved = scalay_seats_saved(seats), before = best->saved;
    if (saved < before) return 0;
    best->saved = saved;
    for (int j = 0; j < seats->parts; j++) best->choice[j] = seats->choice[j];
    return saved == before;
}

/* Prices that prove it are worth looking for once steps are small, or no longer help: for as long as all bids took. */
static scalay_status find_seats(scalay_node_solver *s, seating *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node_seats *seats = &s->seats;
    const scalay_deadline deadline = s->problem->deadline;
    const int64_t most = largest_offer(&seats->offers);
    int64_t step = scalay_max_int64(most / FIRST_STEP, 1), bids = 0;
    int done = 0, late = 0;
    for (; !done && !late; step = scalay_max_int64(step / SMALLER, 1)) {
        SCALAY_TRY(scalay_seats_auction(seats, step, deadline, &bids, &late));
        const int settled = remember(seats, best) || step == 1 || step <= most / seats->parts;
        if (late || !settled) continue;
        SCALAY_TRY(scalay_seats_refine(seats, step > 1 ? bids : INT64_MAX, deadline, &done));
        (void)remember(seats, best);
        late = !done && scalay_deadline_passed(deadline);
    }
    s->assignment.unfinished = !done;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- result */

/* A part that holds a process goes there, the others of a node to the processes that are left. */
static void seat_parts(scalay_node_solver *s, const seating *best)
{
    const int64_t *choice = best->choice;
    const scalay_node_seats *seats = &s->seats;
    int *of_part = s->assignment.matching.of_col, *of_process = s->assignment.matching.of_row, *next = seats->taken;
    for (int j = 0; j < seats->parts; j++) {
        const int place = choice[j] >= 0 ? seats->offers.col[choice[j]] : 0;
        if (place < seats->nodes) continue;
        of_part[j] = place - seats->nodes;
        of_process[of_part[j]] = j;
    }
    for (int n = 0; n < seats->nodes; n++) next[n] = s->members.start[n];
    for (int j = 0; j < seats->parts; j++) {
        if (choice[j] < 0 || of_part[j] >= 0) continue;
        int *member = &next[seats->offers.col[choice[j]]];
        while (of_process[s->members.process[*member]] >= 0) ++*member;
        of_part[j] = s->members.process[*member];
        of_process[of_part[j]] = j;
    }
}

/* What parts gain at most, given what processes and seats of nodes cost: no duals of parts contradict these. Returns
 * the sum of all duals. */
static double dominate(const scalay_node_seats *seats, scalay_assignment *assignment)
{
    const scalay_edges *offers = &seats->offers;
    double sum = 0.0;
    for (int k = 0; k < seats->processes; k++) sum += (double)assignment->row_dual[k];
    for (int j = 0; j < seats->parts; j++) {
        int64_t most = 0;
        for (int64_t e = offers->start[j]; e < offers->start[j + 1]; e++) {
            const int place = offers->col[e], process = place - seats->nodes;
            const int64_t cost = process >= 0 ? assignment->row_dual[process] : seats->price[place];
            most = scalay_max_int64(most, offers->weight[e] - cost);
        }
        assignment->col_dual[j] = most;
        sum += (double)most;
    }
    return sum;
}

/* A process costs what its holder pays, or a seat of its node, less what staying out does. */
static void price_processes(scalay_node_solver *s)
{
    scalay_node_seats *seats = &s->seats;
    const int64_t out = seats->price[seats->nodes + seats->processes];
    for (int n = 0; n < seats->nodes; n++) {
        seats->price[n] = scalay_max_int64(seats->price[n] - out, 0);
        for (int k = s->members.start[n]; k < s->members.start[n + 1]; k++) {
            const int process = s->members.process[k];
            const int64_t held = seats->holder[process] >= 0 ? seats->price[seats->nodes + process] - out : 0;
            s->assignment.row_dual[process] = scalay_max_int64(held, seats->price[n]);
        }
    }
}

/* Prices become duals. Where the deadline came first, processes that cost nothing may prove more. */
static void settle_duals(scalay_node_solver *s)
{
    const scalay_edges *offers = &s->seats.offers;
    double alone = 0.0;
    price_processes(s);
    const double sum = dominate(&s->seats, &s->assignment);
    if (!s->assignment.unfinished) return;
    for (int j = 0; j < offers->rows; j++) alone += (double)scalay_edges_heaviest(offers, j);
    if (sum <= alone) return;
    for (int n = 0; n < s->seats.nodes; n++) s->seats.price[n] = 0;
    for (int k = 0; k < s->seats.processes; k++) s->assignment.row_dual[k] = 0;
    (void)dominate(&s->seats, &s->assignment);
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

/* --------------------------------------------------------------------------------------------------- all */

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

static scalay_status prepare(scalay_node_solver *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = s->problem->processes, parts = s->traffic->parts;
    const int64_t most = scalay_max_int64(processes, s->traffic->processes);
    SCALAY_TRY(scalay_node_members_create(s->links, (int)most, &s->members));
    s->apart = scalay_nodes_are_apart(s->links);
    leave_open(s);
    SCALAY_TRY(scalay_node_savings(s));
    SCALAY_TRY(SCALAY_NEW(s->node, processes));
    for (int k = 0; k < processes; k++) s->node[k] = scalay_node_of(s->links, k);
    SCALAY_TRY(scalay_node_seats_create(&s->members, s->node, s->links->nodes, processes, parts, &s->seats));
    SCALAY_TRY(make_offers(s));
    SCALAY_TRY(scalay_assignment_allocate(processes, parts, &s->assignment));
cleanup:
    return status;
}

scalay_status scalay_problem_solve_nodes(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node_solver s = {.problem = problem, .traffic = problem->traffic, .links = problem->link_context};
    seating best = {0};
    SCALAY_TRY(prepare(&s));
    SCALAY_TRY(SCALAY_NEW(best.choice, s.seats.parts));
    SCALAY_TRY(find_seats(&s, &best));
    settle_duals(&s);
    seat_parts(&s, &best);
    SCALAY_TRY(scalay_problem_place(problem, s.assignment.matching.of_col, mapping));
    scalay_time_settle(s.worst, s.exponent, &s.assignment, time_of(&s, mapping), mapping);
cleanup:
    scalay_release(best.choice);
    scalay_node_members_free(&s.members);
    scalay_release(s.worst);
    scalay_release(s.here);
    scalay_release(s.node);
    scalay_edges_free(&s.saving);
    scalay_node_seats_free(&s.seats);
    scalay_assignment_free(&s.assignment);
    return status;
}
