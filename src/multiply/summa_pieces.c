#include "multiply/summa_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "layout/groups.h"

/* Pieces in the making. */
typedef struct {
    scalay_summa_pieces *pieces;
    const scalay_layout *c;
    int64_t room, class_room, classes;
} builder;

void scalay_summa_pieces_free(scalay_summa_pieces *pieces)
{
    scalay_release(pieces->piece);
    scalay_release(pieces->class);
    *pieces = (scalay_summa_pieces){0};
}

scalay_subarray scalay_summa_tile_at(const scalay_layout *c, int64_t row_class, int64_t col_class)
{
    const scalay_cell cell = scalay_layout_cell_at(c, row_class, col_class);
    return (scalay_subarray){.rows = scalay_axis_count(&c->row, row_class),
                             .cols = scalay_axis_count(&c->col, col_class),
                             .ld = cell.ld,
                             .offset = cell.offset + scalay_axis_get_run(&c->row, row_class, 0).local +
                                       scalay_axis_get_run(&c->col, col_class, 0).local * cell.ld};
}

static int64_t count_lines(const scalay_axis *axis, int64_t classes, const int64_t *class)
{
    int64_t lines = 0;
    for (int64_t k = 0; k < classes; k++) lines += scalay_axis_count(axis, class[k]);
    return lines;
}

/* The lists are pointed to when all of them are there. */
static scalay_status add_piece(builder *build, scalay_summa_piece piece)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_pieces *pieces = build->pieces;
    const scalay_class_product *list = &piece.classes;
    piece.elements =
        count_lines(&build->c->row, list->rows, list->row) * count_lines(&build->c->col, list->cols, list->col);
    if (piece.elements == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(pieces->piece, build->room, pieces->count + 1));
    SCALAY_TRY(SCALAY_GROW(pieces->class, build->class_room, build->classes + list->rows + list->cols));
    memcpy(pieces->class + build->classes, list->row, (size_t)list->rows * sizeof *list->row);
    memcpy(pieces->class + build->classes + list->rows, list->col, (size_t)list->cols * sizeof *list->col);
    build->classes += list->rows + list->cols;
    pieces->piece[pieces->count++] = piece;
cleanup:
    return status;
}

static void point_to_classes(scalay_summa_pieces *pieces)
{
    const int64_t *class = pieces->class;
    for (int64_t k = 0; k < pieces->count; k++) {
        scalay_class_product *list = &pieces->piece[k].classes;
        list->row = class;
        list->col = class + list->rows;
        class += list->rows + list->cols;
    }
}

/* ------------------------------------------------------------------------------------------------- arrays */

static scalay_status add_arrays(builder *build, int process)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < scalay_layout_subarray_count(build->c, process); k++) {
        int64_t one[2];
        scalay_subarray shape;
        scalay_summa_piece piece = {.is_array = 1};
        SCALAY_TRY(scalay_layout_subarray(build->c, process, k, &shape));
        scalay_layout_subarray_classes(build->c, process, k, one, &piece.classes);
        piece.offset = shape.offset;
        piece.ld = shape.ld;
        SCALAY_TRY(add_piece(build, piece));
    }
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- tiles */

/* The tiles of a part, and how they are grouped. */
typedef struct {
    int64_t tiles;
    int64_t *by_row; /* shape [tiles], ascending: row class * column classes + column class */
    int64_t *by_col; /* shape [tiles], ascending: column class * row classes + row class */
    int64_t *list;   /* shape [row classes + column classes]: those of a group */
    scalay_line_groups rows, cols;
} tile_groups;

