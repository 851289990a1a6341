#ifndef SCALAY_BENCHMARKS_WORKLOAD_RUNS_H
#define SCALAY_BENCHMARKS_WORKLOAD_RUNS_H

/**
 * @file
 * What the benchmarks of workload distribution share: repeated runs in a process of their own, statistics, cells of
 * Markdown tables, and the CSV file with every median. Include it first.
 *
 * A peer is run up to nine times, as long as half a second lasts, and at least three times where its first run takes at
 * most two seconds; where that takes longer, once. Tables say so: "(1 run)".
 */

#include "timing.h"

#include "base/memory.h"

enum { RUNS_MOST = 9, RUNS_LEAST = 3 };

static const double runs_budget = 0.5;     /* seconds for a peer's cell, but at least RUNS_LEAST runs .. */
static const double runs_repeatable = 2.0; /* .. of at most so many seconds each */

/** What a program was told. */
typedef struct {
    timing_options timing;
    double minutes; /* for the whole program: peers that do not fit are left out; 0: any number */
    double start;
    FILE *csv; /* NULL: not wanted */
} runs_options;

/** What came of repeated runs. */
typedef struct {
    int count;                 /* 0: there is no time */
    int why;                   /* TIMING_REFUSED or TIMING_TOO_LONG when there is none */
    double seconds[RUNS_MOST]; /* shape [count], ascending */
    double value;              /* what the last one found */
    double megabytes;          /* allocated at most beside the input, in the last one */
} runs_outcome;

/** Which row of the CSV file an outcome is in. */
typedef struct {
    const char *table;
    const char *profiles; /* their shape */
    int64_t processors;
    int64_t n;
} runs_row;

/** Does something once: sets what it found, and returns its processor seconds; negative: refused. */
typedef struct {
    timing_run run;
    void (*finish)(void); /* after the last run, in the same process; NULL: nothing */
    void *context;
} runs_job;

/* ------------------------------------------------------------------------------------------------ options */

/** Seconds that pass, whoever computes. */
static inline double runs_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline FILE *runs_open(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(3);
    }
    fprintf(file, "table,profiles,processors,n,method,runs,median_s,least_s,most_s,times_ours,found,megabytes\n");
    return file;
}

/** Takes [--minutes M] [--csv FILE] out of the arguments and the rest as timing_read_options(); prints the machine. */
static inline runs_options runs_read_options(int argc, char **argv, int limit, double minutes)
{
    runs_options options = {.minutes = minutes, .start = runs_wall()};
    int left = 1;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--minutes") == 0 && k + 1 < argc)
            options.minutes = atof(argv[++k]);
        else if (strcmp(argv[k], "--csv") == 0 && k + 1 < argc)
            options.csv = runs_open(argv[++k]);
        else
            argv[left++] = argv[k];
    }
    options.timing = timing_read_options(left, argv, (timing_options){limit, 1});
    if (options.timing.limit == 0) options.minutes = 0.0;
    timing_print_machine(&options.timing);
    printf("minutes  %g (0: any)\n", options.minutes);
    return options;
}

/** The seconds that a peer may take so that `share` of the program's minutes are not passed; 0: any number, -1: none
 * are left. */
static inline int runs_limit(const runs_options *options, double share)
{
    const int limit = options->timing.limit;
    if (options->minutes <= 0.0) return limit;
    const double left = share * 60.0 * options->minutes - (runs_wall() - options->start);
    if (left < 1.0) return -1;
    return limit > 0 && limit < left ? limit : (int)left;
}

/** Closes the CSV file; the exit code of the program. */
static inline int runs_close(runs_options *options)
{
    if (options->csv == NULL || fclose(options->csv) == 0) return 0;
    fprintf(stderr, "the CSV file could not be written\n");
    return 3;
}

/* --------------------------------------------------------------------------------------------------- runs */

static inline int runs_go_on(int count, double first, double last, double sum)
{
    if (count >= RUNS_MOST) return 0;
    return (count < RUNS_LEAST && first <= runs_repeatable) || sum + last <= runs_budget;
}

/* In the process of its own: writes seconds, value and megabytes of every run. The limit is for the first one: what
 * the others take follows from that. */
static inline void runs_repeat(const runs_job *job, int limit, int writes_to)
{
    double first = 0.0;
    double sum = 0.0;
    double answer[3] = {0.0, 0.0, 0.0};
    if (limit > 0) alarm((unsigned)limit);
    for (int count = 0; count == 0 || runs_go_on(count, first, answer[0], sum); count++) {
        const int64_t before = scalay_memory_bytes();
        scalay_memory_reset_peak();
        answer[0] = job->run(job->context, &answer[1]);
        answer[2] = (double)(scalay_memory_peak() - before) / 1e6;
        if (count == 0) first = answer[0];
        alarm(0);
        sum += answer[0];
        if (write(writes_to, answer, sizeof answer) != (ssize_t)sizeof answer) _exit(3);
        if (answer[0] < 0.0) break;
    }
    if (job->finish != NULL) job->finish();
    _exit(0);
}

