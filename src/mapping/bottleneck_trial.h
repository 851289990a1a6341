#ifndef SCALAY_MAPPING_BOTTLENECK_TRIAL_H
#define SCALAY_MAPPING_BOTTLENECK_TRIAL_H

/** @file One test of a bottleneck problem: do so many steps suffice? */

#include "mapping/bottleneck.h"

/** A test and its outcome. */
typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    scalay_cover needs; /* covered in this test: what must be, and what has more than so many items */
    int late;           /* 1: the deadline came first, nothing has come out */
    int suffices;
    int64_t really; /* if so, what the matching really needs; otherwise, the least that the crowd leaves hope for */
    scalay_matching matching;
    scalay_crowd crowd; /* stands in the way */
} scalay_bottleneck_trial;

/** A trial; to be released with scalay_bottleneck_trial_free(), also on failure. */
scalay_status scalay_bottleneck_trial_create(const scalay_bottleneck *problem, scalay_bottleneck_trial *test);

/** Releases what a trial holds. A zeroed one is fine. */
void scalay_bottleneck_trial_free(scalay_bottleneck_trial *test);

/** Copies a crowd over the one that is there. */
scalay_status scalay_crowd_keep(const int *member, int size, int of_parts, scalay_crowd *crowd);

/** Finds who needs an edge when there are so many steps. */
void scalay_bottleneck_trial_set(scalay_bottleneck_trial *test, int64_t steps);

/** Tests so many steps, of which no row on its own needs more. */
scalay_status scalay_bottleneck_trial_run(scalay_bottleneck_trial *test, int64_t steps);

#endif
