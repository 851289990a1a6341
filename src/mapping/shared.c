#include "mapping/shared.h"

#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/traffic.h"

scalay_status scalay_shared_check(int count, const scalay_layout *const *source, const scalay_layout *const *target,
                                  const int64_t *weight)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count < 1 || source == NULL || target == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "count = %d; pass at least 1 source and target", count);
    for (int k = 0; k < count; k++) {
        SCALAY_TRY(scalay_traffic_check_layouts(source[k], target[k]));
        if (weight != NULL && weight[k] < 0)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "weight[%d] = %lld; it must be at least 0", k,
                               (long long)weight[k]);
        if (scalay_layout_parts(target[k]) != scalay_layout_parts(target[0]))
            return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                               "target[0] has %d parts, target[%d] %d; one mapping needs the same number",
                               scalay_layout_parts(target[0]), k, scalay_layout_parts(target[k]));
    }
cleanup:
    return status;
}

int scalay_shared_are_grids(int count, const scalay_layout *const *source, const scalay_layout *const *target)
{
    for (int k = 0; k < count; k++)
        if (!scalay_layout_is_grid(source[k]) || !scalay_layout_is_grid(target[k])) return 0;
    return 1;
}

scalay_status scalay_shared_traffic(int count, const scalay_layout *const *source, const scalay_layout *const *target,
                                    const int64_t *weight, scalay_traffic **sum)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic **each = NULL;
    if (count == 1 && weight == NULL) return scalay_traffic_create(source[0], target[0], sum);
    SCALAY_TRY(SCALAY_NEW(each, count));
    for (int k = 0; k < count; k++) SCALAY_TRY(scalay_traffic_create(source[k], target[k], &each[k]));
    SCALAY_TRY(scalay_traffic_add(count, (const scalay_traffic *const *)each, weight, sum));
cleanup:
    for (int k = 0; k < count && each != NULL; k++) scalay_traffic_destroy(&each[k]);
    scalay_release(each);
    return status;
}
