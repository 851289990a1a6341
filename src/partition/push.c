/*
 * Push, a local search for maps with exact counts.
 *
 * Source: the Push technique of DeFlumere and Lastovetsky, generalised to any number of parts and to costs of links.
 * The volume depends only on the number of owners of each line. A push therefore removes a part from a line on which it
 * has few cells: each of them is exchanged with a cell elsewhere whose owner is on the line anyway. For time and
 * energy, half of the moves exchange two random cells. A move that increases the objective is accepted with the
 * probability of simulated annealing. The best map found is returned.
 *
 * Time per exchange: O(1) for the volume; for links O(owners^2) for each of the four lines, and O(processors^2).
 */
#include "partition/push.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "partition/links.h"

enum { PROBES = 40, MAX_CELLS = 1 << 16, MAX_COUNTS = 1 << 20 };

/* Two exchanged cells. */
typedef struct {
    int64_t one, other;
} exchange;

/* The search. A line is a row (0 .. rows - 1) or a column (rows .. rows + cols - 1). */
typedef struct {
    const scalay_push_problem *problem;
    int64_t rows, cols;
    int parts;
    int *owner;
    int *present;      /* shape [rows + cols][parts]: cells of each part on each line */
    int64_t owners;    /* sum over the lines of their owners */
    int64_t *held;     /* links: shape [rows + cols][parts]: elements of a line of A or B that each part holds */
    int64_t *scaled;   /* links: shape [rows]: rows of B per cell row */
    int *line_owner;   /* links: shape [2 parts]: sources, then targets of a line */
    double *line_held; /* links: shape [parts] */
    scalay_link_load *load;
    double value; /* objective of the present map; owners for the volume */
    scalay_random random;
    exchange *log; /* shape [max(rows, cols)]: exchanges of the present move */
    int64_t exchanges;
} search;

int scalay_push_is_feasible(int64_t rows, int64_t cols, int parts)
{
    return parts > 1 && rows <= MAX_CELLS / cols && (rows + cols) * parts <= MAX_COUNTS;
}

static int *present(const search *s, int64_t line, int part)
{
    return &s->present[line * s->parts + part];
}

/* ------------------------------------------------------------------------------------------------------------ state */

/* Adds the lines of a cell row or column to the load of the links, or removes them (sign -1). */
static void add_line(search *s, int64_t line, double sign)
{
    const int64_t *cut = line < s->rows ? s->problem->row_cut + line : s->problem->col_cut + (line - s->rows);
    int *source = s->line_owner, *target = s->line_owner + s->parts;
    int64_t sources = 0, targets = 0;
    for (int part = 0; part < s->parts; part++) {
        if (*present(s, line, part) == 0) continue;
        target[targets++] = part;
        const int64_t held = s->held[line * s->parts + part];
        if (held == 0) continue;
        s->line_held[sources] = (double)held;
        source[sources++] = part;
    }
    scalay_link_load_add(s->load, &(scalay_link_lines){sign * (double)(cut[1] - cut[0]), sources, source, s->line_held,
                                                       targets, target});
}

/* Changes the number of cells of a part on both lines of a cell by 1 or -1. */
static void count_cell(search *s, int64_t cell, int part, int change)
{
    const int64_t row = cell / s->cols, col = cell % s->cols;
    const int64_t line[2] = {row, s->rows + col};
    for (int k = 0; k < 2; k++) {
        int *count = present(s, line[k], part);
        s->owners += (*count + change > 0) - (*count > 0);
        *count += change;
    }
    if (s->load == NULL) return;
    s->held[line[0] * s->parts + part] += change * (s->problem->col_cut[col + 1] - s->problem->col_cut[col]);
    s->held[line[1] * s->parts + part] += change * s->scaled[row];
}

static double evaluate(const search *s)
{
    if (s->load == NULL) return (double)s->owners;
    return s->problem->objective == SCALAY_PARTITION_TIME ? scalay_link_load_time(s->load)
                                                          : scalay_link_load_energy(s->load);
}

