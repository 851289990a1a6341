/* Owner maps made from cells, and what they are asked. */
#include "partition/owner_map.h"

#include "base/integer.h"
#include "base/memory.h"

static const char create[] = "scalay_owner_map_create";

static scalay_status check_cuts(const char *name, int64_t cells, const int64_t *cut)
{
    if (cells < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s_cells = %lld; it must be at least 0", name,
                           (long long)cells);
    if (cut == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s_cut is NULL; pass %lld cuts, the first of them 0", name,
                           (long long)cells + 1);
    if (cut[0] != 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s_cut[0] = %lld; it must be 0", name, (long long)cut[0]);
    for (int64_t k = 0; k < cells; k++)
        if (cut[k + 1] < cut[k])
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create,
                               "%s_cut[%lld] = %lld is less than %s_cut[%lld] = %lld; cuts must not descend", name,
                               (long long)k + 1, (long long)cut[k + 1], name, (long long)k, (long long)cut[k]);
    return SCALAY_SUCCESS;
}

static scalay_status check_owners(int64_t row_cells, int64_t col_cells, int parts, const int *owner)
{
    int64_t cells = 0;
    if (parts < 1) return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "parts = %d; it must be at least 1", parts);
    if (!scalay_multiply_int64(row_cells, col_cells, &cells))
        return scalay_fail(SCALAY_ERROR_RANGE, create, "%lld x %lld cells are more than 2^63 - 1; use fewer",
                           (long long)row_cells, (long long)col_cells);
    if (owner == NULL && cells > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "owner is NULL; pass one per cell (%lld)", (long long)cells);
    for (int64_t k = 0; k < cells; k++)
        if (owner[k] < 0 || owner[k] >= parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "owner[%lld][%lld] = %d; it must be 0 to %d",
                               (long long)(k / col_cells), (long long)(k % col_cells), owner[k], parts - 1);
    return SCALAY_SUCCESS;
}

/* Every cell is a class; cells of no lines are no runs. */
static scalay_status axis_from_cuts(int64_t cells, const int64_t *cut, scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    axis->extent = cut[cells];
    axis->classes = cells;
    SCALAY_TRY(SCALAY_NEW(axis->end, cells));
    SCALAY_TRY(SCALAY_NEW(axis->run_class, cells));
    for (int64_t k = 0; k < cells; k++) {
        if (cut[k] == cut[k + 1]) continue;
        axis->end[axis->runs] = cut[k + 1];
        axis->run_class[axis->runs++] = k;
    }
cleanup:
    return status;
}

scalay_status scalay_owner_map_create(int64_t row_cells, int64_t col_cells, const int64_t *row_cut,
                                      const int64_t *col_cut, int parts, const int *owner, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0};
    scalay_map_axis col = {0};
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass where to put it");
    *map = NULL;
    SCALAY_TRY(check_cuts("row", row_cells, row_cut));
    SCALAY_TRY(check_cuts("col", col_cells, col_cut));
    SCALAY_TRY(check_owners(row_cells, col_cells, parts, owner));
    SCALAY_TRY(axis_from_cuts(row_cells, row_cut, &row));
    SCALAY_TRY(axis_from_cuts(col_cells, col_cut, &col));
    status = scalay_owner_map_from_classes(create, &row, &col, parts, owner, map);
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    return status;
}

void scalay_map_axis_free(scalay_map_axis *axis)
{
    scalay_release(axis->end);
    scalay_release(axis->run_class);
    scalay_release(axis->lines);
    *axis = (scalay_map_axis){0};
}

void scalay_owner_map_destroy(scalay_owner_map **map)
{
    if (map == NULL || *map == NULL) return;
    scalay_map_axis_free(&(*map)->row);
    scalay_map_axis_free(&(*map)->col);
    scalay_release((*map)->owner);
    scalay_release((*map)->count);
    scalay_release((*map)->rectangle);
    scalay_release(*map);
    *map = NULL;
}

/* --------------------------------------------------------------------------------------------- queries */

int64_t scalay_owner_map_rows(const scalay_owner_map *map)
{
    return map != NULL ? map->row.extent : 0;
}

int64_t scalay_owner_map_cols(const scalay_owner_map *map)
{
    return map != NULL ? map->col.extent : 0;
}

int scalay_owner_map_parts(const scalay_owner_map *map)
{
    return map != NULL ? map->parts : 0;
}

int64_t scalay_map_axis_run(const scalay_map_axis *axis, int64_t line)
{
    int64_t low = 0;
    int64_t high = axis->runs - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (axis->end[middle] <= line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int scalay_owner_map_owner(const scalay_owner_map *map, int64_t i, int64_t j)
{
    if (map == NULL || i < 0 || j < 0 || i >= map->row.extent || j >= map->col.extent) return -1;
    int64_t row = map->row.run_class[scalay_map_axis_run(&map->row, i)];
    int64_t col = map->col.run_class[scalay_map_axis_run(&map->col, j)];
    return map->owner[row * map->col.classes + col];
}

int64_t scalay_owner_map_elements(const scalay_owner_map *map, int part)
{
    return map != NULL && part >= 0 && part < map->parts ? map->count[part] : 0;
}
