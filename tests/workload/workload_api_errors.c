/* What the workload functions refuse, and what they say. */
#include "profiles.h"

static void bad_arguments_of_solving_are_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(5));
    scalay_profile *two = random_profile(&random, 2, 3, 1);
    scalay_profile *plain = random_profile(&random, 1, 3, 0);
    scalay_workload *workload = (scalay_workload *)&random;
    scalay_workload_front *front = (scalay_workload_front *)&random;
    scalay_workload_options options = scalay_workload_options_default();
    assert_gives(scalay_workload_min_time(NULL, 1, NULL, &workload), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_min_time", "profile");
    assert_null(workload);
    assert_gives(scalay_workload_min_time(two, 1, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_min_time", "workload is NULL");
    assert_gives(scalay_workload_min_time(two, -4, NULL, &workload), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_min_time", "n = -4");
    assert_gives(scalay_workload_min_time(two, (INT64_C(1) << 60) + 1, NULL, &workload), SCALAY_ERROR_RANGE);
    assert_message("scalay_workload_min_time", "2^60");
    assert_gives(scalay_workload_min_energy(plain, 4, NULL, &workload), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_min_energy", "energies");
    assert_gives(scalay_workload_front_create(plain, 4, NULL, &front), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_front_create", "energies");
    assert_null(front);
    assert_gives(scalay_workload_front_create(two, 4, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_create_total(two, 4, -1.0, NULL, &front), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_front_create_total", "base_power = -1");
    assert_gives(scalay_workload_front_create_total(two, 4, NAN, NULL, &front), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_create_total(two, 4, 1e308, NULL, &front), SCALAY_ERROR_RANGE);
    assert_message("scalay_workload_front_create_total", "base_power = 1e+308");
    options.variant = (scalay_communication_variant)7;
    assert_gives(scalay_workload_min_time(two, 4, &options, &workload), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_min_time", "variant = 7");
    scalay_profile_destroy(&two);
    scalay_profile_destroy(&plain);
    assert_int_equal(scalay_memory_live(), 0);
}

static void bad_arguments_of_queries_are_refused(void **state)
{
    (void)state;
    int64_t size[3];
    int64_t number = 0;
    const scalay_workload_share *share = NULL;
    scalay_workload_summary summary;
    scalay_workload_front_point point;
    scalay_workload *workload = NULL;
    scalay_workload_front *front = known_front();
    assert_success(scalay_workload_front_get_workload(front, 0, &workload));
    assert_gives(scalay_workload_nearest(NULL, &number, &number), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_nearest(workload, NULL, &number), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_get_summary(NULL, &summary), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_get_summary(workload, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_histogram(NULL, &number, &share), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_histogram(workload, &number, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_sizes(workload, 0, 3, size), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_sizes", "count = 3");
    assert_gives(scalay_workload_sizes(workload, -1, 1, size), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_sizes(workload, 0, 1, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_sizes(NULL, 0, 1, size), SCALAY_ERROR_ARGUMENT);
    scalay_workload_destroy(&workload);
    assert_gives(scalay_workload_front_get_point(front, 4, &point), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_front_get_point", "k = 4");
    assert_gives(scalay_workload_front_get_point(front, -1, &point), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_get_point(front, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_get_point(NULL, 0, &point), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_get_workload(front, 4, &workload), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_get_workload(front, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_nearest(NULL, &number, &number), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_front_nearest(front, &number, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_workload_front_count(NULL), 0);
    assert_int_equal(scalay_workload_feasible(NULL), 0);
    scalay_workload_destroy(NULL);
    scalay_workload_front_destroy(NULL);
    scalay_workload_front_destroy(&front);
    assert_int_equal(scalay_memory_live(), 0);
}

static void what_there_is_not_cannot_be_listed(void **state)
{
    (void)state;
    const int64_t size[] = {4, 10};
    const double time[] = {1.0, 2.0};
    int64_t listed = 0;
    int64_t below = 0;
    int64_t above = 0;
    scalay_profile *profile = NULL;
    scalay_workload *workload = NULL;
    assert_success(scalay_profile_table("cpu", 2, 2, size, time, NULL, &profile));
    assert_success(scalay_workload_min_time(profile, 9, NULL, &workload));
    assert_int_equal(scalay_workload_feasible(workload), 0);
    assert_success(scalay_workload_nearest(workload, &below, &above));
    assert_true(below == 8 && above == 10); /* a size beyond n */
    assert_gives(scalay_workload_sizes(workload, 0, 1, &listed), SCALAY_ERROR_INFEASIBLE);
    assert_message("scalay_workload_sizes", "8 can be");
    scalay_workload_destroy(&workload);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static scalay_status solve_all(const scalay_profile *profile, int64_t n)
{
    scalay_workload *workload = NULL;
    scalay_workload_front *front = NULL;
    scalay_status status = scalay_workload_min_time(profile, n, NULL, &workload);
    scalay_workload_destroy(&workload);
    if (status == SCALAY_SUCCESS) status = scalay_workload_min_energy(profile, n, NULL, &workload);
    scalay_workload_destroy(&workload);
    if (status == SCALAY_SUCCESS) status = scalay_workload_front_create(profile, n, NULL, &front);
    if (status == SCALAY_SUCCESS && scalay_workload_front_count(front) > 0)
        status = scalay_workload_front_get_workload(front, 0, &workload);
    scalay_workload_destroy(&workload);
    scalay_workload_front_destroy(&front);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        int64_t n = 0;
        scalay_status status = SCALAY_ERROR_MEMORY;
        scalay_profile *profile = next_profile(seed, 1, &n);
        for (int64_t request = 1; status != SCALAY_SUCCESS; request++) {
            scalay_memory_fail_at(request);
            status = solve_all(profile, n);
            scalay_memory_fail_at(0);
            if (status != SCALAY_SUCCESS) assert_int_equal(status, SCALAY_ERROR_MEMORY);
        }
        scalay_profile_destroy(&profile);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_of_solving_are_refused),
        cmocka_unit_test(bad_arguments_of_queries_are_refused),
        cmocka_unit_test(what_there_is_not_cannot_be_listed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
