#ifndef SCALAY_MEASURE_EVENTS_H
#define SCALAY_MEASURE_EVENTS_H

/** @file Libraries of events that the machine counts: PAPI, or its absence; tests bring a table of their own. */

#include <stddef.h>
#include <stdint.h>

#include "scalay/status.h"

enum { SCALAY_EVENT_NAME = 160, SCALAY_EVENT_UNITS = 16, SCALAY_EVENT_ABOUT = 32 };

/** An event. */
typedef struct {
    char name[SCALAY_EVENT_NAME];
    char units[SCALAY_EVENT_UNITS]; /* such as "nJ"; "" for a plain count */
    char about[SCALAY_EVENT_ABOUT]; /* what the library says of it: the beginning of the first line */
} scalay_event;

/** A library. A set belongs to the thread that made it. */
typedef struct {
    /** A set of events, none as yet. SCALAY_ERROR_UNSUPPORTED: says what to install or permit. */
    scalay_status (*create)(void **set);
    /** The events added are those of a thread, by the system's number (0: the calling one), and of all threads that it
     *  starts from then on; without this they are the calling thread's, or the machine's. What is the machine's in any
     *  case is left out for other threads. SCALAY_ERROR_UNSUPPORTED: the message is the reason alone. */
    scalay_status (*follow)(void *set, int64_t thread);
    /** Shows all events of a component, or that there is no such component, to a caller who keeps those it likes.
     *  Returns 0 when there is no such component, or it cannot be used: `why` says so. */
    int (*visit)(const char *component, void (*each)(void *context, const scalay_event *event), void *context,
                 char *why, size_t size);
    /** Adds an event by name; fills in the rest. SCALAY_ERROR_UNSUPPORTED: the message is the reason alone. */
    scalay_status (*add)(void *set, const char *name, scalay_event *event);
    scalay_status (*start)(void *set);
    /** Counts since the start, shape [events], in the order of adding. */
    scalay_status (*read)(void *set, int64_t *count);
    /** Ends counting; a set may be started again, from 0. */
    scalay_status (*stop)(void *set);
    void (*destroy)(void **set);
} scalay_event_library;

/** PAPI when ScaLAY was built with it; otherwise its create() says how to get it. */
extern const scalay_event_library scalay_papi;

#endif
