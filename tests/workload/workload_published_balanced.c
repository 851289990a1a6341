/* The baselines do what they are defined to do, or say why they cannot. */
#include "oracle_cmocka.h"

typedef scalay_status (*method)(const scalay_problem *problem, scalay_distribution *distribution);

static const instance_kind kinds[] = {{4, 1, 9, 1000, 0, 0, 100}, {4, 2, 7, 4, 0, 0, 100},   {3, 2, 8, 30, 40, 0, 100},
                                      {2, 2, 14, 200, 20, 0, 60}, {1, 4, 8, 50, 20, 0, 100}, {3, 1, 12, 60, 0, 0, 50}};

/* Times that rise with the size, as those of smooth functions do. */
static void make_smooth(instance *made)
{
    for (int j = 0; j < made->problem.groups; j++)
        for (int64_t x = 1; x <= made->group[j].largest; x++) made->time[j][x] += 1.0 + 1000.0 * (double)(x * (j + 1));
}

/* ------------------------------------------------------------------------------------------------------ even */

static void even_gives_everybody_the_same(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(31));
    int refused = 0;
    int answered = 0;
    for (int round = 0; round < 2000; round++) {
        scalay_distribution distribution = {0};
        instance made;
        instance_random(&random, &kinds[round % 6], &made);
        const int64_t p = made.problem.processors;
        const scalay_status status = scalay_even(&made.problem, &distribution);
        if (status == SCALAY_SUCCESS && distribution.feasible) {
            (void)check_distribution(&made.problem, &distribution);
            for (int64_t k = 0; k < distribution.shares; k++)
                assert_true(distribution.share[k].index - made.problem.n / p <= 1 &&
                            distribution.share[k].index >= made.problem.n / p);
            answered++;
        } else if (status == SCALAY_SUCCESS) {
            assert_true(isinf(oracle_time(&made.problem)));
        } else {
            assert_int_equal(status, SCALAY_ERROR_UNSUPPORTED);
            assert_false(isinf(oracle_time(&made.problem)));
            refused++;
        }
        scalay_distribution_free(&distribution);
    }
    assert_true(refused > 50 && answered > 50);
    assert_int_equal(scalay_memory_live(), 0);
}

static void the_first_processors_get_the_remainder(void **state)
{
    (void)state;
    instance made = {0};
    scalay_distribution distribution = {0};
    made.problem.groups = 2;
    for (int j = 0; j < 2; j++) {
        made.group[j].multiplicity = 3;
        made.group[j].largest = 9;
        for (int x = 1; x <= 9; x++) made.time[j][x] = x;
    }
    instance_seal(&made, 22);
    assert_success(scalay_even(&made.problem, &distribution));
    (void)check_distribution(&made.problem, &distribution);
    assert_int_equal(distribution.shares, 3);
    assert_true(distribution.share[0].group == 0 && distribution.share[0].index == 4 &&
                distribution.share[0].count == 3);
    assert_true(distribution.share[1].group == 1 && distribution.share[1].index == 4 &&
                distribution.share[1].count == 1);
    assert_true(distribution.share[2].group == 1 && distribution.share[2].index == 3 &&
                distribution.share[2].count == 2);
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------------- cpm */

/* Speeds 1 : 2 : 3 at n / p, so 6, 12 and 18 of 36, whatever happens at other sizes. */
static void cpm_gives_in_proportion_to_the_speeds(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(32));
    instance made = {0};
    scalay_distribution distribution = {0};
    made.problem.groups = 3;
    for (int j = 0; j < 3; j++) {
        made.group[j].multiplicity = 1;
        made.group[j].largest = 20;
        for (int x = 1; x <= 20; x++)
            made.time[j][x] = x == 12 ? 12.0 / (j + 1) : 1.0 + (double)scalay_random_below(&random, 100);
    }
    instance_seal(&made, 36);
    assert_success(scalay_cpm(&made.problem, &distribution));
    (void)check_distribution(&made.problem, &distribution);
    for (int64_t k = 0; k < distribution.shares; k++)
        assert_int_equal(distribution.share[k].index, 6 * (distribution.share[k].group + 1));
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Every share is within one unit of n x speed / sum of speeds. */
static void cpm_rounds_to_neighbours(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(33));
    const instance_kind kind = {4, 4, 30, 100, 0, 0, 40};
    int answered = 0;
    for (int round = 0; round < 2000; round++) {
        scalay_distribution distribution = {0};
        instance made;
        double sum = 0.0;
        double share[INSTANCE_GROUPS];
        instance_random(&random, &kind, &made);
        make_smooth(&made);
        for (int j = 0; j < made.problem.groups; j++) {
            int64_t reference = made.problem.n / made.problem.processors;
            if (reference < 1) reference = 1;
            if (reference > made.group[j].largest) reference = made.group[j].largest;
            share[j] = reference > 0 ? (double)reference / made.time[j][reference] : 0.0;
            sum += share[j] * (double)made.group[j].multiplicity;
        }
        const scalay_status status = scalay_cpm(&made.problem, &distribution);
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_UNSUPPORTED);
        if (status == SCALAY_SUCCESS && distribution.feasible) {
            (void)check_distribution(&made.problem, &distribution);
            for (int64_t k = 0; k < distribution.shares; k++)
                assert_true(fabs((double)distribution.share[k].index -
                                 (double)made.problem.n * share[distribution.share[k].group] / sum) < 1.0 + 1e-9);
            answered += made.problem.n > 0;
        }
        scalay_distribution_free(&distribution);
    }
    assert_true(answered > 200);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------------- fpm */

