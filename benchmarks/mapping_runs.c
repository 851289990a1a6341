/* Runs in processes of their own, and how their times are printed. */
#include "timing.h"

#include <malloc.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "mapping_runs.h"

enum { MOST_REPETITIONS = 99 };

static int differences;

/* The clock of the thread, of which there is one: where a limit is set, Linux moves that of the process on in ticks. */
double mapping_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void mapping_must(scalay_status status)
{
    timing_must(status);
}

void *mapping_room(int64_t count, size_t size)
{
    void *array = calloc(count > 0 ? (size_t)count : 1, size);
    if (array == NULL) {
        fprintf(stderr, "no memory for %lld times %zu bytes\n", (long long)count, size);
        exit(3);
    }
    return array;
}

typedef struct {
    mapping_run run;
    const void *context;
    int repetitions;
    int limit;
    int end; /* of a pipe, for the outcome */
} job;

/* The peak of a process that was forked starts at what was resident then. */
static double peak_megabytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
}

/* The limit is over: the end without a word is all that the parent looks for. */
static void give_up(int number)
{
    (void)number;
    _exit(0);
}

/* Processor seconds, so that other programs do not use up what a peer is given. */
static void limit_seconds(int limit)
{
    const struct rlimit bounds = {(rlim_t)limit, RLIM_INFINITY};
    if (limit <= 0) return;
    (void)signal(SIGXCPU, give_up);
    if (setrlimit(RLIMIT_CPU, &bounds) != 0) timing_must(SCALAY_ERROR_ARGUMENT);
}

static double repeat(void *context, double *unused)
{
    const job *todo = context;
    const double before = peak_megabytes();
    /* Repetitions that are not needed are no reason to give a peer up. */
    const double enough = todo->limit > 0 && todo->limit < 9 ? todo->limit / 3.0 : 3.0;
    double seconds[MOST_REPETITIONS], spent = 0.0;
    mapping_outcome outcome = {0};
    int count = 0;
    *unused = 0.0;
    scalay_memory_keep_released();
    limit_seconds(todo->limit);
    do {
        seconds[count] = todo->run(todo->context, outcome.value);
        if (seconds[count] < 0.0) return seconds[count];
        spent += seconds[count++];
    } while (count < todo->repetitions && count < MOST_REPETITIONS && spent < enough);
    outcome.seconds = timing_median(seconds, count);
    outcome.megabytes = peak_megabytes() - before;
    if (write(todo->end, &outcome, sizeof outcome) != (ssize_t)sizeof outcome) return TIMING_TOO_LONG;
    return outcome.seconds;
}

mapping_outcome mapping_measure(mapping_run run, const void *context, int repetitions, int limit)
{
    mapping_outcome outcome = {0};
    double unused = 0.0;
    int ends[2];
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
    if (pipe(ends) != 0) timing_must(SCALAY_ERROR_MEMORY);
    job todo = {run, context, repetitions, limit, ends[1]};
    const double seconds = timing_limited(repeat, &todo, 0, &unused);
    close(ends[1]);
    if (seconds < 0.0 || read(ends[0], &outcome, sizeof outcome) != (ssize_t)sizeof outcome)
        outcome = (mapping_outcome){.seconds = seconds < 0.0 ? seconds : TIMING_TOO_LONG};
    close(ends[0]);
    return outcome;
}

/* ----------------------------------------------------------------------------------------------- cells */

static void seconds_text(double seconds, char text[32])
{
    const int digits = seconds >= 100.0   ? 0
                       : seconds >= 10.0  ? 1
                       : seconds >= 1.0   ? 2
                       : seconds >= 0.1   ? 3
                       : seconds >= 0.001 ? 4
                                          : 6;
    snprintf(text, 32, "%.*f", digits, seconds);
}

void mapping_print_seconds(double seconds, int width)
{
    char text[32];
    seconds_text(seconds, text);
    printf(" %*s |", width, text);
}

void mapping_print_peer(double seconds, double ours, int limit, int differs)
{
    char text[64] = "-", number[32];
    if (seconds >= 0.0) {
        seconds_text(seconds, number);
        snprintf(text, sizeof text, "%s / %.*f%s", number, seconds < 10.0 * ours ? 1 : 0, seconds / ours,
                 differs ? " WRONG" : "");
        differences += differs;
    } else if (seconds <= TIMING_TOO_LONG && limit > 0) {
        snprintf(text, sizeof text, ">%d / >%.0f", limit, limit / ours);
    }
    printf(" %18s |", text);
    fflush(stdout);
}

void mapping_print_megabytes(double megabytes)
{
    printf(" %5.*f |", megabytes < 10.0 ? 1 : 0, megabytes);
}

int mapping_differences(void)
{
    return differences;
}
