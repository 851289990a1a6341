#ifndef SCALAY_WORKLOAD_ACTIVE_NUMBERS_H
#define SCALAY_WORKLOAD_ACTIVE_NUMBERS_H

/**
 * @file
 * How many processors can be active: so many least sizes must not be more than n, so many largest sizes not less, and
 * sizes that leave the same rest make totals of a known rest. What the sizes within a time rule out takes longer.
 */

#include "workload/problem.h"

/** What the sizes within a time say; no number is possible unless it is from fewest to most, and rest modulo divisor.
 */
typedef struct {
    double time;  /* of the sizes */
    double least; /* of the times that are above the one before, the least one */
    int64_t fewest;
    int64_t most;
    int64_t divisor; /* at least 1 */
    int64_t rest;    /* 0 <= rest < divisor */
} scalay_active_step;

enum { SCALAY_ACTIVE_STEPS = 16 };

/** Some times, ascending; the last one is all sizes'. Start with zeroes. */
typedef struct {
    int steps; /* 0: not made yet */
    scalay_active_step step[SCALAY_ACTIVE_STEPS];
} scalay_active_numbers;

/** Looks at a problem with n >= 1 and a size. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_active_numbers_make(const scalay_problem *problem, scalay_active_numbers *numbers);

/** A lower bound on the time of n units on exactly q processors, for the q from `first` to `last` for which it is the
 *  least; infinity: none of them is possible; 0 before numbers are made. */
double scalay_active_numbers_time(const scalay_active_numbers *numbers, int64_t first, int64_t last);

#endif
