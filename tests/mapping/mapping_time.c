/* Link costs: what time with them means, and that its certificate cannot be tampered with. */
#include "instances.h"

#include <math.h>

#include "mapping/mapping.h"
#include "summaries.h"

static scalay_traffic *random_traffic(uint64_t seed, int processes, int parts, int kind)
{
    scalay_random random = scalay_random_seed(seed);
    instance made = instance_random(&random, processes, parts, kind);
    scalay_traffic *traffic = NULL;
    assert_success(instance_traffic(&made, &traffic));
    instance_free(&made);
    return traffic;
}

static double fixed_link(int from, int to, void *context)
{
    return from == to ? 0.0 : *(const double *)context;
}

static void link_costs_must_be_finite_and_not_negative(void **state)
{
    (void)state;
    double bad[3] = {-1.0, NAN, INFINITY};
    scalay_traffic *traffic = random_traffic(1, 4, 4, UNIFORM);
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    options.link_cost = fixed_link;
    for (int k = 0; k < 3; k++) {
        options.link_context = &bad[k];
        assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping),
                         SCALAY_ERROR_ARGUMENT);
    }
    double huge = 1e306;
    options.link_context = &huge;
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping), SCALAY_ERROR_RANGE);
    assert_null(mapping);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void equal_links_make_time_a_multiple_of_the_volume(void **state)
{
    (void)state;
    double links[4] = {1.0, 3.0, 0.0, 1e-290};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        scalay_traffic *traffic = random_traffic(seed, 20, 17, (int)(seed % HUGE_ITEMS));
        scalay_mapping_options options = scalay_mapping_options_default();
        scalay_mapping *volume = NULL;
        scalay_mapping *time = NULL;
        options.link_cost = fixed_link;
        options.link_context = &links[seed % 4];
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &volume));
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &time));
        double expected = (double)mapping_summary(volume).volume * links[seed % 4];
        assert_true(fabs(mapping_summary(time).time - expected) <= 1e-14 * expected);
        if (links[seed % 4] > 0.0) assert_int_equal(mapping_summary(time).volume, mapping_summary(volume).volume);
        assert_success(scalay_mapping_check(traffic, time, &options));
        scalay_mapping_destroy(&volume);
        scalay_mapping_destroy(&time);
        scalay_traffic_destroy(&traffic);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void tampered_times_are_refused(void **state)
{
    (void)state;
    scalay_traffic *traffic = random_traffic(4, 16, 16, UNIFORM);
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    options.link_cost = node_link;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    double time = mapping->time;
    mapping->time *= 1.0 + 1e-6;
    assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
    mapping->time = time;
    scalay_certificate *proof = &mapping->certificate;
    for (int k = 0; k < 14; k++) {
        int64_t *duals[2] = {&proof->process_dual[k], &proof->part_dual[k]};
        for (int side = 0; side < 2; side++) {
            int64_t before = *duals[side];
            *duals[side] = before + (INT64_C(1) << 50);
            assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
            *duals[side] = before - (INT64_C(1) << 50);
            assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
            *duals[side] = before;
        }
    }
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

/* A unit of their own would be smaller than any double. */
static void the_tiniest_times_are_proven(void **state)
{
    (void)state;
    const int process[3] = {0, 1, 2};
    const int part[3] = {0, 0, 1};
    const int64_t items[3] = {5, 6, 7};
    scalay_traffic *traffic = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.link_cost = fixed_link;
    assert_success(scalay_traffic_from_entries(3, 2, 3, process, part, items, &traffic));
    for (int exponent = -1074; exponent <= -990; exponent++) {
        double link = ldexp(1.0, exponent);
        scalay_mapping *mapping = NULL;
        options.link_context = &link;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
        assert_int_equal(mapping_summary(mapping).volume, 5);
        assert_true(mapping_summary(mapping).time == 5.0 * link);
        assert_success(scalay_mapping_check(traffic, mapping, &options));
        scalay_mapping_destroy(&mapping);
    }
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Whatever is found in no time lies above its proven bound, and the bound below the optimum. */
static void times_are_bounded_in_no_time(void **state)
{
    (void)state;
    int unfinished = 0;
    double link = 3.0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        scalay_traffic *traffic = random_traffic(seed, 90, 80, (int)(seed % HUGE_ITEMS));
        scalay_mapping_options options = scalay_mapping_options_default();
        scalay_mapping *best = NULL, *mapping = NULL;
        options.link_cost = seed % 2 == 0 ? fixed_link : node_link;
        options.link_context = &link;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &best));
        assert_true(mapping_summary(best).time_bound == mapping_summary(best).time);
        options.budget_seconds = 1e-9;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
        assert_success(scalay_mapping_check(traffic, mapping, &options));
        unfinished += mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC;
        assert_true(mapping_summary(mapping).time_bound <= mapping_summary(best).time * (1.0 + 1e-12));
        assert_true(mapping_summary(best).time <= mapping_summary(mapping).time * (1.0 + 1e-12));
        if (mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC) {
            mapping->time_bound = mapping_summary(mapping).time * 1.001;
            assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
        }
        scalay_mapping_destroy(&mapping);
        scalay_mapping_destroy(&best);
        scalay_traffic_destroy(&traffic);
    }
    print_message("%d mappings were not finished\n", unfinished);
    assert_true(unfinished > 10);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The dearer of two processes, with the saving that it misses hidden in a negative dual. */
