/* Least energy and fronts at their limits: the papers' examples, huge counts, groups taken apart, failing allocations.
 */
#include "workload_energy.h"

static uint64_t seed;

static void check_least(const scalay_problem *problem, int64_t energy, int64_t active)
{
    scalay_distribution distribution = {0};
    int64_t found = 0;
    int64_t used = 0;
    assert_success(scalay_solve_min_energy(problem, INFINITY, &found, &used, &distribution));
    assert_int_equal(found, energy);
    assert_int_equal(distribution.feasible, energy != SCALAY_NO_ENERGY);
    if (distribution.feasible) assert_int_equal(used, active);
    if (distribution.feasible) check_energies(problem, &distribution, INFINITY, energy, active);
    scalay_distribution_free(&distribution);
}

/* Paper 000: convex points alone give 18. */
static void points_inside_the_hull_count(void **state)
{
    (void)state;
    static const int64_t energy[] = {10, 12, 3, 18, 23, 4};
    scalay_problem problem = energy_problem(1, 4);
    energy_group(&problem, 0, 2, 6);
    for (int64_t x = 1; x <= 6; x++) energy_size(&problem, 0, x, 1.0, energy[x - 1]);
    problem.group[0].largest = 4; /* as scalay_problem_create() has it */
    check_least(&problem, 13, 2);
    energy_problem_free(&problem);
}

/* Paper 001, section 3: piecewise linear, not linear, with three processors; energies 1, 2, 3 per unit. */
static void a_front_of_lines_bends(void **state)
{
    (void)state;
    scalay_problem problem = energy_problem(3, 12);
    scalay_point *point = NULL;
    int64_t count = 0;
    for (int j = 0; j < 3; j++) {
        energy_group(&problem, j, 1, 12);
        for (int64_t x = 1; x <= 12; x++) energy_size(&problem, j, x, (double)x, x * (j + 1));
    }
    assert_success(scalay_solve_front(&problem, -1.0, &count, &point));
    assert_int_equal(count, 9);
    for (int64_t k = 0; k < count; k++) {
        int64_t time = 4 + k;
        int64_t third = time >= 6 ? 0 : 12 - 2 * time;
        assert_true(point[k].time == (double)time);
        assert_int_equal(point[k].energy, time + 2 * (12 - time - third) + 3 * third);
        assert_int_equal(point[k].active, third > 0 ? 3 : time < 12 ? 2 : 1);
    }
    scalay_release(point);
    energy_problem_free(&problem);
}

/* One cost fits 60 bits, those of the many moves that are needed do not together. */
static void dear_moves_add_up(void **state)
{
    (void)state;
    const int64_t dear[] = {12839184645488, 38337599924474, 95396216644068};
    for (int k = 0; k < 3; k++)
        for (int64_t copies = 11; copies <= 1000; copies += 19)
            for (int64_t active = 10; active <= 31 && active <= copies; active += 7) {
                scalay_problem problem = energy_problem(1, 39 * active);
                energy_group(&problem, 0, copies, 40);
                energy_size(&problem, 0, 39, 1.0, dear[k]);
                energy_size(&problem, 0, 40, 1.0, 0);
                check_least(&problem, dear[k] * active, active); /* 40 a + 39 b has no other a and b */
                energy_problem_free(&problem);
            }
}

static void nothing_to_do_and_nobody_to_do_it(void **state)
{
    (void)state;
    scalay_problem problem = energy_problem(2, 0);
    scalay_distribution distribution = {0};
    scalay_point *point = NULL;
    int64_t count = 0;
    int64_t energy = 0;
    energy_group(&problem, 0, 3, 0);
    energy_group(&problem, 1, 1, 0);
    check_least(&problem, 0, 0);
    assert_success(scalay_solve_front(&problem, -1.0, &count, &point));
    assert_int_equal(count, 1);
    assert_true(point[0].time == 0.0 && point[0].energy == 0 && point[0].active == 0);
    scalay_release(point);
    assert_success(scalay_solve_min_energy_active(&problem, 0, 1, &energy, &distribution));
    assert_int_equal(energy, 0);
    assert_success(scalay_solve_min_energy_active(&problem, 1, 1, &energy, &distribution));
    assert_int_equal(energy, SCALAY_NO_ENERGY);
    problem.n = 5;
    check_least(&problem, SCALAY_NO_ENERGY, 0);
    assert_success(scalay_solve_front(&problem, -1.0, &count, &point));
    assert_int_equal(count, 0);
    problem.n = 0;
    problem.divisible = 0;
    check_least(&problem, SCALAY_NO_ENERGY, 0);
    scalay_distribution_free(&distribution);
    energy_problem_free(&problem);
}

/* The same groups, one processor each, in another order. */
static scalay_problem take_apart(const scalay_problem *problem)
{
    scalay_problem made = energy_problem((int)problem->processors, problem->n);
    int next = 0;
    for (int j = problem->groups - 1; j >= 0; j--)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++, next++) {
            const scalay_problem_group *group = &problem->group[j];
            energy_group(&made, next, 1, group->largest);
            for (int64_t x = 1; x <= group->largest; x++) energy_size(&made, next, x, group->time[x], group->energy[x]);
        }
    return made;
}

