#ifndef SCALAY_MEASURE_MACHINE_H
#define SCALAY_MEASURE_MACHINE_H

/** @file Measurement of the machine's rates: scalay_machine_sample_measure(), declared in parallel/machine_numbers.h.
 */

#include "parallel/machine_numbers.h"

/** Returns the name of a rate in messages and files, such as "seconds_per_flop". */
const char *scalay_rate_name(int rate);

/** A rank is called busy from this fraction on. */
#define SCALAY_BUSY 0.1

#endif
