#ifndef SCALAY_BENCHMARKS_REDIST_REPORT_H
#define SCALAY_BENCHMARKS_REDIST_REPORT_H

/** @file The tables and the CSV file of bench_redist. */

#include "redist_contenders.h"

/** What was measured of a contender in a case; -1: not. */
typedef struct {
    double seconds;
    double first_seconds; /* of the first call, with the plan */
    double plan_seconds;
    double extra;      /* peak of memory beside the matrices, over the rank's larger local matrix */
    double extra_said; /* by the plan */
} outcome;

/** All of one size. */
typedef struct {
    int n, processes, rounds, cases;
    const case_spec *specs;
    int ran[CASES];            /* the case was asked for */
    int64_t link_bytes[CASES]; /* most that a node sends to other nodes, or receives */
    double link;               /* bytes per second between nodes; 0: not known */
    outcome of[CASES][CONTENDERS];
} outcomes;

/** A figure of a table; negative: there is none. */
typedef double (*figure)(const outcomes *all, int k, contender c);

static double time_over(const outcomes *all, int k, contender above, contender below)
{
    const double up = all->of[k][above].seconds, down = all->of[k][below].seconds;
    return up < 0.0 || down <= 0.0 ? -1.0 : up / down;
}

static double milliseconds(const outcomes *all, int k, contender c)
{
    return 1e3 * all->of[k][c].seconds;
}

static double first_milliseconds(const outcomes *all, int k, contender c)
{
    return 1e3 * all->of[k][c].first_seconds;
}

static double bandwidth(const outcomes *all, int k, contender c)
{
    const double seconds = all->of[k][c].seconds;
    return seconds <= 0.0 ? -1.0 : 8e-9 * all->n * all->n / seconds;
}

static double memcpy_multiples(const outcomes *all, int k, contender c)
{
    return time_over(all, k, c, MEMCPY);
}

static double faster_than_stock(const outcomes *all, int k, contender c)
{
    return time_over(all, k, STOCK, c);
}

static double link_multiples(const outcomes *all, int k, contender c)
{
    const double limit = (double)all->link_bytes[k] / all->link, seconds = all->of[k][c].seconds;
    return all->link <= 0.0 || limit <= 0.0 || seconds < 0.0 ? -1.0 : seconds / limit;
}

static double exchange_multiples(const outcomes *all, int k, contender c)
{
    return time_over(all, k, c, EXCHANGE);
}

static double link_megabytes(const outcomes *all, int k, contender c)
{
    return c != MEMCPY || all->link_bytes[k] == 0 ? -1.0 : 1e-6 * (double)all->link_bytes[k];
}

static double faster_than_costa(const outcomes *all, int k, contender c)
{
    return time_over(all, k, COSTA, c);
}

static double memory_percent(const outcomes *all, int k, contender c)
{
    return 100.0 * all->of[k][c].extra;
}

static double memory_said_percent(const outcomes *all, int k, contender c)
{
    return 100.0 * all->of[k][c].extra_said;
}

static double plan_milliseconds(const outcomes *all, int k, contender c)
{
    return 1e3 * all->of[k][c].plan_seconds;
}

static void print_figure(double value)
{
    if (value < 0.0)
        printf(" %12s", "-");
    else
        printf(" %12.*f", value < 0.1 ? 4 : value < 10.0 ? 2 : 1, value);
}

/* Median or worst over the cases first .. end - 1 that ran. */
static double over_cases(const outcomes *all, figure of, contender c, int end, int worst, int large_is_bad)
{
    double values[CASES];
    int count = 0;
    for (int k = 0; k < end; k++) {
        const double value = all->ran[k] ? of(all, k, c) : -1.0;
        if (value >= 0.0) values[count++] = value;
    }
    if (count == 0) return -1.0;
    const double median = timing_median(values, count); /* sorts */
    return !worst ? median : values[large_is_bad ? count - 1 : 0];
}

static void print_summary(const outcomes *all, figure of, const char *label, int end, int worst, int large_is_bad)
{
    printf("%-20s", label);
    for (int c = MEMCPY; c < CONTENDERS; c++) print_figure(over_cases(all, of, c, end, worst, large_is_bad));
    printf("\n");
}

static void print_head(const char *title)
{
    printf("\n%s\n%-20s", title, "case");
    for (int c = MEMCPY; c < CONTENDERS; c++) printf(" %12s", contenders[c].name);
    printf("\n");
}

