#ifndef SCALAY_WORKLOAD_MIN_ENERGY_H
#define SCALAY_WORKLOAD_MIN_ENERGY_H

/**
 * @file
 * Parts of the solver for minimum energy: a multiple-choice knapsack whose sizes must sum to n exactly.
 *
 * The objective is the pair (energy, active processors), compared lexicographically. The weight of a size expresses it
 * as one number: w(x) = factor * energy(x) + [x > 0], with a factor above the largest difference of active processors.
 * The steps are:
 *   1. Each group has the lower convex hull of the weights of its allowed sizes (min_energy_hull.c).
 *   2. The Lagrange multiplier N / D is the slope at which the hulls together reach n. The break solution has all
 *      processors at hull vertices of that slope. Its sizes sum to n minus the deficit (min_energy_break.c).
 *   3. Moves change processors of the break solution to other sizes. The cheapest moves that sum to the deficit give
 *      an optimal distribution. The methods are, in the order of min_energy.c:
 *        - group relaxation modulo the fractional edge (min_energy_residues.c);
 *        - a knapsack with one interior processor, if energies are nearly concave, linear or periodic
 *          (min_energy_interior.c, min_energy_complete.c, min_energy_exchange.c);
 *        - shortest paths on pairs (size, active processors), if that number is given (min_energy_active.c);
 *        - dynamic programming over sums of moves of limited reduced cost (min_energy_sums.c).
 *
 * Two integers describe a move from size v to size x:
 *   - its reduced cost r = D (w(x) - w(v)) - N (x - v), at least 0;
 *   - its weight c = w(x) - w(v) - floor(N / D) (x - v).
 * They are related by r = D c - (N mod D) (x - v). So moves with the same sum of lengths have the same order by r and
 * by c. Tables of sums store c, which needs fewer bits; budgets and bounds are in r.
 *
 * Number of moves. Fewer than 2 span moves suffice, where span is the largest size: moves that sum to 0 can be left
 * out, and 2 span moves in a suitable order repeat a partial sum (Steinitz's lemma).
 */

#include <math.h>

#include "base/integer.h"
#include "workload/solvers.h"

/* --------------------------------------------------------------------------------------------------- structs */

/** A vertex of a lower convex hull. */
typedef struct {
    int64_t index;
    int64_t energy;
    double time;
    double lift; /* a lower bound on the height of a size above the edge to the next vertex, in weights; infinity: no
                    size is between */
} scalay_hull_vertex;

/** The lower convex hull of the allowed sizes of a group. It may contain vertices that are forbidden by now, see
 *  scalay_hull_is_lost(). The hull of a single group has only the edges around n / multiplicity. */
typedef struct {
    scalay_hull_vertex *vertex; /* shape [capacity] */
    int64_t count;
    int64_t capacity;
    int64_t last_index; /* all larger sizes are forbidden */
    int64_t at;         /* first vertex of the break solution: the slope to the next one is at least the multiplier */
} scalay_hull;

/** Slope of an edge: weight w per length. */
typedef struct {
    scalay_wide rise; /* N */
    int64_t length;   /* D; 0: no slope is known */
} scalay_slope;

/** Processors of a group that have the same size in the solution. */
typedef struct {
    int group;      /* -1: slack processors */
    int64_t vertex; /* of the hull, in the break solution; -1 for processors that have moved */
    int64_t count;
    int64_t index;
    int64_t energy;
    double time;
} scalay_energy_share;

/** The break solution, and then the solution made of it by moves. */
typedef struct {
    scalay_slope slope;         /* the multiplier; start of the next search for it */
    scalay_wide multiplier;     /* floor(N / D) for weights */
    int64_t remainder;          /* N mod D */
    scalay_energy_share *share; /* shape [capacity]: the break solution, then processors that have moved */
    int64_t break_shares;
    int64_t shares;
    int64_t capacity;
    int64_t deficit;
    int64_t active_deficit;         /* active processors still needed; 0 unless their number is given */
    int64_t fractional_share;       /* share at the left end of an edge of the multiplier's slope; -1: none */
    int64_t fractional_edge_length; /* length of that edge */
} scalay_break_solution;

