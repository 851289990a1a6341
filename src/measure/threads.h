#ifndef SCALAY_MEASURE_THREADS_H
#define SCALAY_MEASURE_THREADS_H

/** @file The threads of this process, by the numbers that the system has for them. */

#include <stdint.h>

#include "base/status.h"

/** A list of numbers. */
typedef struct {
    int64_t *number; /* to be released with scalay_release() */
    int64_t count;
    int64_t room;
} scalay_thread_list;

/** All threads but the calling one; none where the system does not tell. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_find_threads(scalay_thread_list *list);

/** 1 when this process has such a thread, 0 when it is over. */
int scalay_thread_is_there(int64_t number);

#endif
