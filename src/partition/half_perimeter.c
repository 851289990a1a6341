/* Half perimeters, over the classes of lines. */
#include "base/integer.h"
#include "base/memory.h"
#include "partition/line_owners.h"

/* The lines from the first to the last that a part, or a class, is in. */
typedef struct {
    int64_t begin, end; /* end 0: none yet */
} line_span;

static void widen(line_span *span, line_span by)
{
    if (span->end == 0)
        *span = by;
    else
        *span = (line_span){scalay_min_int64(span->begin, by.begin), scalay_max_int64(span->end, by.end)};
}

static void span_classes(const scalay_map_axis *axis, line_span *span)
{
    int64_t begin = 0;
    for (int64_t r = 0; r < axis->runs; r++) {
        widen(&span[axis->run_class[r]], (line_span){begin, axis->end[r]});
        begin = axis->end[r];
    }
}

static scalay_status add_up(int64_t lines, int64_t *sum)
{
    if (scalay_add_int64(lines, *sum, sum)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, "scalay_owner_map_half_perimeter",
                       "the half perimeters sum up to more than 2^63 - 1");
}

static scalay_status add_axis(const scalay_owner_map *map, scalay_lines_way way, scalay_half_perimeter *half)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_map_axis *axis = way == SCALAY_LINES_ROWS ? &map->row : &map->col;
    scalay_line_owners owners = {0};
    line_span *class_span = NULL;
    line_span *part_span = NULL;
    SCALAY_TRY(scalay_line_owners_create(map, way, &owners));
    SCALAY_TRY(SCALAY_NEW(class_span, axis->classes));
    SCALAY_TRY(SCALAY_NEW(part_span, map->parts));
    span_classes(axis, class_span);
    for (int64_t k = 0; k < axis->classes; k++)
        for (int64_t e = owners.start[k]; e < owners.start[k + 1]; e++) {
            SCALAY_TRY(add_up(axis->lines[k], &half->projection));
            widen(&part_span[owners.owner[e]], class_span[k]);
        }
    for (int x = 0; x < map->parts; x++) SCALAY_TRY(add_up(part_span[x].end - part_span[x].begin, &half->box));
cleanup:
    scalay_line_owners_free(&owners);
    scalay_release(class_span);
    scalay_release(part_span);
    return status;
}

scalay_status scalay_owner_map_half_perimeter(const scalay_owner_map *map, scalay_half_perimeter *half)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_half_perimeter sum = {0, 0};
    if (half == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "half is NULL; pass where to put the half perimeters");
    *half = sum;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; create one first");
    if (map->row.extent == 0 || map->col.extent == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(add_axis(map, SCALAY_LINES_ROWS, &sum));
    SCALAY_TRY(add_axis(map, SCALAY_LINES_COLUMNS, &sum));
    *half = sum;
cleanup:
    return status;
}
