/*
 * Assignment of parts to nodes: an auction with decreasing steps, then prices that prove the result.
 *
 * The prices of an auction are close to optimal. The refinement therefore finds short paths and few cycles.
 *
 * Source: Bertsekas and Castanon, Annals of Operations Research 20 (1989). Prices as longest paths: Bellman-Ford.
 *
 * Time: O(offers) for one round of bids; O(sites * offers) for the refinement in the worst case. Memory: O(sites +
 * parts) beside the offers.
 */
#include "mapping/node_assignment.h"

#include "base/integer.h"
#include "base/memory.h"

#define BINARY_HEAP_NAME bid_heap
#define BINARY_HEAP_ENTRY int
#define BINARY_HEAP_OWNER scalay_node_assignment
#define BINARY_HEAP_BEFORE(owner, a, b) ((owner)->bid[a] < (owner)->bid[b])
#define BINARY_HEAP_MOVED(owner, entry, index) ((owner)->position[entry] = (index))
#include "base/binary_heap_worker.h"

scalay_status scalay_node_assignment_create(const scalay_node_members *members, const int *node, int nodes,
                                            int processes, int parts, scalay_node_assignment *state)
{
    scalay_status status = SCALAY_SUCCESS;
    *state = (scalay_node_assignment){
        .members = members, .node = node, .nodes = nodes, .processes = processes, .parts = parts};
    SCALAY_TRY(SCALAY_NEW(state->price, (int64_t)nodes + processes + 1));
    SCALAY_TRY(SCALAY_NEW(state->occupant, members->start[nodes]));
    SCALAY_TRY(SCALAY_NEW(state->occupants, nodes));
    SCALAY_TRY(SCALAY_NEW(state->holder, processes));
    SCALAY_TRY(SCALAY_NEW(state->choice, parts));
    SCALAY_TRY(SCALAY_NEW(state->position, parts));
    SCALAY_TRY(SCALAY_NEW(state->bid, parts));
    for (int k = 0; k < processes; k++) state->holder[k] = -1;
    for (int j = 0; j < parts; j++) state->choice[j] = state->position[j] = -1;
cleanup:
    return status;
}

void scalay_node_assignment_free(scalay_node_assignment *state)
{
    scalay_edges_free(&state->offers);
    scalay_release(state->price);
    scalay_release(state->occupant);
    scalay_release(state->occupants);
    scalay_release(state->holder);
    scalay_release(state->choice);
    scalay_release(state->position);
    scalay_release(state->bid);
}

int64_t scalay_node_assignment_saved(const scalay_node_assignment *state)
{
    int64_t saved = 0;
    for (int j = 0; j < state->parts; j++)
        if (state->choice[j] >= 0) saved += state->offers.weight[state->choice[j]];
    return saved;
}

/* The site whose price applies to a site: a process that is not held costs the price of its node. */
static int priced_site(const scalay_node_assignment *state, int site)
{
    const int process = site - state->nodes;
    return process < 0 || state->holder[process] >= 0 ? site : state->node[process];
}

static int node_of_site(const scalay_node_assignment *state, int site)
{
    return site < state->nodes ? site : state->node[site - state->nodes];
}

static int capacity_of(const scalay_node_assignment *state, int node)
{
    return state->members->start[node + 1] - state->members->start[node];
}

/* The parts on a node, the lowest bid first. */
static int *heap_of(const scalay_node_assignment *state, int node)
{
    return state->occupant + state->members->start[node];
}

/* Assigns an unassigned part. The node must have free capacity and the process must not be held. */
static void assign(scalay_node_assignment *state, int part, int64_t offer, int64_t bid)
{
    const int site = state->offers.col[offer], node = node_of_site(state, site);
    state->choice[part] = offer;
    state->bid[part] = bid;
    if (site >= state->nodes) {
        state->holder[site - state->nodes] = part;
        state->price[site] = bid;
    }
    bid_heap_sift_up(state, heap_of(state, node), state->occupants[node]++, part);
}