static void print_case(const outcomes *all, figure of, int k)
{
    printf("%-20s", all->specs[k].name);
    for (int c = MEMCPY; c < CONTENDERS; c++) print_figure(of(all, k, c));
    printf("\n");
    fflush(stdout);
}

/* A table with the median and the worst of the first cases, and of all. */
static void print_table(const outcomes *all, const char *title, figure of, int large_is_bad)
{
    int figures = 0;
    for (int c = MEMCPY; c < CONTENDERS; c++) figures |= over_cases(all, of, (contender)c, all->cases, 0, 0) >= 0.0;
    if (!figures) return;
    print_head(title);
    for (int k = 0; k < all->cases; k++)
        if (all->ran[k]) print_case(all, of, k);
    if (all->specs == redist_cases) {
        print_summary(all, of, "first 5: median", CASES_CORE, 0, large_is_bad);
        print_summary(all, of, "first 5: worst", CASES_CORE, 1, large_is_bad);
    }
    print_summary(all, of, "all: median", all->cases, 0, large_is_bad);
    print_summary(all, of, "all: worst", all->cases, 1, large_is_bad);
}

/* How much slower tiny blocks are. */
static void print_tiny_blocks(const outcomes *all)
{
    int tiny = -1, usual = -1;
    for (int k = 0; k < all->cases; k++) {
        if (all->ran[k] && strcmp(all->specs[k].name, "nb 1 -> 64") == 0) tiny = k;
        if (all->ran[k] && strcmp(all->specs[k].name, "nb 64 -> 32") == 0) usual = k;
    }
    if (tiny < 0 || usual < 0) return;
    printf("%-20s", "nb 1->64 / 64->32");
    for (int c = MEMCPY; c < CONTENDERS; c++) {
        const double above = all->of[tiny][c].seconds, below = all->of[usual][c].seconds;
        print_figure(above < 0.0 || below <= 0.0 ? -1.0 : above / below);
    }
    printf("\n");
}

/** Prints all of one size; the milliseconds have been printed on the way. Of small ones only what a call costs. */
static void report_print(const outcomes *all)
{
    const int small = all->specs == redist_small_cases;
    if (!small) {
        print_table(all, "GB/s: the bytes of the matrix over the time", bandwidth, 0);
        print_table(all, "multiples of the memcpy", memcpy_multiples, 1);
        print_tiny_blocks(all);
    }
    print_table(all, "times faster than stock", faster_than_stock, 0);
    print_table(all, "times faster than COSTA", faster_than_costa, 0);
    print_table(all, "MB that a node sends to others, or receives, at most (first column)", link_megabytes, 1);
    print_table(all, "multiples of the time of these bytes on a link", link_multiples, 1);
    print_table(all, "multiples of the plain exchange of these bytes", exchange_multiples, 1);
    print_table(all, "first call, plan included, milliseconds", first_milliseconds, 1);
    if (!small) {
        print_table(all, "peak memory besides, measured, % of the larger local matrix", memory_percent, 1);
        print_table(all, "memory besides, said by the plan, %", memory_said_percent, 1);
    }
    print_table(all, "plan alone, milliseconds", plan_milliseconds, 1);
    fflush(stdout);
}

/** Adds all of one size to a CSV file. */
static void report_write(const outcomes *all, FILE *csv)
{
    for (int k = 0; k < all->cases; k++)
        for (int c = MEMCPY; all->ran[k] && c < CONTENDERS; c++) {
            const outcome *of = &all->of[k][c];
            if (of->seconds < 0.0) continue;
            fprintf(csv, "%d,%d,\"%s\",%s,%d,%.9g,%.9g,%.4g,%.4g,%.6g,%.4g,%.4g\n", all->n, all->processes,
                    all->specs[k].name, contenders[c].name, all->rounds, of->seconds, of->first_seconds,
                    memcpy_multiples(all, k, c), faster_than_stock(all, k, c), of->plan_seconds, of->extra,
                    of->extra_said);
        }
    (void)fflush(csv);
}

/** The first line of a CSV file. */
static void report_write_head(FILE *csv)
{
    fprintf(
        csv,
        "n,processes,case,contender,rounds,seconds,first_seconds,memcpy_multiples,times_faster_than_stock,plan_seconds,"
        "extra_memory,extra_memory_said\n");
}

#endif
