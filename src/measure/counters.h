#ifndef SCALAY_MEASURE_COUNTERS_H
#define SCALAY_MEASURE_COUNTERS_H

/** @file Counters of any library of events. */

#include "measure/events.h"
#include "scalay/counters.h"

/** scalay_counters_create() with the library as an argument. */
scalay_status scalay_counters_open(const scalay_event_library *library, const char *events, scalay_counters **counters);

#endif
