#ifndef SCALAY_WORKLOAD_MIN_ENERGY_H
#define SCALAY_WORKLOAD_MIN_ENERGY_H

/**
 * @file
 * The parts of the least-energy solver.
 *
 * Least energy, then fewest active processors, is a sum of pairs (energy, active) compared lexicographically. Each
 * group has the lower hull of its allowed sizes. The slope at which the groups together reach n is the critical one;
 * all processors at the vertices it touches are the base, which lacks less than the length of one edge. A size x of a
 * processor whose base is v has the reduced cost
 *
 *     r = D (w(x) - w(v)) - N (x - v) >= 0,    w = factor * energy + active, slope N / D
 *
 * and a distribution costs a constant plus the sum of its reduced costs over D. So we look for moves away from the base
 * that add up to what it lacks, with the least sum of reduced costs. Nobody has to look further than this: moves that
 * add up to 0 can be taken back at no loss, so less than 2 span moves are enough, span the largest size; and that is
 * why a factor of 4 span + 1 orders all that matter lexicographically, whatever the number of processors.
 *
 * Ways, in this order (min_energy.c): nothing lacks; moves modulo the length of the critical edge, right when there are
 * enough processors to make up for it (min_energy_residues.c), and where one of its ends has too few, such that these
 * are enough (min_energy_room.c); several groups: all concave, a knapsack (min_energy_concave.c), and few moves
 * (min_energy_few.c); moves of limited cost (min_energy_moves.c), by doubling for one group and where that takes less
 * memory (min_energy_doubling.c).
 */

#include <math.h>

#include "base/integer.h"
#include "workload/solvers.h"

/** A vertex of a lower hull. */
typedef struct {
    int64_t index;
    int64_t energy;
    double time;
    double lift; /* no size between this vertex and the next is less above the edge; infinity: there is none */
} scalay_hull_vertex;

/** The lower hull of the allowed sizes of a group, or of some more: see scalay_hull_is_lost(). A single group's is only
 *  some edges of it, around n / copies. */
typedef struct {
    scalay_hull_vertex *vertex; /* shape [room] */
    int64_t count;
    int64_t room;
    int64_t last; /* no size behind it is allowed */
    int64_t at;   /* the first vertex from which the hull climbs no slower than the critical slope */
} scalay_hull;

/** A slope: energy and active processors per length. */
typedef struct {
    int64_t energy;
    int64_t active;
    int64_t length; /* 0: none */
} scalay_slope;

/** Processors of a group that have the same size. */
typedef struct {
    int group;      /* -1: fillers */
    int64_t vertex; /* of the hull; only in the base */
    int64_t copies;
    int64_t index;
    int64_t energy;
    double time;
} scalay_energy_lot;

/** A processor of a lot may go to another size. */
typedef struct {
    int64_t lot;
    int64_t index;
    int64_t move; /* index minus the lot's */
    int rise;     /* 1: becomes active; -1: becomes idle */
    scalay_wide cost;
} scalay_energy_move;

/** Memory that lives from one solution to the next. */
typedef struct {
    void *array;
    int64_t room; /* in bytes */
} scalay_energy_memory;

enum { SCALAY_SCRATCHES = 8 };

/** What the processor of a group has to be. */
typedef enum { SCALAY_ENERGY_FREE, SCALAY_ENERGY_ACTIVE, SCALAY_ENERGY_IDLE } scalay_energy_state;

/** A branch: see min_energy_branch.c. */
typedef struct {
    int group;          /* whose state led here; -1: it has not been there */
    scalay_slope slope; /* as in the search, of the last time */
    double gap;
    int64_t pauses;
    int64_t pause;
    int64_t *at;            /* shape [groups]: where the hulls were */
    int feasible;           /* 1: there is a solution, the best so far */
    int64_t energy;         /* of that */
    int64_t active;         /* of that */
    scalay_energy_lot *lot; /* shape [lots] */
    int64_t lots;
    int64_t room;
} scalay_energy_branch;

