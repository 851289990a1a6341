/* Sets of sums by number of active processors, against what every number of them takes at least. */
#include "profiles.h"

#include "workload/active_sets.h"

static instance made;

/* The fewest active processors that take no longer. */
static int64_t fewest(const double *times, double time)
{
    int64_t active = 1;
    while (times[active] > time) active++;
    return active;
}

/* One limit and a time that is enough, or not. Returns whether that was decided. */
static int check_limit(scalay_active_limit limit, double time, int enough, int64_t active,
                       scalay_distribution *distribution)
{
    int feasible = -1;
    int decided = -1;
    double taken = 0.0;
    int64_t energy = 0;
    int64_t used = 0;
    assert_success(scalay_active_sets_test(&made.problem, time, limit, &feasible, &decided, distribution));
    assert_int_equal(feasible, decided && enough);
    if (distribution == NULL || !decided) return decided;
    assert_int_equal(distribution->feasible, enough);
    if (!enough) return decided;
    check_distribution(&made.problem, distribution, &taken, &energy, &used);
    assert_true(taken <= time);
    assert_int_equal(used, active);
    return decided;
}

/* All limits, at the time they take and just below it; at 1e9 when they cannot. */
static int check_limits(const double *times, int64_t processors)
{
    int tests = 0;
    double so_far = INFINITY;
    scalay_distribution distribution = {0};
    for (int64_t q = 1; q <= processors; q++) {
        so_far = fmin(so_far, times[q]);
        for (int exactly = 0; exactly < 2; exactly++) {
            const double least = exactly ? times[q] : so_far;
            const scalay_active_limit limit = {q, exactly, INFINITY};
            const int can = least < INFINITY;
            const int64_t active = exactly || !can ? q : fewest(times, least);
            tests += check_limit(limit, fmin(least, 1e9), can, active, NULL);
            tests += check_limit(limit, fmin(least, 1e9), can, active, &distribution);
            tests += check_limit(limit, fmin(nextafter(least, 0.0), 1e9), 0, active, &distribution);
        }
    }
    scalay_distribution_free(&distribution);
    return tests;
}

static void sets_know_what_can_be_made(void **state)
{
    const uint64_t seed = test_seed(1);
    (void)state;
    int tests = 0;
    for (uint64_t k = seed; k < seed + 500; k++) {
        scalay_random random = scalay_random_seed(k);
        const int groups = 1 + (int)scalay_random_below(&random, 4);
        const int shape = (int)scalay_random_below(&random, SHAPES);
        for (int j = 0; j < groups; j++)
            instance_group(&made, j, &random, shape, 1 + scalay_random_below(&random, 4),
                           3 + scalay_random_below(&random, 60), scalay_random_below(&random, 7));
        instance_close(&made, groups, 1 + scalay_random_below(&random, 250));
        double *times = least_times(&made.problem, made.problem.processors);
        tests += check_limits(times, made.problem.processors);
        free(times);
    }
    assert_true(tests > 5000);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Millions of active processors, or very many steps: somebody else has to decide. */
static void large_questions_are_left_to_others(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    int feasible = 1;
    int decided = 1;
    instance_group(&made, 0, &random, NOISY, INT64_C(1000000000000), 100, 0);
    instance_group(&made, 1, &random, NOISY, 5, 100, 0);
    instance_close(&made, 2, INT64_C(30000000000000));
    for (int64_t active = 4000; active < INT64_C(1000000000000); active *= 1000) {
        assert_success(scalay_active_sets_test(&made.problem, 9.0, (scalay_active_limit){active, 1, INFINITY},
                                               &feasible, &decided, NULL));
        assert_false(decided || feasible);
        made.problem.n = 40000;
    }
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_know_what_can_be_made),
        cmocka_unit_test(large_questions_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
