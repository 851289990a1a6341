/*
 * Least energy with few moves: best distributions mostly take a handful of processors away from the base, however many
 * there are. Moves within a budget are the dearest of them, s, and two choices: deal the others out by descending cost,
 * always to the choice that has cost less so far. The dearer choice B costs no more than the other one, A, and the move
 * that it got last, its cheapest one z; no move costs more than s. So 2 B - z + x <= A + B + s is within the budget, x
 * being the dearest move of B, and the same holds for A: all choices with 2 cost - z + x <= budget are listed. We go
 * through the choices as A and the moves that are no cheaper than its dearest as s, as long as 2 A + s is within the
 * budget, and look up in the list what is still missing.
 *
 * Choices that add up to the same are all kept, as they may need the same processors. Moves that cost nothing (from one
 * end of the critical edge to the other) are no part of choices: all that they can add up to is tried.
 *
 * Cost: O(c a) for c choices, at most SCALAY_FEW_CHOICES, and a moves; mostly far less. Where there are more choices,
 * other ways are faster.
 */
#include "workload/min_energy_few.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

enum { FEW_CHOICES = 8 /* a far larger budget costs little more */, MOST_PAUSES = 64 };

/* What the next solution of a front costs, at most, mostly, beside the last. */
static const double KNOWN = 1.0;

/* ------------------------------------------------------------------------------------------------- the search */

static int64_t copies_of(const scalay_few *w, const scalay_few_selection *of, int64_t lot)
{
    return scalay_few_copies(w, w->choice, of->first, lot) + scalay_few_copies(w, w->choice, of->last, lot) +
           scalay_few_copies(w, w->shift, of->shift, lot) + (of->step >= 0 && w->step[of->step].lot == lot);
}

/* Whether a lot has the processors, and the lots of a choice. */
static int lot_is_enough(const scalay_few *w, const scalay_few_selection *of, int64_t lot)
{
    const int64_t copies = copies_of(w, of, lot);
    if (lot == w->near && w->far >= 0) return copies <= w->lot[lot].copies + copies_of(w, of, w->far);
    return copies <= w->lot[lot].copies;
}

static int lots_are_enough(const scalay_few *w, const scalay_few_selection *of, const scalay_few_choice *in, int64_t at)
{
    for (; in[at].before >= 0; at = in[at].before)
        if (!lot_is_enough(w, of, w->step[in[at].step].lot)) return 0;
    return 1;
}

/* Choices have the processors for themselves: those that have no lot in common have them together. */
static int is_enough(const scalay_few *w, const scalay_few_selection *of)
{
    const uint64_t first = w->choice[of->first].lots;
    const uint64_t last = w->choice[of->last].lots;
    const uint64_t one = scalay_few_bit(w->step[of->step].lot);
    const uint64_t shift =
        w->shift[of->shift].lots | (w->far >= 0 ? scalay_few_bit(w->near) | scalay_few_bit(w->far) : 0);
    if ((first & last) == 0 && ((first | last) & one) == 0 && ((first | last | one) & shift) == 0)
        return lots_are_enough(w, of, w->shift, of->shift);
    return lot_is_enough(w, of, w->step[of->step].lot) && lots_are_enough(w, of, w->choice, of->first) &&
           lots_are_enough(w, of, w->choice, of->last) && lots_are_enough(w, of, w->shift, of->shift);
}

/* Completes a cheap choice, a step and a choice of free steps. */
static void look_up(scalay_few *w, scalay_few_selection made, int64_t sum, int64_t cost)
{
    for (int64_t at = w->at[scalay_few_place(w, sum)] - 1; at >= 0; at = w->choice[at].next) {
        made.last = at;
        if (cost + w->choice[at].cost >= w->best || !is_enough(w, &made)) continue;
        w->best = cost + w->choice[at].cost;
        w->chosen = made;
    }
}

