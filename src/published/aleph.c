/* ALEPH: the front of time and dynamic energy on identical processors (Reddy Manumachu and Lastovetsky 2018, which
 * paper 000 and 001 cite and describe).
 *
 * Built on what POPTA and EOPTA do (see copies.h): a node is n units on p processors, r processors get the same size
 * x > n / p and the node of n - r x units on p - r processors the rest, from r = 1 to p - 1; the even distribution is
 * one more choice. In place of one value a node keeps the set of its partial distributions, as HEPOPTA does. The fewest
 * active processors hold only node by node. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "published/pareto.h"

enum { NEW = 0, OPEN, CLOSED };

typedef struct {
    scalay_partial_set set;
    int32_t state;
} cell;

/* A node under way. */
typedef struct {
    int64_t n;
    int64_t p;
    int64_t size;
    int64_t copies;
} frame;

typedef struct {
    const scalay_problem_group *group;
    int64_t n;
    int64_t processors;
    int64_t elements; /* of all sets */
    cell *cells;      /* shape [processors + 1][n + 1] */
    frame *stack;
    int64_t depth;
    int64_t capacity;
} search;

static cell *cell_at(const search *s, int64_t n, int64_t p)
{
    return &s->cells[p * (s->n + 1) + n];
}

static int is_listed(const search *s, int64_t size)
{
    return size <= s->group->largest && !isinf(s->group->time[size]);
}

/* Nodes without a cell of their own: nothing to distribute, or too much. */
static int has_cell(const search *s, int64_t n, int64_t p)
{
    return n > 0 && scalay_ceil_div(n, p) <= s->group->largest;
}

static scalay_partial_set set_of(const search *s, int64_t n, int64_t p, scalay_partial *nothing)
{
    *nothing = (scalay_partial){0};
    if (n == 0) return (scalay_partial_set){1, 1, nothing};
    return has_cell(s, n, p) ? cell_at(s, n, p)->set : (scalay_partial_set){0};
}

/* The even distribution is marked by copies = 0. */
static scalay_status add_even(search *s, int64_t n, int64_t p)
{
    const int64_t size = n / p;
    const int64_t more = n % p;
    const scalay_problem_group *group = s->group;
    if (!is_listed(s, size) || (more > 0 && !is_listed(s, size + 1))) return SCALAY_SUCCESS;
    const scalay_partial even = {.energy =
                                     (p - more) * group->energy[size] + (more > 0 ? more * group->energy[size + 1] : 0),
                                 .time = fmax(group->time[size], more > 0 ? group->time[size + 1] : 0.0),
                                 .active = (int32_t)(size > 0 ? p : more)};
    return scalay_partial_set_add(&cell_at(s, n, p)->set, &even);
}

static scalay_status push(search *s, int64_t n, int64_t p)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(s->stack, s->capacity, s->depth + 1));
    s->stack[s->depth++] = (frame){n, p, n / p + 1, 1};
    cell_at(s, n, p)->state = OPEN;
    SCALAY_TRY(add_even(s, n, p));
cleanup:
    return status;
}

static scalay_status merge(search *s, const frame *at)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partial nothing;
    const scalay_partial_set rest = set_of(s, at->n - at->copies * at->size, at->p - at->copies, &nothing);
    const int64_t energy = at->copies * s->group->energy[at->size];
    const double time = s->group->time[at->size];
    for (int64_t k = 0; k < rest.count; k++) {
        const scalay_partial *part = &rest.partial[k];
        const scalay_partial whole = {part->energy + energy, fmax(part->time, time), part->active + (int32_t)at->copies,
                                      (int32_t)at->size,     (int32_t)at->copies,    (int32_t)k};
        SCALAY_TRY(scalay_partial_set_add(&cell_at(s, at->n, at->p)->set, &whole));
        if (part->time <= time) break;
    }
cleanup:
    return status;
}

static scalay_status close_node(search *s)
{
    const frame *at = &s->stack[--s->depth];
    cell *node = cell_at(s, at->n, at->p);
    node->state = CLOSED;
    s->elements += node->set.capacity;
    return scalay_published_check_memory("aleph", 1, s->elements, sizeof *node->set.partial);
}

/* One choice of the node on top, or one more node. */
static scalay_status step(search *s)
{
    scalay_status status = SCALAY_SUCCESS;
    frame *at = &s->stack[s->depth - 1];
    const int64_t rest = at->n - at->copies * at->size;
    const int64_t others = at->p - at->copies;
    if (at->size > scalay_min_int64(at->n, s->group->largest)) return close_node(s);
    if (rest < 0 || others < 1 || !is_listed(s, at->size)) {
        at->size++;
        at->copies = 1;
        return SCALAY_SUCCESS;
    }
    if (has_cell(s, rest, others) && cell_at(s, rest, others)->state == NEW) return push(s, rest, others);
    SCALAY_TRY(merge(s, at));
    at->copies++;
cleanup:
    return status;
}

static scalay_status read_distribution(const search *s, int64_t k, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t n = s->n;
    int64_t p = s->processors;
    while (n > 0) {
        const scalay_partial *partial = &cell_at(s, n, p)->set.partial[k];
        if (partial->copies == 0) {
            SCALAY_TRY(scalay_distribution_add(distribution, 0, n / p, p - n % p));
            SCALAY_TRY(scalay_distribution_add(distribution, 0, n / p + 1, n % p));
            break;
        }
        SCALAY_TRY(scalay_distribution_add(distribution, 0, partial->size, partial->copies));
        n -= (int64_t)partial->copies * partial->size;
        p -= partial->copies;
        k = partial->rest;
    }
    distribution->feasible = 1;
cleanup:
    return status;
}

static scalay_status run(search *s, int64_t *count, scalay_point **point, scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partial nothing;
    SCALAY_TRY(scalay_published_check_memory("aleph", s->processors + 1, s->n + 1, sizeof *s->cells));
    SCALAY_TRY(SCALAY_NEW(s->cells, (s->processors + 1) * (s->n + 1)));
    if (has_cell(s, s->n, s->processors)) SCALAY_TRY(push(s, s->n, s->processors));
    while (s->depth > 0) SCALAY_TRY(step(s));
    const scalay_partial_set root = set_of(s, s->n, s->processors, &nothing);
    SCALAY_TRY(scalay_partial_set_front(&root, count, point, distribution));
    for (int64_t k = 0; k < *count; k++) SCALAY_TRY(read_distribution(s, *count - 1 - k, &(*distribution)[k]));
cleanup:
    return status;
}

scalay_status scalay_aleph(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                           scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *group = &problem->group[0];
    search s = {.group = group, .n = problem->n};
    (void)power;
    *count = 0;
    *point = NULL;
    *distribution = NULL;
    s.processors = scalay_min_int64(group->multiplicity, scalay_max_int64(problem->n, 1));
    if (problem->divisible) SCALAY_TRY(run(&s, count, point, distribution));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_front_release(count, point, distribution);
    if (s.cells != NULL)
        for (int64_t k = 0; k < (s.processors + 1) * (s.n + 1); k++) scalay_partial_set_free(&s.cells[k].set);
    scalay_release(s.cells);
    scalay_release(s.stack);
    return status;
}
