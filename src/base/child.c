/*
 * Child processes. posix_spawn starts them, so that a large MPI process is not copied. Each child leads a process
 * group: killing the group also ends the programs that the child has started.
 */
#define _GNU_SOURCE /* pipe2 */

#include "base/child.h"

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

#include "base/text.h"

enum { END_DESCRIPTOR = 3 };

extern char **environ;

static int set_files(posix_spawn_file_actions_t *files, scalay_child_pipe pipe, int end)
{
    static const int descriptor[] = {STDOUT_FILENO, STDERR_FILENO, END_DESCRIPTOR};
    int failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed && pipe == SCALAY_CHILD_OUTPUT)
        failed = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(files, end, descriptor[pipe]);
    return failed;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t default_signals;
    (void)sigemptyset(&default_signals);
    (void)sigaddset(&default_signals, SIGPIPE);
    int failed = posix_spawnattr_setsigdefault(attributes, &default_signals);
    if (!failed) failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    return failed;
}

static int spawn(const char *const given[], scalay_child_pipe pipe, int end, pid_t *id)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char *arguments[4]; /* posix_spawnp() does not change them */
    memcpy(arguments, given, sizeof arguments);
    int failed = posix_spawn_file_actions_init(&files);
    if (failed) return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_files(&files, pipe, end);
        if (!failed) failed = set_attributes(&attributes);
        if (!failed) failed = posix_spawnp(id, arguments[0], &files, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return failed;
}

int scalay_child_start(const char *program, const char *option, const char *argument, scalay_child_pipe pipe,
                       scalay_child *child)
{
    const char *const arguments[] = {program, option, argument, NULL};
    int ends[2];
    /* Threads may start programs concurrently: a child must not inherit the pipe of another one. */
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    const int failed = spawn(arguments, pipe, ends[1], &child->id);
    (void)close(ends[1]);
    if (failed)
        (void)close(ends[0]);
    else
        child->pipe = ends[0];
    return failed;
}

static int has_ended(const scalay_child *child, int flags)
{
    siginfo_t ended = {0};
    int failed = 0;
    do failed = waitid(P_PID, (id_t)child->id, &ended, WEXITED | WNOWAIT | flags);
    while (failed && errno == EINTR);
    return failed || ended.si_pid == child->id;
}

void scalay_child_wait(const scalay_child *child)
{
    (void)has_ended(child, 0);
}

int scalay_child_has_ended(const scalay_child *child)
{
    return has_ended(child, WNOHANG);
}

int scalay_child_end(scalay_child *child, char *reason)
{
    int code = 0;
    pid_t ended = 0;
    /* The id is not reused before waitpid(), so that no other group is killed. */
    (void)kill(-child->id, SIGKILL);
    do ended = waitpid(child->id, &code, 0);
    while (ended < 0 && errno == EINTR);
    (void)close(child->pipe);
    child->pipe = -1;
    if (ended < 0)
        (void)snprintf(reason, SCALAY_CHILD_REASON_SIZE,
                       "its exit code is not known, because this program ignores SIGCHLD; do not ignore SIGCHLD");
    else if (WIFEXITED(code))
        (void)snprintf(reason, SCALAY_CHILD_REASON_SIZE, "exit code %d", WEXITSTATUS(code));
    else
        (void)snprintf(reason, SCALAY_CHILD_REASON_SIZE, "ended by signal %d", WTERMSIG(code));
    return ended < 0 ? -1 : WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

/* ------------------------------------------------------------------------------------------ shell commands */

enum { SHOWN_SIZE = 80, WAIT_NANOSECONDS = 1000000 };
/* Seconds between two calls of stop(), and allowed after it has returned 1. */
#define POLL_SECONDS 0.05
#define GRACE_SECONDS 0.5

typedef struct {
    const char *function;
    char shown[SHOWN_SIZE]; /* the command, for messages */
    double limit;           /* seconds */
    double deadline;        /* on the monotonic clock */
    int (*stop)(void);      /* NULL after it has returned 1 */
    scalay_child child;
} shell_run;

static double seconds_now(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static scalay_status fail_with_errno(const shell_run *r, const char *verb, int error)
{
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function, "\"%s\" could not be %s: %s", r->shown, verb,
                       strerror(error));
}

static scalay_status fail_late(const shell_run *r)
{
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function, "\"%s\" takes longer than %g s; it must answer sooner",
                       r->shown, r->limit);
}

/* Returns the seconds left. After a request to stop, at most GRACE_SECONDS are left. */
static double seconds_left(shell_run *r)
{
    const double now = seconds_now();
    if (r->stop != NULL && r->stop()) {
        r->stop = NULL;
        if (r->deadline > now + GRACE_SECONDS) {
            r->deadline = now + GRACE_SECONDS;
            r->limit = GRACE_SECONDS;
        }
    }
    return r->deadline - now;
}

/* Reads until the command closes the pipe. Output that does not fit is read and dropped. */
static scalay_status collect(shell_run *r, char *output, size_t size)
{
    size_t length = 0;
    char dropped[256];
    for (;;) {
        struct pollfd end = {.fd = r->child.pipe, .events = POLLIN};
        const double left = seconds_left(r);
        if (left <= 0.0) return fail_late(r);
        const int ready = poll(&end, 1, 1 + (int)(1000.0 * (left < POLL_SECONDS ? left : POLL_SECONDS)));
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const size_t free_bytes = size - 1 - length;
        const ssize_t got =
            read(end.fd, free_bytes > 0 ? output + length : dropped, free_bytes > 0 ? free_bytes : sizeof dropped);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_with_errno(r, "read", errno);
        if (got == 0) break;
        if (free_bytes > 0) length += (size_t)got;
    }
    output[length] = '\0';
    return SCALAY_SUCCESS;
}

/* Waits for the end of a command that has closed its output. */
static scalay_status wait_for_end(shell_run *r)
{
    const struct timespec interval = {.tv_nsec = WAIT_NANOSECONDS};
    while (!scalay_child_has_ended(&r->child)) {
        if (seconds_left(r) <= 0.0) return fail_late(r);
        (void)nanosleep(&interval, NULL);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_command_run(const char *command, double seconds, int (*stop)(void), const char *function,
                                 char *output, size_t size)
{
    shell_run r = {.function = function, .limit = seconds, .deadline = seconds_now() + seconds, .stop = stop};
    char reason[SCALAY_CHILD_REASON_SIZE];
    (void)scalay_text_clean(command, r.shown, sizeof r.shown);
    output[0] = '\0';
    const int failed = scalay_child_start("/bin/sh", "-c", command, SCALAY_CHILD_OUTPUT, &r.child);
    if (failed) return fail_with_errno(&r, "run", failed);
    scalay_status status = collect(&r, output, size);
    if (status == SCALAY_SUCCESS) status = wait_for_end(&r);
    const int ended_well = scalay_child_end(&r.child, reason);
    if (status == SCALAY_SUCCESS && ended_well <= 0)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, function, "\"%s\": %s", r.shown, reason);
    return status;
}
