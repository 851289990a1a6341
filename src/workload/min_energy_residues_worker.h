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
    int64_t *place; /* shape [modulus]: in the pile */
    int64_t *path;  /* shape [4 modulus + 4]: what has been found */
    COST *listed;   /* shape [span + 1]: what the sizes of a lot cost */
    int64_t moves;
    scalay_pile pile;   /* of residues */
    COST best;          /* of the target, so far */
    int64_t meeting[3]; /* a residue, a move, and another residue that make the target at that cost */
} NAME(residues);

/* All in one piece: costs, then whole numbers. */
static scalay_status NAME(allocate)(scalay_energy_search *search, NAME(residues) * made)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t modulus = search->open_edge;
    const int64_t costs = 2 * modulus + search->span + 1;
    const int64_t numbers = 10 * modulus + 4;
    *made = (NAME(residues)){.modulus = modulus, .target = search->missing % modulus};
    SCALAY_TRY(scalay_energy_scratch(search, 1, costs + numbers, sizeof(COST), &made->cost));
    made->distance = made->cost + modulus;
    made->listed = made->cost + 2 * modulus;
    made->lot = (int64_t *)(void *)(made->cost + costs);
    made->index = made->lot + modulus;
    made->last = made->lot + 2 * modulus;
    made->order = made->lot + 3 * modulus;
    made->pile.member = made->lot + 4 * modulus;
    made->place = made->lot + 5 * modulus;
    made->path = made->lot + 6 * modulus;
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

/* Lists what sizes `first` to `end` - 1 of a lot cost. */
static void NAME(list)(const scalay_energy_search *search, NAME(residues) * made, int64_t lot, int64_t first,
                       int64_t end)
{
    const scalay_energy_lot *from = &search->lot[lot];
    if (first >= end) return;
    NAME(list_costs)(search, from, first, end, made->listed + first);
    if (first == 0 && scalay_energy_least(search, from->group) > 0) made->listed[0] = NONE;
}

/* Sizes `first` to `end` - 1 of a lot that are listed, of one residue each. */
static void NAME(offer_block)(const scalay_energy_search *search, NAME(residues) * made, int64_t lot, int64_t first,
                              int64_t end)
{
    if (first >= end) return;
    const int64_t residue = scalay_energy_class(made->modulus, first - search->lot[lot].index);
    NAME(keep_least)
    (made->cost + residue, made->index + residue, made->lot + residue, made->listed + first, end - first, first, lot);
}

static int64_t NAME(end_of_near)(const scalay_energy_search *search, const NAME(residues) * made, int64_t lot)
{
    const scalay_energy_lot *from = &search->lot[lot];
    const int64_t largest = search->problem->group[from->group].largest;
    return scalay_min_int64(from->index + made->modulus, scalay_min_int64(largest, search->n) + 1);
}

/* Sizes from a lot's own upwards, one for each residue. */
static void NAME(offer_near)(const scalay_energy_search *search, NAME(residues) * made, int64_t lot)
{
    const int64_t index = search->lot[lot].index;
    const int64_t end = NAME(end_of_near)(search, made, lot);
    NAME(list)(search, made, lot, index, end);
    NAME(offer_block)(search, made, lot, index, end);
}

/* The other sizes of a lot, as far as they can cost less than what is known, from its own outwards: of moves that cost
 * the same, a shorter one needs less to make up for it. */
static void NAME(offer_far)(const scalay_energy_search *search, NAME(residues) * made, int64_t lot)
{
    const int64_t modulus = made->modulus;
    const int64_t index = search->lot[lot].index;
    const int64_t low = scalay_hull_reach(search, lot, -1, made->best);
    const int64_t end = scalay_hull_reach(search, lot, 1, made->best) + 1;
    NAME(list)(search, made, lot, low, index);
    NAME(list)(search, made, lot, index + modulus, end);
    int64_t down = index;
    int64_t up = index + modulus;
    for (; down > low || up < end; down -= modulus, up += modulus) {
        NAME(offer_block)(search, made, lot, scalay_max_int64(down - modulus, low), down);
        NAME(offer_block)(search, made, lot, up, scalay_min_int64(up + modulus, end));
    }
}

