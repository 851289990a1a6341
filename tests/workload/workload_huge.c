/* Groups of up to a trillion processors, proven by exchange.
 *
 * Take a slope at which sizes of least energy minus slope times size, of every group, can add up to n but for less than
 * the largest size L: the start. Any distribution is the start with some processors changed, each by at most L in
 * size. Put these changes in an order in which their partial sums stay between -L and L: when there are more than 2 L
 * of them, two partial sums are equal, and the changes between these cancel. Undoing them keeps n, and the energy does
 * not rise, as the start has the least energy minus slope times size everywhere. So some optimum changes at most 2 L
 * processors of the start, and a plain dynamic program over 2 L of each group and start size, with all others fixed,
 * finds the least energy. With no energies at all it tells whether there is a distribution. Nothing of the library
 * takes part in this. Active processors of the optimum found are an upper bound for the fewest.
 *
 * Where a group has more processors than there are units, n of them are as good as all: that proves the fewest, too. */
#include "rounds.h"
#include "workload_energy.h"

static const int64_t trillion = INT64_C(1000000000000);

static int listed(const scalay_problem_group *group, int64_t x, double within)
{
    return group->energy[x] != SCALAY_NO_ENERGY && (x == 0 || group->time[x] <= within);
}

/* A slope as a fraction. */
typedef struct {
    int64_t rise;
    int64_t run;
} slope;

/* The smallest and the largest size of least energy minus slope times size, within a time. */
static void ends_at(const scalay_problem_group *group, slope at, double within, int64_t *low, int64_t *high)
{
    int64_t least = INT64_MAX;
    for (int64_t x = 0; x <= group->largest; x++) {
        if (!listed(group, x, within)) continue;
        const int64_t value = group->energy[x] * at.run - at.rise * x;
        if (value < least) *low = x;
        if (value <= least) *high = x;
        if (value < least) least = value;
    }
}

/* Do such sizes add up to less than n, and to more? */
static int is_critical(const scalay_problem *problem, slope at, double within)
{
    int64_t least = 0;
    int64_t most = 0;
    for (int j = 0; j < problem->groups; j++) {
        int64_t low = 0;
        int64_t high = 0;
        ends_at(&problem->group[j], at, within, &low, &high);
        least += problem->group[j].multiplicity * low;
        most += problem->group[j].multiplicity * high;
    }
    return least <= problem->n && problem->n <= most;
}

/* One of the slopes between any two sizes of a group; 0: n is beyond the capacity. */
static int find_slope(const scalay_problem *problem, double within, slope *found)
{
    for (int j = 0; j < problem->groups; j++) {
        const scalay_problem_group *group = &problem->group[j];
        for (int64_t a = 0; a < group->largest; a++)
            for (int64_t b = a + 1; b <= group->largest; b++) {
                if (!listed(group, a, within) || !listed(group, b, within)) continue;
                *found = (slope){group->energy[b] - group->energy[a], b - a};
                if (is_critical(problem, *found, within)) return 1;
            }
    }
    return 0;
}

/* The start, in each group so many at the smaller and so many at the larger size. */
typedef struct {
    int64_t low, high;
    int64_t at_low, at_high;
} start_group;

static void find_start(const scalay_problem *problem, slope at, double within, start_group *start)
{
    int64_t left = problem->n;
    for (int j = 0; j < problem->groups; j++) {
        ends_at(&problem->group[j], at, within, &start[j].low, &start[j].high);
        left -= problem->group[j].multiplicity * start[j].low;
    }
    for (int j = 0; j < problem->groups; j++) {
        const int64_t width = start[j].high - start[j].low;
        start[j].at_high = width == 0 ? 0 : left / width;
        if (start[j].at_high > problem->group[j].multiplicity) start[j].at_high = problem->group[j].multiplicity;
        start[j].at_low = problem->group[j].multiplicity - start[j].at_high;
        left -= start[j].at_high * width;
    }
}

/* Leaves at most `most` of a class free; what the others come to. */
static int64_t fix(const scalay_problem_group *group, int64_t size, int64_t *count, int64_t most, plain_answer *fixed)
{
    const int64_t rest = *count > most ? *count - most : 0;
    *count -= rest;
    fixed->energy += rest * group->energy[size];
    fixed->active += size > 0 ? rest : 0;
    return rest * size;
}

