#include "partition/tiling.h"

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

/* Coordinates that differ by less, relative to the extent, are meant to be the same. */
static const double nearly = 1e-9;

/* A direction's distinct coordinates, ascending, first and last on the border. */
typedef struct {
    int64_t count;
    double *at;
} coordinates;

/* What it takes to make a tiling. */
typedef struct {
    coordinates axis[2]; /* columns, rows */
    int *part;           /* shape [row cells][column cells] */
    int64_t *cell;       /* rectangles: first row cell, end, first column cell, end; shape [rectangles][SCALAY_SIDES] */
    int64_t cell_room;
    int64_t rectangle_room;
    int64_t edge_room;
} builder;

static int64_t cells(const builder *build, int is_row)
{
    return build->axis[is_row].count - 1;
}

/* ------------------------------------------------------------------------------------------- coordinates */

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double clipped(double value, double extent)
{
    return fmin(fmax(value, 0), extent);
}

static scalay_status find_coordinates(const scalay_drawing *drawing, const double *area, int is_row, double extent,
                                      coordinates *found)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(found->at, 2 * drawing->count + 2));
    int64_t count = 0, kept = 1;
    found->at[count++] = 0;
    found->at[count++] = extent;
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        if (area[paint->part] <= 0) continue;
        const double first = is_row ? paint->row : paint->col;
        found->at[count++] = clipped(first, extent);
        found->at[count++] = clipped(first + (is_row ? paint->rows : paint->cols), extent);
    }
    qsort(found->at, (size_t)count, sizeof *found->at, compare_doubles);
    for (int64_t k = 1; k < count; k++)
        if (found->at[k] - found->at[kept - 1] > nearly * extent) found->at[kept++] = found->at[k];
    if (kept == 1) found->at[kept++] = extent;
    found->at[kept - 1] = extent;
    found->count = kept;
cleanup:
    return status;
}

/* The coordinate that is meant. */
static int64_t coordinate_index(const coordinates *axis, double value)
{
    const double extent = axis->at[axis->count - 1];
    int64_t low = 0, high = axis->count - 1;
    value = clipped(value, extent);
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (axis->at[middle] <= value)
            low = middle;
        else
            high = middle - 1;
    }
    /* the end of the domain has swallowed what lies just before it */
    return low + 1 == axis->count - 1 && extent - value <= nearly * extent ? low + 1 : low;
}

/* ------------------------------------------------------------------------------------------------- paint */

static int largest_part(int parts, const double *area)
{
    int largest = 0;
    for (int part = 1; part < parts; part++)
        if (area[part] > area[largest]) largest = part;
    return largest;
}

/* Who is seen in each cell. Where nobody painted it is the largest part. */
static scalay_status paint_cells(builder *build, const scalay_drawing *drawing, int parts, const double *area)
{
    scalay_status status = SCALAY_SUCCESS;
    const coordinates *row = &build->axis[1], *col = &build->axis[0];
    const int64_t across = cells(build, 0), total = cells(build, 1) * across;
    const int background = largest_part(parts, area);
    SCALAY_TRY(SCALAY_NEW(build->part, total));
    for (int64_t k = 0; k < total; k++) build->part[k] = background;
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        if (area[paint->part] <= 0) continue;
        const int64_t bottom = coordinate_index(row, paint->row + paint->rows);
        const int64_t left = coordinate_index(col, paint->col), right = coordinate_index(col, paint->col + paint->cols);
        for (int64_t r = coordinate_index(row, paint->row); r < bottom; r++)
            for (int64_t c = left; c < right; c++) build->part[r * across + c] = paint->part;
    }
cleanup:
    return status;
}

/* The end of the cells of one part from c on in a row of cells. */
static int64_t run_end(const int *row, int64_t c, int64_t across)
{
    int64_t end = c + 1;
    while (end < across && row[end] == row[c]) end++;
    return end;
}

static int is_run(const int *row, int64_t first, int64_t end, int part)
{
    for (int64_t c = first; c < end; c++)
        if (row[c] != part) return 0;
    return 1;
}

/* Cuts what is seen into rectangles, each as wide and then as high as it gets; cells that are taken become -1. */
static scalay_status cut_rectangles(builder *build, scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t down = cells(build, 1), across = cells(build, 0);
    for (int64_t r = 0; r < down; r++)
        for (int64_t c = 0; c < across; c++) {
            int *row = build->part + r * across;
            const int part = row[c];
            if (part < 0) continue;
            const int64_t right = run_end(row, c, across), k = tiling->rectangles;
            int64_t bottom = r + 1;
            while (bottom < down && is_run(build->part + bottom * across, c, right, part)) bottom++;
            SCALAY_TRY(SCALAY_GROW(tiling->rectangle, build->rectangle_room, k + 1));
            SCALAY_TRY(SCALAY_GROW(build->cell, build->cell_room, SCALAY_SIDES * (k + 1)));
            const int64_t side[SCALAY_SIDES] = {r, bottom, c, right};
            for (int s = 0; s < SCALAY_SIDES; s++) build->cell[SCALAY_SIDES * k + s] = side[s];
            tiling->rectangle[k].part = part;
            tiling->rectangles++;
            for (int64_t i = r; i < bottom; i++)
                for (int64_t j = c; j < right; j++) build->part[i * across + j] = -1;
        }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- edges */

/* A side of a rectangle: on which coordinate, and from where to where along it. */
typedef struct {
    int64_t level, first, end;
    int64_t rectangle;
    int side;
} rectangle_side;

static int compare_sides(const void *left, const void *right)
{
    const rectangle_side *a = left, *b = right;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->rectangle != b->rectangle) return a->rectangle < b->rectangle ? -1 : 1;
    return a->side - b->side;
}

