/* The least time: brute force on small problems, and answers that are known on large ones. */
#include "instances.h"

#include "core/integer.h"
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

static void check_against_brute_force(void)
{
    scalay_distribution distribution = {0};
    const int64_t p = made.problem.processors;
    double *times = least_times(&made.problem, p);
    for (int64_t most = 0; most <= p + 1; most++) {
        double time = -1.0;
        int64_t fewest = 0;
        const double least = least_of(times, scalay_min_int64(most, p), &fewest);
        assert_success(scalay_solve_min_time(&made.problem, most, &time, &distribution));
        check_answer(least, fewest, time, &distribution);
        assert_success(scalay_solve_min_time_exactly(&made.problem, most, &time, &distribution));
        check_answer(most <= p ? times[most] : INFINITY, most, time, &distribution);
    }
    scalay_distribution_free(&distribution);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_time_and_fewest_processors_are_those_of_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
