/* The layout of an owner map. Facts about its storage: each part's row classes with identical sets of owned column
 * classes (or the other way round, whichever gives fewer) make one dense array. */
#include "layout/owner_layout.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/groups.h"
#include "layout/layout.h"
#include "partition/owner_map.h"

/* What it takes to lay an owner map out. */
typedef struct {
    scalay_layout *layout;
    int64_t *start;  /* shape [parts + 1]: the cells of part p are by_row[start[p]] .. */
    int64_t *by_row; /* row class * column classes + column class, ascending */
    int64_t *by_col; /* column class * row classes + row class, ascending */
    scalay_line_groups rows, cols;
    int64_t *list;  /* shape [row classes + column classes]: those of a group */
    int64_t listed; /* cells in the layout's table */
} builder;

/* ------------------------------------------------------------------------------------------------- cells */

/* The cells of each part, once by rows and once by columns. */
static scalay_status sort_cells(builder *build, const int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = build->layout->row.classes, cols = build->layout->col.classes;
    const int parts = build->layout->parts;
    SCALAY_TRY(SCALAY_NEW(build->start, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(build->by_row, rows * cols));
    SCALAY_TRY(SCALAY_NEW(build->by_col, rows * cols));
    SCALAY_TRY(SCALAY_NEW(build->list, rows + cols));
    for (int64_t k = 0; k < rows * cols; k++) build->start[owner[k]]++;
    for (int part = 0; part < parts; part++) build->start[part + 1] += build->start[part];
    for (int64_t k = rows * cols - 1; k >= 0; k--) build->by_row[--build->start[owner[k]]] = k;
    /* start is back at the beginnings: run it to the ends, and back once more by columns */
    for (int64_t k = 0; k < rows * cols; k++) build->start[owner[k]]++;
    for (int64_t c = cols - 1; c >= 0; c--)
        for (int64_t r = rows - 1; r >= 0; r--) build->by_col[--build->start[owner[r * cols + c]]] = c * rows + r;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- storage */

/* Gives the cells of a product their places behind what the part has so far: one dense array. */
static scalay_status store_product(builder *build, int part, const scalay_class_product *product)
{
    scalay_layout *layout = build->layout;
    scalay_tile_table *table = layout->tiles;
    int64_t ld = 0, col_place = 0;
    for (int64_t r = 0; r < product->rows; r++) ld += scalay_axis_count(&layout->row, product->row[r]);
    for (int64_t c = 0; c < product->cols; c++) {
        int64_t offset = table->size[part] + col_place * ld;
        for (int64_t r = 0; r < product->rows; r++) {
            const int64_t cell = product->row[r] * layout->col.classes + product->col[c];
            table->offset[cell] = offset;
            table->ld[cell] = ld;
            table->tile[build->listed++] = cell;
            offset += scalay_axis_count(&layout->row, product->row[r]);
        }
        col_place += scalay_axis_count(&layout->col, product->col[c]);
    }
    table->size[part] += col_place * ld;
    return scalay_subarray_list_add(layout, product);
}

/* Stores a part group by group. In `cell` and `groups` lines are rows, or columns. */
static scalay_status store_groups(builder *build, int part, const int64_t *cell, int64_t crosses, int by_row,
                                  const scalay_line_groups *groups)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0, end; k < groups->lines; k = end) {
        const scalay_owned_line *leader = &groups->line[k];
        const int64_t across = leader->end - leader->begin;
        for (end = k; end < groups->lines && groups->line[end].leader == leader->line; end++)
            build->list[end - k] = groups->line[end].line;
        int64_t *cross = build->list + (end - k);
        for (int64_t c = 0; c < across; c++) cross[c] = cell[leader->begin + c] % crosses;
        const scalay_class_product rows = {end - k, build->list, across, cross};
        const scalay_class_product cols = {across, cross, end - k, build->list};
        SCALAY_TRY(store_product(build, part, by_row ? &rows : &cols));
    }
cleanup:
    return status;
}

