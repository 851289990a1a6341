#ifndef SCALAY_MEASURE_METER_PAPI_H
#define SCALAY_MEASURE_METER_PAPI_H

/** @file The meter that reads energy and power events, with the library of events as an argument. */

#include "measure/events.h"
#include "measure/meter.h"

/** Opens the meter. `argument` has the names of events; NULL: find them. */
scalay_status scalay_meter_events_open(const scalay_event_library *library, const char *argument, scalay_meter *meter);
scalay_status scalay_meter_events_read(scalay_meter *meter, double *joules);
void scalay_meter_events_close(scalay_meter *meter);

/* ------------------------------------------------------------------------------------- units and components */

/** Unit of one count of an event; both 0: neither energy nor power. */
typedef struct {
    double joules;
    double watts;
} scalay_energy_unit;

/** Returns the unit of an event, by its units or, if it has none, by its name. */
scalay_energy_unit scalay_energy_unit_of(const scalay_event *event);

/** A counter of joules that is read repeatedly. */
typedef struct {
    double joules; /* per count */
    int64_t range; /* counts after which it wraps around; 0: never */
    int64_t last;
    double total; /* joules so far */
} scalay_energy_register;

/** Adds the next reading. Returns 0 if a counter that does not wrap around has decreased. */
int scalay_energy_register_advance(scalay_energy_register *r, int64_t count);

/** A component of PAPI that has the energy of processors. */
typedef struct {
    const char *component;
    const char *begins[3]; /* prefixes of the names of its events */
    int per_package;       /* 1: the event is counted by one core of each package, which is appended to its name */
} scalay_event_source;

enum { SCALAY_EVENT_SOURCES = 3 };

/** In the order in which they are tried. */
extern const scalay_event_source scalay_event_sources[SCALAY_EVENT_SOURCES];

/** Returns 1 if an event belongs to a source. */
int scalay_event_source_has(const scalay_event_source *source, const char *name);

/** Sets the name of the event that has the range of another event. Returns 0 if there is none. */
int scalay_energy_range_event(const char *name, char *range, size_t size);

/** Sets the name of the event whose description is the zone of another event. Returns 0 if there is none. */
int scalay_energy_zone_event(const char *name, char *event, size_t size);

/** Returns 1 if the energy of a zone is not contained in that of another zone. This holds for packages and memory, but
 *  not for cores, and not for the platform, which contains the packages. */
int scalay_energy_zone_counts(const char *event, const char *zone);

/** Lists one core of each package, as the kernel has them for its energy counters. Returns their number, at least 1. */
int scalay_energy_cores(int *core, int max_cores);

#endif
