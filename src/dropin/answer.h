#ifndef SCALAY_DROPIN_ANSWER_H
#define SCALAY_DROPIN_ANSWER_H

/** @file Answering calls: finding or creating the plan, and executing it. */

#include "dropin/call.h"

/**
 * Answers a call that was read with a status. Ends the program if the status is an error on any process. Collective
 * over the context of the call. Collectives: 1 if a plan is found or the call is left to ScaLAPACK; at most 3 for a new
 * plan; at most 8 in a context over new processes.
 */
void scalay_call_answer(scalay_call *call, scalay_status status);

/** If SCALAY_VERBOSE is set, the first process of the context of the first call prints a line about its plan, once.
 *  plan is NULL if the call is left to ScaLAPACK. */
void scalay_announce(const scalay_call *call, MPI_Comm mpi, const scalay_plan *plan);

#endif
