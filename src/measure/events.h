#ifndef SCALAY_MEASURE_EVENTS_H
#define SCALAY_MEASURE_EVENTS_H

/** @file Libraries of hardware events: PAPI, or its absence. Tests bring a table of their own. */

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "scalay/counters.h"

enum { SCALAY_EVENT_NAME = 160, SCALAY_EVENT_UNITS = 16, SCALAY_EVENT_ABOUT = 32 };

/** An event. */
typedef struct {
    char name[SCALAY_EVENT_NAME];
    char units[SCALAY_EVENT_UNITS]; /* such as "nJ"; "" for a plain count */
    char about[SCALAY_EVENT_ABOUT]; /* first line of the library's description, truncated */
} scalay_event;

/** A library of events. A set of events belongs to the thread that created it. */
typedef struct {
    /** Creates an empty set of events. SCALAY_ERROR_UNSUPPORTED: the message has the remedy. */
    scalay_status (*create)(void **set);
    /** Makes the set count a thread (system number; 0: the calling thread) and all threads that it starts later.
     * Without this call, only the calling thread is counted. Events of the whole machine are removed if thread is not
     * 0. SCALAY_ERROR_UNSUPPORTED: the message is only the reason. */
    scalay_status (*follow)(void *set, int64_t thread);
    /** Calls `each` for all events of a component.
     *  Returns 0 if there is no such component or it cannot be used; `why` is set to the reason. */
    int (*visit)(const char *component, void (*each)(void *context, const scalay_event *event), void *context,
                 char *why, size_t size);
    /** Adds an event by name, and sets *event. SCALAY_ERROR_UNSUPPORTED: the message is only the reason. */
    scalay_status (*add)(void *set, const char *name, scalay_event *event);
    scalay_status (*start)(void *set);
    /** Returns the counts since the start, shape [events], in the order of adding. */
    scalay_status (*read)(void *set, int64_t *count);
    /** Stops counting. A set may be started again, from 0. */
    scalay_status (*stop)(void *set);
    void (*destroy)(void **set);
} scalay_event_library;

/** PAPI if ScaLAY was built with it. Otherwise create() fails and the message has the remedy. */
extern const scalay_event_library scalay_papi;

/** Creates counters as scalay_counters_create(), with the library as an argument. */
scalay_status scalay_counters_open(const scalay_event_library *library, const char *events, scalay_counters **counters);

#endif
