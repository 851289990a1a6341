/* Mapping objects and their error paths: bad arguments, no room, failing allocations, large numbers. */
#include "instances.h"

#include "layout/layout.h"
#include "scalay/layout.h"
#include "summaries.h"

enum { OBJECTIVES = 6 };

static scalay_traffic *random_traffic(uint64_t seed, int processes, int parts, int kind)
{
    scalay_random random = scalay_random_seed(seed);
    instance made = instance_random(&random, processes, parts, kind);
    scalay_traffic *traffic = NULL;
    assert_success(instance_traffic(&made, &traffic));
    instance_free(&made);
    return traffic;
}

static void names_are_those_of_the_command_line(void **state)
{
    (void)state;
    assert_string_equal(scalay_objective_name(SCALAY_CANONICAL), "canonical");
    assert_string_equal(scalay_objective_name(SCALAY_MIN_VOLUME), "volume");
    assert_string_equal(scalay_objective_name(SCALAY_MIN_STEPS), "steps");
    assert_string_equal(scalay_objective_name(SCALAY_MIN_STEPS_THEN_VOLUME), "steps-volume");
    assert_string_equal(scalay_objective_name(SCALAY_MIN_VOLUME_THEN_STEPS), "volume-steps");
    assert_string_equal(scalay_objective_name(SCALAY_MIN_TIME), "time");
    assert_string_equal(scalay_objective_name(SCALAY_MIN_GRID_VOLUME), "grid-volume");
    assert_string_equal(scalay_objective_name((scalay_objective)7), "unknown");
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    scalay_traffic *traffic = random_traffic(1, 3, 3, UNIFORM);
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    assert_int_equal(scalay_mapping_from_traffic(NULL, SCALAY_MIN_VOLUME, NULL, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_traffic(traffic, (scalay_objective)7, NULL, &mapping), SCALAY_ERROR_ARGUMENT);
    options.processes = -1;
    assert_int_equal(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, &options, &mapping),
                     SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_create(NULL, NULL, SCALAY_MIN_VOLUME, NULL, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_create(NULL, NULL, SCALAY_MIN_VOLUME, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_check(NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_null(mapping);
    scalay_mapping_destroy(&mapping);
    scalay_mapping_destroy(NULL);
    assert_int_equal(mapping_summary(NULL).parts, 0);
    assert_int_equal(mapping_summary(NULL).processes, 0);
    assert_null(scalay_mapping_process(NULL));
    assert_int_equal(mapping_summary(NULL).volume, -1);
    assert_int_equal(mapping_summary(NULL).steps, -1);
    assert_true(mapping_summary(NULL).time < 0.0);
    assert_true(mapping_summary(NULL).time_bound < 0.0);
    assert_int_equal(mapping_summary(NULL).proof, SCALAY_PROOF_NONE);
    assert_int_equal(mapping_summary(NULL).objective, SCALAY_CANONICAL);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void chosen_processes_must_be_distinct_and_exist(void **state)
{
    (void)state;
    const int good[3] = {2, 0, 3};
    const int twice[3] = {2, 0, 2};
    const int negative[3] = {2, -1, 0};
    const int beyond[3] = {2, 4, 0};
    scalay_traffic *traffic = random_traffic(1, 3, 3, UNIFORM);
    scalay_mapping *mapping = NULL;
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 3, twice, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 3, negative, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 3, beyond, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 3, NULL, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 2, 3, good, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 2, good, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 0, good, &mapping), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_from_processes(traffic, 4, 3, good, NULL), SCALAY_ERROR_ARGUMENT);
    assert_null(mapping);
    assert_success(scalay_mapping_from_processes(NULL, 4, 3, good, &mapping));
    assert_int_equal(mapping_summary(mapping).volume, -1);
    assert_int_equal(mapping_summary(mapping).steps, -1);
    assert_int_equal(scalay_mapping_check(traffic, mapping, NULL), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void too_few_processes_are_infeasible(void **state)
{
    (void)state;
    const unsigned char barred[4] = {0, 1, 0, 1};
    scalay_traffic *traffic = random_traffic(1, 4, 3, UNIFORM);
    scalay_mapping_options options = scalay_mapping_options_default();
    for (int objective = 0; objective < OBJECTIVES; objective++) {
        scalay_mapping *mapping = NULL;
        options = scalay_mapping_options_default();
        options.processes = 2;
        assert_int_equal(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, &options, &mapping),
                         SCALAY_ERROR_INFEASIBLE);
        options.processes = 0;
        options.barred = barred;
        assert_int_equal(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, &options, &mapping),
                         SCALAY_ERROR_INFEASIBLE);
        assert_null(mapping);
    }
    /* Two more make room, but part 1 cannot stay on process 1. */
    const unsigned char longer[6] = {0, 1, 0, 1, 0, 0};
    options.processes = 6;
    options.barred = longer;
    for (int objective = 0; objective < OBJECTIVES; objective++) {
        scalay_mapping *mapping = NULL;
        assert_int_equal(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, &options, &mapping),
                         objective == SCALAY_CANONICAL ? SCALAY_ERROR_INFEASIBLE : SCALAY_SUCCESS);
        scalay_mapping_destroy(&mapping);
    }
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_check_notices_another_problem(void **state)
{
    (void)state;
    const unsigned char barred[4] = {1, 0, 0, 0};
    scalay_traffic *traffic = random_traffic(1, 4, 4, UNIFORM);
    scalay_traffic *other = random_traffic(2, 4, 4, UNIFORM);
    scalay_traffic *wider = random_traffic(3, 4, 5, UNIFORM);
    scalay_mapping_options options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    assert_success(scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &mapping));
    assert_int_equal(scalay_mapping_check(other, mapping, NULL), SCALAY_ERROR_MISMATCH);
    assert_int_equal(scalay_mapping_check(wider, mapping, NULL), SCALAY_ERROR_MISMATCH);
    options.barred = barred;
    assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
    options.barred = NULL;
    options.processes = 5;
    assert_int_equal(scalay_mapping_check(traffic, mapping, &options), SCALAY_ERROR_MISMATCH);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    scalay_traffic_destroy(&other);
    scalay_traffic_destroy(&wider);
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------- large numbers */

static void items_near_the_limit_are_exact(void **state)
{
    (void)state;
    const int64_t big = INT64_MAX / 4;
    const int process[4] = {0, 0, 1, 1};
    const int part[4] = {0, 1, 0, 1};
    const int64_t items[4] = {big - 1, big, big, big - 2};
    scalay_traffic *traffic = NULL;
    assert_success(scalay_traffic_from_entries(2, 2, 4, process, part, items, &traffic));
    for (int objective = SCALAY_MIN_VOLUME; objective < SCALAY_MIN_TIME; objective++) {
        scalay_mapping *mapping = NULL;
        assert_success(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, NULL, &mapping));
        assert_int_equal(scalay_mapping_process(mapping)[0], 1);
        assert_int_equal(mapping_summary(mapping).volume, 2 * big - 3);
        assert_int_equal(mapping_summary(mapping).steps, big - 1);
        assert_success(scalay_mapping_check(traffic, mapping, NULL));
        scalay_mapping_destroy(&mapping);
    }
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void more_items_than_can_be_compared_are_refused(void **state)
{
    (void)state;
    const int zero = 0;
    const int64_t items = INT64_C(1) << 62;
    scalay_traffic *traffic = NULL;
    assert_success(scalay_traffic_from_entries(1, 1, 1, &zero, &zero, &items, &traffic));
    for (int objective = 0; objective < OBJECTIVES; objective++) {
        scalay_mapping *mapping = NULL;
        assert_int_equal(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, NULL, &mapping),
                         objective == SCALAY_MIN_STEPS_THEN_VOLUME ? SCALAY_ERROR_RANGE : SCALAY_SUCCESS);
        scalay_mapping_destroy(&mapping);
    }
    scalay_traffic_destroy(&traffic);
    assert_int_equal(scalay_memory_live(), 0);
}

static void one_process_and_no_items_are_fine(void **state)
{
    (void)state;
    scalay_traffic *empty = NULL;
    assert_success(scalay_traffic_from_entries(1, 1, 0, NULL, NULL, NULL, &empty));
    scalay_traffic *uneven = NULL;
    assert_success(scalay_traffic_from_entries(3, 5, 0, NULL, NULL, NULL, &uneven));
    for (int objective = 0; objective < OBJECTIVES; objective++)
        for (int which = 0; which < 2; which++) {
            const scalay_traffic *traffic = which == 0 ? empty : uneven;
            scalay_mapping *mapping = NULL;
            assert_success(scalay_mapping_from_traffic(traffic, (scalay_objective)objective, NULL, &mapping));
            assert_int_equal(mapping_summary(mapping).volume, 0);
            assert_int_equal(mapping_summary(mapping).steps, 0);
            for (int j = 0; j < mapping_summary(mapping).parts; j++)
                assert_int_equal(scalay_mapping_process(mapping)[j], j);
            assert_success(scalay_mapping_check(traffic, mapping, NULL));
            scalay_mapping_destroy(&mapping);
        }
    scalay_traffic_destroy(&empty);
    scalay_traffic_destroy(&uneven);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------ allocation */

static void sweep_allocations(const scalay_traffic *traffic, scalay_objective objective,
                              const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t before = scalay_memory_live();
    int64_t failures = 0;
    while (status != SCALAY_SUCCESS) {
        scalay_mapping *mapping = NULL;
        scalay_memory_fail_at(failures + 1);
        status = scalay_mapping_from_traffic(traffic, objective, options, &mapping);
        scalay_memory_fail_at(0);
        if (status != SCALAY_SUCCESS) {
            assert_int_equal(status, SCALAY_ERROR_MEMORY);
            assert_null(mapping);
            failures++;
        }
        scalay_mapping_destroy(&mapping);
        assert_int_equal(scalay_memory_live(), before);
    }
    assert_true(failures > 2);
}

static void sweep_check(const scalay_traffic *traffic, scalay_objective objective,
                        const scalay_mapping_options *options)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    scalay_mapping *mapping = NULL;
    assert_success(scalay_mapping_from_traffic(traffic, objective, options, &mapping));
    int64_t before = scalay_memory_live();
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_memory_fail_at(n);
        status = scalay_mapping_check(traffic, mapping, options);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), before);
    }
    scalay_mapping_destroy(&mapping);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    /* 50 x 60: dense enough for the core of heavy edges. */
    scalay_traffic *traffics[2] = {random_traffic(5, 6, 5, SKEWED), random_traffic(6, 50, 60, UNIFORM)};
    unsigned char barred[70] = {1};
    for (int which = 0; which < 2; which++)
        for (int objective = 0; objective < OBJECTIVES; objective++) {
            scalay_mapping_options options = scalay_mapping_options_default();
            sweep_allocations(traffics[which], (scalay_objective)objective, NULL);
            if (objective == SCALAY_CANONICAL) continue;
            options.processes = 70;
            options.barred = barred;
            options.link_cost = node_link;
            sweep_allocations(traffics[which], (scalay_objective)objective, &options);
            sweep_check(traffics[which], (scalay_objective)objective, &options);
        }
    for (int which = 0; which < 2; which++) scalay_traffic_destroy(&traffics[which]);
    assert_int_equal(scalay_memory_live(), 0);
}