static void groups_are_as_good_as_single_processors(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 150; k++) {
        scalay_problem problem = random_energy_problem(&random, 4, 14, k % 2 == 0 ? 12 : 60);
        scalay_problem single = take_apart(&problem);
        scalay_point *points[2] = {NULL, NULL};
        int64_t counts[2] = {0, 0};
        int64_t energy[2] = {0, 0};
        int64_t active[2] = {0, 0};
        for (int which = 0; which < 2; which++) {
            const scalay_problem *given = which == 0 ? &problem : &single;
            assert_success(scalay_solve_min_energy(given, INFINITY, &energy[which], &active[which], NULL));
            assert_success(scalay_solve_front(given, -1.0, &counts[which], &points[which]));
        }
        assert_int_equal(energy[0], energy[1]);
        if (energy[0] != SCALAY_NO_ENERGY) assert_int_equal(active[0], active[1]);
        assert_int_equal(counts[0], counts[1]);
        for (int64_t i = 0; i < counts[0]; i++) {
            assert_true(points[0][i].time == points[1][i].time);
            assert_int_equal(points[0][i].energy, points[1][i].energy);
            assert_int_equal(points[0][i].active, points[1][i].active);
        }
        for (int which = 0; which < 2; which++) scalay_release(points[which]);
        energy_problem_free(&problem);
        energy_problem_free(&single);
    }
}

/* The size with the least energy per unit, the largest of them. */
static int64_t thriftiest(const scalay_problem_group *group)
{
    int64_t best = 0;
    for (int64_t x = 1; x <= group->largest; x++)
        if (group->energy[x] != SCALAY_NO_ENERGY && (best == 0 || group->energy[x] * best <= group->energy[best] * x))
            best = x;
    return best;
}

/* Nearly all of many processors have the thriftiest size a when n is close to what that makes: so as many can be left
 * out of the plain dynamic program. */
static void costs_do_not_depend_on_counts(void **state)
{
    (void)state;
    enum { LEFT = 70 };
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 300; k++) {
        int64_t huge = INT64_C(1000000000000) >> scalay_random_below(&random, 12);
        scalay_problem problem = energy_problem(1, 0);
        int family = (int)scalay_random_below(&random, ENERGY_PRECISE);
        family_group(&random, &problem, 0, huge, 1 + scalay_random_below(&random, 10), family);
        int64_t size = thriftiest(&problem.group[0]);
        int64_t rest = LEFT * size - scalay_random_below(&random, 20);
        problem.n = (huge - LEFT) * size + rest;
        scalay_problem small = problem;
        scalay_problem_group group = problem.group[0];
        small.group = &group;
        group.multiplicity = LEFT;
        small.n = rest;
        plain_answer expected = plain_energy(&small, INFINITY);
        if (expected.energy == SCALAY_NO_ENERGY)
            check_least(&problem, SCALAY_NO_ENERGY, 0);
        else
            check_least(&problem, expected.energy + (huge - LEFT) * group.energy[size], expected.active + huge - LEFT);
        energy_problem_free(&problem);
    }
}

/* Solves in all ways until every allocation has failed once. */
static void sweep(const scalay_problem *problem, int way, int64_t *most)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t before = scalay_memory_live();
    for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
        scalay_distribution distribution = {0};
        scalay_point *point = NULL;
        int64_t count = 0;
        int64_t energy = 0;
        int64_t active = 0;
        scalay_memory_fail_at(n);
        if (way == 0) status = scalay_solve_min_energy(problem, INFINITY, &energy, &active, &distribution);
        if (way == 1) status = scalay_solve_front(problem, 1.0, &count, &point);
        if (way >= 2) status = scalay_solve_min_energy_active(problem, 3, way == 2, &energy, &distribution);
        scalay_memory_fail_at(0);
        if (status != SCALAY_SUCCESS) {
            assert_int_equal(status, SCALAY_ERROR_MEMORY);
            assert_null(point);
        }
        scalay_release(point);
        scalay_distribution_free(&distribution);
        assert_int_equal(scalay_memory_live(), before);
        if (n > *most) *most = n;
    }
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    int64_t most = 0;
    for (int k = 0; k < 60; k++) {
        scalay_problem problem = random_energy_problem(&random, k % 3 == 0 ? 1 : 4, k % 2 == 0 ? 1 : 6, 12);
        for (int way = 0; way < 4; way++) sweep(&problem, way, &most);
        energy_problem_free(&problem);
    }
    assert_true(most > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_inside_the_hull_count),
        cmocka_unit_test(a_front_of_lines_bends),
        cmocka_unit_test(dear_moves_add_up),
        cmocka_unit_test(nothing_to_do_and_nobody_to_do_it),
        cmocka_unit_test(groups_are_as_good_as_single_processors),
        cmocka_unit_test(costs_do_not_depend_on_counts),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
    };
    seed = test_seed(20261124);
    return run_all_tests(tests);
}
