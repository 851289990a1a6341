/* Distributions and fronts as callers get them: against brute force, and recomputed from the profile. */
#include "profiles.h"

#include "core/integer.h"
#include "workload_check.h"

static instance made;

/* Fails when a check says what is wrong. */
static void assert_fine(const char *wrong, uint64_t seed)
{
    if (wrong == NULL) return;
    print_error("seed %llu: %s\n", (unsigned long long)seed, wrong);
    fail();
}

static scalay_profile *next_profile(uint64_t seed, int energies, int64_t *n)
{
    scalay_random random = scalay_random_seed(seed);
    scalay_profile *profile = random_profile(&random, 1 + (int)(seed % 3), seed % 3 == 0 ? 6 : 3, energies);
    int64_t capacity = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        capacity += scalay_profile_count(profile, j) * scalay_profile_largest(profile, j);
    *n = scalay_random_below(&random, capacity + 3);
    return profile;
}

/* The totals that can be made, by trying. */
static void check_nearest(const scalay_profile *profile, int64_t n, int64_t below, int64_t above)
{
    int64_t capacity = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        capacity += scalay_profile_count(profile, j) * scalay_profile_largest(profile, j);
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
        assert_success(scalay_workload_get(workload, &summary));
        assert_success(scalay_workload_nearest(workload, &below, &above));
        assert_int_equal(scalay_workload_feasible(workload), least < INFINITY);
        assert_string_equal(summary.method, "auto");
        if (least < INFINITY) {
            assert_true(summary.time == least && summary.total == least);
            assert_int_equal(summary.active, fewest);
            assert_int_equal(summary.taking_part, fewest);
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
        assert_success(scalay_workload_get(workload, &summary));
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

/* ------------------------------------------------------------------------------------------------------- fronts */

/* The point k is the best within its time, and its distribution comes to it. */
static void check_point(const scalay_profile *profile, int64_t n, const scalay_front *front, int64_t k, uint64_t seed)
{
    scalay_front_point point;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    assert_success(scalay_front_get(front, k, &point));
    assert_success(scalay_front_workload(front, k, &workload));
    assert_fine(workload_check(profile, n, workload), seed);
    assert_success(scalay_workload_get(workload, &summary));
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
static void check_front(const scalay_profile *profile, int64_t n, const scalay_front *front, uint64_t seed)
{
    scalay_front_point before = {-1.0, INFINITY, INFINITY, 0};
    if (n == 0) return; /* another test */
    for (int64_t k = 0; k < scalay_front_count(front); k++) {
        scalay_front_point point;
        check_point(profile, n, front, k, seed);
        assert_success(scalay_front_get(front, k, &point));
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
        scalay_front *front = NULL;
        scalay_workload *least = NULL;
        scalay_profile *profile = next_profile(seed, 1, &n);
        instance_of_profile(profile, n, &made);
        assert_success(scalay_workload_front(profile, n, NULL, &front));
        assert_success(scalay_workload_min_energy(profile, n, NULL, &least));
        assert_int_equal(scalay_front_count(front) > 0, scalay_workload_feasible(least));
        check_front(profile, n, front, seed);
        if (scalay_front_count(front) > 0) {
            scalay_front_point last;
            scalay_workload_summary summary;
            assert_success(scalay_front_get(front, scalay_front_count(front) - 1, &last));
            assert_success(scalay_workload_get(least, &summary));
            assert_true(last.energy == summary.energy);
        } else {
            int64_t below[2];
            int64_t above[2];
            assert_success(scalay_front_nearest(front, &below[0], &above[0]));
            assert_success(scalay_workload_nearest(least, &below[1], &above[1]));
            assert_true(below[0] == below[1] && above[0] == above[1]);
            assert_int_equal(scalay_front_knee(front), -1);
        }
        scalay_workload_destroy(&least);
        scalay_front_destroy(&front);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* The points of the front at which the total energy falls, picked one by one. */
static void check_total_front(const scalay_front *front, const scalay_front *total, double power)
{
    double least = INFINITY;
    int64_t at = 0;
    for (int64_t k = 0; k < scalay_front_count(front); k++) {
        scalay_front_point point;
        scalay_front_point found;
        assert_success(scalay_front_get(front, k, &point));
        const double energy = point.energy + power * point.time;
        if (energy >= least) continue;
        least = energy;
        assert_success(scalay_front_get(total, at++, &found));
        assert_true(found.time == point.time && found.energy == point.energy && found.total_energy == energy);
        assert_int_equal(found.active, point.active);
    }
    assert_int_equal(at, scalay_front_count(total));
}

static void total_fronts_are_picked_from_fronts(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 200; seed++) {
        int64_t n = 0;
        scalay_front *front = NULL;
        scalay_front *total = NULL;
        const double power = (double)(seed % 5) * 4.0;
        scalay_profile *profile = next_profile(seed, 1, &n);
        assert_success(scalay_workload_front(profile, n, NULL, &front));
        assert_success(scalay_workload_total_front(profile, n, power, NULL, &total));
        check_total_front(front, total, power);
        scalay_front_destroy(&total);
        scalay_front_destroy(&front);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* One processor with sizes whose front is known: (1, 10), (2, 4), (4, 3), (5, 1). */
static scalay_front *known_front(void)
{
    const int64_t size[] = {10, 1, 9, 2, 8, 5};
    const double time[] = {1.0, 2.0, 1.0, 4.0, 4.0, 5.0};
    const double energy[] = {10.0, 1.0, 3.0, 1.0, 2.0, 0.5};
    scalay_profile *profile = NULL;
    scalay_front *front = NULL;
    assert_success(scalay_profile_table("cpu", 2, 6, size, time, energy, &profile));
    assert_success(scalay_workload_front(profile, 10, NULL, &front));
    scalay_profile_destroy(&profile);
    return front;
}

static void points_can_be_selected(void **state)
{
    (void)state;
    scalay_front *front = known_front();
    assert_int_equal(scalay_front_count(front), 4);
    assert_int_equal(scalay_front_within_time(front, 0.0), 0);
    assert_int_equal(scalay_front_within_time(front, 1.0), 1);
    assert_int_equal(scalay_front_within_time(front, 2.9), 1);
    assert_int_equal(scalay_front_within_time(front, 3.0), 2);
    assert_int_equal(scalay_front_within_time(front, INFINITY), 3);
    assert_int_equal(scalay_front_within_energy(front, 0.0), 3);
    assert_int_equal(scalay_front_within_energy(front, 1.9), 3);
    assert_int_equal(scalay_front_within_energy(front, 2.0), 2);
    assert_int_equal(scalay_front_within_energy(front, 8.9), 1);
    assert_int_equal(scalay_front_within_energy(front, 9.0), 0);
    assert_int_equal(scalay_front_knee(front), 1);
    assert_int_equal(scalay_front_within_time(front, -0.1), -1);
    assert_int_equal(scalay_front_within_energy(front, NAN), -1);
    assert_int_equal(scalay_front_within_time(NULL, 0.1), -1);
    assert_int_equal(scalay_front_within_energy(NULL, 0.1), -1);
    assert_int_equal(scalay_front_knee(NULL), -1);
    scalay_front_destroy(&front);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------------ the rest */

static void nothing_to_do_makes_everybody_idle(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(7);
    scalay_profile *profile = random_profile(&random, 3, 4, 1);
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    scalay_front *front = NULL;
    assert_success(scalay_workload_min_time(profile, 0, NULL, &workload));
    assert_fine(workload_check(profile, 0, workload), 0);
    assert_success(scalay_workload_get(workload, &summary));
    assert_true(summary.time == 0.0 && summary.energy == 0.0 && summary.active == 0);
    scalay_workload_destroy(&workload);
    assert_success(scalay_workload_min_energy(profile, 0, NULL, &workload));
    assert_fine(workload_check(profile, 0, workload), 0);
    scalay_workload_destroy(&workload);
    assert_success(scalay_workload_front(profile, 0, NULL, &front));
    assert_int_equal(scalay_front_count(front), 1);
    assert_success(scalay_front_workload(front, 0, &workload));
    assert_fine(workload_check(profile, 0, workload), 0);
    scalay_workload_destroy(&workload);
    scalay_front_destroy(&front);
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
    assert_success(scalay_workload_get(workload, &summary));
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

static void every_method_is_listed_and_known(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(3);
    scalay_profile *profile = random_group(&random, "cpu", 3, 8, 1, 1);
    scalay_workload_options options = scalay_workload_options_default();
    assert_string_equal(scalay_workload_methods(0), "auto");
    assert_null(scalay_workload_methods(-1));
    for (int k = 0; scalay_workload_methods(k) != NULL; k++) {
        scalay_workload *workload = NULL;
        scalay_front *front = NULL;
        int solved = 0;
        options.method = scalay_workload_methods(k);
        solved += scalay_workload_min_time(profile, 6, &options, &workload) == SCALAY_SUCCESS;
        scalay_workload_destroy(&workload);
        solved += scalay_workload_min_energy(profile, 6, &options, &workload) == SCALAY_SUCCESS;
        scalay_workload_destroy(&workload);
        solved += scalay_workload_front(profile, 6, &options, &front) == SCALAY_SUCCESS;
        scalay_front_destroy(&front);
        solved += scalay_workload_total_front(profile, 6, 1.0, &options, &front) == SCALAY_SUCCESS;
        scalay_front_destroy(&front);
        assert_int_equal(solved, k == 0 ? 4 : 1);
    }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Published methods that find the whole front agree with ours, distributions included. */
static void published_fronts_agree(void **state)
{
    static const char *const names[] = {"hepopta", "aleph"};
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        int64_t n = 0;
        scalay_front *front = NULL;
        scalay_profile *profile = next_profile(3 * seed, 1, &n); /* one group */
        scalay_workload_options options = scalay_workload_options_default();
        instance_of_profile(profile, n, &made);
        for (int k = 0; k < 2; k++) {
            options.method = names[k];
            assert_success(scalay_workload_front(profile, n, &options, &front));
            check_front(profile, n, front, seed);
            scalay_front_destroy(&front);
        }
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------------------- bad arguments */

static void assert_message(const char *function, const char *word)
{
    if (strstr(scalay_error_message(), function) != NULL && strstr(scalay_error_message(), word) != NULL) return;
    print_error("the message lacks %s or %s: %s\n", function, word, scalay_error_message());
    fail();
}

static void bad_arguments_of_solving_are_refused(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(5);
    scalay_profile *two = random_profile(&random, 2, 3, 1);
    scalay_profile *plain = random_profile(&random, 1, 3, 0);
    scalay_workload *workload = (scalay_workload *)&random;
    scalay_front *front = (scalay_front *)&random;
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
    assert_gives(scalay_workload_front(plain, 4, NULL, &front), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_front", "energies");
    assert_null(front);
    assert_gives(scalay_workload_front(two, 4, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_total_front(two, 4, -1.0, NULL, &front), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_total_front", "base_power = -1");
    assert_gives(scalay_workload_total_front(two, 4, NAN, NULL, &front), SCALAY_ERROR_ARGUMENT);
    options.method = "magic\n";
    assert_gives(scalay_workload_min_time(two, 4, &options, &workload), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_min_time", "auto, popta");
    options.method = "eopta";
    assert_gives(scalay_workload_min_time(two, 4, &options, &workload), SCALAY_ERROR_ARGUMENT);
    options.method = "popta";
    assert_gives(scalay_workload_min_time(two, 4, &options, &workload), SCALAY_ERROR_UNSUPPORTED);
    assert_message("scalay_workload_min_time", "2 groups");
    options.method = NULL;
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
    scalay_front_point point;
    scalay_workload *workload = NULL;
    scalay_front *front = known_front();
    assert_success(scalay_front_workload(front, 0, &workload));
    assert_gives(scalay_workload_nearest(NULL, &number, &number), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_nearest(workload, NULL, &number), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_get(NULL, &summary), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_get(workload, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_histogram(NULL, &number, &share), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_histogram(workload, &number, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_sizes(workload, 0, 3, size), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_sizes", "count = 3");
    assert_gives(scalay_workload_sizes(workload, -1, 1, size), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_sizes(workload, 0, 1, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_workload_sizes(NULL, 0, 1, size), SCALAY_ERROR_ARGUMENT);
    scalay_workload_destroy(&workload);
    assert_gives(scalay_front_get(front, 4, &point), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_front_get", "k = 4");
    assert_gives(scalay_front_get(front, -1, &point), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_front_get(front, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_front_get(NULL, 0, &point), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_front_workload(front, 4, &workload), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_front_workload(front, 0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_front_nearest(NULL, &number, &number), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_front_nearest(front, &number, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_front_count(NULL), 0);
    assert_int_equal(scalay_workload_feasible(NULL), 0);
    scalay_workload_destroy(NULL);
    scalay_front_destroy(NULL);
    scalay_front_destroy(&front);
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
    scalay_front *front = NULL;
    scalay_status status = scalay_workload_min_time(profile, n, NULL, &workload);
    scalay_workload_destroy(&workload);
    if (status == SCALAY_SUCCESS) status = scalay_workload_min_energy(profile, n, NULL, &workload);
    scalay_workload_destroy(&workload);
    if (status == SCALAY_SUCCESS) status = scalay_workload_front(profile, n, NULL, &front);
    if (status == SCALAY_SUCCESS && scalay_front_count(front) > 0) status = scalay_front_workload(front, 0, &workload);
    scalay_workload_destroy(&workload);
    scalay_front_destroy(&front);
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
        cmocka_unit_test(the_least_time_is_that_of_brute_force),
        cmocka_unit_test(the_least_energy_is_that_of_brute_force),
        cmocka_unit_test(fronts_are_those_of_brute_force),
        cmocka_unit_test(total_fronts_are_picked_from_fronts),
        cmocka_unit_test(points_can_be_selected),
        cmocka_unit_test(nothing_to_do_makes_everybody_idle),
        cmocka_unit_test(a_million_million_processors_are_a_histogram),
        cmocka_unit_test(every_method_is_listed_and_known),
        cmocka_unit_test(published_fronts_agree),
        cmocka_unit_test(bad_arguments_of_solving_are_refused),
        cmocka_unit_test(bad_arguments_of_queries_are_refused),
        cmocka_unit_test(what_there_is_not_cannot_be_listed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
