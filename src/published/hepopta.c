/* HEPOPTA: the front of time and dynamic energy on different processors (Khaleghzadeh et al. 2020, algorithms 1, 2 and
 * 7 to 13).
 *
 * A tree with one level per processor, points by ascending energy, a threshold epsilon (the energy of HPOPTA's
 * distribution), size thresholds sigma, and a set of partial distributions for every node, merged from those of its
 * children. The paper keeps the sets in maps. Here they are sorted arrays (pareto.h), which are faster.
 * Repaired:
 *   algorithm 2, line 5     every level but the last returned FALSE; lines 36 to 38: the root has to be merged too
 *   algorithm 7             a hole reads as -1 and passed as a cheap solution
 *   algorithm 10            what is kept is up to epsilon, as everywhere else: the text's "or equal" cuts it off
 *   algorithm 12            see pareto.c
 * The fewest active processors hold only node by node: a partial distribution that is slower, but not slower than the
 * rest, may have fewer.
 *
 * The levels are walked without recursion, as there may be many. */
#include "base/integer.h"
#include "base/memory.h"
#include "published/levels.h"
#include "published/pareto.h"

enum { NEW = 0, OPEN, FINAL };

/* PMem[c][w]. */
typedef struct {
    scalay_partial_set set;
    int32_t state;
} cell;

/* The partial distributions of a child: those of its cell, or one. */
typedef struct {
    const cell *cell; /* NULL: `one`, when `has_one` */
    int has_one;
    scalay_partial one;
} child;

/* A node under way. */
typedef struct {
    int64_t units;
    int64_t next; /* point: 0 is idle, k the k-th of the sorted list */
} frame;

typedef struct {
    scalay_levels levels;
    int64_t n;
    int64_t epsilon;
    int64_t elements; /* of all sets */
    cell *memory;     /* shape [processors - 1][n + 1]; of level 0 only the root is used */
    frame *frame;     /* shape [processors] */
} search;

static cell *cell_at(const search *s, int level, int64_t units)
{
    return &s->memory[level * (s->n + 1) + units];
}

static int is_last(const search *s, int level)
{
    return level == s->levels.processors - 1;
}

/* Whether the sets below a child need not be built any more. */
static int is_known(const search *s, int level, int64_t units)
{
    if (units == 0 || units > s->levels.capacity[level] || is_last(s, level)) return 1;
    return cell_at(s, level, units)->state == FINAL;
}

static child child_of(const search *s, int level, int64_t units)
{
    child made = {NULL, units == 0, {0}};
    if (units == 0 || units > s->levels.capacity[level]) return made;
    if (!is_last(s, level)) {
        made.cell = cell_at(s, level, units);
        return made;
    }
    made.one.energy = scalay_levels_energy(&s->levels, level, units);
    made.one.time = scalay_levels_time(&s->levels, level, units);
    made.one.active = 1;
    made.one.size = (int32_t)units;
    made.has_one = made.one.energy <= s->epsilon;
    return made;
}

/* The partial distribution of least energy; NULL: there is none. */
static const scalay_partial *first_of(const child *of)
{
    if (of->cell == NULL) return of->has_one ? &of->one : NULL;
    return of->cell->set.count > 0 ? of->cell->set.partial : NULL;
}

static const scalay_partial *next_of(const child *of, const scalay_partial *partial)
{
    if (of->cell == NULL) return NULL;
    return partial + 1 < of->cell->set.partial + of->cell->set.count ? partial + 1 : NULL;
}

/* The points that a node tries: 0 when there is none any more. */
static int point_at(const search *s, int level, int64_t k, int64_t *size)
{
    const int group = s->levels.group[level];
    *size = 0;
    if (k > s->levels.points[group]) return 0;
    if (k > 0) *size = s->levels.point[group][k - 1];
    return scalay_levels_energy(&s->levels, level, *size) <= s->epsilon;
}

/* A size for the processor of a node, with everything the others can do with the rest. */
static scalay_status merge(search *s, int level, int64_t units, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    const child rest = child_of(s, level + 1, units - size);
    const double time = scalay_levels_time(&s->levels, level, size);
    const int64_t energy = scalay_levels_energy(&s->levels, level, size);
    const scalay_partial *part = first_of(&rest);
    if (part != NULL && part->energy > s->epsilon) return SCALAY_SUCCESS; /* algorithm 10, line 6 */
    for (int32_t k = 0; part != NULL; k++, part = next_of(&rest, part)) {
        const scalay_partial whole = {part->energy + energy,
                                      part->time > time ? part->time : time,
                                      part->active + (size > 0),
                                      (int32_t)size,
                                      1,
                                      k};
        SCALAY_TRY(scalay_partial_set_add(&cell_at(s, level, units)->set, &whole));
        if (part->time <= time) break;
    }
cleanup:
    return status;
}

static scalay_status finish(search *s, int level, int64_t units)
{
    scalay_status status = SCALAY_SUCCESS;
    cell *node = cell_at(s, level, units);
    int64_t size = 0;
    for (int64_t k = 0; point_at(s, level, k, &size); k++)
        if (size <= units) SCALAY_TRY(merge(s, level, units, size));
    node->state = FINAL;
    s->elements += node->set.capacity;
    SCALAY_TRY(scalay_published_check_memory("hepopta", 1, s->elements, sizeof(scalay_partial)));
cleanup:
    return status;
}

