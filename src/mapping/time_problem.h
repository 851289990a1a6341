#ifndef SCALAY_MAPPING_TIME_PROBLEM_H
#define SCALAY_MAPPING_TIME_PROBLEM_H

/** @file What the solvers of least time share: times as whole numbers of a unit. */

#include "mapping/solve.h"

/** The power of two that times are counted in multiples of, given the sum of the worst: 2^-exponent. @return
 * SCALAY_SUCCESS, SCALAY_ERROR_RANGE (the sum is not finite) */
scalay_status scalay_time_exponent(double sum, int *exponent);

/** A time in units of 2^-exponent. */
int64_t scalay_time_in_units(double time, int exponent);

/** SCALAY_ERROR_ARGUMENT for a link cost that is negative or not finite. */
scalay_status scalay_time_check_link(double link, int from, int to);

/**
 * Fills time, its bound, proof and certificate of a mapping in.
 * @param[in]     worst       shape [parts], in units: what is saved on a process is the worst less what a part costs
 * there
 * @param[in,out] assignment  of savings, its duals feasible; they become the mapping's
 * @param[in]     time        of the mapping, which has its processes
 */
void scalay_time_settle(const int64_t *worst, int exponent, scalay_assignment *assignment, double time,
                        scalay_mapping *mapping);

/** Solves for scalay_node_link_cost() without a matrix of processes and parts; the rest as in
 * scalay_problem_solve_time(). */
scalay_status scalay_problem_solve_nodes(const scalay_mapping_problem *problem, scalay_mapping *mapping);

#endif
