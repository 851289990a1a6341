/* The least time: brute force on small problems, and answers that are known on large ones. */
#include "instances.h"

#include "base/integer.h"
#include "workload/solvers.h"

static instance made;

static void random_instance(uint64_t seed)
{
    scalay_random random = scalay_random_seed(seed);
    const int groups = (int)scalay_random_below(&random, 4) + 1;
    const int64_t largest = 1 + scalay_random_below(&random, 14);
    const int64_t counts = 1 + scalay_random_below(&random, 4);
    int64_t capacity = 0;
    for (int j = 0; j < groups; j++) {
        const int64_t count = 1 + scalay_random_below(&random, groups == 1 ? 9 : counts);
        const int64_t sizes = scalay_max_int64(1, largest - scalay_random_below(&random, 3));
        instance_group(&made, j, &random, (int)scalay_random_below(&random, SHAPES), count, sizes,
                       scalay_random_below(&random, 7));
        capacity += count * made.group[j].largest;
    }
    const int64_t n = scalay_random_below(&random, 3) == 0 ? capacity - scalay_random_below(&random, 4)
                                                           : scalay_random_below(&random, capacity + 2);
    instance_close(&made, groups, scalay_max_int64(0, n));
}

/* The least time of at most so many, and the fewest that attain it. */
static double least_of(const double *times, int64_t most, int64_t *fewest)
{
    double least = INFINITY;
    *fewest = -1;
    for (int64_t a = 0; a <= most; a++)
        if (times[a] < least) {
            least = times[a];
            *fewest = a;
        }
    return least;
}

static void check_answer(double expected, int64_t expected_active, double time, const scalay_distribution *distribution)
{
    double checked_time = 0.0;
    int64_t energy = 0;
    int64_t active = 0;
    assert_int_equal(distribution->feasible, expected < INFINITY);
    assert_true(time == expected);
    if (!distribution->feasible) return;
    check_distribution(&made.problem, distribution, &checked_time, &energy, &active);
    assert_true(checked_time == expected);
    assert_int_equal(active, expected_active);
}

static void check_times(const scalay_problem *problem, const double *times)
{
    scalay_distribution distribution = {0};
    const int64_t p = problem->processors;
    for (int64_t most = 0; most <= p + 1; most++) {
        double time = -1.0;
        int64_t fewest = 0;
        const double least = least_of(times, scalay_min_int64(most, p), &fewest);
        assert_success(scalay_solve_min_time(problem, most, &time, &distribution));
        check_answer(least, fewest, time, &distribution);
        assert_success(scalay_solve_min_time_exactly(problem, most, INFINITY, &time, &distribution));
        check_answer(most <= p ? times[most] : INFINITY, most, time, &distribution);
    }
    scalay_distribution_free(&distribution);
}

/* The same made of a profile, which keeps how soon sizes can be done. */
static void check_profile(const double *times)
{
    scalay_problem problem = {0};
    for (int j = 0; j < made.problem.groups; j++)
        if (made.group[j].largest == 0) return;
    scalay_profile *profile = profile_of(&made.problem);
    assert_success(scalay_problem_create("scalay_test", profile, made.problem.n, 0, &problem));
    if (problem.unit == 1) check_times(&problem, times);
    scalay_problem_free(&problem);
    scalay_profile_destroy(&profile);
}

static void check_against_brute_force(void)
{
    double *times = least_times(&made.problem, made.problem.processors);
    check_times(&made.problem, times);
    check_profile(times);
    free(times);
}

