/*
 * Least energy modulo the length of the open edge where few processors are at one of its ends: moves with the right
 * residue are not enough then, they also must not take more of the way than these few can make up for. So of moves that
 * add up to a residue we look not for the cheapest, but for all that nothing both cheaper and shorter adds up to:
 * labels, found by ascending cost (Dijkstra's algorithm with two criteria, Hansen 1980). Labels up to half the cost are
 * enough: a best choice is one that costs at most half, a move, and another that costs at most half.
 *
 * Lengths count from the end with few processors towards the other one. That there are enough processors at the other
 * end, and of other lots, is left out, and seen to afterwards.
 *
 * Cost: O(l a) for l labels, a few for each residue, and a moves within the budget. Where there are far more, it does
 * not tell. Memory: O(s) for sizes that add up to s.
 */
#include "workload/min_energy_residues.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/pile.h"

enum {
    MOST_LABELS = 8,   /* for each residue */
    MOST_LOOKS = 32,   /* at moves and labels, for each residue and size */
    FEW_LOOKS = 1024,  /* are always worth it */
    SUMS_PER_LOOK = 64 /* so many sums by doubling take as long as a look */
};

#define NONE (INT64_C(1) << 61) /* more than any cost, and twice that fits */

/* A move. */
typedef struct {
    int64_t cost;
    int64_t length;
    int64_t residue;
    int64_t lot;
    int64_t index;
} step;

/* What some steps add up to. */
typedef struct {
    int64_t cost;
    int64_t length;
    int64_t residue;
    int32_t step;   /* the last of them; -1: there are none */
    int32_t before; /* the label without it */
    int32_t next;   /* another one of the same residue; -1: none */
} label;

typedef struct {
    int64_t edge;
    int64_t near;      /* the lot of the open edge */
    int64_t direction; /* 1: lengths count from the near end; -1: from the far one */
    int64_t target;    /* the most length of what is looked for, and its residue */
    int64_t rest;      /* the residue */
    step *step;        /* shape [steps], by ascending cost */
    int64_t steps;
    label *label; /* shape [most] */
    int64_t labels;
    int64_t most;
    int64_t looks;      /* that may be taken */
    int32_t *at;        /* shape [edge]: a label of the residue; -1: there is none */
    scalay_pile pile;   /* of labels */
    int64_t best;       /* the least cost so far */
    int32_t meeting[3]; /* a label, a step and a label that cost that */
} room;

/* ---------------------------------------------------------------------------------------------------- the steps */

static int by_cost(const void *a, const void *b)
{
    const step *x = a;
    const step *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? 1 : -1;
    return x->length != y->length ? (x->length > y->length ? 1 : -1) : 0;
}

/* The moves that have been collected; the lot at the far end has those of the one at the near end, and the edge itself
 * is none. */
static scalay_status list_steps(scalay_energy_search *search, int64_t far, room *in)
{
    scalay_status status = SCALAY_SUCCESS;
    in->steps = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 2, search->moves, sizeof *in->step, &in->step));
    for (int64_t k = 0; k < search->moves; k++) {
        const scalay_energy_move *move = &search->move[k];
        const int is_open = move->lot == in->near;
        const int64_t length = in->direction * move->move + (is_open && in->direction < 0 ? in->edge : 0);
        if (move->lot == far || (move->cost == 0 && (length == 0 || (is_open && length == in->edge)))) continue;
        in->step[in->steps++] =
            (step){(int64_t)move->cost, length, scalay_energy_class(in->edge, length), move->lot, move->index};
    }
    qsort(in->step, (size_t)in->steps, sizeof *in->step, by_cost);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- the labels */

static int is_cheaper(const void *of, int64_t first, int64_t second)
{
    const room *in = of;
    return in->label[first].cost < in->label[second].cost;
}

static void need_no_place(void *of, int64_t member, int64_t place)
{
    (void)of;
    (void)member;
    (void)place;
}

/* Whether another label of the residue is neither dearer nor longer. */
static int is_beaten(room *in, int64_t residue, int64_t cost, int64_t length, int32_t itself)
{
    for (int32_t k = in->at[residue]; k >= 0; k = in->label[k].next, in->looks--)
        if (k != itself && in->label[k].cost <= cost && in->label[k].length <= length) return 1;
    return 0;
}

static void add_label(room *in, label made)
{
    made.next = in->at[made.residue];
    in->label[in->labels] = made;
    in->at[made.residue] = (int32_t)in->labels;
    scalay_pile_raise(&in->pile, in->pile.count++, in->labels++, in, is_cheaper, need_no_place);
}

/* A label and a step, with the labels that complete them. */
static void complete(room *in, int32_t from, int32_t by, int64_t residue, int64_t cost, int64_t length)
{
    int64_t rest = in->rest - residue;
    if (rest < 0) rest += in->edge;
    for (int32_t k = in->at[rest]; k >= 0; k = in->label[k].next, in->looks--) {
        if (length + in->label[k].length > in->target || cost + in->label[k].cost >= in->best) continue;
        in->best = cost + in->label[k].cost;
        in->meeting[0] = from;
        in->meeting[1] = by;
        in->meeting[2] = k;
    }
}

