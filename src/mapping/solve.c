/* The objectives, each as an assignment, a bottleneck, or one within the optima of the other. */
#include "mapping/solve.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/traffic.h"

scalay_mapping_options scalay_mapping_options_default(void)
{
    return (scalay_mapping_options){.seed = 1};
}

/* -------------------------------------------------------------------------------------- one objective */

scalay_status scalay_problem_solve_canonical(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    for (int j = 0; j < mapping->parts; j++) {
        mapping->process[j] = scalay_problem_canonical(problem, j);
        if (!scalay_problem_may_take(problem, mapping->process[j]))
            return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                               "part %d sits on process %d, which may take none; choose another objective", j,
                               mapping->process[j]);
    }
    return SCALAY_SUCCESS;
}

/* What matched pairs keep: their duals sum up to that. */
static int64_t kept_by(int rows, const scalay_assignment *assignment)
{
    int64_t kept = 0;
    for (int i = 0; i < rows; i++) {
        const int j = assignment->matching.of_row[i];
        if (j >= 0) kept += assignment->row_dual[i] + assignment->col_dual[j];
    }
    return kept;
}

/* With the bound that they prove. */
static void take_duals(const scalay_mapping_problem *problem, const scalay_edges *edges, scalay_assignment *assignment,
                       scalay_mapping *mapping)
{
    if (assignment->unfinished) {
        mapping->bound = problem->traffic->items - scalay_assignment_bound(edges, assignment);
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    } else {
        mapping->bound = problem->traffic->items - kept_by(edges->rows, assignment);
    }
    scalay_problem_take_duals(assignment, edges->rows, mapping);
}

