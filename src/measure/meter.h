#ifndef SCALAY_MEASURE_METER_H
#define SCALAY_MEASURE_METER_H

/** @file Kinds of meters. Each kind is a row in the table of meter.c and has its own file. */

#include "measure/clock.h"
#include "scalay/meter.h"

/** Size of the description of a meter, in bytes. */
enum { SCALAY_METER_TEXT = 400 };

/** A kind of meter. */
typedef struct {
    const char *name;
    int is_modelled;
    /** Opens the meter, and sets about, state and step. `argument` is the text after "name:"; NULL if there is none. */
    scalay_status (*open)(const char *argument, scalay_meter *meter);
    /** Returns joules that never decrease. NULL: the kind measures nothing. */
    scalay_status (*read)(scalay_meter *meter, double *joules);
    /** Adds operations and bytes; NULL: not needed. */
    void (*work)(scalay_meter *meter, double flops, double bytes);
    /** Returns the power of an idle machine; NULL: it is measured. */
    double (*static_power)(const scalay_meter *meter);
    void (*close)(scalay_meter *meter);
} scalay_meter_kind;

struct scalay_meter {
    const scalay_meter_kind *kind;
    const scalay_clocks *clocks;
    void *state;                   /* of the kind */
    double step;                   /* seconds between two values; 0: not known */
    char about[SCALAY_METER_TEXT]; /* description of the source */
};

extern const scalay_meter_kind scalay_meter_none;
extern const scalay_meter_kind scalay_meter_papi;
extern const scalay_meter_kind scalay_meter_command;
extern const scalay_meter_kind scalay_meter_power;
extern const scalay_meter_kind scalay_meter_model;

/** Opens a meter of a given kind with given clocks. */
scalay_status scalay_meter_open(const scalay_meter_kind *kind, const char *argument, const scalay_clocks *clocks,
                                scalay_meter **meter);

/** Returns 1 if the meter can be read; 0 for NULL. */
int scalay_meter_measures(const scalay_meter *meter);

/** Returns the kind of a meter, such as "model"; "none" for NULL. */
const char *scalay_meter_name(const scalay_meter *meter);

/** Checks the duration for scalay_meter_static_power(). */
scalay_status scalay_meter_check_sleep(double seconds, const char *function);

/**
 * Measures the power while this process sleeps. Not collective: other processes should sleep, too.
 * @param[in]  seconds  duration, valid for scalay_meter_check_sleep()
 * @param[out] watts    energy / duration; for a model, its base power
 */
scalay_status scalay_meter_static_power(scalay_meter *meter, double seconds, double *watts);

#endif
