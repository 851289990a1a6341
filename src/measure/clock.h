#ifndef SCALAY_MEASURE_CLOCK_H
#define SCALAY_MEASURE_CLOCK_H

/** @file Clocks and waiting. Tests replace the clocks of the system by their own. */

#include "parallel/comm.h"

/** A clock and a witness. An interval is trusted if both clocks agree. */
typedef struct {
    double (*now)(void *data);     /* seconds */
    double (*witness)(void *data); /* seconds, of an independent clock */
    void *data;
} scalay_clocks;

/** Returns seconds of a monotonic clock. */
double scalay_clock(void);

/** The clocks of the system. */
extern const scalay_clocks scalay_clocks_system;

/** A moment on both clocks. */
typedef struct {
    double now;
    double witness;
} scalay_moment;

/** Reads both clocks at the start of an interval. `now` is read last. */
scalay_moment scalay_moment_begin(const scalay_clocks *clocks);

/** Reads both clocks at the end of an interval. `now` is read first. */
scalay_moment scalay_moment_end(const scalay_clocks *clocks);

/**
 * Computes the seconds between two moments.
 * @param[out] seconds  by the clock; if it is not trusted, by the witness; 0 if neither is valid
 * @return 1 if the clock is trusted: it did not run backward, and agrees with the witness within 0.01 s plus 50%
 */
int scalay_moment_interval(scalay_moment begin, scalay_moment end, double *seconds);

/** Returns the smallest step of a clock that is read repeatedly, in seconds; 0 if the clock does not advance. */
double scalay_clock_step(const scalay_clocks *clocks);

/** Sleeps for a number of seconds. Signals do not end the sleep. */
void scalay_sleep(double seconds);

/**
 * Computes the maximum over the ranks, element by element. Collective. A rank that waits sleeps.
 * @param[in] count  at most SCALAY_WAIT_VALUES
 */
scalay_status scalay_wait_max(scalay_comm *comm, const double *mine, double *maximum, int count);

/** Work that a waiting rank may do. Returns 0 if there was nothing to do. */
typedef int (*scalay_idle_work)(void *data);

/** As scalay_wait_max(), but a waiting rank sleeps only if idle_work returns 0. Collective. */
scalay_status scalay_wait_max_busy(scalay_comm *comm, const double *mine, double *maximum, int count,
                                   scalay_idle_work idle_work, void *data);

#endif
