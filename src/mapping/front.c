/* The Pareto front of steps and volume, from the least volume on: the next point is the least volume among the mappings
 * with fewer steps than the last. */
#include "mapping/front.h"

#include "core/memory.h"
#include "mapping/solve.h"
#include "mapping/traffic.h"

static scalay_status solve_point(const scalay_mapping_problem *problem, int64_t steps, const scalay_matching *feasible,
                                 scalay_mapping **point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(
        scalay_mapping_allocate(problem->processes, problem->traffic->parts, SCALAY_MIN_VOLUME_THEN_STEPS, point));
    SCALAY_TRY(scalay_problem_solve_within(problem, steps, feasible, *point));
    SCALAY_TRY(scalay_mapping_count(problem->traffic, *point));
    (*point)->bound = (*point)->volume;
    (*point)->proof = SCALAY_PROOF_OPTIMAL;
cleanup:
    return status;
}

/* The mapping that proves how few steps there can be. */
static scalay_status settle_fewest(const scalay_mapping_problem *problem, scalay_bottleneck_solution *solution,
                                   scalay_mapping **fewest)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_allocate(problem->processes, problem->traffic->parts, SCALAY_MIN_STEPS, fewest));
    SCALAY_TRY(scalay_problem_place(problem, solution->matching.of_col, *fewest));
    SCALAY_TRY(scalay_mapping_count(problem->traffic, *fewest));
    (*fewest)->proof = SCALAY_PROOF_OPTIMAL;
    scalay_problem_take_crowd(solution, *fewest);
cleanup:
    return status;
}

static scalay_status find_points(const scalay_mapping_problem *problem, const scalay_matching *feasible,
                                 scalay_mapping_front *front)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t capacity = 0, steps = INT64_MAX;
    do {
        SCALAY_TRY(SCALAY_GROW(front->points, capacity, front->size + 1));
        front->points[front->size++] = NULL;
        SCALAY_TRY(solve_point(problem, steps, feasible, &front->points[front->size - 1]));
        steps = front->points[front->size - 1]->steps - 1;
    } while (steps >= front->fewest->steps);
    for (int64_t k = 0; k < front->size / 2; k++) {
        scalay_mapping *point = front->points[k];
        front->points[k] = front->points[front->size - 1 - k];
        front->points[front->size - 1 - k] = point;
    }
cleanup:
    return status;
}

static scalay_status create(const scalay_traffic *traffic, const int *canonical, int most,
                            const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_front *made = NULL;
    scalay_bottleneck_solution solution = {0};
    scalay_mapping_problem problem;
    SCALAY_TRY(scalay_mapping_problem_create(traffic, canonical, most, options, &problem));
    problem.deadline = scalay_deadline_in(0.0); /* every point has to be proven */
    SCALAY_TRY(SCALAY_NEW(made, 1));
    const scalay_bottleneck bottleneck = scalay_problem_bottleneck(&problem, &problem.edges);
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &solution));
    SCALAY_TRY(settle_fewest(&problem, &solution, &made->fewest));
    SCALAY_TRY(find_points(&problem, &solution.matching, made));
    *front = made;
    made = NULL;
cleanup:
    scalay_bottleneck_free(&solution);
    scalay_mapping_problem_free(&problem);
    scalay_mapping_front_destroy(&made);
    return status;
}

scalay_status scalay_mapping_front_from_traffic(const scalay_traffic *traffic, const scalay_mapping_options *options,
                                                scalay_mapping_front **front)
{
    if (front == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "front is NULL; pass where to put it");
    *front = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    scalay_status status = scalay_mapping_options_check(options);
    if (status != SCALAY_SUCCESS) return status;
    return create(traffic, NULL, traffic->processes > traffic->parts ? traffic->processes : traffic->parts, options,
                  front);
}

scalay_status scalay_mapping_front_create(const scalay_layout *source, const scalay_layout *target,
                                          const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    int *canonical = NULL;
    int most = 0;
    if (front == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "front is NULL; pass where to put it");
    *front = NULL;
    SCALAY_TRY(scalay_mapping_options_check(options));
    SCALAY_TRY(scalay_traffic_create(source, target, &traffic));
    SCALAY_TRY(scalay_canonical_processes(source, target, &canonical, &most));
    SCALAY_TRY(create(traffic, canonical, most, options, front));
cleanup:
    scalay_traffic_destroy(&traffic);
    scalay_release(canonical);
    return status;
}

void scalay_mapping_front_destroy(scalay_mapping_front **front)
{
    if (front == NULL || *front == NULL) return;
    for (int64_t k = 0; k < (*front)->size; k++) scalay_mapping_destroy(&(*front)->points[k]);
    scalay_mapping_destroy(&(*front)->fewest);
    scalay_release((*front)->points);
    scalay_release(*front);
    *front = NULL;
}

int64_t scalay_mapping_front_count(const scalay_mapping_front *front)
{
    return front != NULL ? front->size : 0;
}

const scalay_mapping *scalay_mapping_front_get(const scalay_mapping_front *front, int64_t k)
{
    return front != NULL && k >= 0 && k < front->size ? front->points[k] : NULL;
}
