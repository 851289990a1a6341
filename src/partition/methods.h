#ifndef SCALAY_PARTITION_METHODS_H
#define SCALAY_PARTITION_METHODS_H

/** @file The methods for any number of parts: each plants a slicing tree. */

#include "partition/slicing_tree.h"

/** Gives a tree that has leaves only its root. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
typedef scalay_status (*scalay_slicing_planter)(const scalay_shares *shares, scalay_slicing *tree);

/** Plants a tree and makes a candidate of it. */
scalay_status scalay_slicing_method(const scalay_partition_problem *problem, scalay_slicing_planter plant,
                                    scalay_candidate *candidate);

/** Makes a candidate infeasible, and says why. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_candidate_refuse(scalay_candidate *candidate, const char *format, ...) SCALAY_PRINTF(2, 3);

scalay_status scalay_slicing_columns(const scalay_shares *shares, scalay_slicing *tree);
scalay_status scalay_slicing_nagamochi_abe(const scalay_shares *shares, scalay_slicing *tree);
scalay_status scalay_slicing_recursive(const scalay_shares *shares, scalay_slicing *tree);
scalay_status scalay_slicing_recursive_best(const scalay_shares *shares, scalay_slicing *tree);

/** Recursive-best and slicing take too long for more parts than these. */
enum { SCALAY_MOST_RECURSIVE_BEST = 512, SCALAY_MOST_SLICING = 512 };

/* What scalay_partition_method_table lists. */
scalay_status scalay_draw_columns(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_nagamochi_abe(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_recursive(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_recursive_best(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_slicing(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_grid(const scalay_partition_problem *problem, scalay_candidate *candidate);

#endif
