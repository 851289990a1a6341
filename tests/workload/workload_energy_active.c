/* Least energy with a given number of active processors: equal to a plain dynamic program over sums and numbers. */
#include "rounds.h"
#include "workload_energy.h"

/* The least energy with exactly so many active processors, for all numbers up to all: shape [processors + 1]. */
static int64_t *plain_exactly(const scalay_problem *problem)
{
    const int64_t n = problem->n;
    const int64_t most = problem->processors;
    int64_t *best = malloc((size_t)((most + 1) * (n + 1)) * sizeof *best);
    int64_t *answer = malloc((size_t)(most + 1) * sizeof *answer);
    assert_true(best != NULL && answer != NULL);
    for (int64_t k = 0; k < (most + 1) * (n + 1); k++) best[k] = SCALAY_NO_ENERGY;
    best[0] = 0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++)
            for (int64_t a = most; a > 0; a--)
                for (int64_t x = 1; x <= problem->group[j].largest && x <= n; x++) {
                    if (problem->group[j].energy[x] == SCALAY_NO_ENERGY) continue;
                    for (int64_t v = x; v <= n; v++) {
                        int64_t before = best[(a - 1) * (n + 1) + v - x];
                        int64_t *cell = &best[a * (n + 1) + v];
                        if (before != SCALAY_NO_ENERGY && before + problem->group[j].energy[x] < *cell)
                            *cell = before + problem->group[j].energy[x];
                    }
                }
    for (int64_t a = 0; a <= most; a++) answer[a] = best[a * (n + 1) + n];
    free(best);
    return answer;
}

static void check_active(const scalay_problem *problem, int64_t active, int exactly, int64_t expected)
{
    scalay_distribution distribution = {0};
    int64_t energy = 0;
    assert_success(scalay_solve_min_energy_active(problem, active, exactly, &energy, &distribution));
    if (energy != expected) {
        print_error("seed %llu, ", (unsigned long long)seed);
        print_problem(problem, INFINITY);
        print_error("%s %lld active: %lld instead of %lld\n", exactly ? "exactly" : "at most", (long long)active,
                    (long long)energy, (long long)expected);
        fail();
    }
    assert_int_equal(distribution.feasible, energy != SCALAY_NO_ENERGY);
    if (distribution.feasible) {
        double time = 0.0;
        int64_t found = 0;
        int64_t used = 0;
        check_distribution(problem, &distribution, &time, &found, &used);
        assert_int_equal(found, expected);
        assert_true(exactly ? used == active : used <= active);
    }
    scalay_distribution_free(&distribution);
}

static void check_all_numbers(scalay_random *random, const scalay_problem *problem)
{
    int64_t *exactly = plain_exactly(problem);
    int64_t least = SCALAY_NO_ENERGY;
    (void)random;
    for (int64_t active = 0; active <= problem->processors; active++) {
        if (exactly[active] < least) least = exactly[active];
        check_active(problem, active, 1, exactly[active]);
        check_active(problem, active, 0, least);
    }
    check_active(problem, problem->processors + 1, 1, SCALAY_NO_ENERGY);
    check_active(problem, problem->processors + 1, 0, least);
    free(exactly);
}

static void check_random(int count, int groups, int64_t copies, int64_t sizes)
{
    check_random_problems(seed, count * rounds, groups, copies, sizes, check_all_numbers);
}

static void identical_processors(void **state)
{
    (void)state;
    check_random(1000, 1, 8, 10);
    check_random(20, 1, 30, 20);
}

static void different_processors(void **state)
{
    (void)state;
    check_random(800, 5, 1, 8);
    check_random(10, 12, 1, 20);
}

static void grouped_processors(void **state)
{
    (void)state;
    check_random(600, 3, 4, 7);
    check_random(10, 4, 8, 15);
    check_random(6, 3, 30, 5);
}

/* Any distribution is best: it is enough to find one. */
static void sizes_that_all_cost_the_same(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 600 * rounds; k++) {
        scalay_problem problem = energy_problem(2 + (int)scalay_random_below(&random, 4), 0);
        int64_t capacity = 0;
        for (int j = 0; j < problem.groups; j++) {
            int64_t largest = 1 + scalay_random_below(&random, 16);
            family_group(&random, &problem, j, 1 + scalay_random_below(&random, 3), largest, ENERGY_UNIT);
            capacity += problem.group[j].multiplicity * largest;
        }
        problem.n = scalay_random_below(&random, capacity + 1);
        check_all_numbers(&random, &problem);
        energy_problem_free(&problem);
    }
}

/* Sizes that cost slope * size + charge at least, and n and a number of active processors that some of them reach. */
static scalay_problem planted_problem(scalay_random *random, int64_t copies, int64_t charge, int64_t slope,
                                      int64_t *active)
{
    scalay_problem made = energy_problem(2 + (int)scalay_random_below(random, 3), 0);
    *active = 0;
    for (int j = 0; j < made.groups; j++) {
        int64_t largest = 3 + scalay_random_below(random, 30);
        energy_group(&made, j, copies + scalay_random_below(random, copies), largest);
        for (int64_t x = 1; x <= largest; x++)
            energy_size(&made, j, x, 1.0, slope * x + charge + scalay_random_below(random, 60));
        for (int k = 0; k < 2; k++) {
            int64_t x = 1 + scalay_random_below(random, largest);
            int64_t used = scalay_random_below(random, made.group[j].multiplicity / 2);
            energy_size(&made, j, x, 1.0, slope * x + charge);
            made.n += used * x;
            *active += used;
        }
    }
    return made;
}

/* The energy of sizes that all lie on a plane from below is known, whatever the number of processors. */
static void check_planted(uint64_t from, int problems)
{
    scalay_random random = scalay_random_seed(from);
    int64_t copies = 100;
    for (int k = 0; k < problems; k++) {
        copies = copies < INT64_C(1000000000000) ? copies * 10 : 100;
        int64_t charge = scalay_random_below(&random, 200);
        int64_t slope = scalay_random_below(&random, 20);
        int64_t active = 0;
        scalay_problem problem = planted_problem(&random, copies, charge, slope, &active);
        check_active(&problem, active, 1, slope * problem.n + charge * active);
        energy_problem_free(&problem);
    }
}

static void very_many_processors(void **state)
{
    (void)state;
    check_planted(seed, 120 * rounds);
}

/* Among these is one where the charge between two distributions is right but for a part in ten million. */
static void charges_that_are_all_but_right(void **state)
{
    (void)state;
    check_planted(23, 2400);
}

/* A charge of about 2^60 for a scale of 1: 1000 processors must take the size that is 2^49 or 2^50 times as costly. */
static void charges_that_are_huge(void **state)
{
    (void)state;
    scalay_problem problem = energy_problem(2, 2002000);
    for (int j = 0; j < 2; j++) {
        energy_group(&problem, j, 2000, 1001);
        energy_size(&problem, j, 1000, 1.0, 1);
        energy_size(&problem, j, 1001, 1.0, INT64_C(1) << (50 - j));
    }
    check_active(&problem, 2001, 1, 1001 + 1000 * (INT64_C(1) << 49));
    check_active(&problem, 2002, 1, 2002);
    energy_problem_free(&problem);
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_processors),  cmocka_unit_test(different_processors),
        cmocka_unit_test(grouped_processors),    cmocka_unit_test(sizes_that_all_cost_the_same),
        cmocka_unit_test(very_many_processors),  cmocka_unit_test(charges_that_are_all_but_right),
        cmocka_unit_test(charges_that_are_huge),
    };
    read_rounds(count, argument, 20261123);
    return run_all_tests(tests);
}
