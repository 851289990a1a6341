#ifndef SCALAY_DROPIN_CARRY_OUT_H
#define SCALAY_DROPIN_CARRY_OUT_H

/** @file Carrying calls out. */

#include "dropin/call.h"

/**
 * Carries a call out that was read with a status; ends the program when that is an error anywhere. Collective over the
 * call's context.
 */
void scalay_call_carry_out(scalay_call *call, scalay_status status);

#endif
