/*
 * Least steps between grids: the bottleneck assignment problem on a product of two factors (bottleneck.h).
 *
 * A walk along the sorted factors visits the products of a part by falling weight of the row factor's entry, and stops
 * where a product leaves the part too many elements. Ties can make nearly all pairs useful. Therefore each part begins
 * with few useful edges, and gets more if no matching covers it.
 *
 * Memory: O(parts) and the useful edges.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/product.h"

/* Useful edges of a part that are found at a time, and of each entry of its row factor. */
enum { PER_LINE = 24, PER_ENTRY = 5 };

/* A walk along the products of a part. */
typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    int of_parts;  /* 1: of a part of the target; 0: of the source */
    int line;      /* its number */
    int64_t floor; /* only heavier products are visited */
    int64_t next_steps;
    const unsigned char *excluded; /* shape [parts of the other side]: not to be found; NULL: none */
    scalay_edge_core *core;
    int found;
    int found_of_entry; /* with the current entry of the row factor */
    int is_partial;     /* 1: there may be more */
    scalay_status status;
} walk;

/* How a walk continues after a product: with the next entry of the column factor, with the next of the row factor, or
   not at all. */
typedef enum { CONTINUE, NEXT_ENTRY, DONE } direction;

typedef direction (*visitor)(walk *way, int other, int64_t cost, int64_t weight);

/* If only tight products count: the weight that all of them exceed. */
static int64_t floor_of_duals(const scalay_product *product, int of_parts, int line)
{
    if (!product->only_tight) return 0;
    const int64_t own = of_parts ? product->assignment.col_dual[line] : product->assignment.row_dual[line];
    return own + product->min_dual[of_parts ? 0 : 1] - 1;
}

static void walk_line(walk *way, visitor visit)
{
    const scalay_product *product = way->problem->context;
    const int of_parts = way->of_parts, line = way->line;
    const scalay_traffic_factor_side *rows = of_parts ? &product->row.target : &product->row.source;
    const scalay_traffic_factor_side *cols = of_parts ? &product->col.target : &product->col.source;
    const int q = cols->classes, other_q = of_parts ? product->col.source.classes : product->col.target.classes;
    const int64_t *elements = of_parts ? product->held : product->wanted;
    const int64_t own = of_parts ? product->wanted[line] : product->held[line];
    const int r = line / q, c = line % q;
    const int64_t first = cols->start[c], end = cols->start[c + 1];
    way->floor = scalay_max_int64(way->floor, floor_of_duals(product, of_parts, line));
    for (int64_t a = rows->start[r]; a < rows->start[r + 1] && first < end; a++) {
        const int64_t weight = rows->entries[a].weight;
        direction next = CONTINUE;
        if (weight * cols->entries[first].weight <= way->floor) return;
        way->found_of_entry = 0;
        for (int64_t b = first; next == CONTINUE && b < end && weight * cols->entries[b].weight > way->floor; b++) {
            const int other = rows->entries[a].other * other_q + cols->entries[b].other;
            const int64_t common = weight * cols->entries[b].weight;
            if (scalay_product_counts(product, of_parts ? other : line, of_parts ? line : other, common))
                next = visit(way, other, scalay_max_int64(own, elements[other]) - common, common);
        }
        if (next == DONE) return;
    }
}

/* The weight that an edge of the part has to exceed for at most `steps` steps. */
static int64_t floor_of_steps(const scalay_bottleneck *problem, int of_parts, int line, int64_t steps)
{
    const int64_t own = of_parts ? problem->wanted[line] : problem->held[line];
    return scalay_max_int64(own - steps - 1, 0);
}

/* Lines between checks of the deadline. */
enum { LINES_PER_CHECK = 256 };

static int is_late(const scalay_bottleneck *problem, int line)
{
    return line % LINES_PER_CHECK == 0 && scalay_deadline_passed(problem->deadline);
}

/* ---------------------------------------------------------------------------------------------- queries */

static direction visit_to_serve(walk *way, int other, int64_t cost, int64_t weight)
{
    (void)other;
    (void)weight;
    way->found = cost <= way->steps;
    return way->found ? DONE : CONTINUE;
}

