/*
 * Clocks and waiting.
 *
 * An interval is measured by two clocks. If they disagree, the first clock has jumped, and the interval is not trusted.
 * A process that waits sleeps: busy waiting in MPI keeps a core busy and adds energy to a meter.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "measure/clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "parallel/comm.h"
#include "scalay/measure.h"

/* ----------------------------------------------------------------------------------------------------------- clocks */

/* Tolerated difference of the two clocks: reading them takes time, and the process can lose its core in between. */
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

/* This clock also runs while the machine is suspended, and is never set. */
static double boot_time(void *unused)
{
    (void)unused;
#ifdef CLOCK_BOOTTIME
    return read_clock(CLOCK_BOOTTIME);
#else
    return read_clock(CLOCK_REALTIME);
#endif
}

const scalay_clocks scalay_clocks_system = {.now = monotonic, .witness = boot_time, .data = NULL};

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
    const double shown = end.now - begin.now;
    const double seen = end.witness - begin.witness;
    const int trusted = isfinite(shown) && shown >= 0.0 &&
                        fabs(shown - seen) <= TOLERATED_SECONDS + TOLERATED_SHARE * fmin(shown, fabs(seen));
    *seconds = trusted ? shown : isfinite(seen) && seen >= 0.0 ? seen : 0.0;
    return trusted;
}

double scalay_clock_step(const scalay_clocks *clocks)
{
    double smallest = HUGE_VAL;
    double before = clocks->now(clocks->data);
    for (int k = 0, steps = 0; k < STEP_TRIES && steps < STEPS; k++) {
        const double now = clocks->now(clocks->data);
        if (now > before) {
            smallest = fmin(smallest, now - before);
            steps++;
        }
        before = now;
    }
    return isfinite(smallest) ? smallest : 0.0;
}

/* ---------------------------------------------------------------------------------------------------------- waiting */

/* Sleeping times double from the first to the second. */
#define MIN_SLEEP 20e-6
#define MAX_SLEEP 1e-3

void scalay_sleep(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)floor(seconds)};
    left.tv_nsec = (long)((seconds - floor(seconds)) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

scalay_status scalay_wait_max(scalay_comm *comm, const double *mine, double *maximum, int count)
{
    return scalay_wait_max_busy(comm, mine, maximum, count, NULL, NULL);
}

/* The reduction works in memory of the communicator, which is left to MPI if a call fails meanwhile. Nothing is
 * allocated: a rank without memory would leave the others waiting. */
scalay_status scalay_wait_max_busy(scalay_comm *comm, const double *mine, double *maximum, int count,
                                   scalay_idle_work idle_work, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Request request = MPI_REQUEST_NULL;
    double seconds = MIN_SLEEP;
    int done = 0;
    memcpy(comm->waiting[0], mine, (size_t)count * sizeof *mine);
    comm->is_waiting = 1;
    SCALAY_TRY_MPI(MPI_Iallreduce(comm->waiting[0], comm->waiting[1], count, MPI_DOUBLE, MPI_MAX, comm->mpi, &request));
    for (;;) {
        SCALAY_TRY_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done) break;
        if (idle_work != NULL && idle_work(data)) continue;
        scalay_sleep(seconds);
        seconds = fmin(2.0 * seconds, MAX_SLEEP);
    }
    comm->is_waiting = 0;
    memcpy(maximum, comm->waiting[1], (size_t)count * sizeof *maximum);
cleanup:
    return status;
}
