/*
 * Least energy with few moves: best distributions mostly take a handful of processors away from the base, however many
 * there are. All choices of moves that cost at most half a budget are listed. A choice of moves within the budget
 * consists of its dearest move and two choices of the list, of which the cheaper one costs at most half of what the
 * budget leaves after that move: dealt out by descending cost, always to the choice that has cost less so far, the
 * other moves make two that differ by no more than one of them. So we go through cheap choices and moves that can be
 * added, and look up in the list what is still missing.
 *
 * Choices that add up to the same are all kept, as they may need the same processors. Moves that cost nothing (from one
 * end of the critical edge to the other) are no part of choices: all that they can add up to is tried.
 *
 * Cost: O(c a) for c choices, at most MOST_CHOICES, and a moves; mostly far less. Where there are more choices, other
 * ways are faster.
 */
#include <string.h>

#include "core/integer.h"
#include "core/memory.h"
#include "workload/min_energy.h"

enum {
    MOST_CHOICES = 512,
    PLACE_BITS = 11, /* of a table of choices by their sums */
    PLACES = 1 << PLACE_BITS,
    MOST_STEPS = 512,
    MOST_MOVES = 2 * MOST_STEPS,
    MOST_SHIFTS = 32,
    LEAST_LOOKS = 256,
    CELLS_PER_LOOK = 256,
    LOOKS_PER_CHOICE = 16,
    PAIRS_PER_CHOICE = 2,
    MOST_PAUSES = 64,
    FURTHEST = 1024,
    MOST_COPIES = 64
};

static const int64_t NONE = INT64_C(1) << 61;

/* What the next solution of a front costs, at most, mostly, beside the last. */
static const double KNOWN = 1.0;

/* A move. */
typedef struct {
    int64_t cost;
    int64_t sum;
    int32_t move;
    int32_t lot;
} step;

/* Some steps: one after others that come no later. */
typedef struct {
    int64_t cost;
    int64_t sum;
    int16_t step;
    int16_t before; /* the choice that it was added to; -1: none */
    int16_t next;   /* another choice of the same sum; -1: none */
} choice;

/* A cheap choice, the dearest step, another choice, and a choice of free steps. */
typedef struct {
    int64_t first;
    int64_t step;
    int64_t last;
    int64_t shift;
} selection;

typedef struct {
    const scalay_energy_lot *lot;
    int64_t near; /* the lot of the open edge */
    int64_t far;  /* the one at its other end; -1: there is none */
    int64_t target;
    int64_t budget;
    int64_t free;  /* steps that cost nothing: the first ones */
    int64_t steps; /* by ascending cost */
    int64_t shifts;
    int64_t choices;
    int64_t looks; /* that may be taken */
    int64_t best;  /* the least cost so far */
    selection chosen;
    step step[MOST_STEPS];
    choice shift[MOST_SHIFTS]; /* choices of free steps */
    choice choice[MOST_CHOICES];
    int16_t at[PLACES]; /* the last choice of a sum, plus 1; 0: free */
} work;

/* ------------------------------------------------------------------------------------------------------ steps */

static void sort_steps(work *w)
{
    for (int64_t gap = w->steps / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < w->steps; i++) {
            const step moved = w->step[i];
            int64_t k = i;
            for (; k >= gap && w->step[k - gap].cost > moved.cost; k -= gap) w->step[k] = w->step[k - gap];
            w->step[k] = moved;
        }
}

/* Whether a move of the lot at the far end of the open edge is one of the near lot, and back. */
static int is_double(const work *w, const scalay_energy_move *move)
{
    return move->lot == w->far && move->index != w->lot[w->near].index;
}

/* 0: there are too many. */
static int list_steps(const scalay_energy_search *search, work *w)
{
    w->steps = 0;
    w->free = 0;
    if (search->moves > MOST_MOVES) return 0;
    for (int64_t k = 0; k < search->moves; k++) {
        const scalay_energy_move *move = &search->move[k];
        if (is_double(w, move)) continue;
        if (w->steps == MOST_STEPS) return 0;
        w->step[w->steps++] = (step){(int64_t)move->cost, move->move, (int32_t)k, (int32_t)move->lot};
        w->free += move->cost == 0;
    }
    sort_steps(w);
    return 1;
}