static void mapping_layouts_survives_failing_allocations(void **state)
{
    (void)state;
    scalay_layout *source = NULL;
    scalay_layout *target = NULL;
    assert_success(scalay_layout_block_cyclic(30, 20, 4, 4, 2, 3, 1, 1, SCALAY_ROW_MAJOR, &source));
    assert_success(scalay_layout_skewed(30, 20, 5, 5, 2, 2, 1, &target));
    int64_t before = scalay_memory_live();
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_mapping *mapping = NULL;
        scalay_layout *mapped = NULL;
        scalay_memory_fail_at(n);
        status = scalay_mapping_create(source, target, SCALAY_MIN_STEPS_THEN_VOLUME, NULL, &mapping);
        if (status == SCALAY_SUCCESS) status = scalay_mapping_apply(mapping, target, &mapped);
        scalay_memory_fail_at(0);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        scalay_mapping_destroy(&mapping);
        scalay_layout_destroy(&mapped);
        assert_int_equal(scalay_memory_live(), before);
    }
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

static void applying_needs_a_layout_of_the_same_parts(void **state)
{
    (void)state;
    const int process[3] = {2, 0, 3};
    scalay_layout *target = NULL;
    scalay_layout *mapped = NULL;
    scalay_mapping *mapping = NULL;
    assert_success(scalay_layout_block_cyclic(30, 20, 4, 4, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &target));
    assert_success(scalay_mapping_from_processes(NULL, 4, 3, process, &mapping));
    assert_int_equal(scalay_mapping_apply(mapping, target, &mapped), SCALAY_ERROR_MISMATCH);
    assert_int_equal(scalay_mapping_apply(NULL, target, &mapped), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_apply(mapping, NULL, &mapped), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_mapping_apply(mapping, target, NULL), SCALAY_ERROR_ARGUMENT);
    assert_null(mapped);
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&target);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_command_line),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(chosen_processes_must_be_distinct_and_exist),
        cmocka_unit_test(too_few_processes_are_infeasible),
        cmocka_unit_test(a_check_notices_another_problem),
        cmocka_unit_test(items_near_the_limit_are_exact),
        cmocka_unit_test(more_items_than_can_be_compared_are_refused),
        cmocka_unit_test(one_process_and_no_items_are_fine),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
        cmocka_unit_test(mapping_layouts_survives_failing_allocations),
        cmocka_unit_test(applying_needs_a_layout_of_the_same_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
