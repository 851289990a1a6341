#include "mapping/heap.h"

#include "base/memory.h"

enum { CHILDREN = 4 };

scalay_status scalay_heap_allocate(int capacity, const int64_t *key, scalay_heap *heap)
{
    scalay_status status = SCALAY_SUCCESS;
    *heap = (scalay_heap){.key = key};
    SCALAY_TRY(SCALAY_NEW(heap->member, capacity));
    SCALAY_TRY(SCALAY_NEW(heap->place, capacity));
    for (int x = 0; x < capacity; x++) heap->place[x] = -1;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_heap_free(heap);
    return status;
}

static void put(scalay_heap *heap, int place, int member)
{
    heap->member[place] = member;
    heap->place[member] = place;
}

void scalay_heap_raise(scalay_heap *heap, int member)
{
    if (heap->place[member] < 0) put(heap, heap->count++, member);
    int place = heap->place[member];
    while (place > 0) {
        int parent = (place - 1) / CHILDREN;
        if (heap->key[heap->member[parent]] <= heap->key[member]) break;
        put(heap, place, heap->member[parent]);
        place = parent;
    }
    put(heap, place, member);
}

static void sink(scalay_heap *heap, int place, int member)
{
    for (;;) {
        int first = CHILDREN * place + 1;
        int end = first + CHILDREN < heap->count ? first + CHILDREN : heap->count;
        int least = first;
        for (int child = first + 1; child < end; child++)
            if (heap->key[heap->member[child]] < heap->key[heap->member[least]]) least = child;
        if (first >= end || heap->key[heap->member[least]] >= heap->key[member]) break;
        put(heap, place, heap->member[least]);
        place = least;
    }
    put(heap, place, member);
}

int scalay_heap_pop(scalay_heap *heap)
{
    int top = heap->member[0];
    heap->place[top] = -1;
    heap->count--;
    if (heap->count > 0) sink(heap, 0, heap->member[heap->count]);
    return top;
}

void scalay_heap_move(scalay_heap *heap, int member)
{
    scalay_heap_raise(heap, member);
    sink(heap, heap->place[member], member);
}

void scalay_heap_remove(scalay_heap *heap, int member)
{
    const int place = heap->place[member];
    const int last = heap->member[--heap->count];
    heap->place[member] = -1;
    if (last == member) return;
    put(heap, place, last);
    scalay_heap_move(heap, last);
}

void scalay_heap_clear(scalay_heap *heap)
{
    while (heap->count > 0) heap->place[heap->member[--heap->count]] = -1;
}

void scalay_heap_free(scalay_heap *heap)
{
    scalay_release(heap->member);
    scalay_release(heap->place);
    *heap = (scalay_heap){0};
}
