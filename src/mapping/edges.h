#ifndef SCALAY_MAPPING_EDGES_H
#define SCALAY_MAPPING_EDGES_H

/** @file The bipartite graphs that mappings are found in: weighted edges by rows, and matchings. */

#include "base/status.h"
#include "scalay/mapping.h"

/** A sparse bipartite graph. Rows are processes and columns are parts, or the other way round when transposed. */
typedef struct {
    int rows;
    int cols;
    int64_t *start;  /* shape [rows + 1]: the edges of row i are start[i] .. start[i + 1] - 1 */
    int *col;        /* shape [start[rows]] */
    int64_t *weight; /* same shape, all positive: the items that stay when the edge is used */
} scalay_edges;

/** The edges of a traffic matrix: one per non-zero. A view: not to be freed, valid as long as the traffic. */
scalay_edges scalay_edges_view(const scalay_traffic *traffic);

/** Whether to keep edge number `edge`, from row i to column j. */
typedef int (*scalay_edge_filter)(const void *context, int64_t edge, int i, int j, int64_t weight);

/** The edges that a filter keeps; to be released with scalay_edges_free(). */
scalay_status scalay_edges_select(const scalay_edges *edges, scalay_edge_filter keep, const void *context,
                                  scalay_edges *selected);

/** The same edges by columns; to be released with scalay_edges_free(). */
scalay_status scalay_edges_transpose(const scalay_edges *edges, scalay_edges *transposed);

/** The number of the edge from row i to column j, -1: there is none. The columns of the row ascend. Logarithmic;
 * constant time where they are consecutive. */
int64_t scalay_edges_find(const scalay_edges *edges, int i, int j);

/** The largest weight of a row; 0: it has no edge. */
int64_t scalay_edges_heaviest(const scalay_edges *edges, int i);

/** Edges of a row that are looked at together: many edges of which few matter are passed by without a branch for each.
 */
enum { SCALAY_EDGE_BLOCK = 64 };

/** Where the block that begins with edge `first`, one of row i, ends. */
int64_t scalay_edges_block_end(const scalay_edges *edges, int i, int64_t first);

/** Whether a block has an edge that is heavier than `least`, at least 0. */
int scalay_edges_block_exceeds(const scalay_edges *edges, int64_t first, int64_t end, int64_t least);

/**
 * Whether a block has an edge that is heavier than base + extra of its column.
 * @param[in] extra  shape [cols]; base + extra - weight overflows nowhere
 */
int scalay_edges_block_exceeds_sum(const scalay_edges *edges, int64_t first, int64_t end, int64_t base,
                                   const int64_t *extra);

/** Releases edges that are not a view. Zeroed edges are fine. */
void scalay_edges_free(scalay_edges *edges);

/** A matching of rows with columns. */
typedef struct {
    int *of_row; /* shape [rows]: the column of each row, -1: none */
    int *of_col; /* shape [cols]: the row of each column, -1: none */
} scalay_matching;

/** An empty matching; to be released with scalay_matching_free(). */
scalay_status scalay_matching_allocate(int rows, int cols, scalay_matching *matching);

/** Unmatches everything. */
void scalay_matching_clear(scalay_matching *matching, int rows, int cols);

/** Releases what a matching holds. A zeroed matching is fine. */
void scalay_matching_free(scalay_matching *matching);

/** Rows and columns that a matching must cover; NULL: none. */
typedef struct {
    unsigned char *row; /* shape [rows] */
    unsigned char *col; /* shape [cols] */
} scalay_cover;

/** Releases what a cover holds. A zeroed cover is fine. */
void scalay_cover_free(scalay_cover *cover);

#endif
