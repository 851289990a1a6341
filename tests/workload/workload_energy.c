/* Least energy, then fewest active processors: equal to a plain dynamic program, and what the papers print. */
#include "workload_energy.h"
#include "rounds.h"

static void check_problem(const scalay_problem *problem, double time_below)
{
    scalay_distribution distribution = {0};
    int64_t energy = 0;
    int64_t active = 0;
    plain_answer expected = plain_energy(problem, time_below);
    assert_success(scalay_solve_min_energy(problem, time_below, &energy, &active, &distribution));
    if (energy != expected.energy || (energy != SCALAY_NO_ENERGY && active != expected.active)) {
        print_error("seed %llu\n", (unsigned long long)seed);
        print_problem(problem, time_below);
        print_error("energy %lld, active %lld instead of %lld, %lld\n", (long long)energy, (long long)active,
                    (long long)expected.energy, (long long)expected.active);
        fail();
    }
    if (energy == SCALAY_NO_ENERGY)
        assert_int_equal(distribution.feasible, 0);
    else
        check_energies(problem, &distribution, time_below, energy, active);
    scalay_distribution_free(&distribution);
}

static void check_within(scalay_random *random, const scalay_problem *problem)
{
    const double limit = scalay_random_below(random, 2) == 0
                             ? INFINITY
                             : (double)(1 + scalay_random_below(random, 2 * problem->group[0].largest));
    check_with_profile(problem, limit, check_problem);
}

static void check_random(int count, int groups, int64_t copies, int64_t sizes)
{
    check_random_problems(seed, count * rounds, groups, copies, sizes, check_within);
}

static void identical_processors(void **state)
{
    (void)state;
    check_random(6000, 1, 9, 12);
    check_random(300, 1, 60, 40);
    check_random(2000, 1, 4, 70);
}

static void different_processors(void **state)
{
    (void)state;
    check_random(6000, 6, 1, 12);
    check_random(200, 30, 1, 40);
}

static void grouped_processors(void **state)
{
    (void)state;
    check_random(20000, 4, 6, 10);
    check_random(200, 5, 40, 30);
}

/* Two groups with the same slope: processors of one go from the far end of their edge to a size between, while those of
 * the other go to the far end. */
static void processors_that_come_back(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 46; n++) {
        scalay_problem problem = energy_problem(2, n);
        energy_group(&problem, 0, 4, 5);
        energy_size(&problem, 0, 1, 2.0, 1);
        energy_size(&problem, 0, 5, 4.0, 1);
        energy_group(&problem, 1, 5, 5);
        energy_size(&problem, 1, 5, 10.0, 1);
        check_problem(&problem, INFINITY);
        energy_problem_free(&problem);
    }
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_processors),
        cmocka_unit_test(different_processors),
        cmocka_unit_test(grouped_processors),
        cmocka_unit_test(processors_that_come_back),
    };
    read_rounds(count, argument, 20261121);
    return run_all_tests(tests);
}