static scalay_status store_part(builder *build, int part)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *layout = build->layout;
    const int64_t first = build->start[part], cells = build->start[part + 1] - first;
    SCALAY_TRY(scalay_line_groups_find(cells, build->by_row + first, layout->col.classes, &build->rows));
    SCALAY_TRY(scalay_line_groups_find(cells, build->by_col + first, layout->row.classes, &build->cols));
    if (build->rows.groups < build->cols.groups)
        SCALAY_TRY(store_groups(build, part, build->by_row + first, layout->col.classes, 1, &build->rows));
    else
        SCALAY_TRY(store_groups(build, part, build->by_col + first, layout->row.classes, 0, &build->cols));
cleanup:
    return status;
}

static scalay_status store_parts(scalay_layout *layout, const int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {.layout = layout};
    scalay_tile_table *table = layout->tiles;
    SCALAY_TRY(sort_cells(&build, owner));
    for (int64_t k = 0; k < layout->row.classes * layout->col.classes; k++) table->part[k] = owner[k];
    for (int part = 0; part < layout->parts; part++) {
        SCALAY_TRY(store_part(&build, part));
        table->start[part + 1] = build.listed;
        table->pieces.start[part + 1] = table->pieces.pieces;
    }
    scalay_layout_count_rectangles(layout);
cleanup:
    scalay_release(build.start);
    scalay_release(build.by_row);
    scalay_release(build.by_col);
    scalay_release(build.list);
    scalay_release(build.rows.line);
    scalay_release(build.cols.line);
    return status;
}

void scalay_layout_count_rectangles(scalay_layout *layout)
{
    scalay_tile_table *table = layout->tiles;
    for (int64_t k = 0; k < table->start[layout->parts]; k++) {
        const int64_t row = table->tile[k] / layout->col.classes, col = table->tile[k] % layout->col.classes;
        table->rectangles[k + 1] =
            table->rectangles[k] + scalay_axis_run_count(&layout->row, row) * scalay_axis_run_count(&layout->col, col);
    }
}

/* --------------------------------------------------------------------------------------------------- layout */

static scalay_axis idle_axis(int64_t extent)
{
    return (scalay_axis){.extent = extent, .whole = extent, .block = 1, .classes = 1};
}

static scalay_status set_runs(const scalay_map_axis *from, scalay_axis *axis)
{
    scalay_axis_runs *runs = NULL;
    const scalay_status status = scalay_axis_runs_create(from->runs, from->end, from->run_class, from->classes, &runs);
    axis->runs = runs;
    if (status == SCALAY_SUCCESS) axis->classes = from->classes;
    return status;
}

scalay_status scalay_layout_from_owner_map(const scalay_owner_map *map, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *made = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass an address");
    *layout = NULL;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass an owner map");
    SCALAY_TRY(
        scalay_layout_start(__func__, idle_axis(map->row.extent), idle_axis(map->col.extent), map->parts, &made));
    const int empty = map->row.extent == 0 || map->col.extent == 0;
    if (!empty) {
        SCALAY_TRY(set_runs(&map->row, &made->row));
        SCALAY_TRY(set_runs(&map->col, &made->col));
    }
    SCALAY_TRY(scalay_tile_table_create(made->row.classes, made->col.classes, made->parts, &made->tiles));
    SCALAY_TRY(scalay_tile_table_add_subarrays(made->tiles, made->row.classes, made->col.classes, made->parts));
    if (!empty) SCALAY_TRY(store_parts(made, map->owner));
    *layout = made;
    made = NULL;
cleanup:
    scalay_layout_destroy(&made);
    return status;
}

/* ------------------------------------------------------------------------------------------------- windows */

static scalay_status cut_axis(scalay_axis *axis, int64_t first, int64_t **old_class)
{
    scalay_axis_runs *window = NULL;
    const scalay_status status = scalay_axis_runs_window(axis->runs, first, axis->extent, old_class, &window);
    axis->runs = window; /* those of the whole are the whole's */
    if (status == SCALAY_SUCCESS) axis->classes = window->classes;
    return status;
}

/* The new number of each old class, -1 for those that are gone. */
static scalay_status invert_classes(int64_t classes, const int64_t *old_class, int64_t kept, int64_t **new_class)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*new_class, classes));
    for (int64_t k = 0; k < classes; k++) (*new_class)[k] = -1;
    for (int64_t k = 0; k < kept; k++) (*new_class)[old_class[k]] = k;
cleanup:
    return status;
}

