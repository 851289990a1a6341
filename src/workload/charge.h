#ifndef SCALAY_WORKLOAD_CHARGE_H
#define SCALAY_WORKLOAD_CHARGE_H

/** @file The best number of processors when communication costs something. */

#include "workload/solvers.h"

/** What is charged for. */
typedef struct {
    int64_t taking_part; /* processors */
    double communication;
} scalay_charge;

/**
 * The least time or energy plus communication; of equal ones that with the fewest processors taking part, then the
 * fewest active ones.
 *
 * Best first: sets of numbers of processors are halved while a lower bound on what they can come to is the least of
 * all. A distribution is made only for the numbers of processors whose bound is below the best total, the bound being
 * that of the largest share somebody gets, and for energies of several groups also that of active processors that are
 * charged for: a line for all numbers, drawn where the bound is least, as long as that raises it.
 * @param[in]  function      in whose name to fail
 * @param[in]  problem       with energies when the energy is wanted
 * @param[in]  n             in the caller's units
 * @param[in]  options       with a communication cost
 * @param[in]  energy        0: the time; 1: the energy
 * @param[out] charge        what it comes to
 * @param[out] distribution  zeroed or used before
 * @return SCALAY_SUCCESS and the errors of scalay_cost_list_create()
 */
scalay_status scalay_solve_charged(const char *function, const scalay_problem *problem, int64_t n,
                                   const scalay_workload_options *options, int energy, scalay_charge *charge,
                                   scalay_distribution *distribution);

#endif
