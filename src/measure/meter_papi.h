#ifndef SCALAY_MEASURE_METER_PAPI_H
#define SCALAY_MEASURE_METER_PAPI_H

/** @file The meter that reads events, of any library of events. */

#include "measure/events.h"
#include "measure/meter.h"

/** What scalay_meter_papi does, with the library as an argument. `argument`: events, or NULL to find them. */
scalay_status scalay_meter_events_open(const scalay_event_library *library, const char *argument, scalay_meter *meter);
scalay_status scalay_meter_events_read(scalay_meter *meter, double *joules);
void scalay_meter_events_close(scalay_meter *meter);

#endif
