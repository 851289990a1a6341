#include "partition/slicing_tree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

scalay_status scalay_slicing_create(const scalay_shares *shares, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = shares->parts;
    *tree = (scalay_slicing){.shares = shares, .root = -1, .free_cut = parts < 2 ? -1 : parts};
    SCALAY_TRY(SCALAY_NEW(tree->slice, 2 * (int64_t)parts));
    SCALAY_TRY(SCALAY_NEW(tree->room, parts));
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
    scalay_release(tree->room);
    *tree = (scalay_slicing){0};
}

void scalay_slicing_copy(const scalay_slicing *from, scalay_slicing *to)
{
    to->root = from->root;
    to->free_cut = from->free_cut;
    memcpy(to->slice, from->slice, (size_t)(2 * from->shares->parts) * sizeof *to->slice);
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
    slice->area = tree->shares->share[slice->part];
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
    if (slice->part >= 0 && slice->hole < 0) return tree->shares->side[slice->part];
    return sqrt(slice->area);
}

/* Puts the holes of a leaf into tree->room, packed; returns how many there are, -1 when they do not fit. */
static int pack_holes(scalay_slicing *tree, const scalay_slice *leaf, double rows, double cols)
{
    int count = 0;
    for (int hole = leaf->hole; hole >= 0; hole = tree->slice[hole].next)
        tree->room[count++] = (scalay_square){.node = hole, .side = hole_side(tree, hole)};
    return scalay_pack_squares(tree->room, count, rows, cols) ? count : -1;
}

/* Where the rectangle of a cut is divided: the extent of its first child. */
static double divide(const scalay_slicing *tree, const scalay_slice *cut, double rows, double cols)
{
    double part = tree->slice[cut->child[0]].area;
    double extent = cut->direction == SCALAY_SIDE_BY_SIDE ? cols : rows;
    double across = cut->direction == SCALAY_SIDE_BY_SIDE ? rows : cols;
    return fmin(part / across, extent);
}

/* The half perimeters under a node, less that of its rectangle: only positive terms, so that little is lost however
 * long and thin the domain is. */
static double excess_of(scalay_slicing *tree, int node, double rows, double cols, int *fits);

static double excess_of_leaf(scalay_slicing *tree, const scalay_slice *leaf, double rows, double cols, int *fits)
{
    double excess = 0.0;
    if (leaf->hole < 0) return excess;
    if (pack_holes(tree, leaf, rows, cols) < 0) {
        *fits = 0;
        excess += 0.5 + fmax(0.0, leaf->area - tree->shares->share[leaf->part] - 0.5 * rows * cols);
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
    return excess_of(tree, tree->root, tree->shares->rows, tree->shares->cols, fits);
}

/* ------------------------------------------------------------------------------------------------ drawing */

/* A rectangle on the scaled domain. */
typedef struct {
    double row, col, rows, cols;
} place;

/* A tree on its way to a drawing. */
typedef struct {
    scalay_slicing *tree;
    scalay_drawing *drawing;
} draughtsman;

static scalay_status draw(const draughtsman *at, int node, place where);

static scalay_status draw_holes(const draughtsman *at, const scalay_slice *leaf, place where)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_square *hole = NULL;
    int count = pack_holes(at->tree, leaf, where.rows, where.cols);
    if (count < 0) return SCALAY_FAIL(SCALAY_ERROR_INTERNAL, "squares do not fit where they have been packed");
    SCALAY_TRY(SCALAY_NEW(hole, count)); /* the holes have holes that need the room */
    memcpy(hole, at->tree->room, (size_t)count * sizeof *hole);
    for (int k = 0; k < count; k++) {
        double row = fmin(hole[k].row, where.rows - hole[k].side);
        double col = fmin(hole[k].col, where.cols - hole[k].side);
        SCALAY_TRY(draw(at, hole[k].node, (place){where.row + row, where.col + col, hole[k].side, hole[k].side}));
    }
cleanup:
    scalay_release(hole);
    return status;
}

static scalay_status draw_leaf(const draughtsman *at, const scalay_slice *leaf, place where)
{
    const double unit = at->tree->shares->unit;
    scalay_status status = scalay_drawing_add(at->drawing, (scalay_paint){.part = at->tree->shares->part[leaf->part],
                                                                          .row = where.row * unit,
                                                                          .col = where.col * unit,
                                                                          .rows = where.rows * unit,
                                                                          .cols = where.cols * unit});
    return status == SCALAY_SUCCESS && leaf->hole >= 0 ? draw_holes(at, leaf, where) : status;
}

static scalay_status draw(const draughtsman *at, int node, place where)
{
    const scalay_slice *slice = &at->tree->slice[node];
    place first = where;
    place second = where;
    if (slice->part >= 0) return draw_leaf(at, slice, where);
    double extent = divide(at->tree, slice, where.rows, where.cols);
    if (slice->direction == SCALAY_SIDE_BY_SIDE) {
        first.cols = extent;
        second.col += extent;
        second.cols -= extent;
    } else {
        first.rows = extent;
        second.row += extent;
        second.rows -= extent;
    }
    scalay_status status = draw(at, slice->child[0], first);
    return status == SCALAY_SUCCESS ? draw(at, slice->child[1], second) : status;
}

scalay_status scalay_slicing_draw(const scalay_partition_problem *problem, scalay_slicing *tree,
                                  scalay_drawing *drawing)
{
    const draughtsman at = {tree, drawing};
    scalay_slicing_measure(tree);
    drawing->m = problem->m;
    drawing->n = problem->n;
    drawing->count = 0;
    return draw(&at, tree->root, (place){0.0, 0.0, tree->shares->rows, tree->shares->cols});
}
