/*
 * The objectives. Volume is an assignment problem, steps are a bottleneck assignment problem. Steps, then volume: an
 * assignment problem on the edges of at most the least steps. Volume, then steps: a bottleneck problem on the tight
 * edges of optimal duals, because the mappings of least volume are the matchings on these edges.
 *
 * Between grids with many parts, the solvers of product.h do without the traffic matrix.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/problem.h"
#include "mapping/product.h"
#include "mapping/traffic.h"

static int is_of_steps(scalay_objective objective)
{
    return objective >= SCALAY_MIN_STEPS && objective <= SCALAY_MIN_VOLUME_THEN_STEPS;
}

/* -------------------------------------------------------------------------------------- one objective */

static scalay_status solve_canonical(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    for (int j = 0; j < mapping->parts; j++) {
        mapping->process[j] = scalay_mapping_problem_canonical(problem, j);
        if (!scalay_mapping_problem_may_take(problem, mapping->process[j]))
            return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_mapping_create",
                               "part %d is on process %d, which may take no part; choose another objective", j,
                               mapping->process[j]);
    }
    return SCALAY_SUCCESS;
}

/* The elements that matched pairs keep: the sum of their duals. */
static int64_t kept_by(int rows, const scalay_assignment *assignment)
{
    int64_t kept = 0;
    for (int i = 0; i < rows; i++) {
        const int j = assignment->matching.of_row[i];
        if (j >= 0) kept += assignment->row_dual[i] + assignment->col_dual[j];
    }
    return kept;
}

/* Moves the duals to the mapping, with the bound that they prove. */
static void take_duals(const scalay_mapping_problem *problem, const scalay_edges *edges, scalay_assignment *assignment,
                       scalay_mapping *mapping)
{
    if (assignment->unfinished) {
        mapping->bound = problem->traffic->elements - scalay_assignment_bound(edges, assignment);
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    } else {
        mapping->bound = problem->traffic->elements - kept_by(edges->rows, assignment);
    }
    scalay_mapping_problem_take_duals(assignment, edges->rows, mapping);
}