/* The least energy within a time, and the active processors of a distribution that has it. */
static plain_answer proven_energy(const scalay_problem *problem, double within)
{
    scalay_problem_group group[MOST_GROUPS];
    start_group start[MOST_GROUPS];
    scalay_problem small = *problem;
    plain_answer fixed = {0, 0};
    slope at = {0, 1};
    int64_t largest = 1;
    if (problem->n > 0 && !find_slope(problem, within, &at)) return (plain_answer){SCALAY_NO_ENERGY, 0};
    find_start(problem, at, within, start);
    for (int j = 0; j < problem->groups; j++)
        if (problem->group[j].largest > largest) largest = problem->group[j].largest;
    small.group = group;
    for (int j = 0; j < problem->groups; j++) {
        group[j] = problem->group[j];
        small.n -= fix(&group[j], start[j].low, &start[j].at_low, 2 * largest, &fixed);
        small.n -= fix(&group[j], start[j].high, &start[j].at_high, 2 * largest, &fixed);
        group[j].multiplicity = start[j].at_low + start[j].at_high;
    }
    plain_answer best = plain_energy(&small, nextafter(within, INFINITY));
    if (best.energy == SCALAY_NO_ENERGY) return best;
    return (plain_answer){best.energy + fixed.energy, best.active + fixed.active};
}

/* ------------------------------------------------------------------------------------------------ instances */

/* Few sizes with few distinct times. */
static scalay_problem huge_problem(scalay_random *random, int most_groups)
{
    scalay_problem made = energy_problem(1 + (int)scalay_random_below(random, most_groups), 0);
    int64_t capacity = 0;
    for (int j = 0; j < made.groups; j++) {
        const int64_t largest = 1 + scalay_random_below(random, 8);
        const int64_t bits = scalay_random_below(random, 4) == 0 ? 4 : 40;
        const int64_t count = 1 + scalay_random_below(random, bits == 4 ? 16 : trillion);
        const int64_t slope_of_group = scalay_random_below(random, 12);
        energy_group(&made, j, count, largest);
        for (int64_t x = 1; x <= largest; x++)
            if (x == largest || scalay_random_below(random, 4) > 0)
                energy_size(&made, j, x, (double)(1 + scalay_random_below(random, 6)),
                            slope_of_group * x + scalay_random_below(random, 15));
        capacity += count * largest;
    }
    made.n = scalay_random_below(random, capacity + 1);
    if (scalay_random_below(random, 4) == 0) made.n = scalay_random_below(random, 40) % (capacity + 1);
    if (scalay_random_below(random, 4) == 0) made.n = capacity - scalay_random_below(random, 40) % (capacity + 1);
    return made;
}

/* The times that sizes have, ascending; their number. */
static int times_of(const scalay_problem *problem, double *time)
{
    int count = 0;
    for (double at = 0.0; at <= 6.0; at += 1.0)
        for (int j = 0; j < problem->groups; j++)
            for (int64_t x = 1; x <= problem->group[j].largest; x++)
                if (problem->group[j].time[x] == at && (count == 0 || time[count - 1] < at)) time[count++] = at;
    return count;
}

static void expect(int is_right, const scalay_problem *problem, const char *what)
{
    if (is_right) return;
    print_error("seed %llu: %s\n", (unsigned long long)seed, what);
    print_problem(problem, INFINITY);
    fail();
}

/* ------------------------------------------------------------------------------------------------- questions */

static void check_energy(const scalay_problem *problem)
{
    scalay_distribution distribution = {0};
    int64_t energy = 0;
    int64_t active = 0;
    const plain_answer proven = proven_energy(problem, INFINITY);
    assert_success(scalay_solve_min_energy(problem, INFINITY, &energy, &active, &distribution));
    expect(energy == proven.energy, problem, "another least energy");
    if (energy != SCALAY_NO_ENERGY) {
        expect(active <= proven.active, problem, "too many active processors");
        check_energies(problem, &distribution, INFINITY, energy, active);
    }
    scalay_distribution_free(&distribution);
}

