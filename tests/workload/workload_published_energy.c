/* EOPTA finds the least energy, or what the published one finds; HEPOPTA, HTPOPTA and ALEPH find the whole front. */
#include "oracle_cmocka.h"

typedef scalay_status (*front_method)(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                                      scalay_distribution **distribution);

static const instance_kind identical[] = {{1, 7, 9, 1000, 0, 0, 100},
                                          {1, 7, 9, 4, 0, 0, 100},
                                          {1, 9, 8, 30, 40, 0, 100},
                                          {1, 5, 30, 1000, 20, 0, 60},
                                          {1, 30, 3, 5, 0, 0, 100}};
static const instance_kind different[] = {{4, 1, 9, 1000, 0, 0, 100},
                                          {4, 2, 9, 4, 0, 0, 100},
                                          {4, 2, 8, 30, 40, 0, 100},
                                          {4, 3, 20, 1000, 20, 0, 60},
                                          {4, 8, 3, 5, 0, 0, 100}};

/* Returns the energy; SCALAY_NO_ENERGY when there is no distribution. */
static int64_t eopta_energy(const instance *made, int published)
{
    scalay_distribution distribution = {0};
    int64_t energy = SCALAY_NO_ENERGY;
    const scalay_status status =
        published ? scalay_eopta_convex(&made->problem, &distribution) : scalay_eopta(&made->problem, &distribution);
    assert_true(status == SCALAY_SUCCESS || (published && status == SCALAY_ERROR_UNSUPPORTED));
    /* "None" is a proof, a refusal is not. */
    if (status == SCALAY_SUCCESS && !distribution.feasible)
        assert_true(oracle_energy(&made->problem, INFINITY) == SCALAY_NO_ENERGY);
    if (distribution.feasible) energy = check_distribution(&made->problem, &distribution).energy;
    scalay_distribution_free(&distribution);
    return energy;
}

static void eopta_finds_the_least_energy(void **state)
{
    (void)state;
    const uint64_t seed = test_seed(11);
    int worse = 0;
    for (size_t k = 0; k < sizeof identical / sizeof identical[0]; k++) {
        scalay_random random = scalay_random_seed(seed + k);
        for (int round = 0; round < 1000; round++) {
            instance made;
            instance_random(&random, &identical[k], &made);
            const int64_t least = oracle_energy(&made.problem, INFINITY);
            assert_int_equal(eopta_energy(&made, 0), least);
            const int64_t published = eopta_energy(&made, 1);
            assert_true(published >= least);
            worse += published > least;
        }
    }
    assert_true(worse > 0);
    assert_int_equal(scalay_memory_live(), 0);
}

static void list_energies(instance *made, int64_t p, int64_t largest, const int64_t *energy, int64_t n)
{
    *made = (instance){0};
    made->problem.groups = 1;
    made->group[0].multiplicity = p;
    made->group[0].largest = largest;
    for (int64_t x = 1; x <= largest; x++) {
        made->time[0][x] = 1.0;
        made->energy[0][x] = energy[x - 1];
    }
    instance_seal(made, n);
}

static void eopta_as_published_tries_convex_points_only(void **state)
{
    (void)state;
    instance made;
    const int64_t energy[] = {10, 12, 3, 18, 23, 4};
    list_energies(&made, 2, 6, energy, 4);
    assert_int_equal(eopta_energy(&made, 1), 18);
    assert_int_equal(eopta_energy(&made, 0), 13);
    /* Strictly convex: every point is tried, and the even distribution is the best. Concave: one processor. */
    const int64_t convex[] = {1, 4, 9, 16, 25, 36};
    list_energies(&made, 4, 6, convex, 10);
    assert_int_equal(eopta_energy(&made, 1), 2 * 4 + 2 * 9);
    const int64_t concave[] = {10, 18, 24, 28, 30, 31};
    list_energies(&made, 4, 6, concave, 6);
    assert_int_equal(eopta_energy(&made, 1), 31);
    list_energies(&made, 4, 6, concave, 0);
    assert_int_equal(eopta_energy(&made, 1), 0);
    assert_int_equal(scalay_memory_live(), 0);
}

