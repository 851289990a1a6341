#ifndef SCALAY_WORKLOAD_SOLVERS_H
#define SCALAY_WORKLOAD_SOLVERS_H

/**
 * @file
 * The exact solvers.
 */

#include "workload/problem.h"

/* ---------------------------------------------------------------------------------------------- least time */

/**
 * The least time with the fewest active processors, from at most `most` of them (problem->processors: no limit).
 * @param[in]  problem       any
 * @param[in]  most          active processors allowed, at least 0
 * @param[out] time          infinity when not feasible
 * @param[out] distribution  zeroed or used before; its old content is forgotten
 */
scalay_status scalay_solve_min_time(const scalay_problem *problem, int64_t most, double *time,
                                    scalay_distribution *distribution);

/** As scalay_solve_min_time() with exactly `active` active processors; a time above `up_to` may come out as infinity.
 */
scalay_status scalay_solve_min_time_exactly(const scalay_problem *problem, int64_t active, double up_to, double *time,
                                            scalay_distribution *distribution);

/** The largest total at most n and the smallest above n that can be distributed; -1: none. In units of the problem. */
scalay_status scalay_solve_nearest(const scalay_problem *problem, int64_t *below, int64_t *above);

/* -------------------------------------------------------------------------------------------- least energy */

/**
 * The least energy, then the fewest active processors, with sizes whose time is below a limit.
 * @param[in]  problem       has energies
 * @param[in]  time_below    a size can be assigned when its time is < time_below; infinity: all
 * @param[out] energy        in energy units; SCALAY_NO_ENERGY when not feasible
 * @param[out] active        active processors
 * @param[out] distribution  as in scalay_solve_min_time(); NULL: not wanted
 */
scalay_status scalay_solve_min_energy(const scalay_problem *problem, double time_below, int64_t *energy,
                                      int64_t *active, scalay_distribution *distribution);

/** As scalay_solve_min_energy() without a time limit, with exactly (exactly = 1) or at most `active` active ones. */
scalay_status scalay_solve_min_energy_active(const scalay_problem *problem, int64_t active, int exactly,
                                             int64_t *energy, scalay_distribution *distribution);

/** A lower bound on the least energy with q active processors, for all q: at_none - charge * q. */
typedef struct {
    double at_none; /* in energy units */
    double charge;  /* what an active processor is charged with */
} scalay_active_bound;

/** A bound that is about as good as can be for a number of active processors; several groups. *known: 1, or 0 where
 * there is none. */
scalay_status scalay_bound_min_energy_active(const scalay_problem *problem, int64_t active, scalay_active_bound *bound,
                                             int *known);

/** A point of a front in the making. */
typedef struct {
    double time;
    int64_t energy;
    int64_t active;
} scalay_point;

/**
 * The whole front of time and energy: times ascending.
 * @param[in]  problem  has energies
 * @param[in]  power    base power in energy units per second: only points where energy + power * time falls strictly;
 *                      negative: all points
 * @param[out] count    number of points
 * @param[out] point    shape [count], to be released with scalay_release()
 */
scalay_status scalay_solve_front(const scalay_problem *problem, double power, int64_t *count, scalay_point **point);

#endif
