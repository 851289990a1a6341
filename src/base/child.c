/* For pipe2. */
#define _GNU_SOURCE

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_PLACE = 3 };

extern char **environ;

static int set_files(posix_spawn_file_actions_t *files, scalay_child_pipe pipe, int end)
{
    static const int place[] = {STDOUT_FILENO, STDERR_FILENO, PIPE_PLACE};
    int failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed && pipe == SCALAY_CHILD_OUTPUT)
        failed = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(files, end, place[pipe]);
    return failed;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t usual;
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    int failed = posix_spawnattr_setsigdefault(attributes, &usual);
    if (!failed) failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    return failed;
}

static int spawn(const char *const given[], scalay_child_pipe pipe, int end, pid_t *id)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char *arguments[4]; /* which posix_spawnp() does not change */
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
    /* Threads may start programs at the same time: neither's pipe may stay open in the other's. */
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
    siginfo_t over = {0};
    int failed = 0;
    do failed = waitid(P_PID, (id_t)child->id, &over, WEXITED | WNOWAIT | flags);
    while (failed && errno == EINTR);
    return failed || over.si_pid == child->id;
}

void scalay_child_wait(const scalay_child *child)
{
    (void)has_ended(child, 0);
}

int scalay_child_has_ended(const scalay_child *child)
{
    return has_ended(child, WNOHANG);
}

int scalay_child_end(scalay_child *child, char *how)
{
    int code = 0;
    pid_t over = 0;
    /* As long as nobody has waited for it, its number cannot be anybody else's. */
    (void)kill(-child->id, SIGKILL);
    do over = waitpid(child->id, &code, 0);
    while (over < 0 && errno == EINTR);
    (void)close(child->pipe);
    child->pipe = -1;
    if (over < 0)
        (void)snprintf(how, SCALAY_CHILD_HOW,
                       "its end is not known, because this program ignores SIGCHLD; do not ignore it");
    else if (WIFEXITED(code))
        (void)snprintf(how, SCALAY_CHILD_HOW, "exit code %d", WEXITSTATUS(code));
    else
        (void)snprintf(how, SCALAY_CHILD_HOW, "ended by signal %d", WTERMSIG(code));
    return over < 0 ? -1 : WIFEXITED(code) && WEXITSTATUS(code) == 0;
}