/* Processors of a lot that can move; those of the far lot can come to the near one first. */
static int64_t copies_at(const work *w, int64_t lot)
{
    return w->lot[lot].copies + (lot == w->near && w->far >= 0 ? w->lot[w->far].copies : 0);
}

/* Processors of a lot that make moves of a choice. */
static int64_t copies_in(const work *w, const choice *of, int64_t at, int64_t lot)
{
    int64_t copies = 0;
    for (; of[at].before >= 0; at = of[at].before) copies += w->step[of[at].step].lot == lot;
    return copies;
}

static int64_t distance(int64_t sum)
{
    return sum < 0 ? -sum : sum;
}

/* Otherwise a table of sums would be gone through for every step and processor, vector by vector, more than once where
 * the sums are far apart. */
static int64_t most_looks(const work *w)
{
    int64_t furthest = 0;
    int64_t steps = 0;
    for (int64_t s = 0; s < w->steps; s++) {
        furthest = scalay_max_int64(furthest, distance(w->step[s].sum));
        steps += scalay_min_int64(w->lot[w->step[s].lot].copies, MOST_COPIES);
    }
    furthest = scalay_min_int64(furthest, FURTHEST);
    return LEAST_LOOKS + steps * furthest * furthest / CELLS_PER_LOOK;
}

/* ---------------------------------------------------------------------------------------------------- choices */

/* Where a sum is looked for first. */
static int64_t home(int64_t sum)
{
    return (int64_t)((uint64_t)sum * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PLACE_BITS));
}

/* Where a sum is, or would be. */
static int64_t find_place(const work *w, int64_t sum)
{
    int64_t place = home(sum);
    while (w->at[place] != 0 && w->choice[w->at[place] - 1].sum != sum) place = (place + 1) % PLACES;
    return place;
}

static void add_choice(work *w, choice made)
{
    const int64_t place = find_place(w, made.sum);
    made.next = (int16_t)(w->at[place] - 1);
    w->choice[w->choices] = made;
    w->at[place] = (int16_t)++w->choices;
}

/* Whether pairs of steps up to a cost are alone too many, though some may be of one processor. */
static int are_many_pairs(const work *w, int64_t most, int64_t room)
{
    int64_t pairs = 0;
    int64_t end = w->steps;
    for (int64_t s = w->free; s < end; s++) {
        while (end > s && w->step[s].cost + w->step[end - 1].cost > most) end--;
        pairs += end - s;
    }
    return pairs > PAIRS_PER_CHOICE * room;
}

/* Lists all choices up to a cost; 0: there are too many. */
static int list_choices(int64_t most, work *w)
{
    const int64_t room = scalay_min_int64(MOST_CHOICES, w->looks / LOOKS_PER_CHOICE);
    if (are_many_pairs(w, most, room)) return 0;
    memset(w->at, 0, sizeof w->at);
    w->choices = 0;
    add_choice(w, (choice){0, 0, (int16_t)w->free, -1, -1});
    for (int64_t k = 0; k < w->choices; k++) {
        const choice from = w->choice[k];
        for (int64_t s = from.step; s < w->steps && from.cost + w->step[s].cost <= most; s++) {
            const step *made = &w->step[s];
            if (copies_in(w, w->choice, k, made->lot) >= copies_at(w, made->lot)) continue;
            if (w->choices >= room) return 0;
            add_choice(w, (choice){from.cost + made->cost, from.sum + made->sum, (int16_t)s, (int16_t)k, -1});
        }
    }
    return 1;
}

/* How far the steps of a choice within the budget can lead. */
static int64_t find_reach(const work *w)
{
    int64_t reach = 0;
    int64_t furthest = 0;
    for (int64_t k = 0; k < w->choices; k++) furthest = scalay_max_int64(furthest, distance(w->choice[k].sum));
    for (int64_t s = w->free; s < w->steps; s++) reach = scalay_max_int64(reach, distance(w->step[s].sum));
    return reach + 2 * furthest;
}

/* Whether a choice of free steps has one that leads back, so that both can be left out. A step of the far lot is more
 * than that beside one of any lot but the near one: it brings a processor to where others are wanted. */