/** A move: one processor of a share of the break solution gets another size. */
typedef struct {
    int64_t share;
    int64_t index;
    int64_t length;     /* index minus the index of the share */
    int rise;           /* 1: becomes active; -1: becomes idle; 0: neither */
    scalay_wide weight; /* c */
} scalay_energy_move;

/** Moves, ordered by share. */
typedef struct {
    scalay_energy_move *move; /* shape [capacity] */
    int64_t count;
    int64_t capacity;
    int complete; /* 1: all allowed sizes are in the list */
} scalay_move_list;

/** A given number of active processors. */
typedef struct {
    int is_given;
    int64_t active;
    int64_t slack_processors; /* processors that get nothing and may count as active */
    int accepts_any;          /* 1: every distribution is optimal */
} scalay_active_target;

/** Allowed sizes of a group that are not interior. They are current for time limits above max_time, up to limit. */
typedef struct {
    int64_t *index; /* shape [count] */
    int64_t count;
    int64_t capacity;
    double max_time; /* longest allowed time */
    double limit;
} scalay_fixed_sizes;

/** Attempts of a method that may give up. After it has given up, 1, 2, 4, ... at most 64 attempts are skipped. */
typedef struct {
    int64_t interval;
    int64_t left; /* attempts still to skip */
} scalay_energy_backoff;

/** Interior sizes, of which at most one processor has one, see min_energy_exchange.c. */
typedef struct {
    int64_t distance;          /* of an exchange, in sizes; 0: not useful */
    int64_t period;            /* of the energies up to a linear term, at least 1; 0: none is known */
    int64_t energy_gcd;        /* greatest common divisor of all energies */
    char *isolated;            /* shape [groups]: 1 if the slopes differ from all other groups'; NULL: not known yet */
    scalay_fixed_sizes *fixed; /* shape [groups]; NULL: not known yet */
    scalay_energy_backoff backoff; /* min_energy_complete.c */
} scalay_energy_exchanges;

/** Memory that is kept from one solution to the next. */
typedef struct {
    void *array;
    int64_t bytes;
} scalay_energy_memory;

enum { SCALAY_ENERGY_SLOTS = 11 };

/** State of the solver. The next solution starts from the state of the last one. */
typedef struct {
    /* the question */
    const scalay_problem *problem;
    int64_t n;
    int64_t multiplicity; /* of the only group; -1: as in the problem */
    double time_limit;    /* sizes with a time below it are allowed */
    int64_t min_index;    /* 0: processors may be idle; 1: they must be active */
    int64_t scale;        /* an active processor's energy counts as scale * energy + charge */
    int64_t charge;
    scalay_active_target target;

    /* numbers: scalay_energy_search_start() */
    int64_t span;        /* largest size, at least 1 */
    int64_t factor;      /* of energies in weights; 1 if the number of active processors is given */
    int64_t max_energy;  /* of a size */
    double max_weight;   /* of a size */
    int fits;            /* 1: int64_t holds weights of moves with the current multiplier */
    int energies_fit;    /* 1: int64_t holds products of an energy and a length */
    int slopes_fit;      /* 1: int64_t holds products of a weight and a length */
    int64_t weight_gcd;  /* of w of all sizes; 0: not known yet */
    int64_t max_entries; /* of tables of sums that are kept completely */

    /* the state */
    scalay_hull *hull; /* shape [groups] */
    scalay_hull single_hull;
    scalay_hull spare_hull;
    scalay_hull pending; /* right ends of edges that are not processed yet */
    scalay_break_solution solution;
    scalay_move_list moves;
    scalay_wide sufficient_cost; /* no sum of moves to the deficit has a smaller reduced cost */
    double gap;                  /* reduced cost of the last solution divided by D; negative: not known */
    scalay_energy_exchanges exchange;
    scalay_energy_backoff light_backoff; /* scalay_energy_sums_light() */

    scalay_energy_memory scratch[SCALAY_ENERGY_SLOTS];
} scalay_energy_search;

