#ifndef SCALAY_MAPPING_DEADLINE_H
#define SCALAY_MAPPING_DEADLINE_H

/** @file When to stop: a time of the processor. */

#include <time.h>

/** The processor seconds of this process at which to stop; 0: never. */
typedef double scalay_deadline;

/** So many seconds from now on; 0: never. */
static inline scalay_deadline scalay_deadline_in(double seconds)
{
    return seconds > 0.0 ? (double)clock() / CLOCKS_PER_SEC + seconds : 0.0;
}

/** Whether it is time to stop. */
static inline int scalay_deadline_passed(scalay_deadline deadline)
{
    return deadline > 0.0 && (double)clock() / CLOCKS_PER_SEC >= deadline;
}

#endif
