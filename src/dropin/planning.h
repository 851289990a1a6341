#ifndef SCALAY_DROPIN_PLANNING_H
#define SCALAY_DROPIN_PLANNING_H

/** @file The plan for a call. */

#include "dropin/call.h"

/**
 * Compares what the processes were given, tells those outside of a grid what they need, and plans. Collective. Ends the
 * program when the processes were given different things, or something that cannot be planned.
 * @param[in,out] call      a call that every process has read without an error
 * @param[in]     comm      the processes of its context
 * @param[in]     in_place  1: the arrays share memory
 * @return to be released with scalay_plan_destroy()
 */
scalay_plan *scalay_call_plan(scalay_call *call, scalay_comm *comm, int in_place);

/** Whether the plan for a call is worth its memory until the next: one in place can hold all that it moves. The same on
 *  all processes. */
int scalay_call_keeps_plan(const scalay_call *call, int in_place);

#endif
