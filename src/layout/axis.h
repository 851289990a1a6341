#ifndef SCALAY_LAYOUT_AXIS_H
#define SCALAY_LAYOUT_AXIS_H

/**
 * @file
 * Axes: one dimension of a layout.
 *
 * An axis deals the indices of one dimension out to classes: block b belongs to class (b + source) mod classes. For a
 * block-cyclic layout a class is a grid row or column; for a tile map every tile row or column is a class of its own.
 * An axis of an owner map is not that regular: runs of any length belong to any class (axis_runs.h).
 * Every layout is a product: a row axis, a column axis, and a table that tells the part of each pair of classes. What
 * two layouts have in common is therefore found one axis at a time, in O(blocks of an axis), never O(blocks).
 *
 * An axis may be a window: its index 0 is index `first` of the dealt-out dimension. Places within a class always count
 * from the start of the dimension, so that a submatrix addresses the whole matrix's local array.
 */

#include <stdint.h>

#include "base/status.h"
#include "layout/axis_runs.h"

/** One dimension of a layout. */
typedef struct {
    int64_t extent;               /* indices of the window */
    int64_t first;                /* where the window starts in the dimension */
    int64_t whole;                /* indices of the dimension, at least first + extent */
    int64_t block;                /* at least 1 */
    int64_t classes;              /* at least 1 */
    int64_t source;               /* class of the dimension's first block */
    const scalay_axis_runs *runs; /* NULL: blocks; else of the window, and block and source do not count */
} scalay_axis;

/** The class of window index i. */
int64_t scalay_axis_class(const scalay_axis *axis, int64_t i);

/** The place of window index i within its class: ScaLAPACK's local index, 0-based. */
int64_t scalay_axis_local_index(const scalay_axis *axis, int64_t i);

/** The indices of the window that belong to a class. */
int64_t scalay_axis_count(const scalay_axis *axis, int64_t class);

/** The indices of the whole dimension's first `upto` that belong to a class (NUMROC). Not for an axis of runs. */
int64_t scalay_axis_count_upto(const scalay_axis *axis, int64_t class, int64_t upto);

/** The blocks, or runs, of the window that belong to a class, cut ones included. */
int64_t scalay_axis_run_count(const scalay_axis *axis, int64_t class);

/** The k-th of the blocks counted by scalay_axis_run_count(). Constant time. */
scalay_axis_run scalay_axis_get_run(const scalay_axis *axis, int64_t class, int64_t k);

/* --------------------------------------------------------------------- what two axes have in common */

/** A stretch that lies in one class of axis a and in one class of axis b. */
typedef struct {
    int64_t index;   /* its first index in the window */
    int64_t local_a; /* of its first index within its class of a */
    int64_t local_b; /* likewise of b */
    int64_t count;
} scalay_common_run;

/** What one class of axis a shares with the classes of axis b. Sorted by class of b; empty ones are left out. */
typedef struct {
    int64_t classes;  /* of b that are met */
    int64_t *class_b; /* shape [classes], ascending */
    int64_t *start;   /* shape [classes + 1]: the runs of class_b[k] are runs[start[k]] .. runs[start[k + 1] - 1] */
    int64_t *count;   /* shape [classes]: indices in the runs of class_b[k], all together */
    scalay_common_run *runs; /* by ascending index; neighbours whose places are contiguous on both sides are merged */
} scalay_axis_intersection;

/**
 * What a class of axis a shares with each class of axis b: O(blocks of the class in a + blocks of b cut by it).
 * @param[in]  a, b     axes of the same extent
 * @param[in]  class_a  a class of a
 * @param[in]  whole    1: neighbours are merged only when their indices are contiguous, too
 * @param[out] share    to be released with scalay_axis_intersection_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_intersection_create(const scalay_axis *a, int64_t class_a, const scalay_axis *b, int whole,
                                              scalay_axis_intersection *share);

/** Releases what a share holds. A zeroed share is fine. */
void scalay_axis_intersection_free(scalay_axis_intersection *share);

/** How many indices each class of axis a has in common with each class of axis b: a sparse matrix by rows. */
typedef struct {
    int64_t classes_a, classes_b;
    int64_t *start;   /* shape [classes_a + 1] */
    int64_t *class_b; /* shape [start[classes_a]], ascending in each row */
    int64_t *count;   /* shape [start[classes_a]], all positive */
} scalay_axis_overlap;

/**
 * The overlap of two axes, without walking through their blocks where whole periods repeat:
 * O(min(extent, lcm of the periods) (1 / block a + 1 / block b) + entries).
 * @param[in]  a, b     axes of the same extent
 * @param[out] overlap  to be released with scalay_axis_overlap_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_overlap_create(const scalay_axis *a, const scalay_axis *b, scalay_axis_overlap *overlap);

/** Releases what an overlap holds. A zeroed overlap is fine. */
void scalay_axis_overlap_free(scalay_axis_overlap *overlap);

#endif
