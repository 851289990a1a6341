/* The functional performance model on smooth functions: the line through the origin as it was published, in real
 * numbers, by bisection; and the least spread of times, by enumeration. They agree within what rounding to whole units
 * makes. */
#include "oracle_cmocka.h"

enum { BISECTIONS = 200, SIZES = 30 };

/* Convex and concave times and straight lines, that rise. */
static void make_smooth(scalay_random *random, instance *made, int groups, int64_t most_copies, int64_t largest)
{
    memset(made, 0, sizeof *made);
    made->problem.groups = groups;
    for (int j = 0; j < groups; j++) {
        const double power = 0.5 + scalay_random_unit(random);
        const double speed = 1.0 + 5.0 * scalay_random_unit(random);
        const double start = scalay_random_below(random, 2) == 0 ? 0.0 : 2.0 * scalay_random_unit(random);
        made->group[j].multiplicity = 1 + scalay_random_below(random, most_copies);
        made->group[j].largest = 1 + scalay_random_below(random, largest);
        for (int64_t x = 1; x <= made->group[j].largest; x++) made->time[j][x] = start + pow((double)x, power) / speed;
    }
}

/* Seals it with a total of at least 1 that its processors can take. */
static void choose_total(scalay_random *random, instance *made)
{
    int64_t capacity = 0;
    for (int j = 0; j < made->problem.groups; j++) capacity += made->group[j].multiplicity * made->group[j].largest;
    instance_seal(made, 1 + scalay_random_below(random, capacity));
}

/* The real size at which a piecewise linear function, from (0, 0) on, takes a time. */
static double size_on_line(const scalay_problem_group *group, double time)
{
    int64_t x = 0;
    while (x < group->largest && group->time[x + 1] <= time) x++;
    if (x == group->largest) return (double)x;
    return (double)x + (time - group->time[x]) / (group->time[x + 1] - group->time[x]);
}

/* The time of the line on which the real sizes add up to n. */
static double turn_line(const scalay_problem *problem)
{
    double low = 0.0;
    double high = 0.0;
    for (int j = 0; j < problem->groups; j++) high = fmax(high, problem->group[j].time[problem->group[j].largest]);
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (low + high);
        double sum = 0.0;
        for (int j = 0; j < problem->groups; j++)
            sum += (double)problem->group[j].multiplicity * size_on_line(&problem->group[j], middle);
        if (sum < (double)problem->n)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The published distribution's longest time: whole units below the line, the others one by one to whoever has them
 * done first. */
static double published_time(const scalay_problem *problem)
{
    int64_t size[INSTANCE_GROUPS * INSTANCE_SIZES] = {0};
    int group[INSTANCE_GROUPS * INSTANCE_SIZES] = {0};
    const double line = turn_line(problem);
    int processors = 0;
    int64_t left = problem->n;
    double longest = 0.0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++) {
            group[processors] = j;
            size[processors] = (int64_t)size_on_line(&problem->group[j], line);
            left -= size[processors++];
        }
    for (; left > 0; left--) {
        int first = -1;
        double done = INFINITY;
        for (int k = 0; k < processors; k++) {
            const scalay_problem_group *of = &problem->group[group[k]];
            if (size[k] == of->largest || of->time[size[k] + 1] >= done) continue;
            first = k;
            done = of->time[size[k] + 1];
        }
        assert_true(first >= 0);
        size[first]++;
    }
    for (int k = 0; k < processors; k++) longest = fmax(longest, problem->group[group[k]].time[size[k]]);
    return longest;
}

/* Least and longest time, idle processors included; 1 in `full`: somebody has as much as there is. */
static void find_times(const scalay_problem *problem, const scalay_distribution *distribution, double *least,
                       double *longest, int *full)
{
    int64_t active = 0;
    *least = INFINITY;
    *longest = 0.0;
    *full = 0;
    for (int64_t k = 0; k < distribution->shares; k++) {
        const scalay_problem_group *of = &problem->group[distribution->share[k].group];
        const double time = of->time[distribution->share[k].index];
        *least = fmin(*least, time);
        *longest = fmax(*longest, time);
        *full |= distribution->share[k].index == of->largest;
        active += distribution->share[k].count;
    }
    if (active < problem->processors) *least = 0.0;
}

