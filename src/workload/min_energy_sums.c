/*
 * Dynamic programming over sums of moves of limited reduced cost.
 *
 * A solution of reduced cost R only makes moves of reduced cost R or less. The method tries budgets, each twice the one
 * before, until the cheapest moves that sum to the deficit are within the budget: they are optimal. Within a budget,
 * sums of moves are limited by what the budget buys (fractional knapsack), and by max_moves * span.
 *
 * Kept tables. Each processor that may move adds a table of the least weight of each sum. The tables are kept for the
 * trace. Before a table is made, the method tests whether one more move reaches the deficit at a cost that is known to
 * be sufficient; of the last table only that entry is made.
 *
 * Doubling, for one group and if the tables would take too much memory. Pair the processors of each share, and give one
 * of each pair to each half. An assignment exists for which the sums of the halves differ by at most the largest
 * difference of two moves of a share (twice that if active processors count too: Barany and Grinberg 1981). So the
 * sums of multiplicity / 2^(l+1) processors of each share, twice, and one more processor of each share with an odd
 * number (an extra), give the sums of multiplicity / 2^l. Tables about as wide as the moves of all shares suffice on
 * each level. The trace needs the table of each level, and the tables before each extra. Some are kept. Those between
 * are made again, which takes each at most t times for (r + t)! / (r! t!) steps with r kept tables (Griewank 1992).
 *
 * Cost of a budget with a moves, w sums and k processors that may move: O(a w k). By doubling: O(w s) per level, s the
 * number of sizes, and t times that for the trace, t <= 3 for 165 steps. Memory: O(s); if the number of active
 * processors is given, O(s) for each share.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum {
    MAX_LEVELS = 64,
    MIN_KEPT = 8,        /* tables kept by doubling */
    HEAVY = 8,           /* work per move from which pairs of moves are tried first */
    COMPLETE_GROWTH = 8, /* of budgets if all moves are listed */
    LIGHT_MOVES = 2048   /* more moves are not a light question */
};

/* More than any weight; the sum of two fits. */
#define NO_WEIGHT (INT64_C(1) << 61)
#define NO_WIDE_WEIGHT ((scalay_wide)1 << 124)

/* Entries that a light question changes. */
static const double LIGHT_WORK = 0x1p18;

/* int64_t tables hold weights up to this one. */
static const double MAX_WEIGHT = 0x1p59;

/* ----------------------------------------------------------------------------------------------------- structs */

/* The moves of one share. */
typedef struct {
    int64_t first;
    int64_t count;
    int64_t shortest; /* length, at most 0 */
    int64_t longest;  /* length, at least 0 */
    int64_t multiplicity;
} share_moves;

/* Sums of moves: a table with a column for each length, and a row for each change of active processors. */
typedef struct {
    int64_t low;      /* length of the first column */
    int64_t low_rise; /* change of the first row */
    int64_t columns;
    int64_t rows;
    int64_t entries; /* INT64_MAX: too many */
    int64_t origin;  /* entry of no moves */
    int64_t target;  /* entry of the deficit */
} sum_table;

/* Columns that can be reached. */
typedef struct {
    int64_t first;
    int64_t last;
} column_range;

/* The question of one budget. */
typedef struct {
    scalay_energy_search *search;
    scalay_wide budget;
    share_moves *list; /* shape [count] */
    int64_t count;
    sum_table table;
    scalay_wide upper; /* cost of a solution above the budget; -1: none is known */
    int is_light;      /* 1: give up if moves or sums are many */
    int is_given_up;
} sum_question;

/* Sums of multiplicity / 2^level processors of each share. */
typedef struct {
    sum_table table;
    int64_t extras;
} sum_level;

/* All levels, from all processors to none. */
typedef struct {
    int levels;
    sum_level level[MAX_LEVELS + 1];
    int64_t max_difference; /* of the lengths of two halves */
    int64_t max_entries;    /* of a level's table */
    int64_t max_extras;
    int64_t kept_levels; /* at least 1 */
    int64_t kept_extras; /* at least 1 */
} sum_plan;

