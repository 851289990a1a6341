#ifndef SCALAY_FACTOR_GRID_CHOICE_H
#define SCALAY_FACTOR_GRID_CHOICE_H

/** @file Choices of grid jobs, and the predicted times that they are made from. */

#include "factor/grid_job.h"

/** Returns the seconds of the first access to so many bytes of new memory. */
static inline double scalay_grid_request_page_seconds(const scalay_grid_request *request, double bytes)
{
    const double seconds = request->page_seconds > 0.0 ? request->page_seconds : SCALAY_TYPICAL_PAGE_SECONDS;
    return bytes / 4096.0 * seconds;
}

/** Returns the seconds by which another place must be predicted to be faster than staying, with measured rates. Of 174
 *  factorisations of order 64 to 1024, no other limit had fewer wrong choices. */
static inline double scalay_least_gain(const scalay_machine *machine)
{
    return machine != NULL ? 5e-6 : 0.0;
}

/** Returns the nanoseconds that a call may measure the machine (scalay_machine_numbers_get()): 0.5 s, and 10% of the
 *  time of the routine on a typical machine. Not collective. */
int64_t scalay_grid_request_time_limit(const scalay_comm *comm, const scalay_grid_request *request);

/** Returns the seconds that the new pages of a copy of the matrix take. Local. */
double scalay_grid_job_copy_seconds(const scalay_grid_job *job, const scalay_grid_request *r);

/** Returns the seconds by which the first call that moves takes longer than later ones. */
double scalay_grid_first_move_seconds(const scalay_grid_job *job, const scalay_grid_request *r);

/** Returns the seconds in which one execution of a plan begins and ends, besides those that scalay_model_move() has.
 *  `machine`: NULL without measured rates. */
double scalay_grid_move_start(const scalay_machine *machine);

/**
 * Chooses whether the job stays, and predicts staying and the best grid. Not collective; the same on every rank.
 * @param[out] stays  1: the routine runs in the layout of the caller
 */
scalay_status scalay_grid_choose_placement(scalay_grid_job *job, const scalay_grid_request *r, int *stays);

/** Returns 1 if calls may stay before a way is chosen: the caller leaves the choice to predictions, and gives no rates.
 *  The same on every rank. */
int scalay_grid_may_wait(const scalay_grid_request *r);

/** Sets job->undecided_nanoseconds, and predicts staying on a typical machine. Not collective; the same on every
 *  rank. */
scalay_status scalay_grid_wait_for_choice(scalay_grid_job *job);

/** Sets the target layout of a job that moves, on the processes that a mapping chooses. Not collective. */
scalay_status scalay_grid_choose_processes(scalay_grid_job *job, const scalay_grid_request *r);

#endif
