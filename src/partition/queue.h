#ifndef SCALAY_PARTITION_QUEUE_H
#define SCALAY_PARTITION_QUEUE_H

/** @file A priority queue: what is due first comes out first; of equals the lower number. */

#include <stdint.h>

/** A number and when it is due. */
typedef struct {
    double due;
    int64_t number;
} scalay_queue_entry;

/** The entries, as a binary heap. The array belongs to who made the queue and has room for all. */
typedef struct {
    int64_t count;
    scalay_queue_entry *entry;
} scalay_queue;

/** Puts an entry in. */
void scalay_queue_put(scalay_queue *queue, double due, int64_t number);

/** Takes out what is due first; there is something. */
scalay_queue_entry scalay_queue_take(scalay_queue *queue);

#endif
