/* Memory of copies that is kept for later calls: a list of free arrays, the best fit of which is taken. */
#include "base/kept_memory.h"

#include <stdatomic.h>

#include "base/memory.h"

enum { ARRAYS = 8, MOST_BYTES = 128 << 20 };

/* Owned by this file, protected by the lock. */
static struct {
    void *array[ARRAYS]; /* the oldest first */
    int count;
    int64_t bytes, taken; /* that are kept, and that calls have */
    int64_t limit;        /* of both; -1: none */
} kept = {.limit = -1};
static atomic_flag kept_lock = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&kept_lock, memory_order_acquire)) continue;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&kept_lock, memory_order_release);
}

static void *remove_array(int k)
{
    void *const array = kept.array[k];
    kept.count--;
    for (; k < kept.count; k++) kept.array[k] = kept.array[k + 1];
    kept.bytes -= scalay_memory_size(array);
    return array;
}

/* Releases the oldest arrays until at most so many bytes are kept, in at most so many arrays. */
static void reduce(int64_t most, int count)
{
    while (kept.count > 0 && (kept.bytes > most || kept.count > count)) scalay_release(remove_array(0));
}

static int find_best(int64_t bytes)
{
    int best = -1;
    for (int k = 0; k < kept.count; k++) {
        const int64_t size = scalay_memory_size(kept.array[k]);
        if (size >= bytes && (best < 0 || size < scalay_memory_size(kept.array[best]))) best = k;
    }
    return best;
}

/* Releases the largest array that is too small, if it has at least a third of the bytes: the new one serves its
 * callers, too. Layouts of one matrix differ by a few rows or columns, or half as many processes have it. */
static void release_largest(int64_t bytes)
{
    int largest = -1;
    for (int k = 0; k < kept.count; k++) {
        const int64_t size = scalay_memory_size(kept.array[k]);
        if (size >= bytes / 3 && (largest < 0 || size > scalay_memory_size(kept.array[largest]))) largest = k;
    }
    if (largest >= 0) scalay_release(remove_array(largest));
}

/* Returns new memory; no array is large enough. Arrays that are kept make room, as they do when it is given back, and
 * if there is a limit. */
static void *create(int64_t bytes)
{
    const int64_t size = scalay_memory_size_of_copy(bytes);
    release_largest(bytes);
    reduce(MOST_BYTES - size, ARRAYS);
    if (kept.limit >= 0) {
        if (kept.limit - kept.taken < size) return NULL;
        reduce(kept.limit - kept.taken - size, ARRAYS);
    }
    return scalay_allocate_copy(bytes);
}

void *scalay_kept_memory_take(int64_t bytes)
{
    lock();
    const int best = find_best(bytes);
    void *const array = best >= 0 ? remove_array(best) : create(bytes);
    if (array != NULL) kept.taken += scalay_memory_size(array);
    unlock();
    return array;
}

void scalay_kept_memory_give(void *array)
{
    if (array == NULL) return;
    lock();
    const int64_t size = scalay_memory_size(array);
    kept.taken -= size;
    if (size <= MOST_BYTES && (kept.limit < 0 || kept.taken + size <= kept.limit)) {
        reduce(MOST_BYTES - size, ARRAYS - 1);
        kept.array[kept.count++] = array;
        kept.bytes += size;
    } else {
        scalay_release(array);
    }
    unlock();
}

void scalay_kept_memory_limit(int64_t bytes)
{
    lock();
    kept.limit = bytes;
    if (bytes >= 0) reduce(bytes - kept.taken, ARRAYS);
    unlock();
}

void scalay_kept_memory_release(void)
{
    lock();
    reduce(-1, 0);
    unlock();
}

int64_t scalay_kept_memory_bytes(void)
{
    lock();
    const int64_t bytes = kept.bytes + kept.taken;
    unlock();
    return bytes;
}
