/* Traffic matrices from lists of entries: places, sums and costs. */
#include "instances.h"
#include "summaries.h"

static void entries_are_sorted_and_added_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        instance made = instance_random(&random, 1 + (int)scalay_random_below(&random, 9),
                                        1 + (int)scalay_random_below(&random, 9), (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        int64_t items = 0;
        int64_t nonzeros = 0;
        assert_success(instance_traffic(&made, &traffic));
        for (int i = 0; i < made.processes; i++) {
            int64_t count = 0;
            const int *part = NULL;
            const int64_t *row = NULL;
            assert_success(scalay_traffic_row(traffic, i, &count, &part, &row));
            for (int64_t k = 0; k < count; k++) {
                assert_true(row[k] > 0 && (k == 0 || part[k] > part[k - 1]));
                assert_int_equal(row[k], instance_get(&made, i, part[k]));
            }
            nonzeros += count;
            for (int j = 0; j < made.parts; j++) {
                assert_int_equal(scalay_traffic_get_entry(traffic, i, j), instance_get(&made, i, j));
                items += instance_get(&made, i, j);
                nonzeros -= instance_get(&made, i, j) > 0;
            }
        }
        assert_int_equal(nonzeros, 0);
        assert_int_equal(traffic_summary(traffic).elements, items);
        assert_int_equal(traffic_summary(traffic).processes, made.processes);
        assert_int_equal(traffic_summary(traffic).parts, made.parts);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

static void costs_follow_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        scalay_random random = scalay_random_seed(seed);
        int processes = 1 + (int)scalay_random_below(&random, 9);
        int parts = 1 + (int)scalay_random_below(&random, 9);
        int most = (processes > parts ? processes : parts) + (int)scalay_random_below(&random, 4);
        int process[9];
        int64_t volume[2];
        int64_t steps[2];
        instance made = instance_random(&random, processes, parts, (int)(seed % KINDS));
        scalay_traffic *traffic = NULL;
        scalay_mapping *mapping = NULL;
        assert_success(instance_traffic(&made, &traffic));
        random_processes(&random, most, parts, process);
        instance_cost(&made, process, most, &volume[0], &steps[0]);
        assert_success(scalay_traffic_cost(traffic, process, &volume[1], &steps[1]));
        assert_int_equal(volume[0], volume[1]);
        assert_int_equal(steps[0], steps[1]);
        assert_success(scalay_traffic_cost(traffic, process, NULL, NULL));
        assert_success(scalay_mapping_from_processes(traffic, most, parts, process, &mapping));
        assert_int_equal(mapping_summary(mapping).volume, volume[0]);
        assert_int_equal(mapping_summary(mapping).steps, steps[0]);
        assert_int_equal(mapping_summary(mapping).proof, SCALAY_PROOF_NONE);
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        scalay_mapping_destroy(&mapping);
        scalay_traffic_destroy(&traffic);
        instance_free(&made);
    }
}

static void a_process_far_beyond_the_rows_costs_no_memory(void **state)
{
    (void)state;
    const int process[2] = {INT32_MAX, 0};
    const int place[2] = {0, 1};
    const int64_t items[2] = {5, 6};
    int64_t volume = 0;
    int64_t steps = 0;
    scalay_traffic *traffic = NULL;
    assert_success(scalay_traffic_from_entries(2, 2, 2, place, place, items, &traffic));
    scalay_memory_reset_peak();
    assert_success(scalay_traffic_cost(traffic, process, &volume, &steps));
    assert_true(scalay_memory_peak() < 10000);
    assert_int_equal(volume, 11);
    assert_int_equal(steps, 6);
    scalay_traffic_destroy(&traffic);
}

/* ---------------------------------------------------------------------------------------------- errors */

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const int place[2] = {0, 1};
    const int outside[2] = {0, 2};
    const int negative[2] = {-1, 0};
    const int64_t items[2] = {1, 2};
    const int64_t debt[2] = {1, -2};
    scalay_traffic *traffic = NULL;
    assert_int_equal(scalay_traffic_from_entries(0, 2, 0, NULL, NULL, NULL, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 0, 0, NULL, NULL, NULL, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, -1, NULL, NULL, NULL, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, NULL, place, items, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, place, NULL, items, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, place, place, NULL, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, outside, place, items, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, place, negative, items, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, place, place, debt, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, place, place, items, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_create(NULL, NULL, &traffic), SCALAY_ERROR_ARGUMENT);
    assert_null(traffic);
    assert_int_equal(traffic_summary(NULL).processes, 0);
    assert_int_equal(traffic_summary(NULL).parts, 0);
    assert_int_equal(traffic_summary(NULL).elements, 0);
    assert_int_equal(traffic_summary(NULL).nonzeros, 0);
    assert_int_equal(scalay_traffic_get_entry(NULL, 0, 0), 0);
    scalay_traffic_destroy(NULL);
    scalay_traffic_destroy(&traffic);
}

static void bad_queries_are_refused(void **state)
{
    (void)state;
    const int place[2] = {0, 1};
    const int twice[2] = {7, 7};
    const int negative[2] = {0, -1};
    const int64_t items[2] = {1, 2};
    scalay_traffic *traffic = NULL;
    int64_t count = 0;
    const int *part = NULL;
    const int64_t *row = NULL;
    assert_success(scalay_traffic_from_entries(2, 2, 2, place, place, items, &traffic));
    assert_int_equal(scalay_traffic_row(traffic, -1, &count, &part, &row), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_row(traffic, 2, &count, &part, &row), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_row(NULL, 0, &count, &part, &row), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_row(traffic, 0, NULL, &part, &row), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_get_entry(traffic, 5, 0), 0);
    assert_int_equal(scalay_traffic_get_entry(traffic, 0, 5), 0);
    assert_int_equal(scalay_traffic_get_entry(traffic, -1, -1), 0);
    assert_int_equal(scalay_traffic_cost(NULL, place, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_cost(traffic, NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_cost(traffic, twice, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_traffic_cost(traffic, negative, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    scalay_traffic_destroy(&traffic);
}

static void sums_that_overflow_are_refused(void **state)
{
    (void)state;
    const int same[2] = {0, 0};
    const int place[2] = {0, 1};
    const int64_t items[2] = {INT64_MAX, 1};
    const int64_t most[2] = {INT64_MAX - 1, 1};
    scalay_traffic *traffic = NULL;
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, same, same, items, &traffic), SCALAY_ERROR_RANGE);
    assert_int_equal(scalay_traffic_from_entries(2, 2, 2, place, place, items, &traffic), SCALAY_ERROR_RANGE);
    assert_null(traffic);
    assert_success(scalay_traffic_from_entries(2, 2, 2, place, place, most, &traffic));
    assert_int_equal(traffic_summary(traffic).elements, INT64_MAX);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    const int place[3] = {1, 0, 1};
    const int64_t items[3] = {1, 2, 3};
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    while (status != SCALAY_SUCCESS) {
        scalay_traffic *traffic = NULL;
        scalay_memory_fail_at(++n);
        status = scalay_traffic_from_entries(2, 2, 3, place, place, items, &traffic);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || (status == SCALAY_ERROR_MEMORY && traffic == NULL));
        scalay_traffic_destroy(&traffic);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_true(n > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted_and_added_up),
        cmocka_unit_test(costs_follow_the_definition),
        cmocka_unit_test(a_process_far_beyond_the_rows_costs_no_memory),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(sums_that_overflow_are_refused),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
