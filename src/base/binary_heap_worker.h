/*
 * Binary heap (Williams 1964) of entries of any type, included once for each type of entry. The entry that comes before
 * all others is at position 0. The array belongs to the caller. Time: O(log n) for each function.
 *
 * Define before including:
 *   BINARY_HEAP_NAME                        prefix of the functions
 *   BINARY_HEAP_ENTRY                       type of an entry
 *   BINARY_HEAP_OWNER                       type of the context that the next two get a pointer to, with const if it is
 *   BINARY_HEAP_BEFORE(owner, a, b)         1 if entry a comes out before entry b
 *   BINARY_HEAP_MOVED(owner, entry, index)  optional: records that an entry is at an index from now on
 * All five are undefined at the end.
 */

#include <stdint.h>

#ifndef BINARY_HEAP_MOVED
#define BINARY_HEAP_MOVED(owner, entry, index) ((void)0)
#endif
#define BINARY_HEAP_JOIN(prefix, suffix) prefix##suffix
#define BINARY_HEAP_EXPAND(prefix, suffix) BINARY_HEAP_JOIN(prefix, suffix)
#define BINARY_HEAP_FUNCTION(suffix) BINARY_HEAP_EXPAND(BINARY_HEAP_NAME, suffix)

/* Stores an entry at an index, or above it if it comes before its ancestors. To insert an entry, pass the number of
 * entries as the index, and add 1 to the number. */
static inline void BINARY_HEAP_FUNCTION(_sift_up)(BINARY_HEAP_OWNER *owner, BINARY_HEAP_ENTRY *heap, int64_t index,
                                                  BINARY_HEAP_ENTRY entry)
{
    (void)owner;
    for (; index > 0; index = (index - 1) / 2) {
        const int64_t parent = (index - 1) / 2;
        if (!BINARY_HEAP_BEFORE(owner, entry, heap[parent])) break;
        heap[index] = heap[parent];
        BINARY_HEAP_MOVED(owner, heap[index], index);
    }
    heap[index] = entry;
    BINARY_HEAP_MOVED(owner, entry, index);
}

/* Stores an entry at an index below `count`, or below it if some descendants come before it. */
static inline void BINARY_HEAP_FUNCTION(_sift_down)(BINARY_HEAP_OWNER *owner, BINARY_HEAP_ENTRY *heap, int64_t count,
                                                    int64_t index, BINARY_HEAP_ENTRY entry)
{
    (void)owner;
    for (int64_t child = 2 * index + 1; child < count; child = 2 * index + 1) {
        if (child + 1 < count && BINARY_HEAP_BEFORE(owner, heap[child + 1], heap[child])) child++;
        if (!BINARY_HEAP_BEFORE(owner, heap[child], entry)) break;
        heap[index] = heap[child];
        BINARY_HEAP_MOVED(owner, heap[index], index);
        index = child;
    }
    heap[index] = entry;
    BINARY_HEAP_MOVED(owner, entry, index);
}

/* Removes the first entry of a heap with at least one entry, and subtracts 1 from the number. */
static inline BINARY_HEAP_ENTRY BINARY_HEAP_FUNCTION(_pop)(BINARY_HEAP_OWNER *owner, BINARY_HEAP_ENTRY *heap,
                                                           int64_t *count)
{
    const BINARY_HEAP_ENTRY first = heap[0];
    --*count;
    if (*count > 0) BINARY_HEAP_FUNCTION(_sift_down)(owner, heap, *count, 0, heap[*count]);
    return first;
}

#undef BINARY_HEAP_NAME
#undef BINARY_HEAP_ENTRY
#undef BINARY_HEAP_OWNER
#undef BINARY_HEAP_BEFORE
#undef BINARY_HEAP_MOVED
#undef BINARY_HEAP_JOIN
#undef BINARY_HEAP_EXPAND
#undef BINARY_HEAP_FUNCTION
