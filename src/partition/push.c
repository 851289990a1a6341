/* Source: the Push technique of DeFlumere and Lastovetsky, generalised to any number of processors as the facts about
 * f_c allow: only how many owners a line has counts, not where its cells are. */
#include "partition/push.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"

enum { PROBES = 40, MOST_CELLS = 1 << 16, MOST_COUNTS = 1 << 20 };

/* A swap of two cells, to be taken back. */
typedef struct {
    int64_t one, other;
} swap;

/* The search. A line is a row (0 .. rows - 1) or a column (rows .. rows + cols - 1). */
typedef struct {
    int64_t rows, cols;
    int parts;
    int *owner;
    int *present; /* shape [rows + cols][parts]: cells of each part on each line */
    int64_t cost; /* owners, summed over the lines */
    scalay_random random;
    swap *log; /* shape [max(rows, cols)] */
    int64_t swaps;
} search;

int scalay_push_is_for(int64_t rows, int64_t cols, int parts)
{
    return parts > 1 && rows <= MOST_CELLS / cols && (rows + cols) * parts <= MOST_COUNTS;
}

static int *present(const search *s, int64_t line, int part)
{
    return &s->present[line * s->parts + part];
}

static void leave(search *s, int64_t line, int part)
{
    s->cost -= --*present(s, line, part) == 0;
}

static void join(search *s, int64_t line, int part)
{
    s->cost += (*present(s, line, part))++ == 0;
}

static void swap_cells(search *s, int64_t one, int64_t other)
{
    const int64_t cell[2] = {one, other};
    const int part[2] = {s->owner[one], s->owner[other]};
    for (int k = 0; k < 2; k++) {
        leave(s, cell[k] / s->cols, part[k]);
        leave(s, s->rows + cell[k] % s->cols, part[k]);
    }
    for (int k = 0; k < 2; k++) {
        s->owner[cell[k]] = part[1 - k];
        join(s, cell[k] / s->cols, part[1 - k]);
        join(s, s->rows + cell[k] % s->cols, part[1 - k]);
    }
}

/* What giving cell to part `to` costs, everything else staying. */
static int64_t price(const search *s, int64_t cell, int to)
{
    const int64_t line[2] = {cell / s->cols, s->rows + cell % s->cols};
    const int from = s->owner[cell];
    int64_t cost = 0;
    for (int k = 0; k < 2; k++) cost += (*present(s, line[k], to) == 0) - (*present(s, line[k], from) == 1);
    return cost;
}

/* The part that is to leave a line: one with few cells there, but not alone; -1: none. */
static int choose_part(search *s, int64_t line)
{
    int64_t fewest = INT64_MAX;
    int chosen = -1, parts = 0;
    for (int part = 0; part < s->parts; part++) {
        const int cells = *present(s, line, part);
        if (cells == 0) continue;
        parts++;
        const int64_t key = 4 * (int64_t)cells + scalay_random_below(&s->random, 2 * ((int64_t)cells + 2));
        if (key >= fewest) continue;
        fewest = key;
        chosen = part;
    }
    return parts > 1 ? chosen : -1;
}

/* A cell to swap with: off the line, of a part that is on it; of some at random the cheapest. -1: none found. */
static int64_t choose_partner(search *s, int64_t cell, int64_t line)
{
    const int part = s->owner[cell];
    int64_t best = -1, least = INT64_MAX;
    for (int k = 0; k < PROBES; k++) {
        const int64_t probe = scalay_random_below(&s->random, s->rows * s->cols);
        const int other = s->owner[probe];
        if (probe / s->cols == line || s->rows + probe % s->cols == line) continue;
        if (other == part || *present(s, line, other) == 0) continue;
        const int64_t cost = price(s, probe, part) + price(s, cell, other);
        if (cost > least || (cost == least && scalay_random_below(&s->random, 2) == 0)) continue;
        least = cost;
        best = probe;
    }
    return best;
}

/* Swaps all cells of a part off a line; 0 when that fails or becomes too dear on the way. */
static int clear_line(search *s, int64_t line, int part, int64_t bound)
{
    const int is_row = line < s->rows;
    const int64_t length = is_row ? s->cols : s->rows;
    for (int64_t k = 0; k < length; k++) {
        const int64_t cell = is_row ? line * s->cols + k : k * s->cols + (line - s->rows);
        if (s->owner[cell] != part) continue;
        const int64_t partner = choose_partner(s, cell, line);
        if (partner < 0) return 0;
        swap_cells(s, cell, partner);
        s->log[s->swaps++] = (swap){cell, partner};
        if (s->cost > bound) return 0;
    }
    return 1;
}

static void take_back(search *s)
{
    while (s->swaps > 0) {
        const swap last = s->log[--s->swaps];
        swap_cells(s, last.one, last.other);
    }
}

/* One push; heat is how much dearer it may make the map, in lines, about. */
static void push_once(search *s, double heat)
{
    const int64_t line = scalay_random_below(&s->random, s->rows + s->cols), before = s->cost;
    const int part = choose_part(s, line);
    if (part < 0) return;
    s->swaps = 0;
    const int done = clear_line(s, line, part, before + 3);
    const double dearer = (double)(s->cost - before);
    if (!done || (dearer > 0 && scalay_random_unit(&s->random) >= exp(-dearer / heat))) take_back(s);
}

/* No map of these counts costs less: what each part's best rectangle has in lines. */
static int64_t lower_bound(const search *s)
{
    int64_t bound = 0;
    for (int part = 0; part < s->parts; part++) {
        int64_t cells = 0, best = INT64_MAX;
        for (int64_t i = 0; i < s->rows; i++) cells += *present(s, i, part);
        for (int64_t rows = 1; rows <= s->rows && cells > 0; rows++) {
            const int64_t cols = scalay_ceil_div(cells, rows);
            if (cols <= s->cols) best = scalay_min_int64(best, rows + cols);
        }
        if (cells > 0) bound += best;
    }
    return bound;
}

static void improve(search *s, int *best)
{
    const int64_t cells = s->rows * s->cols, pushes = 30 * (s->rows + s->cols), bound = lower_bound(s);
    int64_t least = s->cost;
    memcpy(best, s->owner, (size_t)cells * sizeof *best);
    for (int64_t k = 0; k < pushes && least > bound; k++) {
        push_once(s, 0.5 * (1 - (double)k / (double)pushes) + 1e-9);
        if (s->cost >= least) continue;
        least = s->cost;
        memcpy(best, s->owner, (size_t)cells * sizeof *best);
    }
    memcpy(s->owner, best, (size_t)cells * sizeof *best);
}

scalay_status scalay_push(int64_t rows, int64_t cols, int parts, uint64_t seed, int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    search s = {.rows = rows, .cols = cols, .parts = parts, .owner = owner};
    int *best = NULL;
    s.random = scalay_random_seed(seed);
    SCALAY_TRY(SCALAY_NEW(s.present, (rows + cols) * parts));
    SCALAY_TRY(SCALAY_NEW(s.log, scalay_max_int64(rows, cols)));
    SCALAY_TRY(SCALAY_NEW(best, rows * cols));
    for (int64_t cell = 0; cell < rows * cols; cell++) {
        join(&s, cell / cols, owner[cell]);
        join(&s, rows + cell % cols, owner[cell]);
    }
    improve(&s, best);
cleanup:
    scalay_release(s.present);
    scalay_release(s.log);
    scalay_release(best);
    return status;
}
