#define _XOPEN_SOURCE 700
#include "io/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 200 };

extern char **environ;

/* Starts gnuplot with nothing to read, and what it says about errors in a pipe; an errno. */
static int start(const char *script, const int ends[2], pid_t *child)
{
    /* posix_spawnp's arguments are not const, though it does not change them. */
    char name[] = "gnuplot", option[] = "-d";
    char *arguments[] = {name, option, NULL, NULL};
    memcpy(&arguments[2], &script, sizeof script);
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) return failed;
    if (!failed) failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (!failed) failed = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Takes in all that comes, so that the writer never waits; keeps the first of it as one line. */
static void listen_to(int end, char words[WORDS])
{
    char bytes[256];
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(end, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t k = 0; k < got && kept + 1 < WORDS; k++)
            if (bytes[k] > ' ' || (kept > 0 && words[kept - 1] != ' ')) words[kept++] = bytes[k] > ' ' ? bytes[k] : ' ';
    }
    words[kept] = '\0';
}

/* Whether the child ended well; -1 when nobody can tell (the program ignores its children). */
static int wait_for(pid_t child)
{
    int how = 0;
    pid_t ended;
    do ended = waitpid(child, &how, 0);
    while (ended < 0 && errno == EINTR);
    return ended < 0 ? -1 : WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static int exists(const char *picture)
{
    struct stat facts;
    return stat(picture, &facts) == 0 && facts.st_size > 0;
}

scalay_status scalay_gnuplot_run(const char *script, const char *picture)
{
    int ends[2];
    pid_t child = 0;
    char words[WORDS] = "";
    (void)unlink(picture); /* what is there afterwards is new */
    if (pipe(ends) != 0)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "no pipe to gnuplot: %s; close files and draw again", strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    int failed = start(script, ends, &child);
    close(ends[1]);
    if (!failed) listen_to(ends[0], words);
    close(ends[0]);
    if (failed)
        return SCALAY_FAIL(SCALAY_ERROR_FILE,
                           "gnuplot cannot be run: %s; install it (apt install gnuplot-nox), then: gnuplot '%.150s'",
                           strerror(failed), script);
    if (wait_for(child) != 0 && exists(picture)) return SCALAY_SUCCESS;
    (void)unlink(picture);
    return SCALAY_FAIL(SCALAY_ERROR_FILE,
                       "gnuplot could not draw '%.100s' (script '%.100s'): %s; check the folder, or "
                       "install gnuplot-nox with cairo",
                       picture, script, words[0] != '\0' ? words : "it made no picture");
}
