#ifndef SCALAY_CORE_ROWS_H
#define SCALAY_CORE_ROWS_H

/** @file Loops over rows of numbers, in the widest vector instructions of the processor that they run on. */

#include <stdint.h>

/** target[k] = min(target[k], source[k] + value) for k < count; the rows do not overlap. No value is NaN. */
void scalay_row_min_sum(double *target, const double *source, int64_t count, double value);

/** Every row[k] > most becomes infinity. */
void scalay_row_cut(double *row, int64_t count, double most);

#endif
