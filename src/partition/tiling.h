#ifndef SCALAY_PARTITION_TILING_H
#define SCALAY_PARTITION_TILING_H

/**
 * @file
 * A drawing as disjoint rectangles with shared edges.
 *
 * The visible parts of the painted rectangles are cut into rectangles that cover the domain. An edge is a maximal
 * straight line of their sides. A rectangle has four edges; moving an edge moves all rectangles that touch it.
 * Therefore the rectangles stay disjoint and cover the domain, as long as no rectangle gets a negative extent.
 *
 * Positions of edges are numbers of tiles. The last tile may have fewer lines than the others.
 */

#include "base/status.h"
#include "partition/drawing.h"

/** Sides of a rectangle. Top and bottom are positions along the rows, left and right along the columns. */
enum { SCALAY_TOP, SCALAY_BOTTOM, SCALAY_LEFT, SCALAY_RIGHT, SCALAY_SIDES };

/** A visible rectangle. */
typedef struct {
    int part;
    int64_t edge[SCALAY_SIDES];
} scalay_tiling_rectangle;

/** An edge. */
typedef struct {
    int is_row;    /* 1: a position along the rows */
    int is_fixed;  /* 1: on the border of the domain */
    double real;   /* position in the drawing, in lines */
    int64_t at;    /* position in tiles */
    int64_t first; /* the rectangles touch[first] .. touch[first + count - 1] touch it */
    int64_t count;
} scalay_tiling_edge;

/** A tiling. Zeroed is empty. */
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
 * Creates the tiling of a drawing, without positions of the edges.
 * @param[in]  area    shape [parts]; rectangles of parts without area are ignored
 * @param[out] tiling  to be released with scalay_tiling_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_tiling_create(const scalay_drawing *drawing, int64_t m, int64_t n, int parts, const double *area,
                                   int64_t tile, scalay_tiling *tiling);

/** Releases the arrays and zeroes the tiling. Zeroed is allowed. */
void scalay_tiling_free(scalay_tiling *tiling);

/** Returns the first line of a tile; is_row is the direction. */
int64_t scalay_tiling_line(const scalay_tiling *tiling, int is_row, int64_t at);

/** Sets the position of each edge to the nearest tile. */
void scalay_tiling_round(scalay_tiling *tiling);

/** Returns the number of elements of a rectangle. */
int64_t scalay_tiling_elements(const scalay_tiling *tiling, const scalay_tiling_rectangle *rectangle);

/**
 * Moves edges by single tiles as long as the worst relative load error of the parts that a move touches decreases; the
 * worst part first. Deterministic.
 * @param[in]     area    shape [parts]: in elements
 * @param[in,out] tiling  the edges have positions
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_tiling_balance(int parts, const double *area, scalay_tiling *tiling);

#endif
