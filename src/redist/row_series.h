#ifndef SCALAY_REDIST_ROW_SERIES_H
#define SCALAY_REDIST_ROW_SERIES_H

/** @file Series of row runs: runs of equal length at equal distances at both ends of a copy. */

#include "layout/axis.h"

/** Position of the rows (or columns) of a run along one end of a block copy. */
typedef enum {
    SCALAY_AT_OWN,    /* at local_a of the run */
    SCALAY_AT_REMOTE, /* at local_b of the run */
    SCALAY_AT_PACKED  /* runs follow one another */
} scalay_run_position;

/** Returns the place of a run in units of the row stride. @param[in] packed  rows before it */
static inline int64_t scalay_run_place(const scalay_common_run *run, scalay_run_position position, int64_t packed)
{
    return position == SCALAY_AT_PACKED ? packed : position == SCALAY_AT_OWN ? run->local_a : run->local_b;
}

/** Runs of equal length at equal distances, in rows. Cyclic layouts have few series, however many runs they have. */
typedef struct {
    int64_t from, to; /* places of the first run */
    int64_t from_step, to_step;
    int64_t count; /* runs */
    int64_t rows;  /* of each run */
} scalay_row_series;

/** Maximum number of series that are copied together, or kept. */
enum { SCALAY_MAX_SERIES = 128 };

/** The series of row runs that are copied often; counts of 0: not kept. */
typedef struct {
    const scalay_row_series *packed; /* shape [packed_count]: from SCALAY_AT_OWN to SCALAY_AT_PACKED */
    const scalay_row_series *remote; /* shape [remote_count]: from SCALAY_AT_OWN to SCALAY_AT_REMOTE */
    int packed_count, remote_count;
} scalay_kept_series;

/** Row runs at the two ends of a copy. */
typedef struct {
    const scalay_common_run *runs; /* shape [count] */
    int64_t count;
    scalay_run_position from, to;
} scalay_row_ends;

/** A position in row runs. */
typedef struct {
    const scalay_common_run *run;
    int64_t packed; /* rows before the run */
} scalay_row_position;

/** Joins the next runs that follow one another contiguously at both ends. Returns them as a series of one run, with the
 *  position after them. */
scalay_row_series scalay_row_series_join(const scalay_row_ends *rows, scalay_row_position *at);

/** Collects the series of the next runs, at most `capacity`. Returns their number; 0 at the end. */
int scalay_row_series_collect(const scalay_row_ends *rows, scalay_row_position *next, scalay_row_series *found,
                              int capacity);

/**
 * Finds few series of all runs: consecutive ones, or interleaved ones if a pattern of some runs repeats. The first and
 * the last run, which may be cut, are series of their own then.
 * @param[in]  maximum  number of series, at most SCALAY_MAX_SERIES
 * @param[out] found    shape [maximum]
 * @return number of series; 0: there are more than the maximum
 */
int scalay_row_series_find_few(const scalay_row_ends *rows, int maximum, scalay_row_series *found);

/** Maximum number of series that scalay_row_series_cut() makes of one: a part of a run, whole runs, a part of a run. */
enum { SCALAY_CUT_SERIES = 3 };

/**
 * Cuts series to the rows whose `from` is first .. end - 1.
 * @param[out] found  shape [SCALAY_CUT_SERIES * count]
 * @param[out] rows   number of rows that are left
 * @return number of series
 */
int scalay_row_series_cut(const scalay_row_series *series, int count, int64_t first, int64_t end,
                          scalay_row_series *found, int64_t *rows);

#endif
