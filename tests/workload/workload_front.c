/* Fronts: equal to a plain dynamic program per threshold, and what the papers print. */
#include "rounds.h"
#include "workload_energy.h"

static void print_front(const scalay_problem *problem, int64_t count, const scalay_point *point)
{
    print_error("seed %llu\n", (unsigned long long)seed);
    print_problem(problem, INFINITY);
    for (int64_t k = 0; k < count; k++)
        print_error("(%g, %lld, %lld)\n", point[k].time, (long long)point[k].energy, (long long)point[k].active);
}

/* The greatest time below a limit that a size has; -1: none. */
static double time_below(const scalay_problem *problem, double limit)
{
    double found = -1.0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t x = 1; x <= problem->group[j].largest; x++)
            if (problem->group[j].time[x] < limit && problem->group[j].time[x] > found)
                found = problem->group[j].time[x];
    return found;
}

/* A front by definition, from the right: for every time that there is, the best with sizes that take no longer. */
static int64_t plain_front(const scalay_problem *problem, double power, scalay_point *point, int64_t room)
{
    int64_t count = 0;
    plain_answer last = plain_energy(problem, INFINITY);
    if (last.energy == SCALAY_NO_ENERGY) return 0;
    for (double limit = time_below(problem, INFINITY);; limit = time_below(problem, limit)) {
        plain_answer faster = limit < 0.0 ? (plain_answer){SCALAY_NO_ENERGY, 0} : plain_energy(problem, limit);
        if (limit < 0.0 || faster.energy > last.energy) {
            assert_true(count < room);
            point[count++] = (scalay_point){fmax(limit, 0.0), last.energy, last.active};
        }
        last = faster;
        if (last.energy == SCALAY_NO_ENERGY) break;
    }
    int64_t left = 0;
    for (int64_t k = count - 1; k >= 0 && power >= 0.0; k--) { /* from the left: totals fall */
        double total = (double)point[k].energy + power * point[k].time;
        for (int64_t i = k - 1; i >= 0; i--)
            if ((double)point[i].energy + power * point[i].time >= total) point[i].active = -1;
    }
    for (int64_t k = count - 1; k >= 0; k--) left += point[k].active >= 0;
    scalay_point *kept = malloc((size_t)(left + 1) * sizeof *kept);
    assert_non_null(kept);
    left = 0;
    for (int64_t k = count - 1; k >= 0; k--)
        if (point[k].active >= 0) kept[left++] = point[k];
    memcpy(point, kept, (size_t)left * sizeof *kept);
    free(kept);
    return left;
}

enum { ROOM = 4096 };

static void check_front(const scalay_problem *problem, double power)
{
    scalay_point *expected = malloc(ROOM * sizeof *expected);
    scalay_point *point = NULL;
    int64_t count = 0;
    assert_non_null(expected);
    int64_t points = plain_front(problem, power, expected, ROOM);
    assert_success(scalay_solve_front(problem, power, &count, &point));
    int same = count == points;
    for (int64_t k = 0; same && k < count; k++)
        same = point[k].time == expected[k].time && point[k].energy == expected[k].energy &&
               point[k].active == expected[k].active;
    if (!same) {
        print_front(problem, count, point);
        print_error("instead of, with power %g:\n", power);
        print_front(problem, points, expected);
        fail();
    }
    scalay_release(point);
    free(expected);
}

static void check_with_power(scalay_random *random, const scalay_problem *problem)
{
    const double power = scalay_random_below(random, 3) == 0 ? (double)scalay_random_below(random, 10) : -1.0;
    check_with_profile(problem, power, check_front);
}

static void check_random(int count, int groups, int64_t copies, int64_t sizes)
{
    check_random_problems(seed, count * rounds, groups, copies, sizes, check_with_power);
}

static void identical_processors(void **state)
{
    (void)state;
    check_random(1500, 1, 8, 12);
    check_random(100, 1, 30, 30);
}

static void different_processors(void **state)
{
    (void)state;
    check_random(1500, 5, 1, 10);
    check_random(30, 12, 1, 25);
}

static void grouped_processors(void **state)
{
    (void)state;
    check_random(1500, 3, 4, 8);
    check_random(30, 4, 12, 20);
}

/* Starting costs far more than going on, which is all but convex: the hulls are far below, many choices cost the same.
 */
static scalay_problem dear_to_start(scalay_random *random)
{
    const int groups = 2 + (int)scalay_random_below(random, 4);
    scalay_problem made = energy_problem(groups, 0);
    for (int j = 0; j < groups; j++) {
        const int64_t largest = 20 + scalay_random_below(random, 40);
        const int64_t slope = 20 + scalay_random_below(random, 60);
        const int64_t start = slope * (1 + scalay_random_below(random, largest));
        const double pace = 1.0 + scalay_random_unit(random);
        energy_group(&made, j, 1, largest);
        for (int64_t x = 1; x <= largest; x++) {
            const int64_t energy = start + slope * x + x * x / 2 + scalay_random_below(random, 2);
            const double time = pace * (double)(x + 3) + 0.5 * scalay_random_unit(random);
            if (x == largest || scalay_random_below(random, 30) > 0) energy_size(&made, j, x, time, energy);
        }
        made.n += scalay_random_below(random, largest);
    }
    return made;
}

