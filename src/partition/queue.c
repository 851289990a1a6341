#include "partition/queue.h"

static int is_before(const scalay_queue_entry *a, const scalay_queue_entry *b)
{
    return a->due < b->due || (a->due == b->due && a->number < b->number);
}

void scalay_queue_put(scalay_queue *queue, double due, int64_t number)
{
    const scalay_queue_entry put = {due, number};
    int64_t at = queue->count++;
    for (; at > 0 && is_before(&put, &queue->entry[(at - 1) / 2]); at = (at - 1) / 2)
        queue->entry[at] = queue->entry[(at - 1) / 2];
    queue->entry[at] = put;
}

scalay_queue_entry scalay_queue_take(scalay_queue *queue)
{
    const scalay_queue_entry first = queue->entry[0], last = queue->entry[--queue->count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < queue->count; at = child) {
        if (child + 1 < queue->count && is_before(&queue->entry[child + 1], &queue->entry[child])) child++;
        if (!is_before(&queue->entry[child], &last)) break;
        queue->entry[at] = queue->entry[child];
    }
    queue->entry[at] = last;
    return first;
}