static void negative_duals_prove_no_time(void **state)
{
    (void)state;
    const int process[2] = {0, 1};
    const int part[2] = {0, 0};
    const int64_t items[2] = {10, 4};
    double link = 1.0;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.link_cost = fixed_link;
    options.link_context = &link;
    assert_success(scalay_traffic_from_entries(2, 1, 2, process, part, items, &traffic));
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
    assert_int_equal(scalay_mapping_process(mapping)[0], 0);
    const int64_t least = mapping->certificate.part_dual[0] - mapping->certificate.process_dual[0];
    mapping->process[0] = 1;
    mapping->volume = 10;
    mapping->steps = 10;
    mapping->time = 10.0;
    mapping->certificate.part_dual[0] = least;
    mapping->certificate.process_dual[0] = 0;
    mapping->certificate.process_dual[1] = least - least / 4 * 10;
    assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The same costs as the library's, which then does not know that processes share nodes. */
static double anonymous_link(int from, int to, void *context)
{
    return scalay_node_link_cost(from, to, context);
}

static scalay_node_links random_nodes(scalay_random *random, int processes, int *node, double *distance)
{
    scalay_node_links links = {.nodes = 1 + (int)scalay_random_below(random, processes), .within = 0.25};
    links.ranks_per_node = (processes - 1) / links.nodes + 1;
    for (int k = 0; k < processes; k++) node[k] = (int)scalay_random_below(random, links.nodes);
    for (int k = 0; k < links.nodes * links.nodes; k++) distance[k] = (double)scalay_random_below(random, 9) / 4.0;
    if (scalay_random_below(random, 2)) links.node = node;
    if (scalay_random_below(random, 2)) links.distance = distance;
    if (scalay_random_below(random, 4) == 0) links.within = 1.5;
    return links;
}

/* Bars a few processes, and says how many parts there shall be: now and then as many as the others can take. */
static int bar_some(scalay_random *random, int processes, unsigned char *barred)
{
    int open = 0;
    for (int k = 0; k < processes / 5; k++) barred[scalay_random_below(random, processes)] = 1;
    for (int k = 0; k < processes; k++) open += !barred[k];
    return scalay_random_below(random, 3) == 0 ? open : 1 + (int)scalay_random_below(random, open);
}

/* By nodes times are as low as by all pairs, and both checks say so. */
static void nodes_are_as_good_as_all_pairs(void **state)
{
    (void)state;
    enum { MOST_PROCESSES = 40 };
    for (uint64_t seed = 1; seed <= 1200; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int holders = 1 + (int)scalay_random_below(&random, MOST_PROCESSES);
        int node[MOST_PROCESSES];
        double distance[MOST_PROCESSES * MOST_PROCESSES];
        unsigned char barred[MOST_PROCESSES] = {0};
        scalay_node_links links = random_nodes(&random, MOST_PROCESSES, node, distance);
        const int parts = bar_some(&random, MOST_PROCESSES, barred), kind = (int)(seed % ALL_KINDS);
        scalay_traffic *traffic = random_traffic(seed, holders, parts, kind == HUGE_ITEMS ? UNIFORM : kind);
        scalay_mapping *by_node = NULL, *by_pair = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.processes = MOST_PROCESSES;
        options.barred = barred;
        options.link_context = &links;
        options.link_cost = anonymous_link;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &by_pair));
        assert_success(scalay_mapping_check(traffic, by_pair, &options));
        options.link_cost = scalay_node_link_cost;
        assert_success(scalay_mapping_check(traffic, by_pair, &options));
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &by_node));
        assert_success(scalay_mapping_check(traffic, by_node, &options));
        assert_true(fabs(by_node->time - by_pair->time) <= 1e-9 * by_pair->time);
        assert_int_equal(mapping_summary(by_node).proof, SCALAY_PROOF_OPTIMAL);
        scalay_mapping_destroy(&by_node);
        options.budget_seconds = 1e-9;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &by_node));
        assert_true(by_node->time_bound <= by_pair->time * (1.0 + 1e-9));
        assert_success(scalay_mapping_check(traffic, by_node, &options));
        by_node->certificate.part_dual[0] += INT64_C(1) << 55;
        assert_int_equal(scalay_mapping_check(traffic, by_node, &options), SCALAY_ERROR_MISMATCH);
        scalay_mapping_destroy(&by_node);
        scalay_mapping_destroy(&by_pair);
        scalay_traffic_destroy(&traffic);
        if (scalay_memory_live() != 0) fail_msg("seed %llu leaks", (unsigned long long)seed);
    }
}

