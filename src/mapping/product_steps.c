/* Products as the edges of a bottleneck problem: sorted factors end every search where a product no longer leaves its
 * line few enough items. Of the useful edges, ties can make nearly all pairs, a line gets a few to begin with and
 * more when they turn out to be too few. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/product_solver.h"

enum { PER_LINE = 24, PER_ENTRY = 5 }; /* for each line, and for each entry of its row factor */

/* A walk along the products of a line, by falling weight of the row factor's entry. */
typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    int of_parts;
    int line;
    int64_t floor; /* only heavier products are of interest */
    int64_t hope;
    const unsigned char *shunned; /* NULL: nobody is */
    scalay_edge_core *core;
    int found;
    int of_entry; /* found with the row factor's entry at hand */
    int left_out; /* 1: there may be more */
    scalay_status status;
} walk;

/* Where to go on after a product: with the next of the row factor's entry, with its next entry, or nowhere. */
typedef enum { GO_ON, NEXT_ENTRY, DONE } direction;

typedef direction (*visitor)(walk *way, int other, int64_t cost, int64_t weight);

/* Where only tight products count: what the least of them exceeds. */
static int64_t floor_of_duals(const scalay_product_solver *s, int of_parts, int line)
{
    if (!s->only_tight) return 0;
    const int64_t own = of_parts ? s->assignment.col_dual[line] : s->assignment.row_dual[line];
    return own + s->least_dual[of_parts ? 0 : 1] - 1;
}

static void walk_line(walk *way, visitor visit)
{
    const scalay_product_solver *s = way->problem->context;
    const scalay_factor_side *rows = way->of_parts ? &s->row.target : &s->row.source;
    const scalay_factor_side *cols = way->of_parts ? &s->col.target : &s->col.source;
    const int q = cols->classes, other_q = way->of_parts ? s->col.source.classes : s->col.target.classes;
    const int64_t *items = way->of_parts ? way->problem->held : way->problem->wanted;
    const int64_t own = way->of_parts ? way->problem->wanted[way->line] : way->problem->held[way->line];
    const int r = way->line / q, c = way->line % q;
    const int64_t first = cols->start[c], end = cols->start[c + 1];
    way->floor = scalay_max_int64(way->floor, floor_of_duals(s, way->of_parts, way->line));
    for (int64_t a = rows->start[r]; a < rows->start[r + 1] && first < end; a++) {
        const int64_t weight = rows->entries[a].weight;
        if (weight * cols->entries[first].weight <= way->floor) return;
        direction next = GO_ON;
        way->of_entry = 0;
        for (int64_t b = first; next == GO_ON && b < end && weight * cols->entries[b].weight > way->floor; b++) {
            const int other = rows->entries[a].other * other_q + cols->entries[b].other;
            const int64_t product = weight * cols->entries[b].weight;
            if (!scalay_product_counts(s, way->of_parts ? other : way->line, way->of_parts ? way->line : other,
                                       product))
                continue;
            next = visit(way, other, scalay_max_int64(own, items[other]) - product, product);
        }
        if (next == DONE) return;
    }
}

/* The weight that an edge of the line has to exceed for at most so many steps. */
static int64_t floor_of(const scalay_bottleneck *problem, int of_parts, int line, int64_t steps)
{
    const int64_t own = of_parts ? problem->wanted[line] : problem->held[line];
    return scalay_max_int64(own - steps - 1, 0);
}

/* -------------------------------------------------------------------------------------------- questions */

static direction visit_for_service(walk *way, int other, int64_t cost, int64_t weight)
{
    (void)other;
    (void)weight;
    way->found = cost <= way->steps;
    return way->found ? DONE : GO_ON;
}

static int row_serves(const scalay_bottleneck *problem, int64_t steps, int i)
{
    walk way = {.problem = problem, .steps = steps, .line = i, .floor = floor_of(problem, 0, i, steps)};
    walk_line(&way, visit_for_service);
    return way.found;
}

static direction visit_for_hope(walk *way, int other, int64_t cost, int64_t weight)
{
    (void)other;
    (void)weight;
    if (cost > way->steps && cost < way->hope) {
        way->hope = cost;
        way->floor = scalay_max_int64(way->floor, floor_of(way->problem, way->of_parts, way->line, cost - 1));
    }
    return GO_ON;
}

static scalay_status find_hopes(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                int count, int64_t *hope)
{
    for (int k = 0; k < count; k++) {
        walk way = {.problem = problem, .steps = steps, .of_parts = of_parts, .line = lines[k]};
        way.hope = scalay_bottleneck_alone(problem, of_parts, lines[k]);
        walk_line(&way, visit_for_hope);
        hope[k] = way.hope;
    }
    return SCALAY_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------- useful */

static direction visit_to_gather(walk *way, int other, int64_t cost, int64_t weight)
{
    if (cost > way->steps || (way->shunned != NULL && way->shunned[other])) return GO_ON;
    const int from = way->of_parts ? other : way->line, to = way->of_parts ? way->line : other;
    way->status = scalay_edge_core_add(way->core, from, to, weight);
    if (way->status != SCALAY_SUCCESS || ++way->found == PER_LINE) return DONE;
    if (++way->of_entry < PER_ENTRY) return GO_ON;
    way->left_out = 1;
    return NEXT_ENTRY;
}

/* *all = 1: the line has no other useful edges. */
static scalay_status gather_line(const scalay_bottleneck *problem, int64_t steps, int of_parts, int line,
                                 const unsigned char *shunned, scalay_edge_core *core, unsigned char *all)
{
    walk way = {.problem = problem, .steps = steps, .of_parts = of_parts, .line = line, .shunned = shunned};
    way.core = core;
    way.floor = floor_of(problem, of_parts, line, steps);
    walk_line(&way, visit_to_gather);
    *all = way.found < PER_LINE && !way.left_out;
    return way.status;
}

static scalay_status find_useful(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                                 scalay_edges *useful)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edge_core core = {0};
    unsigned char *done = NULL, all = 0;
    SCALAY_TRY(SCALAY_NEW(done, problem->rows));
    for (int i = 0; i < problem->rows; i++)
        if (needs->row[i]) SCALAY_TRY(gather_line(problem, steps, 0, i, NULL, &core, &done[i]));
    for (int j = 0; j < problem->cols; j++)
        if (needs->col[j]) SCALAY_TRY(gather_line(problem, steps, 1, j, done, &core, &all));
    SCALAY_TRY(scalay_edge_core_grow(&core, problem->rows, problem->cols));
    *useful = core.edges;
    core.edges = (scalay_edges){0};
cleanup:
    scalay_release(done);
    scalay_edge_core_free(&core);
    return status;
}

static scalay_status find_further(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                  int count, const unsigned char *shunned, scalay_edges *useful, int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edge_core core = {.edges = *useful};
    unsigned char all = 0;
    *useful = (scalay_edges){0};
    for (int k = 0; k < count; k++) SCALAY_TRY(gather_line(problem, steps, of_parts, lines[k], shunned, &core, &all));
    *more = core.count > 0;
    if (*more) SCALAY_TRY(scalay_edge_core_grow(&core, problem->rows, problem->cols));
    *useful = core.edges;
    core.edges = (scalay_edges){0};
cleanup:
    scalay_edge_core_free(&core);
    return status;
}

const scalay_bottleneck_source scalay_bottleneck_products = {
    .useful = find_useful, .further = find_further, .hopes = find_hopes, .row_serves = row_serves};
