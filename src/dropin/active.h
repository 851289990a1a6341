#ifndef SCALAY_DROPIN_ACTIVE_H
#define SCALAY_DROPIN_ACTIVE_H

/** @file Saying that the library is in use. */

#include "dropin/call.h"

/** With SCALAY_VERBOSE set, the first process of the first call's context prints a line about its plan, once. */
void scalay_announce(const scalay_call *call, const scalay_comm *comm, const scalay_plan *plan);

#endif
