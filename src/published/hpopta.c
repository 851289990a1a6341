/* HPOPTA: least time on different processors (Khaleghzadeh, Reddy Manumachu, Lastovetsky 2018).
 *
 * The kernel is not printed in the supplement; it is put together here from its helpers: a tree with one level per
 * processor, points by ascending time, a threshold tau (the best time known, at first that of the even distribution),
 * size thresholds sigma, a memory of (level, units), and backtracking. A node is left as soon as its time is at most
 * the largest time chosen above it (algorithm 9: the slowest processor stands above); it remembers where it stopped.
 *
 * Repaired: algorithm 4, line 3 and 11: j is bounded by the number of points, and T_j is T_i; algorithm 8: a solution
 * is saved when there is none or when it is faster (the test is the wrong way round); a memory cell tells apart "not
 * visited" and 0. Solutions of equal time are not compared by their active processors: the printed comparison sees only
 * the few that are met, so the result would not be the fewest anyway.
 *
 * The levels are walked without recursion, as there may be many. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "published/levels.h"

enum { NEW = 0, OPEN, FINAL };

/* Mem[c][w]: w units on the processors c, c + 1, ... */
typedef struct {
    double time;  /* of the best found so far */
    int32_t size; /* of processor c in it */
    int32_t next; /* point to try: 0 is idle, k the k-th of the sorted list */
    int32_t state;
} cell;

/* A node under way. */
typedef struct {
    int64_t units;
    double above; /* the largest time chosen on the levels before */
} frame;

typedef struct {
    scalay_levels levels;
    int64_t n;
    double tau;
    cell root;
    cell *memory; /* shape [processors - 2][n + 1]: levels 1 to p - 2 */
    frame *frame; /* shape [processors] */
} search;

static cell *cell_at(search *s, int level, int64_t units)
{
    return level == 0 ? &s->root : &s->memory[(level - 1) * (s->n + 1) + units];
}

/* Whether the node need not be looked into: it is solved, or faster than what was chosen above it. */
static int is_known(search *s, int level, int64_t units, double above, double *time)
{
    *time = INFINITY;
    if (units == 0) {
        *time = 0.0;
        return 1;
    }
    if (units > s->levels.capacity[level]) return 1;
    if (level == s->levels.processors - 1) {
        *time = scalay_levels_time(&s->levels, level, units);
        return 1;
    }
    const cell *node = cell_at(s, level, units);
    if (node->state == NEW) return 0;
    *time = node->time;
    return node->state == FINAL || node->time <= above;
}

static void enter(search *s, int level, int64_t units, double above)
{
    cell *node = cell_at(s, level, units);
    if (node->state == NEW) *node = (cell){INFINITY, 0, 0, OPEN};
    s->frame[level] = (frame){units, above};
}

/* The next point of a node: 0 when there is none that could make it, or the whole, faster. */
static int next_point(const search *s, int level, const cell *node, int64_t *size, double *time)
{
    const int group = s->levels.group[level];
    *size = 0;
    if (node->next > s->levels.points[group]) return 0;
    if (node->next > 0) *size = s->levels.point[group][node->next - 1];
    *time = scalay_levels_time(&s->levels, level, *size);
    return *time < node->time && *time < s->tau;
}

static void save(search *s, int level, cell *node, int64_t size, double time)
{
    if (time >= node->time) return;
    node->time = time;
    node->size = (int32_t)size;
    if (level > 0 || time >= s->tau) return;
    s->tau = time;
    scalay_levels_limit_time(&s->levels, time);
}

/* One point of a node; returns the level to go on with. */
static int step(search *s, int level)
{
    const frame at = s->frame[level];
    cell *node = cell_at(s, level, at.units);
    int64_t size = 0;
    double time = 0.0;
    double rest = 0.0;
    if (node->state == FINAL || node->time <= at.above) return level - 1;
    if (!next_point(s, level, node, &size, &time)) {
        node->state = FINAL;
        return level - 1;
    }
    if (size > at.units) {
        node->next++;
        return level;
    }
    const double above = fmax(at.above, time);
    if (!is_known(s, level + 1, at.units - size, above, &rest)) {
        enter(s, level + 1, at.units - size, above);
        return level + 1;
    }
    save(s, level, node, size, fmax(time, rest));
    /* A remainder left early, faster than something above but not than this point, may become faster yet. */
    if (rest <= time || rest > at.above) node->next++;
    return level;
}

/* The even distribution: n / p each, the first n mod p processors one more. */
static double even_time(const search *s)
{
    const int p = s->levels.processors;
    double time = 0.0;
    for (int i = 0; i < p; i++) time = fmax(time, scalay_levels_time(&s->levels, i, s->n / p + (i < s->n % p)));
    return time;
}

static scalay_status read_even(const search *s, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    const int p = s->levels.processors;
    for (int i = 0; i < p; i++)
        SCALAY_TRY(scalay_distribution_add(distribution, s->levels.group[i], s->n / p + (i < s->n % p), 1));
cleanup:
    return status;
}

static scalay_status read_memory(search *s, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t units = s->n;
    for (int i = 0; i < s->levels.processors && units > 0; i++) {
        int64_t size = i == s->levels.processors - 1 ? units : cell_at(s, i, units)->size;
        SCALAY_TRY(scalay_distribution_add(distribution, s->levels.group[i], size, 1));
        units -= size;
    }
cleanup:
    return status;
}

static scalay_status run(search *s, scalay_distribution *distribution)
{
    double time = INFINITY;
    const double even = even_time(s);
    s->tau = even;
    scalay_levels_limit_time(&s->levels, s->tau);
    if (!is_known(s, 0, s->n, 0.0, &time)) {
        enter(s, 0, s->n, 0.0);
        for (int level = 0; level >= 0;) level = step(s, level);
        time = s->root.time;
    }
    distribution->feasible = !isinf(fmin(time, even));
    if (!distribution->feasible) return SCALAY_SUCCESS;
    return time < even ? read_memory(s, distribution) : read_even(s, distribution);
}

scalay_status scalay_hpopta(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search s = {.n = problem->n};
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_levels_create("hpopta", problem, 0, &s.levels));
    const int64_t levels = scalay_max_int64(s.levels.processors - 2, 0);
    SCALAY_TRY(scalay_published_check_memory("hpopta", levels, problem->n + 1, sizeof *s.memory));
    SCALAY_TRY(SCALAY_NEW(s.memory, levels * (problem->n + 1)));
    SCALAY_TRY(SCALAY_NEW(s.frame, s.levels.processors));
    SCALAY_TRY(run(&s, distribution));
cleanup:
    scalay_levels_free(&s.levels);
    scalay_release(s.memory);
    scalay_release(s.frame);
    return status;
}