enum { SCALAY_ENERGY_MAX_BACKOFF = 64 };

/** 1 if the next attempt is skipped. */
static inline int scalay_energy_backoff_skip(scalay_energy_backoff *backoff)
{
    if (backoff->left == 0) return 0;
    backoff->left--;
    return 1;
}

/** Doubles the number of attempts that are skipped, or sets it back. */
static inline void scalay_energy_backoff_set(scalay_energy_backoff *backoff, int is_given_up)
{
    const int64_t doubled = backoff->interval > 0 ? 2 * backoff->interval : 1;
    const int64_t next = doubled < SCALAY_ENERGY_MAX_BACKOFF ? doubled : SCALAY_ENERGY_MAX_BACKOFF;
    backoff->left = backoff->interval = is_given_up ? next : 0;
}

/** Result of a method. */
typedef enum {
    SCALAY_ENERGY_FOUND,  /* the shares are an optimal distribution */
    SCALAY_ENERGY_NONE,   /* no distribution exists */
    SCALAY_ENERGY_UNKNOWN /* the method does not apply */
} scalay_energy_verdict;

/* --------------------------------------------------------------------------------------------- min_energy.c */

/** Prepares a search. Release it with scalay_energy_search_free(). */
scalay_status scalay_energy_search_create(const scalay_problem *problem, int64_t n, double time_limit,
                                          scalay_energy_search *search);

/** Computes the numbers of a question and builds all hulls. */
scalay_status scalay_energy_search_start(scalay_energy_search *search);

/** Finds an optimal distribution with the current hulls. */
scalay_status scalay_energy_search_solve(scalay_energy_search *search, int *feasible);

/** Releases a search; a zeroed one is allowed. */
void scalay_energy_search_free(scalay_energy_search *search);

/** Computes time, energy and active processors of the shares. */
scalay_point scalay_energy_sum(const scalay_energy_search *search);

/** Appends the shares to an empty distribution and marks it as feasible. */
scalay_status scalay_energy_write(const scalay_energy_search *search, scalay_distribution *distribution);

/** Number of moves that suffice. */
int64_t scalay_energy_max_moves(const scalay_energy_search *search);

/** Provides an array in a slot. Its contents stay until the slot is requested again, and are kept if it grows. */
scalay_status scalay_energy_scratch(scalay_energy_search *search, int slot, int64_t count, size_t size, void *array);

/** 1 if a size of at least 1 is allowed. */
static inline int scalay_energy_is_allowed(const scalay_energy_search *search, const scalay_problem_group *group,
                                           int64_t index)
{
    return group->energy[index] != SCALAY_NO_ENERGY && group->time[index] < search->time_limit;
}

/** Energy of a size with scale and charge. */
static inline int64_t scalay_energy_at(const scalay_energy_search *search, const scalay_problem_group *group,
                                       int64_t index)
{
    return index == 0 ? 0 : search->scale * group->energy[index] + search->charge;
}

/** Number of processors of a group. */
static inline int64_t scalay_energy_multiplicity(const scalay_energy_search *search, int group)
{
    return search->multiplicity >= 0 ? search->multiplicity : search->problem->group[group].multiplicity;
}

/** Largest index of a group that can be part of n. */
static inline int64_t scalay_energy_last_index(const scalay_energy_search *search, int group)
{
    const int64_t largest = search->problem->group[group].largest;
    return largest < search->n ? largest : search->n;
}

/** Weight c of differences of energy, active processors and size, if weights fit int64_t. */
static inline int64_t scalay_move_weight_narrow(const scalay_energy_search *search, int64_t energy, int64_t active,
                                                int64_t length)
{
    const uint64_t drop = (uint64_t)search->solution.multiplier * (uint64_t)length;
    if (search->target.is_given) active = 0;
    return (int64_t)((uint64_t)search->factor * (uint64_t)energy + (uint64_t)active - drop);
}

