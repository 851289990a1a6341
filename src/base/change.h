#ifndef SCALAY_BASE_CHANGE_H
#define SCALAY_BASE_CHANGE_H

/** @file When repeated calls change to a way that is faster, but takes time once: a decision, a plan, new memory. */

#include <math.h>

/** A change is expected to be used for so many times as many calls as there were before it. */
#define SCALAY_EXPECTED_REPEATS 4.0

/** All calls so far take longer by this fraction at most because of a change. */
#define SCALAY_MOST_LOST 0.03

/**
 * Returns the calls before the one from which on something takes no time that takes some once: with it, all calls so
 * far take longer by SCALAY_MOST_LOST at most. So do those of any later time.
 * @param[in] change  seconds, once
 * @param[in] call    seconds of a call
 */
static inline double scalay_calls_before_cost(double change, double call)
{
    return change <= 0.0 ? 0.0 : fmax(0.0, ceil(change / (SCALAY_MOST_LOST * call)) - 1.0);
}

/**
 * Returns the calls before the one that changes: scalay_calls_before_cost(), and as many as it takes until the calls
 * that are expected to follow gain what the change takes.
 * @param[in] change  seconds that the change takes
 * @param[in] gain    seconds that a call gains after the change, the one that changes included
 * @param[in] call    seconds of a call before it
 */
static inline double scalay_calls_before_change(double change, double gain, double call)
{
    if (change <= gain) return 0.0;
    if (gain <= 0.0) return INFINITY;
    return fmax(scalay_calls_before_cost(change - gain, call), change / gain / SCALAY_EXPECTED_REPEATS);
}

#endif
