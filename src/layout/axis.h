#ifndef SCALAY_LAYOUT_AXIS_H
#define SCALAY_LAYOUT_AXIS_H

/**
 * @file
 * Axes: one dimension of a layout.
 *
 * An axis assigns each index of a dimension to a class and to a local index within the class. There are two forms:
 * - block-cyclic: block b belongs to class (b + source) mod classes. A class is a grid row or column, a tile row or
 *   column, or a row or column of a pattern;
 * - runs: a list of index ranges, each with a class (owner maps).
 *
 * A layout is a row axis, a column axis, and a table of cells (layout.h). Functions of two layouts therefore work on
 * one axis at a time: their time depends on the blocks of an axis, not on the blocks of the matrix.
 *
 * An axis may be a window: its index 0 is index `first` of the dimension. Local indices count from the start of the
 * dimension, so that a submatrix addresses the local array of the whole matrix.
 */

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

/** Indices of one class that are contiguous in the window and in the class. */
typedef struct {
    int64_t index; /* first index in the window */
    int64_t local; /* local index of the first index */
    int64_t count; /* at least 1 */
} scalay_axis_run;

/** The runs of an axis. Run r has the window indices end[r - 1] .. end[r] - 1. Several layouts may share a table. */
typedef struct scalay_axis_runs {
    _Atomic int references;
    int64_t runs;
    int64_t classes;
    int64_t *end;   /* shape [runs], ascending; no run is empty */
    int64_t *class; /* shape [runs] */
    int64_t *local; /* shape [runs]: local index of the run's first index */
    int64_t *first; /* shape [classes + 1]: the runs of class c are nth[first[c]] .. nth[first[c + 1] - 1] */
    int64_t *nth;   /* shape [runs] */
    int64_t *count; /* shape [classes]: indices of each class */
} scalay_axis_runs;

/** One dimension of a layout. */
typedef struct {
    int64_t extent;               /* indices of the window */
    int64_t first;                /* index of the dimension at which the window starts */
    int64_t whole;                /* indices of the dimension, at least first + extent */
    int64_t block;                /* at least 1 */
    int64_t classes;              /* at least 1 */
    int64_t source;               /* class of the dimension's first block */
    const scalay_axis_runs *runs; /* NULL: block-cyclic. Else the runs of the window; block and source are ignored */
} scalay_axis;

/** Returns the class of a window index. Time: O(1), for runs O(log runs). */
int64_t scalay_axis_class(const scalay_axis *axis, int64_t i);

/** Returns the local index of a window index, 0-based (ScaLAPACK: INDXG2L - 1). Time: O(1), for runs O(log runs). */
int64_t scalay_axis_local_index(const scalay_axis *axis, int64_t i);

/** Returns the number of window indices that belong to a class. Time: O(1). */
int64_t scalay_axis_count(const scalay_axis *axis, int64_t class);

/** Returns how many of the dimension's first `upto` indices belong to a class (ScaLAPACK: NUMROC). Not for runs. */
int64_t scalay_axis_count_upto(const scalay_axis *axis, int64_t class, int64_t upto);

/** Returns the number of blocks or runs of a class that have indices in the window. Time: O(1). */
int64_t scalay_axis_run_count(const scalay_axis *axis, int64_t class);

/** Returns the k-th of the blocks or runs counted by scalay_axis_run_count(), cut to the window. Time: O(1). */
scalay_axis_run scalay_axis_get_run(const scalay_axis *axis, int64_t class, int64_t k);

/* --------------------------------------------------------------------------------------------------- tables of runs */

/**
 * Creates a table of runs of a whole dimension.
 * @param[in]  end, class  shape [runs]; copied
 * @param[out] table       one reference, to be released with scalay_axis_runs_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_runs_create(int64_t runs, const int64_t *end, const int64_t *class, int64_t classes,
                                      scalay_axis_runs **table);

/**
 * Creates the table of a window. Local indices stay. Classes without an index in the window are removed; the others
 * keep their order.
 * @param[in]  first, extent  the window, not empty
 * @param[out] old_class      shape [classes of the window]: former number of each class; released by the caller
 * @param[out] window         as in scalay_axis_runs_create()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_runs_window(const scalay_axis_runs *runs, int64_t first, int64_t extent, int64_t **old_class,
                                      scalay_axis_runs **window);

/** Adds a reference and returns the table. NULL is allowed. */
const scalay_axis_runs *scalay_axis_runs_retain(const scalay_axis_runs *runs);

