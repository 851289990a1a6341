#ifndef SCALAY_MEASURE_INTEGRATOR_H
#define SCALAY_MEASURE_INTEGRATOR_H

/** @file Energy from power: a thread reads a power meter while the program computes. */

#include "measure/clock.h"
#include "scalay/status.h"

/** Source of the power. All functions are called by the thread, because libraries of events are bound to a thread. */
typedef struct {
    scalay_status (*open)(void *data);
    scalay_status (*watts)(void *data, double *watts);
    void (*close)(void *data);
    void *data;
} scalay_power_source;

typedef struct scalay_integrator scalay_integrator;

/**
 * Starts the thread. It reads the power at once, and then every `period` seconds.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED (no thread), or the status of open() or watts()
 */
scalay_status scalay_integrator_create(const scalay_power_source *source, double period, const scalay_clocks *clocks,
                                       scalay_integrator **integrator);

/** Returns the joules since the start. The power since the last reading is taken as constant. Fails if the source has
 *  failed. */
scalay_status scalay_integrator_read(scalay_integrator *integrator, double *joules);

/** Ends the thread. NULL is allowed. */
void scalay_integrator_destroy(scalay_integrator **integrator);

#endif
