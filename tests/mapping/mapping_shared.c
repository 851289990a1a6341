/* Several matrices under one mapping, and processes on nodes: equal to brute force. */
#include "instances.h"
#include "summaries.h"

#include <math.h>
#include <string.h>

enum { MOST = 6, MATRICES = 3 };

typedef struct {
    int processes, parts, matrices;
    instance made[MATRICES];
    int64_t weight[MATRICES];
    scalay_node_links links;
} problem;

/* Least volume of all matrices together, or least sum of link costs, over all assignments of parts k and up. */
static void try_all(const problem *given, int k, int *process, int timed, double *best)
{
    if (k < given->parts) {
        for (int i = 0; i < given->processes; i++) {
            int taken = 0;
            for (int j = 0; j < k; j++) taken |= process[j] == i;
            process[k] = i;
            if (!taken) try_all(given, k + 1, process, timed, best);
        }
        return;
    }
    double cost = 0.0;
    for (int x = 0; x < given->matrices; x++)
        for (int j = 0; j < given->parts; j++)
            for (int i = 0; i < given->made[x].processes; i++) {
                const double moved = (double)(instance_get(&given->made[x], i, j) * given->weight[x]);
                cost += moved * (timed ? scalay_node_link_cost(i, process[j], (void *)&given->links) : i != process[j]);
            }
    if (cost < *best) *best = cost;
}

static void sums_have_the_best_common_mapping(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        scalay_random random = scalay_random_seed(seed);
        problem given = {.parts = 1 + (int)scalay_random_below(&random, MOST),
                         .matrices = 1 + (int)scalay_random_below(&random, MATRICES)};
        scalay_traffic *each[MATRICES] = {NULL}, *sum = NULL;
        scalay_mapping *mapping = NULL;
        int process[MOST];
        int64_t items = 0, volume = 0;
        double best = INFINITY;
        for (int x = 0; x < given.matrices; x++) {
            const int rows = 1 + (int)scalay_random_below(&random, MOST);
            given.weight[x] = scalay_random_below(&random, 9);
            given.made[x] = instance_random(&random, rows, given.parts, (int)(seed % BALANCED));
            if (given.processes < rows) given.processes = rows;
            for (int e = 0; e < rows * given.parts; e++) {
                given.made[x].items[e] %= 1000000;
                items += given.made[x].items[e] * given.weight[x];
            }
            assert_success(instance_traffic(&given.made[x], &each[x]));
        }
        if (given.processes < given.parts) given.processes = given.parts;
        try_all(&given, 0, process, 0, &best);
        assert_success(scalay_traffic_add(given.matrices, (const scalay_traffic *const *)each, given.weight, &sum));
        assert_int_equal(traffic_summary(sum).elements, items);
        assert_success(scalay_mapping_from_traffic(sum, SCALAY_MIN_VOLUME, NULL, &mapping));
        assert_success(scalay_mapping_check(sum, mapping, NULL));
        assert_true((double)mapping_summary(mapping).volume == best);
        for (int x = 0; x < given.matrices; x++) {
            int64_t own = 0;
            assert_success(scalay_traffic_cost(each[x], scalay_mapping_process(mapping), &own, NULL));
            volume += own * given.weight[x];
            scalay_traffic_destroy(&each[x]);
            instance_free(&given.made[x]);
        }
        assert_int_equal(volume, mapping_summary(mapping).volume);
        scalay_mapping_destroy(&mapping);
        scalay_traffic_destroy(&sum);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void sums_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const int process[1] = {0}, part[1] = {0};
    const int64_t items[1] = {INT64_C(1) << 62}, twice[1] = {2}, negative[1] = {-1};
    scalay_traffic *narrow = NULL, *wide = NULL, *sum = NULL;
    assert_success(scalay_traffic_from_entries(1, 1, 1, process, part, items, &narrow));
    assert_success(scalay_traffic_from_entries(1, 2, 1, process, part, items, &wide));
    const scalay_traffic *both[3] = {narrow, wide, NULL}, *same[2] = {narrow, narrow};
    assert_int_equal(scalay_traffic_add(0, both, NULL, &sum), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_add(1, NULL, NULL, &sum), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_add(1, both, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_add(1, both + 2, NULL, &sum), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_add(1, both, negative, &sum), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_add(2, both, NULL, &sum), SCALAY_ERROR_MISMATCH);
    assert_int_equal(scalay_traffic_add(1, both, twice, &sum), SCALAY_ERROR_RANGE);
    assert_int_equal(scalay_traffic_add(2, same, NULL, &sum), SCALAY_ERROR_RANGE);
    assert_null(sum);
    scalay_traffic_destroy(&narrow);
    scalay_traffic_destroy(&wide);
    assert_int_equal(scalay_memory_live(), 0);
}

static void nodes_are_respected_as_brute_force_does(void **state)
{
    (void)state;
    static const double distance[9] = {10, 21, 31, 21, 10, 25, 28, 25, 11};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int node[MOST], process[MOST];
        problem given = {.parts = 1 + (int)scalay_random_below(&random, MOST), .matrices = 1, .weight = {1}};
        scalay_traffic *traffic = NULL;
        scalay_mapping *mapping = NULL;
        double best = INFINITY;
        given.made[0] =
            instance_random(&random, 1 + (int)scalay_random_below(&random, MOST), given.parts, (int)(seed % SKEWED));
        given.processes = given.made[0].processes > given.parts ? given.made[0].processes : given.parts;
        for (int i = 0; i < MOST; i++) node[i] = (int)scalay_random_below(&random, 3);
        given.links = (scalay_node_links){.nodes = 3, .ranks_per_node = 2, .within = 0.25};
        if (seed % 2) given.links.node = node;
        if (seed % 3) given.links.distance = distance;
        scalay_mapping_options options = scalay_mapping_options_default();
        options.link_cost = scalay_node_link_cost;
        options.link_context = &given.links;
        try_all(&given, 0, process, 1, &best);
        assert_success(instance_traffic(&given.made[0], &traffic));
        assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping));
        assert_success(scalay_mapping_check(traffic, mapping, &options));
        assert_true(fabs(mapping_summary(mapping).time - best) <= 1e-9 * best);
        scalay_mapping_destroy(&mapping);
        scalay_traffic_destroy(&traffic);
        instance_free(&given.made[0]);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void nodes_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    instance made = instance_random(&random, 5, 5, UNIFORM);
    scalay_node_links links = {.nodes = 2, .ranks_per_node = 2};
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    options.link_cost = scalay_node_link_cost;
    options.link_context = &links;
    assert_success(instance_traffic(&made, &traffic));
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping), SCALAY_ERROR_ARGUMENT);
    links.ranks_per_node = 0;
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_TIME, &options, &mapping), SCALAY_ERROR_ARGUMENT);
    scalay_traffic_destroy(&traffic);
    instance_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_best_common_mapping),
        cmocka_unit_test(sums_that_make_no_sense_are_refused),
        cmocka_unit_test(nodes_are_respected_as_brute_force_does),
        cmocka_unit_test(nodes_that_do_not_exist_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
