/* Least volume: ours, certified and checked, beside Jonker-Volgenant, shortest paths and LEMON. */
#include <stddef.h>
#include <stdio.h>

#include "../tests/summaries.h"
#include "mapping_runs.h"

/* Ours without the closed form between grids. */
static double run_by_traffic(const void *traffic, int64_t *value)
{
    const mapping_instance given = {.traffic = traffic, .objective = SCALAY_MIN_VOLUME};
    int64_t found[3];
    const double seconds = mapping_ours(&given, found);
    value[0] = traffic_summary(traffic).elements - found[0];
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

static void print_ours(const mapping_instance *given, mapping_outcome ours)
{
    const double volume = (double)ours.value[0], gap = volume - (double)ours.value[2];
    char text[32] = "none";
    if (gap > 0.0) snprintf(text, sizeof text, "%.1e", gap / volume);
    printf("| %-32s |", given->name);
    mapping_print_seconds(ours.seconds, 7);
    mapping_print_megabytes(ours.megabytes);
    printf(" %6.3f | %7s |", 100.0 - 100.0 * volume / (double)given->items, text);
    fflush(stdout);
}

static void print_peers(const mapping_instance *given, mapping_outcome ours, const mapping_settings *settings)
{
    const int formed = given->source != NULL && given->traffic != NULL;
    double forming = 0.0;
    if (formed) forming = mapping_measure(mapping_forming, given, settings->repetitions, 0).seconds;
    for (int k = 0; k < PEERS; k++) {
        mapping_outcome peer = {.seconds = -1.0};
        if (formed || (given->traffic != NULL && peers[k].run != run_by_traffic))
            peer = mapping_measure(peers[k].run, given->traffic, settings->repetitions, settings->limit);
        if (peer.seconds >= 0.0) peer.seconds += forming;
        mapping_print_peer(peer.seconds, ours.seconds, settings->limit, given->items - peer.value[0] != ours.value[0]);
    }
    printf("\n");
}

static void compare(const mapping_instance *given, const mapping_settings *settings)
{
    const mapping_outcome ours = mapping_measure(mapping_ours, given, settings->repetitions, 0);
    print_ours(given, ours);
    if (given->traffic != NULL) (void)mapping_measure(mapping_ours_checked, given, 1, 0);
    print_peers(given, ours, settings);
}

static void compare_objectives(const mapping_instance *given, const mapping_settings *settings)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL, SCALAY_MIN_GRID_VOLUME, SCALAY_MIN_VOLUME};
    printf("| %-32s |", given->name);
    for (size_t k = 0; k < sizeof objectives / sizeof objectives[0]; k++) {
        mapping_instance wanted = *given;
        wanted.objective = objectives[k];
        const mapping_outcome found = mapping_measure(mapping_ours, &wanted, 1, settings->limit);
        if (found.seconds < 0.0)
            printf(" %8s |", "-");
        else
            printf(" %8.4f |", 100.0 - 100.0 * (double)found.value[0] / (double)given->items);
        fflush(stdout);
    }
    printf("\n");
}

static void between_grids(mapping_comparison compared, const mapping_settings *settings)
{
    static const struct {
        const char *name;
        mapping_grids grids;
        int has_traffic;
        double budget;
    } cases[] = {
        {"grids 4096, 64 -> 48", {64, 64, 64, 64, 64, 64, 48, 48, 0}, 1, 0.0},
        {"grids 65536, 64 -> 48", {256, 256, 64, 64, 256, 256, 48, 48, 0}, 1, 0.0},
        {"grids 65536, 256x256 -> 512x128", {256, 256, 64, 64, 512, 128, 64, 64, 0}, 1, 0.0},
        {"grids 262144, 64 -> 48", {512, 512, 64, 64, 512, 512, 48, 48, 0}, 1, 0.0},
        {"grids 65536, 64 -> 50x30, 1 s", {256, 256, 64, 64, 256, 256, 50, 30, 0}, 0, 1.0},
        {"grids 262144, 64 -> 50x30, 1 s", {512, 512, 64, 64, 512, 512, 50, 30, 0}, 0, 1.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        mapping_with_grids(cases[k].name, &cases[k].grids, cases[k].has_traffic, cases[k].budget, compared, settings);
}

void mapping_volume_table(const mapping_settings *settings)
{
    const uint64_t seed = settings->seed;
    printf(
        "\nLeast volume; peers: seconds / times ours, forming the traffic between grids included. MB: most resident\n"
        "memory beside the input. Gap: of a time budget of 1 s.\n\n");
    printf("| %-32s | %7s | %5s | %6s | %7s |", "case", "ours, s", "MB", "stay %", "gap");
    for (int k = 0; k < PEERS; k++) printf(" %18s |", peers[k].name);
    printf("\n|---|---|---|---|---|");
    for (int k = 0; k < PEERS; k++) printf("---|");
    printf("\n");
    mapping_with_traffic("dense 1024, uniform", mapping_uniform(1024, 1000000, seed), compare, settings);
    mapping_with_traffic("dense 1024, ties", mapping_uniform(1024, 100, seed), compare, settings);
    mapping_with_traffic("dense 4096, uniform", mapping_uniform(4096, 1000000, seed), compare, settings);
    mapping_with_traffic("dense 4096, multinomial", mapping_multinomial(4096, 10, seed), compare, settings);
    mapping_with_traffic("sparse 65536 x 20", mapping_scattered(65536, 20, seed), compare, settings);
    mapping_with_traffic("sparse 262144 x 20", mapping_scattered(262144, 20, seed), compare, settings);
    for (int k = 0; k < 2; k++) {
        const double budget = k;
        mapping_with_budget(k ? "sparse 65536 x 20, to 100, 1 s" : "sparse 65536 x 20, to 100",
                            mapping_weighted(65536, 20, 100, seed), budget, compare, settings);
        mapping_with_budget(k ? "sparse 65536 x 20, to 10^12, 1 s" : "sparse 65536 x 20, to 10^12",
                            mapping_weighted(65536, 20, INT64_C(1000000000000), seed), budget, compare, settings);
        mapping_with_budget(k ? "noisy products 4096, 1 s" : "noisy products 4096", mapping_noisy(4096, seed), budget,
                            compare, settings);
    }
    between_grids(compare, settings);
    printf("\nWhat stays between grids, %%.\n\n| %-32s | %8s | %8s | %8s |\n|---|---|---|---|\n", "case", "as named",
           "grid", "least");
    between_grids(compare_objectives, settings);
}