static scalay_status solve_volume(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_assignment assignment = {0};
    SCALAY_TRY(scalay_assignment_allocate(problem->edges.rows, problem->edges.cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(&problem->edges, NULL, NULL, &assignment));
    SCALAY_TRY(scalay_problem_place(problem, assignment.matching.of_col, mapping));
    take_duals(problem, &problem->edges, &assignment, mapping);
cleanup:
    scalay_assignment_free(&assignment);
    return status;
}

static scalay_status solve_steps(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_problem_bottleneck(problem, &problem->edges);
    scalay_bottleneck_solution solution = {0};
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    SCALAY_TRY(scalay_problem_place(problem, solution.matching.of_col, mapping));
    if (solution.bound < solution.steps || !solution.found) mapping->proof = SCALAY_PROOF_HEURISTIC;
    scalay_problem_take_crowd(&solution, mapping);
cleanup:
    scalay_bottleneck_free(&solution);
    return status;
}

/* ------------------------------------------------------------------------- one objective after the other */

typedef struct {
    const scalay_bottleneck *bottleneck;
    int64_t steps;
} step_limit;

static int is_within_steps(const void *context, int64_t edge, int i, int j, int64_t weight)
{
    const step_limit *limit = context;
    (void)edge;
    return scalay_bottleneck_cost(limit->bottleneck, i, j, weight) <= limit->steps;
}

/* Least volume within the least steps, of which the solution is a proof. */
static scalay_status settle_volume(const scalay_mapping_problem *problem, const scalay_bottleneck *bottleneck,
                                   const scalay_bottleneck_solution *solution, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_assignment assignment = {0};
    scalay_edges within = {0};
    scalay_cover heavy = {0};
    const step_limit limit = {bottleneck, solution->steps};
    SCALAY_TRY(scalay_edges_select(&problem->edges, is_within_steps, &limit, &within));
    SCALAY_TRY(scalay_problem_cover_heavy(bottleneck, solution->steps, &heavy));
    SCALAY_TRY(scalay_assignment_allocate(within.rows, within.cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(&within, &heavy, &solution->matching, &assignment));
    SCALAY_TRY(scalay_problem_place(problem, assignment.matching.of_col, mapping));
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
    const scalay_bottleneck bottleneck = scalay_problem_bottleneck(problem, &problem->edges);
    scalay_bottleneck_solution solution = {0};
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    if (solution.found && solution.bound == solution.steps) {
        SCALAY_TRY(settle_volume(problem, &bottleneck, &solution, mapping));
    } else {
        SCALAY_TRY(scalay_problem_place(problem, solution.matching.of_col, mapping));
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    scalay_problem_take_crowd(&solution, mapping);
cleanup:
    scalay_bottleneck_free(&solution);
    return status;
}

static int is_tight(const void *context, int64_t edge, int i, int j, int64_t weight)
{
    const scalay_assignment *assignment = context;
    (void)edge;
    return assignment->row_dual[i] + assignment->col_dual[j] == weight;
}

/* The mappings of least volume are the matchings on the tight edges of any optimal duals. */
static scalay_status settle_steps(const scalay_mapping_problem *problem, const scalay_edges *within,
                                  const scalay_cover *heavy, const scalay_assignment *assignment,
                                  scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_bottleneck_solution solution = {0};
    scalay_edges tight = {0};
    scalay_bottleneck bottleneck = scalay_problem_bottleneck(problem, &tight);
    SCALAY_TRY(scalay_edges_select(within, is_tight, assignment, &tight));
    SCALAY_TRY(scalay_problem_cover_positive(tight.rows, tight.cols, assignment, heavy, &bottleneck.must));
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    SCALAY_TRY(scalay_problem_place(problem, solution.found ? solution.matching.of_col : assignment->matching.of_col,
                                    mapping));
    if (solution.bound < solution.steps || !solution.found) mapping->proof = SCALAY_PROOF_HEURISTIC;
    scalay_problem_take_crowd(&solution, mapping);
cleanup:
    scalay_bottleneck_free(&solution);
    scalay_edges_free(&tight);
    scalay_cover_free(&bottleneck.must);
    return status;
}

scalay_status scalay_problem_solve_within(const scalay_mapping_problem *problem, int64_t steps,
                                          const scalay_matching *feasible, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    const int limited = steps < INT64_MAX;
    scalay_assignment assignment = {0};
    scalay_edges selected = {0};
    scalay_cover heavy = {0};
    const scalay_bottleneck whole = scalay_problem_bottleneck(problem, &problem->edges);
    const step_limit limit = {&whole, steps};
    if (limited) SCALAY_TRY(scalay_edges_select(&problem->edges, is_within_steps, &limit, &selected));
    const scalay_edges *within = limited ? &selected : &problem->edges;
    SCALAY_TRY(scalay_problem_cover_heavy(&whole, steps, &heavy));
    SCALAY_TRY(scalay_assignment_allocate(within->rows, within->cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(within, limited ? &heavy : NULL, limited ? feasible : NULL, &assignment));
    if (assignment.unfinished)
        SCALAY_TRY(scalay_problem_place(problem, assignment.matching.of_col, mapping));
    else
        SCALAY_TRY(settle_steps(problem, within, &heavy, &assignment, mapping));
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
    return scalay_problem_solve_within(problem, INT64_MAX, NULL, mapping);
}

static scalay_status solve_time(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    return problem->link_cost != NULL ? scalay_problem_solve_time(problem, mapping) : solve_volume(problem, mapping);
}

/* -------------------------------------------------------------------------------------------- problems */

typedef scalay_status (*solver)(const scalay_mapping_problem *problem, scalay_mapping *mapping);

static const solver solvers[] = {
    [SCALAY_CANONICAL] = scalay_problem_solve_canonical,
    [SCALAY_MIN_VOLUME] = solve_volume,
    [SCALAY_MIN_STEPS] = solve_steps,
    [SCALAY_MIN_STEPS_THEN_VOLUME] = solve_steps_then_volume,
    [SCALAY_MIN_VOLUME_THEN_STEPS] = solve_volume_then_steps,
    [SCALAY_MIN_TIME] = solve_time,
    [SCALAY_MIN_GRID_VOLUME] = scalay_problem_solve_grid,
};

void scalay_mapping_conclude(const scalay_mapping_problem *problem, scalay_mapping *made)
{
    const int timed = made->objective == SCALAY_MIN_TIME && problem->link_cost != NULL;
    const int of_steps = made->objective >= SCALAY_MIN_STEPS && made->objective <= SCALAY_MIN_VOLUME_THEN_STEPS;
    const int of_volume = made->objective != SCALAY_MIN_STEPS && !timed;
    if (made->objective == SCALAY_CANONICAL) return;
    if (made->proof == SCALAY_PROOF_NONE && of_volume) made->bound = made->volume;
    if (made->proof == SCALAY_PROOF_NONE) made->proof = SCALAY_PROOF_OPTIMAL;
    if (!timed && (!of_volume || made->bound == made->volume) && (!of_steps || made->steps_bound == made->steps))
        made->proof = SCALAY_PROOF_OPTIMAL;
}

scalay_status scalay_mapping_solve(const scalay_traffic *traffic, const int *canonical, int most,
                                   const scalay_process_grid *grid, scalay_objective objective,
                                   const scalay_mapping_options *options, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *made = NULL;
    scalay_mapping_problem problem;
    SCALAY_TRY(scalay_mapping_problem_create(traffic, canonical, most, options, &problem));
    problem.grid = grid;
    SCALAY_TRY(scalay_mapping_allocate(problem.processes, traffic->parts, objective, &made));
    SCALAY_TRY(solvers[objective](&problem, made));
    double time = made->time;
    SCALAY_TRY(scalay_mapping_count(traffic, made));
    if (objective == SCALAY_MIN_TIME && problem.link_cost != NULL) made->time = time;
    scalay_mapping_conclude(&problem, made);
    *mapping = made;
    made = NULL;
cleanup:
    scalay_mapping_problem_free(&problem);
    scalay_mapping_destroy(&made);
    return status;
}

scalay_status scalay_mapping_options_check(const scalay_mapping_options *options)
{
    if (options != NULL && options->processes < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "options->processes = %d; it must be at least 0", options->processes);
    if (options != NULL && !(options->budget_seconds >= 0.0 && isfinite(options->budget_seconds)))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "options->budget_seconds = %g; it must be finite and at least 0",
                           options->budget_seconds);
    return SCALAY_SUCCESS;
}

scalay_status scalay_mapping_check_request(scalay_objective objective, const scalay_mapping_options *options)
{
    if ((int)objective < 0 || (int)objective >= (int)(sizeof solvers / sizeof solvers[0]))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "objective = %d; use one of scalay_objective", (int)objective);
    return scalay_mapping_options_check(options);
}

static scalay_status grid_from_options(const scalay_traffic *traffic, const scalay_mapping_options *options,
                                       scalay_process_grid *grid)
{
    const int rows = options != NULL ? options->grid_rows : 0;
    if (rows < 1 || traffic->parts % rows != 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_mapping_from_traffic",
                           "options->grid_rows = %d; the %d parts do not form so many rows, which the objective needs",
                           rows, traffic->parts);
    return scalay_process_grid_create(NULL, NULL, rows, traffic->parts, grid);
}

scalay_status scalay_mapping_from_traffic(const scalay_traffic *traffic, scalay_objective objective,
                                          const scalay_mapping_options *options, scalay_mapping **mapping)
{
    if (mapping == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapping is NULL; pass where to put it");
    *mapping = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    scalay_status status = scalay_mapping_check_request(objective, options);
    if (status != SCALAY_SUCCESS) return status;
    const int most = traffic->processes > traffic->parts ? traffic->processes : traffic->parts;
    scalay_process_grid grid = {0};
    if (objective == SCALAY_MIN_GRID_VOLUME) status = grid_from_options(traffic, options, &grid);
    if (status == SCALAY_SUCCESS)
        status = scalay_mapping_solve(traffic, NULL, most, &grid, objective, options, mapping);
    scalay_process_grid_free(&grid);
    return status;
}