/* A kept table: what the last processor could do. */
typedef struct {
    share_moves moves;
    int64_t last_move; /* to the deficit, in a table of which only that entry is made; -1: the table is complete */
} sum_layer;

/* ------------------------------------------------------------------------------------------------------ tables */

static void close_table(const scalay_energy_search *search, sum_table *table)
{
    const int64_t active_deficit = search->target.is_given ? search->solution.active_deficit : 0;
    if (!scalay_multiply_int64(table->rows, table->columns, &table->entries)) {
        table->entries = INT64_MAX;
        return;
    }
    table->origin = -table->low_rise * table->columns - table->low;
    table->target = table->origin + active_deficit * table->columns + search->solution.deficit;
}

/* 1 if so many tables may be kept. */
static int may_keep(const sum_question *asked, int64_t tables)
{
    return (double)asked->table.entries * (double)tables <= (double)asked->search->max_entries;
}

static int is_extra(const share_moves *moves, int level)
{
    return (int)(moves->multiplicity >> level & 1);
}

static int64_t half_down(int64_t a)
{
    return a >= 0 ? a / 2 : -((1 - a) / 2);
}

/* The part of a table within bounds. */
static void clip_table(const sum_table *whole, int64_t low, int64_t high, int64_t low_rise, int64_t high_rise,
                       sum_table *table)
{
    const int64_t last = scalay_min_int64(high, whole->low + whole->columns - 1);
    const int64_t last_rise = scalay_min_int64(high_rise, whole->low_rise + whole->rows - 1);
    table->low = scalay_max_int64(low, whole->low);
    table->columns = scalay_max_int64(0, last - table->low + 1);
    table->low_rise = scalay_max_int64(low_rise, whole->low_rise);
    table->rows = scalay_max_int64(0, last_rise - table->low_rise + 1);
}

/* The table of a level whose sums must be within bounds after its extras. */
static void plan_level(const sum_question *asked, int64_t low, int64_t high, int64_t low_rise, int64_t high_rise,
                       int at, sum_level *level)
{
    level->extras = 0;
    for (int64_t k = 0; k < asked->count; k++) {
        if (!is_extra(&asked->list[k], at)) continue;
        level->extras++;
        low -= asked->list[k].longest;
        high -= asked->list[k].shortest;
    }
    if (asked->search->target.is_given) {
        low_rise -= level->extras;
        high_rise += level->extras;
    }
    clip_table(&asked->table, low, high, low_rise, high_rise, &level->table);
}

/* Length of the longest trace with `kept` tables if each table is made at most `times` times. */
static int64_t longest_trace(int64_t kept, int64_t times)
{
    int64_t steps = 1;
    for (int64_t k = 1; k <= scalay_min_int64(kept, times) && steps < INT32_MAX; k++)
        steps = steps * (kept + times + 1 - k) / k;
    return steps;
}

int64_t scalay_energy_split_trace(int64_t steps, int64_t kept)
{
    int64_t times = 1;
    while (longest_trace(kept, times) < steps) times++;
    return steps - scalay_min_int64(steps - 1, longest_trace(kept - 1, times));
}

static int64_t count_kept(const sum_plan *plan, int64_t max_entries, int64_t steps)
{
    const int64_t kept = scalay_max_int64(max_entries / scalay_max_int64(plan->max_entries, 1), MIN_KEPT);
    return scalay_max_int64(scalay_min_int64(kept, steps - 1), 1);
}

