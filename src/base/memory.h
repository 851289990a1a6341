#ifndef SCALAY_BASE_MEMORY_H
#define SCALAY_BASE_MEMORY_H

/** @file Memory allocator: checks for overflow, counts arrays and bytes, and injects failures in tests. Thread-safe. */

#include <stddef.h>
#include <stdint.h>

#include "base/integer.h"
#include "base/status.h"
#include "scalay/export.h"

/** Bytes of a cache line. */
#define SCALAY_LINE_BYTES 64.0

/** Columns whose distance is a multiple of so many bytes compete for few of the sets of a cache, which are powers of 2.
 */
enum { SCALAY_SET_BYTES = 512 };

/** Allocates count * size zeroed bytes. Returns NULL if memory is exhausted or the product overflows, and never NULL
 * for a count of 0. Arrays of 64 KiB to 2 MiB get their pages at once: page faults one by one take up to 20 times as
 * long on virtual machines. Larger arrays ask for huge pages. */
void *scalay_allocate(int64_t count, size_t size);

/** Allocates like scalay_allocate(). The bytes are not initialised. Arrays of 1 MiB and more get a huge page if their
 * small pages would take longer. */
void *scalay_allocate_unset(int64_t count, size_t size);

/** Allocates memory of at least `bytes` bytes for a copy of a matrix, with all its pages, not initialised: in huge
 * pages if small ones take longer. Small pages are used for up to 8 MiB if the host of a virtual machine may have to
 * give the memory first, and for a rest of at most 256 KiB. Released as the others; base/kept_memory.h keeps such
 * memory. */
void *scalay_allocate_copy(int64_t bytes);

/** Returns the bytes that scalay_allocate_copy() would allocate. */
int64_t scalay_memory_size_of_copy(int64_t bytes);

/** Returns the bytes of an array from scalay_allocate(). */
int64_t scalay_memory_size(const void *array);

/** Gives memory its pages at once, if the system can do that. What is in the memory does not change. */
void scalay_memory_populate(void *memory, int64_t bytes);

/** Bytes of a huge page. */
enum { SCALAY_HUGE_PAGE = 2 << 20 };

/** Returns the bytes of whole huge pages. */
static inline int64_t scalay_round_to_huge_pages(int64_t bytes)
{
    return scalay_ceil_div(bytes, SCALAY_HUGE_PAGE) * SCALAY_HUGE_PAGE;
}

/** Pages of 4 KiB are slow if the first access takes longer. Physical machines need a tenth. */
#define SCALAY_SLOW_PAGE_SECONDS 2e-6

/** Pages of 4 KiB that are slow are at hand in a virtual machine if the first access takes less. The host may have to
 * give the memory of a huge one first, which takes 5 to 11 ms; as many small ones take 1 to 2 ms. */
#define SCALAY_HOST_PAGE_SECONDS 8e-6

/** Bytes up to which new memory may have small pages although they are slow. Routines on 16 MiB of small pages
 * take 1.15 times as long; on 8 MiB they do not. */
#define SCALAY_MOST_SMALL_BYTES (8 << 20)

/** Returns 1 if new memory has small pages although they are slow. */
static inline int scalay_prefers_small_pages(double page_seconds, double bytes)
{
    return bytes <= SCALAY_MOST_SMALL_BYTES && page_seconds >= SCALAY_SLOW_PAGE_SECONDS &&
           page_seconds < SCALAY_HOST_PAGE_SECONDS;
}

/** Returns the bytes of the pages that new shared memory gets: whole huge ones, if it has those. */
static inline double scalay_bytes_of_shared_pages(double page_seconds, double bytes)
{
    const int is_small = page_seconds < SCALAY_SLOW_PAGE_SECONDS || scalay_prefers_small_pages(page_seconds, bytes);
    return is_small ? bytes : (double)scalay_round_to_huge_pages((int64_t)bytes);
}

/** Seconds of the first access to a page of 4 KiB where they are not measured. */
#define SCALAY_TYPICAL_PAGE_SECONDS 2.5e-7

/** Returns the seconds of the first access to a page of 4 KiB. The first call in a process takes the median of 5. */
SCALAY_API double scalay_memory_page_seconds(void);

/** Resizes an array. New elements are not initialised. Returns NULL on failure, and the array stays valid. */
void *scalay_reallocate(void *array, int64_t count, size_t size);

/** Releases an array from scalay_allocate(). NULL is allowed. */
void scalay_release(void *array);

/** Leaves an array from scalay_allocate() to somebody who may still use it. It is not counted any more, and never
 * released. NULL is allowed. */
void scalay_memory_leave(void *array);

/** Allocates an array of `count` elements for `pointer`. Evaluates to a status: SCALAY_TRY(SCALAY_NEW(p, n)). */
#define SCALAY_NEW(pointer, count)                                                                                     \
    (((pointer) = scalay_allocate((count), sizeof *(pointer))) != NULL                                                 \
         ? SCALAY_SUCCESS                                                                                              \
         : scalay_no_memory(__func__, #pointer, (count), sizeof *(pointer)))

/** As SCALAY_NEW, by scalay_allocate_unset(): the elements are not initialised. */
#define SCALAY_NEW_UNSET(pointer, count)                                                                               \
    (((pointer) = scalay_allocate_unset((count), sizeof *(pointer))) != NULL                                           \
         ? SCALAY_SUCCESS                                                                                              \
         : scalay_no_memory(__func__, #pointer, (count), sizeof *(pointer)))

/** Fails with SCALAY_ERROR_MEMORY. `name` is that of the array. */
scalay_status scalay_no_memory(const char *function, const char *name, int64_t count, size_t size);

/** Doubles the capacity of an array until it holds `needed` elements. Evaluates to a status. NULL with a capacity of 0
 * is an empty array. */
#define SCALAY_GROW(pointer, capacity, needed)                                                                         \
    ((needed) <= (capacity) ? SCALAY_SUCCESS                                                                           \
                            : scalay_grow((void *)&(pointer), &(capacity), (needed), sizeof *(pointer)))

/** Implements SCALAY_GROW. `array` points to the pointer. */
scalay_status scalay_grow(void *array, int64_t *capacity, int64_t needed, size_t size);

/** Returns the number of arrays that are allocated. */
int64_t scalay_memory_live(void);

/** Returns the number of bytes that are allocated. */
int64_t scalay_memory_bytes(void);

/** Returns the maximum of scalay_memory_bytes() since the last scalay_memory_reset_peak(). */
int64_t scalay_memory_peak(void);

/** Sets the peak to the bytes that are allocated now. */
void scalay_memory_reset_peak(void);

/**
 * Keeps released memory in the process, if the C library is glibc. For programs that time consecutive runs: otherwise
 * the time of a run depends on whether the run before returned its pages to the system.
 */
void scalay_memory_keep_released(void);

/**
 * Lets the C library keep what routines of other libraries release and request again in each call, up to 16 MiB.
 * glibc returns what is free at the end of the heap to the system if it exceeds 128 KiB, and then each call gets new
 * pages. The limit is twice the largest mapped block that was released: a block of 8 MiB is requested, and released
 * untouched. Limits that the program sets remain. Once per process. Thread-safe.
 */
void scalay_memory_keep_buffers(void);

/** For tests: makes the n-th allocation from now on fail once; 1 is the next one, 0 none. */
void scalay_memory_fail_at(int64_t n);

/** For tests: returns the number of allocations since the last scalay_memory_fail_at(). */
int64_t scalay_memory_requests(void);

#endif