/* One run more. */
static inline void runs_take(runs_outcome *of, const double *answer)
{
    if (answer[0] < 0.0) {
        of->why = TIMING_REFUSED;
        return;
    }
    if (of->count == RUNS_MOST) return;
    of->seconds[of->count++] = answer[0];
    of->value = answer[1];
    of->megabytes = answer[2];
}

/** Runs a peer in a process of its own, the first time for at most so many seconds (0: any number; -1: not at all). */
static inline runs_outcome runs_measure(const runs_job *job, int limit)
{
    runs_outcome of = {.why = TIMING_TOO_LONG};
    double answer[3];
    int ends[2];
    int status = 0;
    if (limit < 0) return of;
    fflush(NULL);
    if (pipe(ends) != 0) timing_must(SCALAY_ERROR_MEMORY);
    const pid_t child = fork();
    if (child < 0) timing_must(SCALAY_ERROR_MEMORY);
    if (child == 0) runs_repeat(job, limit, ends[1]);
    close(ends[1]);
    while (read(ends[0], answer, sizeof answer) == (ssize_t)sizeof answer) runs_take(&of, answer);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0) exit(WEXITSTATUS(status));
    qsort(of.seconds, (size_t)of.count, sizeof *of.seconds, timing_compare);
    return of;
}

/** Runs ours in this process, warm: after one run that does not count. At most RUNS_MOST repetitions. */
static inline runs_outcome runs_measure_ours(timing_run run, void *context, int repetitions)
{
    runs_outcome of = {0};
    double answer[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k <= repetitions; k++) {
        answer[0] = run(context, &answer[1]);
        if (answer[0] < 0.0) timing_must(SCALAY_ERROR_UNSUPPORTED);
        if (k > 0) runs_take(&of, answer);
    }
    qsort(of.seconds, (size_t)of.count, sizeof *of.seconds, timing_compare);
    return of;
}

/** The median of an outcome with at least one run. */
static inline double runs_median(const runs_outcome *of)
{
    return of->seconds[of->count / 2];
}

/* ------------------------------------------------------------------------------------------------- tables */

/** Adds a row to the CSV file; `ours` in seconds, 0: this is ours. */
static inline void runs_write(const runs_options *options, const runs_row *row, const char *method, double ours,
                              const runs_outcome *of)
{
    if (options->csv == NULL) return;
    fprintf(options->csv, "%s,%s,%lld,%lld,%s,%d,", row->table, row->profiles, (long long)row->processors,
            (long long)row->n, method, of->count);
    if (of->count == 0) {
        fprintf(options->csv, ",,,,%s,\n", of->why == TIMING_REFUSED ? "refused" : "too long");
        return;
    }
    const double median = runs_median(of);
    fprintf(options->csv, "%.4g,%.4g,%.4g,%.4g,%.15g,%.1f\n", median, of->seconds[0], of->seconds[of->count - 1],
            ours > 0.0 ? median / ours : 1.0, of->value, of->megabytes);
}

/** How many times ours, with commas from a thousand on. */
static inline void runs_print_ratio(double ratio)
{
    const long long rounded = (long long)(ratio + 0.5);
    if (ratio < 10.0)
        printf("%.2g", ratio);
    else if (rounded < 1000)
        printf("%lld", rounded);
    else if (rounded < 1000000)
        printf("%lld,%03lld", rounded / 1000, rounded % 1000);
    else
        printf("%lld,%03lld,%03lld", rounded / 1000000, rounded / 1000 % 1000, rounded % 1000);
}

/** How many times ours the median of a peer is, or why there is no time; "(1 run)" where it is that of one. */
static inline void runs_print_peer(const runs_outcome *of, double ours)
{
    if (of->count == 0) {
        printf("%s", of->why == TIMING_REFUSED ? "refused" : "-");
        return;
    }
    runs_print_ratio(runs_median(of) / ours);
    if (of->count == 1) printf(" (1 run)");
}

/* --------------------------------------------------------------------------------------------- statistics */

enum { STATISTIC_MOST = 4096 };

/** Values of which least, median and most are wanted. */
typedef struct {
    int count;
    int refused;
    double value[STATISTIC_MOST];
} statistic;

static inline void statistic_take(statistic *of, double value)
{
    if (of->count < STATISTIC_MOST) of->value[of->count++] = value;
}

/** Sorts the values. */
static inline double statistic_median(statistic *of)
{
    return of->count > 0 ? timing_median(of->value, of->count) : 0.0;
}

static inline double statistic_mean(const statistic *of)
{
    double sum = 0.0;
    for (int k = 0; k < of->count; k++) sum += of->value[k];
    return of->count > 0 ? sum / of->count : 0.0;
}

/** " least / median / most |" in a format for each number; "- |" without values. */
static inline void statistic_print(statistic *of, const char *format)
{
    if (of->count == 0) {
        printf(" - |");
        return;
    }
    const double numbers[3] = {0.0, statistic_median(of), 0.0};
    printf(" ");
    for (int k = 0; k < 3; k++) {
        printf(format, k == 1 ? numbers[1] : of->value[k == 0 ? 0 : of->count - 1]);
        printf(k < 2 ? " / " : " |");
    }
}

#endif
