#ifndef SCALAY_DROPIN_FAILURE_H
#define SCALAY_DROPIN_FAILURE_H

/** @file Ending the program, as ScaLAPACK does when a call cannot be carried out. */

#include "dropin/call.h"

/** Prints the message of a call that failed on this process, and ends the program by way of BLACS. */
void scalay_call_abort(const scalay_call *call);

/**
 * Ends the program unless a call went well everywhere so far: the lowest process that has something to tell does so.
 * Collective over comm.
 */
void scalay_call_need_all(const scalay_call *call, const scalay_comm *comm, scalay_status status);

#endif
