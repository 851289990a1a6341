/*
 * Owner maps: creation from cells or classes, resizing, simple queries.
 *
 * Canonical form: classes without a line are removed, and classes with the same owners are merged. Equal classes are
 * found by a hash table of fingerprints and compared. Time: O(runs + cells).
 */
#include "partition/owner_map.h"

#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"

/* ------------------------------------------------------------------------------------------------------------- axes */

scalay_status scalay_map_axis_add(scalay_map_axis *axis, int64_t end, int64_t class)
{
    scalay_status status = SCALAY_SUCCESS;
    if (end == axis->extent) return SCALAY_SUCCESS;
    axis->extent = end;
    if (axis->runs > 0 && axis->run_class[axis->runs - 1] == class) {
        axis->end[axis->runs - 1] = end;
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(SCALAY_GROW(axis->end, axis->end_capacity, axis->runs + 1));
    SCALAY_TRY(SCALAY_GROW(axis->run_class, axis->class_capacity, axis->runs + 1));
    axis->end[axis->runs] = end;
    axis->run_class[axis->runs++] = class;
cleanup:
    return status;
}

static uint64_t add_runs(uint64_t key, const scalay_map_axis *axis)
{
    for (int64_t run = 0; run < axis->runs; run++)
        key = scalay_fingerprint_add(scalay_fingerprint_add(key, axis->end[run]), axis->run_class[run]);
    return key;
}

uint64_t scalay_owner_map_fingerprint(uint64_t key, const scalay_owner_map *map)
{
    if (map == NULL) return key;
    return scalay_fingerprint_add_ints(add_runs(add_runs(key, &map->row), &map->col), map->owner,
                                       map->row.classes * map->col.classes);
}

void scalay_map_axis_free(scalay_map_axis *axis)
{
    scalay_release(axis->end);
    scalay_release(axis->run_class);
    scalay_release(axis->lines);
    *axis = (scalay_map_axis){0};
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

/* ------------------------------------------------------------------------------------------------ creation from cells
 */

static const char create[] = "scalay_owner_map_create";

static scalay_status check_cuts(const char *name, int64_t cells, const int64_t *cut)
{
    if (cells < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s_cells is %lld; it must be at least 0", name,
                           (long long)cells);
    if (cut == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create,
                           "%s_cut is NULL; it must have %lld elements, the first of them 0", name,
                           (long long)cells + 1);
    if (cut[0] != 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s_cut[0] is %lld; it must be 0", name, (long long)cut[0]);
    for (int64_t k = 0; k < cells; k++)
        if (cut[k + 1] < cut[k])
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create,
                               "%s_cut[%lld] is %lld and %s_cut[%lld] is %lld; cuts must not descend", name,
                               (long long)k + 1, (long long)cut[k + 1], name, (long long)k, (long long)cut[k]);
    return SCALAY_SUCCESS;
}

static scalay_status check_owners(int64_t row_cells, int64_t col_cells, int parts, const int *owner)
{
    int64_t cells = 0;
    if (parts < 1) return scalay_check_at_least(parts, 1, create, "parts");
    if (!scalay_multiply_int64(row_cells, col_cells, &cells))
        return scalay_fail(SCALAY_ERROR_RANGE, create,
                           "row_cells is %lld and col_cells is %lld; their product must be at most 2^63 - 1",
                           (long long)row_cells, (long long)col_cells);
    if (owner == NULL && cells > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "owner is NULL; it must have %lld elements",
                           (long long)cells);
    for (int64_t k = 0; k < cells; k++)
        if (owner[k] < 0 || owner[k] >= parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "owner[%lld][%lld] is %d; it must be in [0, %d]",
                               (long long)(k / col_cells), (long long)(k % col_cells), owner[k], parts - 1);
    return SCALAY_SUCCESS;
}

/* Makes each cell a class. Cells without a line give no run. */
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
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
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

void scalay_owner_map_destroy(scalay_owner_map **map)
{
    if (map == NULL || *map == NULL) return;
    scalay_map_axis_free(&(*map)->row);
    scalay_map_axis_free(&(*map)->col);
    scalay_release((*map)->owner);
    scalay_release((*map)->count);
    scalay_release(*map);
    *map = NULL;
}

/* ---------------------------------------------------------------------------------------------------------- queries */

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

/* --------------------------------------------------------------------------------------------------------- resizing */

/* Scales the runs to another extent. Some classes may have no line afterwards. */
static scalay_status resize_axis(const scalay_map_axis *axis, int64_t extent, scalay_map_axis *resized)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t last = 0;
    SCALAY_TRY(SCALAY_NEW(resized->end, axis->runs));
    SCALAY_TRY(SCALAY_NEW(resized->run_class, axis->runs));
    resized->extent = extent;
    resized->classes = axis->classes;
    for (int64_t run = 0; run < axis->runs; run++) {
        int64_t end = scalay_ceil_div(axis->end[run] * extent, axis->extent);
        if (end == last) continue;
        resized->end[resized->runs] = end;
        resized->run_class[resized->runs++] = axis->run_class[run];
        last = end;
    }
cleanup:
    return status;
}

static scalay_status check_resize(const char *function, const scalay_owner_map *map, int64_t m, int64_t n)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t product;
    SCALAY_TRY(scalay_check_not_null(map, function, "map"));
    SCALAY_TRY(scalay_check_at_least(m, 0, function, "m"));
    SCALAY_TRY(scalay_check_at_least(n, 0, function, "n"));
    if ((map->row.extent == 0 && m > 0) || (map->col.extent == 0 && n > 0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "map is %lld x %lld; an extent of 0 cannot be enlarged",
                           (long long)map->row.extent, (long long)map->col.extent);
    if (scalay_multiply_int64(map->row.extent, m, &product) && scalay_multiply_int64(map->col.extent, n, &product) &&
        scalay_multiply_int64(m, n, &product))
        return SCALAY_SUCCESS;
    status = scalay_fail(SCALAY_ERROR_RANGE, function,
                         "map is %lld x %lld, m is %lld and n is %lld; the products must be at most 2^63 - 1",
                         (long long)map->row.extent, (long long)map->col.extent, (long long)m, (long long)n);
cleanup:
    return status;
}

scalay_status scalay_owner_map_resize(const scalay_owner_map *map, int64_t m, int64_t n, scalay_owner_map **resized)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0};
    scalay_map_axis col = {0};
    SCALAY_TRY(scalay_check_not_null(resized, __func__, "resized"));
    *resized = NULL;
    SCALAY_TRY(check_resize(__func__, map, m, n));
    SCALAY_TRY(resize_axis(&map->row, m, &row));
    SCALAY_TRY(resize_axis(&map->col, n, &col));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row, &col, map->parts, map->owner, resized));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    return status;
}

