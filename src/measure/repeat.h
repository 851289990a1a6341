#ifndef SCALAY_MEASURE_REPEAT_H
#define SCALAY_MEASURE_REPEAT_H

/** @file Repeated measurement with the clocks as an argument: scalay_measure(), and the additive method. */

#include "measure/clock.h"
#include "parallel/comm.h"
#include "scalay/measure.h"

/** Work to be repeated on this rank. */
typedef struct {
    scalay_comm *comm;
    scalay_work work; /* NULL: this rank only takes part */
    void *data;
    scalay_meter *meter;                  /* NULL: time only */
    const scalay_repeat_options *options; /* valid, and the same on every rank */
    const scalay_clocks *clocks;
    int joint; /* 1: the meter is read after all ranks have finished; 0: after this rank has */
} scalay_repeat_task;

/** Reads and checks the caller's options. Collective: the ranks agree on them. NULL: the defaults. */
scalay_status scalay_repeat_read_options(scalay_comm *comm, const scalay_repeat_options *given, const char *function,
                                         scalay_repeat_options *options);

/** Repeats the work until the means are precise or a limit is reached. Collective. The sample is returned also if the
 *  work fails. */
scalay_status scalay_repeat_run(const scalay_repeat_task *task, scalay_sample **sample);

/**
 * Measures ranks that share a meter by the additive method: all at once, then one by one. Collective. The sample is
 * returned also if the work fails.
 * @param[in] by_host  1: each host has its own meter, and one rank of each host works at a time; 0: all ranks share one
 */
scalay_status scalay_additive_run(const scalay_repeat_task *task, int by_host, scalay_sample **sample,
                                  scalay_additive *additive);

/* -------------------------------------------------------------------------------------- oversubscribed ranks */

/**
 * Finds the maximum number of ranks with work that share a processor of this rank's node. Collective. Bind ranks before
 * the first call with a communicator.
 * @param[in]  works             1: this rank has work
 * @param[out] oversubscription  at least 1; the same on all ranks of a node
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_find_oversubscription(scalay_comm *comm, int works, double *oversubscription);

/** Returns the seconds in which each of the ranks that share a processor gets many time slices; 0 if none do. */
double scalay_oversubscription_interval(double oversubscription);

/**
 * Barrier after which ranks that share processors are scheduled fairly: they have been awake since the same moment, for
 * some time slices. Collective.
 * @param[in] oversubscription  of scalay_find_oversubscription()
 * @param[in] is_idle           1: do not use the processors meanwhile. The first time slice may then be incomplete
 */
scalay_status scalay_begin_together(scalay_comm *comm, double oversubscription, int is_idle);

#endif