/* One child of a node; changes to the level to go on with. */
static scalay_status step(search *s, int *level)
{
    frame *at = &s->frame[*level];
    int64_t size = 0;
    if (!point_at(s, *level, at->next, &size)) return finish(s, (*level)--, at->units);
    if (size > at->units || is_known(s, *level + 1, at->units - size)) {
        at->next++;
        return SCALAY_SUCCESS;
    }
    ++*level;
    s->frame[*level] = (frame){at->units - size, 0};
    cell_at(s, *level, at->units - size)->state = OPEN;
    return SCALAY_SUCCESS;
}

/* Algorithm 1, lines 3 and 4. */
static scalay_status find_epsilon(search *s, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *problem = s->levels.problem;
    scalay_distribution fastest = {0};
    SCALAY_TRY(scalay_hpopta(problem, &fastest));
    *feasible = fastest.feasible;
    s->epsilon += scalay_distribution_energy(problem, &fastest);
cleanup:
    scalay_distribution_free(&fastest);
    return status;
}

/* The partial distribution of the rest, by its number. */
static const scalay_partial *rest_of(const search *s, int level, int64_t units, const scalay_partial *partial)
{
    return &cell_at(s, level + 1, units - partial->size)->set.partial[partial->rest];
}

static scalay_status read_distribution(const search *s, const scalay_partial *partial,
                                       scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t units = s->n;
    for (int level = 0; units > 0; level++) {
        const int64_t size = is_last(s, level) ? units : partial->size;
        SCALAY_TRY(scalay_distribution_add(distribution, s->levels.group[level], size, 1));
        if (units > size && !is_last(s, level + 1)) partial = rest_of(s, level, units, partial);
        units -= size;
    }
    distribution->feasible = 1;
cleanup:
    return status;
}

static scalay_status read_front(const search *s, int64_t *count, scalay_point **point,
                                scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partial_set root = {0};
    const child whole = child_of(s, 0, s->n);
    for (const scalay_partial *partial = first_of(&whole); partial != NULL; partial = next_of(&whole, partial)) {
        SCALAY_TRY(SCALAY_GROW(root.partial, root.capacity, root.count + 1));
        root.partial[root.count++] = *partial;
    }
    SCALAY_TRY(scalay_partial_set_front(&root, count, point, distribution));
    for (int64_t k = 0; k < *count; k++)
        SCALAY_TRY(read_distribution(s, &root.partial[*count - 1 - k], &(*distribution)[k]));
cleanup:
    scalay_partial_set_free(&root);
    return status;
}

static scalay_status run(search *s, const scalay_problem *problem, int64_t *count, scalay_point **point,
                         scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int feasible = 0;
    SCALAY_TRY(scalay_levels_create("hepopta", problem, 1, &s->levels));
    SCALAY_TRY(find_epsilon(s, &feasible));
    if (!feasible) goto cleanup;
    scalay_levels_limit_energy(&s->levels, s->epsilon);
    const int64_t levels = s->levels.processors - 1;
    SCALAY_TRY(scalay_published_check_memory("hepopta", levels, s->n + 1, sizeof *s->memory));
    SCALAY_TRY(SCALAY_NEW(s->memory, levels * (s->n + 1)));
    SCALAY_TRY(SCALAY_NEW(s->frame, levels + 1));
    s->frame[0] = (frame){s->n, 0};
    for (int level = is_known(s, 0, s->n) ? -1 : 0; level >= 0;) SCALAY_TRY(step(s, &level));
    SCALAY_TRY(read_front(s, count, point, distribution));
cleanup:
    return status;
}

scalay_status scalay_hepopta(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                             scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search s = {.n = problem->n};
    (void)power;
    *count = 0;
    *point = NULL;
    *distribution = NULL;
    if (problem->divisible && problem->n > 0) {
        SCALAY_TRY(run(&s, problem, count, point, distribution));
    } else if (problem->divisible) {
        scalay_partial nothing = {0};
        SCALAY_TRY(scalay_partial_set_front(&(scalay_partial_set){1, 1, &nothing}, count, point, distribution));
        (*distribution)[0].feasible = 1;
    }
cleanup:
    if (status != SCALAY_SUCCESS) scalay_front_release(count, point, distribution);
    if (s.memory != NULL)
        for (int64_t k = 0; k < (s.levels.processors - 1) * (s.n + 1); k++) scalay_partial_set_free(&s.memory[k].set);
    scalay_release(s.memory);
    scalay_release(s.frame);
    scalay_levels_free(&s.levels);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- HTPOPTA */

/* HTPOPTA: the front of time and total energy (Khaleghzadeh et al. 2020, algorithm 3): HEPOPTA's points, without those
 * that a faster one undercuts in energy + base power x time.
 *
 * Repaired: line 22 prefers the distribution with fewer idle processors where fewer active ones are meant. It cannot
 * happen: HEPOPTA's points differ in time. */

scalay_status scalay_htpopta(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                             scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t all = 0;
    int64_t kept = 0;
    double least = 0.0;
    SCALAY_TRY(scalay_hepopta(problem, power, &all, point, distribution));
    for (int64_t k = 0; k < all; k++) {
        const double total = (double)(*point)[k].energy + power * (*point)[k].time;
        if (kept > 0 && power >= 0.0 && total >= least) {
            scalay_distribution_free(&(*distribution)[k]);
            continue;
        }
        const scalay_distribution moved = (*distribution)[k];
        (*distribution)[k] = (scalay_distribution){0};
        (*distribution)[kept] = moved;
        (*point)[kept] = (*point)[k];
        kept++;
        least = total;
    }
cleanup:
    *count = kept;
    return status;
}
