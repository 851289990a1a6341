/* The form that owner maps have: classes that no line is in are dropped, classes with the same owners become one (found
 * by hashing, made sure of by comparing), and they are numbered as they first appear along the axis. */
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"

/* Classes that become others. */
typedef struct {
    int64_t kept;      /* classes after */
    int64_t *original; /* shape [kept]: ascending where `identical` made it */
    int64_t *becomes;  /* shape [classes before]: -1: dropped */
} renumbering;

/* The lines of a table of owners, one way or the other. */
typedef struct {
    const int *owner;
    int64_t lines, length;
    int64_t line_step, step;
} line_view;

static void renumbering_free(renumbering *numbers)
{
    scalay_release(numbers->original);
    scalay_release(numbers->becomes);
    *numbers = (renumbering){0};
}

static scalay_status renumbering_allocate(int64_t classes, renumbering *numbers)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(numbers->original, classes));
    SCALAY_TRY(SCALAY_NEW(numbers->becomes, classes));
    for (int64_t k = 0; k < classes; k++) numbers->becomes[k] = -1;
cleanup:
    return status;
}

/* The classes that occur, in the order in which they do. */
static scalay_status find_used(const scalay_map_axis *axis, renumbering *numbers)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(renumbering_allocate(axis->classes, numbers));
    for (int64_t r = 0; r < axis->runs; r++) {
        int64_t k = axis->run_class[r];
        if (numbers->becomes[k] >= 0) continue;
        numbers->becomes[k] = numbers->kept;
        numbers->original[numbers->kept++] = k;
    }
cleanup:
    return status;
}

/* Renames the classes of an axis; neighbours that are one class now are one run. */
static void apply(const renumbering *numbers, scalay_map_axis *axis)
{
    int64_t runs = 0;
    for (int64_t r = 0; r < axis->runs; r++) {
        int64_t k = numbers->becomes[axis->run_class[r]];
        if (runs > 0 && axis->run_class[runs - 1] == k) runs--;
        axis->run_class[runs] = k;
        axis->end[runs++] = axis->end[r];
    }
    axis->runs = runs;
    axis->classes = numbers->kept;
}

/* ------------------------------------------------------------------------------------ identical lines */

static int lines_equal(const line_view *view, int64_t a, int64_t b)
{
    const int *x = view->owner + a * view->line_step;
    const int *y = view->owner + b * view->line_step;
    for (int64_t k = 0; k < view->length; k++)
        if (x[k * view->step] != y[k * view->step]) return 0;
    return 1;
}

/* Walks through the table as it lies in memory, whichever way the lines run. */
static void hash_lines(const line_view *view, uint64_t *hash)
{
    for (int64_t a = 0; a < view->lines; a++) hash[a] = scalay_fingerprint_start();
    if (view->step == 1) {
        for (int64_t a = 0; a < view->lines; a++)
            hash[a] = scalay_fingerprint_add_ints(hash[a], view->owner + a * view->line_step, view->length);
        return;
    }
    for (int64_t k = 0; k < view->length; k++)
        for (int64_t a = 0; a < view->lines; a++)
            hash[a] = scalay_fingerprint_add(hash[a], view->owner[k * view->step + a * view->line_step]);
}

/* The first line that is like line a: slots hold 1 + a line, or 0. */
static int64_t find_like(const line_view *view, const uint64_t *hash, int64_t a, int64_t *slot, int64_t slots)
{
    int64_t at = (int64_t)((hash[a] ^ (hash[a] >> 32)) & (uint64_t)(slots - 1));
    for (; slot[at] != 0; at = (at + 1) & (slots - 1)) {
        int64_t b = slot[at] - 1;
        if (hash[a] == hash[b] && lines_equal(view, a, b)) return b;
    }
    slot[at] = a + 1;
    return a;
}

static scalay_status find_identical(const line_view *view, renumbering *numbers)
{
    scalay_status status = SCALAY_SUCCESS;
    uint64_t *hash = NULL;
    int64_t *slot = NULL;
    int64_t slots = 2;
    while (slots < 2 * view->lines) slots *= 2;
    SCALAY_TRY(renumbering_allocate(view->lines, numbers));
    SCALAY_TRY(SCALAY_NEW(hash, view->lines));
    SCALAY_TRY(SCALAY_NEW(slot, slots));
    hash_lines(view, hash);
    for (int64_t a = 0; a < view->lines; a++) {
        int64_t like = find_like(view, hash, a, slot, slots);
        if (like == a) numbers->original[numbers->kept++] = a;
        numbers->becomes[a] = like == a ? numbers->kept - 1 : numbers->becomes[like];
    }
cleanup:
    scalay_release(hash);
    scalay_release(slot);
    return status;
}

