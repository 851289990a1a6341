/* Listing few moves and choices of them: see min_energy_few.c. */
#include "base/integer.h"
#include "workload/min_energy_few.h"

enum {
    MOST_MOVES = 2 * SCALAY_FEW_STEPS,
    LEAST_LOOKS = 256,
    CELLS_PER_LOOK = 256,
    LOOKS_PER_CHOICE = 16,
    PAIRS_PER_CHOICE = 2,
    FURTHEST = 1024,
    MOST_COPIES = 64
};

/* ------------------------------------------------------------------------------------------------------ steps */

static void sort_steps(scalay_few *w)
{
    for (int64_t gap = w->steps / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int64_t i = gap; i < w->steps; i++) {
            const scalay_few_step moved = w->step[i];
            int64_t k = i;
            for (; k >= gap && w->step[k - gap].cost > moved.cost; k -= gap) w->step[k] = w->step[k - gap];
            w->step[k] = moved;
        }
}

/* Whether a move of the lot at the far end of the open edge is one of the near lot, and back. */
static int is_double(const scalay_few *w, const scalay_energy_move *move)
{
    return move->lot == w->far && move->index != w->lot[w->near].index;
}

/* 0: there are too many. */
static int list_steps(const scalay_energy_search *search, scalay_few *w)
{
    w->steps = 0;
    w->free = 0;
    if (search->moves > MOST_MOVES) return 0;
    for (int64_t k = 0; k < search->moves; k++) {
        const scalay_energy_move *move = &search->move[k];
        if (is_double(w, move)) continue;
        if (w->steps == SCALAY_FEW_STEPS) return 0;
        w->step[w->steps++] = (scalay_few_step){(int64_t)move->cost, move->move, (int32_t)k, (int32_t)move->lot};
        w->free += move->cost == 0;
    }
    sort_steps(w);
    return 1;
}

/* Processors of a lot that can move; those of the far lot can come to the near one first. */
static int64_t copies_at(const scalay_few *w, int64_t lot)
{
    return w->lot[lot].copies + (lot == w->near && w->far >= 0 ? w->lot[w->far].copies : 0);
}

static int64_t distance(int64_t sum)
{
    return sum < 0 ? -sum : sum;
}

/* Otherwise a table of sums would be gone through for every step and processor, vector by vector, more than once where
 * the sums are far apart. */
static int64_t most_looks(const scalay_few *w)
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

static void add_choice(scalay_few *w, scalay_few_choice made)
{
    const int64_t place = scalay_few_place(w, made.sum);
    const int64_t home = scalay_few_home(made.sum);
    w->cheap[home] = scalay_max_int64(w->cheap[home], SCALAY_FEW_NONE - made.cost);
    w->place[w->choices] = (int16_t)place;
    made.next = (int16_t)(w->at[place] - 1);
    w->choice[w->choices] = made;
    w->at[place] = (int16_t)++w->choices;
}

/* Clears what there is of the tables, which are zeroed at first. */
static void forget_choices(scalay_few *w)
{
    for (int64_t k = 0; k < w->choices; k++) {
        w->at[w->place[k]] = 0;
        w->cheap[scalay_few_home(w->choice[k].sum)] = 0;
    }
    w->choices = 0;
}

/* Whether pairs of steps that are choices are alone too many, though some may be of one processor. */
static int are_many_pairs(const scalay_few *w, int64_t room)
{
    int64_t pairs = 0;
    int64_t end = w->steps;
    for (int64_t s = w->free; s < end; s++) {
        while (end > s && w->step[s].cost + 3 * w->step[end - 1].cost > w->budget) end--;
        pairs += end - s;
    }
    return pairs > PAIRS_PER_CHOICE * room;
}

/* Lists all choices that are needed; 0: there are too many. The last one of a choice is its dearest, the first its
 * cheapest: see min_energy_few.c. */
