#ifndef SCALAY_MAPPING_COVER_SEARCH_H
#define SCALAY_MAPPING_COVER_SEARCH_H

/** @file Covering the rows that need it by a matching, or finding a crowd of them that has too few partners. */

#include "mapping/deadline.h"
#include "mapping/edges.h"

/** A search; rows of the edges are the side to be covered. */
typedef struct {
    const scalay_edges *edges; /* not owned, nor are the next three */
    int *of_row;
    int *of_col;
    const unsigned char *needs; /* shape [rows]: must be covered; the others may be let go */
    int *from;                  /* shape [cols]: the row through which a column was reached */
    int *seen;                  /* shape [cols]: the search in which it was reached last */
    int search;
    int thorough; /* 1: goes on after a row that cannot be covered, so that the crowd names all that is in want */
    scalay_deadline deadline;
    int late;   /* 1: it came before the end */
    int *crowd; /* shape [rows]: the rows reached by the last search, or by all that failed */
    int crowd_size;
} scalay_cover_search;

/** To be released with scalay_cover_search_free(). */
scalay_status scalay_cover_search_create(const scalay_edges *edges, int *of_row, int *of_col,
                                         const unsigned char *needs, scalay_cover_search *search);

/** Covers every row that needs it; columns that are matched stay matched. Returns 1; or 0, and `crowd` then holds rows
 * that all need a partner but reach fewer columns than they are. They reach only the columns that they are matched
 * with. 0 without a crowd when it is late. */
int scalay_cover_search_run(scalay_cover_search *search);

/** Releases what a search holds. A zeroed search is fine. */
void scalay_cover_search_free(scalay_cover_search *search);

#endif
