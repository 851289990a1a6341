#ifndef SCALAY_WORKLOAD_UNIT_ENERGY_H
#define SCALAY_WORKLOAD_UNIT_ENERGY_H

/** @file A problem with an energy of 1 per active processor: the least energy is the fewest active ones. */

#include "workload/min_time.h"

/** Such a problem, made when it is first asked for. */
typedef struct {
    const scalay_problem *original;
    scalay_problem problem;
    int64_t *energy; /* of all groups */
} scalay_unit_energy;

/** Starts; nothing is allocated. */
void scalay_unit_energy_begin(scalay_unit_energy *unit_energy, const scalay_problem *original);

/** Releases the memory. */
void scalay_unit_energy_free(scalay_unit_energy *unit_energy);

/**
 * Is there a distribution within a time?
 * @param[in]  limit         of the active processors
 * @param[out] distribution  with the fewest active ones when the limit is "at most"; NULL: not wanted
 */
scalay_status scalay_unit_energy_test(scalay_unit_energy *unit_energy, double time, scalay_active_limit limit,
                                      int *feasible, scalay_distribution *distribution);

#endif