/** A solver at work; what it holds is kept from one solution to the next. */
typedef struct {
    const scalay_problem *problem;
    int64_t n;
    int64_t copies; /* of the only group, instead of what the problem says; -1: as the problem says */
    double limit;   /* sizes whose time is below it are allowed */
    int64_t least;  /* 0: processors may be idle; 1: not so */
    int64_t scale;  /* an active processor's energy counts scale * energy + charge */
    int64_t charge;
    int64_t span;    /* the largest size */
    int64_t factor;  /* of the energy in w; 1, and w without `active`, where active processors are counted */
    int64_t highest; /* energy */
    double dearest;  /* no reduced cost is more */
    int fits;        /* reduced costs fit 60 bits */
    int64_t grain;   /* divides w of all sizes; 0: not asked for yet */

    scalay_hull *hull; /* shape [groups] */
    scalay_hull only;  /* where that is for a single group */
    scalay_hull spare;
    scalay_hull open;   /* right ends of what is being made */
    scalay_slope slope; /* the critical one; kept to start from */

    scalay_energy_lot *lot; /* shape [lot_room]: first the base, then what has left it */
    int64_t base_lots;
    int64_t lots;
    int64_t lot_room;
    int64_t missing; /* what the base lacks of n */
    int counted;     /* 1: `wanted` processors have to be active */
    int64_t wanted;
    int64_t fillers;   /* processors that get nothing and may count as active */
    int64_t rising;    /* active processors that the base lacks; 0 unless they are counted */
    int any;           /* 1: any distribution will do, good ones are just easier to find */
    int64_t open_lot;  /* a lot whose critical edge is not used up; -1: none */
    int64_t open_edge; /* its length */

    int64_t most_cells; /* of sums that are kept where they may be made again; some times the sizes of all groups */

    scalay_energy_move *move; /* shape [move_room]: by lot */
    int64_t moves;
    int64_t move_room;
    int complete; /* no allowed size is left out */

    scalay_wide good; /* moves that cost no more cannot be beaten */

    int64_t modulus;         /* of the classes of sums; 0: none */
    scalay_wide *class_cost; /* shape [modulus]: what sums of a class cost at least */
    scalay_wide *class_gain; /* shape [modulus]: by how much a move of a class can bring that down at most */
    double gap;              /* the reduced cost of the last solution per slope length; negative: not known */

    int64_t *concave; /* shape [groups]: sizes up to which energies are concave; NULL: not asked for yet */

    int64_t pauses; /* how many solutions few moves are not tried for, and of those how many there have been */
    int64_t pause;

    scalay_energy_state *state;   /* shape [groups]; NULL: all are free */
    scalay_hull *other;           /* shape [groups]: hulls without idleness, or with it where a group is active */
    scalay_energy_branch *branch; /* from 1 on; NULL: there were none yet */
    int64_t branch_pauses;        /* as above, of branches */
    int64_t branch_pause;
    int64_t last_ways; /* how often the last way was gone */

    scalay_energy_memory scratch[SCALAY_SCRATCHES];
} scalay_energy_search;

/* ------------------------------------------------------------------------------------------ min_energy_hull.c */

/** 1 when a size of at least 1 can be assigned. */
static inline int scalay_energy_allowed(const scalay_energy_search *search, const scalay_problem_group *group,
                                        int64_t index)
{
    return group->energy[index] != SCALAY_NO_ENERGY && group->time[index] < search->limit;
}

/** What an index counts in energy. */
static inline int64_t scalay_energy_at(const scalay_energy_search *search, const scalay_problem_group *group,
                                       int64_t index)
{
    return index == 0 ? 0 : search->scale * group->energy[index] + search->charge;
}

/** The slope from a vertex to the next. Where active processors are counted they are no part of it. */
static inline scalay_slope scalay_hull_slope(const scalay_energy_search *search, const scalay_hull_vertex *from)
{
    return (scalay_slope){from[1].energy - from[0].energy, !search->counted && from[0].index == 0,
                          from[1].index - from[0].index};
}

/** Negative: a is less; 0: they are the same; positive: a is more. */
static inline int scalay_slope_compare(const scalay_energy_search *search, const scalay_slope *a, const scalay_slope *b)
{
    if (search->fits) {
        int64_t difference = a->energy * b->length - b->energy * a->length;
        if (difference != 0) return difference > 0 ? 1 : -1;
    } else {
        scalay_wide difference = scalay_wide_product(a->energy, b->length) - scalay_wide_product(b->energy, a->length);
        if (difference != 0) return difference > 0 ? 1 : -1;
    }
    int64_t difference = a->active * b->length - b->active * a->length;
    return (difference > 0) - (difference < 0);
}

