/*
 * Moves whose sums have two components, size and active processors, when any number of each may be made: the cheapest
 * path from no moves to what the base lacks. Moves that add up to that can be ordered so that they stay within two
 * moves' reach of the straight way (Steinitz's lemma in two dimensions, Grinberg and Sevastyanov 1980), so a small
 * window is enough, whatever the number of processors. The answer is a bound; where there are enough processors of
 * each lot it is best of all. When there are not, the short lots are left out: what costs no more than the bound is
 * best as well.
 *
 * Cost: O(w a + w log w) for a window of w, about 4 span times 5, and a moves, at most 6 span; usually far less.
 */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/pile.h"
#include "workload/min_energy.h"

/* A window may be so many times the sums that are kept elsewhere. */
enum { MORE_CELLS = 4 };

static const scalay_wide NONE = (scalay_wide)1 << 124;

/* A cell of the window. */
typedef struct {
    scalay_wide cost;
    int64_t last;  /* the move that leads here */
    int64_t place; /* in the pile; -1: not there yet */
} cell;

typedef struct {
    int64_t low;  /* sums */
    int64_t fall; /* active processors */
    int64_t columns;
    int64_t rows;
    int64_t target;
    int64_t origin;
    cell *cell;
    scalay_pile pile;                 /* of cells */
    const scalay_energy_move **order; /* shape [moves]: by cost */
    int64_t moves;
} window;

static int by_cost(const void *a, const void *b)
{
    const scalay_energy_move *x = *(const scalay_energy_move *const *)a;
    const scalay_energy_move *y = *(const scalay_energy_move *const *)b;
    if (x->cost != y->cost) return x->cost > y->cost ? 1 : -1;
    return (x > y) - (x < y);
}

/* The cheapest move of each sum, by cost; lots marked as short are left out. */
static scalay_status list_moves(scalay_energy_search *search, const int64_t *is_short, window *made)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t width = 2 * search->span + 1;
    SCALAY_TRY(scalay_energy_scratch(search, 3, 3 * width, sizeof *made->order, &made->order));
    for (int64_t k = 0; k < 3 * width; k++) made->order[k] = NULL;
    for (int64_t k = 0; k < search->moves; k++) {
        const scalay_energy_move *move = &search->move[k];
        if (is_short[move->lot] || (move->move == 0 && move->rise == 0)) continue;
        const scalay_energy_move **best = &made->order[(move->rise + 1) * width + search->span + move->move];
        if (*best == NULL || move->cost < (*best)->cost ||
            (move->cost == (*best)->cost && search->lot[move->lot].copies > search->lot[(*best)->lot].copies))
            *best = move;
    }
    made->moves = 0;
    for (int64_t k = 0; k < 3 * width; k++)
        if (made->order[k] != NULL) made->order[made->moves++] = made->order[k];
    qsort(made->order, (size_t)made->moves, sizeof *made->order, by_cost);
cleanup:
    return status;
}

static scalay_status make_window(scalay_energy_search *search, window *made)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t cells = made->columns * made->rows;
    SCALAY_TRY(scalay_energy_scratch(search, 1, cells, sizeof *made->cell, &made->cell));
    SCALAY_TRY(scalay_energy_scratch(search, 2, cells + 1, sizeof *made->pile.member, &made->pile.member));
    for (int64_t k = 0; k < cells; k++) made->cell[k] = (cell){NONE, -1, -1};
    made->pile.count = 0;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ the search */

static int is_cheaper(const void *of, int64_t first, int64_t second)
{
    const window *made = of;
    return made->cell[first].cost < made->cell[second].cost;
}

static void note_place(void *of, int64_t member, int64_t place)
{
    ((window *)of)->cell[member].place = place;
}

static void look_around(window *made, int64_t at, scalay_wide budget)
{
    int64_t row = at / made->columns;
    int64_t column = at % made->columns;
    for (int64_t k = 0; k < made->moves; k++) {
        const scalay_energy_move *move = made->order[k];
        scalay_wide cost = made->cell[at].cost + move->cost;
        if (cost > budget || cost >= made->cell[made->target].cost) break;
        int64_t to_row = row + move->rise;
        int64_t to_column = column + move->move;
        if (to_row < 0 || to_row >= made->rows || to_column < 0 || to_column >= made->columns) continue;
        int64_t to = to_row * made->columns + to_column;
        if (cost >= made->cell[to].cost) continue;
        made->cell[to].cost = cost;
        made->cell[to].last = k;
        const int64_t place = made->cell[to].place < 0 ? made->pile.count++ : made->cell[to].place;
        scalay_pile_raise(&made->pile, place, to, made, is_cheaper, note_place);
    }
}

