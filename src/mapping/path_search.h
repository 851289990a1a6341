#ifndef SCALAY_MAPPING_PATH_SEARCH_H
#define SCALAY_MAPPING_PATH_SEARCH_H

/**
 * @file
 * Shortest augmenting paths: the engine of the assignment solvers.
 *
 * Throughout, row_dual[i] + col_dual[j] >= weight for every edge, with equality on matched edges, the dual of an
 * unmatched column is 0, and that of an unmatched row too once it has been dealt with. The length of an edge is the
 * excess, so lengths are never negative and Dijkstra's algorithm applies. A row that need not be covered has a
 * private way out: it becomes unmatched at the price of its dual.
 */

#include "mapping/edges.h"
#include "mapping/heap.h"

/** A search; rows of the edges are the side that it starts from. */
typedef struct {
    const scalay_edges *edges;
    int *of_row; /* the matching as this side sees it; not owned, likewise the next four */
    int *of_col;
    int64_t *row_dual;
    int64_t *col_dual;
    const unsigned char *must; /* rows that have no private way out; NULL: every row has one */
    int64_t *distance;         /* shape [cols]: INT64_MAX: not reached */
    int *from;                 /* shape [cols]: the row through which a column was reached */
    unsigned char *settled;    /* shape [cols] */
    int *reached;              /* shape [cols] */
    int reached_count;
    int *scanned;        /* shape [rows] */
    int64_t *scanned_at; /* shape [rows]: the distance at which scanned[k] was scanned */
    int scanned_count;
    int *tight; /* shape [cols]: reached at the distance at hand; they need no heap */
    int tight_count;
    scalay_heap heap;
    int64_t best; /* the length of the shortest way out found so far */
    int end_col;  /* it leads to this free column */
    int end_row;  /* or, when end_col is -1, lets this row go */
} scalay_path_search;

/** A search on the given graph, matching and duals; to be released with scalay_path_search_free(). */
scalay_status scalay_path_search_create(const scalay_edges *edges, int *of_row, int *of_col, int64_t *row_dual,
                                        int64_t *col_dual, scalay_path_search *search);

/** Deals with an unmatched row: matches it, or finds that it is best left alone. Returns 0 when it must be but
 * cannot be covered, 1 otherwise. */
int scalay_path_search_augment(scalay_path_search *search, int root);

/** Releases what a search holds. A zeroed search is fine. */
void scalay_path_search_free(scalay_path_search *search);

#endif