static double spread_of(const scalay_problem *problem, const scalay_distribution *distribution)
{
    int64_t active = 0;
    double least = INFINITY;
    double largest = 0.0;
    for (int64_t k = 0; k < distribution->shares; k++) {
        const double time = problem->group[distribution->share[k].group].time[distribution->share[k].index];
        least = fmin(least, time);
        largest = fmax(largest, time);
        active += distribution->share[k].count;
    }
    return largest - (active < problem->processors ? 0.0 : least);
}

static void fpm_balances_the_times_as_well_as_can_be(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(34));
    const instance_kind small[] = {
        {3, 1, 7, 1000, 0, 0, 100}, {4, 1, 6, 4, 0, 0, 100}, {2, 2, 6, 40, 30, 0, 100}, {1, 4, 7, 50, 10, 0, 100}};
    for (int round = 0; round < 3000; round++) {
        scalay_distribution distribution = {0};
        instance made;
        instance_random(&random, &small[round % 4], &made);
        const spread_oracle all = oracle_spread(&made.problem);
        assert_success(scalay_fpm(&made.problem, &distribution));
        assert_int_equal(distribution.feasible, !isinf(all.spread));
        if (distribution.feasible) {
            const scalay_point point = check_distribution(&made.problem, &distribution);
            assert_true(made.problem.n == 0 || spread_of(&made.problem, &distribution) == all.spread);
            assert_true(made.problem.n == 0 || point.time == all.time);
        }
        scalay_distribution_free(&distribution);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void fpm_refuses_what_is_too_large(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(35));
    scalay_distribution distribution = {0};
    instance made;
    instance_random(&random, &kinds[0], &made);
    made.problem.processors = 1000000;
    assert_int_equal(scalay_fpm(&made.problem, &distribution), SCALAY_ERROR_UNSUPPORTED);
    assert_non_null(strstr(scalay_error_message(), "65536"));
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------------------- all of them */

static void an_n_that_no_sizes_add_up_to_has_no_distribution(void **state)
{
    (void)state;
    static const method methods[] = {scalay_even,  scalay_cpm,    scalay_fpm,    scalay_popta,
                                     scalay_eopta, scalay_hpopta, scalay_hipopta};
    scalay_distribution distribution = {0};
    instance made = {0};
    made.problem.groups = 1;
    made.group[0].multiplicity = 2;
    made.group[0].largest = 2;
    made.time[0][1] = made.time[0][2] = 1.0;
    instance_seal(&made, 2);
    for (int m = 0; m < 7; m++) {
        made.problem.divisible = 0;
        assert_success(methods[m](&made.problem, &distribution));
        assert_false(distribution.feasible);
        made.problem.divisible = 1;
        assert_success(methods[m](&made.problem, &distribution));
        (void)check_distribution(&made.problem, &distribution);
    }
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    static const method methods[] = {scalay_even, scalay_cpm, scalay_fpm};
    scalay_random random = scalay_random_seed(test_seed(36));
    const instance_kind kind = {3, 2, 20, 1000, 0, 0, 60};
    for (int m = 0; m < 3; m++) {
        instance made;
        scalay_status status = SCALAY_ERROR_MEMORY;
        int64_t failures = 0;
        instance_random(&random, &kind, &made);
        make_smooth(&made);
        while (status == SCALAY_ERROR_MEMORY) {
            scalay_distribution distribution = {0};
            scalay_memory_fail_at(++failures);
            status = methods[m](&made.problem, &distribution);
            scalay_memory_fail_at(0);
            scalay_distribution_free(&distribution);
            assert_int_equal(scalay_memory_live(), 0);
        }
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_UNSUPPORTED);
        assert_true(failures > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_gives_everybody_the_same),
        cmocka_unit_test(the_first_processors_get_the_remainder),
        cmocka_unit_test(cpm_gives_in_proportion_to_the_speeds),
        cmocka_unit_test(cpm_rounds_to_neighbours),
        cmocka_unit_test(fpm_balances_the_times_as_well_as_can_be),
        cmocka_unit_test(fpm_refuses_what_is_too_large),
        cmocka_unit_test(an_n_that_no_sizes_add_up_to_has_no_distribution),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
