/* POPTA, HPOPTA and HiPOPTA find the least time, whatever the profile looks like. */
#include "oracle_cmocka.h"

typedef scalay_status (*method)(const scalay_problem *problem, scalay_distribution *distribution);

static void compare_with_definition(method solve, const instance_kind *kind, uint64_t seed, int rounds)
{
    scalay_random random = scalay_random_seed(seed);
    scalay_distribution distribution = {0};
    int feasible = 0;
    int infeasible = 0;
    for (int k = 0; k < rounds; k++) {
        instance made;
        instance_random(&random, kind, &made);
        const double least = oracle_time(&made.problem);
        assert_success(solve(&made.problem, &distribution));
        assert_int_equal(distribution.feasible, !isinf(least));
        infeasible += !distribution.feasible;
        if (!distribution.feasible) continue;
        feasible++;
        if (check_distribution(&made.problem, &distribution).time != least)
            fail_msg("round %d of seed %llu", k, (unsigned long long)seed);
    }
    scalay_distribution_free(&distribution);
    assert_true(feasible > rounds / 10);
    assert_true(infeasible > 0 || kind->holes == 0);
    assert_int_equal(scalay_memory_live(), 0);
}

static const instance_kind identical[] = {{1, 7, 9, 1000, 0, 0, 100}, {1, 7, 9, 4, 0, 0, 100},
                                          {1, 9, 8, 30, 40, 0, 100},  {1, 5, 30, 1000, 20, 0, 60},
                                          {1, 30, 3, 5, 0, 0, 100},   {1, 20, 12, 1000, 10, 0, 50}};
static const instance_kind different[] = {{4, 1, 9, 1000, 0, 0, 100},
                                          {4, 2, 9, 4, 0, 0, 100},
                                          {4, 2, 8, 30, 40, 0, 100},
                                          {4, 3, 20, 1000, 20, 0, 60},
                                          {4, 8, 3, 5, 0, 0, 100}};
static const instance_kind nodes[] = {{3, 4, 6, 1000, 0, 1, 100}, {3, 3, 6, 4, 30, 1, 100}, {3, 6, 4, 20, 0, 0, 100}};

static void popta_finds_the_least_time(void **state)
{
    (void)state;
    const uint64_t seed = test_seed(1);
    for (size_t k = 0; k < sizeof identical / sizeof identical[0]; k++)
        compare_with_definition(scalay_popta, &identical[k], seed + k, 3000);
}

static void hpopta_finds_the_least_time(void **state)
{
    (void)state;
    const uint64_t seed = test_seed(2);
    for (size_t k = 0; k < sizeof identical / sizeof identical[0]; k++)
        compare_with_definition(scalay_hpopta, &identical[k], seed + k, 500);
    for (size_t k = 0; k < sizeof different / sizeof different[0]; k++)
        compare_with_definition(scalay_hpopta, &different[k], seed + k, 3000);
}

static void hipopta_finds_the_least_time(void **state)
{
    (void)state;
    const uint64_t seed = test_seed(3);
    for (size_t k = 0; k < sizeof nodes / sizeof nodes[0]; k++)
        compare_with_definition(scalay_hipopta, &nodes[k], seed + k, 500);
    compare_with_definition(scalay_hipopta, &identical[0], seed, 500);
}

/* Times of sizes 1 to `largest` on p identical processors. */
static void list_times(instance *made, int64_t p, int64_t largest, const double *time, int64_t n)
{
    *made = (instance){0};
    made->problem.groups = 1;
    made->group[0].multiplicity = p;
    made->group[0].largest = largest;
    for (int64_t x = 1; x <= largest; x++) made->time[0][x] = time[x - 1];
    instance_seal(made, n);
}

static double popta_time(const instance *made)
{
    scalay_distribution distribution = {0};
    assert_success(scalay_popta(&made->problem, &distribution));
    const double time = check_distribution(&made->problem, &distribution).time;
    scalay_distribution_free(&distribution);
    return time;
}

