/* Mappings between layouts: where they are grids whose traffic is a product, without it. */
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/product.h"
#include "mapping/shared.h"
#include "mapping/traffic.h"

/* What is to be mapped. */
typedef struct {
    int count;
    const scalay_layout *const *source, *const *target;
    const int64_t *weight;
    scalay_objective objective;
    const scalay_mapping_options *options;
    int *canonical; /* shape [parts] */
    int most;       /* processes unless the options say how many */
    scalay_process_grid grid;
} request;

static scalay_status solve_canonical_product(scalay_product *product, scalay_mapping *mapping)
{
    const scalay_status status = scalay_problem_solve_canonical(product->problem, mapping);
    return status == SCALAY_SUCCESS ? scalay_product_count(product, mapping) : status;
}

static scalay_status solve_product_volume_then_steps(scalay_product *product, scalay_mapping *mapping)
{
    return scalay_product_solve_within(product, INT64_MAX, NULL, mapping);
}

typedef scalay_status (*product_solver)(scalay_product *product, scalay_mapping *mapping);

/* Between grids these do without the traffic. */
static const product_solver product_solvers[] = {
    [SCALAY_CANONICAL] = solve_canonical_product,
    [SCALAY_MIN_VOLUME] = scalay_product_solve_volume,
    [SCALAY_MIN_STEPS] = scalay_product_solve_steps,
    [SCALAY_MIN_STEPS_THEN_VOLUME] = scalay_product_solve_steps_then_volume,
    [SCALAY_MIN_VOLUME_THEN_STEPS] = solve_product_volume_then_steps,
    [SCALAY_MIN_TIME] = NULL, /* costs are of all pairs */
    [SCALAY_MIN_GRID_VOLUME] = scalay_product_solve_grid,
};

static scalay_status solve_product(const request *asked, const scalay_product_overlap *overlap,
                                   scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *made = NULL;
    scalay_product product = {0};
    scalay_mapping_problem problem;
    const int parts = scalay_layout_parts(asked->target[0]);
    SCALAY_TRY(scalay_mapping_problem_resolve(parts, asked->canonical, asked->most, asked->options, &problem));
    problem.grid = &asked->grid;
    SCALAY_TRY(scalay_mapping_allocate(problem.processes, parts, asked->objective, &made));
    SCALAY_TRY(scalay_product_create_from(asked->source[0], asked->target[0], overlap, &problem, &product));
    SCALAY_TRY(product_solvers[asked->objective](&product, made));
    scalay_mapping_conclude(&problem, made);
    *mapping = made;
    made = NULL;
cleanup:
    scalay_product_free(&product);
    scalay_mapping_destroy(&made);
    return status;
}

/* The factors, where they are the way to go. Least time without link costs is least volume. */
static scalay_status find_factors(request *asked, scalay_product_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    const int of_steps = asked->objective >= SCALAY_MIN_STEPS && asked->objective <= SCALAY_MIN_VOLUME_THEN_STEPS;
    if (product_solvers[asked->objective] == NULL ||
        !scalay_product_applies(asked->count, asked->source, asked->target))
        return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_product_overlap_create(asked->count, asked->source, asked->target, asked->weight, overlap));
    if (overlap->exists && of_steps) overlap->exists = scalay_product_applies_to_steps(overlap);
cleanup:
    return status;
}

static scalay_status find_grid(request *asked)
{
    const scalay_layout *target = asked->target[0];
    if (asked->objective != SCALAY_MIN_GRID_VOLUME) return SCALAY_SUCCESS;
    if (!scalay_layout_is_grid(target))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_mapping_create",
                           "the target is not block-cyclic: it has no grid to keep; choose another objective");
    return scalay_process_grid_create(target, asked->canonical, 0, scalay_layout_parts(target), &asked->grid);
}

static scalay_status create(request *asked, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    scalay_product_overlap overlap = {0};
    *mapping = NULL;
    SCALAY_TRY(scalay_mapping_check_request(asked->objective, asked->options));
    SCALAY_TRY(scalay_shared_check(asked->count, asked->source, asked->target, asked->weight));
    SCALAY_TRY(scalay_canonical_processes(asked->source[0], asked->target[0], &asked->canonical, &asked->most));
    for (int k = 1; k < asked->count; k++)
        asked->most = (int)scalay_max_int64(asked->most, scalay_layout_processes(asked->source[k]));
    SCALAY_TRY(find_grid(asked));
    SCALAY_TRY(find_factors(asked, &overlap));
    if (overlap.exists) {
        SCALAY_TRY(solve_product(asked, &overlap, mapping));
        goto cleanup;
    }
    SCALAY_TRY(scalay_shared_traffic(asked->count, asked->source, asked->target, asked->weight, &traffic));
    SCALAY_TRY(scalay_mapping_solve(traffic, asked->canonical, asked->most, &asked->grid, asked->objective,
                                    asked->options, mapping));
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
    request asked = {.count = 1, .source = &source, .target = &target, .objective = objective, .options = options};
    if (mapping == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapping is NULL; pass where to put it");
    return create(&asked, mapping);
}

scalay_status scalay_mapping_create_shared(int count, const scalay_layout *const *source,
                                           const scalay_layout *const *target, const int64_t *weight,
                                           scalay_objective objective, const scalay_mapping_options *options,
                                           scalay_mapping **mapping)
{
    request asked = {.count = count,
                     .source = source,
                     .target = target,
                     .weight = weight,
                     .objective = objective,
                     .options = options};
    if (mapping == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapping is NULL; pass where to put it");
    return create(&asked, mapping);
}
