#ifndef SCALAY_MEASURE_CLOCK_H
#define SCALAY_MEASURE_CLOCK_H

/** @file Clocks, two of them: the second bears witness when the first one jumps. Tests bring clocks of their own. */

/** Where the time comes from. */
typedef struct {
    double (*now)(void *data);     /* seconds */
    double (*witness)(void *data); /* seconds, from elsewhere */
    void *data;
} scalay_clocks;

/** The clocks of the system. */
extern const scalay_clocks scalay_clocks_system;

/** A moment, on both clocks. */
typedef struct {
    double now;
    double witness;
} scalay_moment;

/** The moment at the beginning of an interval: `now` is read last, and first at the end. */
scalay_moment scalay_moment_begin(const scalay_clocks *clocks);
scalay_moment scalay_moment_end(const scalay_clocks *clocks);

/**
 * Seconds between two moments.
 * @param[out] seconds  by the clock; when it is not to be trusted, by the witness; 0 when neither is
 * @return 1 when the clock is to be trusted: it did not go back, and the witness saw about as much
 */
int scalay_moment_interval(scalay_moment begin, scalay_moment end, double *seconds);

/** The smallest step of a clock that is read again and again, in seconds; 0 when it stands still. */
double scalay_clock_step(const scalay_clocks *clocks);

#endif
