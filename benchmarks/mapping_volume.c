/* Least volume: ours, certified and checked, beside Jonker-Volgenant, shortest paths and LEMON. */
#include <stddef.h>
#include <stdio.h>

#include "mapping_runs.h"

/* An instance, and how it is solved. Grids have layouts, and a traffic only where peers or the check are to see it. */
typedef struct {
    const scalay_traffic *traffic;
    const scalay_layout *source, *target;
    double budget;
    int64_t items;
} instance;

static scalay_status make_mapping(const instance *given, scalay_mapping **mapping)
{
    scalay_mapping_options options = scalay_mapping_options_default();
    options.budget_seconds = given->budget;
    if (given->source == NULL) return scalay_mapping_from_traffic(given->traffic, SCALAY_MIN_VOLUME, &options, mapping);
    return scalay_mapping_create(given->source, given->target, SCALAY_MIN_VOLUME, &options, mapping);
}

/* Ours without the closed form between grids. */
static double run_by_traffic(const void *traffic, int64_t *value)
{
    scalay_mapping *mapping = NULL;
    const double start = mapping_now();
    mapping_must(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &mapping));
    const double seconds = mapping_now() - start;
    value[0] = scalay_traffic_items(traffic) - scalay_mapping_volume(mapping);
    scalay_mapping_destroy(&mapping);
    return seconds;
}

/* Whom ours is compared with; the first one only between grids. */
static const struct {
    const char *name;
    mapping_run run;
} peers[] = {{"ours by traffic", run_by_traffic},
             {"Jonker-Volgenant", mapping_jonker_volgenant},
             {"shortest paths", mapping_shortest_paths},
#if defined(SCALAY_BENCH_LEMON)
             {"LEMON cost scaling", mapping_lemon_cost_scaling},
             {"LEMON simplex", mapping_lemon_simplex}
#endif
};
enum { PEERS = sizeof peers / sizeof peers[0] };

static double run_ours(const void *context, int64_t *value)
{
    scalay_mapping *mapping = NULL;
    const double start = mapping_now();
    mapping_must(make_mapping(context, &mapping));
    const double seconds = mapping_now() - start;
    value[0] = scalay_mapping_volume(mapping);
    value[1] = scalay_mapping_bound(mapping);
    scalay_mapping_destroy(&mapping);
    return seconds;
}

/* What everybody needs between grids who does not know the closed form. */
static double run_forming(const void *context, int64_t *value)
{
    const instance *given = context;
    scalay_traffic *traffic = NULL;
    const double start = mapping_now();
    mapping_must(scalay_traffic_create(given->source, given->target, &traffic));
    const double seconds = mapping_now() - start;
    value[0] = scalay_traffic_nonzeros(traffic);
    scalay_traffic_destroy(&traffic);
    return seconds;
}

static double run_check(const void *context, int64_t *value)
{
    const instance *given = context;
    scalay_mapping *mapping = NULL;
    mapping_must(make_mapping(given, &mapping));
    mapping_must(scalay_mapping_check(given->traffic, mapping, NULL));
    value[0] = scalay_mapping_volume(mapping);
    scalay_mapping_destroy(&mapping);
    return 0.0;
}

static void print_ours(const char *name, const instance *given, mapping_outcome ours)
{
    char gap[32] = "none";
    if (ours.value[1] < ours.value[0])
        snprintf(gap, sizeof gap, "%.1e", (double)(ours.value[0] - ours.value[1]) / (double)ours.value[0]);
    printf("| %-32s |", name);
    mapping_print_seconds(ours.seconds, 7);
    printf(" %5.*f | %6.3f | %7s |", ours.megabytes < 10.0 ? 1 : 0, ours.megabytes,
           100.0 * (double)(given->items - ours.value[0]) / (double)given->items, gap);
    fflush(stdout);
}

static void print_peers(const instance *given, mapping_outcome ours, const mapping_settings *settings)
{
    const int formed = given->source != NULL && given->traffic != NULL;
    double forming = 0.0;
    if (formed) forming = mapping_measure(run_forming, given, settings->repetitions, 0).seconds;
    for (int k = 0; k < PEERS; k++) {
        mapping_outcome peer = {.seconds = -1.0};
        if (formed || (given->traffic != NULL && peers[k].run != run_by_traffic))
            peer = mapping_measure(peers[k].run, given->traffic, settings->repetitions, settings->limit);
        if (peer.seconds >= 0.0) peer.seconds += forming;
        mapping_print_peer(peer.seconds, ours.seconds, settings->limit, given->items - peer.value[0] != ours.value[0]);
    }
    printf("\n");
}

static void compare(const char *name, const instance *given, const mapping_settings *settings)
{
    const mapping_outcome ours = mapping_measure(run_ours, given, settings->repetitions, 0);
    print_ours(name, given, ours);
    if (given->traffic != NULL) (void)mapping_measure(run_check, given, 1, 0);
    print_peers(given, ours, settings);
}

