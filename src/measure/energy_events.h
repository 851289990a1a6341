#ifndef SCALAY_MEASURE_ENERGY_EVENTS_H
#define SCALAY_MEASURE_ENERGY_EVENTS_H

/** @file Which events are joules or watts, and in what units. */

#include "measure/events.h"

/** What a count of an event is; both 0: no energy and no power. */
typedef struct {
    double joules;
    double watts;
} scalay_energy_unit;

/** The unit of an event: by its own words, or by its name where it has none. */
scalay_energy_unit scalay_energy_unit_of(const scalay_event *event);

/** A counter of joules that is read now and then. */
typedef struct {
    double joules; /* per count */
    int64_t range; /* counts after which it begins from 0 again; 0: it never does */
    int64_t last;
    double total; /* joules so far */
} scalay_energy_register;

/** Takes the next reading in; 0 when it has fallen though it should not. */
int scalay_energy_register_advance(scalay_energy_register *r, int64_t count);

/** Where the processors' energy is to be found; the first that works is taken. */
typedef struct {
    const char *component;
    const char *begins[3]; /* names of events begin so */
    int per_package;       /* the event is counted by a core of each package, which is named behind it */
} scalay_event_place;

enum { SCALAY_EVENT_PLACES = 3 };
extern const scalay_event_place scalay_event_places[SCALAY_EVENT_PLACES];

/** 1 when an event belongs to a place. */
int scalay_event_place_has(const scalay_event_place *place, const char *name);

/** The event that tells the range of another one, by name; 0 when there is none. */
int scalay_energy_range_event(const char *name, char *range, size_t size);

/** The event whose description is the name of another one's zone; 0 when there is none. */
int scalay_energy_zone_event(const char *name, char *event, size_t size);

/** 1 when what a zone of that name counts is in no other one's count: of packages and memory, not of their cores, and
 *  not of the platform, which contains the packages. */
int scalay_energy_zone_counts(const char *event, const char *zone);

/** One core of each package, as the kernel lists them for its energy counters: at most `most`; at least core 0. */
int scalay_energy_cores(int *core, int most);

#endif
