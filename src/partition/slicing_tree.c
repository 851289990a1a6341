/*
 * Slicing trees: scaled areas, packing of square holes, cost and drawing.
 *
 * Time of the cost: O(nodes), and O(h^2) for the packing of h holes in one leaf.
 */
#include "partition/slicing_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"

/* ----------------------------------------------------------------------------------------------------- scaled areas */

/* Smaller areas are replaced by this one, so that nothing underflows. */
static const double min_area = 1e-100;

typedef struct {
    double area;
    int part;
} sized_part;

static int by_descending_area(const void *left, const void *right)
{
    const sized_part *a = left;
    const sized_part *b = right;
    if (a->area != b->area) return scalay_compare_double(b->area, a->area);
    return scalay_compare_int64(a->part, b->part);
}

/* Sums start at the smallest area, so that the tails are accurate for very different areas. */
static void fill(const sized_part *sized, scalay_scaled_areas *areas)
{
    const int parts = areas->parts;
    double total = 0.0;
    for (int k = parts - 1; k >= 0; k--) total += sized[k].area;
    for (int k = parts - 1; k >= 0; k--) {
        areas->part[k] = sized[k].part;
        areas->area[k] = fmax(sized[k].area / total, min_area);
        areas->side[k] = sqrt(areas->area[k]);
        areas->tail[k] = areas->tail[k + 1] + areas->area[k];
    }
}

scalay_status scalay_scaled_areas_create(const scalay_partition_problem *problem, scalay_scaled_areas *areas)
{
    scalay_status status = SCALAY_SUCCESS;
    sized_part *sized = NULL;
    *areas = (scalay_scaled_areas){.parts = problem->parts,
                                   .rows = sqrt(problem->m / problem->n),
                                   .cols = sqrt(problem->n / problem->m),
                                   .unit = sqrt(problem->m) * sqrt(problem->n),
                                   .weight = problem->n * sqrt(problem->m) * sqrt(problem->n)};
    SCALAY_TRY(SCALAY_NEW(sized, problem->parts));
    SCALAY_TRY(SCALAY_NEW(areas->part, problem->parts));
    SCALAY_TRY(SCALAY_NEW(areas->area, problem->parts));
    SCALAY_TRY(SCALAY_NEW(areas->side, problem->parts));
    SCALAY_TRY(SCALAY_NEW(areas->tail, (int64_t)problem->parts + 1));
    for (int k = 0; k < problem->parts; k++) sized[k] = (sized_part){problem->area[k], k};
    qsort(sized, (size_t)problem->parts, sizeof *sized, by_descending_area);
    fill(sized, areas);
cleanup:
    scalay_release(sized);
    if (status != SCALAY_SUCCESS) scalay_scaled_areas_free(areas);
    return status;
}

void scalay_scaled_areas_free(scalay_scaled_areas *areas)
{
    scalay_release(areas->part);
    scalay_release(areas->area);
    scalay_release(areas->side);
    scalay_release(areas->tail);
    *areas = (scalay_scaled_areas){0};
}

double scalay_scaled_areas_sum(const scalay_scaled_areas *areas, int first, int last)
{
    return areas->tail[first] - areas->tail[last];
}

/* --------------------------------------------------------------------------------------------------- square packing */

/* Squares may exceed the rectangle by this factor, because areas are rounded. */
static const double slack = 1.0 + 1e-12;

/* Insertion sort: the squares are nearly sorted in most calls. */
static void sort_by_side(scalay_square *square, int count)
{
    for (int k = 1; k < count; k++) {
        scalay_square moving = square[k];
        int to = k;
        for (; to > 0 && square[to - 1].side < moving.side; to--) square[to] = square[to - 1];
        square[to] = moving;
    }
}

/* Packs shelves of a given length up to a height. */
static int pack_shelves(scalay_square *square, int count, double length, double height)
{
    int shelves = 0;
    double top = 0.0;
    for (int k = 0; k < count; k++) {
        double side = square[k].side;
        int shelf = 0;
        while (shelf < shelves && square[shelf].shelf_used + side > length * slack) shelf++;
        if (shelf == shelves) {
            if (side > length * slack || top + side > height * slack) return 0;
            square[shelves].shelf_at = top;
            square[shelves++].shelf_used = 0.0;
            top += side;
        }
        square[k].row = square[shelf].shelf_at;
        square[k].col = square[shelf].shelf_used;
        square[shelf].shelf_used += side;
    }
    return 1;
}

static void transpose(scalay_square *square, int count)
{
    for (int k = 0; k < count; k++) {
        double row = square[k].row;
        square[k].row = square[k].col;
        square[k].col = row;
    }
}

