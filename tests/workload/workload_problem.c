/* A profile becomes a problem: dense arrays in common units, with what does not fit refused. */
#include "profiles.h"

#include "base/integer.h"
#include "profile/profile.h"

static void sizes_are_divided_by_their_common_unit(void **state)
{
    (void)state;
    const int64_t size[] = {12, 6, 30, 100};
    const double time[] = {2.0, 1.0, 5.0, 9.0};
    const double energy[] = {0.25, 0.125, 1.0, 2.0};
    scalay_profile *profile = NULL;
    scalay_problem problem = {0};
    assert_success(scalay_profile_table("cpu", 3, 4, size, time, energy, &profile));
    assert_success(scalay_problem_create("scalay_test", profile, 44, 1, &problem));
    assert_true(problem.unit == 6 && problem.n == 7 && !problem.divisible); /* 100 is beyond n */
    assert_int_equal(problem.group[0].largest, 5);
    for (int64_t x = 0; x <= 5; x++) {
        const double expected = x == 0 ? 0.0 : x == 1 ? 1.0 : x == 2 ? 2.0 : x == 5 ? 5.0 : INFINITY;
        assert_true(problem.group[0].time[x] == expected);
        assert_int_equal(problem.group[0].energy[x] == SCALAY_NO_ENERGY, x == 3 || x == 4);
    }
    assert_true((double)problem.group[0].energy[2] / problem.units_per_joule == 0.25);
    scalay_problem_free(&problem);
    assert_success(scalay_problem_create("scalay_test", profile, 120, 0, &problem));
    assert_true(problem.unit == 2 && problem.n == 60 && problem.divisible && problem.group[0].largest == 50);
    assert_null(problem.group[0].energy);
    scalay_problem_free(&problem);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void sizes_beyond_n_leave_nothing(void **state)
{
    (void)state;
    const int64_t size[] = {12};
    const double time[] = {2.0};
    scalay_profile *profile = NULL;
    scalay_problem problem = {0};
    assert_success(scalay_profile_table("cpu", 3, 1, size, time, NULL, &profile));
    assert_success(scalay_problem_create("scalay_test", profile, 11, 0, &problem));
    assert_true(problem.unit == 1 && problem.divisible && problem.n == 11 && problem.group[0].largest == 0);
    scalay_problem_free(&problem);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Sizes 3 to 12 are dense in units of 3; with 27 there are holes, once n allows it. */
static void sizes_without_holes_are_not_copied(void **state)
{
    (void)state;
    const int64_t size[] = {3, 6, 9, 12, 27};
    const double time[] = {1.0, 3.0, 2.0, 4.0, 9.0};
    const double energy[] = {0.5, 0.25, 1.0, 2.0, 4.0};
    scalay_profile *profile = NULL;
    scalay_problem problem = {0};
    assert_success(scalay_profile_table("cpu", 3, 5, size, time, energy, &profile));
    for (int64_t n = 3; n < 40; n++) {
        const int64_t largest = n < 27 ? scalay_min_int64(n / 3, 4) : 9;
        assert_success(scalay_problem_create("scalay_test", profile, n, 1, &problem));
        assert_true(problem.group[0].largest == largest && problem.group[0].time[1] == 1.0);
        assert_int_equal(problem.storage == NULL, n < 27);
        assert_int_equal(problem.group[0].time == profile->group[0].times, n < 27);
        assert_int_equal(problem.group[0].energy == profile->group[0].energies, n < 27);
        scalay_problem_free(&problem);
    }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The definition, for every index; nothing is known of how the arrays are made. */
static void assert_problem_is(const scalay_problem *problem, const scalay_profile *profile, int64_t n)
{
    int64_t unit = 0;
    for (int j = 0; j < profile->groups; j++)
        for (int64_t k = 0; k < profile->group[j].points; k++)
            if (profile->group[j].size[k] <= n) unit = scalay_gcd(profile->group[j].size[k], unit);
    assert_int_equal(problem->unit, unit > 0 ? unit : 1);
    for (int j = 0; j < profile->groups; j++) {
        const scalay_problem_group *group = &problem->group[j];
        assert_true(group->largest * problem->unit <= n && group->multiplicity == profile->group[j].count);
        assert_true(group->time[0] == 0.0 && group->energy[0] == 0);
        for (int64_t x = 1; x <= n / problem->unit; x++) {
            double time = INFINITY;
            double energy = 0.0;
            assert_success(scalay_profile_get_point(profile, j, x * problem->unit, &time, &energy));
            if (x > group->largest) assert_true(time == INFINITY);
            if (x > group->largest) continue;
            assert_true(group->time[x] == time);
            if (x == group->largest) assert_true(time < INFINITY);
            assert_int_equal(group->energy[x] == SCALAY_NO_ENERGY, time == INFINITY);
            if (time < INFINITY) assert_true((double)group->energy[x] / problem->units_per_joule == energy);
        }
    }
}

static void problems_have_every_point_up_to_n(void **state)
{
    (void)state;
    const uint64_t first = test_seed(1);
    scalay_problem problem = {0};
    for (uint64_t seed = first; seed < first + 500; seed++) {
        int64_t n = 0;
        scalay_profile *profile = next_profile(seed, 1, &n);
        for (int64_t total = 1; total <= n + 5; total += 1 + total / 4) {
            assert_success(scalay_problem_create("scalay_test", profile, total, 1, &problem));
            assert_problem_is(&problem, profile, total);
            scalay_problem_free(&problem);
        }
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The second size is dear, but only counts when n allows it. */
static void energies_of_sizes_beyond_n_do_not_count(void **state)
{
    (void)state;
    const int64_t size[] = {1, INT64_C(1) << 31};
    const double time[] = {1.0, 1.0};
    const double energy[] = {0x1p40, 0x1p53};
    scalay_profile *profile = NULL;
    scalay_problem problem = {0};
    assert_success(scalay_profile_table("cpu", 1024, 2, size, time, energy, &profile));
    assert_success(scalay_problem_create("scalay_test", profile, size[1] - 1, 1, &problem));
    scalay_problem_free(&problem);
    assert_gives(scalay_problem_create("scalay_test", profile, size[1], 1, &problem), SCALAY_ERROR_RANGE);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The smallest n whose energies are refused, by halving: the sum of 10^12 processors' energies. */
static void energies_beyond_62_bits_are_refused(void **state)
{
    (void)state;
    const int64_t size[] = {1, 2};
    const double time[] = {1.0, 1.0};
    const double energy[] = {1e6, 1.5e6};
    scalay_profile *profile = NULL;
    scalay_problem problem = {0};
    assert_success(scalay_profile_table("cpu", INT64_C(1) << 50, 2, size, time, energy, &profile));
    const double units = (double)profile->group[0].energy_units[0]; /* per unit of size */
    const int64_t fine = (int64_t)(4e18 / units);
    assert_success(scalay_problem_create("scalay_test", profile, fine, 1, &problem));
    scalay_problem_free(&problem);
    assert_gives(scalay_problem_create("scalay_test", profile, 2 * fine, 1, &problem), SCALAY_ERROR_RANGE);
    assert_non_null(strstr(scalay_error_message(), "2^62"));
    assert_success(scalay_problem_create("scalay_test", profile, 2 * fine, 0, &problem));
    scalay_problem_free(&problem);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void sizes_that_add_up_beyond_all_bounds_are_refused(void **state)
{
    (void)state;
    const int64_t size[] = {1, INT64_C(1) << 60};
    const double time[] = {1.0, 1.0};
    scalay_profile *part[2] = {NULL, NULL};
    scalay_profile *profile = NULL;
    scalay_problem problem = {0};
    for (int k = 0; k < 2; k++)
        assert_success(scalay_profile_table(k == 0 ? "a" : "b", 1, 2, size, time, NULL, &part[k]));
    assert_success(scalay_profile_join(2, (const scalay_profile *const *)part, &profile));
    assert_gives(scalay_problem_create("scalay_test", profile, INT64_C(1) << 60, 0, &problem), SCALAY_ERROR_RANGE);
    assert_non_null(strstr(scalay_error_message(), "larger unit"));
    assert_gives(scalay_problem_create("scalay_test", profile, (INT64_C(1) << 60) + 1, 0, &problem),
                 SCALAY_ERROR_RANGE);
    assert_non_null(strstr(scalay_error_message(), "2^60"));
    assert_success(scalay_problem_create("scalay_test", profile, 1000, 0, &problem));
    assert_int_equal(problem.group[0].largest, 1);
    scalay_problem_free(&problem);
    for (int k = 0; k < 2; k++) scalay_profile_destroy(&part[k]);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    scalay_profile *profile = random_profile(&random, 3, 3, 1);
    scalay_problem problem = {0};
    scalay_status status = SCALAY_ERROR_MEMORY;
    for (int64_t request = 1; status != SCALAY_SUCCESS; request++) {
        scalay_memory_fail_at(request);
        status = scalay_problem_create("scalay_test", profile, 10, 1, &problem);
        scalay_memory_fail_at(0);
        if (status == SCALAY_SUCCESS) break;
        assert_int_equal(status, SCALAY_ERROR_MEMORY);
        assert_null(problem.group);
    }
    scalay_problem_free(&problem);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_divided_by_their_common_unit),
        cmocka_unit_test(sizes_beyond_n_leave_nothing),
        cmocka_unit_test(sizes_without_holes_are_not_copied),
        cmocka_unit_test(problems_have_every_point_up_to_n),
        cmocka_unit_test(energies_of_sizes_beyond_n_do_not_count),
        cmocka_unit_test(energies_beyond_62_bits_are_refused),
        cmocka_unit_test(sizes_that_add_up_beyond_all_bounds_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
