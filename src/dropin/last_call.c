/*
 * The last call of a process that dies. scalay-run sets SCALAY_LAST_CALL. The library then starts a watcher when it is
 * loaded, before MPI does anything. The watcher shares a page of memory with the process, and waits for the end of a
 * pipe whose other end only the process has. The pipe ends however the process ends, also by kill -9. If the process
 * has not left by exit(), the watcher names its last call.
 *
 * The watcher is no child of the process, so the process may wait for all children. It has its own session, so that
 * signals to the process do not reach it. It keeps no file but the standard error output. Nothing has a name in a file
 * system, so nothing can be left behind.
 */
#include "dropin/last_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

static scalay_last_call_note unwatched;
scalay_last_call_note *scalay_last_call = &unwatched;
static pid_t owner; /* the watched process */

/* Rank of the process as its launcher says it; NULL: unknown. MPI cannot be asked before it is initialised. */
static const char *find_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]) != NULL) return getenv(names[k]);
    return NULL;
}

static void report_end(const scalay_last_call_note *note, pid_t process)
{
    char text[200];
    const char *rank = find_rank();
    const int length =
        snprintf(text, sizeof text, "scalay-run: %s%.12s%sprocess %ld died %s %s, its call number %ld of ScaLAPACK\n",
                 rank != NULL ? "rank " : "", rank != NULL ? rank : "", rank != NULL ? ", " : "", (long)process,
                 note->depth > 0 ? "in" : "after", note->name, note->calls);
    if (length > 0 && write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

/* Runs as the watcher. */
static _Noreturn void watch(const scalay_last_call_note *note, pid_t process, int pipe_end)
{
    char nothing = 0;
    const long limit = sysconf(_SC_OPEN_MAX);
    for (int file = 0; file < (limit > 0 && limit < 4096 ? limit : 4096); file++)
        if (file != pipe_end && file != STDERR_FILENO) (void)close(file);
    (void)setsid();
    (void)chdir("/");
    while (read(pipe_end, &nothing, 1) > 0) {
    }
    if (note->name != NULL) report_end(note, process);
    _exit(0);
}

/* The process in between ends at once, so that the watcher is nobody's child. */
static void start_watcher(scalay_last_call_note *note, const int *ends)
{
    owner = getpid();
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) watch(note, owner, ends[0]);
        _exit(0);
    }
    if (between > 0 && waitpid(between, NULL, 0) == between) scalay_last_call = note;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("SCALAY_LAST_CALL");
    int ends[2];
    if (text == NULL || strcmp(text, "1") != 0 || pipe2(ends, O_CLOEXEC) != 0) return;
    void *page = mmap(NULL, sizeof *scalay_last_call, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) start_watcher(page, ends);
    (void)close(ends[0]);
}

/* A copy of the process by fork() has the page, too. */
__attribute__((destructor)) static void end(void)
{
    if (getpid() == owner) scalay_last_call->name = NULL;
}
