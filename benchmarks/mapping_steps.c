/* Least steps: ours, certified and checked, beside the published algorithm and bisection. */
#include <stddef.h>
#include <stdio.h>

#include "mapping_runs.h"

/* Ours by one objective; checks it where there is a traffic to check it against. */
static mapping_outcome measure_ours(const mapping_instance *given, scalay_objective objective,
                                    const mapping_settings *settings)
{
    mapping_instance wanted = *given;
    wanted.objective = objective;
    const mapping_outcome ours = mapping_measure(mapping_ours, &wanted, settings->repetitions, 0);
    if (given->traffic != NULL) (void)mapping_measure(mapping_ours_checked, &wanted, 1, 0);
    mapping_print_seconds(ours.seconds, 8);
    fflush(stdout);
    return ours;
}

static void compare(const mapping_instance *given, const mapping_settings *settings)
{
    static const mapping_run peers[] = {mapping_published_steps, mapping_published_steps_kept, mapping_bisected_steps};
    static const scalay_objective both[] = {SCALAY_MIN_STEPS_THEN_VOLUME, SCALAY_MIN_VOLUME_THEN_STEPS};
    printf("| %-24s |", given->name);
    const mapping_outcome ours = measure_ours(given, SCALAY_MIN_STEPS, settings);
    mapping_print_megabytes(ours.megabytes);
    for (int k = 0; k < 2; k++) (void)measure_ours(given, both[k], settings);
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++) {
        mapping_outcome peer = {.seconds = -1.0};
        if (given->traffic != NULL)
            peer = mapping_measure(peers[k], given->traffic, settings->repetitions, settings->limit);
        mapping_print_peer(peer.seconds, ours.seconds, settings->limit, peer.value[0] != ours.value[1]);
    }
    printf("\n");
}

void mapping_steps_table(const mapping_settings *settings)
{
    static const mapping_grids blocks = {256, 256, 64, 64, 256, 256, 48, 48};
    static const mapping_grids ties = {256, 256, 64, 64, 256, 256, 50, 30};
    const uint64_t seed = settings->seed;
    printf("\nLeast steps; peers: seconds / times ours. Published: Algorithm 2 as printed; kept: the same, matching "
           "again\n"
           "only what lost its edge; both on the complete graph. MB: most resident memory beside the input.\n\n");
    printf("| %-24s | %8s | %5s | %8s | %8s | %18s | %18s | %18s |\n", "case", "steps, s", "MB", "s, vol.", "vol., s.",
           "published", "published, kept", "bisection");
    printf("|---|---|---|---|---|---|---|---|\n");
    mapping_with_traffic("dense 256, uniform", mapping_uniform(256, 1000000, seed), compare, settings);
    mapping_with_traffic("dense 1024, uniform", mapping_uniform(1024, 1000000, seed), compare, settings);
    mapping_with_traffic("dense 4096, uniform", mapping_uniform(4096, 1000000, seed), compare, settings);
    mapping_with_traffic("D = 20, 1024", mapping_balanced(1024, 20, seed), compare, settings);
    mapping_with_traffic("D = 20, 4096", mapping_balanced(4096, 20, seed), compare, settings);
    mapping_with_traffic("D = 20, 65536", mapping_balanced(65536, 20, seed), compare, settings);
    mapping_with_grids("grids 65536, 64 -> 48", &blocks, 1, 0.0, compare, settings);
    mapping_with_grids("grids 65536, 64 -> 50x30", &ties, 0, 0.0, compare, settings);
}