/** Weight c of differences of energy, active processors and size. */
static inline scalay_wide scalay_move_weight(const scalay_energy_search *search, int64_t energy, int64_t active,
                                             int64_t length)
{
    if (search->fits) return scalay_move_weight_narrow(search, energy, active, length);
    if (search->target.is_given) active = 0;
    return scalay_wide_product(search->factor, energy) + active - search->solution.multiplier * length;
}

/** Reduced cost r of a weight and a length. */
static inline scalay_wide scalay_reduced_cost(const scalay_energy_search *search, scalay_wide weight, int64_t length)
{
    return search->solution.slope.length * weight - scalay_wide_product(search->solution.remainder, length);
}

/** The same in double precision, with a relative error below 2^-50. */
static inline double scalay_reduced_cost_rounded(const scalay_energy_search *search, double weight, int64_t length)
{
    return (double)search->solution.slope.length * weight - (double)search->solution.remainder * (double)length;
}

/** Reduced cost of a move. */
static inline scalay_wide scalay_move_cost(const scalay_energy_search *search, const scalay_energy_move *move)
{
    return scalay_reduced_cost(search, move->weight, move->length);
}

/** Reduced cost of changing a processor of a share to an index whose energy is known. */
static inline scalay_wide scalay_share_cost(const scalay_energy_search *search, const scalay_energy_share *share,
                                            int64_t index, int64_t energy)
{
    const int64_t length = index - share->index;
    return scalay_reduced_cost(
        search, scalay_move_weight(search, energy - share->energy, (index > 0) - (share->index > 0), length), length);
}

/* ---------------------------------------------------------------------------------------- min_energy_hull.c */

/** Weight w of a vertex. */
static inline scalay_wide scalay_hull_weight(const scalay_energy_search *search, const scalay_hull_vertex *vertex)
{
    const int active = !search->target.is_given && vertex->index > 0;
    if (search->slopes_fit) return search->factor * vertex->energy + active;
    return scalay_wide_product(search->factor, vertex->energy) + active;
}

/** Slope from a vertex to the next. */
static inline scalay_slope scalay_hull_slope(const scalay_energy_search *search, const scalay_hull_vertex *from)
{
    return (scalay_slope){scalay_hull_weight(search, &from[1]) - scalay_hull_weight(search, &from[0]),
                          from[1].index - from[0].index};
}

/** Negative if slope a is less than slope b, 0 if they are equal, positive if a is greater. */
static inline int scalay_slope_compare(const scalay_energy_search *search, const scalay_slope *a, const scalay_slope *b)
{
    if (search->slopes_fit) {
        const int64_t difference = (int64_t)a->rise * b->length - (int64_t)b->rise * a->length;
        return (difference > 0) - (difference < 0);
    }
    const scalay_wide difference = a->rise * b->length - b->rise * a->length;
    return (difference > 0) - (difference < 0);
}

/** Builds the hull of a group. */
scalay_status scalay_hull_build(scalay_energy_search *search, int group);

/** 1 if a decrease of the time limit has forbidden a vertex. Lost vertices remain until they matter: the hull is still
 *  a lower bound, and it is exact next to vertices that are not lost. */
static inline int scalay_hull_is_lost(const scalay_energy_search *search, const scalay_hull_vertex *vertex)
{
    return vertex->index > 0 && !(vertex->time < search->time_limit);
}

/** Replaces a lost vertex and the lost vertices next to it by the hull of the sizes between their neighbours. */
scalay_status scalay_hull_repair(scalay_energy_search *search, int group, int64_t vertex);

/** Number of sizes next to an edge's start, in a direction, that may cost at most `budget`. The ends of the edge cost
 *  `near` and `far`; `left_end` is its left vertex. */
int64_t scalay_hull_reach_on_edge(const scalay_energy_search *search, const scalay_hull_vertex *left_end, double near,
                                  double far, double budget);

/** Last index from a share of the break solution in a direction (1 or -1) that may cost less than a bound. */
int64_t scalay_hull_reach(const scalay_energy_search *search, int64_t share, int direction, scalay_wide bound);

/* --------------------------------------------------------------------------------------- min_energy_break.c */