static void popta_does_not_copy_the_errors_of_the_paper(void **state)
{
    (void)state;
    instance made;
    /* E = t(n / p rounded down) would stop at {1, 2} for 5. */
    const double rounding[] = {1.0, 5.0, 4.0};
    list_times(&made, 2, 3, rounding, 3);
    assert_true(popta_time(&made) == 4.0);
    /* A remainder searched only up to t(10) = 1 would miss {10, 5, 1}: its slowest size is below n / p, and not one of
     * the even shares of 6 on two processors. */
    const double capped[] = {1.0, 9.8, 9.5, 9.8, 9.0, 9.8, 9.8, 9.8, 9.8, 1.0, 9.8, 9.8, 9.8, 9.8, 9.8, 9.8};
    list_times(&made, 3, 16, capped, 16);
    assert_true(popta_time(&made) == 9.0);
    assert_true(oracle_time(&made.problem) == 9.0);
    assert_int_equal(scalay_memory_live(), 0);
}

static void nothing_and_one_unit_are_fine(void **state)
{
    (void)state;
    static const method methods[] = {scalay_popta, scalay_hpopta, scalay_hipopta};
    const double time[] = {3.0, 2.0};
    scalay_distribution distribution = {0};
    instance made;
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++)
        for (int64_t p = 1; p <= 4; p++)
            for (int64_t n = 0; n <= 2; n++) {
                list_times(&made, p, 2, time, n);
                assert_success(methods[k](&made.problem, &distribution));
                const scalay_point point = check_distribution(&made.problem, &distribution);
                assert_true(point.time == (n == 0 ? 0.0 : n == 1 ? 3.0 : 2.0));
            }
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

/* What is deep in the tree of a recursive program: more processors than a stack would hold. */
static void many_processors_are_no_deep_recursion(void **state)
{
    (void)state;
    const double time[] = {1.0, 5.0, 2.0};
    scalay_distribution distribution = {0};
    instance made;
    list_times(&made, 300, 3, time, 399);
    assert_success(scalay_popta(&made.problem, &distribution));
    assert_true(check_distribution(&made.problem, &distribution).time == 2.0);
    assert_success(scalay_hpopta(&made.problem, &distribution));
    assert_true(check_distribution(&made.problem, &distribution).time == 2.0);
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

static void too_large_tables_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const method methods[] = {scalay_popta, scalay_hpopta, scalay_hipopta};
    const double time[] = {1.0, 5.0, 2.0};
    scalay_distribution distribution = {0};
    instance made;
    list_times(&made, INT64_C(1) << 40, 3, time, 3);
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        made.problem.n = INT64_C(1) << 40;
        assert_int_equal(methods[k](&made.problem, &distribution), SCALAY_ERROR_UNSUPPORTED);
        assert_non_null(strstr(scalay_error_message(), "use method \"auto\""));
        made.problem.n = 3;
        assert_success(methods[k](&made.problem, &distribution));
        assert_true(check_distribution(&made.problem, &distribution).time == 1.0);
    }
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    static const method methods[] = {scalay_popta, scalay_hpopta, scalay_hipopta};
    scalay_random random = scalay_random_seed(5);
    const instance_kind kind = {3, 3, 9, 100, 0, 1, 60};
    for (int m = 0; m < 3; m++) {
        instance made;
        scalay_status status = SCALAY_ERROR_MEMORY;
        int64_t failures = 0;
        instance_random(&random, &kind, &made);
        if (m == 0) made.problem.groups = 1;
        while (status != SCALAY_SUCCESS) {
            scalay_distribution distribution = {0};
            scalay_memory_fail_at(++failures);
            status = methods[m](&made.problem, &distribution);
            scalay_memory_fail_at(0);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            scalay_distribution_free(&distribution);
            assert_int_equal(scalay_memory_live(), 0);
        }
        assert_true(failures > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(popta_finds_the_least_time),
        cmocka_unit_test(hpopta_finds_the_least_time),
        cmocka_unit_test(hipopta_finds_the_least_time),
        cmocka_unit_test(popta_does_not_copy_the_errors_of_the_paper),
        cmocka_unit_test(nothing_and_one_unit_are_fine),
        cmocka_unit_test(many_processors_are_no_deep_recursion),
        cmocka_unit_test(too_large_tables_are_refused_with_a_reason),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
