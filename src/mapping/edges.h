#ifndef SCALAY_MAPPING_EDGES_H
#define SCALAY_MAPPING_EDGES_H

/** @file Bipartite graphs with weighted edges, listed by rows; matchings and covers of them; graphs that grow. */

#include "base/status.h"
#include "mapping/deadline.h"
#include "scalay/mapping.h"

/** A sparse bipartite graph. Rows are processes and columns are parts; in a transposed graph, the other way round. */
typedef struct {
    int rows;
    int cols;
    int64_t *start;  /* shape [rows + 1]: the edges of row i are start[i] .. start[i + 1] - 1 */
    int *col;        /* shape [start[rows]] */
    int64_t *weight; /* same shape, all positive: elements that stay if the edge is used */
} scalay_edges;

/** Returns the edges of a traffic matrix, one per non-zero. A view: not to be freed, valid as long as the traffic. */
scalay_edges scalay_edges_view(const scalay_traffic *traffic);

/** Returns 1 to keep an edge from row i to column j. */
typedef int (*scalay_edge_filter)(const void *context, int i, int j, int64_t weight);

/** Copies the edges that a filter keeps; release with scalay_edges_free(). */
scalay_status scalay_edges_select(const scalay_edges *edges, scalay_edge_filter keep, const void *context,
                                  scalay_edges *selected);

/**
 * Lists the edges by columns, without their weights; release with scalay_edges_free(). If the deadline passes first,
 * the result is not to be read: the caller sees that, too.
 * @param[out] number  shape [edges]: number of each listed edge among `edges`, of which there are less than 2^31; NULL:
 *                     not wanted
 */
scalay_status scalay_edges_transpose(const scalay_edges *edges, int *number, scalay_deadline deadline,
                                     scalay_edges *transposed);

/** Returns the number of the edge from row i to column j; -1: there is none. The columns of the row must ascend. Time:
 *  logarithmic, constant if the columns are consecutive. */
int64_t scalay_edges_find(const scalay_edges *edges, int i, int j);

/** Returns the largest weight of a row; 0: the row has no edge. */
int64_t scalay_edges_heaviest(const scalay_edges *edges, int i);

/** Returns the maximum of 0 and of weight - price of the column, over the edges of a row. */
int64_t scalay_edges_max_gain(const scalay_edges *edges, int i, const int64_t *price);

/** Raises prices of columns to weight - dual for each edge of a row. */
void scalay_edges_raise_prices(const scalay_edges *edges, int i, int64_t dual, int64_t *price);

/** Edges of a row that are examined together: blocks in which no edge matters are skipped without branches. */
enum { SCALAY_EDGE_BLOCK = 64 };

/** Returns the end of the block that begins with edge `first` of row i. */
int64_t scalay_edges_block_end(const scalay_edges *edges, int i, int64_t first);

/** Returns 1 if a block has an edge heavier than `least`, at least 0. */
int scalay_edges_block_exceeds(const scalay_edges *edges, int64_t first, int64_t end, int64_t least);

/**
 * Returns 1 if a block has an edge heavier than base + extra of its column.
 * @param[in] extra  shape [cols]; base + extra - weight must not overflow
 */
int scalay_edges_block_exceeds_sum(const scalay_edges *edges, int64_t first, int64_t end, int64_t base,
                                   const int64_t *extra);

/** Releases edges that are not a view. Zeroed edges are allowed. */
void scalay_edges_free(scalay_edges *edges);

/* ---------------------------------------------------------------------------------------- matchings and covers */

/** A matching of rows with columns. */
typedef struct {
    int *of_row; /* shape [rows]: the column of each row, -1: none */
    int *of_col; /* shape [cols]: the row of each column, -1: none */
} scalay_matching;

/** Allocates an empty matching; release with scalay_matching_free(). */
scalay_status scalay_matching_allocate(int rows, int cols, scalay_matching *matching);

/** Unmatches all rows and columns. */
void scalay_matching_clear(scalay_matching *matching, int rows, int cols);

/**
 * Flips an augmenting path: its unmatched edges become matched.
 * @param[in] from  shape [cols]: row before each column of the path; the first row of the path is unmatched
 * @param[in] col   last column of the path
 */
void scalay_matching_flip_path(const int *from, int *of_row, int *of_col, int col);

/** Releases the arrays of a matching. A zeroed matching is allowed. */
void scalay_matching_free(scalay_matching *matching);

/** Rows and columns that a matching must cover; NULL: none. */
typedef struct {
    unsigned char *row; /* shape [rows] */
    unsigned char *col; /* shape [cols] */
} scalay_cover;

/** Releases the arrays of a cover. A zeroed cover is allowed. */
void scalay_cover_free(scalay_cover *cover);

/* ------------------------------------------------------------------------------------------------------ core */

/** An edge to be added. */
typedef struct {
    int from;
    int to;
    int64_t weight;
} scalay_core_edge;

/** What adding an edge does. */
typedef enum { SCALAY_CORE_KEEP, SCALAY_CORE_COUNT, SCALAY_CORE_LIST } scalay_core_mode;

/** A graph that grows: the core of edges that a problem with many more edges is solved on. Zeroed: empty. */
typedef struct {
    scalay_core_edge *added; /* shape [count]: not yet among the edges */
    int64_t count;
    int64_t capacity;
    scalay_core_mode mode;
    scalay_edges edges;
    scalay_deadline deadline; /* of scalay_edge_core_grow() */
} scalay_edge_core;

/**
 * Starts one of two passes that add the same edges to an empty core: the first counts them, the second lists them. The
 * next scalay_edge_core_grow() ends the second. Many edges take less than half of the memory in this way.
 * @param[in] pass  0 or 1
 */
scalay_status scalay_edge_core_start_pass(scalay_edge_core *core, int pass, int rows, int cols);

/** Adds an edge for the next scalay_edge_core_grow(). The edge may be present. */
scalay_status scalay_edge_core_add(scalay_edge_core *core, int from, int to, int64_t weight);

/** Moves added edges to the graph, each once. If the deadline passes first, the edges are not to be read: the caller
 *  sees that, too. */
scalay_status scalay_edge_core_grow(scalay_edge_core *core, int rows, int cols);

/** Releases the arrays of a core. A zeroed core is allowed. */
void scalay_edge_core_free(scalay_edge_core *core);

#endif