/** Removes a reference; without references the table is freed. NULL is allowed. */
void scalay_axis_runs_release(const scalay_axis_runs *runs);

/** Returns the first index of a run. */
int64_t scalay_axis_runs_start(const scalay_axis_runs *runs, int64_t run);

/** Returns the run that contains an index. Time: O(log runs). */
int64_t scalay_axis_runs_find(const scalay_axis_runs *runs, int64_t i);

/* ---------------------------------------------------------------------------------------------------- pairs of axes */

/** A range of indices that lies in one block of axis a and in one block of axis b. */
typedef struct {
    int64_t class_a;
    int64_t class_b;
    int64_t index; /* first index in the windows */
    int64_t count;
    int64_t local_a; /* local index of the first index in its class of a; set by the creator of a list, as local_b */
    int64_t local_b;
} scalay_common_interval;

/** Position of a walk along two axes of the same extent. */
typedef struct {
    const scalay_axis *a;
    const scalay_axis *b;
    int64_t index;  /* first index of the next interval */
    int64_t end;    /* the walk ends before this index */
    int64_t left_a; /* indices up to the end of the block of a; INT64_MAX if a has one class */
    int64_t left_b;
    int64_t class_a;
    int64_t class_b;
    int64_t run_a; /* current run, for an axis of runs */
    int64_t run_b;
} scalay_interval_walk;

/** Starts a walk over the window indices begin .. end - 1. Block ends of an axis with one class are ignored. */
scalay_interval_walk scalay_interval_walk_start(const scalay_axis *a, const scalay_axis *b, int64_t begin, int64_t end);

/** Returns the next interval of a walk; 0 at the end. Sets classes, index and count. */
int scalay_interval_walk_next(scalay_interval_walk *walk, scalay_common_interval *interval);

/** A range of indices that lies in one class of axis a and in one class of axis b, contiguous in both classes. */
typedef struct {
    int64_t index;   /* first index in the window */
    int64_t local_a; /* local index of the first index in its class of a */
    int64_t local_b; /* likewise of b */
    int64_t count;
} scalay_common_run;

/** The intersections of one class of axis a with the classes of axis b, without the empty ones. */
typedef struct {
    int64_t classes;         /* classes of b that intersect */
    int64_t *class_b;        /* shape [classes], ascending */
    int64_t *start;          /* shape [classes + 1]: class_b[k] has the runs start[k] .. start[k + 1] - 1 */
    int64_t *count;          /* shape [classes]: indices in the runs of class_b[k] */
    scalay_common_run *runs; /* ascending by index within a class; mergeable neighbours are merged */
} scalay_axis_intersection;

/**
 * Creates the intersections of a class of axis a with all classes of axis b. Time: O(blocks of the class in a + blocks
 * of b that they meet).
 * @param[in]  a, b          axes of the same extent
 * @param[in]  class_a       a class of a
 * @param[in]  whole         1: merge neighbours only if their window indices are contiguous, too
 * @param[out] intersection  to be released with scalay_axis_intersection_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_intersection_create(const scalay_axis *a, int64_t class_a, const scalay_axis *b, int whole,
                                              scalay_axis_intersection *intersection);

/** Releases the arrays of an intersection and zeroes it. Zeroed is allowed. */
void scalay_axis_intersection_free(scalay_axis_intersection *intersection);

/** The number of indices in each pair of a class of a and a class of b: a sparse matrix in compressed rows. */
typedef struct {
    int64_t classes_a, classes_b;
    int64_t *start;   /* shape [classes_a + 1] */
    int64_t *class_b; /* shape [start[classes_a]], ascending in each row */
    int64_t *count;   /* shape [start[classes_a]], all positive */
} scalay_axis_overlap;

/**
 * Creates the overlap of two axes. Whole common periods are counted in closed form. Time:
 * O(min(extent, lcm of the periods) (1 / block of a + 1 / block of b) + entries).
 * @param[in]  a, b     axes of the same extent
 * @param[out] overlap  to be released with scalay_axis_overlap_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_overlap_create(const scalay_axis *a, const scalay_axis *b, scalay_axis_overlap *overlap);

/** Releases the arrays of an overlap and zeroes it. Zeroed is allowed. */
void scalay_axis_overlap_free(scalay_axis_overlap *overlap);

#endif
