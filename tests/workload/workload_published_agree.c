/* On profiles like measured ones, the published exact methods and ours find the same. */
#include "oracle_cmocka.h"
#include "support/measured.h"

enum { LARGEST = 120, MOST_GROUPS = 4 };

typedef struct {
    scalay_profile *profile;
    scalay_problem problem;
} measured;

/* Groups of different shapes; identical processors when there is one. */
static void measure(scalay_random *random, int groups, int64_t count, int64_t largest, measured *made)
{
    double workspace[3 * LARGEST];
    scalay_profile *part[MOST_GROUPS] = {NULL};
    int64_t capacity = 0;
    for (int j = 0; j < groups; j++) {
        const char name[2] = {(char)('a' + j), 0};
        const profile_shape shape = (profile_shape)scalay_random_below(random, PROFILE_SHAPES);
        const int64_t most = largest / 2 + scalay_random_below(random, largest / 2);
        assert_success(profile_generate(name, count, shape, scalay_random_bits(random), 100.0 * (j + 1), most,
                                        workspace, &part[j]));
        capacity += count * most;
    }
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &made->profile));
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
    const int64_t n = 1 + scalay_random_below(random, capacity * 6 / 10);
    assert_success(scalay_problem_create("a test", made->profile, n, 1, &made->problem));
}

static void forget(measured *made)
{
    scalay_problem_free(&made->problem);
    scalay_profile_destroy(&made->profile);
}

static scalay_point find_time(const scalay_problem *problem,
                              scalay_status (*method)(const scalay_problem *, scalay_distribution *))
{
    scalay_distribution distribution = {0};
    scalay_point point = {INFINITY, SCALAY_NO_ENERGY, 0};
    assert_success(method(problem, &distribution));
    if (distribution.feasible) point = check_distribution(problem, &distribution);
    scalay_distribution_free(&distribution);
    return point;
}

static double least_time(const scalay_problem *problem)
{
    scalay_distribution distribution = {0};
    double time = 0.0;
    assert_success(scalay_solve_min_time(problem, problem->processors, &time, &distribution));
    scalay_distribution_free(&distribution);
    return time;
}

static void the_least_times_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(41));
    for (int round = 0; round < 150; round++) {
        measured made;
        const int groups = 1 + round % MOST_GROUPS;
        measure(&random, groups, 1 + scalay_random_below(&random, groups == 1 ? 12 : 3), LARGEST, &made);
        const double time = least_time(&made.problem);
        assert_true(find_time(&made.problem, scalay_hpopta).time == time);
        assert_true(find_time(&made.problem, scalay_hipopta).time == time);
        if (groups == 1) assert_true(find_time(&made.problem, scalay_popta).time == time);
        assert_true(find_time(&made.problem, scalay_fpm).time >= time);
        forget(&made);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void the_least_energies_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(42));
    for (int round = 0; round < 60; round++) {
        measured made;
        int64_t energy = 0;
        int64_t active = 0;
        measure(&random, 1, 1 + scalay_random_below(&random, 8), LARGEST, &made);
        assert_success(scalay_solve_min_energy(&made.problem, INFINITY, &energy, &active, NULL));
        assert_true(find_time(&made.problem, scalay_eopta).energy == energy);
        forget(&made);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

typedef scalay_status (*front_method)(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                                      scalay_distribution **distribution);

static void compare_fronts(const scalay_problem *problem, front_method method, double power)
{
    scalay_point *mine = NULL;
    scalay_point *theirs = NULL;
    scalay_distribution *distribution = NULL;
    int64_t count = 0;
    int64_t points = 0;
    assert_success(scalay_solve_front(problem, power, &count, &mine));
    assert_success(method(problem, power, &points, &theirs, &distribution));
    assert_int_equal(points, count);
    for (int64_t k = 0; k < count; k++) {
        const scalay_point checked = check_distribution(problem, &distribution[k]);
        assert_true(mine[k].time == theirs[k].time && mine[k].energy == theirs[k].energy);
        assert_true(checked.time == mine[k].time && checked.energy == mine[k].energy);
        assert_true(checked.active == theirs[k].active && checked.active >= mine[k].active);
        scalay_distribution_free(&distribution[k]);
    }
    scalay_release(mine);
    scalay_release(theirs);
    scalay_release(distribution);
}

static void the_fronts_agree(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(43));
    for (int round = 0; round < 40; round++) {
        measured made;
        const int groups = 1 + round % MOST_GROUPS;
        measure(&random, groups, 1 + scalay_random_below(&random, groups == 1 ? 6 : 2), LARGEST / 2, &made);
        const double power = 1000.0 * (double)scalay_random_below(&random, 200);
        compare_fronts(&made.problem, scalay_hepopta, -1.0);
        compare_fronts(&made.problem, scalay_htpopta, power);
        if (groups == 1) compare_fronts(&made.problem, scalay_aleph, -1.0);
        forget(&made);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_times_agree),
        cmocka_unit_test(the_least_energies_agree),
        cmocka_unit_test(the_fronts_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