/* Whenever the search by nodes ends, what it has proven is below the best, and what it has found above. */
static void budgets_by_node_end_between_bounds(void **state)
{
    (void)state;
    enum { PROCESSES = 360 };
    int unfinished = 0, finished = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scalay_random random = scalay_random_seed(seed);
        scalay_node_links links = {.ranks_per_node = 12, .nodes = PROCESSES / 12, .within = 0.1};
        scalay_traffic *traffic = random_traffic(seed, PROCESSES, PROCESSES - 20 * (int)(seed % 2), (int)(seed % TIES));
        scalay_mapping *best = NULL, *mapping = NULL;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.link_cost = scalay_node_link_cost;
        options.link_context = &links;
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &best));
        for (int k = 0; k < 14; k++) {
            options.budget_seconds = 1e-5 * (double)(1 + scalay_random_below(&random, INT64_C(1) << k));
            assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
            assert_success(scalay_mapping_check(traffic, mapping, &options));
            assert_true(mapping_summary(mapping).time_bound <= mapping_summary(best).time * (1.0 + 1e-12));
            assert_true(mapping_summary(best).time <= mapping_summary(mapping).time * (1.0 + 1e-12));
            unfinished += mapping_summary(mapping).proof == SCALAY_PROOF_HEURISTIC;
            finished += mapping_summary(mapping).proof == SCALAY_PROOF_OPTIMAL;
            scalay_mapping_destroy(&mapping);
        }
        scalay_mapping_destroy(&best);
        scalay_traffic_destroy(&traffic);
    }
    print_message("%d mappings were finished, %d were not\n", finished, unfinished);
    assert_true(unfinished > 0);
    assert_int_equal(scalay_memory_live(), 0);
}

/* As many as are alike, whose duals have to be added up exactly. */
static void many_equal_parts_are_proven(void **state)
{
    (void)state;
    enum { PROCESSES = 16384, ENTRIES = 8 * PROCESSES };
    scalay_random random = scalay_random_seed(7);
    scalay_node_links links = {.ranks_per_node = 64, .nodes = PROCESSES / 64, .within = 0.1};
    int *process = malloc(ENTRIES * sizeof *process), *part = malloc(ENTRIES * sizeof *part);
    int64_t *items = malloc(ENTRIES * sizeof *items);
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    assert_true(process != NULL && part != NULL && items != NULL);
    for (int e = 0; e < ENTRIES; e++) {
        process[e] = (int)scalay_random_below(&random, PROCESSES);
        part[e] = e % PROCESSES;
        items[e] = 1;
    }
    assert_success(scalay_traffic_from_entries(PROCESSES, PROCESSES, ENTRIES, process, part, items, &traffic));
    options.link_cost = scalay_node_link_cost;
    options.link_context = &links;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
    assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_OPTIMAL);
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    free(process);
    free(part);
    free(items);
}

/* Ways of nanoseconds, beside a node far away on which nobody is, leave a check no room. */
static void short_ways_are_checked_as_well(void **state)
{
    (void)state;
    const int process[3] = {0, 1, 2}, part[3] = {0, 1, 0}, node[3] = {0, 1, 0};
    const int64_t items[3] = {10, 4, 7};
    const double distance[9] = {1e-10, 2e-9, 1.0, 3e-9, 1e-10, 1.0, 1.0, 1.0, 1.0};
    scalay_node_links links = {.nodes = 3, .node = node, .distance = distance};
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.link_cost = scalay_node_link_cost;
    options.link_context = &links;
    assert_success(scalay_traffic_from_entries(3, 2, 3, process, part, items, &traffic));
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
    assert_true(fabs(mapping_summary(mapping).time - 7e-10) < 1e-20);
    assert_success(scalay_mapping_check(traffic, mapping, &options));
    const double time = mapping->time;
    mapping->time *= 1.0 + 1e-6;
    assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
    mapping->time = time;
    mapping->certificate.part_dual[0] += (int64_t)(time * 1e-6 / mapping->certificate.unit);
    assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_ways_are_checked_as_well),
        cmocka_unit_test(link_costs_must_be_finite_and_not_negative),
        cmocka_unit_test(equal_links_make_time_a_multiple_of_the_volume),
        cmocka_unit_test(tampered_times_are_refused),
        cmocka_unit_test(the_tiniest_times_are_proven),
        cmocka_unit_test(negative_duals_prove_no_time),
        cmocka_unit_test(times_are_bounded_in_no_time),
        cmocka_unit_test(nodes_are_as_good_as_all_pairs),
        cmocka_unit_test(budgets_by_node_end_between_bounds),
        cmocka_unit_test(many_equal_parts_are_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