static void plan_levels(const sum_question *asked, sum_plan *plan)
{
    const int is_given = asked->search->target.is_given;
    const int64_t rise_difference = is_given ? 2 : 0;
    int64_t low = asked->search->solution.deficit;
    int64_t high = low;
    int64_t low_rise = is_given ? asked->search->solution.active_deficit : 0;
    int64_t high_rise = low_rise;
    int64_t multiplicity = 0;
    *plan = (sum_plan){0};
    for (int64_t k = 0; k < asked->count; k++) {
        const share_moves *moves = &asked->list[k];
        plan->max_difference = scalay_max_int64(plan->max_difference, moves->longest - moves->shortest);
        multiplicity = scalay_max_int64(multiplicity, moves->multiplicity);
    }
    if (is_given) plan->max_difference *= 2;
    while (multiplicity >> plan->levels > 0) plan->levels++;
    for (int l = 0; l <= plan->levels; l++) {
        sum_level *level = &plan->level[l];
        sum_table *table = &level->table;
        plan_level(asked, low, high, low_rise, high_rise, l, level);
        if (l == plan->levels) clip_table(table, 0, 0, 0, 0, table);
        close_table(asked->search, table);
        plan->max_entries = scalay_max_int64(plan->max_entries, table->entries);
        plan->max_extras = scalay_max_int64(plan->max_extras, level->extras);
        low = half_down(table->low - plan->max_difference);
        high = half_down(table->low + table->columns + plan->max_difference);
        low_rise = half_down(table->low_rise - rise_difference);
        high_rise = half_down(table->low_rise + table->rows + rise_difference);
    }
    plan->kept_levels = count_kept(plan, asked->search->max_entries, plan->levels);
    plan->kept_extras = count_kept(plan, asked->search->max_entries, plan->max_extras);
}

/* ------------------------------------------------------------------------------------------------------ solvers */

/* Largest weight of each column of a table within a budget. */
static void set_limits_narrow(const sum_question *asked, scalay_wide budget, const sum_table *table, int64_t *limit)
{
    scalay_energy_limits(asked->search, budget, table->low, table->columns, limit);
}

static void set_limits_wide(const sum_question *asked, scalay_wide budget, const sum_table *table, scalay_wide *limit)
{
    const scalay_break_solution *solution = &asked->search->solution;
    for (int64_t k = 0; k < table->columns; k++) {
        const scalay_wide numerator = budget + scalay_wide_product(solution->remainder, table->low + k);
        limit[k] = numerator / solution->slope.length - (numerator % solution->slope.length < 0);
    }
}

/* target[k] = min(target[k], source[k] + weight). */
static void improve_narrow(int64_t *target, const int64_t *source, int64_t count, int64_t weight)
{
    scalay_row_min_sum(target, source, count, weight);
}

static void improve_wide(scalay_wide *target, const scalay_wide *source, int64_t count, scalay_wide weight)
{
    for (int64_t k = 0; k < count; k++)
        if (source[k] + weight < target[k]) target[k] = source[k] + weight;
}

/* row[k] > limit[k] becomes "none". */
static void cut_narrow(int64_t *row, const int64_t *limit, int64_t count)
{
    scalay_row_discard_above(row, limit, count, NO_WEIGHT);
}

static void cut_wide(scalay_wide *row, const scalay_wide *limit, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (row[k] > limit[k]) row[k] = NO_WIDE_WEIGHT;
}

#define WEIGHT int64_t
#define NONE NO_WEIGHT
#define NAME(verb) verb##_narrow
#include "workload/min_energy_sums_worker.h"
#undef WEIGHT
#undef NONE
#undef NAME
#define WEIGHT scalay_wide
#define NONE NO_WIDE_WEIGHT
#define NAME(verb) verb##_wide
#include "workload/min_energy_sums_worker.h"
#undef WEIGHT
#undef NONE
#undef NAME

/* -------------------------------------------------------------------------------------------- bounds of the sums */

enum { LESS_ACTIVE = -2, SHORTER = -1, LONGER = 1, MORE_ACTIVE = 2 };

static int64_t advance_of(const scalay_energy_move *move, int direction)
{
    if (direction == LONGER || direction == SHORTER) return direction * move->length;
    return direction == MORE_ACTIVE ? move->rise : -move->rise;
}

/* The weight of a move in double precision: conversions from 128 bits take long. */
static double rounded_weight(const scalay_energy_search *search, const scalay_energy_move *move)
{
    return search->fits ? (double)(int64_t)move->weight : (double)move->weight;
}