static void compare_traffic(const char *name, scalay_traffic *traffic, const mapping_settings *settings)
{
    const instance given = {.traffic = traffic, .items = scalay_traffic_items(traffic)};
    compare(name, &given, settings);
    scalay_traffic_destroy(&traffic);
}

typedef struct {
    const char *name;
    mapping_grids grids;
    int has_traffic; /* small enough to be written down */
    double budget;
} grid_case;

static const grid_case grid_cases[] = {
    {"grids 4096, 64 -> 48", {64, 64, 64, 64, 64, 64, 48, 48}, 1, 0.0},
    {"grids 65536, 64 -> 48", {256, 256, 64, 64, 256, 256, 48, 48}, 1, 0.0},
    {"grids 65536, 256x256 -> 512x128", {256, 256, 64, 64, 512, 128, 64, 64}, 1, 0.0},
    {"grids 262144, 64 -> 48", {512, 512, 64, 64, 512, 512, 48, 48}, 1, 0.0},
    {"grids 65536, 64 -> 50x30, 1 s", {256, 256, 64, 64, 256, 256, 50, 30}, 0, 1.0},
    {"grids 262144, 64 -> 50x30, 1 s", {512, 512, 64, 64, 512, 512, 50, 30}, 0, 1.0},
};
enum { GRID_CASES = sizeof grid_cases / sizeof grid_cases[0] };

typedef void (*comparison)(const char *name, const instance *given, const mapping_settings *settings);

static void with_grids(const grid_case *wanted, comparison compared, const mapping_settings *settings)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_traffic *traffic = wanted->has_traffic ? mapping_grid_traffic(&wanted->grids) : NULL;
    mapping_layouts(&wanted->grids, &source, &target);
    const instance given = {.traffic = traffic,
                            .source = source,
                            .target = target,
                            .budget = wanted->budget,
                            .items = MAPPING_GRID_EXTENT * MAPPING_GRID_EXTENT};
    compared(wanted->name, &given, settings);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
}

/* One objective between grids: seconds and what stays. */
typedef struct {
    const instance *given;
    scalay_objective objective;
} stay_run;

static double run_objective(const void *context, int64_t *value)
{
    const stay_run *wanted = context;
    scalay_mapping *mapping = NULL;
    const double start = mapping_now();
    mapping_must(
        scalay_mapping_create(wanted->given->source, wanted->given->target, wanted->objective, NULL, &mapping));
    const double seconds = mapping_now() - start;
    value[0] = wanted->given->items - scalay_mapping_volume(mapping);
    scalay_mapping_destroy(&mapping);
    return seconds;
}

static void compare_objectives(const char *name, const instance *given, const mapping_settings *settings)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL, SCALAY_MIN_GRID_VOLUME, SCALAY_MIN_VOLUME};
    printf("| %-32s |", name);
    for (size_t k = 0; k < sizeof objectives / sizeof objectives[0]; k++) {
        const stay_run wanted = {given, objectives[k]};
        const mapping_outcome found = mapping_measure(run_objective, &wanted, 1, settings->limit);
        if (found.seconds < 0.0)
            printf(" %8s |", "-");
        else
            printf(" %8.4f |", 100.0 * (double)found.value[0] / (double)given->items);
        fflush(stdout);
    }
    printf("\n");
}

void mapping_volume_table(const mapping_settings *settings)
{
    printf(
        "\nLeast volume; peers: seconds / times ours, forming the traffic between grids included. MB: most resident\n"
        "memory beside the input.\n\n");
    printf("| %-32s | %7s | %5s | %6s | %7s |", "case", "ours, s", "MB", "stay %", "gap");
    for (int k = 0; k < PEERS; k++) printf(" %18s |", peers[k].name);
    printf("\n|---|---|---|---|---|");
    for (int k = 0; k < PEERS; k++) printf("---|");
    printf("\n");
    compare_traffic("dense 1024, uniform", mapping_uniform(1024, 1000000, settings->seed), settings);
    compare_traffic("dense 1024, ties", mapping_uniform(1024, 100, settings->seed), settings);
    compare_traffic("dense 4096, uniform", mapping_uniform(4096, 1000000, settings->seed), settings);
    compare_traffic("dense 4096, multinomial", mapping_multinomial(4096, 10, settings->seed), settings);
    compare_traffic("sparse 65536 x 20", mapping_scattered(65536, 20, settings->seed), settings);
    compare_traffic("sparse 262144 x 20", mapping_scattered(262144, 20, settings->seed), settings);
    for (int k = 0; k < GRID_CASES; k++) with_grids(&grid_cases[k], compare, settings);
    printf("\nWhat stays between grids, %%.\n\n| %-32s | %8s | %8s | %8s |\n|---|---|---|---|\n", "case", "as named",
           "grid", "least");
    for (int k = 0; k < GRID_CASES; k++) with_grids(&grid_cases[k], compare_objectives, settings);
}
