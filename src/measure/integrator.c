/*
 * Energy from power: a thread reads a power meter periodically, and integrates it by the trapezoidal rule.
 */
#define _POSIX_C_SOURCE 200809L /* threads, clocks */

#include "measure/integrator.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

/* A reading is valid for this many periods. */
#define MAX_PERIODS 4.0

struct scalay_integrator {
    scalay_power_source source;
    const scalay_clocks *clocks;
    double period;
    pthread_t thread;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t changed;
    int begun;     /* 1: there is a first reading, or a failure */
    int ended;     /* 1: the thread must end */
    int64_t taken; /* number of readings and failures */
    scalay_status status;
    char message[SCALAY_MESSAGE_SIZE]; /* of the status; the error message itself is thread-local */
    double watts;                      /* last reading */
    double when;                       /* time of the last reading, in seconds */
    double joules;                     /* until the last reading */
};

static double now(const scalay_integrator *integrator)
{
    return integrator->clocks->now(integrator->clocks->data);
}

/* Stores a reading, or the failure. */
static void store(scalay_integrator *integrator, scalay_status status, double watts)
{
    const double when = now(integrator);
    if (status == SCALAY_SUCCESS && !(isfinite(watts) && watts >= 0.0))
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_read",
                             "the meter printed %g W; power must be finite and at least 0", watts);
    (void)pthread_mutex_lock(&integrator->mutex);
    integrator->status = status;
    if (status != SCALAY_SUCCESS) {
        (void)snprintf(integrator->message, sizeof integrator->message, "%s", scalay_error_message());
    } else {
        if (integrator->begun) integrator->joules += 0.5 * (integrator->watts + watts) * (when - integrator->when);
        integrator->watts = watts;
        integrator->when = when;
    }
    integrator->begun = 1;
    integrator->taken++;
    (void)pthread_cond_broadcast(&integrator->changed);
    (void)pthread_mutex_unlock(&integrator->mutex);
}

/* Sleeps for a period. Returns 1 if the thread must end. */
static int sleep_period(scalay_integrator *integrator)
{
    struct timespec until = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    const double nanoseconds = (double)until.tv_nsec + 1e9 * integrator->period;
    until.tv_sec += (time_t)floor(nanoseconds / 1e9);
    until.tv_nsec = (long)fmod(nanoseconds, 1e9);
    (void)pthread_mutex_lock(&integrator->mutex);
    int waited = 0;
    while (!integrator->ended && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&integrator->changed, &integrator->mutex, &until);
    const int over = integrator->ended;
    (void)pthread_mutex_unlock(&integrator->mutex);
    return over;
}

static void *integrate(void *data)
{
    scalay_integrator *integrator = data;
    const scalay_power_source *source = &integrator->source;
    double watts = 0.0;
    scalay_status status = source->open(source->data);
    if (status != SCALAY_SUCCESS) {
        store(integrator, status, 0.0);
        return NULL;
    }
    do {
        status = source->watts(source->data, &watts);
        store(integrator, status, watts);
    } while (integrator->status == SCALAY_SUCCESS && !sleep_period(integrator));
    source->close(source->data);
    return NULL;
}

static scalay_status await_first(scalay_integrator *integrator)
{
    (void)pthread_mutex_lock(&integrator->mutex);
    while (!integrator->begun) (void)pthread_cond_wait(&integrator->changed, &integrator->mutex);
    const scalay_status status = integrator->status;
    if (status != SCALAY_SUCCESS) scalay_set_message(integrator->message);
    (void)pthread_mutex_unlock(&integrator->mutex);
    return status;
}

/* The timeout uses a clock that is never set. */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

scalay_status scalay_integrator_create(const scalay_power_source *source, double period, const scalay_clocks *clocks,
                                       scalay_integrator **integrator)
{
    scalay_integrator *new_integrator = NULL;
    scalay_status status = SCALAY_NEW(new_integrator, 1);
    if (status != SCALAY_SUCCESS) return status;
    new_integrator->source = *source;
    new_integrator->period = period;
    new_integrator->clocks = clocks;
    (void)pthread_mutex_init(&new_integrator->mutex, NULL);
    init_condition(&new_integrator->changed);
    const int failed = pthread_create(&new_integrator->thread, NULL, integrate, new_integrator);
    if (failed) {
        (void)pthread_cond_destroy(&new_integrator->changed);
        (void)pthread_mutex_destroy(&new_integrator->mutex);
        scalay_release(new_integrator);
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_create",
                           "cannot start a thread for the power meter: %s", strerror(failed));
    }
    *integrator = new_integrator;
    status = await_first(new_integrator);
    if (status != SCALAY_SUCCESS) scalay_integrator_destroy(integrator);
    return status;
}

/* Waits for the next reading if the last one is too old, because a source that hangs must not add energy. */
static void await_valid_reading(scalay_integrator *integrator)
{
    const int64_t taken = integrator->taken;
    if (now(integrator) - integrator->when <= MAX_PERIODS * integrator->period) return;
    while (integrator->status == SCALAY_SUCCESS && integrator->taken == taken)
        (void)pthread_cond_wait(&integrator->changed, &integrator->mutex);
}

scalay_status scalay_integrator_read(scalay_integrator *integrator, double *joules)
{
    (void)pthread_mutex_lock(&integrator->mutex);
    await_valid_reading(integrator);
    const scalay_status status = integrator->status;
    *joules = integrator->joules + integrator->watts * fmax(0.0, now(integrator) - integrator->when);
    if (status != SCALAY_SUCCESS) scalay_set_message(integrator->message);
    (void)pthread_mutex_unlock(&integrator->mutex);
    return status;
}

void scalay_integrator_destroy(scalay_integrator **integrator)
{
    if (*integrator == NULL) return;
    (void)pthread_mutex_lock(&(*integrator)->mutex);
    (*integrator)->ended = 1;
    (void)pthread_cond_broadcast(&(*integrator)->changed);
    (void)pthread_mutex_unlock(&(*integrator)->mutex);
    (void)pthread_join((*integrator)->thread, NULL);
    (void)pthread_cond_destroy(&(*integrator)->changed);
    (void)pthread_mutex_destroy(&(*integrator)->mutex);
    scalay_release(*integrator);
    *integrator = NULL;
}
