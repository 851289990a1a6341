#include "partition/map_axis.h"

#include "base/memory.h"

scalay_status scalay_map_axis_add(scalay_map_axis_maker *maker, int64_t end, int64_t class)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis *axis = &maker->axis;
    if (end == axis->extent) return SCALAY_SUCCESS;
    axis->extent = end;
    if (axis->runs > 0 && axis->run_class[axis->runs - 1] == class) {
        axis->end[axis->runs - 1] = end;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(SCALAY_GROW(axis->end, maker->end_room, axis->runs + 1));
    SCALAY_TRY(SCALAY_GROW(axis->run_class, maker->class_room, axis->runs + 1));
    axis->end[axis->runs] = end;
    axis->run_class[axis->runs++] = class;
cleanup:
    return status;
}

void scalay_map_axis_maker_free(scalay_map_axis_maker *maker)
{
    scalay_release(maker->axis.end);
    scalay_release(maker->axis.run_class);
    *maker = (scalay_map_axis_maker){0};
}
