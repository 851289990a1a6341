#ifndef SCALAY_PUBLISHED_PARETO_H
#define SCALAY_PUBLISHED_PARETO_H

/** @file Sets of partial distributions of which none is better in time and energy: the memory of HEPOPTA and ALEPH. */

#include "published/published.h"

/** A partial distribution: one choice, and a partial distribution of the rest. */
typedef struct {
    int64_t energy;
    double time;
    int32_t active; /* processors with more than 0 */
    int32_t size;
    int32_t copies; /* processors that get this size; 0: see ALEPH */
    int32_t rest;   /* its number in the set of the rest */
} scalay_partial;

/** By ascending energy and descending time. */
typedef struct {
    int64_t count;
    int64_t capacity;
    scalay_partial *partial; /* shape [capacity] */
} scalay_partial_set;

/** Adds a partial distribution unless it is no better than one that is there, and drops those that are no better than
 *  it. Of equal ones the one with fewer active processors stays. */
scalay_status scalay_partial_set_add(scalay_partial_set *set, const scalay_partial *partial);

/** Releases what a set holds; zeroed is fine. */
void scalay_partial_set_free(scalay_partial_set *set);

/**
 * Makes a front of a set: times ascending, with room for the distributions.
 * @param[in]  set           any
 * @param[out] count         of points
 * @param[out] point         shape [count], to be released with scalay_release()
 * @param[out] distribution  shape [count], zeroed; as scalay_workload_method.front
 */
scalay_status scalay_partial_set_front(const scalay_partial_set *set, int64_t *count, scalay_point **point,
                                       scalay_distribution **distribution);

/** Releases a front that is not handed out; it is empty then. */
void scalay_front_release(int64_t *count, scalay_point **point, scalay_distribution **distribution);

#endif