static void unassign(scalay_node_assignment *state, int part)
{
    const int site = state->offers.col[state->choice[part]], node = node_of_site(state, site);
    int *heap = heap_of(state, node);
    const int64_t index = state->position[part], count = --state->occupants[node];
    if (site >= state->nodes) state->holder[site - state->nodes] = -1;
    state->choice[part] = -1;
    state->position[part] = -1;
    if (index == count) return;
    const int last = heap[count];
    bid_heap_sift_up(state, heap, index, last);
    if (state->position[last] == index) bid_heap_sift_down(state, heap, count, index, last);
}

/* ------------------------------------------------------------------------------------------------ auction */

/* Prices start this number of steps below the current ones. Therefore nearly all capacity finds a part, also if its
 * price was too high for all parts. */
enum { STEPS_BELOW = 100 };

/* Bids between checks of the deadline. */
enum { BIDS_PER_CHECK = 256 };

typedef struct {
    scalay_node_assignment *state;
    int64_t step;
    int64_t *reserve; /* shape [nodes]: price of each while it has free capacity */
    int *waiting;     /* shape [parts]: parts that have to bid */
    int count;
} auction;

static scalay_status auction_open(scalay_node_assignment *state, int64_t step, auction *sale)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t unassigned = state->price[state->nodes + state->processes];
    sale->state = state;
    sale->step = step;
    SCALAY_TRY(SCALAY_NEW(sale->reserve, state->nodes));
    SCALAY_TRY(SCALAY_NEW(sale->waiting, state->parts));
    state->price[state->nodes + state->processes] = 0;
    for (int n = 0; n < state->nodes; n++) {
        const int64_t price = scalay_max_int64(state->price[n] - unassigned, 0);
        state->occupants[n] = 0;
        sale->reserve[n] = price / STEPS_BELOW > step ? price - STEPS_BELOW * step : 0;
        state->price[n] = sale->reserve[n];
    }
    for (int k = 0; k < state->processes; k++) state->holder[k] = -1;
    for (int j = state->parts - 1; j >= 0; j--) {
        state->choice[j] = state->position[j] = -1;
        if (state->offers.start[j] < state->offers.start[j + 1]) sale->waiting[sale->count++] = j;
    }
cleanup:
    return status;
}

/* Gains of a part at its best and second best site. No assignment gains 0. */
typedef struct {
    int64_t gain;
    int64_t second_gain;
    int64_t offer; /* -1: no assignment */
} preference;

static preference find_preference(const scalay_node_assignment *state, int part)
{
    const scalay_edges *offers = &state->offers;
    preference found = {0, 0, -1};
    for (int64_t e = offers->start[part]; e < offers->start[part + 1]; e++) {
        const int64_t gain = offers->weight[e] - state->price[priced_site(state, offers->col[e])];
        if (gain < found.second_gain) continue;
        if (gain >= found.gain)
            found = (preference){gain, found.gain, e};
        else
            found.second_gain = gain;
    }
    return found;
}

/* The part that a site would displace: its holder or, if the node is full, the part of the lowest bid; -1: none. */
static int find_displaced(const scalay_node_assignment *state, int site, int node)
{
    const int holder = site >= state->nodes ? state->holder[site - state->nodes] : -1;
    if (holder >= 0) return holder;
    return state->occupants[node] == capacity_of(state, node) ? heap_of(state, node)[0] : -1;
}

/* Returns the displaced part; -1: none. */
static int place_bid(auction *sale, int part)
{
    scalay_node_assignment *state = sale->state;
    const preference found = find_preference(state, part);
    if (found.offer < 0) return -1;
    const int site = state->offers.col[found.offer], node = node_of_site(state, site);
    const int displaced = find_displaced(state, site, node);
    if (displaced >= 0) unassign(state, displaced);
    assign(state, part, found.offer, state->offers.weight[found.offer] - found.second_gain + sale->step);
    const int is_full = state->occupants[node] == capacity_of(state, node);
    state->price[node] = is_full ? state->bid[heap_of(state, node)[0]] : sale->reserve[node];
    return displaced;
}