/* --------------------------------------------------------------------------------------------------- canonical form */

/* New numbers of classes. */
typedef struct {
    int64_t kept;      /* number of classes afterwards */
    int64_t *original; /* shape [kept]: former number of each class; ascending if set by find_identical() */
    int64_t *becomes;  /* shape [classes before]: new number of each class; -1: removed */
} renumbering;

/* The lines of a table of owners, in either direction. */
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

/* Finds the classes that occur, in the order of their first appearance. */
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

/* Renumbers the classes of an axis. Neighbouring runs of one class are merged. */
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

static int lines_equal(const line_view *view, int64_t a, int64_t b)
{
    const int *x = view->owner + a * view->line_step;
    const int *y = view->owner + b * view->line_step;
    for (int64_t k = 0; k < view->length; k++)
        if (x[k * view->step] != y[k * view->step]) return 0;
    return 1;
}

/* Reads the table in the order of memory in both directions. */
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

/* Returns the first line that equals line a. A slot holds 1 + a line, or 0. */
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

/* Sets to[a][b] = from[original of row a][original of column b]. In place if the originals ascend. */
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
                           "the matrix is %lld x %lld; it must have at most 2^63 - 1 elements", (long long)row->extent,
                           (long long)col->extent);
    return SCALAY_SUCCESS;
}

scalay_status scalay_owner_map_from_classes(const char *function, scalay_map_axis *row, scalay_map_axis *col, int parts,
                                            const int *owner, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *new_map = NULL;
    *map = NULL;
    SCALAY_TRY(check_extents(function, row, col));
    SCALAY_TRY(SCALAY_NEW(new_map, 1));
    new_map->row = *row;
    new_map->col = *col;
    *row = (scalay_map_axis){0};
    *col = (scalay_map_axis){0};
    new_map->parts = parts;
    SCALAY_TRY(drop_unused(new_map, owner));
    SCALAY_TRY(merge_identical(new_map));
    SCALAY_TRY(count_lines(&new_map->row));
    SCALAY_TRY(count_lines(&new_map->col));
    SCALAY_TRY(count_elements(new_map));
    *map = new_map;
    new_map = NULL;
cleanup:
    scalay_owner_map_destroy(&new_map);
    scalay_map_axis_free(row);
    scalay_map_axis_free(col);
    return status;
}
