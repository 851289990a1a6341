#ifndef SCALAY_MEASURE_METER_H
#define SCALAY_MEASURE_METER_H

/** @file What a kind of meter is made of: a row in the table of meter.c, a file for each. */

#include "measure/clock.h"
#include "scalay/meter.h"

/** What there is to say about a meter, at most. */
enum { SCALAY_METER_TEXT = 400 };

/** A kind of meter. */
typedef struct {
    const char *name;
    int is_modelled;
    /** Opens it; `argument` is what follows "name:", NULL when nothing does. Sets about, state and step. */
    scalay_status (*open)(const char *argument, scalay_meter *meter);
    /** Joules that only grow. NULL: it measures nothing. */
    scalay_status (*read)(scalay_meter *meter, double *joules);
    /** Takes note of what was done; NULL: need not know. */
    void (*work)(scalay_meter *meter, double flops, double bytes);
    /** The power of an idle machine when it is known; NULL: it is measured. */
    double (*static_power)(const scalay_meter *meter);
    void (*close)(scalay_meter *meter);
} scalay_meter_kind;

struct scalay_meter {
    const scalay_meter_kind *kind;
    const scalay_clocks *clocks;
    void *state;                   /* the kind's */
    double step;                   /* seconds between two of its values; 0: not known */
    char about[SCALAY_METER_TEXT]; /* what is read */
};

extern const scalay_meter_kind scalay_meter_none;
extern const scalay_meter_kind scalay_meter_papi;
extern const scalay_meter_kind scalay_meter_command;
extern const scalay_meter_kind scalay_meter_power;
extern const scalay_meter_kind scalay_meter_model;

/** Opens a meter of a kind, with a clock: what scalay_meter_create() does when it has found the kind. */
scalay_status scalay_meter_open(const scalay_meter_kind *kind, const char *argument, const scalay_clocks *clocks,
                                scalay_meter **meter);

/** 1 when there is anything to be read; a meter of NULL has nothing. */
int scalay_meter_measures(const scalay_meter *meter);

/** Whether a process can sleep so long for scalay_meter_static_power(). */
scalay_status scalay_meter_check_sleep(double seconds, const char *function);

#endif