/* A bound on the distance that moves within a budget reach in a direction. */
static scalay_status find_reach(const sum_question *asked, int direction, int64_t *reach)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    scalay_energy_offer *offers = NULL;
    int64_t count = 0;
    SCALAY_TRY(scalay_energy_scratch(search, 3, asked->count, sizeof *offers, &offers));
    for (int64_t k = 0; k < asked->count; k++) {
        const share_moves *moves = &asked->list[k];
        const int64_t processors = search->solution.share[search->moves.move[moves->first].share].count;
        double rate = INFINITY;
        int64_t furthest = 0;
        for (int64_t i = moves->first; i < moves->first + moves->count; i++) {
            const scalay_energy_move *move = &search->moves.move[i];
            const int64_t advance = advance_of(move, direction);
            if (advance <= 0) continue;
            const double cost = scalay_reduced_cost_rounded(search, rounded_weight(search, move), move->length);
            if (cost < rate * (double)advance) rate = cost / (double)advance;
            furthest = scalay_max_int64(furthest, advance);
        }
        if (furthest > 0) offers[count++] = (scalay_energy_offer){rate, (double)furthest * (double)processors};
    }
    *reach = (int64_t)fmin(scalay_energy_buy(offers, count, (double)asked->budget), 0x1p60);
cleanup:
    return status;
}

/* Sums that can lead to a target: up to what can be reached, and what the target can be reached from. */
static void bracket(int64_t up, int64_t down, int64_t target, int64_t *low, int64_t *high)
{
    *high = scalay_max_int64(scalay_min_int64(up, target + down), scalay_max_int64(target, 0));
    *low = scalay_min_int64(scalay_max_int64(-down, target - up), scalay_min_int64(target, 0));
}

/* Finds the table of a budget; *possible is 0 if the deficit is out of reach. */
static scalay_status find_table(sum_question *asked, int *possible)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_break_solution *solution = &asked->search->solution;
    const int64_t max_moves = scalay_energy_max_moves(asked->search);
    sum_table *table = &asked->table;
    int64_t reach[5] = {0}; /* of direction d at d + 2 */
    int64_t high = 0;
    int64_t high_rise = 0;
    for (int direction = SHORTER; direction <= LONGER; direction += 2) {
        SCALAY_TRY(find_reach(asked, direction, &reach[2 + direction]));
        reach[2 + direction] = scalay_min_int64(reach[2 + direction], max_moves * asked->search->span);
        if (!asked->search->target.is_given) continue;
        SCALAY_TRY(find_reach(asked, 2 * direction, &reach[2 + 2 * direction]));
        reach[2 + 2 * direction] = scalay_min_int64(reach[2 + 2 * direction], max_moves);
    }
    *possible = solution->deficit <= reach[3] && -solution->deficit <= reach[1] &&
                solution->active_deficit <= reach[4] && -solution->active_deficit <= reach[0];
    bracket(reach[3], reach[1], solution->deficit, &table->low, &high);
    bracket(reach[4], reach[0], solution->active_deficit, &table->low_rise, &high_rise);
    table->columns = high - table->low + 1;
    table->rows = high_rise - table->low_rise + 1;
    close_table(asked->search, table);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ a single budget */

/* Groups the moves by share. The share with the most moves comes first, while few sums are reached. */
static scalay_status list_shares(sum_question *asked)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    const scalay_energy_move *move = search->moves.move;
    const int64_t max_moves = scalay_energy_max_moves(search);
    SCALAY_TRY(scalay_energy_scratch(search, 0, search->solution.break_shares, sizeof *asked->list, &asked->list));
    share_moves *list = asked->list;
    asked->count = 0;
    for (int64_t k = 0; k < search->moves.count; k++) {
        if (k == 0 || move[k].share != move[k - 1].share) {
            const int64_t processors = search->solution.share[move[k].share].count;
            list[asked->count++] = (share_moves){.first = k, .multiplicity = scalay_min_int64(processors, max_moves)};
        }
        share_moves *moves = &list[asked->count - 1];
        moves->count++;
        moves->shortest = scalay_min_int64(moves->shortest, move[k].length);
        moves->longest = scalay_max_int64(moves->longest, move[k].length);
    }
    for (int64_t k = 1; k < asked->count; k++)
        if (list[k].count > list[0].count) {
            const share_moves first = list[k];
            list[k] = list[0];
            list[0] = first;
        }
