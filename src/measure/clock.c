/* For the clocks and for nanosleep. */
#define _POSIX_C_SOURCE 200809L

#include "measure/clock.h"

#include <math.h>
#include <time.h>

#include "scalay/measure.h"

/* What the witness may see differently: its reading, and a process that loses its core in between. */
#define TOLERATED_SECONDS 0.01
#define TOLERATED_SHARE 0.5
enum { STEPS = 50, STEP_TRIES = 100000 };

static double read_clock(clockid_t id)
{
    struct timespec time = {0};
    (void)clock_gettime(id, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double monotonic(void *unused)
{
    (void)unused;
    return read_clock(CLOCK_MONOTONIC);
}

/* Time goes on here while the machine sleeps; nobody sets it, as the time of day is. */
static double sleepless(void *unused)
{
    (void)unused;
#ifdef CLOCK_BOOTTIME
    return read_clock(CLOCK_BOOTTIME);
#else
    return read_clock(CLOCK_REALTIME);
#endif
}

const scalay_clocks scalay_clocks_system = {.now = monotonic, .witness = sleepless, .data = NULL};

double scalay_clock(void)
{
    return monotonic(NULL);
}

scalay_moment scalay_moment_begin(const scalay_clocks *clocks)
{
    scalay_moment moment = {0};
    moment.witness = clocks->witness(clocks->data);
    moment.now = clocks->now(clocks->data);
    return moment;
}

scalay_moment scalay_moment_end(const scalay_clocks *clocks)
{
    scalay_moment moment = {0};
    moment.now = clocks->now(clocks->data);
    moment.witness = clocks->witness(clocks->data);
    return moment;
}

int scalay_moment_interval(scalay_moment begin, scalay_moment end, double *seconds)
{
    const double told = end.now - begin.now;
    const double seen = end.witness - begin.witness;
    const int trusted = isfinite(told) && told >= 0.0 &&
                        fabs(told - seen) <= TOLERATED_SECONDS + TOLERATED_SHARE * fmin(told, fabs(seen));
    *seconds = trusted ? told : isfinite(seen) && seen >= 0.0 ? seen : 0.0;
    return trusted;
}

double scalay_clock_step(const scalay_clocks *clocks)
{
    double least = HUGE_VAL;
    double before = clocks->now(clocks->data);
    for (int k = 0, steps = 0; k < STEP_TRIES && steps < STEPS; k++) {
        const double now = clocks->now(clocks->data);
        if (now > before) {
            least = fmin(least, now - before);
            steps++;
        }
        before = now;
    }
    return isfinite(least) ? least : 0.0;
}