/** Computes the break solution. *feasible is 0 if n is out of reach of the hulls. */
scalay_status scalay_energy_break(scalay_energy_search *search, int *feasible);

/** Computes only the multiplier. *feasible is 0 if n is out of reach of the hulls. */
scalay_status scalay_energy_find_multiplier(scalay_energy_search *search, int *feasible);

/** Last vertex of a group's hull that has the multiplier's slope on its left, or hull.at. */
int64_t scalay_energy_last_vertex(const scalay_energy_search *search, int group);

/** Appends a share at a vertex of a group's hull to the break solution. */
scalay_status scalay_energy_add_share(scalay_energy_search *search, int group, int64_t vertex, int64_t count);

/** Changes `count` processors of a share to another index. Slack processors do not change. */
scalay_status scalay_energy_take(scalay_energy_search *search, int64_t share, int64_t index, int64_t count);

/* ---------------------------------------------------------------------------------------- min_energy_list.c */

/** Lists the moves whose reduced cost is at most `budget`. */
scalay_status scalay_energy_list_moves(scalay_energy_search *search, scalay_wide budget);

/**
 * Computes the largest weight c of each length whose reduced cost is within a budget.
 * @param[in]  budget   at least 0; all limits fit int64_t
 * @param[in]  low      length of the first column
 * @param[in]  columns  number of lengths
 * @param[out] limit    shape [columns]
 */
void scalay_energy_limits(const scalay_energy_search *search, scalay_wide budget, int64_t low, int64_t columns,
                          int64_t *limit);

/** A first budget: a small multiple of the least positive reduced cost of a move, approximately. */
scalay_wide scalay_energy_first_budget(const scalay_energy_search *search);

/** Lengths in one direction that are available at a price per unit. */
typedef struct {
    double rate;
    double amount;
} scalay_energy_offer;

/** Largest length that a budget buys, slightly rounded up (fractional knapsack). Sorts the offers. */
double scalay_energy_buy(scalay_energy_offer *offers, int64_t count, double budget);

/* ------------------------------------------------------------------------------------------------- methods */

/** Group relaxation modulo the fractional edge. *bound: no solution has a smaller reduced cost. */
scalay_status scalay_energy_residues(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound);

/** Chooses the distance of exchanges at the first call. *applies is 0 if most sizes are not interior. */
scalay_status scalay_energy_find_exchanges(scalay_energy_search *search, int *applies);

/** 1 if a size is interior with the current time limit: an optimal distribution has at most one such processor. */
int scalay_energy_is_interior(const scalay_energy_search *search, int group, int64_t index);

/** Lists the fixed sizes of all groups. *applies is 0 if they are too many. */
scalay_status scalay_energy_list_fixed(scalay_energy_search *search, int *applies);

/** Sums of moves to fixed sizes, completed by one move. It applies if most sizes are interior and the sums are few.
 *  It is called twice: with is_first = 1 before the other methods, which serves if sizes are many, then with 0. */
scalay_status scalay_energy_complete(scalay_energy_search *search, int is_first, scalay_energy_verdict *verdict);

/** Knapsack with one interior processor. It applies if most sizes are interior. */
scalay_status scalay_energy_exchange(scalay_energy_search *search, scalay_energy_verdict *verdict);

/** Shortest paths on pairs, for a given number of active processors. *bound: no solution has a smaller reduced cost. */
scalay_status scalay_energy_pairs(scalay_energy_search *search, scalay_energy_verdict *verdict, scalay_wide *bound);

/** Break solution for a given number of active processors: near n and near that number. */
scalay_status scalay_energy_break_active(scalay_energy_search *search);

/** Number of the `steps` (at least 2) of a trace before the next kept table, with space for `kept` tables: at least 1,
 *  less than `steps`. */
int64_t scalay_energy_split_trace(int64_t steps, int64_t kept);

/** The same as scalay_energy_sums(), as long as moves and sums are few. */
scalay_status scalay_energy_sums_light(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict);

/** Dynamic programming over sums of moves. It always applies. */
scalay_status scalay_energy_sums(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict);

#endif
