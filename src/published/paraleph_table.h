#ifndef SCALAY_PUBLISHED_PARALEPH_TABLE_H
#define SCALAY_PUBLISHED_PARALEPH_TABLE_H

/**
 * @file
 * A rank's columns of PARALEPH's table: dpt(v, h) is the least value of v units on h processors.
 *
 * The cells of an anti-diagonal, v + h = L, depend on earlier ones only, so the threads of a rank share them.
 */

#include "published/published.h"

/** Columns first <= h <= last; none when last < first. */
typedef struct {
    int64_t n;            /* at least 1 */
    int64_t largest;      /* m */
    const int64_t *value; /* shape [largest + 1]: SCALAY_NO_VALUE for a hole */
    int sums;             /* 0: the largest value counts, 1: their sum */
    int64_t first;
    int64_t last;
    int64_t *cells;  /* dpt, shape [last - first + 1][n + 1] */
    int32_t *choice; /* traceback, same shape: what processor h gets, 0: nothing */
    int64_t *left;   /* dptLeft, shape [n + 1]: the column before the first */
} scalay_paraleph_table;

/** Makes the cells; their first row (one unit) is set. */
scalay_status scalay_paraleph_table_allocate(scalay_paraleph_table *table);

/** Releases the cells; zeroed is fine. */
void scalay_paraleph_table_free(scalay_paraleph_table *table);

/** Computes the cells of an anti-diagonal; to be called by all threads of a parallel region. */
void scalay_paraleph_table_compute(scalay_paraleph_table *table, int64_t diagonal);

/** A cell of the table, which the rank has. */
int64_t scalay_paraleph_table_get(const scalay_paraleph_table *table, int64_t v, int64_t h);

#endif
