/* Algorithm 12 of Khaleghzadeh et al. (2020), on a sorted array where they have a map: looking up costs the same, and
 * few are inserted. Repaired: time_x is not overwritten before the test that ends the loop (there by the caller), P# is
 * not accumulated, and an element at the front is inserted only when no element of less energy is as fast. */
#include "published/pareto.h"

#include <string.h>

#include "base/memory.h"

/* The first element with at least so much energy. */
static int64_t lower_bound(const scalay_partial_set *set, int64_t energy)
{
    int64_t low = 0;
    int64_t high = set->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (set->partial[middle].energy < energy)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts a partial distribution in place of the elements k <= e < end. */
static scalay_status replace(scalay_partial_set *set, int64_t k, int64_t end, const scalay_partial *partial)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(set->partial, set->capacity, set->count + 1));
    memmove(set->partial + k + 1, set->partial + end, (size_t)(set->count - end) * sizeof *set->partial);
    set->partial[k] = *partial;
    set->count += 1 - (end - k);
cleanup:
    return status;
}

scalay_status scalay_partial_set_add(scalay_partial_set *set, const scalay_partial *partial)
{
    const int64_t k = lower_bound(set, partial->energy);
    const scalay_partial *at = k < set->count ? &set->partial[k] : NULL;
    if (k > 0 && set->partial[k - 1].time <= partial->time) return SCALAY_SUCCESS;
    if (at && at->energy == partial->energy &&
        (at->time < partial->time || (at->time == partial->time && at->active <= partial->active)))
        return SCALAY_SUCCESS;
    int64_t end = k;
    while (end < set->count && set->partial[end].time >= partial->time) end++;
    return replace(set, k, end, partial);
}

void scalay_partial_set_free(scalay_partial_set *set)
{
    scalay_release(set->partial);
    *set = (scalay_partial_set){0};
}

scalay_status scalay_partial_set_front(const scalay_partial_set *set, int64_t *count, scalay_point **point,
                                       scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    *count = set->count;
    *distribution = NULL;
    SCALAY_TRY(SCALAY_NEW(*point, set->count));
    SCALAY_TRY(SCALAY_NEW(*distribution, set->count));
    for (int64_t k = 0; k < set->count; k++) {
        const scalay_partial *partial = &set->partial[set->count - 1 - k];
        (*point)[k] = (scalay_point){partial->time, partial->energy, partial->active};
    }
cleanup:
    if (status != SCALAY_SUCCESS) scalay_front_release(count, point, distribution);
    return status;
}

void scalay_front_release(int64_t *count, scalay_point **point, scalay_distribution **distribution)
{
    if (*distribution != NULL)
        for (int64_t k = 0; k < *count; k++) scalay_distribution_free(&(*distribution)[k]);
    scalay_release(*distribution);
    scalay_release(*point);
    *count = 0;
    *distribution = NULL;
    *point = NULL;
}
