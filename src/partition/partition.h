#ifndef SCALAY_PARTITION_PARTITION_H
#define SCALAY_PARTITION_PARTITION_H

/** @file What a partition is made of, and the steps on the way to one. */

#include "partition/drawing.h"
#include "partition/rounding.h"

struct scalay_partition {
    int64_t m, n;
    int parts;
    scalay_partition_objective objective;
    double *area; /* shape [parts]: in elements */
    int candidates;
    scalay_candidate *candidate; /* shape [candidates]; once the map is made, without drawings */
    int chosen;
    int least; /* the candidate with the least continuous objective; another one may have the better map */
    scalay_rounding rounding;
    scalay_multiply_cost *cost;
    double bound;
};

/** Checks what scalay_partition_create() is given; options are not NULL. */
scalay_status scalay_partition_check(int64_t m, int64_t n, int parts, const double *area,
                                     const scalay_partition_options *options);

/** Scales proportions that have been checked to elements; those that sum up to m n stay as they are. */
void scalay_partition_scale(int64_t m, int64_t n, int parts, const double *area, double *scaled);

/** A problem without the parts of area 0. */
typedef struct {
    scalay_partition_problem problem;
    scalay_partition_options options; /* the problem's */
    scalay_links links;               /* the options', renumbered */
    int *original;                    /* shape [processors of the links, at least parts]: positive areas first */
    double *area;
    double *matrix[3];
} scalay_nonempty_problem;

/** Takes the parts of area 0 out. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_nonempty_problem_create(const scalay_partition *partition, const scalay_partition_options *options,
                                             scalay_nonempty_problem *active);

/** Releases what an active problem holds; zeroed is fine. */
void scalay_nonempty_problem_free(scalay_nonempty_problem *active);

/** Gives a candidate of an active problem the numbers of all parts. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_candidate_renumber(const scalay_nonempty_problem *active, int parts, scalay_candidate *candidate);

/** What a candidate's drawing costs by the objective; infinity when it is not feasible. */
double scalay_candidate_value(const scalay_candidate *candidate, scalay_partition_objective objective);

#endif
