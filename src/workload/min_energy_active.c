/*
 * Minimum energy with a given number of active processors, exactly or at most.
 *
 * One group: that many identical processors; "exactly": none of them is idle.
 *
 * Several groups: Lagrangian relaxation. Each active processor is charged, and the charge is chosen so that the relaxed
 * problem has the given number among its optima (Newton's method). In the relaxed problem one processor may be between
 * the ends of a hull's edge. Its optimum is a lower bound for every number of active processors, see
 * scalay_bound_min_energy_active(). A break solution near n and near the given number follows. Moves change its sum by
 * pairs (size, active processors): shortest paths find the cheapest moves if each may be made any number of times. A
 * path that stays near the straight line from the start to the target suffices (Steinitz's lemma in two dimensions,
 * Grinberg and Sevastyanov 1980). If some shares have too few processors for the path, they are left out; a path
 * without them that costs no more is optimal too. Otherwise tables of sums of pairs decide (min_energy_sums.c).
 *
 * "At most": slack processors are charged, get nothing, and fill the number up.
 *
 * Cost: hulls for each charge, mostly fewer than ten, then O(w a + w log w) for a moves, at most 6 span, and a window
 * of w, about 4 span times 5. Memory: O(w).
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum {
    MAX_CHARGES = 200, /* every charge leads to an optimum, a good one faster */
    MAX_SCALE = 1 << 21,
    BISECTIONS = 60,
    WINDOW_FACTOR = 4 /* the window of paths may have so many times the entries of kept tables */
};

static const scalay_wide NO_COST = (scalay_wide)1 << 124;

/* Charges and scales are at most this. */
static const scalay_wide MAX_CHARGE = (scalay_wide)1 << 59;

/* ---------------------------------------------------------------------------------------------- relaxed problem */

/* An optimum of the relaxed problem: energy and active processors, times `length`. */
typedef struct {
    scalay_wide energy;
    scalay_wide active;
    int64_t length;
} relaxed_point;

/* The optimum with the current hulls: processors fill the critical edges one after the other. */
static relaxed_point sum_relaxed(const scalay_energy_search *search)
{
    relaxed_point sum = {0, 0, 1};
    scalay_wide deficit = search->n;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        const int64_t multiplicity = scalay_energy_multiplicity(search, j);
        const int64_t at = hull->vertex[hull->at].index;
        deficit -= scalay_wide_product(multiplicity, at);
        sum.energy += scalay_wide_product(multiplicity, search->problem->group[j].energy[at]);
        sum.active += at > 0 ? multiplicity : 0;
    }
    for (int j = 0; j < search->problem->groups && deficit > 0; j++) {
        const scalay_hull *hull = &search->hull[j];
        const int64_t *energy = search->problem->group[j].energy;
        const int64_t multiplicity = scalay_energy_multiplicity(search, j);
        const int64_t from = hull->vertex[hull->at].index;
        const int64_t to = hull->vertex[scalay_energy_last_vertex(search, j)].index;
        if (to == from) continue;
        const int64_t filled = deficit / (to - from) < multiplicity ? (int64_t)(deficit / (to - from)) : multiplicity;
        deficit -= scalay_wide_product(filled, to - from);
        sum.energy += scalay_wide_product(filled, energy[to] - energy[from]);
        sum.active += from == 0 ? filled : 0;
        if (filled == multiplicity || deficit == 0) continue;
        sum.length = to - from;
        sum.energy = sum.energy * sum.length + deficit * (energy[to] - energy[from]);
        sum.active = sum.active * sum.length + (from == 0 ? deficit : 0);
        break;
    }
    return sum;
}

