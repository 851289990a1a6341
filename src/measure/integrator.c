/* For threads. */
#define _POSIX_C_SOURCE 200809L

#include "measure/integrator.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

/* So long a reading holds. */
#define MOST_PERIODS 4.0

struct scalay_integrator {
    scalay_power_source source;
    const scalay_clocks *clocks;
    double period;
    pthread_t thread;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t changed;
    int begun;     /* there was a first reading, or a failure */
    int ended;     /* the thread is to come to its end */
    int64_t taken; /* readings, or a failure */
    scalay_status status;
    char message[SCALAY_MESSAGE_SIZE]; /* of the status: messages belong to threads */
    double watts;                      /* the last reading */
    double when;                       /* seconds */
    double joules;                     /* until then */
};

static double now(const scalay_integrator *integrator)
{
    return integrator->clocks->now(integrator->clocks->data);
}

/* A reading, or the reason why there is none. */
static void take(scalay_integrator *integrator, scalay_status status, double watts)
{
    const double when = now(integrator);
    if (status == SCALAY_SUCCESS && !(isfinite(watts) && watts >= 0.0))
        status =
            scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_read", "the meter says %g W, which is no power", watts);
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

/* Waits for the next reading; 1 when there is to be none. */
static int rest(scalay_integrator *integrator)
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
        take(integrator, status, 0.0);
        return NULL;
    }
    do {
        status = source->watts(source->data, &watts);
        take(integrator, status, watts);
    } while (integrator->status == SCALAY_SUCCESS && !rest(integrator));
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

/* Naps go by a clock that nobody sets. */
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
    scalay_integrator *made = NULL;
    scalay_status status = SCALAY_NEW(made, 1);
    if (status != SCALAY_SUCCESS) return status;
    made->source = *source;
    made->period = period;
    made->clocks = clocks;
    (void)pthread_mutex_init(&made->mutex, NULL);
    init_condition(&made->changed);
    const int failed = pthread_create(&made->thread, NULL, integrate, made);
    if (failed) {
        (void)pthread_cond_destroy(&made->changed);
        (void)pthread_mutex_destroy(&made->mutex);
        scalay_release(made);
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_create", "no thread for a power meter: %s",
                           strerror(failed));
    }
    *integrator = made;
    status = await_first(made);
    if (status != SCALAY_SUCCESS) scalay_integrator_destroy(integrator);
    return status;
}

/* The last watts are taken to last for a while; of a source that is later than that the next reading is waited for, so
 * that no joules are invented for one that hangs. */
static void await_news(scalay_integrator *integrator)
{
    const int64_t taken = integrator->taken;
    if (now(integrator) - integrator->when <= MOST_PERIODS * integrator->period) return;
    while (integrator->status == SCALAY_SUCCESS && integrator->taken == taken)
        (void)pthread_cond_wait(&integrator->changed, &integrator->mutex);
}

scalay_status scalay_integrator_read(scalay_integrator *integrator, double *joules)
{
    (void)pthread_mutex_lock(&integrator->mutex);
    await_news(integrator);
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