/* All steps from a label; 0: too much would have to be looked at. */
static int look_around(room *in, int32_t from)
{
    const label at = in->label[from];
    for (int32_t k = 0; k < in->steps; k++) {
        const int64_t cost = at.cost + in->step[k].cost;
        if (cost >= in->best) {
            if (in->best == NONE) in->looks = -1; /* sums that do not fit prove nothing */
            break;
        }
        const int64_t length = at.length + in->step[k].length;
        int64_t residue = at.residue + in->step[k].residue;
        if (residue >= in->edge) residue -= in->edge;
        complete(in, from, k, residue, cost, length);
        in->looks--;
        if ((2 * cost >= in->best && in->best < NONE) || is_beaten(in, residue, cost, length, -1)) continue;
        if (in->labels == in->most || 2 * cost >= in->best) in->looks = -1;
        if (in->looks < 0) return 0;
        add_label(in, (label){cost, length, residue, k, from, -1});
    }
    return in->looks >= 0;
}

/* The cheapest steps; 0: too much would have to be looked at. */
static int search_labels(room *in)
{
    for (int64_t r = 0; r < in->edge; r++) in->at[r] = -1;
    in->labels = 0;
    in->pile.count = 0;
    add_label(in, (label){0, 0, 0, -1, -1, -1});
    while (in->pile.count > 0) {
        const int32_t at = (int32_t)scalay_pile_take(&in->pile, in, is_cheaper, need_no_place);
        const label *from = &in->label[at];
        if (2 * from->cost >= in->best) break;
        if (is_beaten(in, from->residue, from->cost, from->length, at)) continue;
        if (!look_around(in, at)) return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------------- the answer */

static void write_step(const room *in, int32_t made, scalay_energy_choice *chosen)
{
    chosen->lot[chosen->steps] = in->step[made].lot;
    chosen->index[chosen->steps++] = in->step[made].index;
}

static int64_t count_steps(const room *in, int32_t at)
{
    int64_t steps = 0;
    for (; in->label[at].step >= 0; at = in->label[at].before) steps++;
    return steps;
}

static void write_label(const room *in, int32_t at, scalay_energy_choice *chosen)
{
    for (; in->label[at].step >= 0; at = in->label[at].before) write_step(in, in->label[at].step, chosen);
}

static scalay_status write_choice(scalay_energy_search *search, const room *in, scalay_energy_choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t steps = count_steps(in, in->meeting[0]) + 1 + count_steps(in, in->meeting[2]);
    SCALAY_TRY(scalay_energy_scratch(search, 5, 2 * steps, sizeof *chosen->lot, &chosen->lot));
    chosen->index = chosen->lot + steps;
    chosen->steps = 0;
    write_label(in, in->meeting[0], chosen);
    write_step(in, in->meeting[1], chosen);
    write_label(in, in->meeting[2], chosen);
cleanup:
    return status;
}

/* So many looks as are worth it: where few processors have few sizes, sums by doubling take less. */
static int64_t count_looks(const scalay_energy_search *search, const scalay_energy_open *open)
{
    const int64_t most = MOST_LOOKS * (search->open_edge + search->span);
    int levels = 1;
    if (search->problem->groups > 1) return most;
    while (open->copies >> levels > 0) levels++;
    return scalay_min_int64(most, FEW_LOOKS + levels * search->span * search->span / SUMS_PER_LOOK);
}

static scalay_status start(scalay_energy_search *search, const scalay_energy_open *open, int direction, room *in)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t far = open->far >= 0 ? search->lot[open->far].copies : 0;
    *in = (room){.edge = search->open_edge, .near = open->near, .direction = direction};
    in->target =
        direction > 0 ? far * in->edge + search->missing : search->lot[open->near].copies * in->edge - search->missing;
    in->rest = scalay_energy_class(in->edge, in->target);
    in->most = scalay_min_int64(MOST_LABELS * in->edge + 1, INT32_MAX);
    in->looks = count_looks(search, open);
    SCALAY_TRY(scalay_energy_scratch(search, 3, in->most, sizeof *in->label, &in->label));
    SCALAY_TRY(scalay_energy_scratch(search, 1, in->edge, sizeof *in->at, &in->at));
    SCALAY_TRY(scalay_energy_scratch(search, 4, in->most, sizeof *in->pile.member, &in->pile.member));
cleanup:
    return status;
}

/* The cheapest steps within a budget; UNKNOWN where there are none, or too much would have to be looked at. */
static scalay_status try_budget(scalay_energy_search *search, int64_t budget, int64_t far, room *in,
                                scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_energy_collect(search, budget));
    if (search->moves > INT32_MAX) in->looks = -1;
    if (in->looks < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(list_steps(search, far, in));
    in->best = search->complete ? NONE : budget + 1;
    const int64_t none = in->best;
    if (!search_labels(in)) return SCALAY_SUCCESS;
    *verdict = in->best < none ? SCALAY_ENERGY_FOUND : search->complete ? SCALAY_ENERGY_NONE : SCALAY_ENERGY_UNKNOWN;
cleanup:
    return status;
}

scalay_status scalay_energy_room(scalay_energy_search *search, const scalay_energy_open *open, int direction,
                                 scalay_wide *bound, scalay_energy_verdict *verdict, scalay_energy_choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    room in;
    scalay_wide budget = *bound > 0 ? *bound + *bound / 4 : scalay_energy_first_budget(search);
    *verdict = SCALAY_ENERGY_UNKNOWN;
    SCALAY_TRY(start(search, open, direction, &in));
    for (; *verdict == SCALAY_ENERGY_UNKNOWN && in.looks >= 0 && budget < NONE / 4; budget *= 2) {
        SCALAY_TRY(try_budget(search, (int64_t)budget, open->far, &in, verdict));
        if (*verdict == SCALAY_ENERGY_UNKNOWN && in.looks >= 0) *bound = budget + 1;
    }
    if (*verdict != SCALAY_ENERGY_FOUND) return SCALAY_SUCCESS;
    *bound = in.best;
    SCALAY_TRY(write_choice(search, &in, chosen));
cleanup:
    return status;
}
