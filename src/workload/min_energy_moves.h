#ifndef SCALAY_WORKLOAD_MIN_ENERGY_MOVES_H
#define SCALAY_WORKLOAD_MIN_ENERGY_MOVES_H

/**
 * @file
 * Sums of moves of limited cost: what min_energy_moves.c lists and min_energy_doubling.c plans to make in little
 * memory. Those have the reasons.
 */

#include "workload/min_energy.h"

/** The moves of one lot. */
typedef struct {
    int64_t first;
    int64_t count;
    int64_t lowest; /* the shortest way, at most 0 */
    int64_t highest;
    int64_t copies; /* that may make one of them */
} scalay_moves_run;

/** The sums of moves that are looked at: a table of columns, and of rows where active processors are counted. */
typedef struct {
    int64_t low;  /* the sum of the first column */
    int64_t fall; /* the active processors of the first row */
    int64_t columns;
    int64_t rows;
    int64_t cells;  /* INT64_MAX: too many to count */
    int64_t origin; /* the cell of no moves */
    int64_t target; /* the cell of what the base lacks */
} scalay_moves_window;

/** Columns that can be reached. */
typedef struct {
    int64_t first;
    int64_t last;
} scalay_moves_span;

enum { SCALAY_MOVES_LEVELS = 64 };

/** Sums of the moves of copies / 2^level of each lot. */
typedef struct {
    scalay_moves_window window;
    int64_t extras; /* lots with a copy more than twice those of the next level */
} scalay_moves_level;

/** All levels: from all copies to none. */
typedef struct {
    int levels;
    scalay_moves_level level[SCALAY_MOVES_LEVELS + 1];
    int64_t apart;  /* columns by which two halves differ at most */
    int64_t widest; /* of a level, in cells */
    int64_t most_extras;
    int64_t kept_levels; /* rows that are kept of the levels, at least 1 */
    int64_t kept_extras; /* and of the extras of one */
} scalay_moves_plan;

/**
 * Plans the levels.
 * @param[in]  search  whose moves they are
 * @param[in]  range   the window of all moves together
 * @param[in]  run     shape [count]
 * @param[out] plan    what to look at on each level
 */
void scalay_moves_plan_levels(const scalay_energy_search *search, const scalay_moves_window *range,
                              const scalay_moves_run *run, int64_t count, scalay_moves_plan *plan);

/** How many of some steps are made at first on the way to the last, from where with one row less that is walked back
 * to: at least 1, and less than all of at least 2 steps. Needs a row. */
int64_t scalay_moves_split(int64_t steps, int64_t rows);

/** Fills in cells, origin and target of a window. */
void scalay_moves_close_window(const scalay_energy_search *search, scalay_moves_window *window);

/** Lists the extras of a level: numbers of runs, shape [plan->level[level].extras]. */
void scalay_moves_list_extras(const scalay_moves_run *run, int64_t count, int level, int64_t *extra);

#endif
