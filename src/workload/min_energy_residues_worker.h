/*
 * Cheapest moves of each residue modulo the length of the fractional edge, for one type of reduced costs.
 *
 * Define before including: COST (the type), NONE (no cost is as high; the sum of two fits), NAME(verb), and HEAP(verb)
 * for the functions of the heap NAME(residue_heap). No include guard: it is included once per type.
 */

/* The cheapest move of each residue, and the shortest paths that they make. */
typedef struct {
    int64_t modulus;
    int64_t target;
    COST *cost;        /* shape [modulus]: of the cheapest move of a residue */
    COST *distance;    /* shape [modulus]: of the cheapest known moves that sum to a residue */
    int64_t *share;    /* shape [modulus]: of the move */
    int64_t *index;    /* shape [modulus]: of the move */
    int64_t *last;     /* shape [modulus]: residue of the last of those moves */
    int64_t *order;    /* shape [moves]: residues by ascending cost of their move */
    int64_t *heap;     /* shape [modulus]: residues, by distance */
    int64_t *position; /* shape [modulus]: in the heap */
    int64_t *path;     /* shape [4 modulus + 4]: the result */
    COST *listed;      /* shape [span + 1]: costs of the sizes of a share */
    int64_t moves;
    int64_t in_heap;
    arc *arc;           /* shape [MAX_ARCS]: moves to sizes that are not interior */
    COST *arc_cost;     /* shape [MAX_ARCS] */
    COST best;          /* of the target, so far */
    int64_t meeting[3]; /* a residue, a move and another residue that sum to the target at that cost */
} NAME(residues);

#define BINARY_HEAP_NAME NAME(residue_heap)
#define BINARY_HEAP_ENTRY int64_t
#define BINARY_HEAP_OWNER NAME(residues)
#define BINARY_HEAP_BEFORE(owner, a, b) ((owner)->distance[a] < (owner)->distance[b])
#define BINARY_HEAP_MOVED(owner, entry, place) ((owner)->position[entry] = (place))
#include "base/binary_heap_worker.h"

/* One array holds the costs, then the integers. */
static scalay_status NAME(allocate)(scalay_energy_search *search, NAME(residues) * state)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t modulus = search->solution.fractional_edge_length;
    const int64_t costs = 2 * modulus + search->span + 1;
    const int64_t integers = 10 * modulus + 4;
    *state = (NAME(residues)){.modulus = modulus, .target = search->solution.deficit % modulus};
    SCALAY_TRY(scalay_energy_scratch(search, 1, costs + integers, sizeof(COST), &state->cost));
    state->distance = state->cost + modulus;
    state->listed = state->cost + 2 * modulus;
    state->share = (int64_t *)(void *)(state->cost + costs);
    state->index = state->share + modulus;
    state->last = state->share + 2 * modulus;
    state->order = state->share + 3 * modulus;
    state->heap = state->share + 4 * modulus;
    state->position = state->share + 5 * modulus;
    state->path = state->share + 6 * modulus;
    for (int64_t r = 0; r < modulus; r++) state->cost[r] = state->distance[r] = NONE;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------ moves of the residues */

/* Lists the costs of sizes first <= x < end of a share. */
static void NAME(list)(const scalay_energy_search *search, NAME(residues) * state, int64_t share, int64_t first,
                       int64_t end)
{
    if (first >= end) return;
    NAME(list_costs)(search, &search->solution.share[share], first, end, state->listed + first);
    if (first == 0 && search->min_index > 0) state->listed[0] = NONE;
}

/* Offers listed sizes first <= x < end of a share, at most one for each residue. */
static void NAME(offer_block)(const scalay_energy_search *search, NAME(residues) * state, int64_t share, int64_t first,
                              int64_t end)
{
    if (first >= end) return;
    const int64_t residue = residue_of(state->modulus, first - search->solution.share[share].index);
    NAME(keep_least)
    (state->cost + residue, state->index + residue, state->share + residue, state->listed + first, end - first, first,
     share);
}

/* Offers one size for each residue, from the share's own size upwards. */
static void NAME(offer_near)(const scalay_energy_search *search, NAME(residues) * state, int64_t share)
{
    const scalay_energy_share *from = &search->solution.share[share];
    const int64_t last = scalay_energy_last_index(search, from->group);
    const int64_t end = scalay_min_int64(from->index + state->modulus, last + 1);
    NAME(list)(search, state, share, from->index, end);
    NAME(offer_block)(search, state, share, from->index, end);
}