/** Makes the hull of a group anew. */
scalay_status scalay_hull_build(scalay_energy_search *search, int group);

/** Whether the limit has come down below a vertex. Lost vertices stay while nobody looks at them: the hull is a lower
 * bound, and right wherever its vertices are not lost. */
static inline int scalay_hull_is_lost(const scalay_energy_search *search, const scalay_hull_vertex *vertex)
{
    return vertex->index > 0 && !(vertex->time < search->limit);
}

/** Puts what is left between their neighbours in the place of a lost vertex and the lost ones beside it; those behind
 * them change their numbers. */
scalay_status scalay_hull_renew(scalay_energy_search *search, int group, int64_t vertex);

/** The least index of a group: 1 where it cannot be idle. */
static inline int64_t scalay_energy_least(const scalay_energy_search *search, int group)
{
    return search->least > 0 || (search->state != NULL && search->state[group] == SCALAY_ENERGY_ACTIVE);
}

/** How far from a vertex on sizes up to the next one, which cost `near` and `far`, may cost no more than `most`: a size
 *  costs what the edge does where it is, and its lift. `ends` is the left one of the two. */
int64_t scalay_hull_reach_between(const scalay_energy_search *search, const scalay_hull_vertex *ends, double near,
                                  double far, double most);

/** The last size from a lot of the base in a direction (1 or -1) that may cost less than a bound: from a vertex that
 *  costs as much on, all do. */
int64_t scalay_hull_reach(const scalay_energy_search *search, int64_t lot, int direction, scalay_wide bound);

/* ------------------------------------------------------------------------------------------ min_energy_base.c */

/** Processors of a group that need not be idle. */
static inline int64_t scalay_energy_copies(const scalay_energy_search *search, int group)
{
    if (search->state != NULL && search->state[group] == SCALAY_ENERGY_IDLE) return 0;
    return search->copies >= 0 ? search->copies : search->problem->group[group].count;
}

/** Finds the critical slope and the base; 0 in `feasible`: n is out of reach. */
scalay_status scalay_energy_base(scalay_energy_search *search, int *feasible);

/** Finds the critical slope; 0 in `feasible`: n is out of reach. */
scalay_status scalay_energy_place(scalay_energy_search *search, int *feasible);

/** Adds a lot at a vertex of a group's hull. */
scalay_status scalay_energy_add_lot(scalay_energy_search *search, int group, int64_t vertex, int64_t copies);

/** The last vertex of a group that the critical slope touches. */
int64_t scalay_energy_last_vertex(const scalay_energy_search *search, int group);

/** Lets copies of a lot go to another index. */
scalay_status scalay_energy_take(scalay_energy_search *search, int64_t lot, int64_t index, int64_t copies);

/** The reduced cost of a difference. */
static inline scalay_wide scalay_reduced_cost(const scalay_energy_search *search, int64_t energy, int64_t active,
                                              int64_t length)
{
    const scalay_slope *slope = &search->slope;
    if (search->counted) active = 0;
    if (search->fits)
        return slope->length * (search->factor * energy + active) -
               (search->factor * slope->energy + slope->active) * length;
    return slope->length * (scalay_wide_product(search->factor, energy) + active) -
           (scalay_wide_product(search->factor, slope->energy) + slope->active) * length;
}

/* ------------------------------------------------------------------------------------------ min_energy_face.c */

/** A point of the relaxed problem, times `length`. */
typedef struct {
    scalay_wide energy;
    scalay_wide active;
    int64_t length;
} scalay_relaxed_point;

/** A distribution of n at the critical slope in which one processor may be part of the way along an edge. */
scalay_relaxed_point scalay_energy_relaxed(const scalay_energy_search *search);

/** Finds the base where active processors are counted: close to n and to the number wanted, amid the critical face. */
scalay_status scalay_energy_face(scalay_energy_search *search);

/* -------------------------------------------------------------------------------------------------- solving */

/** A way's answer. */
typedef enum {
    SCALAY_ENERGY_FOUND,  /* the lots are a best distribution */
    SCALAY_ENERGY_NONE,   /* there is no distribution */
    SCALAY_ENERGY_UNKNOWN /* this way does not tell */
} scalay_energy_verdict;