/* The optimum of the relaxed problem at a charge. */
static scalay_status relax(scalay_energy_search *search, int64_t scale, int64_t charge, relaxed_point *found)
{
    scalay_status status = SCALAY_SUCCESS;
    int feasible = 0;
    search->scale = scale;
    search->charge = charge;
    SCALAY_TRY(scalay_energy_search_start(search));
    SCALAY_TRY(scalay_energy_find_multiplier(search, &feasible));
    *found = sum_relaxed(search);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- the charge */

static scalay_wide gcd_wide(scalay_wide a, scalay_wide b)
{
    if (a < 0) a = -a;
    while (b != 0) {
        const scalay_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The last convergent of a fraction with bounded terms: the fraction itself if it is close to one with a small
 * denominator. The integer below, if already the first term is too large. */
static void approximate(scalay_wide *numerator, scalay_wide *denominator, scalay_wide max_denominator)
{
    scalay_wide a = *numerator;
    scalay_wide b = *denominator;
    scalay_wide p[2] = {1, 0};
    scalay_wide q[2] = {0, 1};
    while (b != 0) {
        const scalay_wide whole = a / b - (a % b < 0);
        const scalay_wide next_p = whole * p[0] + p[1];
        const scalay_wide next_q = whole * q[0] + q[1];
        if (next_q > max_denominator || next_p > MAX_CHARGE || -next_p > MAX_CHARGE) break;
        p[1] = p[0];
        q[1] = q[0];
        p[0] = next_p;
        q[0] = next_q;
        const scalay_wide rest = a - whole * b;
        a = b;
        b = rest;
    }
    *numerator = q[0] > 0 ? p[0] : a / b - (a % b < 0);
    *denominator = q[0] > 0 ? q[0] : 1;
}

/* Sets the charge at which two points cost the same; returns 0 if it is rounded to a scale of at most `max_scale`. */
static int set_charge_between(scalay_energy_search *search, const relaxed_point *fewer, const relaxed_point *more,
                              int64_t max_scale)
{
    scalay_wide scale = more->active * fewer->length - fewer->active * more->length;
    scalay_wide charge = fewer->energy * more->length - more->energy * fewer->length;
    const scalay_wide divisor = gcd_wide(charge, scale);
    if (search->max_energy > 0 && max_scale > MAX_CHARGE / search->max_energy)
        max_scale = (int64_t)(MAX_CHARGE / search->max_energy);
    scale /= divisor;
    charge /= divisor;
    const int is_exact = scale <= max_scale && charge <= MAX_CHARGE && -charge <= MAX_CHARGE;
    if (!is_exact) approximate(&charge, &scale, scalay_max_int64(max_scale, 1));
    search->scale = (int64_t)scale;
    search->charge = (int64_t)charge;
    return is_exact;
}

/* 1 if a point costs less than another one at the current charge. */
static int is_cheaper(const scalay_energy_search *search, const relaxed_point *point, const relaxed_point *other)
{
    const scalay_wide cost = point->energy * search->scale + point->active * search->charge;
    const scalay_wide other_cost = other->energy * search->scale + other->active * search->charge;
    return cost * other->length < other_cost * point->length;
}

/* Finds the charge at which the relaxed problem has the given number of active processors among its optima. */
static scalay_status find_charge(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    relaxed_point fewer;
    relaxed_point more;
    relaxed_point at;
    SCALAY_TRY(relax(search, 0, 1, &fewer));
    SCALAY_TRY(relax(search, 0, -1, &more));
    search->scale = 1;
    search->charge = 0;
    for (int charges = 0; charges < MAX_CHARGES; charges++) {
        if (fewer.active * more.length >= more.active * fewer.length) break;
        const int is_exact = set_charge_between(search, &fewer, &more, MAX_SCALE);
        SCALAY_TRY(relax(search, search->scale, search->charge, &at));
        if (!is_exact && (!is_cheaper(search, &at, &fewer) || !is_cheaper(search, &at, &more))) {
            /* The right charge follows from the slopes of two edges, or of an edge and a size. So its scale is at most
             * the span. A convergent with such a scale that differs by less than rounding is the right charge. */
            (void)set_charge_between(search, &fewer, &more, search->span);
            SCALAY_TRY(relax(search, search->scale, search->charge, &at));
        }
        if (!is_cheaper(search, &at, &fewer) || !is_cheaper(search, &at, &more)) break;
        if (at.active < (scalay_wide)search->target.active * at.length)
            fewer = at;
        else
            more = at;
    }
cleanup:
    return status;
}

scalay_status scalay_bound_min_energy_active(const scalay_problem *problem, int64_t active, scalay_active_bound *bound,
                                             int *is_known)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search search = {0};
    relaxed_point at;
    *is_known = 0;
    SCALAY_TRY(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    search.target = (scalay_active_target){.is_given = 1, .active = active};
    SCALAY_TRY(find_charge(&search));
    if (search.scale < 1) goto cleanup;
    SCALAY_TRY(relax(&search, search.scale, search.charge, &at));
    /* Energies and charges may nearly cancel: summed in integers. */
    const scalay_wide sum = at.energy * search.scale + at.active * search.charge;
    bound->charge = (double)search.charge / (double)search.scale;
    bound->at_none = (double)sum / ((double)search.scale * (double)at.length);
    *is_known = 1;
cleanup:
    scalay_energy_search_free(&search);
    return status;
}

/* --------------------------------------------------------------------------------------------- break solution */

/* The vertices of a group that the multiplier touches, and processors at them. */
typedef struct {
    int group;
    int64_t idle; /* vertex of size 0; -1: not touched */
    int64_t low;  /* vertices of the other sizes; -1: none */
    int64_t high;
    int64_t smallest; /* their indices */
    int64_t largest;
    int64_t multiplicity;
    int64_t active_if_small; /* active processors in the choice with the smallest sum */
    int64_t active_if_large; /* active processors in the choice with the largest sum */
    int64_t active;
    int64_t at_high; /* active processors at the vertex `high` */
} face;

static face make_face(const scalay_energy_search *search, int group)
{
    const scalay_hull *hull = &search->hull[group];
    const int64_t last = scalay_energy_last_vertex(search, group);
    face of = {.group = group, .idle = -1, .low = hull->at, .high = last};
    of.multiplicity = scalay_energy_multiplicity(search, group);
    if (hull->vertex[hull->at].index == 0) {
        of.idle = hull->at;
        of.low = last > hull->at ? hull->at + 1 : -1;
    } else {
        of.active_if_small = of.active_if_large = of.multiplicity;
    }
    if (of.low >= 0) {
        of.smallest = hull->vertex[of.low].index;
        of.largest = hull->vertex[of.high].index;
    }
    return of;
}

static int by_smallest(const void *a, const void *b)
{
    return scalay_compare_int64(((const face *)a)->smallest, ((const face *)b)->smallest);
}

static int by_largest(const void *a, const void *b)
{
    return scalay_compare_int64(((const face *)b)->largest, ((const face *)a)->largest);
}

/* 1 if processors of the group may be idle or active. */
static int is_free(const face *of)
{
    return of->idle >= 0 && of->low >= 0;
}

/* Chooses the active processors with the smallest sizes, and those with the largest sizes. */
static void choose_extremes(face *faces, int groups, int64_t active)
{
    for (int j = 0; j < groups; j++)
        if (!is_free(&faces[j])) active -= faces[j].active_if_small;
    active = scalay_max_int64(active, 0);
    int64_t left = active;
    qsort(faces, (size_t)groups, sizeof *faces, by_largest);
    for (int j = 0; j < groups; j++)
        if (is_free(&faces[j])) left -= faces[j].active_if_large = scalay_min_int64(left, faces[j].multiplicity);
    left = active;
    qsort(faces, (size_t)groups, sizeof *faces, by_smallest);
    for (int j = 0; j < groups; j++)
        if (is_free(&faces[j])) left -= faces[j].active_if_small = scalay_min_int64(left, faces[j].multiplicity);
}

/* Sum of the sizes at a fraction of the way from the smallest to the largest choice. */
static double sum_at(const face *faces, int groups, double fraction)
{
    double sum = 0.0;
    for (int j = 0; j < groups; j++) {
        const face *of = &faces[j];
        const double active =
            (double)of->active_if_small + (double)(of->active_if_large - of->active_if_small) * fraction;
        sum += active * ((double)of->smallest + (double)(of->largest - of->smallest) * fraction);
    }
    return sum;
}

/* Rounds to processors. Those lost by rounding are added to groups that have some left. */
static void round_choice(face *faces, int groups, double fraction)
{
    int64_t left = 0;
    for (int j = 0; j < groups; j++) {
        face *of = &faces[j];
        const int64_t least = scalay_min_int64(of->active_if_small, of->active_if_large);
        const int64_t most = scalay_max_int64(of->active_if_small, of->active_if_large);
        const int64_t between =
            of->active_if_small + (int64_t)((double)(of->active_if_large - of->active_if_small) * fraction);
        of->active = scalay_max_int64(least, scalay_min_int64(between, most));
        left += of->active_if_small - of->active;
    }
    for (int j = 0; j < groups; j++) {
        face *of = &faces[j];
        if (is_free(of)) {
            const int64_t added = scalay_max_int64(-of->active, scalay_min_int64(left, of->multiplicity - of->active));
            of->active += added;
            left -= added;
        }
        of->at_high = of->low == of->high ? 0 : scalay_min_int64(of->active, (int64_t)((double)of->active * fraction));
    }
}

static void choose_processors(face *faces, int groups, int64_t n, int64_t active)
{
    double low = 0.0;
    double high = 1.0;
    choose_extremes(faces, groups, active);
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (low + high);
        if (sum_at(faces, groups, middle) <= (double)n)
            low = middle;
        else
            high = middle;
    }
    round_choice(faces, groups, low);
}

/* Number of steps of a length, from `least` to `most`, that reduce a deficit. */
static int64_t steps_of(int64_t deficit, int64_t length, int64_t least, int64_t most)
{
    return length == 0 ? 0 : scalay_max_int64(least, scalay_min_int64(deficit / length, most));
}

/* Reduces the deficit: active processors move between groups, then along their edges. */
static void reduce_deficit(face *faces, int groups, int64_t *deficit)
{
    for (int i = 0; i < groups; i++)
        for (int j = 0; j < i; j++) {
            face *a = &faces[i];
            face *b = &faces[j];
            if (!is_free(a) || !is_free(b)) continue;
            const int64_t length = a->smallest - b->smallest;
            const int64_t least = -scalay_min_int64(a->active - a->at_high, b->multiplicity - b->active);
            const int64_t most = scalay_min_int64(b->active - b->at_high, a->multiplicity - a->active);
            const int64_t steps = steps_of(*deficit, length, least, most);
            a->active += steps;
            b->active -= steps;
            *deficit -= steps * length;
        }
    for (int j = 0; j < groups; j++) {
        const int64_t length = faces[j].largest - faces[j].smallest;
        const int64_t steps = steps_of(*deficit, length, -faces[j].at_high, faces[j].active - faces[j].at_high);
        faces[j].at_high += steps;
        *deficit -= steps * length;
    }
}

static scalay_status add_face(scalay_energy_search *search, const face *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t idle = of->multiplicity - of->active;
    const int64_t at_low = of->active - of->at_high;
    if (idle > 0) SCALAY_TRY(scalay_energy_add_share(search, of->group, of->idle, idle));
    if (at_low > 0) SCALAY_TRY(scalay_energy_add_share(search, of->group, of->low, at_low));
    if (of->at_high > 0) SCALAY_TRY(scalay_energy_add_share(search, of->group, of->high, of->at_high));
cleanup:
    return status;
}

scalay_status scalay_energy_break_active(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    face *faces = NULL;
    const int groups = search->problem->groups;
    scalay_wide deficit = search->n;
    SCALAY_TRY(scalay_energy_scratch(search, 0, groups, sizeof *faces, &faces));
    for (int j = 0; j < groups; j++) faces[j] = make_face(search, j);
    choose_processors(faces, groups, search->n, search->target.active);
    search->solution.active_deficit = search->target.active;
    for (int j = 0; j < groups; j++) {
        deficit -= scalay_wide_product(faces[j].active, faces[j].smallest);
        deficit -= scalay_wide_product(faces[j].at_high, faces[j].largest - faces[j].smallest);
        search->solution.active_deficit -= faces[j].active;
    }
    search->solution.deficit = (int64_t)deficit;
    reduce_deficit(faces, groups, &search->solution.deficit);
    for (int j = 0; j < groups; j++) SCALAY_TRY(add_face(search, &faces[j]));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- shortest paths */

/* An entry of the window. */
typedef struct {
    scalay_wide cost;
    int64_t last;     /* move that leads to the entry */
    int64_t position; /* in the heap; -1: not in it yet */
} pair_entry;

/* A move with its reduced cost. */
typedef struct {
    const scalay_energy_move *move;
    scalay_wide cost;
} priced_move;

/* Sums of pairs: columns are sizes, rows are active processors. */
typedef struct {
    int64_t low;
    int64_t low_rise;
    int64_t columns;
    int64_t rows;
    int64_t target;
    int64_t origin;
    pair_entry *entry; /* shape [rows][columns] */
    int64_t *heap;     /* shape [in_heap]: entries by cost */
    int64_t in_heap;
    priced_move *order; /* shape [moves]: by cost */
    int64_t moves;
    int64_t *is_short; /* shape [break shares]: 1 if the share is left out */
} pair_window;

#define BINARY_HEAP_NAME pair_heap
#define BINARY_HEAP_ENTRY int64_t
#define BINARY_HEAP_OWNER pair_window
#define BINARY_HEAP_BEFORE(owner, a, b) ((owner)->entry[a].cost < (owner)->entry[b].cost)
#define BINARY_HEAP_MOVED(owner, member, place) ((owner)->entry[member].position = (place))
#include "base/binary_heap_worker.h"

/* The straight line from the start to the target, and two moves on all sides; 0 if that is too much. */
static int find_window(const scalay_energy_search *search, pair_window *window)
{
    const int64_t deficit = search->solution.deficit;
    const int64_t rise = search->solution.active_deficit;
    const int64_t max_entries = WINDOW_FACTOR * search->max_entries;
    *window = (pair_window){0};
    if ((deficit < 0 ? -deficit : deficit) / 2 > max_entries || (rise < 0 ? -rise : rise) / 2 > max_entries ||
        search->span > max_entries)
        return 0;
    window->low = scalay_min_int64(0, deficit) - 2 * search->span;
    window->low_rise = scalay_min_int64(0, rise) - 2;
    window->columns = scalay_max_int64(0, deficit) + 2 * search->span + 1 - window->low;
    window->rows = scalay_max_int64(0, rise) + 3 - window->low_rise;
    window->origin = -window->low_rise * window->columns - window->low;
    window->target = window->origin + rise * window->columns + deficit;
    return window->columns <= max_entries / window->rows;
}

static int by_cost(const void *a, const void *b)
{
    const priced_move *x = a;
    const priced_move *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? 1 : -1;
    return (x->move > y->move) - (x->move < y->move);
}

/* 1 if a move is better than the best one of its sum so far: cheaper, or of a share with more processors. */
static int is_better(const scalay_energy_search *search, const scalay_energy_move *move, scalay_wide cost,
                     const priced_move *best)
{
    const scalay_energy_share *share = search->solution.share;
    if (best->move == NULL || cost != best->cost) return best->move == NULL || cost < best->cost;
    return share[move->share].count > share[best->move->share].count;
}

/* Lists the cheapest move of each sum, by cost, without those of shares that are left out. */
static scalay_status order_moves(scalay_energy_search *search, pair_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t width = 2 * search->span + 1;
    SCALAY_TRY(scalay_energy_scratch(search, 3, 3 * width, sizeof *window->order, &window->order));
    for (int64_t k = 0; k < 3 * width; k++) window->order[k] = (priced_move){NULL, 0};
    for (int64_t k = 0; k < search->moves.count; k++) {
        const scalay_energy_move *move = &search->moves.move[k];
        if (window->is_short[move->share] || (move->length == 0 && move->rise == 0)) continue;
        const scalay_wide cost = scalay_move_cost(search, move);
        priced_move *best = &window->order[(move->rise + 1) * width + search->span + move->length];
        if (is_better(search, move, cost, best)) *best = (priced_move){move, cost};
    }
    window->moves = 0;
    for (int64_t k = 0; k < 3 * width; k++)
        if (window->order[k].move != NULL) window->order[window->moves++] = window->order[k];
    qsort(window->order, (size_t)window->moves, sizeof *window->order, by_cost);
cleanup:
    return status;
}

static scalay_status clear_window(scalay_energy_search *search, pair_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t entries = window->columns * window->rows;
    SCALAY_TRY(scalay_energy_scratch(search, 1, entries, sizeof *window->entry, &window->entry));
    SCALAY_TRY(scalay_energy_scratch(search, 2, entries + 1, sizeof *window->heap, &window->heap));
    for (int64_t k = 0; k < entries; k++) window->entry[k] = (pair_entry){NO_COST, -1, -1};
    window->in_heap = 0;
cleanup:
    return status;
}

/* Relaxes the arcs from an entry. */
static void relax_entry(pair_window *window, int64_t at, scalay_wide budget)
{
    const int64_t row = at / window->columns;
    const int64_t column = at % window->columns;
    for (int64_t k = 0; k < window->moves; k++) {
        const scalay_energy_move *move = window->order[k].move;
        const scalay_wide cost = window->entry[at].cost + window->order[k].cost;
        if (cost > budget || cost >= window->entry[window->target].cost) break;
        const int64_t to_row = row + move->rise;
        const int64_t to_column = column + move->length;
        if (to_row < 0 || to_row >= window->rows || to_column < 0 || to_column >= window->columns) continue;
        pair_entry *to = &window->entry[to_row * window->columns + to_column];
        if (cost >= to->cost) continue;
        to->cost = cost;
        to->last = k;
        pair_heap_sift_up(window, window->heap, to->position < 0 ? window->in_heap++ : to->position,
                          to_row * window->columns + to_column);
    }
}

/* Dijkstra's algorithm from no moves to the deficit. */
static scalay_status find_path(scalay_energy_search *search, pair_window *window, scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(order_moves(search, window));
    SCALAY_TRY(clear_window(search, window));
    window->entry[window->origin].cost = 0;
    for (int64_t at = window->origin; at != window->target;
         at = pair_heap_pop(window, window->heap, &window->in_heap)) {
        relax_entry(window, at, budget);
        if (window->in_heap == 0) break;
    }
cleanup:
    return status;
}

/* Finds the cheapest path with growing budgets; the target's cost is NO_COST if there is none. */
static scalay_status find_bound(scalay_energy_search *search, pair_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    for (scalay_wide budget = scalay_energy_first_budget(search);; budget *= 4) {
        SCALAY_TRY(scalay_energy_list_moves(search, budget));
        SCALAY_TRY(find_path(search, window, search->moves.complete ? NO_COST : budget));
        if (search->moves.complete || window->entry[window->target].cost < NO_COST) break;
    }
cleanup:
    return status;
}

static const scalay_energy_move *last_move(const pair_window *window, int64_t at)
{
    return window->order[window->entry[at].last].move;
}

static int64_t entry_before(const pair_window *window, int64_t at)
{
    const scalay_energy_move *move = last_move(window, at);
    return at - move->rise * window->columns - move->length;
}

/* Leaves out the shares that have too few processors for the path; *is_sufficient is 1 if there are none. */
static scalay_status check_shares(scalay_energy_search *search, pair_window *window, int *is_sufficient)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_break_solution *solution = &search->solution;
    int64_t *used = NULL;
    SCALAY_TRY(scalay_energy_scratch(search, 4, solution->break_shares, sizeof *used, &used));
    for (int64_t k = 0; k < solution->break_shares; k++) used[k] = 0;
    *is_sufficient = 1;
    for (int64_t at = window->target; at != window->origin; at = entry_before(window, at)) {
        const int64_t share = last_move(window, at)->share;
        if (++used[share] <= solution->share[share].count) continue;
        window->is_short[share] = 1;
        *is_sufficient = 0;
    }
cleanup:
    return status;
}

static scalay_status take_path(scalay_energy_search *search, const pair_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t at = window->target; at != window->origin; at = entry_before(window, at))
        SCALAY_TRY(scalay_energy_take(search, last_move(window, at)->share, last_move(window, at)->index, 1));
cleanup:
    return status;
}

scalay_status scalay_energy_pairs(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t shares = search->solution.break_shares;
    pair_window window;
    int is_sufficient = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (!find_window(search, &window)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(search, 5, shares, sizeof *window.is_short, &window.is_short));
    for (int64_t k = 0; k < shares; k++) window.is_short[k] = 0;
    SCALAY_TRY(find_bound(search, &window));
    *bound = window.entry[window.target].cost;
    if (*bound >= NO_COST) *verdict = SCALAY_ENERGY_NONE;
    for (int64_t tries = 0; *verdict == SCALAY_ENERGY_UNKNOWN && tries <= shares; tries++) {
        SCALAY_TRY(check_shares(search, &window, &is_sufficient));
        if (is_sufficient) {
            SCALAY_TRY(take_path(search, &window));
            search->gap = (double)*bound / (double)search->solution.slope.length;
            *verdict = SCALAY_ENERGY_FOUND;
            break;
        }
        SCALAY_TRY(find_path(search, &window, *bound));
        if (window.entry[window.target].cost > *bound) break;
    }
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------- solving */

/* Energy without scale and charge, and active processors, of the shares. */
static scalay_point sum_of(const scalay_energy_search *search)
{
    scalay_point sum = {0.0, 0, 0};
    for (int64_t k = 0; k < search->solution.shares; k++) {
        const scalay_energy_share *share = &search->solution.share[k];
        if (share->index == 0) continue;
        sum.energy += share->count * search->problem->group[share->group].energy[share->index];
        sum.active += share->count;
    }
    return sum;
}

/* The optimum when an active processor's energy counts as scale * energy + charge. */
static scalay_status solve_charged(scalay_energy_search *search, int64_t scale, int64_t charge, int *feasible,
                                   scalay_point *found)
{
    scalay_status status = SCALAY_SUCCESS;
    search->scale = scale;
    search->charge = charge;
    search->gap = -1.0;
    SCALAY_TRY(scalay_energy_search_start(search));
    SCALAY_TRY(scalay_energy_search_solve(search, feasible));
    if (*feasible) *found = sum_of(search);
cleanup:
    return status;
}

/* The optimum with the fewest (direction 1) or the most (-1) active processors: by their number, then by energy. */
static scalay_status solve_extreme(scalay_energy_search *search, int direction, int *feasible, scalay_point *found)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(solve_charged(search, 0, direction, feasible, found));
    if (*feasible) SCALAY_TRY(solve_charged(search, 1, direction * (found->energy + 1), feasible, found));
cleanup:
    return status;
}

/* The optimum with the given number, from moves at the right charge. */
static scalay_status solve_given(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    search->target.is_given = 1;
    search->target.active = active;
    search->target.slack_processors = exactly ? 0 : active;
    search->gap = -1.0;
    SCALAY_TRY(find_charge(search));
    if (!exactly && search->charge < 0) search->charge = 0;
    SCALAY_TRY(scalay_energy_search_start(search));
    SCALAY_TRY(scalay_energy_search_solve(search, feasible));
cleanup:
    return status;
}

static scalay_status solve_groups(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_point best = {0.0, 0, 0};
    scalay_point extreme = {0.0, 0, 0};
    SCALAY_TRY(solve_charged(search, 1, 0, feasible, &best));
    if (!*feasible || best.active == active || (!exactly && best.active < active)) return SCALAY_SUCCESS;
    const int direction = active < best.active ? 1 : -1;
    SCALAY_TRY(solve_extreme(search, direction, feasible, &extreme));
    if (extreme.active == active) return SCALAY_SUCCESS;
    *feasible = direction > 0 ? extreme.active < active : extreme.active > active;
    if (*feasible) SCALAY_TRY(solve_given(search, active, exactly, feasible));
cleanup:
    return status;
}

static scalay_status solve_identical(scalay_energy_search *search, int64_t active, int exactly, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t multiplicity = search->problem->group[0].multiplicity;
    *feasible = 0;
    if (exactly && active > multiplicity) return SCALAY_SUCCESS;
    search->multiplicity = scalay_min_int64(active, multiplicity);
    search->min_index = exactly && active > 0;
    SCALAY_TRY(scalay_energy_search_start(search));
    SCALAY_TRY(scalay_energy_search_solve(search, feasible));
cleanup:
    return status;
}

/* The energy that all sizes have in common; -1: energies differ. */
static int64_t common_energy(const scalay_problem *problem)
{
    int64_t energy = -1;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= problem->group[j].largest; x++) {
            if (problem->group[j].energy[x] == SCALAY_NO_ENERGY) continue;
            if (energy >= 0 && problem->group[j].energy[x] != energy) return -1;
            energy = problem->group[j].energy[x];
        }
    return energy;
}

