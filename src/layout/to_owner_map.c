#include "base/memory.h"
#include "layout/cut.h"
#include "layout/layout.h"
#include "partition/map_axis.h"

/* The runs of a layout's axis: its cuts, walked along with itself. Some classes may have none. */
static scalay_status collect_runs(const scalay_axis *from, scalay_map_axis_maker *maker)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_common_interval cut;
    scalay_interval_walk walk = scalay_interval_walk_start(from, from, 0, from->extent);
    maker->axis.classes = from->classes;
    while (scalay_interval_walk_next(&walk, &cut))
        SCALAY_TRY(scalay_map_axis_add(maker, cut.index + cut.count, cut.class_a));
cleanup:
    return status;
}

static scalay_status collect_owners(const scalay_layout *layout, int **owner)
{
    const int64_t rows = layout->row.classes, cols = layout->col.classes;
    const scalay_status status = SCALAY_NEW(*owner, rows * cols);
    for (int64_t r = 0; status == SCALAY_SUCCESS && r < rows; r++)
        for (int64_t c = 0; c < cols; c++) (*owner)[r * cols + c] = scalay_layout_cell_part(layout, r, c);
    return status;
}

scalay_status scalay_layout_owner_map(const scalay_layout *layout, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis_maker row = {0}, col = {0};
    int *owner = NULL;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass an address");
    *map = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass a layout");
    SCALAY_TRY(collect_runs(&layout->row, &row));
    SCALAY_TRY(collect_runs(&layout->col, &col));
    SCALAY_TRY(collect_owners(layout, &owner));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row.axis, &col.axis, layout->parts, owner, map));
cleanup:
    scalay_map_axis_maker_free(&row);
    scalay_map_axis_maker_free(&col);
    scalay_release(owner);
    return status;
}
