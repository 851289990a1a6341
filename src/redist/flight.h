#ifndef SCALAY_REDIST_FLIGHT_H
#define SCALAY_REDIST_FLIGHT_H

/**
 * @file
 * Moves under way, of any number of plans.
 *
 * Buffers are small, so a move goes on only while its rank looks after it. A rank that waits for one move therefore
 * looks after all the others too: its partner may be waiting for one of those first.
 */

#include "redist/plan.h"

/** Starts the move of plan->freight. After a failure nothing is under way. */
scalay_status scalay_flight_start(scalay_plan *plan);

/** Goes on without waiting; *done tells whether all has moved. After a failure nothing is under way. */
scalay_status scalay_flight_test(scalay_plan *plan, int *done);

/** Moves the rest; nothing is under way afterwards. */
scalay_status scalay_flight_finish(scalay_plan *plan);

#endif