static int list_choices(scalay_few *w)
{
    const int64_t room = scalay_min_int64(SCALAY_FEW_CHOICES, w->looks / LOOKS_PER_CHOICE);
    if (are_many_pairs(w, room)) return 0;
    forget_choices(w);
    add_choice(w, (scalay_few_choice){.step = (int16_t)w->free, .before = -1});
    for (int64_t k = 0; k < w->choices; k++) {
        const scalay_few_choice from = w->choice[k];
        for (int64_t s = from.step; s < w->steps; s++) {
            const scalay_few_step *made = &w->step[s];
            const int64_t cheapest = k > 0 ? from.cheapest : made->cost;
            if (2 * from.cost - cheapest + 3 * made->cost > w->budget) break;
            if (scalay_few_copies(w, w->choice, k, made->lot) >= copies_at(w, made->lot)) continue;
            if (w->choices >= room) return 0;
            add_choice(w, (scalay_few_choice){from.cost + made->cost, cheapest, from.sum + made->sum,
                                              from.lots | scalay_few_bit(made->lot), (int16_t)s, (int16_t)k, -1});
        }
    }
    return 1;
}

/* How far the steps of a choice within the budget can lead. */
static int64_t find_reach(const scalay_few *w)
{
    int64_t reach = 0;
    int64_t furthest = 0;
    for (int64_t k = 0; k < w->choices; k++) furthest = scalay_max_int64(furthest, distance(w->choice[k].sum));
    for (int64_t s = w->free; s < w->steps; s++) reach = scalay_max_int64(reach, distance(w->step[s].sum));
    return reach + 2 * furthest;
}

/* Whether a choice of free steps has one that leads back, so that both can be left out. A step of the far lot is more
 * than that beside one of any lot but the near one: it brings a processor to where others are wanted. */
static int leads_back(const scalay_few *w, int64_t at, const scalay_few_step *made)
{
    for (; w->shift[at].before >= 0; at = w->shift[at].before) {
        const scalay_few_step *other = &w->step[w->shift[at].step];
        if (other->sum != -made->sum) continue;
        const int far = made->lot == w->far || other->lot == w->far;
        const int near = made->lot == w->near || other->lot == w->near;
        if (!far || near) return 1;
    }
    return 0;
}

/* Whether all free steps are of one length, so that choices of them go one way. */
static int have_one_length(const scalay_few *w)
{
    for (int64_t s = 0; s < w->free; s++) {
        const int is_other = w->step[s].lot != w->near && w->step[s].lot != w->far;
        if (distance(w->step[s].sum) != distance(w->step[0].sum) || (w->far >= 0 && is_other)) return 0;
    }
    return 1;
}

/* Lists the choices of free steps; those that go one way are needed no further than others can lead. 0: there are too
 * many. */
static int list_shifts(scalay_few *w)
{
    const int64_t reach = find_reach(w) + distance(w->target);
    const int one_length = have_one_length(w);
    w->shift[0] = (scalay_few_choice){.before = -1, .next = -1};
    w->shifts = 1;
    for (int64_t k = 0; k < w->shifts; k++) {
        const scalay_few_choice from = w->shift[k];
        for (int64_t s = from.step; s < w->free; s++) {
            const scalay_few_step *made = &w->step[s];
            const int64_t sum = from.sum + made->sum;
            if (scalay_few_copies(w, w->shift, k, made->lot) >= copies_at(w, made->lot)) continue;
            if (leads_back(w, k, made) || (one_length && distance(sum) > reach)) continue;
            if (w->shifts == SCALAY_FEW_SHIFTS) return 0;
            w->shift[w->shifts++] =
                (scalay_few_choice){0, 0, sum, from.lots | scalay_few_bit(made->lot), (int16_t)s, (int16_t)k, -1};
        }
    }
    return 1;
}

int scalay_few_list(const scalay_energy_search *search, scalay_few *w)
{
    if (!list_steps(search, w)) return 0;
    w->looks = most_looks(w);
    return list_choices(w) && list_shifts(w);
}
