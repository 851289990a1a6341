/* Checking a front without trusting whoever made it. */
#include "mapping/certificate.h"

static const char function[] = "scalay_mapping_front_check";

static int is_proven(const scalay_mapping *point)
{
    return point->proof == SCALAY_PROOF_OPTIMAL;
}

/* What a time budget left open comes first. */
static scalay_status check_order(const scalay_mapping_front *front)
{
    for (int64_t k = 0; k + 1 < front->size; k++) {
        const scalay_mapping *point = front->points[k], *next = front->points[k + 1];
        if (point->steps >= next->steps || point->volume <= next->volume)
            return scalay_fail(SCALAY_ERROR_MISMATCH, function, "point %lld is no trade-off against the next",
                               (long long)k);
        if (is_proven(point) && !is_proven(next))
            return scalay_fail(SCALAY_ERROR_MISMATCH, function, "point %lld is proven, but not the next", (long long)k);
    }
    return SCALAY_SUCCESS;
}

/* The points are chained: each is best of all mappings with fewer steps than the next, or bounds these. Of two that are
 * not proven the first only says that there are so few steps. */
static scalay_status check_chain(const scalay_mapping_front *front, int64_t k)
{
    const scalay_mapping *point = front->points[k];
    const int64_t within = k + 1 < front->size ? front->points[k + 1]->steps - 1 : INT64_MAX;
    if (k == 0 && !is_proven(point) && point->objective == SCALAY_MIN_STEPS) return SCALAY_SUCCESS;
    if (point->objective != SCALAY_MIN_VOLUME_THEN_STEPS || point->certificate.within != within)
        return scalay_fail(SCALAY_ERROR_MISMATCH, function, "point %lld is not proven within %lld steps", (long long)k,
                           (long long)within);
    return SCALAY_SUCCESS;
}

scalay_status scalay_check_front_on_view(scalay_traffic_view *view, const scalay_mapping_front *front,
                                         const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_options unlinked = options != NULL ? *options : scalay_mapping_options_default();
    unlinked.link_cost = NULL;
    if (front->size < 1) return scalay_fail(SCALAY_ERROR_MISMATCH, function, "the front has no point");
    SCALAY_TRY(scalay_check_on_view(view, front->fewest, &unlinked));
    if (is_proven(front->points[0]) && (front->points[0]->steps != front->fewest->steps || !is_proven(front->fewest)))
        return scalay_fail(SCALAY_ERROR_MISMATCH, function, "the first point does not have the least steps");
    SCALAY_TRY(check_order(front));
    for (int64_t k = 0; k < front->size; k++) {
        SCALAY_TRY(check_chain(front, k));
        SCALAY_TRY(scalay_check_on_view(view, front->points[k], &unlinked));
    }
cleanup:
    return status;
}

scalay_status scalay_mapping_front_check(const scalay_traffic *traffic, const scalay_mapping_front *front,
                                         const scalay_mapping_options *options)
{
    if (traffic == NULL || front == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic or front is NULL; create both first");
    scalay_traffic_view view = scalay_view_of_traffic(traffic);
    return scalay_check_front_on_view(&view, front, options);
}
