/* The same map on a matrix of other extents. */

#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"

/* The same classes in runs of other lengths; some may be left without a line. */
static scalay_status stretch_axis(const scalay_map_axis *axis, int64_t extent, scalay_map_axis *stretched)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t last = 0;
    SCALAY_TRY(SCALAY_NEW(stretched->end, axis->runs));
    SCALAY_TRY(SCALAY_NEW(stretched->run_class, axis->runs));
    stretched->extent = extent;
    stretched->classes = axis->classes;
    for (int64_t run = 0; run < axis->runs; run++) {
        int64_t end = scalay_ceil_div(axis->end[run] * extent, axis->extent);
        if (end == last) continue;
        stretched->end[stretched->runs] = end;
        stretched->run_class[stretched->runs++] = axis->run_class[run];
        last = end;
    }
cleanup:
    return status;
}

static scalay_status check(const scalay_owner_map *map, int64_t m, int64_t n)
{
    int64_t product;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass an owner map");
    if (m < 0 || n < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "m x n is %lld x %lld; pass extents of at least 0", (long long)m,
                           (long long)n);
    if ((map->row.extent == 0 && m > 0) || (map->col.extent == 0 && n > 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is %lld x %lld: lines that are not there cannot be stretched",
                           (long long)map->row.extent, (long long)map->col.extent);
    if (scalay_multiply_int64(map->row.extent, m, &product) && scalay_multiply_int64(map->col.extent, n, &product) &&
        scalay_multiply_int64(m, n, &product))
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_RANGE, "%lld x %lld and %lld x %lld: products of these extents do not fit 63 bits",
                       (long long)map->row.extent, (long long)map->col.extent, (long long)m, (long long)n);
}

scalay_status scalay_owner_map_resize(const scalay_owner_map *map, int64_t m, int64_t n, scalay_owner_map **stretched)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0};
    scalay_map_axis col = {0};
    if (stretched == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "stretched is NULL; pass where to put the map");
    *stretched = NULL;
    SCALAY_TRY(check(map, m, n));
    SCALAY_TRY(stretch_axis(&map->row, m, &row));
    SCALAY_TRY(stretch_axis(&map->col, n, &col));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row, &col, map->parts, map->owner, stretched));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    return status;
}
