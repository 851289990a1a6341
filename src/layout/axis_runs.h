#ifndef SCALAY_LAYOUT_AXIS_RUNS_H
#define SCALAY_LAYOUT_AXIS_RUNS_H

/**
 * @file
 * Runs: an axis whose classes follow no rule. Run r is the indices end[r - 1] .. end[r] - 1, all of one class.
 */

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

/** A stretch of one class that is contiguous in the window and in the class. */
typedef struct {
    int64_t index; /* its first index in the window */
    int64_t local; /* of that index within the class */
    int64_t count;
} scalay_axis_run;

/** The runs of an axis, or of a window of one. Shared by the layouts that are made from each other. */
typedef struct scalay_axis_runs {
    _Atomic int references;
    int64_t runs;
    int64_t classes;
    int64_t *end;   /* shape [runs], ascending; no run is empty */
    int64_t *class; /* shape [runs] */
    int64_t *local; /* shape [runs]: of the run's first index within its class */
    int64_t *first; /* shape [classes + 1]: the runs of class c are nth[first[c]] .. nth[first[c + 1] - 1] */
    int64_t *nth;   /* shape [runs] */
    int64_t *count; /* shape [classes]: indices of each class */
} scalay_axis_runs;

/**
 * Makes runs. Places count from 0 in each class.
 * @param[in]  end, class  shape [runs]; copied
 * @param[out] made        one reference, to be given up with scalay_axis_runs_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_axis_runs_create(int64_t runs, const int64_t *end, const int64_t *class, int64_t classes,
                                      scalay_axis_runs **made);

/**
 * The runs of a window, places as they were. Classes that are not in it are left out, the others keep their order.
 * @param[in]  first, extent  the window; not empty
 * @param[out] old_class      shape [classes of the window]: the number that each class had; to be released
 * @param[out] window         as in scalay_axis_runs_create()
 */
scalay_status scalay_axis_runs_window(const scalay_axis_runs *runs, int64_t first, int64_t extent, int64_t **old_class,
                                      scalay_axis_runs **window);

/** One more owner; NULL is fine. Returns runs. */
const scalay_axis_runs *scalay_axis_runs_retain(const scalay_axis_runs *runs);

/** One owner less; the last one frees them. NULL is fine. */
void scalay_axis_runs_release(const scalay_axis_runs *runs);

/** The first index of a run. */
int64_t scalay_axis_runs_start(const scalay_axis_runs *runs, int64_t run);

/** The run that an index is in. Logarithmic. */
int64_t scalay_axis_runs_at(const scalay_axis_runs *runs, int64_t i);

/** The class of an index. Logarithmic. */
int64_t scalay_axis_runs_class(const scalay_axis_runs *runs, int64_t i);

/** The place of an index within its class. Logarithmic. */
int64_t scalay_axis_runs_local_index(const scalay_axis_runs *runs, int64_t i);

/** The k-th run of a class. */
scalay_axis_run scalay_axis_runs_get(const scalay_axis_runs *runs, int64_t class, int64_t k);

#endif
