/* An owner map as rectangles: in every run of rows, neighbouring cells of one owner are one piece; a piece that goes on
 * unchanged in the next run of rows is the same rectangle. */
#include <stdlib.h>

#include "base/memory.h"
#include "partition/owner_map.h"

enum { MOST_RECTANGLES = 1 << 26 };

typedef struct {
    int64_t count, room;
    scalay_part_rectangle *rectangle;
    int64_t open, open_room, next, next_room;
    int64_t *reaching; /* shape [open]: the rectangles of the run of rows before, by column */
    int64_t *coming;   /* shape [next]: those of this one */
} rectangle_list;

static int compare_rectangles(const void *a, const void *b)
{
    const scalay_part_rectangle *x = a;
    const scalay_part_rectangle *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->col > y->col) - (x->col < y->col);
}

/* The rectangle of the run before that a piece continues; -1: none. *from moves along with the pieces. */
static int64_t find_above(const rectangle_list *list, const scalay_part_rectangle *piece, int64_t *from)
{
    while (*from < list->open && list->rectangle[list->reaching[*from]].col < piece->col) (*from)++;
    if (*from == list->open) return -1;
    const scalay_part_rectangle *above = &list->rectangle[list->reaching[*from]];
    return above->col == piece->col && above->cols == piece->cols && above->part == piece->part ? list->reaching[*from]
                                                                                                : -1;
}

static scalay_status add_piece(rectangle_list *list, const scalay_part_rectangle *piece, int64_t *from)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t at = find_above(list, piece, from);
    if (at >= 0)
        list->rectangle[at].rows += piece->rows;
    else if (list->count == MOST_RECTANGLES)
        status =
            scalay_fail(SCALAY_ERROR_RANGE, "scalay_owner_map_rectangles",
                        "the map has more than %d rectangles; ask for owners of elements instead", MOST_RECTANGLES);
    else {
        SCALAY_TRY(SCALAY_GROW(list->rectangle, list->room, list->count + 1));
        at = list->count++;
        list->rectangle[at] = *piece;
    }
    SCALAY_TRY(status);
    SCALAY_TRY(SCALAY_GROW(list->coming, list->next_room, list->next + 1));
    list->coming[list->next++] = at;
cleanup:
    return status;
}

static void next_becomes_open(rectangle_list *list)
{
    int64_t *array = list->reaching;
    int64_t room = list->open_room;
    list->reaching = list->coming;
    list->open_room = list->next_room;
    list->open = list->next;
    list->coming = array;
    list->next_room = room;
    list->next = 0;
}

static scalay_status add_run(const scalay_owner_map *map, int64_t run, rectangle_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *owner = map->owner + map->row.run_class[run] * map->col.classes;
    const int64_t row = run > 0 ? map->row.end[run - 1] : 0;
    int64_t from = 0;
    int64_t col = 0;
    for (int64_t c = 0; c < map->col.runs; c++) {
        int part = owner[map->col.run_class[c]];
        if (c + 1 < map->col.runs && owner[map->col.run_class[c + 1]] == part) continue;
        scalay_part_rectangle piece = {part, row, col, map->row.end[run] - row, map->col.end[c] - col};
        SCALAY_TRY(add_piece(list, &piece, &from));
        col = map->col.end[c];
    }
    next_becomes_open(list);
cleanup:
    return status;
}

static scalay_status find_rectangles(scalay_owner_map *map)
{
    scalay_status status = SCALAY_SUCCESS;
    rectangle_list list = {0};
    for (int64_t r = 0; r < map->row.runs; r++) SCALAY_TRY(add_run(map, r, &list));
    if (list.count > 0) qsort(list.rectangle, (size_t)list.count, sizeof *list.rectangle, compare_rectangles);
    map->rectangles = list.count;
    map->rectangle = list.rectangle;
    list.rectangle = NULL;
cleanup:
    scalay_release(list.rectangle);
    scalay_release(list.reaching);
    scalay_release(list.coming);
    return status;
}

scalay_status scalay_owner_map_rectangles(scalay_owner_map *map, int64_t *count,
                                          const scalay_part_rectangle **rectangle)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count == NULL || rectangle == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "count or rectangle is NULL; pass where to put them");
    *count = 0;
    *rectangle = NULL;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; create one first");
    if (map->rectangles < 0) SCALAY_TRY(find_rectangles(map));
    *count = map->rectangles;
    *rectangle = map->rectangle;
cleanup:
    return status;
}
