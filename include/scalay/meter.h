#ifndef SCALAY_METER_H
#define SCALAY_METER_H

/**
 * @file
 * Energy meters.
 *
 * A meter returns joules that never decrease. The energy of a kernel is the difference of two readings. A meter is
 * created from a text:
 *   - "none": measures nothing. scalay_measure() then measures the time only.
 *   - "auto": the counters of the machine, as "papi". If it fails, the message says what was tried and what to install.
 *   - "papi": energy of all packages and of memory by PAPI's components rapl, powercap or perf_event_uncore (the first
 *     that works), and energy of accelerators by nvml, whose power is integrated over time.
 *   - "papi:EVENT,EVENT": the sum of events whose unit is joules or watts.
 *   - "command:SHELL COMMAND": a command that prints cumulative joules, such as the client of a wall-plug meter, a
 *     management controller or a batch system. The time limit is 10 seconds, and 1 second after a timeout. After two
 *     consecutive timeouts the command is not run again. A measurement runs it twice per repetition, outside the
 *     measured time, and reports its mean duration.
 *   - "power:SHELL COMMAND": a command that prints watts. A thread runs it every 0.25 seconds and integrates.
 *   - "model:base=W,flop=J,byte=J": a declared model, not a measurement: base power times time, plus joules per
 *     operation and per byte reported by scalay_meter_work(). Its energies are marked as modelled.
 *
 * A meter belongs to the process that created it. Two processes that read the same hardware both get the energy of
 * both.
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open meter. */
typedef struct scalay_meter scalay_meter;

/**
 * Opens a meter. Not collective.
 * @param[in]  spec   one of the forms above; copied
 * @param[out] meter  to be released with scalay_meter_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (invalid spec), SCALAY_ERROR_UNSUPPORTED (cannot be read on this
 *         machine; the message has the remedy), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_meter_create(const char *spec, scalay_meter **meter);

/** Returns 1 if the energies come from a model; 0 if they are measured, or for NULL. Not collective. */
SCALAY_API int scalay_meter_is_modelled(const scalay_meter *meter);

/**
 * Describes the source of the energy. Not collective.
 * @param[in]  meter  NULL: "none"
 * @param[out] text   shape [size]: NUL-terminated, truncated to fit; NULL is allowed if size is 0
 * @param[in]  size   in bytes
 * @return length of the whole text in bytes
 */
SCALAY_API int scalay_meter_describe(const scalay_meter *meter, char *text, size_t size);

/**
 * Reads a meter. Not collective.
 * @param[in]  meter   the meter
 * @param[out] joules  since an unspecified moment. Counters that wrap around are continued if they are read at least
 *                     once per range
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (the meter measures nothing, or is no longer
 *         available)
 */
SCALAY_API scalay_status scalay_meter_read(scalay_meter *meter, double *joules);

/**
 * Reports work to a modelled meter. Not collective. Has no effect on other meters and on NULL.
 * @param[in] meter  the meter
 * @param[in] flops  operations since the previous call, finite, at least 0
 * @param[in] bytes  memory traffic since the previous call, finite, at least 0
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_meter_work(scalay_meter *meter, double flops, double bytes);

/** Closes a meter and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_meter_destroy(scalay_meter **meter);

#ifdef __cplusplus
}
#endif

#endif