/* What it takes to cut a window out. */
typedef struct {
    const scalay_layout *whole;
    scalay_layout *window;
    int64_t *old_row, *old_col, *new_row, *new_col;
    int64_t *list; /* shape [row classes + column classes of the whole] */
} cutter;

static void copy_cells(const cutter *cut)
{
    const scalay_tile_table *from = cut->whole->tiles;
    scalay_tile_table *to = cut->window->tiles;
    const int64_t cols = cut->window->col.classes, old_cols = cut->whole->col.classes;
    for (int64_t r = 0; r < cut->window->row.classes; r++)
        for (int64_t c = 0; c < cols; c++) {
            const int64_t old = cut->old_row[r] * old_cols + cut->old_col[c];
            to->part[r * cols + c] = from->part[old];
            to->offset[r * cols + c] = from->offset[old];
            to->ld[r * cols + c] = from->ld[old];
        }
    int64_t listed = 0;
    for (int part = 0; part < cut->whole->parts; part++) {
        for (int64_t k = from->start[part]; k < from->start[part + 1]; k++) {
            const int64_t r = cut->new_row[from->tile[k] / old_cols], c = cut->new_col[from->tile[k] % old_cols];
            if (r >= 0 && c >= 0) to->tile[listed++] = r * cols + c;
        }
        to->start[part + 1] = listed;
    }
    scalay_layout_count_rectangles(cut->window);
}

/* The classes of a list that are left, by their new numbers. */
static int64_t keep_classes(const int64_t *class, int64_t count, const int64_t *new_class, int64_t *list)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++)
        if (new_class[class[k]] >= 0) list[kept++] = new_class[class[k]];
    return kept;
}

static scalay_status cut_pieces(const cutter *cut)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_subarray_list *from = &cut->whole->tiles->pieces;
    scalay_subarray_list *to = &cut->window->tiles->pieces;
    for (int part = 0; part < cut->whole->parts; part++) {
        for (int64_t k = from->start[part]; k < from->start[part + 1]; k++) {
            const scalay_class_subarray *piece = &from->piece[k];
            const int64_t *row = from->class + piece->first, *col = row + piece->row_classes;
            const int64_t rows = keep_classes(row, piece->row_classes, cut->new_row, cut->list);
            const int64_t cols = keep_classes(col, piece->col_classes, cut->new_col, cut->list + rows);
            const scalay_class_product product = {rows, cut->list, cols, cut->list + rows};
            if (rows > 0 && cols > 0) SCALAY_TRY(scalay_subarray_list_add(cut->window, &product));
        }
        to->start[part + 1] = to->pieces;
    }
cleanup:
    return status;
}

scalay_status scalay_owner_layout_cut(const scalay_layout *whole, int64_t row, int64_t col, scalay_layout *window)
{
    scalay_status status = SCALAY_SUCCESS;
    cutter cut = {.whole = whole, .window = window};
    const int parts = whole->parts, empty = window->row.extent == 0 || window->col.extent == 0;
    window->row.runs = window->col.runs = NULL;
    if (empty) {
        window->row.classes = window->col.classes = 1;
    } else {
        window->row.runs = whole->row.runs;
        SCALAY_TRY(cut_axis(&window->row, row, &cut.old_row));
        window->col.runs = whole->col.runs;
        SCALAY_TRY(cut_axis(&window->col, col, &cut.old_col));
    }
    SCALAY_TRY(scalay_tile_table_create(window->row.classes, window->col.classes, parts, &window->tiles));
    SCALAY_TRY(scalay_tile_table_add_subarrays(window->tiles, window->row.classes, window->col.classes, parts));
    for (int part = 0; part < parts; part++) window->tiles->size[part] = whole->tiles->size[part];
    if (empty) goto cleanup;
    SCALAY_TRY(invert_classes(whole->row.classes, cut.old_row, window->row.classes, &cut.new_row));
    SCALAY_TRY(invert_classes(whole->col.classes, cut.old_col, window->col.classes, &cut.new_col));
    SCALAY_TRY(SCALAY_NEW(cut.list, whole->row.classes + whole->col.classes));
    copy_cells(&cut);
    SCALAY_TRY(cut_pieces(&cut));
cleanup:
    scalay_release(cut.old_row);
    scalay_release(cut.old_col);
    scalay_release(cut.new_row);
    scalay_release(cut.new_col);
    scalay_release(cut.list);
    return status;
}
