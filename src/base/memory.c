/* Memory allocator. The size of each array is stored in front of it, so that live bytes and their peak are known. */

#define _DEFAULT_SOURCE /* madvise, clock_gettime */

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/compare.h"

enum { SMALL_PAGE = 4096, POPULATED = 64 << 10, LEAST_HUGE = 1 << 20, SMALL_REST = SCALAY_HUGE_PAGE / 8 };

/* Header in front of each array, padded so that the array is aligned for every type. */
typedef union {
    int64_t bytes;
    max_align_t align;
} block_header;

static _Atomic int64_t live_arrays;
static _Atomic int64_t live_bytes;
static _Atomic int64_t peak_bytes;
static _Atomic int64_t requests;
static _Atomic int64_t failing_request;

static int request_fails(void)
{
    int64_t number = atomic_fetch_add(&requests, 1) + 1;
    return number == atomic_load(&failing_request);
}

static void count_bytes(int64_t bytes)
{
    int64_t now = atomic_fetch_add(&live_bytes, bytes) + bytes;
    int64_t peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now)) continue;
}

/* Returns the bytes of an array with its header; -1 on overflow. */
static int64_t block_bytes(int64_t count, size_t size)
{
    const int64_t header = (int64_t)sizeof(block_header);
    if (count < 0 || size == 0 || size > (size_t)INT64_MAX) return -1;
    if (count > (INT64_MAX - header) / (int64_t)size || (uint64_t)(count * (int64_t)size + header) > SIZE_MAX)
        return -1;
    return count * (int64_t)size + header;
}

/* Counts a new block of `bytes` bytes. Returns its array; NULL for NULL. */
static void *enter_block(block_header *block, int64_t bytes)
{
    if (block == NULL) return NULL;
    block->bytes = bytes;
    atomic_fetch_add(&live_arrays, 1);
    count_bytes(bytes);
    return block + 1;
}

void scalay_memory_populate(void *memory, int64_t bytes)
{
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + (uintptr_t)bytes) / page * page;
    if (begin < end) (void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#else
    (void)memory;
    (void)bytes;
#endif
}

/* Asks for huge pages within a block: they save page faults and misses of the TLB. What is before the first and behind
 * the last of them gets its pages at once, and so does a smaller block of at least POPULATED bytes. */
static void *prepare_pages(void *block, int64_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (block == NULL || bytes < POPULATED) return block;
    char *const start = block;
    const int64_t begin = (int64_t)(SCALAY_HUGE_PAGE - (uintptr_t)block % SCALAY_HUGE_PAGE) % SCALAY_HUGE_PAGE;
    const int64_t end = bytes - (int64_t)(((uintptr_t)block + (uintptr_t)bytes) % SCALAY_HUGE_PAGE);
    if (begin >= end) {
        scalay_memory_populate(start, bytes);
        return block;
    }
    (void)madvise(start + begin, (size_t)(end - begin), MADV_HUGEPAGE);
    scalay_memory_populate(start, begin);
    scalay_memory_populate(start + end, bytes - end);
#else
    (void)bytes;
#endif
    return block;
}

#if defined(__linux__) && defined(MAP_ANONYMOUS)
static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Median seconds of the first access to a page of 4 KiB; typical ones if that cannot be measured. One access may wait
 * for a core that another process has, which takes a thousand times as long. */
static double measure_pages(void)
{
    enum { PAGES = 5, BYTES = PAGES * SMALL_PAGE };
    double seconds[PAGES];
    volatile char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return SCALAY_TYPICAL_PAGE_SECONDS;
    for (int k = 0; k < PAGES; k++) {
        const double began = seconds_now();
        pages[k * SMALL_PAGE] = 1;
        seconds[k] = seconds_now() - began;
    }
    (void)munmap((void *)(uintptr_t)pages, BYTES);
    qsort(seconds, PAGES, sizeof *seconds, scalay_compare_doubles);
    return seconds[PAGES / 2] > 0.0 ? seconds[PAGES / 2] : SCALAY_TYPICAL_PAGE_SECONDS;
}
#else
static double measure_pages(void)
{
    return SCALAY_TYPICAL_PAGE_SECONDS;
}
#endif

double scalay_memory_page_seconds(void)
{
    static _Atomic double known;
    double seconds = atomic_load(&known);
    if (seconds > 0.0) return seconds;
    seconds = measure_pages();
    atomic_store(&known, seconds);
    return seconds;
}

void *scalay_allocate(int64_t count, size_t size)
{
    int64_t bytes = block_bytes(count, size);
    if (bytes < 0 || request_fails()) return NULL;
    return enter_block(prepare_pages(calloc(1, (size_t)bytes), bytes), bytes);
}

/* A block of huge pages, which it gets when they are used. A rest behind the last whole one has small pages. */
static void *allocate_huge(int64_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    void *block = NULL;
    if (posix_memalign(&block, SCALAY_HUGE_PAGE, (size_t)bytes) != 0) return NULL;
    (void)madvise(block, (size_t)(bytes - bytes % SCALAY_HUGE_PAGE), MADV_HUGEPAGE);
    return block;
#else
    return malloc((size_t)bytes);
#endif
}

