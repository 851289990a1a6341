#ifndef SCALAY_MEASURE_REPEAT_H
#define SCALAY_MEASURE_REPEAT_H

/** @file The repetition engine: scalay_measure() with the clocks as an argument. */

#include "measure/clock.h"
#include "parallel/comm.h"
#include "scalay/measure.h"

/** What is repeated, on this rank. */
typedef struct {
    scalay_comm *comm;
    scalay_work work; /* NULL: this rank only takes part */
    void *data;
    scalay_meter *meter;                  /* NULL: time only */
    const scalay_repeat_options *options; /* valid, and the same on every rank */
    const scalay_clocks *clocks;
    int joint; /* the meter is read when all ranks are through, and not only this one */
} scalay_repeat_task;

/** Agrees on the options. Collective. */
scalay_status scalay_repeat_check(scalay_comm *comm, const scalay_repeat_options *options, const char *function);

/** Repeats until all is known or a limit is reached. Collective. The sample is given also when the work fails. */
scalay_status scalay_repeat_run(const scalay_repeat_task *task, scalay_sample **sample);

#endif