/* --------------------------------------------------------------------------------------------------- fronts */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The front by the definition: the least energy for every limit on the time; returns the number of points. */
static int64_t oracle_front(const scalay_problem *problem, double power, scalay_point *point)
{
    double limit[INSTANCE_GROUPS * INSTANCE_SIZES + 1] = {0.0};
    int64_t limits = 1;
    int64_t count = 0;
    int64_t least = SCALAY_NO_ENERGY;
    double total = INFINITY;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= problem->group[j].largest; x++)
            if (!isinf(problem->group[j].time[x])) limit[limits++] = problem->group[j].time[x];
    qsort(limit, (size_t)limits, sizeof *limit, compare_doubles);
    for (int64_t k = 0; k < limits; k++) {
        const int64_t energy = oracle_energy(problem, limit[k]);
        if (energy >= least) continue;
        least = energy;
        if (power >= 0.0 && (double)energy + power * limit[k] >= total) continue;
        total = (double)energy + power * limit[k];
        point[count++] = (scalay_point){limit[k], energy, 0};
    }
    return count;
}

static void check_front(front_method solve, const scalay_problem *problem, double power)
{
    scalay_point expected[INSTANCE_GROUPS * INSTANCE_SIZES + 1];
    scalay_point *point = NULL;
    scalay_distribution *distribution = NULL;
    int64_t count = 0;
    const int64_t expected_count = oracle_front(problem, power, expected);
    assert_success(solve(problem, power, &count, &point, &distribution));
    assert_int_equal(count, expected_count);
    for (int64_t k = 0; k < count; k++) {
        const scalay_point checked = check_distribution(problem, &distribution[k]);
        assert_true(point[k].time == expected[k].time && point[k].energy == expected[k].energy);
        assert_true(checked.time == point[k].time && checked.energy == point[k].energy);
        assert_int_equal(checked.active, point[k].active);
        scalay_distribution_free(&distribution[k]);
    }
    scalay_release(point);
    scalay_release(distribution);
}

