/* Fronts as callers get them: against brute force, and with the distributions of their points. */
#include "profiles.h"

#include "base/integer.h"
#include "scalay/published.h"
#include "workload_check.h"

static instance made;

/* The point k is the best within its time, and its distribution comes to it. */
static void check_point(const scalay_profile *profile, int64_t n, const scalay_workload_front *front, int64_t k,
                        uint64_t seed)
{
    scalay_workload_front_point point;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    assert_success(scalay_workload_front_get_point(front, k, &point));
    assert_success(scalay_workload_front_get_workload(front, k, &workload));
    assert_fine(workload_check(profile, n, workload), seed);
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_true(summary.time == point.time && summary.energy == point.energy);
    assert_int_equal(summary.active, point.active);
    int64_t *energies = least_energies(&made.problem, made.problem.processors, point.time);
    int64_t fewest = 0;
    for (int64_t a = 0; a <= made.problem.processors; a++)
        if (energies[a] < energies[fewest]) fewest = a;
    assert_true(point.energy == (double)energies[fewest] / 4.0);
    assert_int_equal(point.active, fewest);
    free(energies);
    scalay_workload_destroy(&workload);
}

/* Between points, and after the last, nothing is better. */
static void check_front(const scalay_profile *profile, int64_t n, const scalay_workload_front *front, uint64_t seed)
{
    scalay_workload_front_point before = {-1.0, INFINITY, INFINITY, 0};
    if (n == 0) return; /* another test */
    for (int64_t k = 0; k < scalay_workload_front_count(front); k++) {
        scalay_workload_front_point point;
        check_point(profile, n, front, k, seed);
        assert_success(scalay_workload_front_get_point(front, k, &point));
        assert_true(point.time > before.time && point.energy < before.energy && point.total_energy == point.energy);
        /* Just below its time, the energy is that of the point before. */
        int64_t *energies = least_energies(&made.problem, made.problem.processors, nextafter(point.time, -INFINITY));
        int64_t least = SCALAY_NO_ENERGY;
        for (int64_t a = 0; a <= made.problem.processors; a++) least = scalay_min_int64(least, energies[a]);
        assert_true(k == 0 ? least == SCALAY_NO_ENERGY : (double)least / 4.0 == before.energy);
        free(energies);
        before = point;
    }
}

static void fronts_are_those_of_brute_force(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 200; seed++) {
        int64_t n = 0;
        scalay_workload_front *front = NULL;
        scalay_workload *least = NULL;
        scalay_profile *profile = next_profile(seed, 1, &n);
        instance_of_profile(profile, n, &made);
        assert_success(scalay_workload_front_create(profile, n, NULL, &front));
        assert_success(scalay_workload_min_energy(profile, n, NULL, &least));
        assert_int_equal(scalay_workload_front_count(front) > 0, scalay_workload_feasible(least));
        check_front(profile, n, front, seed);
        if (scalay_workload_front_count(front) > 0) {
            scalay_workload_front_point last;
            scalay_workload_summary summary;
            assert_success(scalay_workload_front_get_point(front, scalay_workload_front_count(front) - 1, &last));
            assert_success(scalay_workload_get_summary(least, &summary));
            assert_true(last.energy == summary.energy);
        } else {
            int64_t below[2];
            int64_t above[2];
            assert_success(scalay_workload_front_nearest(front, &below[0], &above[0]));
            assert_success(scalay_workload_nearest(least, &below[1], &above[1]));
            assert_true(below[0] == below[1] && above[0] == above[1]);
            assert_int_equal(scalay_workload_front_knee(front), -1);
        }
        scalay_workload_destroy(&least);
        scalay_workload_front_destroy(&front);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The points of the front at which the total energy falls, picked one by one. */
static void check_total_front(const scalay_workload_front *front, const scalay_workload_front *total, double power)
{
    double least = INFINITY;
    int64_t at = 0;
    for (int64_t k = 0; k < scalay_workload_front_count(front); k++) {
        scalay_workload_front_point point;
        scalay_workload_front_point found;
        assert_success(scalay_workload_front_get_point(front, k, &point));
        const double energy = point.energy + power * point.time;
        if (energy >= least) continue;
        least = energy;
        assert_success(scalay_workload_front_get_point(total, at++, &found));
        assert_true(found.time == point.time && found.energy == point.energy && found.total_energy == energy);
        assert_int_equal(found.active, point.active);
    }
    assert_int_equal(at, scalay_workload_front_count(total));
}

static void total_fronts_are_picked_from_fronts(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 200; seed++) {
        int64_t n = 0;
        scalay_workload_front *front = NULL;
        scalay_workload_front *total = NULL;
        const double power = (double)(seed % 5) * 4.0;
        scalay_profile *profile = next_profile(seed, 1, &n);
        assert_success(scalay_workload_front_create(profile, n, NULL, &front));
        assert_success(scalay_workload_front_create_total(profile, n, power, NULL, &total));
        check_total_front(front, total, power);
        scalay_workload_front_destroy(&total);
        scalay_workload_front_destroy(&front);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void points_can_be_selected(void **state)
{
    (void)state;
    scalay_workload_front *front = known_front();
    assert_int_equal(scalay_workload_front_count(front), 4);
    assert_int_equal(scalay_workload_front_within_time(front, 0.0), 0);
    assert_int_equal(scalay_workload_front_within_time(front, 1.0), 1);
    assert_int_equal(scalay_workload_front_within_time(front, 2.9), 1);
    assert_int_equal(scalay_workload_front_within_time(front, 3.0), 2);
    assert_int_equal(scalay_workload_front_within_time(front, INFINITY), 3);
    assert_int_equal(scalay_workload_front_within_energy(front, 0.0), 3);
    assert_int_equal(scalay_workload_front_within_energy(front, 1.9), 3);
    assert_int_equal(scalay_workload_front_within_energy(front, 2.0), 2);
    assert_int_equal(scalay_workload_front_within_energy(front, 8.9), 1);
    assert_int_equal(scalay_workload_front_within_energy(front, 9.0), 0);
    assert_int_equal(scalay_workload_front_knee(front), 1);
    assert_int_equal(scalay_workload_front_within_time(front, -0.1), -1);
    assert_int_equal(scalay_workload_front_within_energy(front, NAN), -1);
    assert_int_equal(scalay_workload_front_within_time(NULL, 0.1), -1);
    assert_int_equal(scalay_workload_front_within_energy(NULL, 0.1), -1);
    assert_int_equal(scalay_workload_front_knee(NULL), -1);
    scalay_workload_front_destroy(&front);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Published methods that find the whole front agree with ours, distributions included. */
static void published_fronts_agree(void **state)
{
    static const char *const names[] = {"hepopta", "aleph"};
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        int64_t n = 0;
        scalay_workload_front *front = NULL;
        scalay_profile *profile = next_profile(3 * seed, 1, &n); /* one group */
        instance_of_profile(profile, n, &made);
        for (int k = 0; k < 2; k++) {
            assert_success(scalay_published_front(profile, n, 0.0, names[k], &front));
            check_front(profile, n, front, seed);
            scalay_workload_front_destroy(&front);
        }
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fronts_are_those_of_brute_force),
        cmocka_unit_test(total_fronts_are_picked_from_fronts),
        cmocka_unit_test(points_can_be_selected),
        cmocka_unit_test(published_fronts_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