/* The same problem with squares of sizes as energies: they lead to even sizes, constant energies give no direction. */
static scalay_status make_squares(const scalay_problem *problem, scalay_problem *squares, int64_t **energy)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t elements = 0;
    *squares = *problem;
    squares->group = NULL;
    for (int j = 0; j < problem->groups; j++) elements += problem->group[j].largest + 1;
    SCALAY_TRY(SCALAY_NEW(*energy, elements));
    SCALAY_TRY(SCALAY_NEW(squares->group, problem->groups));
    int64_t *next = *energy;
    for (int j = 0; j < problem->groups; j++) {
        squares->group[j] = problem->group[j];
        squares->group[j].energy = next;
        squares->group[j].whole = NULL;
        for (int64_t x = 0; x <= problem->group[j].largest; x++)
            *next++ = problem->group[j].energy[x] == SCALAY_NO_ENERGY ? SCALAY_NO_ENERGY : x * x;
    }
cleanup:
    return status;
}

static int squares_fit(const scalay_problem *problem)
{
    double largest = 0.0;
    for (int j = 0; j < problem->groups; j++) largest = fmax(largest, (double)problem->group[j].largest);
    return largest * (double)problem->n < 0x1p60;
}

static scalay_status solve(const scalay_problem *problem, int64_t active, int exactly, int accepts_any, int *feasible,
                           scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search search = {0};
    SCALAY_TRY(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    search.target.accepts_any = accepts_any;
    SCALAY_TRY(problem->groups == 1 ? solve_identical(&search, active, exactly, feasible)
                                    : solve_groups(&search, active, exactly, feasible));
    if (*feasible) SCALAY_TRY(scalay_energy_write(&search, distribution));
cleanup:
    scalay_energy_search_free(&search);
    return status;
}

scalay_status scalay_solve_min_energy_active(const scalay_problem *problem, int64_t active, int exactly,
                                             int64_t *energy, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_problem squares = {0};
    int64_t *square = NULL;
    scalay_distribution own = {0};
    scalay_distribution *found = distribution != NULL ? distribution : &own;
    int feasible = 0;
    *energy = SCALAY_NO_ENERGY;
    scalay_distribution_clear(found);
    if (!problem->divisible || problem->groups == 0) goto cleanup;
    const int accepts_any = problem->groups > 1 && exactly && common_energy(problem) >= 0 && squares_fit(problem);
    if (accepts_any) SCALAY_TRY(make_squares(problem, &squares, &square));
    SCALAY_TRY(solve(accepts_any ? &squares : problem, active, exactly, accepts_any, &feasible, found));
    if (feasible) *energy = scalay_distribution_energy(problem, found);
cleanup:
    scalay_release(squares.group);
    scalay_release(square);
    scalay_distribution_free(&own);
    return status;
}