cleanup:
    return status;
}

/* Entries that the tables of a budget change. */
static double work_of(const sum_question *asked)
{
    double work = 0.0;
    for (int64_t k = 0; k < asked->count; k++)
        work += (double)asked->list[k].count * (double)asked->list[k].multiplicity;
    return work * (double)asked->table.entries;
}

/* 1 if trying all pairs of moves takes much less time than the tables. */
static int is_heavy(const sum_question *asked)
{
    if (asked->search->target.is_given) return 0;
    return work_of(asked) > HEAVY * ((double)asked->search->moves.count + 2.0 * (double)asked->search->span);
}

/* One or two moves that sum to the deficit. */
typedef struct {
    int64_t first;
    int64_t second; /* -1: none */
    scalay_wide weight;
} move_pair;

/* The moves of a share with the deficit, alone and with the best earlier move of the length that remains. */
static void try_pairs(const scalay_energy_search *search, const share_moves *moves, const int64_t *best,
                      move_pair *pair)
{
    const scalay_energy_move *move = search->moves.move;
    const int64_t deficit = search->solution.deficit;
    for (int64_t k = moves->first; k < moves->first + moves->count; k++) {
        const int64_t rest = deficit - move[k].length;
        if (rest == 0 && move[k].weight < pair->weight) *pair = (move_pair){k, -1, move[k].weight};
        if (rest < -search->span || rest > search->span || best[rest] < 0) continue;
        const scalay_wide weight = move[k].weight + move[best[rest]].weight;
        if (weight < pair->weight) *pair = (move_pair){k, best[rest], weight};
    }
}

static void keep_best(const scalay_energy_search *search, const share_moves *moves, int64_t *best)
{
    const scalay_energy_move *move = search->moves.move;
    for (int64_t k = moves->first; k < moves->first + moves->count; k++)
        if (best[move[k].length] < 0 || move[k].weight < move[best[move[k].length]].weight) best[move[k].length] = k;
}

/* The cheapest one or two moves that sum to the deficit; pair->weight is NO_WIDE_WEIGHT if there are none. */
static scalay_status find_pair(const sum_question *asked, move_pair *pair)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    int64_t *best = NULL; /* number of the cheapest move of each length */
    *pair = (move_pair){-1, -1, NO_WIDE_WEIGHT};
    SCALAY_TRY(scalay_energy_scratch(search, 1, 2 * search->span + 1, sizeof *best, &best));
    best += search->span;
    for (int64_t length = -search->span; length <= search->span; length++) best[length] = -1;
    for (int64_t k = 0; k < asked->count; k++) {
        const share_moves *moves = &asked->list[k];
        if (moves->multiplicity > 1) keep_best(search, moves, best);
        try_pairs(search, moves, best, pair);
        if (moves->multiplicity == 1) keep_best(search, moves, best);
    }
cleanup:
    return status;
}

/* Tries all pairs of moves if the tables would take much longer. A pair of sufficient cost is taken: *cost is not
 * negative. Otherwise the best pair limits the budget. */
static scalay_status try_pair_first(sum_question *asked, int *possible, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    move_pair pair;
    if (!*possible || !is_heavy(asked)) return SCALAY_SUCCESS;
    SCALAY_TRY(find_pair(asked, &pair));
    if (pair.first < 0) return SCALAY_SUCCESS;
    const scalay_wide pair_cost = scalay_reduced_cost(search, pair.weight, search->solution.deficit);
    if (pair_cost <= search->sufficient_cost) {
        const scalay_energy_move *move = search->moves.move;
        SCALAY_TRY(scalay_energy_take(search, move[pair.first].share, move[pair.first].index, 1));
        if (pair.second >= 0)
            SCALAY_TRY(scalay_energy_take(search, move[pair.second].share, move[pair.second].index, 1));
        *cost = pair_cost;
    } else if (pair_cost < asked->budget) {
        asked->budget = pair_cost;
        SCALAY_TRY(find_table(asked, possible));
    }
cleanup:
    return status;
}