static int row_serves(const scalay_bottleneck *problem, int64_t steps, int i)
{
    walk way = {.problem = problem, .steps = steps, .line = i, .floor = floor_of_steps(problem, 0, i, steps)};
    walk_line(&way, visit_to_serve);
    return way.found;
}

static direction visit_for_next_steps(walk *way, int other, int64_t cost, int64_t weight)
{
    (void)other;
    (void)weight;
    if (cost > way->steps && cost < way->next_steps) {
        way->next_steps = cost;
        way->floor = scalay_max_int64(way->floor, floor_of_steps(way->problem, way->of_parts, way->line, cost - 1));
    }
    return CONTINUE;
}

static scalay_status find_next_steps(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                     int count, int64_t *next_steps)
{
    for (int k = 0; k < count && !is_late(problem, k); k++) {
        walk way = {.problem = problem, .steps = steps, .of_parts = of_parts, .line = lines[k]};
        way.next_steps = scalay_bottleneck_unmatched_cost(problem, of_parts, lines[k]);
        walk_line(&way, visit_for_next_steps);
        next_steps[k] = way.next_steps;
    }
    return SCALAY_SUCCESS;
}

/* -------------------------------------------------------------------------------------------- useful edges */

static direction visit_to_gather(walk *way, int other, int64_t cost, int64_t weight)
{
    if (cost > way->steps || (way->excluded != NULL && way->excluded[other])) return CONTINUE;
    const int from = way->of_parts ? other : way->line, to = way->of_parts ? way->line : other;
    way->status = scalay_edge_core_add(way->core, from, to, weight);
    if (way->status != SCALAY_SUCCESS || ++way->found == PER_LINE) return DONE;
    if (++way->found_of_entry < PER_ENTRY) return CONTINUE;
    way->is_partial = 1;
    return NEXT_ENTRY;
}

/* *all = 1: the part has no other useful edges. */
static scalay_status gather_line(const scalay_bottleneck *problem, int64_t steps, int of_parts, int line,
                                 const unsigned char *excluded, scalay_edge_core *core, unsigned char *all)
{
    walk way = {.problem = problem, .steps = steps, .of_parts = of_parts, .line = line, .excluded = excluded};
    way.core = core;
    way.floor = floor_of_steps(problem, of_parts, line, steps);
    walk_line(&way, visit_to_gather);
    *all = way.found < PER_LINE && !way.is_partial;
    return way.status;
}

/* Adds the useful edges of all lines to a core, once. *late = 1: the deadline passed first. */
static scalay_status gather_lines(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                                  unsigned char *done, scalay_edge_core *core, int *late)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char all = 0;
    for (int i = 0; i < problem->rows && !*late; i++) {
        if (needs->row[i]) SCALAY_TRY(gather_line(problem, steps, 0, i, NULL, core, &done[i]));
        *late = is_late(problem, i);
    }
    for (int j = 0; j < problem->cols && !*late; j++) {
        if (needs->col[j]) SCALAY_TRY(gather_line(problem, steps, 1, j, done, core, &all));
        *late = is_late(problem, j);
    }
cleanup:
    return status;
}

static scalay_status find_useful(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                                 scalay_edges *useful)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edge_core core = {.deadline = problem->deadline};
    unsigned char *done = NULL;
    int late = 0;
    SCALAY_TRY(SCALAY_NEW(done, problem->rows));
    for (int pass = 0; pass < 2 && !late; pass++) {
        SCALAY_TRY(scalay_edge_core_start_pass(&core, pass, problem->rows, problem->cols));
        SCALAY_TRY(gather_lines(problem, steps, needs, done, &core, &late));
    }
    if (!late) SCALAY_TRY(scalay_edge_core_grow(&core, problem->rows, problem->cols));
    *useful = core.edges;
    core.edges = (scalay_edges){0};
cleanup:
    scalay_release(done);
    scalay_edge_core_free(&core);
    return status;
}

static scalay_status find_further(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                  int count, const unsigned char *excluded, scalay_edges *useful, int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edge_core core = {.edges = *useful, .deadline = problem->deadline};
    unsigned char all = 0;
    *useful = (scalay_edges){0};
    for (int k = 0; k < count && !is_late(problem, k); k++)
        SCALAY_TRY(gather_line(problem, steps, of_parts, lines[k], excluded, &core, &all));
    *more = core.count > 0;
    if (*more && !scalay_deadline_passed(problem->deadline))
        SCALAY_TRY(scalay_edge_core_grow(&core, problem->rows, problem->cols));
    *useful = core.edges;
    core.edges = (scalay_edges){0};
cleanup:
    scalay_edge_core_free(&core);
    return status;
}

