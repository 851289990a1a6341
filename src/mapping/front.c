/*
 * The Pareto front of steps and volume, from the least volume on: the next point is the least volume among the mappings
 * of fewer steps than the last point.
 */
#include "base/memory.h"
#include "mapping/problem.h"
#include "mapping/product.h"
#include "mapping/traffic.h"

/* A search for points, on a traffic matrix or on a product. */
typedef struct {
    const scalay_mapping_problem *problem;
    scalay_product *product; /* NULL: the traffic of the problem */
    int parts;
    scalay_bottleneck_solution fewest;
} front_search;

static scalay_status solve_within(const front_search *search, int64_t steps, scalay_mapping *point)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_matching *feasible = &search->fewest.matching;
    if (search->product != NULL) return scalay_product_solve_within(search->product, steps, feasible, point);
    SCALAY_TRY(scalay_mapping_problem_solve_within(search->problem, steps, feasible, point));
    SCALAY_TRY(scalay_mapping_count(search->problem->traffic, point));
cleanup:
    return status;
}

static scalay_status solve_point(const front_search *search, int64_t steps, scalay_mapping **point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_allocate(search->problem->processes, search->parts, SCALAY_MIN_VOLUME_THEN_STEPS, point));
    SCALAY_TRY(solve_within(search, steps, *point));
    const int proven = (*point)->bound == (*point)->volume && (*point)->steps_bound == (*point)->steps;
    (*point)->proof = proven ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
cleanup:
    return status;
}

static scalay_status find_fewest_of_traffic(front_search *search, scalay_mapping *fewest)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_mapping_problem_bottleneck(search->problem, &search->problem->edges);
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &search->fewest));
    SCALAY_TRY(scalay_mapping_problem_place(search->problem, search->fewest.matching.of_col, fewest));
    SCALAY_TRY(scalay_mapping_count(search->problem->traffic, fewest));
    scalay_mapping_problem_take_hall_violator(&search->fewest, fewest);
cleanup:
    return status;
}

/* The mapping of least steps, with their proof. */
static scalay_status find_fewest(front_search *search, scalay_mapping **fewest)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_allocate(search->problem->processes, search->parts, SCALAY_MIN_STEPS, fewest));
    SCALAY_TRY(search->product != NULL ? scalay_product_find_steps(search->product, *fewest, &search->fewest)
                                       : find_fewest_of_traffic(search, *fewest));
    (*fewest)->proof = (*fewest)->steps == (*fewest)->steps_bound ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
cleanup:
    return status;
}

static scalay_status add_point(scalay_mapping_front *front, scalay_mapping *point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(front->points, front->capacity, front->size + 1));
    front->points[front->size++] = point;
cleanup:
    return status;
}

/* Replaces the processes of a point by those of a mapping that dominates it. The bounds of the point stay valid. */
static void replace(scalay_mapping *point, const scalay_mapping *better)
{
    for (int j = 0; j < point->parts; j++) point->process[j] = better->process[j];
    point->volume = better->volume;
    point->steps = better->steps;
    point->time = better->time;
}

/* After a deadline, the mapping of least steps becomes a point, or replaces an unproven point that it dominates, unless
 * it is dominated itself. The last point found is not proven in any case. */
static scalay_status add_unproven(scalay_mapping_front *front)
{
    scalay_mapping *last = front->points[front->size - 1], *fewest = front->fewest;
    const int was_proven = last->proof == SCALAY_PROOF_OPTIMAL;
    const int improves = fewest->steps < last->steps || (fewest->steps == last->steps && fewest->volume < last->volume);
    if (improves && (was_proven || last->volume < fewest->volume)) {
        fewest->proof = SCALAY_PROOF_HEURISTIC;
        return add_point(front, fewest);
    }
    last->proof = SCALAY_PROOF_HEURISTIC;
    if (improves) replace(last, fewest);
    return SCALAY_SUCCESS;
}

static void reverse(scalay_mapping_front *front)
{
    for (int64_t k = 0; k < front->size / 2; k++) {
        scalay_mapping *point = front->points[k];
        front->points[k] = front->points[front->size - 1 - k];
        front->points[front->size - 1 - k] = point;
    }
}

