#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"
#include "measure/interrupt.h"
#include "measure/work.h"

/* The command holds the one end of a pipe, so that the other end tells when it has ended, without asking again and
 * again. What it leaves running may hold it longer: therefore it is asked for, too, now and then: after each
 * millisecond at first, later after a sixteenth of the time that has passed. */
enum { PIPE_PLACE = 3, SLICE_MILLISECONDS = 100, SHARE = 16, LOOKS = 64, ENDS = 2 };

extern char **environ;

/* ---------------------------------------------------------------------------------------------------- text */

static int64_t count_places(const char *text)
{
    int64_t count = 0;
    for (; *text != '\0'; text++) {
        if (*text != '%') continue;
        if (text[1] == 's') count++;
        if (text[1] != '\0') text++;
    }
    return count;
}

/* The command for a size: %s is the size, %% a percent sign, any other one is left as it is. */
static void fill_in(const char *text, int64_t size, scalay_text *command)
{
    for (; *text != '\0'; text++) {
        if (*text == '%' && text[1] == 's')
            scalay_text_append(command, "%lld", (long long)size);
        else
            scalay_text_append(command, "%c", *text);
        if (*text == '%' && (text[1] == 's' || text[1] == '%')) text++;
    }
}

/* --------------------------------------------------------------------------------------------------- process */

static scalay_status cannot_start(int reason)
{
    return scalay_fail(SCALAY_ERROR_FILE, "", "/bin/sh cannot be started for the command: %s", strerror(reason));
}

/* A group of its own, so that it can be ended with all that it has started. Programs expect SIGPIPE to end them, which
 * may be ignored here. */
static int start(char *command, int pipe_end, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char *arguments[] = {shell, flag, command, NULL};
    int code = posix_spawn_file_actions_init(&files);
    if (code != 0) return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        (void)sigemptyset(&usual);
        (void)sigaddset(&usual, SIGPIPE);
        code |= posix_spawnattr_setsigdefault(&attributes, &usual);
        code |= posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        code |= posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        code |= posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        code |= posix_spawn_file_actions_adddup2(&files, pipe_end, PIPE_PLACE);
        if (code == 0) code = posix_spawn(child, shell, &files, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return code;
}

/* 1 when the child has ended; it is left for reap(), so that its number stays its own. */
static int has_ended(pid_t child, int flags)
{
    siginfo_t over = {0};
    int failed = 0;
    do failed = waitid(P_PID, (id_t)child, &over, WEXITED | WNOWAIT | flags);
    while (failed != 0 && errno == EINTR);
    return failed != 0 || over.si_pid == child;
}

/* Ends what the child has started and left, and then takes leave of it; 0 when how it ended is not known. */
static int reap(pid_t child, int *code)
{
    pid_t ended = 0;
    (void)kill(-child, SIGKILL);
    do ended = waitpid(child, code, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child;
}

/* How long to wait before the child is asked for: short against what has passed, which is what is measured. */
static int slice_of(double passed, double left)
{
    const double milliseconds = fmin(1000.0 * passed / SHARE, SLICE_MILLISECONDS);
    return (int)fmin(fmax(1.0, milliseconds), 1000.0 * left + 1.0);
}

/* Waits until the child has ended, or for so long, or until the user has had enough; 1 when it has. The pipe closes a
 * moment before the child can be waited for; a command may also have closed it on its own, and is looked at less often
 * then. */
static int wait_for(pid_t child, int pipe_end, double timeout)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 20000};
    const double begin = scalay_clock();
    for (int ended = 0, looks = 0; !ended;) {
        struct pollfd pipe_state = {.fd = pipe_end, .events = POLLIN, .revents = 0};
        const double passed = scalay_clock() - begin;
        const double left = timeout > 0.0 ? timeout - passed : 1.0;
        if (left <= 0.0 || scalay_interrupt_asked()) return 0;
        int ready = poll(&pipe_state, 1, slice_of(passed, left));
        ended = has_ended(child, WNOHANG);
        if (ended || ready <= 0) continue;
        (void)nanosleep(&moment, NULL);
        if (++looks == LOOKS) pipe_end = -1;
    }
    return 1;
}

static scalay_status judge(int is_known, int code, const char *command)
{
    if (!is_known)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "",
                           "its end is not known, because this program ignores SIGCHLD; do not ignore it: %.300s",
                           command);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0) return SCALAY_SUCCESS;
    if (WIFEXITED(code))
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "exit code %d of: %.300s", WEXITSTATUS(code), command);
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "ended by signal %d: %.300s", WTERMSIG(code), command);
}

static scalay_status execute(const scalay_work_item *item, char *command)
{
    scalay_status status = SCALAY_SUCCESS;
    int ends[ENDS] = {-1, -1};
    int code = 0;
    pid_t child = 0;
    if (pipe(ends) != 0) return cannot_start(errno);
    for (int k = 0; k < ENDS; k++) (void)fcntl(ends[k], F_SETFD, FD_CLOEXEC);
    int problem = start(command, ends[1], &child);
    (void)close(ends[1]);
    if (problem != 0) {
        status = cannot_start(problem);
    } else if (wait_for(child, ends[0], item->timeout)) {
        const int is_known = reap(child, &code);
        status = judge(is_known, code, command);
    } else {
        (void)reap(child, &code);
        status = scalay_interrupt_asked() ? scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "interrupted: %.300s", command)
                                          : scalay_fail(SCALAY_ERROR_UNSUPPORTED, "", "ended after %g seconds: %.300s",
                                                        item->timeout, command);
    }
    (void)close(ends[0]);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- kernel */

static scalay_status run(void *data, int64_t size)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_work_item *item = data;
    char *command = NULL;
    int64_t room = (int64_t)strlen(item->text) + 20 * count_places(item->text) + 1;
    SCALAY_TRY(SCALAY_NEW(command, room));
    scalay_text text = {command, (size_t)room, 0};
    fill_in(item->text, size, &text);
    SCALAY_TRY(execute(item, command));
cleanup:
    scalay_release(command);
    return status;
}

static scalay_status begin(const char *arguments, scalay_work_item *item)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count_places(arguments) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profile_kernel_create",
                           "command '%.200s' has no %%s; write %%s where the size belongs", arguments);
    item->kernel.run = run;
    SCALAY_TRY(SCALAY_NEW(item->text, (int64_t)strlen(arguments) + 1));
    (void)strcpy(item->text, arguments);
    status = scalay_work_set_name(item, "command", arguments);
cleanup:
    return status;
}

const scalay_work_kind scalay_work_command = {"command", begin};
