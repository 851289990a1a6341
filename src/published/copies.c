/* Algorithm 2 of Lastovetsky and Reddy Manumachu (2017; printed in 2018), repaired:
 *   line 19      GetBE is not printed. With E = t(n / p), n / p rounded down, the result is not optimal (n = 3, p = 2,
 *                t = 1, 5, 4: 5 instead of 4); E is the time of the even distribution
 *   line 20      a remainder beyond p - r times the largest size has no distribution, wherever B is
 *   line 22      the remainder is searched up to the best time known for the whole, not up to t_r: otherwise a
 *                distribution is lost whose slowest processor has neither the largest size nor one of an even remainder
 *                (n = 16, p = 3: t(10) = t(1) = 1, t(5) = 9, t(3) = 9.5, all others 9.8; 9.5 instead of 9)
 *   line 23      the memory is asked for the node's own n mod (p - r), and a node that was not visited has no value: a
 *                memory full of zeros would answer 0
 *   line 47      where the search of a node stopped need not be kept: up to the best time known, it is searched once */
#include "published/copies.h"

#include "base/integer.h"
#include "base/memory.h"

enum { NEW = 0, OPEN, CLOSED };

/* A node. */
typedef struct {
    int64_t value;
    int32_t size; /* that `copies` processors get; copies 0: the even distribution */
    int32_t copies;
    int32_t state;
} cell;

/* A node under way. */
typedef struct {
    int64_t n;
    int64_t p;
    int64_t next;   /* point */
    int64_t copies; /* r */
} frame;

typedef struct {
    const scalay_copies *problem;
    cell *cells; /* shape [processors + 1][n + 1] */
    frame *stack;
    int64_t depth;
    int64_t capacity;
} search;

static cell *cell_at(const search *s, int64_t n, int64_t p)
{
    return &s->cells[p * (s->problem->n + 1) + n];
}

static int64_t value_of(const scalay_copies *problem, int64_t size)
{
    return size <= problem->largest ? problem->value[size] : SCALAY_NO_VALUE;
}

/* The value of `copies` processors with value `each`, and others with value `rest`. */
static int64_t combine(const scalay_copies *problem, int64_t copies, int64_t each, int64_t rest)
{
    if (each == SCALAY_NO_VALUE || rest == SCALAY_NO_VALUE) return SCALAY_NO_VALUE;
    return problem->sums ? copies * each + rest : scalay_max_int64(each, rest);
}

static int64_t even_value(const scalay_copies *problem, int64_t n, int64_t p)
{
    int64_t more = n % p;
    int64_t value = combine(problem, p - more, value_of(problem, n / p), 0);
    return more > 0 ? combine(problem, more, value_of(problem, n / p + 1), value) : value;
}

static scalay_status push(search *s, int64_t n, int64_t p)
{
    scalay_status status = SCALAY_SUCCESS;
    cell *node = cell_at(s, n, p);
    SCALAY_TRY(SCALAY_GROW(s->stack, s->capacity, s->depth + 1));
    *node = (cell){even_value(s->problem, n, p), 0, 0, OPEN};
    s->stack[s->depth++] = (frame){n, p, 0, 1};
cleanup:
    return status;
}

/* Whether the best value of n units on p processors is known. */
static int is_known(const search *s, int64_t n, int64_t p, int64_t *value)
{
    *value = SCALAY_NO_VALUE;
    if (n == 0) {
        *value = 0;
        return 1;
    }
    if (p == 1) {
        *value = value_of(s->problem, n);
        return 1;
    }
    if (scalay_ceil_div(n, p) > s->problem->largest) return 1;
    const cell *node = cell_at(s, n, p);
    *value = node->value;
    return node->state == CLOSED;
}

/* Whether no point from here on can improve the node: they come by ascending time. */
static int is_exhausted(const search *s, const cell *node, const frame *at)
{
    const scalay_copies *problem = s->problem;
    if (at->next >= problem->points) return 1;
    if (problem->sums) return 0;
    const int64_t best = cell_at(s, problem->n, problem->processors)->value;
    return problem->value[problem->point[at->next]] >= scalay_min_int64(node->value, best);
}

/* The next point, or the same on one processor more. */
static void advance(frame *at, int to_next_point)
{
    at->copies = to_next_point ? 1 : at->copies + 1;
    at->next += to_next_point;
}

/* One choice of the node on top, or one more node. */
static scalay_status step(search *s)
{
    frame *at = &s->stack[s->depth - 1];
    cell *node = cell_at(s, at->n, at->p);
    if (is_exhausted(s, node, at)) {
        node->state = CLOSED;
        s->depth--;
        return SCALAY_SUCCESS;
    }
    const int64_t size = s->problem->point[at->next];
    const int64_t each = s->problem->value[size];
    const int64_t rest = at->n - at->copies * size;
    int64_t known = 0;
    if (at->copies >= at->p || rest < 0 || (s->problem->beyond_even && size <= at->n / at->p)) {
        advance(at, 1);
        return SCALAY_SUCCESS;
    }
    if (!is_known(s, rest, at->p - at->copies, &known)) return push(s, rest, at->p - at->copies);
    int64_t value = combine(s->problem, at->copies, each, known);
    if (value < node->value) *node = (cell){value, (int32_t)size, (int32_t)at->copies, OPEN};
    if (!s->problem->sums && known <= each) at->next = s->problem->points; /* nothing later is below `each` */
    advance(at, 0);
    return SCALAY_SUCCESS;
}

static scalay_status read_distribution(const search *s, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t n = s->problem->n;
    int64_t p = s->problem->processors;
    while (n > 0 && p > 1) {
        const cell *node = cell_at(s, n, p);
        if (node->copies == 0) {
            SCALAY_TRY(scalay_distribution_add(distribution, 0, n / p, p - n % p));
            SCALAY_TRY(scalay_distribution_add(distribution, 0, n / p + 1, n % p));
            n = 0;
        } else {
            SCALAY_TRY(scalay_distribution_add(distribution, 0, node->size, node->copies));
            n -= (int64_t)node->copies * node->size;
            p -= node->copies;
        }
    }
    SCALAY_TRY(scalay_distribution_add(distribution, 0, n, 1));
    distribution->feasible = 1;
cleanup:
    return status;
}

scalay_status scalay_copies_solve(const scalay_copies *problem, int64_t *value, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search s = {.problem = problem};
    *value = SCALAY_NO_VALUE;
    SCALAY_TRY(
        scalay_published_check_memory(problem->method, problem->processors + 1, problem->n + 1, sizeof *s.cells));
    SCALAY_TRY(SCALAY_NEW(s.cells, (problem->processors + 1) * (problem->n + 1)));
    if (!is_known(&s, problem->n, problem->processors, value)) SCALAY_TRY(push(&s, problem->n, problem->processors));
    while (s.depth > 0) SCALAY_TRY(step(&s));
    (void)is_known(&s, problem->n, problem->processors, value);
    if (*value < SCALAY_NO_VALUE) SCALAY_TRY(read_distribution(&s, distribution));
cleanup:
    scalay_release(s.cells);
    scalay_release(s.stack);
    return status;
}
