/* One-port schedules: steps, length over the least length, messages and seconds of each kind. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/summaries.h"
#include "mapping_runs.h"
#include "scalay/schedule.h"

/* Instead of a slice. */
enum { PREEMPTIVE = 0 };

typedef struct {
    const char *name;
    const scalay_traffic *traffic;
    const int *process;
    int64_t pairs;   /* with something to send */
    int64_t largest; /* message */
    int64_t delta;   /* one-port steps */
    int64_t slice;   /* PREEMPTIVE: without global steps; INT64_MAX: no message is cut */
    int64_t startup; /* not 0: the slice is chosen for it */
} moves;

static double make_schedule(const moves *given, scalay_schedule **schedule)
{
    const double start = mapping_now();
    if (given->startup > 0)
        mapping_must(create_timed(given->traffic, given->process, given->startup, schedule));
    else if (given->slice == PREEMPTIVE)
        mapping_must(create_preemptive(given->traffic, given->process, schedule));
    else
        mapping_must(create_sliced(given->traffic, given->process, given->slice, schedule));
    return mapping_now() - start;
}

static double run_schedule(const void *context, int64_t *value)
{
    scalay_schedule *schedule = NULL;
    const double seconds = make_schedule(context, &schedule);
    value[0] = schedule_summary(schedule).rounds;
    value[1] = schedule_summary(schedule).length;
    value[2] = 0;
    for (int64_t step = 0; step < value[0]; step++) {
        const scalay_message *messages = NULL;
        int64_t length = 0, count = 0;
        mapping_must(scalay_schedule_round(schedule, step, &length, &count, &messages));
        value[2] += count;
    }
    scalay_schedule_destroy(&schedule);
    return seconds;
}

static double run_check(const void *context, int64_t *value)
{
    const moves *given = context;
    scalay_schedule *schedule = NULL;
    const double seconds = make_schedule(given, &schedule);
    mapping_must(scalay_schedule_check(given->traffic, given->process, schedule));
    value[0] = schedule_summary(schedule).rounds;
    scalay_schedule_destroy(&schedule);
    return seconds;
}

static void count_moves(moves *given)
{
    mapping_must(scalay_traffic_cost(given->traffic, given->process, NULL, &given->delta));
    for (int i = 0; i < traffic_summary(given->traffic).processes; i++) {
        const int *part = NULL;
        const int64_t *items = NULL;
        int64_t count = 0;
        mapping_must(scalay_traffic_row(given->traffic, i, &count, &part, &items));
        for (int64_t e = 0; e < count; e++) {
            if (given->process[part[e]] == i) continue;
            given->pairs++;
            given->largest = items[e] > given->largest ? items[e] : given->largest;
        }
    }
}

static void print_schedule(moves *given, const char *kind, int64_t slice, const mapping_settings *settings)
{
    given->slice = slice;
    const mapping_outcome made = mapping_measure(run_schedule, given, settings->repetitions, settings->limit);
    printf("| %-30s | %8" PRId64 " | %-22s |", given->name, given->pairs, kind);
    if (made.seconds < 0.0) {
        printf(" %7s | %8s | %12s | %7s%d | %5s |\n", "-", "-", "-", ">", settings->limit, "-");
        return;
    }
    printf(" %7" PRId64 " | %8" PRId64 " | %12.3f |", made.value[0], made.value[2],
           (double)made.value[1] / (double)given->delta);
    mapping_print_seconds(made.seconds, 8);
    mapping_print_megabytes(made.megabytes);
    printf("\n");
    fflush(stdout);
    (void)mapping_measure(run_check, given, 1, 0);
}

/* Every kind of schedule of one mapping. */
static void compare(const mapping_instance *instance, scalay_objective objective, const mapping_settings *settings)
{
    scalay_mapping *mapping = NULL;
    char kind[64];
    mapping_must(scalay_mapping_from_traffic(instance->traffic, objective, NULL, &mapping));
    moves given = {.name = instance->name, .traffic = instance->traffic, .process = scalay_mapping_process(mapping)};
    count_moves(&given);
    print_schedule(&given, "A, preemptive", PREEMPTIVE, settings);
    print_schedule(&given, "B, exact length", 1, settings);
    for (int64_t share = 256; share >= 4; share /= 4) {
        if (given.largest / share <= 1) continue;
        snprintf(kind, sizeof kind, "H, slices of 1/%" PRId64, share);
        print_schedule(&given, kind, given.largest / share, settings);
    }
    print_schedule(&given, "C, messages not cut", INT64_MAX, settings);
    for (int64_t share = 256; share >= 1; share /= 16) {
        given.startup = given.largest / share;
        if (given.startup <= 1) continue;
        snprintf(kind, sizeof kind, "chosen, start-up 1/%" PRId64, share);
        print_schedule(&given, kind, INT64_MAX, settings);
    }
    scalay_mapping_destroy(&mapping);
}

static void compare_canonical(const mapping_instance *instance, const mapping_settings *settings)
{
    compare(instance, SCALAY_CANONICAL, settings);
}

static void compare_best(const mapping_instance *instance, const mapping_settings *settings)
{
    compare(instance, SCALAY_MIN_VOLUME, settings);
}

void mapping_schedule_table(const mapping_settings *settings)
{
    static const mapping_grids blocks = {64, 64, 64, 64, 64, 64, 48, 48, 0};
    static const mapping_grids smaller = {64, 64, 64, 64, 64, 64, 48, 48, 100000};
    static const mapping_grids reshape = {8, 128, 48, 48, 128, 8, 40, 40, 0};
    printf("\nSchedules, of the canonical mapping for D = 20 and of that of least volume between grids. Steps of A are "
           "the\n"
           "times at which messages begin; slices and start-ups are parts of the largest message; MB: most resident "
           "memory.\n\n");
    printf("| %-30s | %8s | %-22s | %7s | %8s | %12s | %8s | %5s |\n", "case", "pairs", "schedule", "steps", "messages",
           "length/Delta", "seconds", "MB");
    printf("|---|---|---|---|---|---|---|---|\n");
    mapping_with_traffic("D = 20, 4096", mapping_balanced(4096, 20, settings->seed), compare_canonical, settings);
    mapping_with_grids("grids 4096, 64 -> 48, m = 10^5", &smaller, 1, 0.0, compare_best, settings);
    mapping_with_grids("grids 4096, 64 -> 48", &blocks, 1, 0.0, compare_best, settings);
    mapping_with_grids("grids 8x128, 48 -> 128x8, 40", &reshape, 1, 0.0, compare_best, settings);
}
