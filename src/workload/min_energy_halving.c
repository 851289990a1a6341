/*
 * Least energy on identical processors by halving: k sizes in [0, M], sorted and dealt out in turn to two halves, give
 * sums that differ by at most M. So k sizes that add up to s split into ceil(k / 2) that add up to [s/2, (s + M)/2] and
 * floor(k / 2) with the rest, and on every level two numbers of sizes and windows of about 2 M sums are enough. Only
 * processors that can move, at most 2 span at each end of the critical edge, take part; costs above a budget are left
 * out, and the budget is raised until it is enough.
 *
 * Cost: O(M^2 log M) at worst, whatever the number of processors; usually far less, as few sums are within the budget.
 */
#include <string.h>

#include "core/integer.h"
#include "core/memory.h"
#include "workload/min_energy.h"
#include "workload/min_energy_rows.h"

enum { MOST_LEVELS = 66 };

/* The sums of so many items that are looked at. */
typedef struct {
    int wanted;
    int64_t items;
    int64_t low;
    int64_t high;
    int64_t start; /* of its cells */
} table;

/* All levels: from the whole to single items, each with two tables of items[level] and one more. */
typedef struct {
    int levels;
    int64_t items[MOST_LEVELS];
    table level[MOST_LEVELS][2];
    int64_t width; /* the largest size */
    int64_t sum;
    int64_t cells;
} tables;

/* Single items become lots; the processors that cannot move stay. */
static scalay_status write_down(scalay_energy_search *search, const tables *made, const int64_t *times)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < search->base_lots; k++)
        search->lot[k].copies -= scalay_min_int64(search->lot[k].copies, 2 * search->span);
    for (int level = 0; level < made->levels; level++)
        for (int more = 0; more < 2; more++) {
            const table *items = &made->level[level][more];
            if (!items->wanted || items->items != 1) continue;
            for (int64_t x = 0; x <= made->width; x++) {
                int64_t copies = times[items->start + x];
                search->lot[0].copies += copies;
                SCALAY_TRY(scalay_energy_take(search, 0, x, copies));
            }
        }
cleanup:
    return status;
}

#define COST double
#define NONE INFINITY
#define NAME(verb) verb##_narrow
#include "workload/min_energy_halving_worker.h"
#undef COST
#undef NONE
#undef NAME
#define COST scalay_wide
#define NONE SCALAY_NO_WIDE_COST
#define NAME(verb) verb##_wide
#include "workload/min_energy_halving_worker.h"
#undef COST
#undef NONE
#undef NAME

static int64_t half_up(int64_t a)
{
    return a >= 0 ? (a + 1) / 2 : -(-a / 2);
}

/* Which numbers of items a level needs, and for which sums. */
static void plan_level(tables *made, int level)
{
    table *here = made->level[level];
    table *below = made->level[level + 1];
    made->items[level + 1] = made->items[level] / 2;
    for (int more = 0; more < 2; more++) {
        if (!here[more].wanted || here[more].items == 1) continue;
        int64_t fewer = here[more].items / 2;
        below[fewer - made->items[level + 1]].wanted = 1;
        below[here[more].items - fewer - made->items[level + 1]].wanted = 1;
    }
    for (int more = 0; more < 2; more++) {
        below[more].items = made->items[level + 1] + more;
        below[more].low = scalay_max_int64(0, half_up(here[0].low - made->width));
        below[more].high = (here[0].high + made->width) / 2;
    }
}

/* The tables for the processors that can move. */
static void plan(const scalay_energy_search *search, tables *made)
{
    const scalay_problem_group *group = &search->problem->group[0];
    *made = (tables){.width = scalay_min_int64(group->largest, search->n), .sum = search->missing};
    for (int64_t k = 0; k < search->base_lots; k++) {
        int64_t copies = scalay_min_int64(search->lot[k].copies, 2 * search->span);
        made->items[0] += copies;
        made->sum += copies * search->lot[k].index;
    }
    made->level[0][0] = (table){1, made->items[0], made->sum, made->sum, 0};
    made->level[0][1] = (table){0, made->items[0] + 1, made->sum, made->sum, 0};
    made->levels = 1;
    while (made->items[made->levels - 1] > 1) plan_level(made, made->levels++ - 1);
    if (made->level[made->levels - 1][1].wanted) plan_level(made, made->levels++ - 1);
    for (int level = 0; level < made->levels; level++)
        for (int more = 0; more < 2; more++) {
            table *here = &made->level[level][more];
            if (here->items == 1) {
                here->low = 0;
                here->high = made->width;
            }
            here->start = made->cells;
            if (here->wanted) made->cells += here->high - here->low + 1;
        }
}

static scalay_wide highest_cost(const scalay_energy_search *search, const tables *made)
{
    const scalay_problem_group *group = &search->problem->group[0];
    const scalay_energy_lot *lot = &search->lot[0];
    scalay_wide highest = 0;
    for (int64_t x = search->least; x <= made->width; x++) {
        if (x > 0 && !scalay_energy_allowed(search, group, x)) continue;
        scalay_wide cost = scalay_reduced_cost(search, scalay_energy_at(search, group, x) - lot->energy,
                                               (x > 0) - (lot->index > 0), x - lot->index);
        if (cost > highest) highest = cost;
    }
    return highest;
}

scalay_status scalay_energy_halving(scalay_energy_search *search, scalay_wide bound, scalay_energy_verdict *verdict)
{
    scalay_status status = SCALAY_SUCCESS;
    tables made;
    plan(search, &made);
    scalay_wide most = highest_cost(search, &made) * 2 * search->span; /* of all moves together */
    *verdict = SCALAY_ENERGY_UNKNOWN;
    for (scalay_wide budget = 2 * bound + 1; *verdict == SCALAY_ENERGY_UNKNOWN; budget *= 4) {
        scalay_wide cost = -1;
        SCALAY_TRY((double)budget <= SCALAY_NARROW_COST ? solve_narrow(search, &made, budget, &cost)
                                                        : solve_wide(search, &made, budget, &cost));
        if (cost >= 0) *verdict = SCALAY_ENERGY_FOUND;
        if (cost < 0 && budget > most) *verdict = SCALAY_ENERGY_NONE;
    }
cleanup:
    return status;
}