static void check_fronts(front_method solve, const instance_kind *kind, int kinds, uint64_t seed, int rounds)
{
    for (int k = 0; k < kinds; k++) {
        scalay_random random = scalay_random_seed(seed + (uint64_t)k);
        for (int round = 0; round < rounds; round++) {
            instance made;
            instance_random(&random, &kind[k], &made);
            const double power = (double)scalay_random_below(&random, 4);
            check_front(solve, &made.problem, solve == scalay_htpopta ? power : -1.0);
        }
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void hepopta_finds_the_front(void **state)
{
    (void)state;
    const uint64_t seed = test_seed(12);
    check_fronts(scalay_hepopta, different, 5, seed, 400);
    check_fronts(scalay_hepopta, identical, 5, seed, 100);
}

static void htpopta_finds_the_front_of_total_energy(void **state)
{
    (void)state;
    check_fronts(scalay_htpopta, different, 5, test_seed(13), 300);
}

static void aleph_finds_the_front_of_identical_processors(void **state)
{
    (void)state;
    check_fronts(scalay_aleph, identical, 5, test_seed(14), 400);
}

/* Figure 10 of paper 001, n = 4, with t_3(4) = 6 as in figure 12. */
static void hepopta_finds_the_front_of_the_worked_example(void **state)
{
    (void)state;
    static const int64_t energy[4][4] = {{3, 1, 5, 6}, {2, 1, 6, 9}, {5, 4, 8, 7}, {1, 7, 6, 8}};
    static const double time[4][4] = {{5, 2, 6, 5}, {3, 6, 2, 4}, {1, 2, 3, 5}, {1, 3, 2, 6}};
    static const scalay_point expected[] = {{2.0, 5, 2}, {3.0, 4, 3}, {6.0, 2, 2}};
    instance made = {0};
    scalay_point *point = NULL;
    scalay_distribution *distribution = NULL;
    int64_t count = 0;
    made.problem.groups = 4;
    for (int j = 0; j < 4; j++) {
        made.group[j].multiplicity = 1;
        made.group[j].largest = 4;
        for (int x = 1; x <= 4; x++) {
            made.time[j][x] = time[j][x - 1];
            made.energy[j][x] = energy[j][x - 1];
        }
    }
    instance_seal(&made, 4);
    assert_success(scalay_hepopta(&made.problem, -1.0, &count, &point, &distribution));
    assert_int_equal(count, 3);
    for (int64_t k = 0; k < count; k++) {
        assert_true(point[k].time == expected[k].time && point[k].energy == expected[k].energy);
        assert_int_equal(point[k].active, expected[k].active);
        scalay_distribution_free(&distribution[k]);
    }
    scalay_release(point);
    scalay_release(distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

static void nothing_to_distribute_is_one_point(void **state)
{
    (void)state;
    static const front_method methods[] = {scalay_hepopta, scalay_htpopta, scalay_aleph};
    const int64_t energy[] = {1, 4};
    instance made;
    list_energies(&made, 2, 2, energy, 0);
    for (int m = 0; m < 3; m++) check_front(methods[m], &made.problem, m == 1 ? 1.0 : -1.0);
    list_energies(&made, 2, 2, energy, 5);
    for (int m = 0; m < 3; m++) check_front(methods[m], &made.problem, m == 1 ? 1.0 : -1.0);
    assert_int_equal(scalay_memory_live(), 0);
}

static void too_large_tables_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const front_method methods[] = {scalay_hepopta, scalay_htpopta, scalay_aleph};
    const int64_t energy[] = {1, 4};
    instance made;
    list_energies(&made, INT64_C(1) << 40, 2, energy, 4);
    made.problem.n = INT64_C(1) << 40;
    for (int m = 0; m < 3; m++) {
        scalay_point *point = NULL;
        scalay_distribution *distribution = NULL;
        int64_t count = 0;
        assert_int_equal(methods[m](&made.problem, 1.0, &count, &point, &distribution), SCALAY_ERROR_UNSUPPORTED);
        assert_non_null(strstr(scalay_error_message(), "use method \"auto\""));
        assert_null(point);
        assert_null(distribution);
        assert_int_equal(count, 0);
    }
    scalay_distribution distribution = {0};
    assert_int_equal(scalay_eopta(&made.problem, &distribution), SCALAY_ERROR_UNSUPPORTED);
    assert_int_equal(scalay_memory_live(), 0);
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    static const front_method methods[] = {scalay_hepopta, scalay_htpopta, scalay_aleph};
    scalay_random random = scalay_random_seed(15);
    const instance_kind kind = {3, 3, 9, 100, 0, 0, 60};
    for (int run = 0; run < 8; run++) {
        const int m = run % 4;
        instance made;
        scalay_status status = SCALAY_ERROR_MEMORY;
        int64_t failures = 0;
        instance_random(&random, &kind, &made);
        if (m >= 2) made.problem.groups = 1;
        while (status != SCALAY_SUCCESS) {
            scalay_point *point = NULL;
            scalay_distribution one = {0};
            scalay_distribution *distribution = NULL;
            int64_t count = 0;
            scalay_memory_fail_at(++failures);
            status = m < 3 ? methods[m](&made.problem, 1.0, &count, &point, &distribution)
                           : (run < 4 ? scalay_eopta_convex : scalay_eopta)(&made.problem, &one);
            scalay_memory_fail_at(0);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            for (int64_t k = 0; k < count; k++) scalay_distribution_free(&distribution[k]);
            scalay_release(point);
            scalay_release(distribution);
            scalay_distribution_free(&one);
            assert_int_equal(scalay_memory_live(), 0);
        }
        assert_true(failures > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eopta_finds_the_least_energy),
        cmocka_unit_test(eopta_as_published_tries_convex_points_only),
        cmocka_unit_test(hepopta_finds_the_front),
        cmocka_unit_test(htpopta_finds_the_front_of_total_energy),
        cmocka_unit_test(aleph_finds_the_front_of_identical_processors),
        cmocka_unit_test(hepopta_finds_the_front_of_the_worked_example),
        cmocka_unit_test(nothing_to_distribute_is_one_point),
        cmocka_unit_test(too_large_tables_are_refused_with_a_reason),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
