#ifndef SCALAY_MEASURE_ADDITIVE_H
#define SCALAY_MEASURE_ADDITIVE_H

/** @file The additive method: scalay_measure_additive() with the clocks as an argument. */

#include "measure/repeat.h"

/**
 * The joint measurement, then the ranks one by one. Collective. The sample is given also when the work fails.
 * @param[in] by_host  non-zero: each host has a meter of its own, and one rank of each works at a time; 0: all share
 * one
 */
scalay_status scalay_additive_run(const scalay_repeat_task *task, int by_host, scalay_sample **sample,
                                  scalay_additive *additive);

#endif
