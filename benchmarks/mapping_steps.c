/* Least steps: ours, certified and checked, beside the published algorithm and bisection. */
#include <stddef.h>
#include <stdio.h>

#include "mapping_runs.h"

typedef struct {
    const scalay_traffic *traffic;
    scalay_objective objective;
} instance;

static double run_ours(const void *context, int64_t *value)
{
    const instance *given = context;
    scalay_mapping *mapping = NULL;
    const double start = mapping_now();
    mapping_must(scalay_mapping_from_traffic(given->traffic, given->objective, NULL, &mapping));
    const double seconds = mapping_now() - start;
    value[0] = scalay_mapping_steps(mapping);
    value[1] = scalay_mapping_volume(mapping);
    scalay_mapping_destroy(&mapping);
    return seconds;
}

static double run_check(const void *context, int64_t *value)
{
    const instance *given = context;
    scalay_mapping *mapping = NULL;
    mapping_must(scalay_mapping_from_traffic(given->traffic, given->objective, NULL, &mapping));
    mapping_must(scalay_mapping_check(given->traffic, mapping, NULL));
    value[0] = scalay_mapping_steps(mapping);
    scalay_mapping_destroy(&mapping);
    return 0.0;
}

/* Measures and checks an objective, and prints its time. */
static mapping_outcome measure_ours(const scalay_traffic *traffic, scalay_objective objective, int repetitions)
{
    const instance given = {traffic, objective};
    const mapping_outcome ours = mapping_measure(run_ours, &given, repetitions, 0);
    (void)mapping_measure(run_check, &given, 1, 0);
    mapping_print_seconds(ours.seconds, 7);
    fflush(stdout);
    return ours;
}

static void compare(const char *name, scalay_traffic *traffic, const mapping_settings *settings)
{
    static const mapping_run peers[] = {mapping_published_steps, mapping_published_steps_kept, mapping_bisected_steps};
    printf("| %-24s |", name);
    const mapping_outcome ours = measure_ours(traffic, SCALAY_MIN_STEPS, settings->repetitions);
    printf(" %5.*f |", ours.megabytes < 10.0 ? 1 : 0, ours.megabytes);
    (void)measure_ours(traffic, SCALAY_MIN_STEPS_THEN_VOLUME, settings->repetitions);
    (void)measure_ours(traffic, SCALAY_MIN_VOLUME_THEN_STEPS, settings->repetitions);
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++) {
        const mapping_outcome peer = mapping_measure(peers[k], traffic, settings->repetitions, settings->limit);
        mapping_print_peer(peer.seconds, ours.seconds, settings->limit, peer.value[0] != ours.value[0]);
    }
    printf("\n");
    scalay_traffic_destroy(&traffic);
}

void mapping_steps_table(const mapping_settings *settings)
{
    static const mapping_grids grids = {256, 256, 64, 64, 256, 256, 48, 48};
    printf("\nLeast steps; peers: seconds / times ours. Published: Algorithm 2 as printed; kept: the same, matching "
           "again\n"
           "only what lost its edge; both on the complete graph.\n\n");
    printf("| %-24s | %7s | %5s | %7s | %7s | %18s | %18s | %18s |\n", "case", "steps", "MB", "s, vol.", "vol., s",
           "published", "published, kept", "bisection");
    printf("|---|---|---|---|---|---|---|---|\n");
    compare("dense 128, uniform", mapping_uniform(128, 1000000, settings->seed), settings);
    compare("dense 256, uniform", mapping_uniform(256, 1000000, settings->seed), settings);
    compare("dense 1024, uniform", mapping_uniform(1024, 1000000, settings->seed), settings);
    compare("dense 4096, uniform", mapping_uniform(4096, 1000000, settings->seed), settings);
    compare("D = 20, 1024", mapping_balanced(1024, 20, settings->seed), settings);
    compare("D = 20, 4096", mapping_balanced(4096, 20, settings->seed), settings);
    compare("D = 20, 65536", mapping_balanced(65536, 20, settings->seed), settings);
    compare("grids 65536, 64 -> 48", mapping_grid_traffic(&grids), settings);
}