/** A start for hulls and all; to be released with scalay_energy_search_free(). */
scalay_status scalay_energy_search_create(const scalay_problem *problem, int64_t n, double limit,
                                          scalay_energy_search *search);

/** Releases what a search holds; zeroed is fine. */
void scalay_energy_search_free(scalay_energy_search *search);

/** Builds all hulls. */
scalay_status scalay_energy_search_hulls(scalay_energy_search *search);

/** Solves for the hulls at hand. */
scalay_status scalay_energy_search_solve(scalay_energy_search *search, int *feasible);

/** Energy and active processors of the lots. */
void scalay_energy_sum_up(const scalay_energy_search *search, int64_t *energy, int64_t *active);

/** Solves a branch for the states at hand; not feasible, too, when it cannot be better than what is known (NULL:
 * nothing is). */
scalay_status scalay_energy_solve_branch(scalay_energy_search *search, int branch, const scalay_energy_branch *known,
                                         int *feasible);

/** Whether the open edge of a branch leads one processor from idleness to a size, and branches are worth a try. */
int scalay_energy_can_branch(scalay_energy_search *search, int branch);

/** Solves with that processor active, then idle, and takes the better solution. */
scalay_status scalay_energy_branch_out(scalay_energy_search *search, int branch, int *feasible);

/** Whether the base says that no solution is better than a known one (NULL: none is known). */
int scalay_energy_is_hopeless(const scalay_energy_search *search, const scalay_energy_branch *known);

/** Forgets all branches. */
void scalay_energy_branches_free(scalay_energy_search *search);

/** Solves modulo the open edge; *bound: the reduced costs are at least that. */
scalay_status scalay_energy_residues(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound);

/** Solves with a given number of active processors by moves of which any number may be made, if there are enough
 * processors for those that turn out; *bound: the reduced costs are at least that. */
scalay_status scalay_energy_pairs(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound);

/** Solves by listing choices of moves, if there are few within the budget that is needed; *bound: the reduced costs are
 * at least that, before and after. */
scalay_status scalay_energy_few(scalay_energy_search *search, scalay_wide *bound, scalay_energy_verdict *verdict);

/** Solves where energies are concave up to the largest sizes that are allowed. */
scalay_status scalay_energy_concave(scalay_energy_search *search, scalay_energy_verdict *verdict);

/** Solves with moves of limited cost, raising the limit until it is enough. */
scalay_status scalay_energy_moves(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict);

/** What can be reached in one direction, and what a unit of it costs at least. */
typedef struct {
    double rate;
    double amount;
} scalay_energy_reach;

/** The most that a budget buys, a little rounded up; sorts the ways. */
double scalay_energy_buy(scalay_energy_reach *ways, int64_t count, double budget);

/** So many moves are enough: what more would there is can be taken back. */
int64_t scalay_energy_enough(const scalay_energy_search *search);

/** Adds the lots to an empty distribution, which is feasible then. */
scalay_status scalay_energy_write_down(const scalay_energy_search *search, scalay_distribution *distribution);

/** Lists the moves whose reduced cost is at most `budget`. */
scalay_status scalay_energy_collect(scalay_energy_search *search, scalay_wide budget);

/** A limit to start from when nothing is known: a few times the least positive cost of a move, about. */
scalay_wide scalay_energy_first_budget(scalay_energy_search *search);

/** More than a class costs. */
#define SCALAY_NO_CLASS_COST ((scalay_wide)1 << 124)

/** The class of a sum. */
static inline int64_t scalay_energy_class(int64_t modulus, int64_t sum)
{
    int64_t class = sum % modulus;
    return class < 0 ? class + modulus : class;
}

/** Finds classes when the moves that have been listed cannot make up for what is missing. */
scalay_status scalay_energy_classes(scalay_energy_search *search);

/** Drops the moves that are over the budget with what is left after them. */
void scalay_energy_drop_useless(scalay_energy_search *search, scalay_wide budget);

/** At least so many bytes that stay until the same slot is asked for again; what was in it is kept. */
scalay_status scalay_energy_scratch(scalay_energy_search *search, int slot, int64_t count, size_t size, void *array);

#endif
