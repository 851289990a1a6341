/* Checks against layouts: between grids the traffic is never formed. */
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/certificate.h"
#include "mapping/shared.h"

/* What a mapping, or a front instead, is checked against. */
typedef struct {
    int count;
    const scalay_layout *const *source, *const *target;
    const int64_t *weight;
    const scalay_mapping *mapping;
    const scalay_mapping_front *front;
    const scalay_mapping_options *options;
} request;

/* The grid that a mapping says it keeps is that of the target. */
static scalay_status check_grid(const scalay_layout *target, const scalay_mapping *mapping)
{
    const scalay_process_grid *grid = &mapping->certificate.grid;
    if (mapping->objective != SCALAY_MIN_GRID_VOLUME) return SCALAY_SUCCESS;
    if (!scalay_layout_is_grid(target) || mapping->parts != scalay_layout_parts(target) ||
        grid->rows != target->row.classes || grid->cols != target->col.classes)
        return DENY("the grid of %d x %d is not that of the target", grid->rows, grid->cols);
    for (int k = 0; k < scalay_layout_parts(target); k++) {
        const int part = scalay_layout_cell_part(target, k / grid->cols, k % grid->cols);
        if (grid->part[k] != part || grid->process[k] != scalay_layout_process_of_part(target, part))
            return DENY("part %d or its process is not where the grid of the target has it", part);
    }
    return SCALAY_SUCCESS;
}

static scalay_status check(const request *asked)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic_view view = {0};
    scalay_traffic *traffic = NULL;
    SCALAY_TRY(scalay_shared_check(asked->count, asked->source, asked->target, asked->weight));
    if (scalay_shared_are_grids(asked->count, asked->source, asked->target)) {
        SCALAY_TRY(scalay_view_of_grids(asked->count, asked->source, asked->target, asked->weight, &view));
    } else {
        SCALAY_TRY(scalay_shared_traffic(asked->count, asked->source, asked->target, asked->weight, &traffic));
        view = scalay_view_of_traffic(traffic);
    }
    if (asked->front == NULL) SCALAY_TRY(check_grid(asked->target[0], asked->mapping));
    SCALAY_TRY(asked->front != NULL ? scalay_check_front_on_view(&view, asked->front, asked->options)
                                    : scalay_check_on_view(&view, asked->mapping, asked->options));
cleanup:
    scalay_view_free(&view);
    scalay_traffic_destroy(&traffic);
    return status;
}

scalay_status scalay_mapping_check_layouts(int count, const scalay_layout *const *source,
                                           const scalay_layout *const *target, const int64_t *weight,
                                           const scalay_mapping *mapping, const scalay_mapping_options *options)
{
    const request asked = {
        .count = count, .source = source, .target = target, .weight = weight, .mapping = mapping, .options = options};
    if (mapping == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "mapping is NULL; create it first");
    return check(&asked);
}

scalay_status scalay_mapping_front_check_layouts(const scalay_layout *source, const scalay_layout *target,
                                                 const scalay_mapping_front *front,
                                                 const scalay_mapping_options *options)
{
    const request asked = {.count = 1, .source = &source, .target = &target, .front = front, .options = options};
    if (front == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "front is NULL; create it first");
    return check(&asked);
}
