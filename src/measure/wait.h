#ifndef SCALAY_MEASURE_WAIT_H
#define SCALAY_MEASURE_WAIT_H

/** @file Waiting asleep: who waits in MPI keeps a core busy, and a meter counting. */

#include "parallel/comm.h"

/** Sleeps for so many seconds, whatever signals come. */
void scalay_sleep(double seconds);

/** The largest of all ranks' values, element by element; who is early sleeps. Collective. */
scalay_status scalay_wait_max(scalay_comm *comm, const double *mine, double *most, int count);

/** Something to do while others are waited for; 0: there was nothing. */
typedef int (*scalay_pastime)(void *data);

/** scalay_wait_max(), but who is early sleeps only when there is nothing to do. */
scalay_status scalay_wait_max_busy(scalay_comm *comm, const double *mine, double *most, int count,
                                   scalay_pastime pastime, void *data);

#endif
