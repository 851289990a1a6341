#ifndef SCALAY_MEASURE_INTEGRATOR_H
#define SCALAY_MEASURE_INTEGRATOR_H

/** @file Joules from watts: a thread that reads a power meter again and again, while the program computes. */

#include "measure/clock.h"
#include "scalay/status.h"

/** Where the watts come from; all of it is called by the thread, of which libraries of events belong to one. */
typedef struct {
    scalay_status (*open)(void *data);
    scalay_status (*watts)(void *data, double *watts);
    void (*close)(void *data);
    void *data;
} scalay_power_source;

typedef struct scalay_integrator scalay_integrator;

/**
 * Starts the thread, which reads the power at once and then every `period` seconds.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED (no thread), what open() or watts() came to
 */
scalay_status scalay_integrator_create(const scalay_power_source *source, double period, const scalay_clocks *clocks,
                                       scalay_integrator **integrator);

/** Joules since it began: trapezia between the readings, and the last power since then; or what the source came to. */
scalay_status scalay_integrator_read(scalay_integrator *integrator, double *joules);

/** Ends the thread; NULL is fine. */
void scalay_integrator_destroy(scalay_integrator **integrator);

#endif