/* Whether small pages take longer than to clear a huge one. */
static int prefers_huge_pages(int64_t bytes)
{
    const double huge_page_seconds = 1e-4;
    return bytes >= SCALAY_HUGE_PAGE || (double)(bytes / SMALL_PAGE) * scalay_memory_page_seconds() > huge_page_seconds;
}

static void *allocate_unset(int64_t bytes)
{
    if (bytes >= LEAST_HUGE && prefers_huge_pages(bytes)) return allocate_huge(scalay_round_to_huge_pages(bytes));
    return prepare_pages(malloc((size_t)bytes), bytes);
}

void *scalay_allocate_unset(int64_t count, size_t size)
{
    int64_t bytes = block_bytes(count, size);
    return bytes < 0 || request_fails() ? NULL : enter_block(allocate_unset(bytes), bytes);
}

/* Whether the block of a copy has huge pages: if small ones take longer. */
static int has_huge_pages(int64_t block)
{
    return block >= POPULATED && block <= INT64_MAX - SCALAY_HUGE_PAGE && prefers_huge_pages(block) &&
           !scalay_prefers_small_pages(scalay_memory_page_seconds(), (double)block);
}

/* Bytes of the block of a copy: whole huge pages, if it has those. A small rest behind them has small pages: a copy of
 * 2^k elements and some lines between its columns would need nearly a huge page more. */
static int64_t copy_bytes(int64_t bytes)
{
    const int64_t block = block_bytes(bytes, 1);
    if (!has_huge_pages(block)) return block;
    const int has_small_rest = block >= SCALAY_HUGE_PAGE && block % SCALAY_HUGE_PAGE <= SMALL_REST;
    return has_small_rest ? block : scalay_round_to_huge_pages(block);
}

int64_t scalay_memory_size_of_copy(int64_t bytes)
{
    return copy_bytes(bytes) - (int64_t)sizeof(block_header);
}

void *scalay_allocate_copy(int64_t bytes)
{
    const int64_t block = copy_bytes(bytes);
    if (block < 0 || request_fails()) return NULL;
    void *const copy = enter_block(has_huge_pages(block) ? allocate_huge(block) : malloc((size_t)block), block);
    if (copy != NULL) scalay_memory_populate(copy, bytes);
    return copy;
}

int64_t scalay_memory_size(const void *array)
{
    return ((const block_header *)array - 1)->bytes - (int64_t)sizeof(block_header);
}

void *scalay_reallocate(void *array, int64_t count, size_t size)
{
    if (array == NULL) return scalay_allocate(count, size);
    int64_t bytes = block_bytes(count, size);
    if (bytes < 0 || request_fails()) return NULL;
    block_header *block = (block_header *)array - 1;
    int64_t before = block->bytes;
    block = realloc(block, (size_t)bytes);
    if (block == NULL) return NULL;
    block->bytes = bytes;
    count_bytes(bytes - before);
    return block + 1;
}

void scalay_release(void *array)
{
    if (array == NULL) return;
    block_header *block = (block_header *)array - 1;
    atomic_fetch_sub(&live_arrays, 1);
    atomic_fetch_sub(&live_bytes, block->bytes);
    free(block);
}

void scalay_memory_leave(void *array)
{
    if (array == NULL) return;
    block_header *block = (block_header *)array - 1;
    atomic_fetch_sub(&live_arrays, 1);
    atomic_fetch_sub(&live_bytes, block->bytes);
}

scalay_status scalay_no_memory(const char *function, const char *name, int64_t count, size_t size)
{
    return scalay_fail(SCALAY_ERROR_MEMORY, function, "no memory for %s (%lld elements of %zu bytes)", name,
                       (long long)count, size);
}

scalay_status scalay_grow(void *array, int64_t *capacity, int64_t needed, size_t size)
{
    int64_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed) wanted = wanted > INT64_MAX / 2 ? needed : 2 * wanted;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = scalay_reallocate(old, wanted, size);
    if (grown == NULL) return scalay_no_memory(__func__, "a growing array", wanted, size);
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return SCALAY_SUCCESS;
}

int64_t scalay_memory_live(void)
{
    return atomic_load(&live_arrays);
}

int64_t scalay_memory_bytes(void)
{
    return atomic_load(&live_bytes);
}

int64_t scalay_memory_peak(void)
{
    return atomic_load(&peak_bytes);
}

void scalay_memory_reset_peak(void)
{
    atomic_store(&peak_bytes, atomic_load(&live_bytes));
}

void scalay_memory_keep_released(void)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_MAX, 0);
    (void)mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

void scalay_memory_keep_buffers(void)
{
    enum { LARGEST_BUFFER = 8 << 20 };
    static atomic_flag is_done = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_done)) return;
    void *volatile block = malloc(LARGEST_BUFFER); /* volatile: the compiler must not leave the pair out */
    free(block);
}

void scalay_memory_fail_at(int64_t n)
{
    atomic_store(&requests, 0);
    atomic_store(&failing_request, n);
}

int64_t scalay_memory_requests(void)
{
    return atomic_load(&requests);
}
