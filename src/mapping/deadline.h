#ifndef SCALAY_MAPPING_DEADLINE_H
#define SCALAY_MAPPING_DEADLINE_H

/** @file When to stop: a time of the processor. */

#include <time.h>

/** The processor seconds of this process at which to stop; 0: never; negative: at once. */
typedef double scalay_deadline;

/** So many seconds from now on; 0: never. What the clock cannot tell from nothing is over at once, on every process. */
static inline scalay_deadline scalay_deadline_in(double seconds)
{
    if (seconds > 0.0 && seconds * CLOCKS_PER_SEC < 1.0) return -1.0;
    return seconds > 0.0 ? (double)clock() / CLOCKS_PER_SEC + seconds : 0.0;
}

/** Whether it is time to stop. */
static inline int scalay_deadline_passed(scalay_deadline deadline)
{
    return deadline < 0.0 || (deadline > 0.0 && (double)clock() / CLOCKS_PER_SEC >= deadline);
}

#endif
