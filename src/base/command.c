/* For poll and the clock. */
#define _POSIX_C_SOURCE 200809L

#include "base/command.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/text.h"

enum { SHOWN = 80, NAP_NANOSECONDS = 1000000 };
/* Seconds between two questions whether to stop, and until it is done. */
#define LOOK 0.05
#define FAREWELL 0.5

typedef struct {
    const char *function;
    char shown[SHOWN]; /* the command, for messages */
    double allowed;
    double deadline;
    int (*stop)(void); /* NULL when it was told to */
    scalay_child child;
} running;

static double seconds_now(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static scalay_status could_not(const running *r, const char *what, int error)
{
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function, "\"%s\" could not be %s: %s", r->shown, what,
                       strerror(error));
}

static scalay_status too_late(const running *r)
{
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function, "\"%s\" takes longer than %g s; it should answer at once",
                       r->shown, r->allowed);
}

/* Seconds that are left. Who is asked to stop does not wait for a command that hangs. */
static double seconds_left(running *r)
{
    const double now = seconds_now();
    if (r->stop != NULL && r->stop()) {
        r->stop = NULL;
        if (r->deadline > now + FAREWELL) {
            r->deadline = now + FAREWELL;
            r->allowed = FAREWELL;
        }
    }
    return r->deadline - now;
}

/* Until the command has closed its end; what does not fit is read and dropped. */
static scalay_status collect(running *r, char *output, size_t size)
{
    size_t length = 0;
    char rest[256];
    for (;;) {
        struct pollfd end = {.fd = r->child.pipe, .events = POLLIN};
        const double left = seconds_left(r);
        if (left <= 0.0) return too_late(r);
        const int ready = poll(&end, 1, 1 + (int)(1000.0 * (left < LOOK ? left : LOOK)));
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const size_t room = size - 1 - length;
        const ssize_t got = read(end.fd, room > 0 ? output + length : rest, room > 0 ? room : sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return could_not(r, "read", errno);
        if (got == 0) break;
        if (room > 0) length += (size_t)got;
    }
    output[length] = '\0';
    return SCALAY_SUCCESS;
}

/* It has closed its output, and should soon be over. */
static scalay_status await(running *r)
{
    const struct timespec nap = {.tv_nsec = NAP_NANOSECONDS};
    while (!scalay_child_has_ended(&r->child)) {
        if (seconds_left(r) <= 0.0) return too_late(r);
        (void)nanosleep(&nap, NULL);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_command_run(const char *command, double seconds, int (*stop)(void), const char *function,
                                 char *output, size_t size)
{
    running r = {.function = function, .allowed = seconds, .deadline = seconds_now() + seconds, .stop = stop};
    char how[SCALAY_CHILD_HOW];
    (void)scalay_text_clean(command, r.shown, sizeof r.shown);
    output[0] = '\0';
    const int failed = scalay_child_start("/bin/sh", "-c", command, SCALAY_CHILD_OUTPUT, &r.child);
    if (failed) return could_not(&r, "run", failed);
    scalay_status status = collect(&r, output, size);
    if (status == SCALAY_SUCCESS) status = await(&r);
    const int ended_well = scalay_child_end(&r.child, how);
    if (status == SCALAY_SUCCESS && ended_well <= 0)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, function, "\"%s\": %s", r.shown, how);
    return status;
}