/* A pair of residues from `first` to `last` that add up to a sum, where it is better than what is known. */
static void NAME(try_pairs)(NAME(residues) * made, int64_t first, int64_t last, int64_t sum)
{
    const COST *cost = made->cost;
    COST best = made->best;
    int64_t found = 0;
    for (int64_t r = first; r <= last; r++) {
        if (cost[r] + cost[sum - r] >= best) continue;
        best = cost[r] + cost[sum - r];
        found = r;
    }
    if (found == 0) return;
    made->best = best;
    made->meeting[1] = found;
    made->meeting[2] = sum - found;
    made->last[sum - found] = sum - found;
}

/* The target by one move or two. */
static void NAME(start)(NAME(residues) * made)
{
    made->best = made->cost[made->target];
    made->meeting[1] = made->target;
    made->meeting[2] = 0;
    NAME(try_pairs)(made, 1, made->target / 2, made->target);
    NAME(try_pairs)(made, made->target + 1, (made->target + made->modulus) / 2, made->target + made->modulus);
}

/* All sizes of all groups that can matter; the open group's two lots have the same costs and residues. */
static void NAME(offer_all)(const scalay_energy_search *search, NAME(residues) * made)
{
    const int open_group = search->lot[search->open_lot].group;
    NAME(offer_near)(search, made, search->open_lot);
    NAME(start)(made);
    for (int64_t k = 0; k < search->base_lots; k++) {
        if (k != search->open_lot && search->lot[k].group == open_group) continue;
        if (k != search->open_lot) NAME(offer_near)(search, made, k);
        NAME(offer_far)(search, made, k);
    }
    NAME(start)(made);
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

/* Sorts the residues whose moves can matter: Shell's sort. */
static void NAME(sort)(NAME(residues) * made)
{
    const COST *cost = made->cost;
    const COST best = made->best;
    int64_t *order = made->order;
    int64_t moves = 0;
    for (int64_t r = 1; r < made->modulus; r++)
        if (cost[r] < best) order[moves++] = r;
    for (int64_t gap = moves / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < moves; i++) {
            const int64_t moved = order[i];
            int64_t k = i;
            for (; k >= gap && cost[order[k - gap]] > cost[moved]; k -= gap) order[k] = order[k - gap];
            order[k] = moved;
        }
    made->moves = moves;
}

static int NAME(is_nearer)(const void *of, int64_t first, int64_t second)
{
    const COST *distance = ((const NAME(residues) *)of)->distance;
    return distance[first] < distance[second];
}

static void NAME(note_place)(void *of, int64_t member, int64_t place)
{
    ((NAME(residues) *)of)->place[member] = place;
}

/* Writes the moves that lead from 0 to a residue. */
static int64_t NAME(walk)(const NAME(residues) * made, int64_t residue, int64_t *path, int64_t steps)
{
    for (; residue != 0; residue = (residue - made->last[residue] + made->modulus) % made->modulus)
        path[steps++] = made->last[residue];
    return steps;
}

/* Dijkstra's search from 0. The residues look the same from everywhere, so one search serves both ends: a cheapest
 * multiset is one that costs at most half, a move, and another that costs at most half. */
static COST NAME(shortest)(NAME(residues) * made, int64_t *steps)
{
    int64_t *path = made->path;
    COST best = made->best;
    int64_t *meeting = made->meeting;
    int64_t at = 0;
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
            const int64_t place = made->distance[to] < NONE ? made->place[to] : made->pile.count++;
            made->distance[to] = cost;
            made->last[to] = move;
            scalay_pile_raise(&made->pile, place, to, made, NAME(is_nearer), NAME(note_place));
        }
        if (made->pile.count == 0) break;
        at = scalay_pile_take(&made->pile, made, NAME(is_nearer), NAME(note_place));
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
static scalay_status NAME(solve)(scalay_energy_search *search, int all, scalay_wide *bound,
                                 scalay_energy_choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    NAME(residues) made;
    SCALAY_TRY(NAME(allocate)(search, &made));
    if (all) {
        NAME(offer_all)(search, &made);
    } else {
        NAME(offer_moves)(search, &made);
        NAME(start)(&made);
    }
    NAME(sort)(&made);
    COST best = NAME(shortest)(&made, &chosen->steps);
    *bound = best >= NONE ? -1 : (scalay_wide)best;
    chosen->lot = made.path;
    chosen->index = made.path + 2 * made.modulus + 2;
    for (int64_t k = 0; k < chosen->steps; k++) {
        int64_t residue = made.path[k];
        chosen->lot[k] = made.lot[residue];
        chosen->index[k] = made.index[residue];
    }
cleanup:
    return status;
}