static int leads_back(const work *w, int64_t at, const step *made)
{
    for (; w->shift[at].before >= 0; at = w->shift[at].before) {
        const step *other = &w->step[w->shift[at].step];
        if (other->sum != -made->sum) continue;
        const int far = made->lot == w->far || other->lot == w->far;
        const int near = made->lot == w->near || other->lot == w->near;
        if (!far || near) return 1;
    }
    return 0;
}

/* Whether all free steps are of one length, so that choices of them go one way. */
static int have_one_length(const work *w)
{
    for (int64_t s = 0; s < w->free; s++) {
        const int is_other = w->step[s].lot != w->near && w->step[s].lot != w->far;
        if (distance(w->step[s].sum) != distance(w->step[0].sum) || (w->far >= 0 && is_other)) return 0;
    }
    return 1;
}

/* Lists the choices of free steps; those that go one way are needed no further than others can lead. 0: there are too
 * many. */
static int list_shifts(work *w)
{
    const int64_t reach = find_reach(w) + distance(w->target);
    const int one_length = have_one_length(w);
    w->shift[0] = (choice){0, 0, 0, -1, -1};
    w->shifts = 1;
    for (int64_t k = 0; k < w->shifts; k++) {
        const choice from = w->shift[k];
        for (int64_t s = from.step; s < w->free; s++) {
            const step *made = &w->step[s];
            const int64_t sum = from.sum + made->sum;
            if (copies_in(w, w->shift, k, made->lot) >= copies_at(w, made->lot)) continue;
            if (leads_back(w, k, made) || (one_length && distance(sum) > reach)) continue;
            if (w->shifts == MOST_SHIFTS) return 0;
            w->shift[w->shifts++] = (choice){0, sum, (int16_t)s, (int16_t)k, -1};
        }
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------- the search */

static int64_t copies_of(const work *w, const selection *of, int64_t lot)
{
    return copies_in(w, w->choice, of->first, lot) + copies_in(w, w->choice, of->last, lot) +
           copies_in(w, w->shift, of->shift, lot) + (of->step >= 0 && w->step[of->step].lot == lot);
}

/* Whether a lot has the processors, and the lots of a choice. */
static int lot_is_enough(const work *w, const selection *of, int64_t lot)
{
    const int64_t copies = copies_of(w, of, lot);
    if (lot == w->near && w->far >= 0) return copies <= w->lot[lot].copies + copies_of(w, of, w->far);
    return copies <= w->lot[lot].copies;
}

static int lots_are_enough(const work *w, const selection *of, const choice *in, int64_t at)
{
    for (; in[at].before >= 0; at = in[at].before)
        if (!lot_is_enough(w, of, w->step[in[at].step].lot)) return 0;
    return 1;
}

static int is_enough(const work *w, const selection *of)
{
    return lot_is_enough(w, of, w->step[of->step].lot) && lots_are_enough(w, of, w->choice, of->first) &&
           lots_are_enough(w, of, w->choice, of->last) && lots_are_enough(w, of, w->shift, of->shift);
}

/* Completes a cheap choice, a step and a choice of free steps. */
static void look_up(work *w, selection made, int64_t sum, int64_t cost)
{
    for (int64_t at = w->at[find_place(w, sum)] - 1; at >= 0; at = w->choice[at].next) {
        made.last = at;
        if (cost + w->choice[at].cost >= w->best || !is_enough(w, &made)) continue;
        w->best = cost + w->choice[at].cost;
        w->chosen = made;
    }
}

/* Finds the cheapest steps, right when they are within the budget; 0: there are too many to choose from. */
static int choose(work *w)
{
    int64_t looks = w->looks;
    w->best = NONE;
    for (int64_t k = 0; k < w->choices; k++) {
        const choice *cheap = &w->choice[k];
        const int64_t most = w->budget - 2 * cheap->cost;
        int64_t end = w->free;
        while (end < w->steps && w->step[end].cost <= most) end++;
        looks -= (end - w->free) * w->shifts;
        if (looks < 0) return 0;
        for (int64_t i = 0; i < w->shifts; i++) {
            const int64_t left = w->target - w->shift[i].sum - cheap->sum;
            for (int64_t s = w->free; s < end; s++)
                if (w->at[home(left - w->step[s].sum)] != 0)
                    look_up(w, (selection){k, s, 0, i}, left - w->step[s].sum, cheap->cost + w->step[s].cost);
        }
    }
    return 1;
}

/* A processor of the far lot joins the near one: others leave it. */
static scalay_status take_step(scalay_energy_search *search, const work *w, const step *made)
{
    if (made->lot != w->far) return scalay_energy_take(search, made->lot, search->move[made->move].index, 1);
    search->lot[w->far].copies--;
    search->lot[w->near].copies++;
    return SCALAY_SUCCESS;
}

static scalay_status take_steps(scalay_energy_search *search, const work *w, const choice *in, int64_t at)
{
    scalay_status status = SCALAY_SUCCESS;
    for (; in[at].before >= 0; at = in[at].before) SCALAY_TRY(take_step(search, w, &w->step[in[at].step]));
cleanup:
    return status;
}

static scalay_status take_chosen(scalay_energy_search *search, const work *w)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(take_steps(search, w, w->choice, w->chosen.first));
    SCALAY_TRY(take_steps(search, w, w->choice, w->chosen.last));
    SCALAY_TRY(take_steps(search, w, w->shift, w->chosen.shift));
    SCALAY_TRY(take_step(search, w, &w->step[w->chosen.step]));
cleanup:
    return status;
}

/* Moves that all cost nothing lead to the target. */
static scalay_status take_shift(scalay_energy_search *search, const work *w, int *taken)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t i = 0; i < w->shifts && !*taken; i++) {
        if (w->shift[i].sum != w->target || !lots_are_enough(w, &(selection){0, -1, 0, i}, w->shift, i)) continue;
        SCALAY_TRY(take_steps(search, w, w->shift, i));
        *taken = 1;
    }