static scalay_status find_points(const front_search *search, scalay_mapping_front *front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *point = NULL;
    int64_t steps = INT64_MAX;
    int proven = 0;
    do {
        SCALAY_TRY(solve_point(search, steps, &point));
        SCALAY_TRY(add_point(front, point));
        proven = point->proof == SCALAY_PROOF_OPTIMAL;
        steps = point->steps - 1;
        point = NULL;
    } while (proven && search->fewest.found && steps >= search->fewest.steps);
    if (!proven || front->fewest->proof != SCALAY_PROOF_OPTIMAL || steps >= front->fewest->steps)
        SCALAY_TRY(add_unproven(front));
    reverse(front);
cleanup:
    scalay_mapping_destroy(&point);
    return status;
}

static scalay_status create(front_search *search, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_front *new_front = NULL;
    SCALAY_TRY(SCALAY_NEW(new_front, 1));
    SCALAY_TRY(find_fewest(search, &new_front->fewest));
    SCALAY_TRY(find_points(search, new_front));
    *front = new_front;
    new_front = NULL;
cleanup:
    scalay_bottleneck_free(&search->fewest);
    scalay_mapping_front_destroy(&new_front);
    return status;
}

static scalay_status create_on_traffic(const scalay_traffic *traffic, const int *canonical, int processes,
                                       const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_problem problem;
    front_search search = {.problem = &problem, .parts = traffic->parts};
    SCALAY_TRY(scalay_mapping_problem_create(traffic, canonical, processes, options, &problem));
    SCALAY_TRY(create(&search, front));
cleanup:
    scalay_mapping_problem_free(&problem);
    return status;
}

static scalay_status create_on_product(const scalay_layout *source, const scalay_layout *target,
                                       const scalay_product_overlap *overlap, const int *canonical, int processes,
                                       const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_problem problem;
    scalay_product product = {0};
    front_search search = {.problem = &problem, .product = &product, .parts = scalay_layout_parts(target)};
    SCALAY_TRY(scalay_mapping_problem_set(search.parts, canonical, processes, options, &problem));
    SCALAY_TRY(scalay_product_create(source, target, overlap, &problem, &product));
    SCALAY_TRY(create(&search, front));
cleanup:
    scalay_product_free(&product);
    return status;
}

scalay_status scalay_mapping_front_from_traffic(const scalay_traffic *traffic, const scalay_mapping_options *options,
                                                scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_options read;
    SCALAY_TRY(scalay_check_not_null(front, __func__, "front"));
    *front = NULL;
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_mapping_options_read(options, __func__, &read));
    const int processes = traffic->processes > traffic->parts ? traffic->processes : traffic->parts;
    SCALAY_TRY(create_on_traffic(traffic, NULL, processes, &read, front));
cleanup:
    return status;
}

scalay_status scalay_mapping_front_create(const scalay_layout *source, const scalay_layout *target,
                                          const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_options read;
    scalay_traffic *traffic = NULL;
    int *canonical = NULL, processes = 0;
    scalay_product_overlap overlap = {0};
    SCALAY_TRY(scalay_check_not_null(front, __func__, "front"));
    *front = NULL;
    SCALAY_TRY(scalay_mapping_options_read(options, __func__, &read));
    SCALAY_TRY(scalay_traffic_check_layouts(1, &source, &target, NULL, __func__));
    SCALAY_TRY(scalay_mapping_problem_find_canonical(source, target, &canonical, &processes));
    if (scalay_product_applies(1, &source, &target))
        SCALAY_TRY(scalay_product_overlap_create(1, &source, &target, NULL, &overlap));
    if (overlap.exists && scalay_product_applies_to_steps(&overlap)) {
        SCALAY_TRY(create_on_product(source, target, &overlap, canonical, processes, &read, front));
        goto cleanup;
    }
    SCALAY_TRY(scalay_traffic_create(source, target, &traffic));
    SCALAY_TRY(create_on_traffic(traffic, canonical, processes, &read, front));
cleanup:
    scalay_product_overlap_free(&overlap);
    scalay_traffic_destroy(&traffic);
    scalay_release(canonical);
    return status;
}

void scalay_mapping_front_destroy(scalay_mapping_front **front)
{
    if (front == NULL || *front == NULL) return;
    for (int64_t k = 0; k < (*front)->size; k++)
        if ((*front)->points[k] != (*front)->fewest) scalay_mapping_destroy(&(*front)->points[k]);
    scalay_mapping_destroy(&(*front)->fewest);
    scalay_release((*front)->points);
    scalay_release(*front);
    *front = NULL;
}

int64_t scalay_mapping_front_count(const scalay_mapping_front *front)
{
    return front != NULL ? front->size : 0;
}

const scalay_mapping *scalay_mapping_front_get_mapping(const scalay_mapping_front *front, int64_t k)
{
    return front != NULL && k >= 0 && k < front->size ? front->points[k] : NULL;
}