/* Energies climb ever more slowly, up to a size from which on there may be anything; times climb. */
static void concave_group(scalay_random *random, scalay_problem *problem, int j, int64_t count, int64_t largest)
{
    const int64_t end = scalay_random_below(random, 3) > 0 ? largest : scalay_random_below(random, largest + 1);
    const int64_t bend = 1 + scalay_random_below(random, 6);
    const double pace = 1.0 + 4.0 * scalay_random_unit(random);
    int64_t step = largest * bend + scalay_random_below(random, 60);
    int64_t energy = 0;
    energy_group(problem, j, count, largest);
    for (int64_t x = 1; x <= largest; x++) {
        const int64_t other = scalay_random_below(random, energy + 2);
        energy += step;
        step -= scalay_random_below(random, scalay_random_below(random, 4) == 0 ? 1 : bend + 1);
        if (x <= end || x == largest || other % 3 > 0)
            energy_size(problem, j, x, floor(pace * (double)x), x <= end ? energy : other);
    }
}

static scalay_problem concave_problem(scalay_random *random, int most_groups, int64_t most_copies, int64_t most_sizes)
{
    scalay_problem made = energy_problem(2 + (int)scalay_random_below(random, most_groups - 1), 0);
    int64_t capacity = 0;
    for (int j = 0; j < made.groups; j++) {
        const int64_t count = 1 + scalay_random_below(random, most_copies);
        const int64_t largest = 1 + scalay_random_below(random, most_sizes);
        concave_group(random, &made, j, count, largest);
        capacity += count * largest;
    }
    made.n = scalay_random_below(random, capacity + 2);
    return made;
}

static void check_concave(int count, int groups, int64_t copies, int64_t sizes)
{
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < count * rounds; k++) {
        scalay_problem problem = concave_problem(&random, groups, copies, sizes);
        check_front(&problem, -1.0);
        energy_problem_free(&problem);
    }
}

static void concave_processors(void **state)
{
    (void)state;
    check_concave(600, 6, 1, 12);
    check_concave(600, 2, 2, 8);
    check_concave(300, 5, 3, 10);
    check_concave(10, 14, 1, 30);
    check_concave(10, 4, 6, 20);
}

/* A start-up cost, then a straight line or a square root, both rounded: slopes of groups are equal or far apart. */
static scalay_problem rounded_problem(scalay_random *random, int most_groups, int64_t most_copies, int64_t most_sizes)
{
    scalay_problem made = energy_problem(2 + (int)scalay_random_below(random, most_groups - 1), 0);
    const int64_t most_start = 1 + scalay_random_below(random, 400);
    const int noise = 1 + (int)scalay_random_below(random, 2);
    int64_t capacity = 0;
    for (int j = 0; j < made.groups; j++) {
        const int64_t count = 1 + scalay_random_below(random, most_copies);
        const int64_t largest = 6 + scalay_random_below(random, most_sizes);
        const int is_line = scalay_random_below(random, 3) > 0;
        const int64_t slope = 20 + (scalay_random_below(random, 2) == 0 ? 0 : scalay_random_below(random, 50));
        const int64_t start = scalay_random_below(random, most_start);
        const double pace = 1.0 + 4.0 * scalay_random_unit(random);
        energy_group(&made, j, count, largest);
        for (int64_t x = 1; x <= largest; x++) {
            const double smooth = is_line ? (double)x : 3.0 * sqrt((double)x);
            if (x == largest || scalay_random_below(random, 40) > 0)
                energy_size(&made, j, x, floor(pace * (double)x),
                            start + (int64_t)((double)slope * smooth) + scalay_random_below(random, noise));
        }
        capacity += count * largest;
    }
    made.n = scalay_random_below(random, capacity + 2);
    return made;
}

static void check_rounded(int count, int groups, int64_t copies, int64_t sizes)
{
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < count * rounds; k++) {
        scalay_problem problem = rounded_problem(&random, groups, copies, sizes);
        check_front(&problem, -1.0);
        energy_problem_free(&problem);
    }
}

static void rounded_lines_and_roots(void **state)
{
    (void)state;
    check_rounded(600, 4, 1, 12);
    check_rounded(300, 3, 2, 12);
    check_rounded(20, 10, 1, 30);
    check_rounded(10, 3, 3, 40);
}

static void processors_that_are_dear_to_start(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 40 * rounds; k++) {
        scalay_problem problem = dear_to_start(&random);
        check_front(&problem, -1.0);
        energy_problem_free(&problem);
    }
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_processors), cmocka_unit_test(different_processors),
        cmocka_unit_test(grouped_processors),   cmocka_unit_test(processors_that_are_dear_to_start),
        cmocka_unit_test(concave_processors),   cmocka_unit_test(rounded_lines_and_roots),
    };
    read_rounds(count, argument, 20261122);
    return run_all_tests(tests);
}