/* 1 if a light question has many moves or sums. */
static int is_too_much(const sum_question *asked)
{
    return asked->is_light && (asked->search->moves.count > LIGHT_MOVES || work_of(asked) > LIGHT_WORK);
}

/* The cheapest moves within the budget; *cost is negative if there are none. */
static scalay_status try_budget(sum_question *asked, scalay_wide *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    int possible = 0;
    *cost = -1;
    asked->upper = -1;
    if (search->target.accepts_any && search->target.is_given) search->sufficient_cost = asked->budget;
    SCALAY_TRY(scalay_energy_list_moves(search, asked->budget));
    SCALAY_TRY(list_shares(asked));
    SCALAY_TRY(find_table(asked, &possible));
    asked->is_given_up = is_too_much(asked);
    if (asked->is_given_up) return SCALAY_SUCCESS;
    SCALAY_TRY(try_pair_first(asked, &possible, cost));
    if (!possible || *cost >= 0) return SCALAY_SUCCESS;
    const double max_weight = (double)asked->budget / (double)search->solution.slope.length +
                              (double)asked->table.columns + fabs((double)asked->table.low);
    SCALAY_TRY(search->fits && max_weight < MAX_WEIGHT ? solve_narrow(asked, cost) : solve_wide(asked, cost));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ budgets */

/* Reduced cost of the dearest moves of all processors. */
static scalay_wide highest_cost(const scalay_energy_search *search)
{
    const scalay_energy_move *move = search->moves.move;
    const int64_t max_moves = scalay_energy_max_moves(search);
    scalay_wide total = 0;
    for (int64_t k = 0; k < search->moves.count;) {
        const int64_t share = move[k].share;
        scalay_wide highest = 0;
        for (; k < search->moves.count && move[k].share == share; k++) {
            const scalay_wide cost = scalay_move_cost(search, &move[k]);
            if (cost > highest) highest = cost;
        }
        total += highest * scalay_min_int64(search->solution.share[share].count, max_moves);
    }
    return total;
}

/* 0 if the lengths of all moves have a common divisor that does not divide the deficit. */
static int is_divisible(const scalay_energy_search *search)
{
    int64_t divisor = 0;
    for (int64_t k = 0; k < search->solution.break_shares && divisor != 1; k++) {
        const scalay_energy_share *share = &search->solution.share[k];
        if (share->group < 0) continue;
        const scalay_problem_group *group = &search->problem->group[share->group];
        const int64_t last = scalay_energy_last_index(search, share->group);
        for (int64_t x = search->min_index; x <= last && divisor != 1; x++) {
            const int64_t length = x > share->index ? x - share->index : share->index - x;
            if (length > 0 && (x == 0 || scalay_energy_is_allowed(search, group, x)))
                divisor = scalay_gcd(length, divisor);
        }
    }
    return divisor == 0 ? search->solution.deficit == 0 : search->solution.deficit % divisor == 0;
}

/* The greatest common divisor of the weights w of all sizes: mostly 1, which is soon known. */
static int64_t find_weight_gcd(const scalay_energy_search *search)
{
    int64_t divisor = 0;
    for (int j = 0; j < search->problem->groups && divisor != 1; j++) {
        const scalay_problem_group *group = &search->problem->group[j];
        const int64_t last = scalay_energy_last_index(search, j);
        for (int64_t x = 1; x <= last && divisor != 1; x++) {
            if (group->energy[x] == SCALAY_NO_ENERGY) continue;
            const int64_t weight = search->factor * scalay_energy_at(search, group, x) + 1;
            divisor = scalay_gcd(weight < 0 ? -weight : weight, divisor);
        }
    }
    return divisor > 0 ? divisor : 1;
}

/* Solutions differ in w by multiples g of the weights' divisor. So their reduced costs are -N * deficit modulo D g. */
static scalay_wide find_sufficient_cost(scalay_energy_search *search)
{
    const scalay_break_solution *solution = &search->solution;
    const int64_t length = solution->slope.length;
    if (search->target.is_given || search->max_weight >= 0x1p60) return 0;
    if (search->weight_gcd == 0) search->weight_gcd = find_weight_gcd(search);
    const scalay_wide modulus = scalay_wide_product(length, search->weight_gcd);
    const scalay_wide numerator = (solution->multiplier * length + solution->remainder) % modulus;
    const scalay_wide rest = numerator * (solution->deficit % modulus) % modulus;
    return rest > 0 ? modulus - rest : -rest;
}

/* As much as the last solution required, or slightly more than a known bound. */
static scalay_wide start_budget(const scalay_energy_search *search, scalay_wide bound)
{
    if (search->gap >= 0.0) return (scalay_wide)(search->gap * (double)search->solution.slope.length) + 1;
    if (bound > 0 && search->problem->groups == 1) return bound + bound / 4;
    return scalay_energy_first_budget(search);
}

/* Identical processors at both ends of an edge become one share: doubling has half as many extras. */
static void merge_ends(scalay_energy_search *search)
{
    scalay_break_solution *solution = &search->solution;
    scalay_energy_share *share = solution->share;
    if (search->problem->groups > 1 || search->target.is_given || solution->break_shares != 2 ||
        share[0].count + share[1].count > scalay_energy_max_moves(search))
        return;
    solution->deficit += share[1].count * (share[1].index - share[0].index);
    share[0].count += share[1].count;
    solution->break_shares = solution->shares = 1;
}

static scalay_wide max_wide(scalay_wide a, scalay_wide b)
{
    return a > b ? a : b;
}

/* Tries budgets; *verdict stays unknown if a light question is given up. */
static scalay_status try_budgets(sum_question *asked, scalay_wide bound, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search *search = asked->search;
    int is_known_divisible = 0;
    search->sufficient_cost = max_wide(bound, find_sufficient_cost(search));
    scalay_wide budget = max_wide(start_budget(search, bound), search->sufficient_cost);
    *verdict = SCALAY_ENERGY_UNKNOWN;
    while (*verdict == SCALAY_ENERGY_UNKNOWN) {
        scalay_wide cost = -1;
        asked->budget = budget;
        SCALAY_TRY(try_budget(asked, &cost));
        if (asked->is_given_up) break;
        if (cost >= 0) {
            search->gap = (double)cost / (double)search->solution.slope.length;
            *verdict = SCALAY_ENERGY_FOUND;
        } else if (search->moves.complete && budget >= highest_cost(search)) {
            *verdict = SCALAY_ENERGY_NONE;
        } else if (!is_known_divisible) {
            is_known_divisible = is_divisible(search);
            if (!is_known_divisible) *verdict = SCALAY_ENERGY_NONE;
        }
        budget *= search->moves.complete ? COMPLETE_GROWTH : 2;
        if (asked->upper >= 0 && asked->upper < budget) budget = asked->upper;
    }
cleanup:
    return status;
}

scalay_status scalay_energy_sums_light(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    sum_question asked = {.search = search, .is_light = 1};
    *verdict = SCALAY_ENERGY_UNKNOWN;
    if (search->problem->groups == 1 || search->target.is_given) return SCALAY_SUCCESS;
    if (scalay_energy_backoff_skip(&search->light_backoff)) return SCALAY_SUCCESS;
    SCALAY_TRY(try_budgets(&asked, bound, verdict));
    scalay_energy_backoff_set(&search->light_backoff, asked.is_given_up);
cleanup:
    return status;
}

scalay_status scalay_energy_sums(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict)
{
    sum_question asked = {.search = search};
    merge_ends(search);
    return try_budgets(&asked, bound, verdict);
}