static const scalay_bottleneck_source product_source = {
    .useful = find_useful, .further = find_further, .next_steps = find_next_steps, .row_serves = row_serves};

scalay_bottleneck scalay_product_bottleneck(const scalay_product *product)
{
    return (scalay_bottleneck){.source = &product_source,
                               .context = product,
                               .rows = product->rows,
                               .cols = product->cols,
                               .held = product->held,
                               .wanted = product->wanted,
                               .row_out = product->row_out,
                               .deadline = product->problem->deadline};
}

/* ---------------------------------------------------------------------------------------------- objectives */

/* Numbers become processes or parts. */
static void take_hall_violator(const scalay_product *product, scalay_bottleneck_solution *solution,
                               scalay_mapping *mapping)
{
    const scalay_hall_violator *violator = &solution->violator;
    for (int k = 0; k < violator->size; k++)
        violator->member[k] = violator->of_parts ? scalay_product_part(product, violator->member[k])
                                                 : scalay_product_process(product, violator->member[k]);
    scalay_mapping_problem_take_hall_violator(solution, mapping);
}

scalay_status scalay_product_find_steps(scalay_product *product, scalay_mapping *mapping,
                                        scalay_bottleneck_solution *solution)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, solution));
    SCALAY_TRY(scalay_product_place(product, solution->matching.of_col, mapping));
    take_hall_violator(product, solution, mapping);
    if (mapping->steps > mapping->steps_bound) mapping->proof = SCALAY_PROOF_HEURISTIC;
cleanup:
    return status;
}

scalay_status scalay_product_solve_steps_then_volume(scalay_product *product, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_solution solution = {0};
    scalay_cover heavy = {0};
    const scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_product_find_steps(product, mapping, &solution));
    if (!solution.found || solution.bound < solution.steps) {
        mapping->proof = SCALAY_PROOF_HEURISTIC; /* the volume is not bounded, whatever the steps are */
        goto cleanup;
    }
    SCALAY_TRY(scalay_mapping_problem_cover_heavy(&bottleneck, solution.steps, &heavy));
    SCALAY_TRY(scalay_product_find_volume(product, solution.steps, &heavy, &solution.matching));
    SCALAY_TRY(scalay_product_take_volume(product, mapping));
cleanup:
    scalay_bottleneck_free(&solution);
    scalay_cover_free(&heavy);
    return status;
}

/* The mappings of least volume are the matchings on the tight products of any optimal duals. */
static scalay_status find_steps_of_tight(scalay_product *product, const scalay_cover *heavy, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_solution solution = {0};
    scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_mapping_problem_cover_positive(product->rows, product->cols, &product->assignment, heavy,
                                                     &bottleneck.must));
    scalay_product_find_min_duals(product);
    product->only_tight = 1;
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    for (int j = 0; j < product->cols && solution.found; j++) product->best[j] = solution.matching.of_col[j];
    if (solution.bound < solution.steps || !solution.found) mapping->proof = SCALAY_PROOF_HEURISTIC;
    take_hall_violator(product, &solution, mapping);
cleanup:
    product->only_tight = 0;
    scalay_bottleneck_free(&solution);
    scalay_cover_free(&bottleneck.must);
    return status;
}

scalay_status scalay_product_solve_within(scalay_product *product, int64_t steps, const scalay_matching *feasible,
                                          scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cover heavy = {0};
    const scalay_bottleneck bottleneck = scalay_product_bottleneck(product);
    SCALAY_TRY(scalay_mapping_problem_cover_heavy(&bottleneck, steps, &heavy));
    SCALAY_TRY(scalay_product_find_volume(product, steps, &heavy, feasible));
    if (!product->assignment.unfinished) SCALAY_TRY(find_steps_of_tight(product, &heavy, mapping));
    SCALAY_TRY(scalay_product_take_volume(product, mapping));
cleanup:
    scalay_cover_free(&heavy);
    return status;
}