static int compare_tiles(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A window has tiles without elements. */
static scalay_status list_tiles(const scalay_layout *c, int part, tile_groups *groups)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t cells = scalay_layout_cells(c, part);
    SCALAY_TRY(SCALAY_NEW(groups->by_row, cells));
    SCALAY_TRY(SCALAY_NEW(groups->by_col, cells));
    SCALAY_TRY(SCALAY_NEW(groups->list, c->row.classes + c->col.classes));
    for (int64_t k = 0; k < cells; k++) {
        const scalay_cell cell = scalay_layout_cell(c, part, k);
        if (scalay_axis_count(&c->row, cell.row_class) == 0 || scalay_axis_count(&c->col, cell.col_class) == 0)
            continue;
        groups->by_row[groups->tiles] = cell.row_class * c->col.classes + cell.col_class;
        groups->by_col[groups->tiles++] = cell.col_class * c->row.classes + cell.row_class;
    }
    if (groups->tiles == 0) goto cleanup;
    qsort(groups->by_row, (size_t)groups->tiles, sizeof *groups->by_row, compare_tiles);
    qsort(groups->by_col, (size_t)groups->tiles, sizeof *groups->by_col, compare_tiles);
    SCALAY_TRY(scalay_line_groups_find(groups->tiles, groups->by_row, c->col.classes, &groups->rows));
    SCALAY_TRY(scalay_line_groups_find(groups->tiles, groups->by_col, c->row.classes, &groups->cols));
cleanup:
    return status;
}

/* Lines are rows or columns, as the tiles are sorted. */
static scalay_status add_groups(builder *build, const int64_t *tile, int64_t crosses, int by_row,
                                const scalay_line_groups *groups, int64_t *list)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0, end; k < groups->lines; k = end) {
        const scalay_owned_line *leader = &groups->line[k];
        const int64_t across = leader->end - leader->begin;
        for (end = k; end < groups->lines && groups->line[end].leader == leader->line; end++)
            list[end - k] = groups->line[end].line;
        int64_t *cross = list + (end - k);
        for (int64_t c = 0; c < across; c++) cross[c] = tile[leader->begin + c] % crosses;
        scalay_summa_piece piece = {.is_array = 0};
        piece.classes = by_row ? (scalay_class_product){end - k, list, across, cross}
                               : (scalay_class_product){across, cross, end - k, list};
        SCALAY_TRY(add_piece(build, piece));
    }
cleanup:
    return status;
}

/* By rows or by columns, whichever gives fewer. */
static scalay_status add_tiles(builder *build, int process)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *c = build->c;
    const int part = scalay_layout_part_of_process(c, process);
    tile_groups groups = {0};
    if (part < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(list_tiles(c, part, &groups));
    if (groups.rows.groups < groups.cols.groups)
        SCALAY_TRY(add_groups(build, groups.by_row, c->col.classes, 1, &groups.rows, groups.list));
    else
        SCALAY_TRY(add_groups(build, groups.by_col, c->row.classes, 0, &groups.cols, groups.list));
cleanup:
    scalay_release(groups.by_row);
    scalay_release(groups.by_col);
    scalay_release(groups.list);
    scalay_release(groups.rows.line);
    scalay_release(groups.cols.line);
    return status;
}

/* -------------------------------------------------------------------------------------------------- pieces */

/* By size; of the same size as they come, which is as their classes lie. */
static int compare_pieces(const void *a, const void *b)
{
    const scalay_summa_piece *x = a, *y = b;
    if (x->elements != y->elements) return x->elements > y->elements ? -1 : 1;
    return (x->classes.row > y->classes.row) - (x->classes.row < y->classes.row);
}

scalay_status scalay_summa_pieces_create(const scalay_layout *c, int process, scalay_summa_pieces *pieces)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {.pieces = pieces, .c = c};
    const int has_tiles = !scalay_layout_is_grid(c) && c->tiles->ld == NULL;
    *pieces = (scalay_summa_pieces){0};
    SCALAY_TRY(has_tiles ? add_tiles(&build, process) : add_arrays(&build, process));
    point_to_classes(pieces);
    if (pieces->count > 0) qsort(pieces->piece, (size_t)pieces->count, sizeof *pieces->piece, compare_pieces);
cleanup:
    return status;
}
