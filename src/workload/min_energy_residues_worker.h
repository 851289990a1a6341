/* Moves modulo the length of the open edge, for one type of costs. The including file defines COST, NONE (more than any
   cost, and twice that fits) and NAME(verb). No include guard: it is included once per type. */

/* The cheapest move of every residue, and a search for the cheapest multiset of moves that has a given one. */
typedef struct {
    int64_t modulus;
    int64_t target;
    COST *cost;     /* shape [modulus]: of the cheapest move of a residue */
    COST *distance; /* shape [modulus]: of the cheapest moves that add up to a residue, so far */
    int64_t *lot;   /* shape [modulus]: of the move */
    int64_t *index; /* shape [modulus]: of the move */
    int64_t *last;  /* shape [modulus]: the residue of the last of those moves */
    int64_t *order; /* shape [moves]: residues by ascending cost of their move */
    int64_t *heap;  /* shape [members]: residues, by distance */
    int64_t *place; /* shape [modulus]: in the heap */
    int64_t moves;
    int64_t members;
    COST best;          /* of the target, so far */
    int64_t meeting[3]; /* a residue, a move, and another residue that make the target at that cost */
} NAME(residues);

static scalay_status NAME(allocate)(scalay_energy_search *search, NAME(residues) * made)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t modulus = search->open_edge;
    int64_t *whole = NULL;
    *made = (NAME(residues)){.modulus = modulus, .target = search->missing % modulus};
    SCALAY_TRY(scalay_energy_scratch(search, 1, 2 * modulus, sizeof *made->cost, &made->cost));
    SCALAY_TRY(scalay_energy_scratch(search, 2, 6 * modulus, sizeof *whole, &whole));
    made->distance = made->cost + modulus;
    made->lot = whole;
    made->index = whole + modulus;
    made->last = whole + 2 * modulus;
    made->order = whole + 3 * modulus;
    made->heap = whole + 4 * modulus;
    made->place = whole + 5 * modulus;
    for (int64_t r = 0; r < modulus; r++) made->cost[r] = made->distance[r] = NONE;
cleanup:
    return status;
}

/* Of moves that cost the same, a shorter one needs less to make up for it. */
static void NAME(offer)(const scalay_energy_search *search, NAME(residues) * made, int64_t residue, COST cost,
                        int64_t lot, int64_t index)
{
    if (cost > made->cost[residue]) return;
    if (cost == made->cost[residue]) {
        int64_t move = index - search->lot[lot].index;
        int64_t known = made->index[residue] - search->lot[made->lot[residue]].index;
        if ((move < 0 ? -move : move) >= (known < 0 ? -known : known)) return;
    }
    made->cost[residue] = cost;
    made->lot[residue] = lot;
    made->index[residue] = index;
}

/* Sizes `first` to `end` - 1 of a lot, of one residue each. */
static void NAME(offer_block)(const scalay_energy_search *search, NAME(residues) * made, int64_t lot, const COST *cost,
                              int64_t first, int64_t end)
{
    const int64_t move = first - search->lot[lot].index;
    const int64_t residue = (move % made->modulus + made->modulus) % made->modulus;
    if (first < end) NAME(keep_least)
    (made->cost + residue, made->index + residue, made->lot + residue, cost + first, end - first, first, lot);
}

/* All sizes of a lot, from its own outwards: of moves that cost the same, a shorter one needs less to make up for it.
 */
static scalay_status NAME(offer_lot)(scalay_energy_search *search, NAME(residues) * made, int64_t lot)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_energy_lot *from = &search->lot[lot];
    const int64_t end = scalay_min_int64(search->problem->group[from->group].largest, search->n) + 1;
    const int64_t furthest = scalay_max_int64(from->index, end - from->index);
    COST *cost = NULL;
    SCALAY_TRY(scalay_energy_scratch(search, 4, end, sizeof *cost, &cost));
    NAME(list_costs)(search, from, end, cost);
    if (scalay_energy_least(search, from->group) > 0) cost[0] = NONE;
    for (int64_t done = 0; done < furthest; done += made->modulus) {
        const int64_t up = from->index + done;
        const int64_t down = from->index - done;
        NAME(offer_block)(search, made, lot, cost, up, scalay_min_int64(up + made->modulus, end));
        NAME(offer_block)(search, made, lot, cost, scalay_max_int64(down - made->modulus, 0), down);
    }
cleanup:
    return status;
}

/* All sizes of all groups; the open group's two lots have the same costs and residues. */
static scalay_status NAME(offer_all)(scalay_energy_search *search, NAME(residues) * made)
{
    scalay_status status = SCALAY_SUCCESS;
    int open_group = search->lot[search->open_lot].group;
    for (int64_t k = 0; k < search->base_lots; k++)
        if (k == search->open_lot || search->lot[k].group != open_group) SCALAY_TRY(NAME(offer_lot)(search, made, k));
cleanup:
    return status;
}

/* The moves that were collected. */
static void NAME(offer_moves)(const scalay_energy_search *search, NAME(residues) * made)
{
    int open_group = search->lot[search->open_lot].group;
    for (int64_t k = 0; k < search->moves; k++) {
        const scalay_energy_move *move = &search->move[k];
        if (move->lot != search->open_lot && search->lot[move->lot].group == open_group) continue;
        int64_t residue = move->move % made->modulus;
        NAME(offer)
        (search, made, residue < 0 ? residue + made->modulus : residue, (COST)move->cost, move->lot, move->index);
    }
}

