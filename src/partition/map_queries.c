/*
 * Queries of owner maps that visit all lines or cells: owners of lines, half perimeters, rectangles.
 *
 * Rectangles: within a run of rows, neighbouring cells of one owner are merged. A piece of a run of rows that continues
 * a rectangle of the previous run extends it (greedy merging).
 */
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"

/* -------------------------------------------------------------------------------------------------- owners of lines */

/* The table of owners, seen along the lines. */
typedef struct {
    const int *owner;
    int64_t classes, length;
    int64_t line_step, step;
    const int64_t *weight; /* shape [length]: elements of an entry */
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
    return scalay_compare_int64(*(const int *)a, *(const int *)b);
}

/* Appends the owners of one class. amount[] is zero before and after. Returns the new number of entries. */
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
    int64_t owner_capacity = 0;
    int64_t held_capacity = 0;
    *owners = (scalay_line_owners){.classes = view.classes};
    SCALAY_TRY(SCALAY_NEW(amount, map->parts));
    SCALAY_TRY(SCALAY_NEW(owners->start, view.classes + 1));
    for (int64_t k = 0; k < view.classes; k++) {
        const int64_t max = scalay_min_int64(view.length, map->parts);
        SCALAY_TRY(SCALAY_GROW(owners->owner, owner_capacity, filled + max));
        SCALAY_TRY(SCALAY_GROW(owners->held, held_capacity, filled + max));
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

/* -------------------------------------------------------------------------------------------------- half perimeters */

/* The lines from the first one to the last one of a part or a class. */
typedef struct {
    int64_t begin, end; /* end 0: empty */
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
                       "the sum of the half perimeters is more than 2^63 - 1; use a smaller matrix");
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
    SCALAY_TRY(scalay_check_not_null(half, __func__, "half"));
    *half = sum;
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
    if (map->row.extent == 0 || map->col.extent == 0) goto cleanup;
    SCALAY_TRY(add_axis(map, SCALAY_LINES_ROWS, &sum));
    SCALAY_TRY(add_axis(map, SCALAY_LINES_COLUMNS, &sum));
    *half = sum;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------- rectangles */

enum { MAX_RECTANGLES = 1 << 26 };

typedef struct {
    int64_t count, capacity;
    scalay_part_rectangle *rectangle;
    int64_t open, open_capacity, next, next_capacity;
    int64_t *reaching; /* shape [open]: rectangles that reach the end of the previous run of rows, by column */
    int64_t *started;  /* shape [next]: those of the current run of rows */
} rectangle_list;

static int compare_rectangles(const void *a, const void *b)
{
    const scalay_part_rectangle *x = a, *y = b;
    if (x->part != y->part) return scalay_compare_int64(x->part, y->part);
    if (x->row != y->row) return scalay_compare_int64(x->row, y->row);
    return scalay_compare_int64(x->col, y->col);
}

/* Returns the rectangle of the previous run of rows that a rectangle continues; -1: none. *from advances with the
 * column. */
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
    else if (list->count == MAX_RECTANGLES)
        status = scalay_fail(SCALAY_ERROR_RANGE, "scalay_owner_map_rectangles",
                             "map has more than %d rectangles; use scalay_owner_map_owner()", MAX_RECTANGLES);
    else {
        SCALAY_TRY(SCALAY_GROW(list->rectangle, list->capacity, list->count + 1));
        at = list->count++;
        list->rectangle[at] = *piece;
    }
    SCALAY_TRY(status);
    SCALAY_TRY(SCALAY_GROW(list->started, list->next_capacity, list->next + 1));
    list->started[list->next++] = at;
cleanup:
    return status;
}

static void next_becomes_open(rectangle_list *list)
{
    int64_t *array = list->reaching;
    const int64_t capacity = list->open_capacity;
    list->reaching = list->started;
    list->open_capacity = list->next_capacity;
    list->open = list->next;
    list->started = array;
    list->next_capacity = capacity;
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

scalay_status scalay_owner_map_rectangles(const scalay_owner_map *map, int64_t capacity,
                                          scalay_part_rectangle *rectangle, int64_t *count)
{
    scalay_status status = SCALAY_SUCCESS;
    rectangle_list list = {0};
    SCALAY_TRY(scalay_check_not_null(count, __func__, "count"));
    *count = 0;
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
    if (capacity > 0) SCALAY_TRY(scalay_check_not_null(rectangle, __func__, "rectangle"));
    for (int64_t r = 0; r < map->row.runs; r++) SCALAY_TRY(add_run(map, r, &list));
    if (list.count > 0) qsort(list.rectangle, (size_t)list.count, sizeof *list.rectangle, compare_rectangles);
    for (int64_t k = 0; k < list.count && k < capacity; k++) rectangle[k] = list.rectangle[k];
    *count = list.count;
cleanup:
    scalay_release(list.rectangle);
    scalay_release(list.reaching);
    scalay_release(list.started);
    return status;
}