int scalay_pack_squares(scalay_square *square, int count, double rows, double cols)
{
    double area = 0.0;
    for (int k = 0; k < count; k++) area += square[k].side * square[k].side;
    if (area > rows * cols * slack) return 0;
    sort_by_side(square, count);
    if (pack_shelves(square, count, cols, rows)) return 1;
    if (!pack_shelves(square, count, rows, cols)) return 0;
    transpose(square, count);
    return 1;
}

/* ------------------------------------------------------------------------------------------------------------ trees */

scalay_status scalay_slicing_create(const scalay_scaled_areas *areas, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = areas->parts;
    *tree = (scalay_slicing){.areas = areas, .root = -1, .free_cut = parts < 2 ? -1 : parts};
    SCALAY_TRY(SCALAY_NEW(tree->slice, 2 * (int64_t)parts));
    SCALAY_TRY(SCALAY_NEW(tree->packing, parts));
    for (int k = 0; k < 2 * parts - 1; k++)
        tree->slice[k] = (scalay_slice){.part = k < parts ? k : -1,
                                        .child = {-1, -1},
                                        .hole = -1,
                                        .next = k < parts || k == 2 * parts - 2 ? -1 : k + 1,
                                        .parent = -1};
cleanup:
    if (status != SCALAY_SUCCESS) scalay_slicing_free(tree);
    return status;
}

void scalay_slicing_free(scalay_slicing *tree)
{
    scalay_release(tree->slice);
    scalay_release(tree->packing);
    *tree = (scalay_slicing){0};
}

void scalay_slicing_copy(const scalay_slicing *from, scalay_slicing *to)
{
    to->root = from->root;
    to->free_cut = from->free_cut;
    memcpy(to->slice, from->slice, (size_t)(2 * from->areas->parts) * sizeof *to->slice);
}

int scalay_slicing_cut(scalay_slicing *tree, int direction, int first, int second)
{
    int cut = tree->free_cut;
    tree->free_cut = tree->slice[cut].next;
    tree->slice[cut] = (scalay_slice){
        .part = -1, .direction = direction, .child = {first, second}, .hole = -1, .next = -1, .parent = -1};
    tree->slice[first].parent = cut;
    tree->slice[second].parent = cut;
    return cut;
}

int scalay_slicing_chain(scalay_slicing *tree, int direction, const int *node, int count)
{
    if (count == 1) return node[0];
    int half = count / 2;
    int first = scalay_slicing_chain(tree, direction, node, half);
    int second = scalay_slicing_chain(tree, direction, node + half, count - half);
    return scalay_slicing_cut(tree, direction, first, second);
}

void scalay_slicing_nest(scalay_slicing *tree, int leaf, int node)
{
    tree->slice[node].parent = leaf;
    tree->slice[node].next = tree->slice[leaf].hole;
    tree->slice[leaf].hole = node;
}

static double measure(scalay_slicing *tree, int node)
{
    scalay_slice *slice = &tree->slice[node];
    if (slice->part < 0) {
        slice->area = measure(tree, slice->child[0]) + measure(tree, slice->child[1]);
        return slice->area;
    }
    slice->area = tree->areas->area[slice->part];
    for (int hole = slice->hole; hole >= 0; hole = tree->slice[hole].next) slice->area += measure(tree, hole);
    return slice->area;
}

void scalay_slicing_measure(scalay_slicing *tree)
{
    (void)measure(tree, tree->root);
}

static double hole_side(const scalay_slicing *tree, int hole)
{
    const scalay_slice *slice = &tree->slice[hole];
    if (slice->part >= 0 && slice->hole < 0) return tree->areas->side[slice->part];
    return sqrt(slice->area);
}

/* Packs the holes of a leaf into tree->packing. Returns their number; -1 if they do not fit. */
static int pack_holes(scalay_slicing *tree, const scalay_slice *leaf, double rows, double cols)
{
    int count = 0;
    for (int hole = leaf->hole; hole >= 0; hole = tree->slice[hole].next)
        tree->packing[count++] = (scalay_square){.node = hole, .side = hole_side(tree, hole)};
    return scalay_pack_squares(tree->packing, count, rows, cols) ? count : -1;
}

/* Returns the extent of the first child of a cut. */
static double divide(const scalay_slicing *tree, const scalay_slice *cut, double rows, double cols)
{
    double part = tree->slice[cut->child[0]].area;
    double extent = cut->direction == SCALAY_SIDE_BY_SIDE ? cols : rows;
    double across = cut->direction == SCALAY_SIDE_BY_SIDE ? rows : cols;
    return fmin(part / across, extent);
}

/*
 * Returns the half perimeters below a node minus that of its rectangle. All terms are positive, so that little
 * precision is lost on long and thin domains.
 */