/* The end of the steps up to a cost. */
static int64_t steps_up_to(const scalay_few *w, int64_t most)
{
    int64_t low = w->free;
    int64_t high = w->steps;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (w->step[middle].cost <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Completes a cheap choice and a choice of free steps with one of the steps from `first` to `end` - 1. */
static void complete(scalay_few *w, int64_t cheap, int64_t shift, int64_t first, int64_t end)
{
    const int64_t left = w->target - w->shift[shift].sum - w->choice[cheap].sum;
    const int64_t cost = w->choice[cheap].cost;
    int64_t most = w->best - cost - SCALAY_FEW_NONE;
    for (int64_t s = first; s < end; s++) {
        const scalay_few_step *made = &w->step[s];
        if (made->cost - w->cheap[scalay_few_home(left - made->sum)] >= most) continue;
        look_up(w, (scalay_few_selection){cheap, s, 0, shift}, left - made->sum, cost + made->cost);
        most = w->best - cost - SCALAY_FEW_NONE;
    }
}

/* Finds the cheapest steps, right when they are within the budget; 0: there are too many to choose from. */
static int choose(scalay_few *w)
{
    int64_t looks = w->looks;
    w->best = SCALAY_FEW_NONE;
    for (int64_t k = 0; k < w->choices; k++) {
        const scalay_few_choice *cheap = &w->choice[k];
        const int64_t first = cheap->step;
        const int64_t end = steps_up_to(w, scalay_min_int64(w->budget, w->best - 1) - 2 * cheap->cost);
        if (first >= end) continue;
        looks -= (end - first) * w->shifts;
        if (looks < 0) return 0;
        for (int64_t i = 0; i < w->shifts; i++) complete(w, k, i, first, end);
    }
    return 1;
}

/* A processor of the far lot joins the near one: others leave it. */
static scalay_status take_step(scalay_energy_search *search, const scalay_few *w, const scalay_few_step *made)
{
    if (made->lot != w->far) return scalay_energy_take(search, made->lot, search->move[made->move].index, 1);
    search->lot[w->far].copies--;
    search->lot[w->near].copies++;
    return SCALAY_SUCCESS;
}

static scalay_status take_steps(scalay_energy_search *search, const scalay_few *w, const scalay_few_choice *in,
                                int64_t at)
{
    scalay_status status = SCALAY_SUCCESS;
    for (; in[at].before >= 0; at = in[at].before) SCALAY_TRY(take_step(search, w, &w->step[in[at].step]));
cleanup:
    return status;
}

static scalay_status take_chosen(scalay_energy_search *search, const scalay_few *w)
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
static scalay_status take_shift(scalay_energy_search *search, const scalay_few *w, int *taken)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t i = 0; i < w->shifts && !*taken; i++) {
        if (w->shift[i].sum != w->target || !lots_are_enough(w, &(scalay_few_selection){0, -1, 0, i}, w->shift, i))
            continue;
        SCALAY_TRY(take_steps(search, w, w->shift, i));
        *taken = 1;
    }
cleanup:
    return status;
}

/* The cheapest moves, if there are not too many. */
static int try_budget(const scalay_energy_search *search, scalay_wide budget, scalay_few *w)
{
    w->budget = (int64_t)budget;
    return scalay_few_list(search, w) && choose(w);
}

/* Memory for the work; its tables are empty at first. */
static scalay_status start_work(scalay_energy_search *search, scalay_few **work)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t next = search->open_lot + 1;
    const int is_new = search->scratch[7].array == NULL;
    SCALAY_TRY(scalay_energy_scratch(search, 7, 1, sizeof **work, work));
    scalay_few *w = *work;
    if (is_new) {
        w->choices = 0;
        memset(w->at, 0, sizeof w->at);
        memset(w->cheap, 0, sizeof w->cheap);
    }
    w->lot = search->lot;
    w->target = search->missing;
    w->near = search->open_lot;
    w->far = -1;
    if (w->near >= 0 && next < search->base_lots && w->lot[next].group == w->lot[w->near].group) w->far = next;
cleanup:
    return status;
}

scalay_status scalay_energy_few(scalay_energy_search *search, scalay_wide *bound, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    const double known = KNOWN * search->gap * (double)search->slope.length;
    scalay_wide budget = search->gap >= 0.0 ? (scalay_wide)known + 1 : scalay_energy_first_budget(search);
    scalay_few *w = NULL;
    int found = 0;
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (search->counted || !search->fits) return SCALAY_SUCCESS;
    if (search->pauses > 0 && search->pause++ % search->pauses != 0) return SCALAY_SUCCESS;
    SCALAY_TRY(start_work(search, &w));
    if (budget < *bound) budget = *bound;
    while (!found && budget < SCALAY_FEW_NONE / 4) {
        SCALAY_TRY(scalay_energy_collect(search, budget));
        if (!try_budget(search, budget, w)) break;
        SCALAY_TRY(take_shift(search, w, &found));
        if (found) w->best = 0;
        if (!found && w->best <= budget) {
            SCALAY_TRY(take_chosen(search, w));
            found = 1;
        }
        if (found || (search->complete && w->best == SCALAY_FEW_NONE)) break;
        *bound = budget + 1;
        budget = w->best < SCALAY_FEW_NONE                       ? w->best
                 : search->gap < 0.0 && w->choices < FEW_CHOICES ? 3 * budget
                                                                 : budget + budget / 2 + 1;
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
