/* Loaded before MPICH, whose processes wait by spinning: where there are more of them than cores, who waits keeps those
 * from the core that it waits for, up to the end of its time slice, for each message. Here it leaves the core whenever
 * it has looked in vain. UCX, which MPICH asks for news, is asked in its place.
 *
 * In MPI_Finalize, MPICH 4.0 waits until UCX has closed its connections, and then for all processes, by a read from the
 * process manager. UCX gets no time in this read, but others may wait for its answers before they close theirs: over
 * TCP, they then wait forever. Here UCX gets time until the manager answers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *asked; /* the last worker that was asked for news; NULL: none is left */

/* Sets a pointer to the function of this name in the libraries that follow. */
static void find_next(const char *name, void *next)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(next, &found, sizeof found);
}

unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *worker);
    if (next == NULL) find_next("ucp_worker_progress", &next);
    asked = worker;
    const unsigned news = next(worker);
    if (news == 0) (void)sched_yield();
    return news;
}

void ucp_worker_destroy(void *worker);
void ucp_worker_destroy(void *worker)
{
    static void (*next)(void *worker);
    if (next == NULL) find_next("ucp_worker_destroy", &next);
    asked = NULL;
    next(worker);
}

ssize_t read(int file, void *buffer, size_t bytes)
{
    const char *manager = asked != NULL ? getenv("PMI_FD") : NULL;
    struct pollfd answer = {.fd = file, .events = POLLIN};
    if (manager != NULL && atoi(manager) == file)
        while (poll(&answer, 1, 1) == 0) (void)ucp_worker_progress(asked);
    return syscall(SYS_read, file, buffer, bytes);
}
