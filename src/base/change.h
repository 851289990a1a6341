#ifndef SCALAY_BASE_CHANGE_H
#define SCALAY_BASE_CHANGE_H

/** @file When repeated calls change to a way that is faster, but takes time once: a decision, a plan, new memory. */

#include <math.h>

/** A change is expected to be used for so many times as many calls as there were before it. */
#define SCALAY_EXPECTED_REPEATS 4.0

/**
 * Returns the seconds that each call so far may lose by a change: a fifth of what a call gains by it, but at least 3%
 * of a call, and at most a tenth. Whoever stops too early loses little, and those who go on wait long for small gains
 * alone.
 * @param[in] gain  seconds that a call gains after the change; 0: not known
 * @param[in] call  seconds of a call before it
 */
static inline double scalay_most_lost(double gain, double call)
{
    return fmin(0.1 * call, fmax(0.03 * call, 0.2 * gain));
}

/**
 * Returns the calls before the one from which on something takes no time that takes some once: with it, all calls so
 * far lose no more than they may. So do those of any later time.
 * @param[in] change  seconds, once
 * @param[in] lost    seconds that each call may lose
 */
static inline double scalay_calls_before_cost(double change, double lost)
{
    return change <= 0.0 ? 0.0 : fmax(0.0, ceil(change / lost) - 1.0);
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
    return fmax(scalay_calls_before_cost(change - gain, scalay_most_lost(gain, call)),
                change / gain / SCALAY_EXPECTED_REPEATS);
}

#endif
