#ifndef SCALAY_DROPIN_SCALE_H
#define SCALAY_DROPIN_SCALE_H

/** @file Scalars of s, d, c and z, and what a process does alone with one. */

#include "dropin/call.h"

/** 1 when a scalar is zero. */
int scalay_is_zero(scalay_type type, const void *scalar);

/** 1 when a scalar is one. */
int scalay_is_one(scalay_type type, const void *scalar);

/** Multiplies a window of a local array with a scalar; with zero it is not read. */
void scalay_scale(scalay_type type, const scalay_local_window *window, int64_t ld, const void *factor, void *array);

#endif