/* Offers the other sizes of a share that may cost less than the best known moves, from its own size outwards: of moves
 * of the same cost, a shorter one needs less compensation. */
static void NAME(offer_far)(const scalay_energy_search *search, NAME(residues) * state, int64_t share)
{
    const int64_t modulus = state->modulus;
    const int64_t index = search->solution.share[share].index;
    const int64_t low = scalay_hull_reach(search, share, -1, state->best);
    const int64_t end = scalay_hull_reach(search, share, 1, state->best) + 1;
    int64_t down = index;
    int64_t up = index + modulus;
    NAME(list)(search, state, share, low, down);
    NAME(list)(search, state, share, up, end);
    for (; down > low || up < end; down -= modulus, up += modulus) {
        NAME(offer_block)(search, state, share, scalay_max_int64(down - modulus, low), down);
        NAME(offer_block)(search, state, share, up, scalay_min_int64(up + modulus, end));
    }
}

/* Tries the pairs of residues first <= r <= last that sum to `sum`. */
static void NAME(try_pairs)(NAME(residues) * state, int64_t first, int64_t last, int64_t sum)
{
    const COST *cost = state->cost;
    COST best = state->best;
    int64_t found = 0;
    for (int64_t r = first; r <= last; r++) {
        if (cost[r] + cost[sum - r] >= best) continue;
        best = cost[r] + cost[sum - r];
        found = r;
    }
    if (found == 0) return;
    state->best = best;
    state->meeting[1] = found;
    state->meeting[2] = sum - found;
    state->last[sum - found] = sum - found;
}

/* The target by one move or two. */
static void NAME(start)(NAME(residues) * state)
{
    state->best = state->cost[state->target];
    state->meeting[1] = state->target;
    state->meeting[2] = 0;
    NAME(try_pairs)(state, 1, state->target / 2, state->target);
    NAME(try_pairs)(state, state->target + 1, (state->target + state->modulus) / 2, state->target + state->modulus);
}

/* Offers all sizes that matter. The two shares at the ends of the edge have the same costs and residues. */
static void NAME(offer_all)(const scalay_energy_search *search, NAME(residues) * state)
{
    const scalay_break_solution *solution = &search->solution;
    const int64_t left = solution->fractional_share;
    NAME(offer_near)(search, state, left);
    NAME(start)(state);
    for (int64_t k = 0; k < solution->break_shares; k++) {
        if (k != left && solution->share[k].group == solution->share[left].group) continue;
        if (k != left) NAME(offer_near)(search, state, k);
        NAME(offer_far)(search, state, k);
    }
    NAME(start)(state);
}

static void NAME(offer_move)(const scalay_energy_search *search, NAME(residues) * state, const scalay_energy_move *move)
{
    const scalay_wide exact = scalay_move_cost(search, move);
    const COST cost = exact < (scalay_wide)NONE ? (COST)exact : NONE;
    const int64_t residue = residue_of(state->modulus, move->length);
    if (cost >= NONE || cost > state->cost[residue]) return;
    if (cost == state->cost[residue]) {
        const int64_t known = state->index[residue] - search->solution.share[state->share[residue]].index;
        if ((move->length < 0 ? -move->length : move->length) >= (known < 0 ? -known : known)) return;
    }
    state->cost[residue] = cost;
    state->share[residue] = move->share;
    state->index[residue] = move->index;
}

/* Offers the listed moves. */
static void NAME(offer_moves)(const scalay_energy_search *search, NAME(residues) * state)
{
    const scalay_break_solution *solution = &search->solution;
    const int64_t left = solution->fractional_share;
    for (int64_t k = 0; k < search->moves.count; k++) {
        const scalay_energy_move *move = &search->moves.move[k];
        if (move->share == left || solution->share[move->share].group != solution->share[left].group)
            NAME(offer_move)(search, state, move);
    }
}

/* ------------------------------------------------------------------------------------------------- shortest paths */

/* Lists the residues whose moves cost less than the best known moves. */
static void NAME(list_residues)(NAME(residues) * state)
{
    state->moves = 0;
    for (int64_t r = 1; r < state->modulus; r++)
        if (state->cost[r] < state->best) state->order[state->moves++] = r;
}

