/* For posix_spawn, poll and the clock. */
#define _POSIX_C_SOURCE 200809L

#include "core/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"

extern char **environ;

enum { SHOWN = 80, NAP_NANOSECONDS = 1000000 };

typedef struct {
    const char *function;
    char shown[SHOWN]; /* the command, for messages */
    double deadline;
    pid_t child;
    int output; /* where the command writes */
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

static int set_files(posix_spawn_file_actions_t *actions, const int ends[2])
{
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(actions, ends[1], STDOUT_FILENO);
    return failed;
}

/* A process group of its own: what the shell starts can be ended with it, and ctrl-C does not reach it. */
static int spawn(running *r, const char *command, const int ends[2])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char shell[] = "sh", option[] = "-c";
    char *arguments[] = {shell, option, NULL, NULL};
    memcpy(&arguments[2], &command, sizeof command); /* which posix_spawn does not change */
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_files(&actions, ends);
        if (!failed) failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (!failed) failed = posix_spawn(&r->child, "/bin/sh", &actions, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static scalay_status start(running *r, const char *command)
{
    int ends[2];
    if (pipe(ends) != 0) return could_not(r, "given a pipe", errno);
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const int failed = spawn(r, command, ends);
    (void)close(ends[1]);
    if (failed) {
        (void)close(ends[0]);
        return could_not(r, "run", failed);
    }
    r->output = ends[0];
    return SCALAY_SUCCESS;
}

static scalay_status too_late(const running *r)
{
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function, "\"%s\" takes too long", r->shown);
}

/* Until the command has closed its end; what does not fit is read and dropped. */
static scalay_status collect(const running *r, char *output, size_t size)
{
    size_t length = 0;
    char rest[256];
    for (;;) {
        struct pollfd end = {.fd = r->output, .events = POLLIN};
        const double left = r->deadline - seconds_now();
        if (left <= 0.0) return too_late(r);
        const int ready = poll(&end, 1, 1 + (int)(1000.0 * (left < 1e6 ? left : 1e6)));
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const size_t room = size - 1 - length;
        const ssize_t got = read(r->output, room > 0 ? output + length : rest, room > 0 ? room : sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return could_not(r, "read", errno);
        if (got == 0) break;
        if (room > 0) length += (size_t)got;
    }
    output[length] = '\0';
    return SCALAY_SUCCESS;
}

/* It has closed its output, and should soon be over; it is left for waitpid(). */
static scalay_status await(const running *r)
{
    const struct timespec nap = {.tv_nsec = NAP_NANOSECONDS};
    for (;;) {
        siginfo_t over = {0};
        const int failed = waitid(P_PID, (id_t)r->child, &over, WEXITED | WNOHANG | WNOWAIT);
        if (failed && errno == ECHILD) return SCALAY_SUCCESS; /* finish() says why */
        if (failed && errno != EINTR) return could_not(r, "waited for", errno);
        if (!failed && over.si_pid == r->child) return SCALAY_SUCCESS;
        if (seconds_now() > r->deadline) return too_late(r);
        (void)nanosleep(&nap, NULL);
    }
}

/* Ends what is left of the command, while its process number cannot be anybody else's. */
static scalay_status finish(const running *r)
{
    int end = 0;
    pid_t over = 0;
    (void)kill(-r->child, SIGKILL);
    do over = waitpid(r->child, &end, 0);
    while (over < 0 && errno == EINTR);
    if (over < 0)
        return scalay_fail(
            SCALAY_ERROR_UNSUPPORTED, r->function,
            "how \"%s\" has ended is not known: %s; a program that runs commands must not ignore SIGCHLD", r->shown,
            strerror(errno));
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function, "\"%s\" ended with %s %d", r->shown,
                       WIFEXITED(end) ? "exit code" : "signal", WIFEXITED(end) ? WEXITSTATUS(end) : WTERMSIG(end));
}

scalay_status scalay_command_run(const char *command, double seconds, const char *function, char *output, size_t size)
{
    running r = {.function = function, .deadline = seconds_now() + seconds};
    (void)scalay_text_clean(command, r.shown, sizeof r.shown);
    output[0] = '\0';
    scalay_status status = start(&r, command);
    if (status != SCALAY_SUCCESS) return status;
    status = collect(&r, output, size);
    (void)close(r.output);
    if (status == SCALAY_SUCCESS) status = await(&r);
    if (status == SCALAY_SUCCESS) return finish(&r);
    char why[SCALAY_MESSAGE_SIZE]; /* which the end by our own signal would hide */
    (void)snprintf(why, sizeof why, "%s", scalay_error_message());
    (void)finish(&r);
    scalay_set_message(why);
    return status;
}