static void exchange_cells(search *s, int64_t one, int64_t other)
{
    const int64_t cell[2] = {one, other};
    const int part[2] = {s->owner[one], s->owner[other]};
    const int64_t line[4] = {one / s->cols, s->rows + one % s->cols, other / s->cols, s->rows + other % s->cols};
    const int is_new[4] = {1, 1, line[2] != line[0], line[3] != line[1]};
    for (int k = 0; s->load != NULL && k < 4; k++)
        if (is_new[k]) add_line(s, line[k], -1);
    for (int k = 0; k < 2; k++) count_cell(s, cell[k], part[k], -1);
    for (int k = 0; k < 2; k++) {
        s->owner[cell[k]] = part[1 - k];
        count_cell(s, cell[k], part[1 - k], 1);
    }
    for (int k = 0; s->load != NULL && k < 4; k++)
        if (is_new[k]) add_line(s, line[k], 1);
    s->log[s->exchanges++] = (exchange){one, other};
}

static void undo_exchanges(search *s)
{
    while (s->exchanges > 0) {
        const exchange last = s->log[s->exchanges - 1];
        exchange_cells(s, last.one, last.other);
        s->exchanges -= 2;
    }
}

/* ------------------------------------------------------------------------------------------------------------ moves */

/* Returns the change of the sum of owners if a cell is given to part `to`. */
static int64_t price(const search *s, int64_t cell, int to)
{
    const int64_t line[2] = {cell / s->cols, s->rows + cell % s->cols};
    const int from = s->owner[cell];
    int64_t cost = 0;
    for (int k = 0; k < 2; k++) cost += (*present(s, line[k], to) == 0) - (*present(s, line[k], from) == 1);
    return cost;
}

/* Chooses a part to remove from a line: one with few cells on it, but not the only one. -1: none. */
static int choose_part(search *s, int64_t line)
{
    int64_t least = INT64_MAX;
    int chosen = -1, parts = 0;
    for (int part = 0; part < s->parts; part++) {
        const int cells = *present(s, line, part);
        if (cells == 0) continue;
        parts++;
        const int64_t key = 4 * (int64_t)cells + scalay_random_below(&s->random, 2 * ((int64_t)cells + 2));
        if (key >= least) continue;
        least = key;
        chosen = part;
    }
    return parts > 1 ? chosen : -1;
}

/* Chooses a cell to exchange: not on the line, with an owner that is on the line; of random ones the cheapest. -1:
 * none. */
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

/* Removes a part from a line. Returns 0 if a cell has no partner or the sum of owners exceeds a bound. */
static int clear_line(search *s, int64_t line, int part, int64_t bound)
{
    const int is_row = line < s->rows;
    const int64_t length = is_row ? s->cols : s->rows;
    for (int64_t k = 0; k < length; k++) {
        const int64_t cell = is_row ? line * s->cols + k : k * s->cols + (line - s->rows);
        if (s->owner[cell] != part) continue;
        const int64_t partner = choose_partner(s, cell, line);
        if (partner < 0) return 0;
        exchange_cells(s, cell, partner);
        if (s->owners > bound) return 0;
    }
    return 1;
}

static int push_line(search *s)
{
    const int64_t line = scalay_random_below(&s->random, s->rows + s->cols);
    const int part = choose_part(s, line);
    return part >= 0 && clear_line(s, line, part, s->owners + 3);
}

static int exchange_random_cells(search *s)
{
    const int64_t cells = s->rows * s->cols;
    const int64_t one = scalay_random_below(&s->random, cells), other = scalay_random_below(&s->random, cells);
    if (s->owner[one] == s->owner[other]) return 0;
    exchange_cells(s, one, other);
    return 1;
}

/* Makes one move, and keeps it with the probability of simulated annealing. */
static void step(search *s, double temperature)
{
    s->exchanges = 0;
    const int exchanges = s->load != NULL && scalay_random_below(&s->random, 2) == 0;
    const int done = exchanges ? exchange_random_cells(s) : push_line(s);
    const double value = done ? evaluate(s) : INFINITY, worse = value - s->value;
    if (!done || (worse > 0 && scalay_random_unit(&s->random) >= exp(-worse / temperature)))
        undo_exchanges(s);
    else
        s->value = value;
}

