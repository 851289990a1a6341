#include "partition/line_owners.h"

#include <stdlib.h>

#include "base/memory.h"

/* The table of owners, seen along the lines. */
typedef struct {
    const int *owner;
    int64_t classes, length;
    int64_t line_step, step;
    const int64_t *weight; /* shape [length]: how many elements an entry stands for */
} owner_view;

static owner_view view_of(const scalay_owner_map *map, scalay_lines_way way)
{
    const int64_t rows = map->row.classes;
    const int64_t cols = map->col.classes;
    if (way == SCALAY_LINES_ROWS) return (owner_view){map->owner, rows, cols, cols, 1, map->col.lines};
    return (owner_view){map->owner, cols, rows, 1, cols, map->row.lines};
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Appends the owners of one class; amount[] is zero before and after. Returns the new number of entries. */
static int64_t append_class(const owner_view *view, int64_t line, int64_t *amount, int64_t filled,
                            scalay_line_owners *owners)
{
    const int *entry = view->owner + line * view->line_step;
    const int64_t first = filled;
    for (int64_t k = 0; k < view->length; k++) {
        int part = entry[k * view->step];
        if (amount[part] == 0) owners->owner[filled++] = part;
        amount[part] += view->weight[k];
    }
    if (filled > first) qsort(owners->owner + first, (size_t)(filled - first), sizeof *owners->owner, compare_ints);
    for (int64_t e = first; e < filled; e++) {
        owners->held[e] = amount[owners->owner[e]];
        amount[owners->owner[e]] = 0;
    }
    return filled;
}

scalay_status scalay_line_owners_create(const scalay_owner_map *map, scalay_lines_way way, scalay_line_owners *owners)
{
    scalay_status status = SCALAY_SUCCESS;
    const owner_view view = view_of(map, way);
    int64_t *amount = NULL;
    int64_t filled = 0;
    int64_t owner_room = 0;
    int64_t held_room = 0;
    *owners = (scalay_line_owners){.classes = view.classes};
    SCALAY_TRY(SCALAY_NEW(amount, map->parts));
    SCALAY_TRY(SCALAY_NEW(owners->start, view.classes + 1));
    for (int64_t k = 0; k < view.classes; k++) {
        int64_t most = view.length < map->parts ? view.length : map->parts;
        SCALAY_TRY(SCALAY_GROW(owners->owner, owner_room, filled + most));
        SCALAY_TRY(SCALAY_GROW(owners->held, held_room, filled + most));
        filled = append_class(&view, k, amount, filled, owners);
        owners->start[k + 1] = filled;
    }
cleanup:
    scalay_release(amount);
    if (status != SCALAY_SUCCESS) scalay_line_owners_free(owners);
    return status;
}

void scalay_line_owners_free(scalay_line_owners *owners)
{
    scalay_release(owners->start);
    scalay_release(owners->owner);
    scalay_release(owners->held);
    *owners = (scalay_line_owners){0};
}

int scalay_line_owners_has(const scalay_line_owners *owners, int64_t line_class, int part)
{
    int64_t low = owners->start[line_class];
    int64_t high = owners->start[line_class + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (owners->owner[middle] < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low < owners->start[line_class + 1] && owners->owner[low] == part;
}
