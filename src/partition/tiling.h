#ifndef SCALAY_PARTITION_TILING_H
#define SCALAY_PARTITION_TILING_H

/**
 * @file
 * A drawing as disjoint rectangles whose sides lie on shared edges.
 *
 * What is visible of the paints is cut into rectangles that cover the domain. An edge is a longest straight line of
 * their sides. A rectangle is four edges, so that moving an edge moves everything that touches it, and whatever the
 * edges' places are, the rectangles stay disjoint and cover the domain as long as none of them is turned inside out.
 *
 * Places of edges are whole tiles; weights turn them into lines, the last tile may have fewer.
 */

#include "base/status.h"
#include "partition/drawing.h"

/** Sides of a rectangle: edges. Top and bottom are places along the rows, left and right along the columns. */
enum { SCALAY_TOP, SCALAY_BOTTOM, SCALAY_LEFT, SCALAY_RIGHT, SCALAY_SIDES };

/** A visible rectangle. */
typedef struct {
    int part;
    int64_t edge[SCALAY_SIDES];
} scalay_tiling_rectangle;

/** An edge. */
typedef struct {
    int is_row;    /* 1: a place along the rows */
    int is_fixed;  /* 1: on the border of the domain */
    double real;   /* where it was drawn, in lines */
    int64_t at;    /* where it is, in tiles */
    int64_t first; /* the rectangles that touch it: touch[first] .. touch[first + count - 1] */
    int64_t count;
} scalay_tiling_edge;

/** A tiling. */
typedef struct {
    int64_t extent[2]; /* columns, rows: indexed by is_row */
    int64_t tile;
    int64_t rectangles;
    scalay_tiling_rectangle *rectangle;
    int64_t edges;
    scalay_tiling_edge *edge;
    int64_t *touch; /* rectangles */
} scalay_tiling;

/**
 * The tiling of a drawing, edges not placed yet.
 * @param[in]  area    shape [parts]: paints of parts without area are left out
 * @param[out] tiling  to be released with scalay_tiling_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_tiling_create(const scalay_drawing *drawing, int64_t m, int64_t n, int parts, const double *area,
                                   int64_t tile, scalay_tiling *tiling);

/** Releases what a tiling holds; zeroed is fine. */
void scalay_tiling_free(scalay_tiling *tiling);

/** The line at which a tile begins, is_row telling the direction. */
int64_t scalay_tiling_line(const scalay_tiling *tiling, int is_row, int64_t at);

/** Places every edge at the tile that is nearest to where it was drawn. */
void scalay_tiling_round(scalay_tiling *tiling);

/** The elements of a rectangle. */
int64_t scalay_tiling_elements(const scalay_tiling *tiling, const scalay_tiling_rectangle *rectangle);

#endif