/* Sorts the listed residues by cost (Shell's sort). */
static void NAME(sort)(NAME(residues) * state)
{
    const COST *cost = state->cost;
    int64_t *order = state->order;
    const int64_t moves = state->moves;
    for (int64_t gap = moves / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < moves; i++) {
            const int64_t moved = order[i];
            int64_t k = i;
            for (; k >= gap && cost[order[k - gap]] > cost[moved]; k -= gap) order[k] = order[k - gap];
            order[k] = moved;
        }
}

/* Relaxes the arcs from a residue. */
static void NAME(relax)(NAME(residues) * state, int64_t at)
{
    for (int64_t k = 0; k < state->moves; k++) {
        const int64_t move = state->order[k];
        const COST cost = state->distance[at] + state->cost[move];
        if (cost >= state->best) break;
        const int64_t to = at + move < state->modulus ? at + move : at + move - state->modulus;
        const int64_t rest = state->target >= to ? state->target - to : state->target - to + state->modulus;
        if (cost + state->distance[rest] < state->best) {
            state->best = cost + state->distance[rest];
            state->meeting[0] = at;
            state->meeting[1] = move;
            state->meeting[2] = rest;
        }
        if (cost >= state->distance[to] || 2 * cost >= state->best) continue;
        const int64_t position = state->distance[to] < NONE ? state->position[to] : state->in_heap++;
        state->distance[to] = cost;
        state->last[to] = move;
        HEAP(sift_up)(state, state->heap, position, to);
    }
}

/* Writes the moves that lead from 0 to a residue. */
static int64_t NAME(trace)(const NAME(residues) * state, int64_t residue, int64_t steps)
{
    for (; residue != 0; residue = residue_of(state->modulus, residue - state->last[residue]))
        state->path[steps++] = state->last[residue];
    return steps;
}

/* Dijkstra's algorithm from 0. All residues have the same arcs, so one search serves both ends of the path: a cheapest
 * path is a part that costs at most half, a move, and another part that costs at most half. */
static void NAME(find_path)(NAME(residues) * state, int64_t *steps)
{
    *steps = 0;
    state->distance[0] = 0;
    for (int64_t at = 0;;) {
        NAME(relax)(state, at);
        if (state->in_heap == 0) break;
        at = HEAP(pop)(state, state->heap, &state->in_heap);
        if (2 * state->distance[at] >= state->best) break;
    }
    if (state->best >= NONE) return;
    state->path[(*steps)++] = state->meeting[1];
    *steps = NAME(trace)(state, state->meeting[0], *steps);
    *steps = NAME(trace)(state, state->meeting[2], *steps);
}

/* -------------------------------------------------------------------------------------------- one interior size */

/* Makes a move an arc, if its size is not interior and it costs less than the best known moves. */
static void NAME(add_arc)(const scalay_energy_search *search, NAME(residues) * state, int64_t share, int64_t index,
                          COST cost)
{
    const scalay_energy_share *from = &search->solution.share[share];
    const int64_t residue = residue_of(state->modulus, index - from->index);
    if (residue == 0 || cost >= state->best || scalay_energy_is_interior(search, from->group, index)) return;
    if (state->moves < MAX_ARCS) {
        state->arc_cost[state->moves] = cost;
        state->arc[state->moves] = (arc){residue, share, index};
    }
    state->moves++;
}

/* Makes arcs of all sizes, or of the listed moves; state->moves is above MAX_ARCS if they are too many. */
static scalay_status NAME(list_arcs)(scalay_energy_search *search, int all, NAME(residues) * state)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_break_solution *solution = &search->solution;
    const int64_t left = solution->fractional_share;
    state->moves = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 2, MAX_ARCS, sizeof *state->arc, &state->arc));
    SCALAY_TRY(scalay_energy_scratch(search, 3, MAX_ARCS, sizeof *state->arc_cost, &state->arc_cost));
    for (int64_t k = 0; !all && k < search->moves.count; k++) {
        const scalay_energy_move *move = &search->moves.move[k];
        const scalay_wide cost = scalay_move_cost(search, move);
        if (move->share == left || solution->share[move->share].group != solution->share[left].group)
            NAME(add_arc)(search, state, move->share, move->index, cost < (scalay_wide)NONE ? (COST)cost : NONE);
    }
    for (int64_t k = 0; all && k < solution->break_shares; k++) {
        if (k != left && solution->share[k].group == solution->share[left].group) continue;
        const int64_t last = scalay_energy_last_index(search, solution->share[k].group);
        NAME(list)(search, state, k, 0, last + 1);
        for (int64_t x = 0; x <= last; x++) NAME(add_arc)(search, state, k, x, state->listed[x]);
    }