scalay_status scalay_node_assignment_auction(scalay_node_assignment *state, int64_t step, scalay_deadline deadline,
                                             int64_t *bids, int *late)
{
    scalay_status status = SCALAY_SUCCESS;
    auction sale = {0};
    *late = 0;
    SCALAY_TRY(auction_open(state, step, &sale));
    while (sale.count > 0 && !*late) {
        const int displaced = place_bid(&sale, sale.waiting[--sale.count]);
        if (displaced >= 0) sale.waiting[sale.count++] = displaced;
        if ((*bids)++ % BIDS_PER_CHECK == 0) *late = scalay_deadline_passed(deadline);
    }
cleanup:
    scalay_release(sale.reserve);
    scalay_release(sale.waiting);
    return status;
}

/* ---------------------------------------------------------------------------------------------- refinement */

/* Sites between checks of the deadline. */
enum { SITES_PER_CHECK = 256 };

/*
 * Prices as longest paths. Constraints:
 *   - A part at site x requires that site y costs at least as much more as the part saves more at y.
 *   - A node requires that no process of it is held for less than the price of the node.
 *   - If a node has free capacity, no assignment costs as much as the node, and no site costs less.
 */
typedef struct {
    scalay_node_assignment *state;
    int sites;  /* including no assignment, the last */
    int *queue; /* shape [sites]: ring of sites whose price was raised */
    int first, count;
    unsigned char *queued; /* shape [sites] */
    int *era;              /* shape [sites]: era in which the price was raised last */
    int *from;             /* shape [sites]: site whose constraint raised it */
    int *mover;            /* shape [sites]: part of that constraint, -1: none */
    int64_t *offer;        /* shape [sites]: offer that the part would take, -1: no assignment */
    int64_t examined;      /* number of parts */
    int current_era;       /* increases when a part changes its site */
} refiner;

static scalay_status refiner_create(scalay_node_assignment *state, refiner *r)
{
    scalay_status status = SCALAY_SUCCESS;
    *r = (refiner){.state = state, .sites = state->nodes + state->processes + 1, .current_era = 1};
    SCALAY_TRY(SCALAY_NEW(r->queue, r->sites));
    SCALAY_TRY(SCALAY_NEW(r->queued, r->sites));
    SCALAY_TRY(SCALAY_NEW(r->era, r->sites));
    SCALAY_TRY(SCALAY_NEW(r->from, r->sites));
    SCALAY_TRY(SCALAY_NEW(r->mover, r->sites));
    SCALAY_TRY(SCALAY_NEW(r->offer, r->sites));
cleanup:
    return status;
}

static void refiner_free(refiner *r)
{
    scalay_release(r->queue);
    scalay_release(r->queued);
    scalay_release(r->era);
    scalay_release(r->from);
    scalay_release(r->mover);
    scalay_release(r->offer);
}

static void enqueue(refiner *r, int site)
{
    if (r->queued[site]) return;
    r->queued[site] = 1;
    r->queue[(r->first + r->count++) % r->sites] = site;
}

static int dequeue(refiner *r)
{
    const int site = r->queue[r->first];
    r->first = (r->first + 1) % r->sites;
    r->count--;
    r->queued[site] = 0;
    return site;
}

static void reassign(refiner *r, int part, int64_t offer, int64_t price)
{
    assign(r->state, part, offer, price);
    enqueue(r, r->state->offers.col[offer]);
}

/* Each part of a cycle moves to the next site. */
static void rotate(refiner *r, int start)
{
    int site = start;
    do {
        const int part = r->mover[site];
        if (part >= 0 && r->state->choice[part] >= 0) unassign(r->state, part);
        site = r->from[site];
    } while (site != start);
    do {
        if (r->mover[site] >= 0 && r->offer[site] >= 0)
            reassign(r, r->mover[site], r->offer[site], r->state->price[site]);
        enqueue(r, site);
        site = r->from[site];
    } while (site != start);
    r->current_era++;
}

