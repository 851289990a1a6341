/* Least time between nodes: ours by seats of nodes, proven and checked, beside the assignment of all pairs (process,
 * part) that the library solves for any other function of link costs. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "../tests/summaries.h"
#include "mapping_runs.h"

/* A traffic between processes on nodes. */
typedef struct {
    const scalay_traffic *traffic;
    scalay_node_links links;
} node_instance;

static double any_link_cost(int from, int to, void *links)
{
    return scalay_node_link_cost(from, to, links);
}

/* Sets the time in thousandths of an item's way between nodes. */
static double solve(const node_instance *given, double (*link_cost)(int, int, void *), int check, int64_t *value)
{
    scalay_node_links links = given->links;
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    options.link_cost = link_cost;
    options.link_context = &links;
    const double start = mapping_now();
    mapping_must(scalay_mapping_from_traffic(given->traffic, SCALAY_MIN_TIME, &options, &mapping));
    const double seconds = mapping_now() - start;
    if (mapping_summary(mapping).proof != SCALAY_PROOF_OPTIMAL) mapping_must(SCALAY_ERROR_MISMATCH);
    if (check) mapping_must(scalay_mapping_check(given->traffic, mapping, &options));
    value[0] = llround(1000.0 * mapping_summary(mapping).time);
    scalay_mapping_destroy(&mapping);
    return seconds;
}

static double run_seats(const void *given, int64_t *value)
{
    return solve(given, scalay_node_link_cost, 0, value);
}

static double run_seats_checked(const void *given, int64_t *value)
{
    return solve(given, scalay_node_link_cost, 1, value);
}

static double run_all_pairs(const void *given, int64_t *value)
{
    return solve(given, any_link_cost, 0, value);
}

static void compare(const mapping_instance *given, const mapping_settings *settings, int ranks_per_node)
{
    const int processes = traffic_summary(given->traffic).processes;
    const node_instance on_nodes = {
        given->traffic, {.ranks_per_node = ranks_per_node, .nodes = processes / ranks_per_node, .within = 0.1}};
    const mapping_outcome ours = mapping_measure(run_seats, &on_nodes, settings->repetitions, 0);
    (void)mapping_measure(run_seats_checked, &on_nodes, 1, 0);
    printf("| %-28s | %8d |", given->name, ranks_per_node);
    mapping_print_seconds(ours.seconds, 8);
    mapping_print_megabytes(ours.megabytes);
    mapping_outcome peer = {.seconds = -1.0};
    if (processes <= 4096) peer = mapping_measure(run_all_pairs, &on_nodes, settings->repetitions, settings->limit);
    /* Times of all pairs are rounded one by one. */
    const int differs = fabs((double)(peer.value[0] - ours.value[0])) > 1e-9 * (double)ours.value[0];
    mapping_print_peer(peer.seconds, ours.seconds, settings->limit, differs);
    printf("\n");
}

static void compare_32(const mapping_instance *given, const mapping_settings *settings)
{
    compare(given, settings, 32);
}

static void compare_64(const mapping_instance *given, const mapping_settings *settings)
{
    compare(given, settings, 64);
}

static void compare_128(const mapping_instance *given, const mapping_settings *settings)
{
    compare(given, settings, 128);
}

void mapping_nodes_table(const mapping_settings *settings)
{
    const uint64_t seed = settings->seed;
    printf(
        "\nLeast time, 1 between nodes and 0.1 within one; peer: all pairs (process, part), seconds / times ours. MB: "
        "most\nresident memory beside the input.\n\n");
    printf("| %-28s | %8s | %8s | %5s | %18s |\n", "case", "per node", "ours, s", "MB", "all pairs");
    printf("|---|---|---|---|---|\n");
    mapping_with_traffic("20 items of each part, 1024", mapping_scattered(1024, 20, seed), compare_32, settings);
    mapping_with_traffic("20 items of each part, 4096", mapping_scattered(4096, 20, seed), compare_32, settings);
    mapping_with_traffic("20 items of each part, 16384", mapping_scattered(16384, 20, seed), compare_64, settings);
    mapping_with_traffic("20 items of each part, 65536", mapping_scattered(65536, 20, seed), compare_128, settings);
    mapping_with_traffic("dense 1024, uniform", mapping_uniform(1024, 1000000, seed), compare_32, settings);
    mapping_with_traffic("dense 2048, uniform", mapping_uniform(2048, 1000000, seed), compare_32, settings);
    mapping_with_traffic("dense 1024, products", mapping_noisy(1024, seed), compare_32, settings);
}
