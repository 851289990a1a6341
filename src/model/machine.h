#ifndef SCALAY_MODEL_MACHINE_H
#define SCALAY_MODEL_MACHINE_H

/** @file What every model asks of a machine and of an element type. */

#include "scalay/model.h"

/** The caller's machine, or the typical one for NULL. */
scalay_machine scalay_machine_or_typical(const scalay_machine *machine);

/** 1 when the rates are finite and none is negative. */
int scalay_machine_is_valid(const scalay_machine *machine);

/** Seconds of one operation on elements of a type in units of one on doubles; 0 when the type has no arithmetic. */
double scalay_type_flop_weight(scalay_type type);

#endif
