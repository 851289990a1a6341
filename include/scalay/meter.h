#ifndef SCALAY_METER_H
#define SCALAY_METER_H

/**
 * @file
 * Energy meters: where joules come from.
 *
 * A meter is a number of joules that only grows; what a kernel takes is the difference of two readings. Machines differ
 * in what they have, so a meter is made from a text:
 *   - "none": measures nothing; scalay_measure() takes the time only;
 *   - "auto": the machine's own counters, as "papi", wherever they are; a failure says what was tried, and what to
 * install or permit;
 *   - "papi": joules of all packages and of memory by PAPI's components rapl, powercap or perf_event_uncore (the
 *     first that works), and those of accelerators by nvml, whose watts are added up over time;
 *   - "papi:EVENT,EVENT": the sum of events whose unit is joules or watts;
 *   - "command:SHELL COMMAND": a command that prints cumulative joules: a wall-plug meter, a management controller, a
 *     batch system. It has 10 seconds, the next time one, and who hangs twice on end is asked no more. It is run
 *     twice in each repetition of a measurement, outside the time that is
 *     taken; what it costs is reported;
 *   - "power:SHELL COMMAND": a command that prints watts; a thread runs it every quarter of a second and adds up;
 *   - "model:base=W,flop=J,byte=J": no measurement but a declared model, base power times time plus joules for each
 *     operation and byte that scalay_meter_work() is told of. Whatever comes of it is marked as modelled.
 *
 * A meter belongs to the process that made it. Two processes that read the same hardware both see the energy of both.
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A meter, open for reading. */
typedef struct scalay_meter scalay_meter;

/**
 * Opens a meter. Not collective.
 * @param[in]  spec   one of the forms above; copied
 * @param[out] meter  to be released with scalay_meter_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (no such meter, or a part of spec that is not valid),
 *         SCALAY_ERROR_UNSUPPORTED (cannot be read here: the message says what was tried and what to install or
 * permit), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_meter_create(const char *spec, scalay_meter **meter);

/** The kind of a meter, the first word of its text, such as "model"; "none" for NULL. Not collective. */
SCALAY_API const char *scalay_meter_name(const scalay_meter *meter);

/** 1 when the joules come from a model, 0 when they are measured, or NULL. Not collective. */
SCALAY_API int scalay_meter_is_modelled(const scalay_meter *meter);

/**
 * What is read, in words. Not collective.
 * @param[in]  meter  NULL: "none"
 * @param[out] text   shape [size]: NUL-terminated, cut where it is full; may be NULL when size is 0
 * @param[in]  size   in bytes
 * @return the length of the whole text
 */
SCALAY_API int scalay_meter_describe(const scalay_meter *meter, char *text, size_t size);

/**
 * Reads a meter. Not collective.
 * @param[in]  meter   the meter
 * @param[out] joules  since some moment in the past: differences count. Counters that wrap around are continued,
 *                     as long as they are read once in a round
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (it measures nothing, or has disappeared)
 */
SCALAY_API scalay_status scalay_meter_read(scalay_meter *meter, double *joules);

/**
 * Tells a model what was done; other meters, and NULL, need not know. Not collective.
 * @param[in] meter  the meter
 * @param[in] flops  operations since the last call, finite, at least 0
 * @param[in] bytes  moved to and from memory since the last call, finite, at least 0
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_meter_work(scalay_meter *meter, double flops, double bytes);

/**
 * The power that is drawn while nobody works: this process sleeps, and the others should. Not collective; see
 * scalay_measure_static_power() for all ranks together.
 * @param[in]  meter    the meter
 * @param[in]  seconds  how long to sleep, above 0, at most a day: several times the meter's own rhythm
 * @param[out] watts    joules over seconds; a model's base power
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (as scalay_meter_read(), or the joules fell
 *         meanwhile)
 */
SCALAY_API scalay_status scalay_meter_static_power(scalay_meter *meter, double seconds, double *watts);

/** Closes a meter and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_meter_destroy(scalay_meter **meter);

#ifdef __cplusplus
}
#endif

#endif