/* ----------------------------------------------------------------------------------------------------------- search */

/* Returns a lower bound on the sum of owners: the lines of the best rectangle of each part. */
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

/* Parameters of the annealing. Temperatures are in owners for the volume, else relative to the cost of a line. */
typedef struct {
    int64_t steps;
    double hottest, coldest;
    double bound; /* the search ends at this value */
} cooling;

static cooling choose_cooling(const search *s)
{
    const int64_t lines = s->rows + s->cols;
    if (s->load == NULL) return (cooling){30 * lines, 0.5, 1e-9, (double)lower_bound(s)};
    const int64_t work = (int64_t)s->problem->links->processors * s->problem->links->processors + 16;
    const int64_t steps = scalay_min_int64(scalay_max_int64(20000, 400 * lines), 40000000 / work);
    const double line_cost = s->value / (double)lines;
    return (cooling){steps, 0.5 * line_cost, 1e-3 * line_cost, 0};
}

static void improve(search *s, int *best)
{
    const int64_t cells = s->rows * s->cols;
    const cooling at = choose_cooling(s);
    double least = s->value;
    memcpy(best, s->owner, (size_t)cells * sizeof *best);
    for (int64_t k = 0; k < at.steps && least > at.bound; k++) {
        step(s, at.hottest + (at.coldest - at.hottest) * (double)k / (double)at.steps);
        if (s->value >= least) continue;
        least = s->value;
        memcpy(best, s->owner, (size_t)cells * sizeof *best);
    }
    memcpy(s->owner, best, (size_t)cells * sizeof *best);
}

/* Rows of B per cell row: B has as many rows as C has columns, and is cut in the proportions of C. */
static scalay_status create_load(search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t *cut = s->problem->row_cut, m = cut[s->rows], n = s->problem->col_cut[s->cols];
    const int64_t lines = s->rows + s->cols;
    SCALAY_TRY(SCALAY_NEW(s->scaled, s->rows));
    SCALAY_TRY(SCALAY_NEW(s->held, lines * s->parts));
    SCALAY_TRY(SCALAY_NEW(s->line_owner, 2 * (int64_t)s->parts));
    SCALAY_TRY(SCALAY_NEW(s->line_held, s->parts));
    SCALAY_TRY(scalay_link_load_create(s->problem->links, &s->load));
    for (int64_t r = 0; r < s->rows; r++)
        s->scaled[r] = scalay_ceil_div(cut[r + 1] * n, m) - scalay_ceil_div(cut[r] * n, m);
cleanup:
    return status;
}

scalay_status scalay_push(const scalay_push_problem *problem, int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t lines = problem->rows + problem->cols, cells = problem->rows * problem->cols;
    search s = {
        .problem = problem, .rows = problem->rows, .cols = problem->cols, .parts = problem->parts, .owner = owner};
    int *best = NULL;
    s.random = scalay_random_seed(problem->seed);
    SCALAY_TRY(SCALAY_NEW(s.present, lines * s.parts));
    SCALAY_TRY(SCALAY_NEW(s.log, scalay_max_int64(s.rows, s.cols) + 1));
    SCALAY_TRY(SCALAY_NEW(best, cells));
    if (problem->objective != SCALAY_PARTITION_VOLUME) SCALAY_TRY(create_load(&s));
    for (int64_t cell = 0; cell < cells; cell++) count_cell(&s, cell, owner[cell], 1);
    for (int64_t line = 0; s.load != NULL && line < lines; line++) add_line(&s, line, 1);
    s.value = evaluate(&s);
    improve(&s, best);
cleanup:
    scalay_link_load_destroy(&s.load);
    scalay_release(s.present);
    scalay_release(s.held);
    scalay_release(s.scaled);
    scalay_release(s.line_owner);
    scalay_release(s.line_held);
    scalay_release(s.log);
    scalay_release(best);
    return status;
}