/* Dijkstra's algorithm; the target's cost, or NONE. */
static scalay_status search_path(scalay_energy_search *search, const int64_t *is_short, window *made,
                                 scalay_wide budget)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(list_moves(search, is_short, made));
    SCALAY_TRY(make_window(search, made));
    made->cell[made->origin].cost = 0;
    for (int64_t at = made->origin; at != made->target;
         at = scalay_pile_take(&made->pile, made, is_cheaper, note_place)) {
        look_around(made, at, budget);
        if (made->pile.count == 0) break;
    }
cleanup:
    return status;
}

static int64_t step_back(const window *made, int64_t at)
{
    const scalay_energy_move *move = made->order[made->cell[at].last];
    return at - move->rise * made->columns - move->move;
}

/* Marks lots that have fewer processors than the path needs; 1: there is none. */
static scalay_status check(scalay_energy_search *search, const window *made, int64_t *is_short, int *is_enough)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *used = NULL;
    SCALAY_TRY(scalay_energy_scratch(search, 4, search->base_lots, sizeof *used, &used));
    for (int64_t k = 0; k < search->base_lots; k++) used[k] = 0;
    *is_enough = 1;
    for (int64_t at = made->target; at != made->origin; at = step_back(made, at)) {
        int64_t lot = made->order[made->cell[at].last]->lot;
        if (++used[lot] <= search->lot[lot].copies) continue;
        is_short[lot] = 1;
        *is_enough = 0;
    }
cleanup:
    return status;
}

static scalay_status take_path(scalay_energy_search *search, const window *made)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t at = made->target; at != made->origin; at = step_back(made, at)) {
        const scalay_energy_move *move = made->order[made->cell[at].last];
        SCALAY_TRY(scalay_energy_take(search, move->lot, move->index, 1));
    }
cleanup:
    return status;
}

/* What the base lacks, and two moves on all sides. */
static int find_window(const scalay_energy_search *search, window *made)
{
    int64_t missing = search->missing;
    int64_t far = (missing < 0 ? -missing : missing) / 2;
    int64_t up = (search->rising < 0 ? -search->rising : search->rising) / 2;
    const int64_t most = MORE_CELLS * search->most_cells;
    *made = (window){0};
    if (far > most || up > most || search->span > most) return 0;
    made->low = scalay_min_int64(0, missing) - 2 * search->span;
    made->fall = scalay_min_int64(0, search->rising) - 2;
    made->columns = scalay_max_int64(0, missing) + 2 * search->span + 1 - made->low;
    made->rows = scalay_max_int64(0, search->rising) + 3 - made->fall;
    made->origin = -made->fall * made->columns - made->low;
    made->target = made->origin + search->rising * made->columns + missing;
    return made->columns <= most / made->rows;
}

/* The cheapest path, with budgets that grow until it is within one; NONE: there is none at all. */
static scalay_status find_bound(scalay_energy_search *search, const int64_t *is_short, window *made,
                                scalay_wide *budget)
{
    scalay_status status = SCALAY_SUCCESS;
    for (*budget = scalay_energy_first_budget(search);; *budget *= 4) {
        SCALAY_TRY(scalay_energy_collect(search, *budget));
        SCALAY_TRY(search_path(search, is_short, made, *budget));
        if (made->cell[made->target].cost < NONE) break;
        if (search->complete) {
            *budget = NONE;
            SCALAY_TRY(search_path(search, is_short, made, *budget));
            break;
        }
    }
cleanup:
    return status;
}

scalay_status scalay_energy_pairs(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    window made;
    int64_t *is_short = NULL;
    scalay_wide budget = 0;
    int is_enough = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (!find_window(search, &made)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(search, 5, search->base_lots, sizeof *is_short, &is_short));
    for (int64_t k = 0; k < search->base_lots; k++) is_short[k] = 0;
    SCALAY_TRY(find_bound(search, is_short, &made, &budget));
    *bound = made.cell[made.target].cost;
    if (*bound >= NONE) *verdict = SCALAY_ENERGY_NONE;
    for (int64_t tries = 0; *verdict == SCALAY_ENERGY_UNKNOWN && tries <= search->base_lots; tries++) {
        SCALAY_TRY(check(search, &made, is_short, &is_enough));
        if (is_enough) {
            SCALAY_TRY(take_path(search, &made));
            search->gap = (double)*bound / (double)search->slope.length;
            *verdict = SCALAY_ENERGY_FOUND;
            break;
        }
        SCALAY_TRY(search_path(search, is_short, &made, *bound));
        if (made.cell[made.target].cost > *bound) break;
    }
cleanup:
    return status;
}
