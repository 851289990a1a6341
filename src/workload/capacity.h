#ifndef SCALAY_WORKLOAD_CAPACITY_H
#define SCALAY_WORKLOAD_CAPACITY_H

/**
 * @file
 * How much the processors can take within a time: the fit of a group is the largest size it can do in it, and
 * `most` processors take at most the sum of the `most` largest fits. The least time that this is enough for is a lower
 * bound on the time of a distribution, and often attained.
 */

#include "workload/problem.h"

/** Fits of all groups; start with zeroes, then scalay_capacity_create(). */
typedef struct {
    const scalay_problem *problem;
    int64_t most;  /* processors that may be active */
    int64_t *fit;  /* shape [groups] */
    int *order;    /* shape [groups]: by descending fit, then ascending; after scalay_capacity_sort() */
    int64_t *low;  /* shape [groups]: fits of a time that is too short */
    int64_t *high; /* shape [groups]: fits of a time that is long enough */
} scalay_capacity;

/** SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_capacity_create(const scalay_problem *problem, int64_t most, scalay_capacity *capacity);

/** Releases the memory. */
void scalay_capacity_free(scalay_capacity *capacity);

/** Sets the fits of a time. */
void scalay_capacity_fit(scalay_capacity *capacity, double time);

/** Sorts the groups by their fits. */
void scalay_capacity_sort(scalay_capacity *capacity);

/** The least time that is enough for a total; infinity: none is. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_capacity_time(scalay_capacity *capacity, int64_t total, double *time);

#endif
