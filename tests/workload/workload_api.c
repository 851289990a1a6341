/* Distributions as callers get them: against brute force, and recomputed from the profile. */
#include "profiles.h"

#include "base/integer.h"
#include "profile/profile.h"
#include "workload_check.h"

static instance made;

/* The totals that can be made, by trying. */
static void check_nearest(const scalay_profile *profile, int64_t n, int64_t below, int64_t above)
{
    int64_t capacity = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        capacity += scalay_profile_multiplicity(profile, j) * scalay_profile_largest(profile, j);
    for (int64_t total = scalay_min_int64(below, n); total <= capacity + 1; total++) {
        instance_of_profile(profile, total, &made);
        double *times = least_times(&made.problem, made.problem.processors);
        int possible = 0;
        for (int64_t a = 0; a <= made.problem.processors; a++) possible = possible || times[a] < INFINITY;
        free(times);
        assert_int_equal(possible, total == below || total == above || (above >= 0 && total > above && possible));
        if (total == above) return;
    }
    assert_int_equal(above, -1);
}

static void the_least_time_is_that_of_brute_force(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 400; seed++) {
        int64_t n = 0;
        int64_t below = 0;
        int64_t above = 0;
        double least = INFINITY;
        int64_t fewest = 0;
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        scalay_profile *profile = next_profile(seed, seed % 2 == 0, &n);
        instance_of_profile(profile, n, &made);
        double *times = least_times(&made.problem, made.problem.processors);
        for (int64_t a = 0; a <= made.problem.processors; a++)
            if (times[a] < least) {
                least = times[a];
                fewest = a;
            }
        assert_success(scalay_workload_min_time(profile, n, NULL, &workload));
        assert_fine(workload_check(profile, n, workload), seed);
        assert_success(scalay_workload_get_summary(workload, &summary));
        assert_success(scalay_workload_nearest(workload, &below, &above));
        assert_int_equal(scalay_workload_feasible(workload), least < INFINITY);
        assert_string_equal(summary.method, "auto");
        if (least < INFINITY) {
            assert_true(summary.time == least && summary.total == least);
            assert_true(profile->has_energy ? summary.active >= fewest : summary.active == fewest);
            assert_int_equal(summary.taking_part, summary.active);
        } else {
            check_nearest(profile, n, below, above);
        }
        free(times);
        scalay_workload_destroy(&workload);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void the_least_energy_is_that_of_brute_force(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 400; seed++) {
        int64_t n = 0;
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        scalay_profile *profile = next_profile(seed, 1, &n);
        instance_of_profile(profile, n, &made);
        int64_t *energies = least_energies(&made.problem, made.problem.processors, INFINITY);
        int64_t fewest = 0;
        for (int64_t a = 0; a <= made.problem.processors; a++)
            if (energies[a] < energies[fewest]) fewest = a;
        assert_success(scalay_workload_min_energy(profile, n, NULL, &workload));
        assert_fine(workload_check(profile, n, workload), seed);
        assert_success(scalay_workload_get_summary(workload, &summary));
        assert_int_equal(scalay_workload_feasible(workload), energies[fewest] < SCALAY_NO_ENERGY);
        if (scalay_workload_feasible(workload)) {
            assert_true(summary.energy == (double)energies[fewest] / 4.0);
            assert_int_equal(summary.active, fewest);
        }
        free(energies);
        scalay_workload_destroy(&workload);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void nothing_to_do_makes_everybody_idle(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(7));
    scalay_profile *profile = random_profile(&random, 3, 4, 1);
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    scalay_workload_front *front = NULL;
    assert_success(scalay_workload_min_time(profile, 0, NULL, &workload));
    assert_fine(workload_check(profile, 0, workload), 0);
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_true(summary.time == 0.0 && summary.energy == 0.0 && summary.active == 0);
    scalay_workload_destroy(&workload);
    assert_success(scalay_workload_min_energy(profile, 0, NULL, &workload));
    assert_fine(workload_check(profile, 0, workload), 0);
    scalay_workload_destroy(&workload);
    assert_success(scalay_workload_front_create(profile, 0, NULL, &front));
    assert_int_equal(scalay_workload_front_count(front), 1);
    assert_success(scalay_workload_front_get_workload(front, 0, &workload));
    assert_fine(workload_check(profile, 0, workload), 0);
    scalay_workload_destroy(&workload);
    scalay_workload_front_destroy(&front);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_million_million_processors_are_a_histogram(void **state)
{
    (void)state;
    const int64_t count = INT64_C(1000000000000);
    const int64_t size[] = {3, 7};
    const double time[] = {1.0, 2.0};
    const double energy[] = {0.5, 0.75};
    int64_t shares = 0;
    int64_t window[4] = {0};
    const scalay_workload_share *share = NULL;
    scalay_profile *profile = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    assert_success(scalay_profile_table("node", count, 2, size, time, energy, &profile));
    assert_success(scalay_workload_min_time(profile, 7 * count - 8, NULL, &workload));
    scalay_profile_destroy(&profile); /* what the distribution needs of it stays */
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_success(scalay_workload_histogram(workload, &shares, &share));
    assert_int_equal(shares, 2);
    assert_true(share[0].size == 7 && share[0].count == count - 2 && share[1].size == 3 && share[1].count == 2);
    assert_true(summary.time == 2.0 && summary.energy == 0.75 * (double)(count - 2) + 1.0);
    assert_success(scalay_workload_sizes(workload, count - 4, 4, window));
    assert_true(window[0] == 7 && window[1] == 7 && window[2] == 3 && window[3] == 3);
    assert_success(scalay_workload_sizes(workload, count, 0, NULL));
    scalay_workload_destroy(&workload);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_time_is_that_of_brute_force),
        cmocka_unit_test(the_least_energy_is_that_of_brute_force),
        cmocka_unit_test(nothing_to_do_makes_everybody_idle),
        cmocka_unit_test(a_million_million_processors_are_a_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