cleanup:
    return status;
}

/* The best known moves: those that lead to a residue, and the cheapest move of the rest. */
static void NAME(finish_at)(NAME(residues) * state, int64_t at)
{
    const int64_t rest = residue_of(state->modulus, state->target - at);
    const COST cost = state->distance[at] + (rest == 0 ? 0 : state->cost[rest]);
    if (cost >= state->best) return;
    state->best = cost;
    state->meeting[0] = at;
    state->meeting[1] = rest;
    state->meeting[2] = 0;
}

/* Dijkstra's algorithm with moves to sizes that are not interior. One other move may follow. The two moves of start()
 * remain the result if nothing is cheaper. */
static void NAME(find_path_by_arcs)(NAME(residues) * state, chosen_moves *chosen)
{
    state->distance[0] = 0;
    for (int64_t at = 0;;) {
        NAME(finish_at)(state, at);
        for (int64_t k = 0; k < state->moves; k++) {
            const COST cost = state->distance[at] + state->arc_cost[k];
            const int64_t to = residue_of(state->modulus, at + state->arc[k].residue);
            if (cost >= state->best || cost >= state->distance[to]) continue;
            const int64_t position = state->distance[to] < NONE ? state->position[to] : state->in_heap++;
            state->distance[to] = cost;
            state->last[to] = k;
            HEAP(sift_up)(state, state->heap, position, to);
        }
        if (state->in_heap == 0) break;
        at = HEAP(pop)(state, state->heap, &state->in_heap);
        if (state->distance[at] >= state->best) break;
    }
    chosen->count = 0;
    if (state->best >= NONE) return;
    for (int k = 1; k <= 2; k++) {
        const int64_t residue = state->meeting[k];
        if (residue == 0) continue;
        chosen->share[chosen->count] = state->share[residue];
        chosen->index[chosen->count++] = state->index[residue];
    }
    for (int64_t at = state->meeting[0]; at != 0;) {
        const arc *last = &state->arc[state->last[at]];
        chosen->share[chosen->count] = last->share;
        chosen->index[chosen->count++] = last->index;
        at = residue_of(state->modulus, at - last->residue);
    }
}

/* Finds the path by arcs if they are few and the moves are many; *found is 0 otherwise. */
static scalay_status NAME(try_arcs)(scalay_energy_search *search, int all, NAME(residues) * state, chosen_moves *chosen,
                                    int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t moves = state->moves;
    *found = 0;
    if (moves <= MANY_MOVES) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_find_exchanges(search, found));
    if (*found) SCALAY_TRY(NAME(list_arcs)(search, all, state));
    *found = *found && state->moves <= MAX_ARCS;
    if (*found)
        NAME(find_path_by_arcs)(state, chosen);
    else
        state->moves = moves;
cleanup:
    return status;
}

/* The cheapest moves of the deficit's residue, of all sizes or of the listed moves; *bound is negative if there are
 * none. */
static scalay_status NAME(solve)(scalay_energy_search *search, int all, scalay_wide *bound, chosen_moves *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    NAME(residues) state;
    SCALAY_TRY(NAME(allocate)(search, &state));
    if (all) {
        NAME(offer_all)(search, &state);
    } else {
        NAME(offer_moves)(search, &state);
        NAME(start)(&state);
    }
    int by_arcs = 0;
    NAME(list_residues)(&state);
    chosen->share = state.path;
    chosen->index = state.path + 2 * state.modulus + 2;
    SCALAY_TRY(NAME(try_arcs)(search, all, &state, chosen, &by_arcs));
    if (!by_arcs) {
        NAME(sort)(&state);
        NAME(find_path)(&state, &chosen->count);
    }
    *bound = state.best >= NONE ? -1 : (scalay_wide)state.best;
    for (int64_t k = 0; k < chosen->count && !by_arcs; k++) {
        const int64_t residue = state.path[k];
        chosen->share[k] = state.share[residue];
        chosen->index[k] = state.index[residue];
    }
cleanup:
    return status;
}
