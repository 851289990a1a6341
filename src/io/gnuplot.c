#define _XOPEN_SOURCE 700
#include "io/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 200, ENDING = 64 };

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

/* The end of a picture. */
typedef struct {
    char bytes[ENDING];
    size_t count;
} ending;

static ending end_of(const char *picture)
{
    ending end = {{0}, 0};
    FILE *file = fopen(picture, "rb");
    if (file == NULL) return end;
    if (fseek(file, -(long)sizeof end.bytes, SEEK_END) != 0) rewind(file);
    end.count = fread(end.bytes, 1, sizeof end.bytes, file);
    (void)fclose(file);
    return end;
}

/* Whether a picture ends as .svg, .png or .pdf do. On a full disk gnuplot leaves a part of one and does not complain.
 */
static int is_whole(const ending *end)
{
    static const char *const marks[] = {"</svg>", "IEND", "%%EOF"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        for (size_t at = 0; at + strlen(marks[k]) <= end->count; at++)
            if (memcmp(end->bytes + at, marks[k], strlen(marks[k])) == 0) return 1;
    return 0;
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
    const int ended_well = wait_for(child) != 0;
    const ending end = end_of(picture);
    if (ended_well && is_whole(&end)) return SCALAY_SUCCESS;
    (void)unlink(picture);
    return SCALAY_FAIL(SCALAY_ERROR_FILE,
                       "gnuplot could not draw '%.100s' (script '%.100s'): %s; check the folder, or "
                       "install gnuplot-nox with cairo",
                       picture, script,
                       words[0] != '\0'              ? words
                       : ended_well && end.count > 0 ? "the picture is cut off: the disk may be full"
                                                     : "it made no picture");
}