/* ---------------------------------------------------------------------------------------- the table */

/* to[a][b] = from[row a's original][column b's original]; they may be one array if the originals ascend. */
static void pick(const int *from, int64_t from_cols, const renumbering *row, const renumbering *col, int *to)
{
    for (int64_t a = 0; a < row->kept; a++)
        for (int64_t b = 0; b < col->kept; b++)
            to[a * col->kept + b] = from[row->original[a] * from_cols + col->original[b]];
}

static scalay_status drop_unused(scalay_owner_map *map, const int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t cols = map->col.classes;
    renumbering row = {0};
    renumbering col = {0};
    SCALAY_TRY(find_used(&map->row, &row));
    SCALAY_TRY(find_used(&map->col, &col));
    SCALAY_TRY(SCALAY_NEW(map->owner, row.kept * col.kept));
    pick(owner, cols, &row, &col, map->owner);
    apply(&row, &map->row);
    apply(&col, &map->col);
cleanup:
    renumbering_free(&row);
    renumbering_free(&col);
    return status;
}

static scalay_status merge_identical(scalay_owner_map *map)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = map->row.classes;
    const int64_t cols = map->col.classes;
    renumbering row = {0};
    renumbering col = {0};
    SCALAY_TRY(find_identical(&(line_view){map->owner, rows, cols, cols, 1}, &row));
    SCALAY_TRY(find_identical(&(line_view){map->owner, cols, rows, 1, cols}, &col));
    pick(map->owner, cols, &row, &col, map->owner);
    apply(&row, &map->row);
    apply(&col, &map->col);
cleanup:
    renumbering_free(&row);
    renumbering_free(&col);
    return status;
}

static scalay_status count_lines(scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t begin = 0;
    scalay_release(axis->lines);
    SCALAY_TRY(SCALAY_NEW(axis->lines, axis->classes));
    for (int64_t r = 0; r < axis->runs; r++) {
        axis->lines[axis->run_class[r]] += axis->end[r] - begin;
        begin = axis->end[r];
    }
cleanup:
    return status;
}

static scalay_status count_elements(scalay_owner_map *map)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t cols = map->col.classes;
    SCALAY_TRY(SCALAY_NEW(map->count, map->parts));
    for (int64_t a = 0; a < map->row.classes; a++)
        for (int64_t b = 0; b < cols; b++)
            map->count[map->owner[a * cols + b]] += map->row.lines[a] * map->col.lines[b];
cleanup:
    return status;
}

static scalay_status check_extents(const char *function, const scalay_map_axis *row, const scalay_map_axis *col)
{
    int64_t elements = 0;
    if (!scalay_multiply_int64(row->extent, col->extent, &elements))
        return scalay_fail(SCALAY_ERROR_RANGE, function,
                           "%lld x %lld elements are more than 2^63 - 1; partition a smaller matrix",
                           (long long)row->extent, (long long)col->extent);
    return SCALAY_SUCCESS;
}

scalay_status scalay_owner_map_from_classes(const char *function, scalay_map_axis *row, scalay_map_axis *col, int parts,
                                            const int *owner, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *made = NULL;
    *map = NULL;
    SCALAY_TRY(check_extents(function, row, col));
    SCALAY_TRY(SCALAY_NEW(made, 1));
    made->row = *row;
    made->col = *col;
    *row = (scalay_map_axis){0};
    *col = (scalay_map_axis){0};
    made->parts = parts;
    made->rectangles = -1;
    SCALAY_TRY(drop_unused(made, owner));
    SCALAY_TRY(merge_identical(made));
    SCALAY_TRY(count_lines(&made->row));
    SCALAY_TRY(count_lines(&made->col));
    SCALAY_TRY(count_elements(made));
    *map = made;
    made = NULL;
cleanup:
    scalay_owner_map_destroy(&made);
    scalay_map_axis_free(row);
    scalay_map_axis_free(col);
    return status;
}