static void the_least_time_and_fewest_processors_are_those_of_brute_force(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 3000; seed++) {
        random_instance(seed);
        check_against_brute_force();
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void medium_problems_of_all_shapes_agree_with_dynamic_programming(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 60; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int groups = (int)(seed % 3) * 3 + 1;
        const int64_t processors = groups == 1 ? 14 : 2;
        int64_t capacity = 0;
        for (int j = 0; j < groups; j++) {
            instance_group(&made, j, &random, (int)(seed % SHAPES), processors, 30 + scalay_random_below(&random, 15),
                           scalay_random_below(&random, 5));
            capacity += processors * made.group[j].largest;
        }
        instance_close(&made, groups, capacity / 4 + scalay_random_below(&random, capacity * 3 / 4));
        check_against_brute_force();
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ nearest totals */

/* Totals up to the capacity that can be distributed; to be freed. */
static unsigned char *possible_totals(const scalay_problem *problem, int64_t *capacity)
{
    *capacity = 0;
    for (int j = 0; j < problem->groups; j++) *capacity += problem->group[j].multiplicity * problem->group[j].largest;
    unsigned char *possible = calloc((size_t)*capacity + 1, 1);
    assert_non_null(possible);
    possible[0] = 1;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++)
            for (int64_t s = *capacity; s > 0; s--)
                for (int64_t x = 1; x <= problem->group[j].largest && x <= s && !possible[s]; x++)
                    possible[s] = (unsigned char)(possible[s - x] && problem->group[j].time[x] < INFINITY);
    return possible;
}

static void check_nearest_totals(void)
{
    int64_t capacity = 0;
    int64_t below = -2;
    int64_t above = -2;
    unsigned char *possible = possible_totals(&made.problem, &capacity);
    const int64_t n = made.problem.n;
    assert_success(scalay_solve_nearest(&made.problem, &below, &above));
    int64_t expected = scalay_min_int64(n, capacity);
    while (!possible[expected]) expected--;
    assert_int_equal(below, expected);
    for (expected = n + 1; expected <= capacity && !possible[expected];) expected++;
    assert_int_equal(above, n == 0 || expected > capacity ? -1 : expected);
    free(possible);
}

static void the_nearest_totals_are_those_of_brute_force(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 3000; seed++) {
        random_instance(seed);
        check_nearest_totals();
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Enough totals for runs of them that need not be listed to their ends, and some that have no runs. */
static void the_nearest_totals_of_medium_problems_are_those_of_brute_force(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 400; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int groups = 2 + (int)(seed % 3);
        const int shape = seed % 4 == 0 ? TWO_SIZES : seed % 4 == 1 ? MULTIPLES : NOISY;
        int64_t capacity = 0;
        for (int j = 0; j < groups; j++) {
            instance_group(&made, j, &random, shape, 1 + scalay_random_below(&random, 12),
                           10 + scalay_random_below(&random, 50), scalay_random_below(&random, 8));
            capacity += made.group[j].multiplicity * made.group[j].largest;
        }
        const int64_t next_to = scalay_min_int64(capacity, scalay_random_below(&random, 200));
        instance_close(&made, groups, seed % 8 < 4 ? next_to : capacity - next_to);
        check_nearest_totals();
        made.problem.n = scalay_random_below(&random, capacity + 1);
        instance_close(&made, groups, made.problem.n);
        check_nearest_totals();
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Totals 0 to 66, and the same beyond every multiple of 400: no run is as long as the largest size. */
static void short_runs_of_totals_have_gaps_between_them(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int64_t n = 0; n <= 5 * 400 + 66; n += 13) {
        instance_group(&made, 0, &random, RISING, 1, 66, 0);
        instance_group(&made, 1, &random, RISING, 5, 400, 0);
        for (int64_t x = 1; x < 400; x++) made.time[1][x] = INFINITY;
        instance_close(&made, 2, n);
        check_nearest_totals();
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* -------------------------------------------------------------------------------------------------- large counts */

/* The answer for made.problem: time, active processors; 0 when there is none. */
static int solve_made(double *time, int64_t *active)
{
    scalay_distribution distribution = {0};
    double checked = 0.0;
    int64_t energy = 0;
    assert_success(scalay_solve_min_time(&made.problem, made.problem.processors, time, &distribution));
    const int feasible = distribution.feasible;
    if (feasible) {
        for (int j = 0; j < made.problem.groups; j++) made.group[j].energy = NULL;
        check_distribution(&made.problem, &distribution, &checked, &energy, active);
        assert_true(checked == *time);
    }
    scalay_distribution_free(&distribution);
    return feasible;
}

/* Gives every group other counts, and n so that as much is missing from the capacity as before. */
static void change_counts(int64_t count, int64_t missing)
{
    int64_t capacity = 0;
    made.problem.processors = 0;
    for (int j = 0; j < made.problem.groups; j++) {
        made.group[j].multiplicity = count;
        made.problem.processors += count;
        capacity += count * made.group[j].largest;
    }
    made.problem.n = capacity - missing;
}

/* With more processors than units are missing from the capacity, more of them at their largest sizes change nothing
 * but the number of active ones. */
static void near_capacity_the_count_does_not_matter(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int groups = 1 + (int)(seed % 3);
        const int64_t missing = scalay_random_below(&random, 60);
        double times[2] = {0.0, 0.0};
        int64_t active[2] = {0, 0};
        const int64_t count[2] = {missing + 1, INT64_C(1000000000000)};
        for (int j = 0; j < groups; j++)
            instance_group(&made, j, &random, (int)(seed % SHAPES), 1, 4 + scalay_random_below(&random, 30), 3);
        instance_close(&made, groups, 1000);
        int feasible[2];
        for (int k = 0; k < 2; k++) {
            change_counts(count[k], missing);
            feasible[k] = made.problem.n > 0 && solve_made(&times[k], &active[k]);
        }
        if (made.problem.n <= 0) continue; /* every size is a hole */
        int able = 0;
        for (int j = 0; j < groups; j++) able += made.group[j].largest > 0;
        assert_int_equal(feasible[0], feasible[1]);
        if (!feasible[0]) continue;
        assert_true(times[0] == times[1]);
        assert_int_equal(active[1] - active[0], able * (count[1] - count[0]));
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void more_processors_than_units_do_not_matter(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 300; seed++) {
        scalay_random random = scalay_random_seed(seed);
        const int groups = 1 + (int)(seed % 3);
        const int64_t n = 1 + scalay_random_below(&random, 50);
        double times[2] = {0.0, 0.0};
        int64_t active[2] = {0, 0};
        int feasible[2];
        for (int j = 0; j < groups; j++)
            instance_group(&made, j, &random, (int)(seed % SHAPES), n, 4 + scalay_random_below(&random, 30), 3);
        instance_close(&made, groups, n);
        feasible[0] = solve_made(&times[0], &active[0]);
        change_counts(INT64_C(1000000000000), 0);
        made.problem.n = n;
        feasible[1] = solve_made(&times[1], &active[1]);
        assert_int_equal(feasible[0], feasible[1]);
        if (!feasible[0]) continue;
        assert_true(times[0] == times[1]);
        assert_int_equal(active[0], active[1]);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void equal_speeds_share_evenly_at_any_scale(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    for (int k = 0; k < 200; k++) {
        const int groups = 1 + k % 2;
        const int64_t count = 1 + scalay_random_below(&random, INT64_C(1) << (1 + k % 40));
        double time = 0.0;
        int64_t active = 0;
        for (int j = 0; j < groups; j++) {
            instance_group(&made, j, &random, NOISY, count, 500, 0);
            for (int64_t x = 1; x <= 500; x++) made.time[j][x] = (double)x;
        }
        instance_close(&made, groups, 1 + scalay_random_below(&random, groups * count * 500));
        assert_true(solve_made(&time, &active));
        const int64_t share = scalay_ceil_div(made.problem.n, groups * count);
        assert_true(time == (double)share);
        assert_int_equal(active, scalay_ceil_div(made.problem.n, share));
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* A group of many is many groups of one. */
static void groups_and_single_processors_give_the_same(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 150; seed++) {
        scalay_random random = scalay_random_seed(seed);
        double times[2] = {0.0, 0.0};
        int64_t active[2] = {0, 0};
        int feasible[2];
        int64_t capacity = 0;
        for (int j = 0; j < 3; j++) {
            instance_group(&made, j, &random, (int)(seed % SHAPES), 1 + scalay_random_below(&random, 16),
                           40 + scalay_random_below(&random, 60), scalay_random_below(&random, 7));
            capacity += made.group[j].multiplicity * made.group[j].largest;
        }
        const int64_t n = scalay_random_below(&random, capacity + 1);
        instance_close(&made, 3, n);
        feasible[0] = solve_made(&times[0], &active[0]);
        int single = 3;
        for (int j = 0; j < 3; j++) {
            for (; made.group[j].multiplicity > 1; made.group[j].multiplicity--) {
                made.group[single] = made.group[j];
                made.group[single++].multiplicity = 1;
            }
        }
        made.problem.groups = single;
        feasible[1] = solve_made(&times[1], &active[1]);
        assert_int_equal(feasible[0], feasible[1]);
        if (!feasible[0]) continue;
        assert_true(times[0] == times[1]);
        assert_int_equal(active[0], active[1]);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------------------- no memory */

static scalay_status solve_all(scalay_distribution *distribution)
{
    double time = 0.0;
    int64_t below = 0;
    int64_t above = 0;
    scalay_status status = scalay_solve_min_time(&made.problem, made.problem.processors, &time, distribution);
    if (status == SCALAY_SUCCESS) status = scalay_solve_min_time(&made.problem, 3, &time, distribution);
    if (status == SCALAY_SUCCESS)
        status = scalay_solve_min_time_exactly(&made.problem, 2, INFINITY, &time, distribution);
    if (status == SCALAY_SUCCESS) status = scalay_solve_nearest(&made.problem, &below, &above);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scalay_status status = SCALAY_ERROR_MEMORY;
        scalay_distribution distribution = {0};
        random_instance(seed);
        for (int64_t request = 1; status != SCALAY_SUCCESS; request++) {
            scalay_memory_fail_at(request);
            status = solve_all(&distribution);
            scalay_memory_fail_at(0);
            if (status != SCALAY_SUCCESS) assert_int_equal(status, SCALAY_ERROR_MEMORY);
        }
        scalay_distribution_free(&distribution);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_time_and_fewest_processors_are_those_of_brute_force),
        cmocka_unit_test(medium_problems_of_all_shapes_agree_with_dynamic_programming),
        cmocka_unit_test(the_nearest_totals_are_those_of_brute_force),
        cmocka_unit_test(the_nearest_totals_of_medium_problems_are_those_of_brute_force),
        cmocka_unit_test(short_runs_of_totals_have_gaps_between_them),
        cmocka_unit_test(near_capacity_the_count_does_not_matter),
        cmocka_unit_test(more_processors_than_units_do_not_matter),
        cmocka_unit_test(equal_speeds_share_evenly_at_any_scale),
        cmocka_unit_test(groups_and_single_processors_give_the_same),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
