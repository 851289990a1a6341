/*
 * Sums of moves in little memory: twice the sums of half as many processors. Of an even number of processors of each
 * lot, pair them up within the lots and give one of each pair to either half: moves of a pair differ by no more than
 * the lot's moves do, and whoever gets which can be chosen such that the sums of the halves differ by no more than one
 * pair may (by twice that in two dimensions, where active processors are counted: Barany and Grinberg 1981). So the
 * sums of copies / 2^(l+1) of each lot, twice, and then one more processor, an extra, of each lot with an odd number,
 * make those of copies / 2^l; and as every level leads to the one target, windows about as wide as all lots' moves
 * together, one processor each, are enough on all of them. Processors that all differ are extras of the first level.
 *
 * The way back needs the sums of every level, and on each level the rows before every extra, from the last to the
 * first. Some are kept and those between made again from them, spaced such that with r rows a chain of (r + t)! / r! t!
 * is walked back with each made t times (Griewank 1992).
 *
 * Memory, with sizes that add up to s: O(s), whatever the number of processors; with active processors counted, times
 * the lots that can move. Cost of a budget with windows of w cells: O(w s) a level, and t times that for the way back,
 * t at most 3 for 165 levels or extras.
 */
#include "workload/min_energy_moves.h"

#include "base/integer.h"

enum { LEAST_ROWS = 8 };

void scalay_moves_close_window(const scalay_energy_search *search, scalay_moves_window *window)
{
    if (!scalay_multiply_int64(window->rows, window->columns, &window->cells)) {
        window->cells = INT64_MAX;
        return;
    }
    window->origin = -window->fall * window->columns - window->low;
    window->target = window->origin + (search->counted ? search->rising * window->columns : 0) + search->missing;
}

static int is_extra(const scalay_moves_run *run, int level)
{
    return (int)(run->copies >> level & 1);
}

void scalay_moves_list_extras(const scalay_moves_run *run, int64_t count, int level, int64_t *extra)
{
    for (int64_t k = 0; k < count; k++)
        if (is_extra(&run[k], level)) *extra++ = k;
}

static int64_t half_down(int64_t a)
{
    return a >= 0 ? a / 2 : -((1 - a) / 2);
}

/* What of [low, high] and of the window of all moves together there is. */
static void cut_window(const scalay_moves_window *range, int64_t low, int64_t high, int64_t fall, int64_t rise,
                       scalay_moves_window *window)
{
    const int64_t last = scalay_min_int64(high, range->low + range->columns - 1);
    const int64_t top = scalay_min_int64(rise, range->fall + range->rows - 1);
    window->low = scalay_max_int64(low, range->low);
    window->columns = scalay_max_int64(0, last - window->low + 1);
    window->fall = scalay_max_int64(fall, range->fall);
    window->rows = scalay_max_int64(0, top - window->fall + 1);
}

/* The window of a level, from what its sums have to be in the end: its extras may still be to come. */
static void plan_level(const scalay_energy_search *search, const scalay_moves_window *range,
                       const scalay_moves_run *run, int64_t count, int64_t low, int64_t high, int64_t fall,
                       int64_t rise, int at, scalay_moves_level *level)
{
    level->extras = 0;
    for (int64_t k = 0; k < count; k++) {
        if (!is_extra(&run[k], at)) continue;
        level->extras++;
        low -= scalay_max_int64(run[k].highest, 0);
        high -= run[k].lowest;
    }
    if (search->counted) {
        fall -= level->extras;
        rise += level->extras;
    }
    cut_window(range, low, high, fall, rise, &level->window);
}

/* How many steps can be walked back with some rows kept and each step made at most so many times. */
static int64_t longest_chain(int64_t rows, int64_t times)
{
    int64_t steps = 1;
    for (int64_t k = 1; k <= scalay_min_int64(rows, times) && steps < INT32_MAX; k++)
        steps = steps * (rows + times + 1 - k) / k;
    return steps;
}

int64_t scalay_moves_split(int64_t steps, int64_t rows)
{
    int64_t times = 1;
    while (longest_chain(rows, times) < steps) times++;
    return steps - scalay_min_int64(steps - 1, longest_chain(rows - 1, times));
}

/* So many rows of a chain as memory allows. */
static int64_t count_rows(const scalay_moves_plan *plan, int64_t most_cells, int64_t steps)
{
    const int64_t rows = scalay_max_int64(most_cells / scalay_max_int64(plan->widest, 1), LEAST_ROWS);
    return scalay_max_int64(scalay_min_int64(rows, steps - 1), 1);
}

/* What the most that two halves differ by follows from, and how many levels there are. */
static void measure(const scalay_energy_search *search, const scalay_moves_run *run, int64_t count,
                    scalay_moves_plan *plan)
{
    int64_t copies = 0;
    for (int64_t k = 0; k < count; k++) {
        plan->apart = scalay_max_int64(plan->apart, scalay_max_int64(run[k].highest, 0) - run[k].lowest);
        copies = scalay_max_int64(copies, run[k].copies);
    }
    if (search->counted) plan->apart *= 2;
    while (copies >> plan->levels > 0) plan->levels++;
}

void scalay_moves_plan_levels(const scalay_energy_search *search, const scalay_moves_window *range,
                              const scalay_moves_run *run, int64_t count, scalay_moves_plan *plan)
{
    const int64_t rows_apart = search->counted ? 2 : 0;
    int64_t low = search->missing;
    int64_t high = search->missing;
    int64_t fall = search->counted ? search->rising : 0;
    int64_t rise = fall;
    *plan = (scalay_moves_plan){0};
    measure(search, run, count, plan);
    for (int l = 0; l <= plan->levels; l++) {
        scalay_moves_level *level = &plan->level[l];
        scalay_moves_window *window = &level->window;
        plan_level(search, range, run, count, low, high, fall, rise, l, level);
        if (l == plan->levels) cut_window(window, 0, 0, 0, 0, window);
        scalay_moves_close_window(search, window);
        plan->widest = scalay_max_int64(plan->widest, window->cells);
        plan->most_extras = scalay_max_int64(plan->most_extras, level->extras);
        low = half_down(window->low - plan->apart);
        high = half_down(window->low + window->columns + plan->apart);
        fall = half_down(window->fall - rows_apart);
        rise = half_down(window->fall + window->rows + rows_apart);
    }
    plan->kept_levels = count_rows(plan, search->most_cells, plan->levels);
    plan->kept_extras = count_rows(plan, search->most_cells, plan->most_extras);
}