/* The target by one move or two. */
static void NAME(start)(NAME(residues) * made)
{
    made->best = made->cost[made->target];
    made->meeting[1] = made->target;
    for (int64_t r = 1, rest = made->target - 1; r < made->modulus; r++, rest--) {
        if (rest < 0) rest += made->modulus;
        if (made->cost[r] + made->cost[rest] >= made->best) continue;
        made->best = made->cost[r] + made->cost[rest];
        made->meeting[1] = r;
        made->meeting[2] = rest;
        made->last[rest] = rest;
    }
}

/* Sorts the residues whose moves can matter: Shell's sort. */
static void NAME(sort)(NAME(residues) * made)
{
    made->moves = 0;
    for (int64_t r = 1; r < made->modulus; r++) {
        made->order[made->moves] = r;
        made->moves += made->cost[r] < made->best;
    }
    for (int64_t gap = made->moves / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < made->moves; i++) {
            int64_t moved = made->order[i];
            int64_t k = i;
            for (; k >= gap && made->cost[made->order[k - gap]] > made->cost[moved]; k -= gap)
                made->order[k] = made->order[k - gap];
            made->order[k] = moved;
        }
}

static void NAME(put)(NAME(residues) * made, int64_t place, int64_t residue)
{
    made->heap[place] = residue;
    made->place[residue] = place;
}

/* Moves a residue up in the heap. */
static void NAME(raise)(NAME(residues) * made, int64_t residue)
{
    int64_t place = made->place[residue];
    for (; place > 0; place = (place - 1) / 2) {
        int64_t parent = made->heap[(place - 1) / 2];
        if (made->distance[parent] <= made->distance[residue]) break;
        NAME(put)(made, place, parent);
    }
    NAME(put)(made, place, residue);
}

static int64_t NAME(pop)(NAME(residues) * made)
{
    int64_t top = made->heap[0];
    int64_t sunk = made->heap[--made->members];
    int64_t place = 0;
    if (made->members == 0) return top;
    for (;;) {
        int64_t child = 2 * place + 1;
        if (child >= made->members) break;
        if (child + 1 < made->members && made->distance[made->heap[child + 1]] < made->distance[made->heap[child]])
            child++;
        if (made->distance[made->heap[child]] >= made->distance[sunk]) break;
        NAME(put)(made, place, made->heap[child]);
        place = child;
    }
    NAME(put)(made, place, sunk);
    return top;
}

/* Writes the moves that lead from 0 to a residue. */
static int64_t NAME(walk)(const NAME(residues) * made, int64_t residue, int64_t *path, int64_t steps)
{
    for (; residue != 0; residue = (residue - made->last[residue] + made->modulus) % made->modulus)
        path[steps++] = made->last[residue];
    return steps;
}

/* Dijkstra's search from 0. The residues look the same from everywhere, so one search serves both ends: a cheapest
 * multiset is one that costs at most half, a move, and another that costs at most half. path: shape [2 modulus]. */
static COST NAME(shortest)(NAME(residues) * made, int64_t *path, int64_t *steps)
{
    COST best = made->best;
    int64_t *meeting = made->meeting;
    int64_t at = 0;
    for (int64_t r = 0; r < made->modulus; r++) made->place[r] = -1;
    made->distance[0] = 0;
    for (;;) {
        for (int64_t k = 0; k < made->moves; k++) {
            int64_t move = made->order[k];
            COST cost = made->distance[at] + made->cost[move];
            if (cost >= best) break;
            int64_t to = at + move < made->modulus ? at + move : at + move - made->modulus;
            int64_t rest = made->target >= to ? made->target - to : made->target - to + made->modulus;
            if (cost + made->distance[rest] < best) {
                best = cost + made->distance[rest];
                meeting[0] = at;
                meeting[1] = move;
                meeting[2] = rest;
            }
            if (cost >= made->distance[to] || 2 * cost >= best) continue;
            made->distance[to] = cost;
            made->last[to] = move;
            if (made->place[to] < 0) made->place[to] = made->members++;
            NAME(raise)(made, to);
        }
        if (made->members == 0) break;
        at = NAME(pop)(made);
        if (2 * made->distance[at] >= best) break;
    }
    *steps = 0;
    if (best >= NONE) return NONE;
    path[(*steps)++] = meeting[1];
    *steps = NAME(walk)(made, meeting[0], path, *steps);
    *steps = NAME(walk)(made, meeting[2], path, *steps);
    return best;
}

/* The cheapest moves, of all or of those collected: bound negative when there are none, else a list of residues. */
static scalay_status NAME(solve)(scalay_energy_search *search, int all, scalay_wide *bound, choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    NAME(residues) made;
    int64_t *path = NULL;
    SCALAY_TRY(NAME(allocate)(search, &made));
    SCALAY_TRY(scalay_energy_scratch(search, 3, 4 * made.modulus + 4, sizeof *path, &path));
    if (all)
        SCALAY_TRY(NAME(offer_all)(search, &made));
    else
        NAME(offer_moves)(search, &made);
    NAME(start)(&made);
    NAME(sort)(&made);
    COST best = NAME(shortest)(&made, path, &chosen->steps);
    *bound = best >= NONE ? -1 : (scalay_wide)best;
    chosen->lot = path;
    chosen->index = path + 2 * made.modulus + 2;
    for (int64_t k = 0; k < chosen->steps; k++) {
        int64_t residue = path[k];
        chosen->lot[k] = made.lot[residue];
        chosen->index[k] = made.index[residue];
    }
cleanup:
    return status;
}
