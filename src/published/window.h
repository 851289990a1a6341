#ifndef SCALAY_PUBLISHED_WINDOW_H
#define SCALAY_PUBLISHED_WINDOW_H

/** @file The distributions in which every processor is active and takes a time within a window. */

#include "published/published.h"

/** A size with its time. */
typedef struct {
    double time;
    int64_t size;
    int group;
} scalay_window_event;

/** Least or largest size of a group in the window: a queue of events, best first. */
typedef struct {
    int64_t *event; /* shape [points of the group] */
    int64_t head;
    int64_t tail;
} scalay_window_queue;

/** The sizes of a group in a window that is tested. */
typedef struct {
    int64_t *size; /* shape [points of the group] */
    int64_t sizes;
    int64_t least;
    int64_t largest;
} scalay_window_group;

/** All sizes by ascending time, and a window on them that slides upwards. */
typedef struct {
    const scalay_problem *problem;
    int64_t events;
    scalay_window_event *event; /* shape [events] */
    int64_t first;              /* first <= k < end are in the window */
    int64_t end;
    scalay_window_queue *least;   /* shape [groups] */
    scalay_window_queue *largest; /* shape [groups] */
    int missing;                  /* groups without a size in the window */
    int64_t sum_least;            /* of all processors */
    int64_t sum_largest;
    int64_t *storage;           /* of the queues and lists */
    scalay_window_group *group; /* shape [groups] */
    uint64_t *bits;
    int64_t capacity; /* of bits */
} scalay_window;

/** Lists and sorts the sizes; the window is empty. Release with scalay_window_free(), also after a failure. */
scalay_status scalay_window_create(const scalay_problem *problem, scalay_window *window);

/** Releases what a window holds; zeroed is fine. */
void scalay_window_free(scalay_window *window);

/** Takes the next event in; k is window->end. */
void scalay_window_enter(scalay_window *window, int64_t k);

/** Lets the first event go. */
void scalay_window_leave(scalay_window *window);

/** 0 when the sizes in the window are too small, too large, or missing for a group: a quick test. */
int scalay_window_may_hold(const scalay_window *window);

/** Whether n can be distributed with the events first <= k < end, wherever the window stands. */
scalay_status scalay_window_test(scalay_window *window, int64_t first, int64_t end, int *possible);

/** Such a distribution; there must be one. */
scalay_status scalay_window_read(scalay_window *window, int64_t first, int64_t end, scalay_distribution *distribution);

#endif
