#ifndef SCALAY_COUNTERS_H
#define SCALAY_COUNTERS_H

/**
 * @file
 * Counters of the processor: cycles, operations, misses, by the names that PAPI has for them.
 *
 * Machines count different things, and virtual ones few. What is not counted here is named, with the reason, and the
 * rest is counted all the same. Counters belong to the thread that makes them, and count all threads of the process, as
 * those of OpenMP and of BLAS: the ones that are there at the start, and the ones that these start until the end. What
 * is no thread's (events of memory controllers and the like) is the machine's.
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Some counters. */
typedef struct scalay_counters scalay_counters;

/**
 * Prepares counters. Not collective.
 * @param[in]  events    names separated by commas, as `papi_avail` and `papi_native_avail` print them; NULL:
 *                       "PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_DP_OPS,PAPI_L3_TCM"
 * @param[out] counters  to be released with scalay_counters_destroy(); perhaps of no event at all
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (an empty name), SCALAY_ERROR_UNSUPPORTED (ScaLAY was built without
 * PAPI, or PAPI does not run here), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_counters_create(const char *events, scalay_counters **counters);

/** The number of events that are counted; 0 for NULL. Not collective. */
SCALAY_API int scalay_counters_count(const scalay_counters *counters);

/** The name of event k, from 0 to scalay_counters_count() - 1; NULL otherwise. The counters' own. Not collective. */
SCALAY_API const char *scalay_counters_name(const scalay_counters *counters, int k);

/** The events that are not counted here, each with the reason, and then threads that are not, likewise, all of them or
 * those of the last start; "" when there is none. The counters' own, until the next start. Not collective. */
SCALAY_API const char *scalay_counters_unavailable(const scalay_counters *counters);

/**
 * The threads that were there at the last start and are counted, the calling one among them;
 * scalay_counters_unavailable() names others, such as those for which no more files can be opened (each thread takes
 * one or more). 0 before a start, or for NULL. Not collective.
 */
SCALAY_API int scalay_counters_threads(const scalay_counters *counters);

/**
 * Starts all counters from 0. Not collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (NULL, or running already), SCALAY_ERROR_UNSUPPORTED (the machine
 * refuses), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_counters_start(scalay_counters *counters);

/**
 * Stops all counters. Not collective.
 * @param[in,out] counters  running
 * @param[out]    count     shape [scalay_counters_count()]: events since the start; may be NULL when there is none
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (NULL, or not running), SCALAY_ERROR_UNSUPPORTED (the machine refuses),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_counters_stop(scalay_counters *counters, int64_t *count);

/** Releases counters and sets them to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_counters_destroy(scalay_counters **counters);

#ifdef __cplusplus
}
#endif

#endif
