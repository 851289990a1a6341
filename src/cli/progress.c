#include "progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_SECONDS = 2, TEXT_SIZE = 160 };

/* The one progress of the process; owned by scalay_progress_start() and scalay_progress_stop(). */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    int running;
    int stop;
    const char *subcommand;
    char text[TEXT_SIZE];
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .stopped = PTHREAD_COND_INITIALIZER};

static void *show_until_stopped(void *unused)
{
    struct timespec next;
    int seconds = 0;
    (void)clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&progress.lock);
    while (!progress.stop) {
        next.tv_sec++;
        while (!progress.stop && pthread_cond_timedwait(&progress.stopped, &progress.lock, &next) == 0) continue;
        if (!progress.stop && ++seconds >= QUIET_SECONDS)
            fprintf(stderr, "\r\033[Kscalay %s: %s (%d s)", progress.subcommand, progress.text, seconds);
    }
    if (seconds >= QUIET_SECONDS) fprintf(stderr, "\r\033[K");
    pthread_mutex_unlock(&progress.lock);
    return unused;
}

void scalay_progress_start(const char *subcommand, int wanted)
{
    if (!wanted || progress.running || !isatty(STDERR_FILENO)) return;
    progress.subcommand = subcommand;
    progress.stop = 0;
    (void)snprintf(progress.text, sizeof progress.text, "working");
    progress.running = pthread_create(&progress.thread, NULL, show_until_stopped, NULL) == 0;
}

void scalay_progress_say(const char *format, ...)
{
    if (!progress.running) return;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&progress.lock);
    (void)vsnprintf(progress.text, sizeof progress.text, format, arguments);
    pthread_mutex_unlock(&progress.lock);
    va_end(arguments);
}

void scalay_progress_stop(void)
{
    if (!progress.running) return;
    pthread_mutex_lock(&progress.lock);
    progress.stop = 1;
    pthread_cond_signal(&progress.stopped);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.running = 0;
}
