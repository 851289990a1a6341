/* Few sizes of very many digits: fine with a common divisor, refused with a remedy without one. */
#include "profiles.h"

#include "workload_check.h"

enum { MIN_TIME, MIN_ENERGY, FRONT, QUESTIONS };

static const int64_t LARGE = INT64_C(1000000000000000);

/* Four processors with sizes of 2 and 3 times a unit, less so much. */
static scalay_profile *profile_of_two(int64_t unit, int64_t less)
{
    const int64_t size[2] = {2 * unit, 3 * unit - less};
    const double time[2] = {1.0, 2.0};
    const double energy[2] = {0.1, 0.2};
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_table("node", 4, 2, size, time, energy, &profile));
    return profile;
}

static scalay_status ask(int question, const scalay_profile *profile, int64_t n, scalay_workload **workload)
{
    scalay_workload_front *front = NULL;
    if (question == MIN_TIME) return scalay_workload_min_time(profile, n, NULL, workload);
    if (question == MIN_ENERGY) return scalay_workload_min_energy(profile, n, NULL, workload);
    scalay_status status = scalay_workload_front_create(profile, n, NULL, &front);
    if (status == SCALAY_SUCCESS) status = scalay_workload_front_get_workload(front, 0, workload);
    scalay_workload_front_destroy(&front);
    return status;
}

static void a_common_divisor_makes_large_sizes_small(void **state)
{
    (void)state;
    scalay_profile *profile = profile_of_two(LARGE, 0);
    for (int question = 0; question < QUESTIONS; question++)
        for (int64_t units = 2; units <= 12; units++) {
            scalay_workload *workload = NULL;
            assert_success(ask(question, profile, units * LARGE, &workload));
            assert_null(workload_check(profile, units * LARGE, workload));
            assert_true(scalay_workload_feasible(workload));
            scalay_workload_destroy(&workload);
        }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void large_sizes_without_one_are_refused_with_a_remedy(void **state)
{
    (void)state;
    scalay_profile *profile = profile_of_two(LARGE, 1);
    for (int question = 0; question < QUESTIONS; question++) {
        scalay_workload *workload = NULL;
        assert_gives(ask(question, profile, 4 * LARGE, &workload), SCALAY_ERROR_MEMORY);
        assert_non_null(strstr(scalay_error_message(), "larger units"));
        assert_null(workload);
    }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_common_divisor_makes_large_sizes_small),
        cmocka_unit_test(large_sizes_without_one_are_refused_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
