#ifndef SCALAY_WORKLOAD_MIN_ENERGY_ROWS_H
#define SCALAY_WORKLOAD_MIN_ENERGY_ROWS_H

/**
 * @file
 * Rows of costs. Narrow costs are integers in doubles, exact up to 2^52, for which every processor has vector
 * instructions; whole ones are integers of 64 bits, for which some have a few; wide ones are integers of 128 bits.
 */

#include <math.h>

#include "base/integer.h"
#include "base/rows.h"

/** Doubles hold integers exactly up to here, and sums of two. */
#define SCALAY_NARROW_COST 0x1p52

/** Whole costs are exact up to here. */
#define SCALAY_WHOLE_COST 0x1p60

/** More than any whole cost; twice that fits. */
#define SCALAY_NO_WHOLE_COST (INT64_C(1) << 61)

/** More than any wide cost; twice that fits. */
#define SCALAY_NO_WIDE_COST ((scalay_wide)1 << 124)

/** target[k] = min(target[k], source[k] + cost). */
static inline void improve_narrow(double *target, const double *source, int64_t count, double cost)
{
    scalay_row_min_sum(target, source, count, cost);
}

/** The same for whole costs. */
static inline void improve_whole(int64_t *target, const int64_t *source, int64_t count, int64_t cost)
{
    scalay_row_min_sum_int64(target, source, count, cost);
}

/** The same for wide costs. */
static inline void improve_wide(scalay_wide *target, const scalay_wide *source, int64_t count, scalay_wide cost)
{
    for (int64_t k = 0; k < count; k++)
        if (source[k] + cost < target[k]) target[k] = source[k] + cost;
}

/** Forgets what is over the budget. */
static inline void cut_narrow(double *row, int64_t count, double budget)
{
    scalay_row_discard_above(row, count, budget);
}

/** The same for whole costs. */
static inline void cut_whole(int64_t *row, int64_t count, int64_t budget)
{
    scalay_row_discard_above_int64(row, count, budget, SCALAY_NO_WHOLE_COST);
}

/** The same for wide costs. */
static inline void cut_wide(scalay_wide *row, int64_t count, scalay_wide budget)
{
    for (int64_t k = 0; k < count; k++)
        if (row[k] > budget) row[k] = SCALAY_NO_WIDE_COST;
}

#endif
