#ifndef SCALAY_PARTITION_PARTITION_H
#define SCALAY_PARTITION_PARTITION_H

/** @file The partition object. */

#include "partition/methods.h"
#include "partition/rounding.h"

struct scalay_partition {
    int64_t m, n;
    int parts;
    scalay_partition_objective objective;
    double *area; /* shape [parts]: in elements */
    int candidates;
    scalay_candidate *candidate; /* shape [candidates]; the drawings are released after rounding */
    int chosen;
    int best_drawing; /* the candidate with the least objective for the real-valued areas */
    scalay_rounding rounding;
    scalay_multiply_cost *cost;
    double bound;
};

/** Returns the objective of a candidate's drawing; infinity if the candidate is infeasible. */
double scalay_candidate_value(const scalay_candidate *candidate, scalay_partition_objective objective);

#endif