/* Sides that overlap or touch end to end are one edge. */
static scalay_status join_sides(builder *build, scalay_tiling *tiling, int is_row)
{
    scalay_status status = SCALAY_SUCCESS;
    rectangle_side *sides = NULL;
    const int64_t count = 2 * tiling->rectangles;
    const int first_side = is_row ? SCALAY_TOP : SCALAY_LEFT, along = is_row ? SCALAY_LEFT : SCALAY_TOP;
    int64_t reach = 0;
    SCALAY_TRY(SCALAY_NEW(sides, count));
    for (int64_t k = 0; k < count; k++) {
        const int64_t *cell = build->cell + SCALAY_SIDES * (k / 2);
        const int side = first_side + (int)(k % 2);
        sides[k] = (rectangle_side){cell[side], cell[along], cell[along + 1], k / 2, side};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (int64_t k = 0; k < count; k++) {
        const rectangle_side *at = &sides[k];
        if (k == 0 || at->level != sides[k - 1].level || at->first > reach) {
            SCALAY_TRY(SCALAY_GROW(tiling->edge, build->edge_room, tiling->edges + 1));
            tiling->edge[tiling->edges++] =
                (scalay_tiling_edge){.is_row = is_row,
                                     .is_fixed = at->level == 0 || at->level == cells(build, is_row),
                                     .real = build->axis[is_row].at[at->level]};
            reach = at->end;
        }
        reach = scalay_max_int64(reach, at->end);
        tiling->rectangle[at->rectangle].edge[at->side] = tiling->edges - 1;
    }
cleanup:
    scalay_release(sides);
    return status;
}

/* Lists the rectangles at each edge. */
static scalay_status list_touches(scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t total = 0;
    SCALAY_TRY(SCALAY_NEW(tiling->touch, SCALAY_SIDES * tiling->rectangles));
    for (int64_t k = 0; k < tiling->rectangles; k++)
        for (int s = 0; s < SCALAY_SIDES; s++) tiling->edge[tiling->rectangle[k].edge[s]].count++;
    for (int64_t e = 0; e < tiling->edges; e++) {
        tiling->edge[e].first = total;
        total += tiling->edge[e].count;
        tiling->edge[e].count = 0;
    }
    for (int64_t k = 0; k < tiling->rectangles; k++)
        for (int s = 0; s < SCALAY_SIDES; s++) {
            scalay_tiling_edge *edge = &tiling->edge[tiling->rectangle[k].edge[s]];
            tiling->touch[edge->first + edge->count++] = k;
        }
cleanup:
    return status;
}

scalay_status scalay_tiling_create(const scalay_drawing *drawing, int64_t m, int64_t n, int parts, const double *area,
                                   int64_t tile, scalay_tiling *tiling)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {0};
    *tiling = (scalay_tiling){.extent = {n, m}, .tile = tile};
    SCALAY_TRY(find_coordinates(drawing, area, 0, (double)n, &build.axis[0]));
    SCALAY_TRY(find_coordinates(drawing, area, 1, (double)m, &build.axis[1]));
    SCALAY_TRY(paint_cells(&build, drawing, parts, area));
    SCALAY_TRY(cut_rectangles(&build, tiling));
    SCALAY_TRY(join_sides(&build, tiling, 1));
    SCALAY_TRY(join_sides(&build, tiling, 0));
    SCALAY_TRY(list_touches(tiling));
cleanup:
    scalay_release(build.axis[0].at);
    scalay_release(build.axis[1].at);
    scalay_release(build.part);
    scalay_release(build.cell);
    return status;
}

void scalay_tiling_free(scalay_tiling *tiling)
{
    scalay_release(tiling->rectangle);
    scalay_release(tiling->edge);
    scalay_release(tiling->touch);
    *tiling = (scalay_tiling){0};
}

/* ------------------------------------------------------------------------------------------------ places */

int64_t scalay_tiling_line(const scalay_tiling *tiling, int is_row, int64_t at)
{
    /* the product may not be representable when a tile is larger than the matrix */
    const int64_t extent = tiling->extent[is_row];
    return at > extent / tiling->tile ? extent : scalay_min_int64(at * tiling->tile, extent);
}

void scalay_tiling_round(scalay_tiling *tiling)
{
    for (int64_t e = 0; e < tiling->edges; e++) {
        scalay_tiling_edge *edge = &tiling->edge[e];
        const int64_t last = scalay_ceil_div(tiling->extent[edge->is_row], tiling->tile);
        const int64_t below = scalay_min_int64((int64_t)(edge->real / (double)tiling->tile), last - 1);
        const double middle = 0.5 * ((double)scalay_tiling_line(tiling, edge->is_row, below) +
                                     (double)scalay_tiling_line(tiling, edge->is_row, below + 1));
        edge->at = edge->real < middle ? below : below + 1;
    }
}

int64_t scalay_tiling_elements(const scalay_tiling *tiling, const scalay_tiling_rectangle *rectangle)
{
    int64_t line[SCALAY_SIDES];
    for (int s = 0; s < SCALAY_SIDES; s++)
        line[s] = scalay_tiling_line(tiling, s <= SCALAY_BOTTOM, tiling->edge[rectangle->edge[s]].at);
    return (line[SCALAY_BOTTOM] - line[SCALAY_TOP]) * (line[SCALAY_RIGHT] - line[SCALAY_LEFT]);
}