cleanup:
    return status;
}

/* The cheapest moves, if there are not too many. */
static int try_budget(const scalay_energy_search *search, scalay_wide budget, work *w)
{
    w->budget = (int64_t)budget;
    if (!list_steps(search, w)) return 0;
    w->looks = most_looks(w);
    return list_choices(w->budget / 2, w) && list_shifts(w) && choose(w);
}

static void start_work(const scalay_energy_search *search, work *w)
{
    const int64_t next = search->open_lot + 1;
    w->lot = search->lot;
    w->target = search->missing;
    w->near = search->open_lot;
    w->far = -1;
    if (w->near >= 0 && next < search->base_lots && w->lot[next].group == w->lot[w->near].group) w->far = next;
}

scalay_status scalay_energy_few(scalay_energy_search *search, scalay_wide *bound, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    const double known = KNOWN * search->gap * (double)search->slope.length;
    scalay_wide budget = search->gap >= 0.0 ? (scalay_wide)known + 1 : scalay_energy_first_budget(search);
    work *w = NULL;
    int found = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (search->counted || !search->fits) return SCALAY_SUCCESS;
    if (search->pauses > 0 && search->pause++ % search->pauses != 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_scratch(search, 7, 1, sizeof *w, &w));
    start_work(search, w);
    if (budget < *bound) budget = *bound;
    while (!found && budget < NONE / 4) {
        SCALAY_TRY(scalay_energy_collect(search, budget));
        if (!try_budget(search, budget, w)) break;
        SCALAY_TRY(take_shift(search, w, &found));
        if (found) w->best = 0;
        if (!found && w->best <= budget) {
            SCALAY_TRY(take_chosen(search, w));
            found = 1;
        }
        if (found || (search->complete && w->best == NONE)) break;
        *bound = budget + 1;
        budget = w->best < NONE ? w->best : budget + budget / 2 + 1;
    }
    /* What is hopeless for one point of a front is so for the next. */
    search->pauses = found ? 0 : scalay_min_int64(2 * search->pauses + 1, MOST_PAUSES);
    search->pause = 1;
    if (!found) return SCALAY_SUCCESS;
    search->gap = (double)w->best / (double)search->slope.length;
    *verdict = SCALAY_ENERGY_FOUND;
cleanup:
    return status;
}
