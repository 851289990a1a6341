#ifndef SCALAY_MAPPING_DEADLINE_H
#define SCALAY_MAPPING_DEADLINE_H

/** @file CPU time limits of searches. */

#include <time.h>

/** CPU time of this process, in seconds, at which to stop; 0: no limit; negative: stop at once. */
typedef double scalay_deadline;

/** Returns the CPU time of this process, in seconds. */
static inline double scalay_deadline_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/** Returns the deadline after a number of seconds; 0: no limit. A budget below the resolution of the clock ends at
 * once, so that all processes stop alike. */
static inline scalay_deadline scalay_deadline_in(double seconds)
{
    if (seconds > 0.0 && seconds * CLOCKS_PER_SEC < 1.0) return -1.0;
    return seconds > 0.0 ? scalay_deadline_clock() + seconds : 0.0;
}

/** Returns a deadline that is earlier by a number of seconds, if there is one. */
static inline scalay_deadline scalay_deadline_earlier(scalay_deadline deadline, double seconds)
{
    if (deadline <= 0.0) return deadline;
    return deadline > seconds ? deadline - seconds : -1.0;
}

/** Returns 1 if the deadline has passed. */
static inline int scalay_deadline_passed(scalay_deadline deadline)
{
    return deadline < 0.0 || (deadline > 0.0 && scalay_deadline_clock() >= deadline);
}

#endif
