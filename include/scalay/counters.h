#ifndef SCALAY_COUNTERS_H
#define SCALAY_COUNTERS_H

/**
 * @file
 * Hardware counters: cycles, operations, cache misses, and other events by their names in PAPI.
 *
 * Machines count different events, and virtual machines few. An event that cannot be counted is listed with the reason,
 * and the other events are counted. Counters belong to the thread that creates them. They count all threads of the
 * process: the threads that exist at the start, such as those of OpenMP and BLAS, and the threads that these start
 * later. Events of the whole machine, such as those of memory controllers, are not per thread.
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A set of counters. */
typedef struct scalay_counters scalay_counters;

/**
 * Creates counters. Not collective.
 * @param[in]  events    names separated by commas, as printed by `papi_avail` and `papi_native_avail`; NULL:
 *                       "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_DP_OPS,PAPI_L3_TCM"
 * @param[out] counters  to be released with scalay_counters_destroy(). The number of events can be 0
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an empty name), SCALAY_ERROR_UNSUPPORTED (ScaLAY was built without
 *         PAPI, or PAPI does not work on this machine), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_counters_create(const char *events, scalay_counters **counters);

/** Properties of counters. The texts are owned by the counters. */
typedef struct {
    int count;               /**< number of events that are counted */
    int threads;             /**< number of threads that were counted at the last start, including the calling thread; 0
                                  before the first start */
    const char *const *name; /**< shape [count]: names of the events */
    const char *unavailable; /**< events and threads that cannot be counted, with the reasons; "": none. Valid until the
                                  next start. A thread can be refused because it needs open files */
} scalay_counters_summary;

/**
 * Returns the properties of counters. Not collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_counters_get_summary(const scalay_counters *counters, scalay_counters_summary *summary);

/**
 * Starts all counters at 0. Not collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (NULL, or already running), SCALAY_ERROR_UNSUPPORTED (refused by the
 *         machine), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_counters_start(scalay_counters *counters);

/**
 * Stops all counters. Not collective.
 * @param[in,out] counters  running counters
 * @param[out]    count     shape [number of events]: counts since the start; NULL is allowed if there are no events
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (NULL, or not running), SCALAY_ERROR_UNSUPPORTED (refused by the
 *         machine), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_counters_stop(scalay_counters *counters, int64_t *count);

/** Releases counters and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_counters_destroy(scalay_counters **counters);

#ifdef __cplusplus
}
#endif

#endif
