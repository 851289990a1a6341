/* The Pareto front of steps and volume, from the least volume on: the next point is the least volume among the mappings
 * with fewer steps than the last. */
#include "mapping/front.h"

#include "base/memory.h"
#include "mapping/product.h"
#include "mapping/traffic.h"

/* What points are found on: the traffic, or the factors between grids. */
typedef struct {
    const scalay_mapping_problem *problem;
    scalay_product *product; /* NULL: the traffic */
    int parts;
    scalay_bottleneck_solution fewest;
} ground;

static scalay_status solve_within(const ground *on, int64_t steps, scalay_mapping *point)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_matching *feasible = &on->fewest.matching;
    if (on->product != NULL) return scalay_product_solve_within(on->product, steps, feasible, point);
    SCALAY_TRY(scalay_problem_solve_within(on->problem, steps, feasible, point));
    SCALAY_TRY(scalay_mapping_count(on->problem->traffic, point));
cleanup:
    return status;
}

static scalay_status solve_point(const ground *on, int64_t steps, scalay_mapping **point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_allocate(on->problem->processes, on->parts, SCALAY_MIN_VOLUME_THEN_STEPS, point));
    SCALAY_TRY(solve_within(on, steps, *point));
    const int proven = (*point)->bound == (*point)->volume && (*point)->steps_bound == (*point)->steps;
    (*point)->proof = proven ? SCALAY_PROOF_OPTIMAL : SCALAY_PROOF_HEURISTIC;
cleanup:
    return status;
}

static scalay_status find_fewest_on_traffic(ground *on, scalay_mapping *fewest)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_bottleneck bottleneck = scalay_problem_bottleneck(on->problem, &on->problem->edges);
    SCALAY_TRY(scalay_bottleneck_solve(&bottleneck, &on->fewest));
    SCALAY_TRY(scalay_problem_place(on->problem, on->fewest.matching.of_col, fewest));
    SCALAY_TRY(scalay_mapping_count(on->problem->traffic, fewest));
    scalay_problem_take_crowd(&on->fewest, fewest);
cleanup:
    return status;
}

/* The mapping that proves how few steps there can be. */
static scalay_status find_fewest(ground *on, scalay_mapping **fewest)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_allocate(on->problem->processes, on->parts, SCALAY_MIN_STEPS, fewest));
    SCALAY_TRY(on->product != NULL ? scalay_product_find_steps(on->product, *fewest, &on->fewest)
                                   : find_fewest_on_traffic(on, *fewest));
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

/* Another mapping takes the place of a point that it beats in both; what the point's duals bound it obeys. */
static void replace(scalay_mapping *point, const scalay_mapping *better)
{
    for (int j = 0; j < point->parts; j++) point->process[j] = better->process[j];
    point->volume = better->volume;
    point->steps = better->steps;
    point->time = better->time;
}

/* Where the deadline came first: the mapping of fewest steps is a point of its own, or takes the place of one that is
 * no better, unless it has nothing to offer. In any case what comes last is not proven. */
static scalay_status settle_open_end(scalay_mapping_front *front)
{
    scalay_mapping *last = front->points[front->size - 1], *fewest = front->fewest;
    const int was_proven = last->proof == SCALAY_PROOF_OPTIMAL;
    const int offers = fewest->steps < last->steps || (fewest->steps == last->steps && fewest->volume < last->volume);
    if (offers && (was_proven || last->volume < fewest->volume)) {
        fewest->proof = SCALAY_PROOF_HEURISTIC;
        return add_point(front, fewest);
    }
    last->proof = SCALAY_PROOF_HEURISTIC;
    if (offers) replace(last, fewest);
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

static scalay_status find_points(const ground *on, scalay_mapping_front *front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *point = NULL;
    int64_t steps = INT64_MAX;
    int proven = 0;
    do {
        SCALAY_TRY(solve_point(on, steps, &point));
        SCALAY_TRY(add_point(front, point));
        proven = point->proof == SCALAY_PROOF_OPTIMAL;
        steps = point->steps - 1;
        point = NULL;
    } while (proven && on->fewest.found && steps >= on->fewest.steps);
    if (!proven || front->fewest->proof != SCALAY_PROOF_OPTIMAL || steps >= front->fewest->steps)
        SCALAY_TRY(settle_open_end(front));
    reverse(front);
cleanup:
    scalay_mapping_destroy(&point);
    return status;
}

static scalay_status create(ground *on, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_front *made = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    SCALAY_TRY(find_fewest(on, &made->fewest));
    SCALAY_TRY(find_points(on, made));
    *front = made;
    made = NULL;
cleanup:
    scalay_bottleneck_free(&on->fewest);
    scalay_mapping_front_destroy(&made);
    return status;
}

static scalay_status create_on_traffic(const scalay_traffic *traffic, const int *canonical, int most,
                                       const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_problem problem;
    ground on = {.problem = &problem, .parts = traffic->parts};
    SCALAY_TRY(scalay_mapping_problem_create(traffic, canonical, most, options, &problem));
    SCALAY_TRY(create(&on, front));
cleanup:
    scalay_mapping_problem_free(&problem);
    return status;
}

static scalay_status create_on_product(const scalay_layout *source, const scalay_layout *target,
                                       const scalay_product_overlap *overlap, const int *canonical, int most,
                                       const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_problem problem;
    scalay_product product = {0};
    ground on = {.problem = &problem, .product = &product, .parts = scalay_layout_parts(target)};
    SCALAY_TRY(scalay_mapping_problem_resolve(on.parts, canonical, most, options, &problem));
    SCALAY_TRY(scalay_product_create_from(source, target, overlap, &problem, &product));
    SCALAY_TRY(create(&on, front));
cleanup:
    scalay_product_free(&product);
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
    const int most = traffic->processes > traffic->parts ? traffic->processes : traffic->parts;
    return create_on_traffic(traffic, NULL, most, options, front);
}

scalay_status scalay_mapping_front_create(const scalay_layout *source, const scalay_layout *target,
                                          const scalay_mapping_options *options, scalay_mapping_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    int *canonical = NULL;
    int most = 0;
    scalay_product_overlap overlap = {0};
    if (front == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "front is NULL; pass where to put it");
    *front = NULL;
    SCALAY_TRY(scalay_mapping_options_check(options));
    SCALAY_TRY(scalay_traffic_check_layouts(source, target));
    SCALAY_TRY(scalay_canonical_processes(source, target, &canonical, &most));
    if (scalay_product_applies(1, &source, &target))
        SCALAY_TRY(scalay_product_overlap_create(1, &source, &target, NULL, &overlap));
    if (overlap.exists && scalay_product_applies_to_steps(&overlap)) {
        SCALAY_TRY(create_on_product(source, target, &overlap, canonical, most, options, front));
        goto cleanup;
    }
    SCALAY_TRY(scalay_traffic_create(source, target, &traffic));
    SCALAY_TRY(create_on_traffic(traffic, canonical, most, options, front));
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
