/* How many processors can be active: bounds of any range of numbers against what every number comes to; and searches
 * in which most of very many numbers are impossible. */
#include "profiles.h"

#include "base/integer.h"
#include "workload/active_numbers.h"
#include "workload_check.h"

enum { MOST_PROCESSORS = 24 };

static instance made;

/* Bounds of all ranges; returns how many single numbers are known to be impossible, or to take as long as they do. */
static int check_ranges(const scalay_active_numbers *numbers, const double *times, int64_t processors)
{
    int exact = 0;
    for (int64_t first = 1; first <= processors; first++) {
        double least = INFINITY;
        exact += scalay_active_numbers_time(numbers, first, first) >= times[first];
        for (int64_t last = first; last <= processors; last++) {
            least = fmin(least, times[last]);
            assert_true(scalay_active_numbers_time(numbers, first, last) <= least);
        }
    }
    return exact;
}

static void no_range_takes_less_than_its_bound(void **state)
{
    const uint64_t seed = test_seed(1);
    (void)state;
    int exact = 0;
    int numbers_seen = 0;
    for (uint64_t k = seed; k < seed + 2000; k++) {
        scalay_random random = scalay_random_seed(k);
        scalay_active_numbers numbers = {0};
        const int groups = 1 + (int)scalay_random_below(&random, 3);
        const int shape = (int)scalay_random_below(&random, SHAPES);
        for (int j = 0; j < groups; j++)
            instance_group(&made, j, &random, shape, 1 + scalay_random_below(&random, 6),
                           3 + scalay_random_below(&random, 12), scalay_random_below(&random, 6));
        instance_close(&made, groups, 1 + scalay_random_below(&random, 80));
        assert_true(scalay_active_numbers_time(&numbers, 1, 5) == 0.0);
        assert_success(scalay_active_numbers_make(&made.problem, &numbers));
        double *times = least_times(&made.problem, made.problem.processors);
        exact += check_ranges(&numbers, times, made.problem.processors);
        numbers_seen += (int)made.problem.processors;
        free(times);
    }
    assert_true(2 * exact > numbers_seen);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Sizes 7 and 11 of identical processors: 7 q + 4 k = n. */
static void two_sizes_leave_every_fourth_number(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    scalay_active_numbers numbers = {0};
    instance_group(&made, 0, &random, NOISY, 100, 11, 0);
    for (int64_t x = 1; x < 11; x++)
        if (x != 7) made.time[0][x] = INFINITY;
    instance_close(&made, 1, 333);
    assert_success(scalay_active_numbers_make(&made.problem, &numbers));
    for (int64_t q = 1; q <= 100; q++) {
        const int64_t more = 333 - 7 * q;
        const int possible = more >= 0 && more % 4 == 0 && more / 4 <= q;
        assert_int_equal(scalay_active_numbers_time(&numbers, q, q) < INFINITY, possible);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* A thousand million processors, of which two thirds at most can be active, and every third number of them: it takes
 * milliseconds where that is known, and days where one number after the other is tried. */
static void impossible_numbers_are_not_tried(void **state)
{
    (void)state;
    const int64_t size[2][2] = {{4, 7}, {10, 13}};
    const double time[2][2] = {{3.0, 2.0}, {1.0, 2.0}};
    const double energy[2][2] = {{1.0, 5.0}, {7.0, 8.0}};
    const int64_t n = 1800000001;
    scalay_profile *part[2] = {NULL, NULL};
    scalay_profile *profile = NULL;
    scalay_communication *hockney = NULL;
    scalay_workload_options options = scalay_workload_options_default();
    for (int j = 0; j < 2; j++)
        assert_success(scalay_profile_table(j == 0 ? "a" : "b", 500000000, 2, size[j], time[j], energy[j], &part[j]));
    assert_success(scalay_profile_join(2, (const scalay_profile *const *)part, &profile));
    assert_success(scalay_communication_hockney(0.0, 1e-9, 64, &hockney)); /* the more, the better */
    options.communication = hockney;
    for (int kind = 0; kind < 4; kind++) {
        const scalay_profile *asked = kind % 2 == 0 ? part[0] : profile;
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        assert_success(kind < 2 ? scalay_workload_min_time(asked, n, &options, &workload)
                                : scalay_workload_min_energy(asked, n, &options, &workload));
        assert_null(workload_check(asked, n, workload));
        assert_success(scalay_workload_get_summary(workload, &summary));
        /* sizes are 1 modulo 3, so that their number is, too; there are units for 450,000,000 of size 4 */
        assert_int_equal(summary.active, 449999998);
        scalay_workload_destroy(&workload);
    }
    scalay_communication_destroy(&hockney);
    scalay_profile_destroy(&profile);
    for (int j = 0; j < 2; j++) scalay_profile_destroy(&part[j]);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_range_takes_less_than_its_bound),
        cmocka_unit_test(two_sizes_leave_every_fourth_number),
        cmocka_unit_test(impossible_numbers_are_not_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
