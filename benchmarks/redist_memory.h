#ifndef SCALAY_BENCHMARKS_REDIST_MEMORY_H
#define SCALAY_BENCHMARKS_REDIST_MEMORY_H

/**
 * @file
 * The peak of memory that a run needs, as the kernel sees it (Linux; elsewhere there is none).
 *
 * Memory of the process is what its resident set grows by between memory_start() and its peak (VmHWM, which a write to
 * /proc/self/clear_refs starts anew). Shared memory would count on every process that has touched it: it is taken out
 * there, and in as the growth of Pss_Shmem, in which a page counts once, divided among those that have touched it.
 */

#include <malloc.h>
#include <mpi.h>

/** Where a measurement started; kilobytes. */
typedef struct {
    double resident;
    double shared;     /* of it, in shared memory */
    double shared_pss; /* the same with its pages divided among the processes */
} memory_mark;

/* A line of a file in /proc that says "NAME:   123 kB"; -1 when there is none. */
static double memory_line(const char *path, const char *name)
{
    char line[256];
    double value = -1.0;
    const size_t length = strlen(name);
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1.0;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0 && line[length] == ':') value = strtod(line + length + 1, NULL);
    (void)fclose(file);
    return value;
}

/** Gives back what has been released, and lets the peak start anew. */
static memory_mark memory_start(void)
{
    memory_mark mark = {-1.0, -1.0, -1.0};
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
    mark.shared = memory_line("/proc/self/status", "RssShmem");
    mark.shared_pss = memory_line("/proc/self/smaps_rollup", "Pss_Shmem");
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return mark;
    const int written = fputs("5", file) >= 0;
    if (fclose(file) == 0 && written) mark.resident = memory_line("/proc/self/status", "VmRSS");
    return mark;
}

/**
 * The bytes that the process of the communicator that needs most has needed since `start`, with its even share of the
 * memory that they share; -1 when that cannot be found out. Collective.
 */
static double memory_peak(MPI_Comm comm, memory_mark start)
{
    const double peak = memory_line("/proc/self/status", "VmHWM");
    const double shared = memory_line("/proc/self/status", "RssShmem");
    const double pss = memory_line("/proc/self/smaps_rollup", "Pss_Shmem");
    int size = 1;
    int unknown = start.resident < 0.0 || start.shared < 0.0 || start.shared_pss < 0.0 || peak < 0.0 || pss < 0.0;
    double alone = peak - start.resident - (shared - start.shared), together = pss - start.shared_pss;
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(MPI_IN_PLACE, &unknown, 1, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_DOUBLE, MPI_SUM, comm);
    const double bytes = 1024.0 * (alone + together / size);
    return unknown ? -1.0 : bytes > 0.0 ? bytes : 0.0;
}

#endif