/* Raises the price of a site. Returns 1 if this closed a cycle, whose parts have moved. */
static int raise_price(refiner *r, int site, int64_t price, int from, int mover, int64_t offer)
{
    r->state->price[site] = price;
    r->era[site] = r->current_era;
    r->from[site] = from;
    r->mover[site] = mover;
    r->offer[site] = offer;
    for (; from != site; from = r->from[from])
        if (r->era[from] != r->current_era) {
            enqueue(r, site);
            return 0;
        }
    rotate(r, site);
    return 1;
}

/* Applies the constraints of a part at a site, where it saves `saved`. Returns 1 if parts have moved. */
static int apply_part(refiner *r, int part, int site, int64_t saved)
{
    scalay_node_assignment *state = r->state;
    const scalay_edges *offers = &state->offers;
    const int64_t gain = saved - state->price[site];
    const int unassigned = r->sites - 1;
    r->examined++;
    if (-gain > state->price[unassigned] && raise_price(r, unassigned, -gain, site, part, -1)) return 1;
    for (int64_t e = offers->start[part]; e < offers->start[part + 1]; e++) {
        const int other = priced_site(state, offers->col[e]);
        const int64_t price = offers->weight[e] - gain;
        if (price <= state->price[other]) continue;
        if (other != site) {
            if (raise_price(r, other, price, site, part, e)) return 1;
            continue;
        }
        /* A process of the same node that is not held. */
        unassign(state, part);
        reassign(r, part, e, state->price[site]);
        r->current_era++;
        return 1;
    }
    return 0;
}

static int apply_node(refiner *r, int node)
{
    const scalay_node_assignment *state = r->state;
    const int *occupant = heap_of(state, node), unassigned = r->sites - 1;
    const int64_t price = state->price[node];
    for (int64_t k = 0; k < state->occupants[node]; k++) {
        const int64_t choice = state->choice[occupant[k]];
        const int site = state->offers.col[choice];
        if (site == node && apply_part(r, occupant[k], node, state->offers.weight[choice])) return 1;
        if (site != node && state->price[site] < price && raise_price(r, site, price, node, -1, -1)) return 1;
    }
    return state->occupants[node] < capacity_of(state, node) && state->price[unassigned] < price &&
           raise_price(r, unassigned, price, node, -1, -1);
}

static int apply_process(refiner *r, int site)
{
    const scalay_node_assignment *state = r->state;
    const int part = state->holder[site - state->nodes];
    return part >= 0 && apply_part(r, part, site, state->offers.weight[state->choice[part]]);
}

static int apply_unassigned(refiner *r)
{
    const scalay_node_assignment *state = r->state;
    const int unassigned = r->sites - 1;
    for (int n = 0; n < state->nodes; n++)
        if (capacity_of(state, n) > 0 && state->price[n] < state->price[unassigned] &&
            raise_price(r, n, state->price[unassigned], unassigned, -1, -1))
            return 1;
    for (int j = 0; j < state->parts; j++)
        if (state->choice[j] < 0 && apply_part(r, j, unassigned, 0)) return 1;
    return 0;
}

static int apply(refiner *r, int site)
{
    if (site < r->state->nodes) return apply_node(r, site);
    return site < r->sites - 1 ? apply_process(r, site) : apply_unassigned(r);
}

scalay_status scalay_node_assignment_refine(scalay_node_assignment *state, int64_t effort, scalay_deadline deadline,
                                            int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    refiner r = {0};
    int late = 0;
    *done = 0;
    SCALAY_TRY(refiner_create(state, &r));
    for (int site = 0; site < r.sites; site++) enqueue(&r, site);
    for (int64_t k = 0; r.count > 0 && r.examined < effort && !late; k++) {
        const int site = dequeue(&r);
        if (apply(&r, site)) enqueue(&r, site);
        if (k % SITES_PER_CHECK == 0) late = scalay_deadline_passed(deadline);
    }
    *done = r.count == 0;
cleanup:
    refiner_free(&r);
    return status;
}
