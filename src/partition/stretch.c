/* The same map on a matrix of other extents. */

#include "core/integer.h"
#include "core/memory.h"
#include "partition/owner_map.h"

/* Classes that keep no line are left out: kept[old class] is the new one, or -1. */
static scalay_status stretch_axis(const scalay_map_axis *axis, int64_t extent, scalay_map_axis *stretched,
                                  int64_t **kept)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t last = 0;
    SCALAY_TRY(SCALAY_NEW(*kept, axis->classes));
    SCALAY_TRY(SCALAY_NEW(stretched->end, axis->runs));
    SCALAY_TRY(SCALAY_NEW(stretched->run_class, axis->runs));
    stretched->extent = extent;
    for (int64_t k = 0; k < axis->classes; k++) (*kept)[k] = -1;
    for (int64_t run = 0; run < axis->runs; run++) {
        int64_t old = axis->run_class[run];
        int64_t end = scalay_ceil_div(axis->end[run] * extent, axis->extent);
        if (end == last) continue;
        if ((*kept)[old] < 0) (*kept)[old] = stretched->classes++;
        stretched->end[stretched->runs] = end;
        stretched->run_class[stretched->runs++] = (*kept)[old];
        last = end;
    }
cleanup:
    return status;
}

/* The owners of the pairs of classes that are kept. */
static scalay_status keep_owners(const scalay_owner_map *map, const int64_t *row_kept, const int64_t *col_kept,
                                 int64_t rows, int64_t cols, int **owner)
{
    scalay_status status = SCALAY_NEW(*owner, rows * cols);
    if (status != SCALAY_SUCCESS) return status;
    for (int64_t i = 0; i < map->row.classes; i++)
        for (int64_t j = 0; j < map->col.classes; j++)
            if (row_kept[i] >= 0 && col_kept[j] >= 0)
                (*owner)[row_kept[i] * cols + col_kept[j]] = map->owner[i * map->col.classes + j];
    return SCALAY_SUCCESS;
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

scalay_status scalay_owner_map_stretch(const scalay_owner_map *map, int64_t m, int64_t n, scalay_owner_map **stretched)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0};
    scalay_map_axis col = {0};
    int64_t *row_kept = NULL;
    int64_t *col_kept = NULL;
    int *owner = NULL;
    if (stretched == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "stretched is NULL; pass where to put the map");
    *stretched = NULL;
    SCALAY_TRY(check(map, m, n));
    SCALAY_TRY(stretch_axis(&map->row, m, &row, &row_kept));
    SCALAY_TRY(stretch_axis(&map->col, n, &col, &col_kept));
    SCALAY_TRY(keep_owners(map, row_kept, col_kept, row.classes, col.classes, &owner));
    status = scalay_owner_map_from_classes(__func__, &row, &col, map->parts, owner, stretched);
    row = (scalay_map_axis){0}; /* taken over */
    col = (scalay_map_axis){0};
cleanup:
    scalay_release(owner);
    scalay_release(row_kept);
    scalay_release(col_kept);
    scalay_release(row.end);
    scalay_release(row.run_class);
    scalay_release(col.end);
    scalay_release(col.run_class);
    return status;
}