static scalay_status solve_volume(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_assignment assignment = {0};
    SCALAY_TRY(scalay_assignment_allocate(problem->edges.rows, problem->edges.cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(&problem->edges, NULL, NULL, &assignment));
    SCALAY_TRY(scalay_mapping_problem_place(problem, assignment.matching.of_col, mapping));
    take_duals(problem, &problem->edges, &assignment, mapping);
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

static scalay_status solve_steps(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_mapping_problem_bottleneck(problem, &problem->edges);
    scalay_bottleneck_solution solution = {0};
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    SCALAY_TRY(scalay_mapping_problem_place(problem, solution.matching.of_col, mapping));
    if (solution.bound < solution.steps || !solution.found) mapping->proof = SCALAY_PROOF_HEURISTIC;
    scalay_mapping_problem_take_hall_violator(&solution, mapping);
cleanup:
    scalay_bottleneck_free(&solution);
    return status;
}

static scalay_status solve_time(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    return problem->link_cost != NULL ? scalay_mapping_problem_solve_time(problem, mapping)
                                      : solve_volume(problem, mapping);
}

/* -------------------------------------------------------------------------------------- two objectives */

typedef struct {
    const scalay_bottleneck *bottleneck;
    int64_t steps;
} step_limit;

static int is_within_steps(const void *context, int i, int j, int64_t weight)
{
    const step_limit *limit = context;
    return scalay_bottleneck_cost(limit->bottleneck, i, j, weight) <= limit->steps;
}

/* Least volume within the least steps. */
static scalay_status find_volume(const scalay_mapping_problem *problem, const scalay_bottleneck *bottleneck,
                                 const scalay_bottleneck_solution *solution, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_assignment assignment = {0};
    scalay_edges within = {0};
    scalay_cover heavy = {0};
    const step_limit limit = {bottleneck, solution->steps};
    SCALAY_TRY(scalay_edges_select(&problem->edges, is_within_steps, &limit, &within));
    SCALAY_TRY(scalay_mapping_problem_cover_heavy(bottleneck, solution->steps, &heavy));
    SCALAY_TRY(scalay_assignment_allocate(within.rows, within.cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(&within, &heavy, &solution->matching, &assignment));
    SCALAY_TRY(scalay_mapping_problem_place(problem, assignment.matching.of_col, mapping));
    take_duals(problem, &within, &assignment, mapping);
    mapping->certificate.within = solution->steps;
cleanup:
    scalay_assignment_free(&assignment);
    scalay_edges_free(&within);
    scalay_cover_free(&heavy);
    return status;
}

static scalay_status solve_steps_then_volume(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_mapping_problem_bottleneck(problem, &problem->edges);
    scalay_bottleneck_solution solution = {0};
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    const int proven = solution.found && solution.bound == solution.steps;
    if (proven && !scalay_deadline_passed(problem->deadline)) {
        SCALAY_TRY(find_volume(problem, &bottleneck, &solution, mapping));
    } else {
        SCALAY_TRY(scalay_mapping_problem_place(problem, solution.matching.of_col, mapping));
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    scalay_mapping_problem_take_hall_violator(&solution, mapping);
cleanup:
    scalay_bottleneck_free(&solution);
    return status;
}

static int is_tight(const void *context, int i, int j, int64_t weight)
{
    const scalay_assignment *assignment = context;
    return assignment->row_dual[i] + assignment->col_dual[j] == weight;
}

/* Least steps on tight edges. */
static scalay_status find_steps(const scalay_mapping_problem *problem, const scalay_edges *within,
                                const scalay_cover *heavy, const scalay_assignment *assignment, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_solution solution = {0};
    scalay_edges tight = {0};
    scalay_bottleneck bottleneck = scalay_mapping_problem_bottleneck(problem, &tight);
    SCALAY_TRY(scalay_edges_select(within, is_tight, assignment, &tight));
    SCALAY_TRY(scalay_mapping_problem_cover_positive(tight.rows, tight.cols, assignment, heavy, &bottleneck.must));
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    SCALAY_TRY(scalay_mapping_problem_place(
        problem, solution.found ? solution.matching.of_col : assignment->matching.of_col, mapping));
    if (solution.bound < solution.steps || !solution.found) mapping->proof = SCALAY_PROOF_HEURISTIC;
    scalay_mapping_problem_take_hall_violator(&solution, mapping);
cleanup:
    scalay_bottleneck_free(&solution);
    scalay_edges_free(&tight);
    scalay_cover_free(&bottleneck.must);
    return status;
}

scalay_status scalay_mapping_problem_solve_within(const scalay_mapping_problem *problem, int64_t steps,
                                                  const scalay_matching *feasible, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const int limited = steps < INT64_MAX;
    scalay_assignment assignment = {0};
    scalay_edges selected = {0};
    scalay_cover heavy = {0};
    const scalay_bottleneck whole = scalay_mapping_problem_bottleneck(problem, &problem->edges);
    const step_limit limit = {&whole, steps};
    if (limited) SCALAY_TRY(scalay_edges_select(&problem->edges, is_within_steps, &limit, &selected));
    const scalay_edges *within = limited ? &selected : &problem->edges;
    SCALAY_TRY(scalay_mapping_problem_cover_heavy(&whole, steps, &heavy));
    SCALAY_TRY(scalay_assignment_allocate(within->rows, within->cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(within, limited ? &heavy : NULL, limited ? feasible : NULL, &assignment));
    if (assignment.unfinished)
        SCALAY_TRY(scalay_mapping_problem_place(problem, assignment.matching.of_col, mapping));
    else
        SCALAY_TRY(find_steps(problem, within, &heavy, &assignment, mapping));
    take_duals(problem, within, &assignment, mapping);
    mapping->certificate.within = steps;
cleanup:
    scalay_assignment_free(&assignment);
    scalay_edges_free(&selected);
    scalay_cover_free(&heavy);
    return status;
}

static scalay_status solve_volume_then_steps(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    return scalay_mapping_problem_solve_within(problem, INT64_MAX, NULL, mapping);
}

/* ------------------------------------------------------------------------------------------- on a traffic */

typedef scalay_status (*solver)(const scalay_mapping_problem *problem, scalay_mapping *mapping);

static const solver solvers[] = {
    [SCALAY_CANONICAL] = solve_canonical,
    [SCALAY_MIN_VOLUME] = solve_volume,
    [SCALAY_MIN_STEPS] = solve_steps,
    [SCALAY_MIN_STEPS_THEN_VOLUME] = solve_steps_then_volume,
    [SCALAY_MIN_VOLUME_THEN_STEPS] = solve_volume_then_steps,
    [SCALAY_MIN_TIME] = solve_time,
    [SCALAY_MIN_GRID_VOLUME] = scalay_mapping_problem_solve_grid,
};

/* Sets the bound and proof that the solver left open. A mapping equal to its bounds is optimal, even after a deadline.
 */
static void finalize(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    const int timed = mapping->objective == SCALAY_MIN_TIME && problem->link_cost != NULL;
    const int of_steps = is_of_steps(mapping->objective);
    const int of_volume = mapping->objective != SCALAY_MIN_STEPS && !timed;
    if (mapping->objective == SCALAY_CANONICAL) return;
    if (mapping->proof == SCALAY_PROOF_NONE && of_volume) mapping->bound = mapping->volume;
    if (mapping->proof == SCALAY_PROOF_NONE) mapping->proof = SCALAY_PROOF_OPTIMAL;
    if (!timed && (!of_volume || mapping->bound == mapping->volume) &&
        (!of_steps || mapping->steps_bound == mapping->steps))
        mapping->proof = SCALAY_PROOF_OPTIMAL;
}

/* Time from the end of a search to the mapping, as a fraction of the time before the search: all of them are walks over
 * the parts, and making a traffic matrix is one over its entries. Duals of products take as long as placing the parts.
 */
static const double after_steps_of_product = 2.5, after_duals_of_product = 4.5, after_search_of_traffic = 0.5;

/* The search ends so that the whole call, which began at a CPU time, takes the budget. */
static void set_deadline(double begun, double budget, double after_search, scalay_mapping_problem *problem)
{
    const double before_search = scalay_deadline_clock() - begun;
    problem->deadline = scalay_deadline_earlier(scalay_deadline_in(budget), (1.0 + after_search) * before_search);
}

/* canonical and processes as in scalay_mapping_problem_create(). begun: CPU time at which the call began. */
static scalay_status solve_traffic(const scalay_traffic *traffic, const int *canonical, int processes,
                                   const scalay_process_grid *grid, scalay_objective objective,
                                   const scalay_mapping_options *options, double begun, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *new_mapping = NULL;
    scalay_mapping_problem problem;
    SCALAY_TRY(scalay_mapping_problem_create(traffic, canonical, processes, options, &problem));
    problem.grid = grid;
    SCALAY_TRY(scalay_mapping_allocate(problem.processes, traffic->parts, objective, &new_mapping));
    set_deadline(begun, options->budget_seconds, after_search_of_traffic, &problem);
    SCALAY_TRY(solvers[objective](&problem, new_mapping));
    const double time = new_mapping->time;
    SCALAY_TRY(scalay_mapping_count(traffic, new_mapping));
    if (objective == SCALAY_MIN_TIME && problem.link_cost != NULL) new_mapping->time = time;
    finalize(&problem, new_mapping);
    *mapping = new_mapping;
    new_mapping = NULL;
cleanup:
    scalay_mapping_problem_free(&problem);
    scalay_mapping_destroy(&new_mapping);
    return status;
}

static scalay_status check_objective(scalay_objective objective, const char *function)
{
    const int number = (int)objective, count = (int)(sizeof solvers / sizeof solvers[0]);
    if (number >= 0 && number < count) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "objective is %d; it must be a scalay_objective, in [0, %d)",
                       number, count);
}

static scalay_status grid_from_options(const scalay_traffic *traffic, int rows, scalay_process_grid *grid)
{
    if (rows < 1 || traffic->parts % rows != 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_mapping_from_traffic",
                           "options->grid_rows is %d; it must divide the number of parts, %d", rows, traffic->parts);
    return scalay_process_grid_create(NULL, NULL, rows, traffic->parts, grid);
}

scalay_status scalay_mapping_from_traffic(const scalay_traffic *traffic, scalay_objective objective,
                                          const scalay_mapping_options *options, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const double begun = scalay_deadline_clock();
    scalay_mapping_options read;
    scalay_process_grid grid = {0};
    SCALAY_TRY(scalay_check_not_null(mapping, __func__, "mapping"));
    *mapping = NULL;
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(check_objective(objective, __func__));
    SCALAY_TRY(scalay_mapping_options_read(options, __func__, &read));
    const int processes = traffic->processes > traffic->parts ? traffic->processes : traffic->parts;
    if (objective == SCALAY_MIN_GRID_VOLUME) SCALAY_TRY(grid_from_options(traffic, read.grid_rows, &grid));
    SCALAY_TRY(solve_traffic(traffic, NULL, processes, &grid, objective, &read, begun, mapping));
cleanup:
    scalay_process_grid_free(&grid);
    return status;
}

/* ------------------------------------------------------------------------------------------ between layouts */

/* The arguments of scalay_mapping_create_shared(), and what follows from them. */
typedef struct {
    const char *function;
    int count;
    const scalay_layout *const *source, *const *target;
    const int64_t *weight;
    scalay_objective objective;
    scalay_mapping_options options;
    int *canonical; /* shape [parts] */
    int processes;  /* if the options set none */
    scalay_process_grid grid;
    double begun; /* CPU time */
} request;

static scalay_status solve_product_canonical(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = solve_canonical(product->problem, mapping);
    return status == SCALAY_SUCCESS ? scalay_product_count(product, mapping) : status;
}

static scalay_status solve_product_volume(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = scalay_product_find_volume(product, INT64_MAX, NULL, NULL);
    return status == SCALAY_SUCCESS ? scalay_product_take_volume(product, mapping) : status;
}

static scalay_status solve_product_steps(scalay_product *product, scalay_mapping *mapping)
{
    scalay_bottleneck_solution solution = {0};
    const scalay_status status = scalay_product_find_steps(product, mapping, &solution);
    scalay_bottleneck_free(&solution);
    return status;
}

static scalay_status solve_product_volume_then_steps(scalay_product *product, scalay_mapping *mapping)
{
    return scalay_product_solve_within(product, INT64_MAX, NULL, mapping);
}

typedef scalay_status (*product_solver)(scalay_product *product, scalay_mapping *mapping);

static const product_solver product_solvers[] = {
    [SCALAY_CANONICAL] = solve_product_canonical,
    [SCALAY_MIN_VOLUME] = solve_product_volume,
    [SCALAY_MIN_STEPS] = solve_product_steps,
    [SCALAY_MIN_STEPS_THEN_VOLUME] = scalay_product_solve_steps_then_volume,
    [SCALAY_MIN_VOLUME_THEN_STEPS] = solve_product_volume_then_steps,
    [SCALAY_MIN_TIME] = solve_product_volume, /* without link costs; they need all pairs */
    [SCALAY_MIN_GRID_VOLUME] = scalay_product_solve_grid,
};

static scalay_status solve_product(const request *asked, const scalay_product_overlap *overlap,
                                   scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *new_mapping = NULL;
    scalay_product product = {0};
    scalay_mapping_problem problem;
    const int parts = scalay_layout_parts(asked->target[0]);
    SCALAY_TRY(scalay_mapping_problem_set(parts, asked->canonical, asked->processes, &asked->options, &problem));
    problem.grid = &asked->grid;
    SCALAY_TRY(scalay_mapping_allocate(problem.processes, parts, asked->objective, &new_mapping));
    SCALAY_TRY(scalay_product_create(asked->source[0], asked->target[0], overlap, &problem, &product));
    set_deadline(asked->begun, asked->options.budget_seconds,
                 asked->objective == SCALAY_MIN_STEPS ? after_steps_of_product : after_duals_of_product, &problem);
    SCALAY_TRY(product_solvers[asked->objective](&product, new_mapping));
    finalize(&problem, new_mapping);
    *mapping = new_mapping;
    new_mapping = NULL;
cleanup:
    scalay_product_free(&product);
    scalay_mapping_destroy(&new_mapping);
    return status;
}

/* overlap->exists is set if the product is to be used. */
static scalay_status find_overlap(const request *asked, scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    if ((asked->objective == SCALAY_MIN_TIME && asked->options.link_cost != NULL) ||
        !scalay_product_applies(asked->count, asked->source, asked->target))
        return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_product_overlap_create(asked->count, asked->source, asked->target, asked->weight, overlap));
    if (overlap->exists && is_of_steps(asked->objective)) overlap->exists = scalay_product_applies_to_steps(overlap);
cleanup:
    return status;
}

static scalay_status find_grid(request *asked)
{
    const scalay_layout *target = asked->target[0];
    if (asked->objective != SCALAY_MIN_GRID_VOLUME) return SCALAY_SUCCESS;
    if (!scalay_layout_is_grid(target))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, asked->function,
                           "the target is not block-cyclic and has no grid; choose another objective");
    return scalay_process_grid_create(target, asked->canonical, 0, scalay_layout_parts(target), &asked->grid);
}

static scalay_status create(request *asked, const scalay_mapping_options *options, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    scalay_product_overlap overlap = {0};
    asked->begun = scalay_deadline_clock();
    SCALAY_TRY(scalay_check_not_null(mapping, asked->function, "mapping"));
    *mapping = NULL;
    SCALAY_TRY(check_objective(asked->objective, asked->function));
    SCALAY_TRY(scalay_mapping_options_read(options, asked->function, &asked->options));
    SCALAY_TRY(
        scalay_traffic_check_layouts(asked->count, asked->source, asked->target, asked->weight, asked->function));
    SCALAY_TRY(scalay_mapping_problem_find_canonical(asked->source[0], asked->target[0], &asked->canonical,
                                                     &asked->processes));
    for (int k = 1; k < asked->count; k++)
        asked->processes = (int)scalay_max_int64(asked->processes, scalay_layout_processes(asked->source[k]));
    SCALAY_TRY(find_grid(asked));
    SCALAY_TRY(find_overlap(asked, &overlap));
    if (overlap.exists) {
        SCALAY_TRY(solve_product(asked, &overlap, mapping));
        goto cleanup;
    }
    SCALAY_TRY(scalay_traffic_create_sum(asked->count, asked->source, asked->target, asked->weight, &traffic));
    SCALAY_TRY(solve_traffic(traffic, asked->canonical, asked->processes, &asked->grid, asked->objective,
                             &asked->options, asked->begun, mapping));
cleanup:
    scalay_product_overlap_free(&overlap);
    scalay_traffic_destroy(&traffic);
    scalay_process_grid_free(&asked->grid);
    scalay_release(asked->canonical);
    return status;
}

scalay_status scalay_mapping_create(const scalay_layout *source, const scalay_layout *target,
                                    scalay_objective objective, const scalay_mapping_options *options,
                                    scalay_mapping **mapping)
{
    request asked = {.function = __func__, .count = 1, .source = &source, .target = &target, .objective = objective};
    return create(&asked, options, mapping);
}

scalay_status scalay_mapping_create_shared(int count, const scalay_layout *const *source,
                                           const scalay_layout *const *target, const int64_t *weight,
                                           scalay_objective objective, const scalay_mapping_options *options,
                                           scalay_mapping **mapping)
{
    request asked = {.function = __func__,
                     .count = count,
                     .source = source,
                     .target = target,
                     .weight = weight,
                     .objective = objective};
    return create(&asked, options, mapping);
}