static void check_time(const scalay_problem *problem)
{
    scalay_distribution distribution = {0};
    double times[8] = {0.0};
    double time = 0.0;
    double checked = 0.0;
    int64_t energy = 0;
    int64_t active = 0;
    const int count = times_of(problem, times);
    double least = problem->n == 0 ? 0.0 : INFINITY;
    for (int k = count - 1; k >= 0 && problem->n > 0; k--)
        if (proven_energy(problem, times[k]).energy != SCALAY_NO_ENERGY) least = times[k];
    assert_success(scalay_solve_min_time(problem, problem->processors, &time, &distribution));
    expect(time == least, problem, "another least time");
    if (least < INFINITY) {
        check_distribution(problem, &distribution, &checked, &energy, &active);
        expect(checked == least, problem, "a distribution with another time");
    }
    scalay_distribution_free(&distribution);
}

/* With a base power, only where the total falls. */
static void check_front(const scalay_problem *problem, double power)
{
    scalay_point *point = NULL;
    double times[8] = {0.0};
    int64_t count = 0;
    int64_t at = 0;
    int64_t least = SCALAY_NO_ENERGY;
    double least_total = INFINITY;
    const int limits = times_of(problem, times);
    assert_success(scalay_solve_front(problem, power, &count, &point));
    for (int k = problem->n == 0 ? limits : 0; k < limits; k++) {
        const plain_answer proven = proven_energy(problem, times[k]);
        if (proven.energy >= least) continue;
        least = proven.energy;
        if (power >= 0.0 && (double)least + power * times[k] >= least_total) continue;
        least_total = (double)least + power * times[k];
        expect(at < count && point[at].time == times[k] && point[at].energy == least, problem, "another point");
        expect(point[at++].active <= proven.active, problem, "a point with too many active processors");
    }
    expect(count == (problem->n == 0 ? 1 : at), problem, "points too many");
    scalay_release(point);
}

static void one_group(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 600 * rounds; k++) {
        scalay_problem problem = huge_problem(&random, 1);
        check_time(&problem);
        check_energy(&problem);
        check_front(&problem, -1.0);
        energy_problem_free(&problem);
    }
}

static void several_groups(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 500 * rounds; k++) {
        scalay_problem problem = huge_problem(&random, 4);
        check_time(&problem);
        check_energy(&problem);
        check_front(&problem, -1.0);
        check_front(&problem, (double)(1 + scalay_random_below(&random, 1000)));
        energy_problem_free(&problem);
    }
}

/* ------------------------------------------------------------------------------- more processors than units */

/* The same with n processors in each group, which is small; front and energy, with their fewest active processors. */
static void check_as_with_few(const scalay_problem *problem)
{
    scalay_problem_group group[MOST_GROUPS];
    scalay_problem few = *problem;
    scalay_point *point = NULL;
    double times[8] = {0.0};
    int64_t count = 0;
    int64_t at = 0;
    int64_t least = SCALAY_NO_ENERGY;
    few.group = group;
    for (int j = 0; j < problem->groups; j++) {
        group[j] = problem->group[j];
        group[j].multiplicity = problem->n;
    }
    const int limits = times_of(problem, times);
    assert_success(scalay_solve_front(problem, -1.0, &count, &point));
    for (int k = 0; k < limits; k++) {
        const plain_answer best = plain_energy(&few, nextafter(times[k], INFINITY));
        if (best.energy >= least) continue;
        least = best.energy;
        expect(at < count && point[at].time == times[k] && point[at].energy == least, problem, "another point");
        expect(point[at++].active == best.active, problem, "a point with other active processors");
    }
    expect(count == at, problem, "points too many");
    scalay_release(point);
}

static void more_processors_than_units(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 400 * rounds; k++) {
        scalay_problem problem = huge_problem(&random, 4);
        problem.n = 1 + scalay_random_below(&random, 30);
        problem.processors = 0;
        for (int j = 0; j < problem.groups; j++) {
            problem.group[j].multiplicity = trillion - j;
            problem.processors += trillion - j;
        }
        check_as_with_few(&problem);
        energy_problem_free(&problem);
    }
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group),
        cmocka_unit_test(several_groups),
        cmocka_unit_test(more_processors_than_units),
    };
    read_rounds(count, argument, 20261123);
    return run_all_tests(tests);
}
