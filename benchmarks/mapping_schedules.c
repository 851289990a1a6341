/* One-port schedules: steps, length over the least length, messages and seconds of each kind. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "mapping_runs.h"

typedef struct {
    const scalay_traffic *traffic;
    const int *process;
    int64_t slice; /* INT64_MAX: no message is cut */
} instance;

static double run_schedule(const void *context, int64_t *value)
{
    const instance *given = context;
    scalay_schedule *schedule = NULL;
    const double start = mapping_now();
    mapping_must(scalay_schedule_create_sliced(given->traffic, given->process, given->slice, &schedule));
    const double seconds = mapping_now() - start;
    value[0] = scalay_schedule_steps(schedule);
    value[1] = scalay_schedule_length(schedule);
    scalay_schedule_destroy(&schedule);
    return seconds;
}

/* What changes process. */
typedef struct {
    int64_t pairs;
    int64_t largest; /* message */
    int64_t delta;   /* one-port steps */
} moves;

static moves moves_of(const scalay_traffic *traffic, const int *process)
{
    moves found = {0};
    const int parts = scalay_traffic_parts(traffic);
    mapping_must(scalay_traffic_cost(traffic, process, NULL, &found.delta));
    for (int i = 0; i < scalay_traffic_processes(traffic); i++) {
        const int *part = NULL;
        const int64_t *items = NULL;
        int64_t count = 0;
        mapping_must(scalay_traffic_row(traffic, i, &count, &part, &items));
        for (int64_t e = 0; e < count; e++) {
            if (part[e] >= parts || process[part[e]] == i) continue;
            found.pairs++;
            found.largest = items[e] > found.largest ? items[e] : found.largest;
        }
    }
    return found;
}

static void print_schedule(const char *name, const instance *given, const moves *moved, const char *kind,
                           const mapping_settings *settings)
{
    const mapping_outcome made = mapping_measure(run_schedule, given, settings->repetitions, settings->limit);
    printf("| %-32s | %8" PRId64 " | %-22s |", name, moved->pairs, kind);
    if (made.seconds < 0.0) {
        printf(" %7s | %12s | %7s | %5s |\n", "-", "-", "given up", "-");
        return;
    }
    printf(" %7" PRId64 " | %12.3f |", made.value[0], (double)made.value[1] / (double)moved->delta);
    mapping_print_seconds(made.seconds, 7);
    printf(" %5.*f |\n", made.megabytes < 10.0 ? 1 : 0, made.megabytes);
    fflush(stdout);
}

static void compare(const char *name, scalay_traffic *traffic, scalay_objective objective,
                    const mapping_settings *settings)
{
    scalay_mapping *mapping = NULL;
    mapping_must(scalay_mapping_from_traffic(traffic, objective, NULL, &mapping));
    instance given = {traffic, scalay_mapping_process(mapping), 1};
    const moves moved = moves_of(traffic, given.process);
    char kind[64];
    print_schedule(name, &given, &moved, "B, exact length", settings);
    for (int64_t parts = 64; parts >= 4; parts /= 4) {
        given.slice = moved.largest / parts;
        if (given.slice <= 1) continue;
        snprintf(kind, sizeof kind, "H, slices of 1/%" PRId64, parts);
        print_schedule(name, &given, &moved, kind, settings);
    }
    given.slice = INT64_MAX;
    print_schedule(name, &given, &moved, "C, messages not cut", settings);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
}

void mapping_schedule_table(const mapping_settings *settings)
{
    static const mapping_grids blocks = {64, 64, 64, 64, 64, 64, 48, 48};
    static const mapping_grids reshape = {8, 128, 48, 48, 128, 8, 40, 40};
    printf(
        "\nSchedules, of the canonical mapping for D = 20 and of that of least volume between grids; length over the\n"
        "least length; slices as parts of the largest message.\n\n");
    printf("| %-32s | %8s | %-22s | %7s | %12s | %7s | %5s |\n", "case", "pairs", "schedule", "steps", "length/Delta",
           "seconds", "MB");
    printf("|---|---|---|---|---|---|---|\n");
    compare("D = 20, 4096", mapping_balanced(4096, 20, settings->seed), SCALAY_CANONICAL, settings);
    compare("grids 4096, 64 -> 48", mapping_grid_traffic(&blocks), SCALAY_MIN_VOLUME, settings);
    compare("grids 8x128, 48 -> 128x8, 40", mapping_grid_traffic(&reshape), SCALAY_MIN_VOLUME, settings);
}
