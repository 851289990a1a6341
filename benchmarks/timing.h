#ifndef SCALAY_BENCHMARKS_TIMING_H
#define SCALAY_BENCHMARKS_TIMING_H

/** @file Processor seconds, medians, runs with a limit, and the machine: for benchmarks. Include it first. */

#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scalay/status.h"

/** Of the processor, so that a busy machine does not count. */
static inline double timing_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int timing_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/** Sorts the values. */
static inline double timing_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, timing_compare);
    return values[count / 2];
}

static inline void timing_must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(3);
}

/** What a benchmark is told. */
typedef struct {
    int limit; /* seconds for a peer; 0: any number */
    uint64_t seed;
} timing_options;

/** Reads [--full] [--limit SECONDS] [--seed N] over the defaults; leaves with a usage line when there is more. */
static inline timing_options timing_read_options(int argc, char **argv, timing_options options)
{
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--full") == 0) {
            options.limit = 0;
        } else if (strcmp(argv[k], "--limit") == 0 && k + 1 < argc) {
            options.limit = atoi(argv[++k]);
        } else if (strcmp(argv[k], "--seed") == 0 && k + 1 < argc) {
            options.seed = strtoull(argv[++k], NULL, 10);
        } else {
            fprintf(stderr, "usage: %s [--full] [--limit SECONDS] [--seed N]\n", argv[0]);
            exit(2);
        }
    }
    return options;
}

/** The first lines of every table. */
static inline void timing_print_machine(const timing_options *options)
{
    char line[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "model name", 10) != 0) line[0] = 0;
    if (file != NULL) fclose(file);
    const char *name = strchr(line, ':');
#if defined(__VERSION__)
    printf("compiler %s\n", __VERSION__);
#endif
    printf("cpu     %s", name != NULL ? name + 1 : " unknown\n");
    if (options != NULL)
        printf("seed     %llu\nlimit    %d seconds for a peer (0: none)\n", (unsigned long long)options->seed,
               options->limit);
    fflush(stdout);
}

/** What is timed: sets `value` to what it found, and returns the processor seconds, negative when it was refused. */
typedef double (*timing_run)(void *context, double *value);

/** Why there is no time. */
enum { TIMING_REFUSED = -1, TIMING_TOO_LONG = -2 };

/** Runs in a process of its own, for at most so many seconds (0: any number). */
static inline double timing_limited(timing_run run, void *context, int limit, double *value)
{
    double answer[2] = {TIMING_TOO_LONG, 0.0};
    int ends[2];
    int status = 0;
    fflush(NULL);
    if (pipe(ends) != 0) timing_must(SCALAY_ERROR_MEMORY);
    const pid_t child = fork();
    if (child < 0) timing_must(SCALAY_ERROR_MEMORY);
    if (child == 0) {
        if (limit > 0) alarm((unsigned)limit);
        answer[0] = run(context, &answer[1]);
        const int failed = write(ends[1], answer, sizeof answer) != (ssize_t)sizeof answer;
        _exit(failed);
    }
    close(ends[1]);
    if (read(ends[0], answer, sizeof answer) != (ssize_t)sizeof answer) answer[0] = TIMING_TOO_LONG;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0) exit(WEXITSTATUS(status));
    *value = answer[1];
    return answer[0];
}

/** A time of a peer and how many times ours it is, or why there is none. */
static inline void timing_print_peer(double seconds, double ours, int limit)
{
    char text[32];
    if (seconds >= 0.0)
        printf(" %11.4g %10.0f", seconds, seconds / ours);
    else if (seconds > TIMING_TOO_LONG)
        printf(" %11s %10s", "refused", "-");
    else {
        snprintf(text, sizeof text, ">%d", limit);
        printf(" %11s %10s", limit > 0 ? text : "-", "-");
    }
}

#endif
