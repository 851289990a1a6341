#ifndef SCALAY_MAPPING_HEAP_H
#define SCALAY_MAPPING_HEAP_H

/** @file A heap of integers by keys that live elsewhere, four children per node. */

#include "base/status.h"

#include <stdint.h>

typedef struct {
    const int64_t *key; /* of each member; not owned */
    int *member;        /* shape [capacity]: the heap */
    int *place;         /* shape [capacity]: of each member in the heap; -1: not in it */
    int count;
} scalay_heap;

/** A heap for members 0 .. capacity-1; to be released with scalay_heap_free(). */
scalay_status scalay_heap_allocate(int capacity, const int64_t *key, scalay_heap *heap);

/** Puts a member in, or moves it up after its key has become smaller. */
void scalay_heap_raise(scalay_heap *heap, int member);

/** Puts a member in, or moves it to where it belongs after its key has changed. */
void scalay_heap_move(scalay_heap *heap, int member);

/** Takes the member with the smallest key out; the heap is not empty. */
int scalay_heap_pop(scalay_heap *heap);

/** Takes a member out that is in. */
void scalay_heap_remove(scalay_heap *heap, int member);

/** Takes every member out. */
void scalay_heap_clear(scalay_heap *heap);

/** Releases what a heap holds. A zeroed heap is fine. */
void scalay_heap_free(scalay_heap *heap);

#endif
