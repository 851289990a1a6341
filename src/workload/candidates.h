#ifndef SCALAY_WORKLOAD_CANDIDATES_H
#define SCALAY_WORKLOAD_CANDIDATES_H

/**
 * @file
 * Times that may be the least one, sorted as far as they are asked for: the answer is usually among the first.
 */

#include <stdint.h>

#include "base/status.h"

/** A set of times; start with zeroes. */
typedef struct {
    double *heap; /* shape [open]: the least one first */
    int64_t open;
    int64_t capacity;
    double *sorted; /* shape [count]: ascending and distinct */
    int64_t count;
    int64_t sorted_room;
} scalay_candidates;

/** Adds a time, before the first scalay_candidates_get(). SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_candidates_add(scalay_candidates *candidates, double time);

/** To be called when all are added. */
void scalay_candidates_close(scalay_candidates *candidates);

/** Sorts until there are k + 1 of them; fewer when there are no more. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_candidates_reach(scalay_candidates *candidates, int64_t k);

/** Releases the memory. */
void scalay_candidates_free(scalay_candidates *candidates);

/** Is there a distribution within a time? Once there is, there is one within every longer time. */
typedef scalay_status (*scalay_time_test)(void *context, double time, int *feasible);

/**
 * The first candidate with a distribution: by steps of 1, 2, 4, ... and then by halves.
 * @param[in,out] candidates  closed
 * @param[in]     test        the question
 * @param[in]     context     handed to test
 * @param[out]    time        the candidate; infinity: none
 */
scalay_status scalay_candidates_first(scalay_candidates *candidates, scalay_time_test test, void *context,
                                      double *time);

#endif