/* The most that a unit more takes, anywhere. */
static double longest_step(const scalay_problem *problem)
{
    double step = 0.0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= problem->group[j].largest; x++)
            step = fmax(step, problem->group[j].time[x] - problem->group[j].time[x - 1]);
    return step;
}

static void the_line_is_the_published_one(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(41));
    int balanced = 0;
    for (int round = 0; round < 3000; round++) {
        scalay_distribution distribution = {0};
        instance made;
        double least = 0.0;
        double longest = 0.0;
        int full = 0;
        make_smooth(&random, &made, 1 + round % INSTANCE_GROUPS, 3, SIZES);
        choose_total(&random, &made);
        assert_success(scalay_fpm(&made.problem, &distribution));
        const scalay_point point = check_distribution(&made.problem, &distribution);
        find_times(&made.problem, &distribution, &least, &longest, &full);
        const double published = published_time(&made.problem);
        /* The line's own rounding may decide about a unit. */
        assert_true(point.time <= published * (1.0 + 1e-9) && published <= point.time * (1.0 + 1e-9));
        assert_true(point.time == oracle_time(&made.problem));
        if (!full) {
            assert_true(longest - least <= longest_step(&made.problem));
            balanced++;
        }
        scalay_distribution_free(&distribution);
    }
    assert_true(balanced > 500);
    assert_int_equal(scalay_memory_live(), 0);
}

static void the_least_spread_is_within_a_unit_of_it(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(42));
    int balanced = 0;
    for (int round = 0; round < 2000; round++) {
        scalay_distribution distribution = {0};
        instance made;
        double least = 0.0;
        double longest = 0.0;
        int full = 0;
        make_smooth(&random, &made, 1 + round % 3, 2, 7);
        choose_total(&random, &made);
        assert_success(scalay_fpm(&made.problem, &distribution));
        find_times(&made.problem, &distribution, &least, &longest, &full);
        const spread_oracle all = oracle_spread(&made.problem);
        const double step = longest_step(&made.problem);
        assert_true(longest <= all.time);
        if (!full) {
            assert_true(longest - least <= all.spread + step);
            assert_true(all.time <= longest + step);
            balanced++;
        }
        scalay_distribution_free(&distribution);
    }
    assert_true(balanced > 300);
    assert_int_equal(scalay_memory_live(), 0);
}

/* A hole, or a time that falls, is for the least spread; so many processors are for the line alone. */
static void only_smooth_functions_have_a_line(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(43);
    scalay_distribution distribution = {0};
    instance made;
    make_smooth(&random, &made, 2, 1, SIZES);
    made.group[0].multiplicity = INT64_C(1) << 40;
    made.group[1].multiplicity = (INT64_C(1) << 40) + 7;
    made.group[0].largest = made.group[1].largest = 2;
    for (int j = 0; j < 2; j++) {
        made.time[j][1] = 1.0;
        made.time[j][2] = 2.0;
    }
    instance_seal(&made, (INT64_C(5) << 39) + 3);
    assert_success(scalay_fpm(&made.problem, &distribution));
    assert_true(check_distribution(&made.problem, &distribution).time == 2.0);
    made.time[0][1] = 2.0;
    assert_int_equal(scalay_fpm(&made.problem, &distribution), SCALAY_ERROR_UNSUPPORTED);
    assert_non_null(strstr(scalay_error_message(), "not smooth"));
    scalay_distribution_free(&distribution);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_the_published_one),
        cmocka_unit_test(the_least_spread_is_within_a_unit_of_it),
        cmocka_unit_test(only_smooth_functions_have_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