static double excess_of(scalay_slicing *tree, int node, double rows, double cols, int *fits);

static double excess_of_leaf(scalay_slicing *tree, const scalay_slice *leaf, double rows, double cols, int *fits)
{
    double excess = 0.0;
    if (leaf->hole < 0) return excess;
    if (pack_holes(tree, leaf, rows, cols) < 0) {
        *fits = 0;
        excess += 0.5 + fmax(0.0, leaf->area - tree->areas->area[leaf->part] - 0.5 * rows * cols);
    }
    for (int hole = leaf->hole; hole >= 0; hole = tree->slice[hole].next) {
        double side = hole_side(tree, hole);
        excess += 2.0 * side + excess_of(tree, hole, side, side, fits);
    }
    return excess;
}

static double excess_of(scalay_slicing *tree, int node, double rows, double cols, int *fits)
{
    const scalay_slice *slice = &tree->slice[node];
    if (slice->part >= 0) return excess_of_leaf(tree, slice, rows, cols, fits);
    double first = divide(tree, slice, rows, cols);
    if (slice->direction == SCALAY_SIDE_BY_SIDE)
        return rows + excess_of(tree, slice->child[0], rows, first, fits) +
               excess_of(tree, slice->child[1], rows, cols - first, fits);
    return cols + excess_of(tree, slice->child[0], first, cols, fits) +
           excess_of(tree, slice->child[1], rows - first, cols, fits);
}

double scalay_slicing_cost(scalay_slicing *tree, int *fits)
{
    *fits = 1;
    scalay_slicing_measure(tree);
    return excess_of(tree, tree->root, tree->areas->rows, tree->areas->cols, fits);
}

/* ---------------------------------------------------------------------------------------------------------- drawing */

/* A rectangle on the scaled domain. */
typedef struct {
    double row, col, rows, cols;
} rectangle;

static scalay_status draw(scalay_slicing *tree, int node, rectangle where, scalay_drawing *drawing);

static scalay_status draw_holes(scalay_slicing *tree, const scalay_slice *leaf, rectangle where,
                                scalay_drawing *drawing)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_square *hole = NULL;
    int count = pack_holes(tree, leaf, where.rows, where.cols);
    if (count < 0) return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "squares do not fit where they have been packed");
    SCALAY_TRY(SCALAY_NEW(hole, count)); /* the holes are drawn recursively, which uses tree->packing */
    memcpy(hole, tree->packing, (size_t)count * sizeof *hole);
    for (int k = 0; k < count; k++) {
        double row = fmin(hole[k].row, where.rows - hole[k].side);
        double col = fmin(hole[k].col, where.cols - hole[k].side);
        SCALAY_TRY(draw(tree, hole[k].node, (rectangle){where.row + row, where.col + col, hole[k].side, hole[k].side},
                        drawing));
    }
cleanup:
    scalay_release(hole);
    return status;
}

static scalay_status draw_leaf(scalay_slicing *tree, const scalay_slice *leaf, rectangle where, scalay_drawing *drawing)
{
    const double unit = tree->areas->unit;
    scalay_status status = scalay_drawing_add(drawing, (scalay_paint){.part = tree->areas->part[leaf->part],
                                                                      .row = where.row * unit,
                                                                      .col = where.col * unit,
                                                                      .rows = where.rows * unit,
                                                                      .cols = where.cols * unit});
    return status == SCALAY_SUCCESS && leaf->hole >= 0 ? draw_holes(tree, leaf, where, drawing) : status;
}

static scalay_status draw(scalay_slicing *tree, int node, rectangle where, scalay_drawing *drawing)
{
    const scalay_slice *slice = &tree->slice[node];
    rectangle first = where;
    rectangle second = where;
    if (slice->part >= 0) return draw_leaf(tree, slice, where, drawing);
    double extent = divide(tree, slice, where.rows, where.cols);
    if (slice->direction == SCALAY_SIDE_BY_SIDE) {
        first.cols = extent;
        second.col += extent;
        second.cols -= extent;
    } else {
        first.rows = extent;
        second.row += extent;
        second.rows -= extent;
    }
    scalay_status status = draw(tree, slice->child[0], first, drawing);
    return status == SCALAY_SUCCESS ? draw(tree, slice->child[1], second, drawing) : status;
}

scalay_status scalay_slicing_draw(const scalay_partition_problem *problem, scalay_slicing *tree,
                                  scalay_drawing *drawing)
{
    scalay_slicing_measure(tree);
    drawing->m = problem->m;
    drawing->n = problem->n;
    drawing->count = 0;
    return draw(tree, tree->root, (rectangle){0.0, 0.0, tree->areas->rows, tree->areas->cols}, drawing);
}
