#ifndef SCALAY_BASE_MEMORY_H
#define SCALAY_BASE_MEMORY_H

/** @file The allocator: overflow-checked, counted, and able to fail on purpose in tests. Safe to use from threads. */

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** count * size zeroed bytes; never NULL for a count of 0; NULL when there is no memory or the product overflows. */
void *scalay_allocate(int64_t count, size_t size);

/** As scalay_allocate, but what is in the bytes is not set. */
void *scalay_allocate_unset(int64_t count, size_t size);

/** Changes the extent of an array from scalay_allocate; new elements are not zeroed; on failure NULL, and it stays. */
void *scalay_reallocate(void *array, int64_t count, size_t size);

/** Releases an array from scalay_allocate; NULL is fine. */
void scalay_release(void *array);

/** Allocates `pointer = array of count elements`; evaluates to a status: SCALAY_TRY(SCALAY_NEW(p, n)). */
#define SCALAY_NEW(pointer, count)                                                                                     \
    (((pointer) = scalay_allocate((count), sizeof *(pointer))) != NULL                                                 \
         ? SCALAY_SUCCESS                                                                                              \
         : scalay_no_memory(__func__, #pointer, (count), sizeof *(pointer)))

/** The failure of SCALAY_NEW. */
scalay_status scalay_no_memory(const char *function, const char *what, int64_t count, size_t size);

/**
 * Doubles the capacity of a growing array until it holds `needed` elements; evaluates to a status. The array may be
 * NULL with a capacity of 0.
 */
#define SCALAY_GROW(pointer, capacity, needed)                                                                         \
    ((needed) <= (capacity) ? SCALAY_SUCCESS                                                                           \
                            : scalay_grow((void *)&(pointer), &(capacity), (needed), sizeof *(pointer)))

/** The work of SCALAY_GROW; `array` points to the pointer. */
scalay_status scalay_grow(void *array, int64_t *capacity, int64_t needed, size_t size);

/** Arrays allocated and not yet released. */
int64_t scalay_memory_live(void);

/** Bytes allocated and not yet released. */
int64_t scalay_memory_bytes(void);

/** The most bytes there have been since the last scalay_memory_reset_peak(). */
int64_t scalay_memory_peak(void);

/** Lets the peak start again from what is allocated now. */
void scalay_memory_reset_peak(void);

/**
 * Lets the process keep the memory that it releases, where the C library can be told so. For programs that time one
 * run after the other: otherwise a run pays for fresh pages, or not, depending on what the run before has released.
 */
void scalay_memory_keep_released(void);

/** For tests: the n-th allocation from now on (1 is the next) fails, once; 0 switches that off. */
void scalay_memory_fail_at(int64_t n);

/** For tests: allocations asked for since the last scalay_memory_fail_at(). */
int64_t scalay_memory_requests(void);

#endif
