/* Medium problems: with communications against plain dynamic programs over processors, totals and active ones; and
 * problems into which an optimum was planted, so that it is known whatever their size. */
#include "profiles.h"

#include "rounds.h"
#include "workload_check.h"

enum { MOST_PROCESSORS = 60 };

static instance made;

/* ------------------------------------------------------------------------------------------ communication */

static double hockney_cost(double alpha, double beta, int64_t n, int64_t processors)
{
    const double root = sqrt((double)processors);
    const double extent = 1024.0 * (double)n;
    return (log2((double)processors) + 2.0 * (root - 1.0)) * alpha * extent / 64.0 +
           4.0 * (1.0 - 1.0 / root) * beta * extent * extent / root;
}

/* A table or the model, and what it costs. */
static scalay_communication *random_communication(scalay_random *random, int64_t n, double *cost)
{
    const int model = scalay_random_below(random, 2) == 0;
    const double alpha = scalay_random_unit(random) * 1e-4;
    const double beta = scalay_random_unit(random) * 1e-11;
    int64_t processors[MOST_PROCESSORS];
    double listed[MOST_PROCESSORS];
    int64_t entries = 0;
    scalay_communication *communication = NULL;
    for (int64_t q = 1; q <= MOST_PROCESSORS; q++) {
        cost[q] = model ? hockney_cost(alpha, beta, n, q) : (double)scalay_random_below(random, 64) / 16.0;
        if (!model && q > 1 && scalay_random_below(random, 3) == 0) cost[q] = INFINITY;
        if (!(cost[q] < INFINITY)) continue;
        processors[entries] = q;
        listed[entries++] = cost[q];
    }
    assert_success(model ? scalay_communication_hockney(alpha, beta, 64, &communication)
                         : scalay_communication_table(entries, processors, listed, &communication));
    return communication;
}

static void check_variant(const scalay_profile *profile, const double *values, const double *cost, int energy,
                          const scalay_workload_options *options)
{
    double best = INFINITY;
    double value = INFINITY;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    for (int64_t q = 1; q <= made.problem.processors; q++) {
        value = options->variant == SCALAY_COMMUNICATION_EXACT ? values[q] : fmin(value, values[q]);
        best = fmin(best, value + cost[q]);
    }
    assert_success(energy ? scalay_workload_min_energy(profile, made.problem.n, options, &workload)
                          : scalay_workload_min_time(profile, made.problem.n, options, &workload));
    assert_int_equal(scalay_workload_feasible(workload), best < INFINITY);
    assert_success(scalay_workload_get_summary(workload, &summary));
    if (best < INFINITY) {
        assert_fine(workload_check(profile, made.problem.n, workload), seed);
        assert_true(workload_near(summary.total, best));
        assert_true(workload_near(summary.communication, cost[summary.taking_part]));
        assert_true(options->variant == SCALAY_COMMUNICATION_EXACT ? summary.active == summary.taking_part
                                                                   : summary.active <= summary.taking_part);
    }
    scalay_workload_destroy(&workload);
}

static scalay_profile *medium_profile(scalay_random *random)
{
    static const char *const name[] = {"a", "b", "c"};
    scalay_profile *part[3] = {NULL};
    scalay_profile *profile = NULL;
    const int groups = 1 + (int)scalay_random_below(random, 3);
    const int64_t step = 1 + scalay_random_below(random, 2);
    for (int j = 0; j < groups; j++)
        part[j] = random_group(random, name[j], 1 + scalay_random_below(random, groups == 1 ? 40 : 10),
                               8 + scalay_random_below(random, PROFILE_POINTS - 7), step, 1);
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
    return profile;
}

static void communication_costs_and_all_numbers_of_processors(void **state)
{
    const uint64_t first = seed;
    (void)state;
    for (; seed < first + (uint64_t)(50 * rounds); seed++) {
        scalay_random random = scalay_random_seed(seed);
        scalay_profile *profile = medium_profile(&random);
        const int64_t n = 40 + scalay_random_below(&random, 260);
        double cost[MOST_PROCESSORS + 1];
        instance_of_profile(profile, n, &made);
        scalay_communication *communication = random_communication(&random, n, cost);
        for (int variant = 0; variant < 4; variant++) {
            scalay_workload_options options = scalay_workload_options_default();
            double *values = values_of(&made.problem, variant / 2);
            options.communication = communication;
            options.variant = variant % 2 ? SCALAY_COMMUNICATION_AT_MOST : SCALAY_COMMUNICATION_EXACT;
            check_variant(profile, values, cost, variant / 2, &options);
            free(values);
        }
        scalay_communication_destroy(&communication);
        scalay_profile_destroy(&profile);
    }
    seed = first;
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ planted */

enum { PLANTED_SIZES = 400, PLANTED_GROUPS = 300 };

/* What is planted: the answer. */
typedef struct {
    scalay_profile *profile;
    int64_t n;
    int64_t active;
    double least; /* time, or energy */
} planted;

static scalay_profile *planted_group(int j, int64_t count, int64_t points, const double *time, const double *energy)
{
    int64_t size[PLANTED_SIZES];
    char name[16];
    scalay_profile *profile = NULL;
    for (int64_t k = 0; k < points; k++) size[k] = k + 1;
    snprintf(name, sizeof name, "p%d", j);
    assert_success(scalay_profile_table(name, count, points, size, time, energy, &profile));
    return profile;
}

static void join(scalay_profile **part, int groups, planted *made_of)
{
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &made_of->profile));
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
}

/* All that can be done in 8 seconds is n: in each group, no size above a certain one takes less than 8.125, that one
 * takes up to 8, and in the first group it takes just that, and all smaller ones too. So nothing else has time 8, and
 * less time does not do n. */
static planted plant_time(scalay_random *random, int groups, int64_t most_copies)
{
    scalay_profile *part[PLANTED_GROUPS] = {NULL};
    double time[PLANTED_SIZES];
    planted answer = {.least = 8.0};
    for (int j = 0; j < groups; j++) {
        const int64_t points = 2 + scalay_random_below(random, PLANTED_SIZES - 2);
        const int64_t last = j == 0 ? 1 + scalay_random_below(random, points) : scalay_random_below(random, points + 1);
        const int64_t count = 1 + scalay_random_below(random, most_copies);
        for (int64_t x = 1; x <= points; x++)
            time[x - 1] = x > last ? 8.125 + 4.0 * scalay_random_unit(random)
                          : j == 0 ? 8.0
                                   : 8.0 * scalay_random_unit(random);
        part[j] = planted_group(j, count, points, time, NULL);
        answer.n += count * last;
        answer.active += last > 0 ? count : 0;
    }
    join(part, groups, &answer);
    return answer;
}

/* Every size costs at least so much a unit and at least so much for a processor; some cost just that, and n is made of
 * largest sizes that do, when `full`: then fewer processors cannot do n. Otherwise n is made of any that do, without a
 * charge for a processor. Energies in quarters. */
static planted plant_energy(scalay_random *random, int groups, int64_t most_copies, int full)
{
    scalay_profile *part[PLANTED_GROUPS] = {NULL};
    double time[PLANTED_SIZES];
    double energy[PLANTED_SIZES];
    planted answer = {.active = full ? 0 : -1};
    const int64_t points = 2 + scalay_random_below(random, PLANTED_SIZES - 2);
    const int64_t unit = 1 + scalay_random_below(random, 40);
    const int64_t charge = full ? scalay_random_below(random, 400) : 0;
    for (int j = 0; j < groups; j++) {
        const int64_t count = 1 + scalay_random_below(random, most_copies);
        const int64_t used = scalay_random_below(random, count + 1);
        const int64_t cheap = full ? points : 1 + scalay_random_below(random, points);
        for (int64_t x = 1; x <= points; x++) {
            time[x - 1] = scalay_random_unit(random);
            energy[x - 1] = (double)(unit * x + charge + scalay_random_below(random, 1000)) / 4.0;
        }
        energy[cheap - 1] = (double)(unit * cheap + charge) / 4.0;
        part[j] = planted_group(j, count, points, time, energy);
        answer.n += used * cheap;
        answer.least += (double)(used * (unit * cheap + charge)) / 4.0;
        answer.active += full ? used : 0;
    }
    join(part, groups, &answer);
    return answer;
}

/* Destroys the profile. */
static void check_planted(planted *answer, int energy)
{
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    assert_success(energy ? scalay_workload_min_energy(answer->profile, answer->n, NULL, &workload)
                          : scalay_workload_min_time(answer->profile, answer->n, NULL, &workload));
    assert_fine(workload_check(answer->profile, answer->n, workload), seed);
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_true(scalay_workload_feasible(workload));
    assert_true((energy ? summary.energy : summary.time) == answer->least);
    assert_true(answer->active < 0 || summary.active == answer->active);
    scalay_workload_destroy(&workload);
    scalay_profile_destroy(&answer->profile);
}

static void planted_least_times(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 150 * rounds; k++) {
        const int64_t copies = k % 3 == 0 ? 1 : k % 3 == 1 ? 50 : INT64_C(1000000000000);
        planted answer =
            plant_time(&random, 1 + (int)scalay_random_below(&random, k % 3 == 0 ? PLANTED_GROUPS : 6), copies);
        check_planted(&answer, 0);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void planted_least_energies(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 200 * rounds; k++) {
        const int64_t copies = k % 3 == 0 ? 1 : k % 3 == 1 ? 50 : INT64_C(1000000000);
        const int groups = 1 + (int)scalay_random_below(&random, k % 3 == 0 ? PLANTED_GROUPS : 6);
        planted answer = plant_energy(&random, groups, copies, k % 2);
        check_planted(&answer, 1);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* Time size, energy so much a unit, another for each group: within a time, the cheapest groups are filled first. */
static void check_linear_point(const scalay_profile *profile, int64_t n, const scalay_workload_front_point *point)
{
    const int64_t within = (int64_t)point->time;
    int64_t left = n;
    int64_t active = 0;
    double energy = 0.0;
    assert_true(point->time == (double)within);
    for (int j = 0; j < scalay_profile_groups(profile) && left > 0; j++) {
        double time = 0.0;
        double a_unit = 0.0;
        const int64_t count = scalay_profile_multiplicity(profile, j);
        const int64_t units = left < count * within ? left : count * within;
        assert_success(scalay_profile_get_point(profile, j, 1, &time, &a_unit));
        energy += a_unit * (double)units;
        active += (units + within - 1) / within;
        left -= units;
    }
    assert_int_equal(left, 0);
    assert_true(point->energy == energy);
    assert_int_equal(point->active, active);
}

/* Groups from the cheapest on. */
static planted plant_linear(scalay_random *random, int64_t sizes)
{
    scalay_profile *part[4] = {NULL};
    planted answer = {.n = 0};
    const int groups = 2 + (int)scalay_random_below(random, 3);
    const int64_t most = INT64_C(1) << scalay_random_below(random, 36); /* energies below 2^53 */
    int64_t unit = 0;
    for (int j = 0; j < groups; j++) {
        double time[PLANTED_SIZES];
        double energy[PLANTED_SIZES];
        unit += 1 + scalay_random_below(random, 9);
        for (int64_t x = 1; x <= sizes; x++) {
            time[x - 1] = (double)x;
            energy[x - 1] = (double)(unit * x);
        }
        part[j] = planted_group(j, 1 + scalay_random_below(random, most), sizes, time, energy);
    }
    join(part, groups, &answer);
    answer.n = 1 + scalay_random_below(random, scalay_profile_processors(answer.profile) * sizes);
    return answer;
}

/* From the even distribution on, to where the cheapest group does all, or to the largest size. */
static void check_linear_front(const planted *answer, int64_t sizes)
{
    scalay_workload_front *front = NULL;
    const int64_t processors = scalay_profile_processors(answer->profile);
    const int64_t cheapest = scalay_profile_multiplicity(answer->profile, 0);
    const int64_t first = (answer->n + processors - 1) / processors;
    const int64_t end = (answer->n + cheapest - 1) / cheapest;
    assert_success(scalay_workload_front_create(answer->profile, answer->n, NULL, &front));
    assert_int_equal(scalay_workload_front_count(front), (end < sizes ? end : sizes) - first + 1);
    for (int64_t k = 0; k < scalay_workload_front_count(front); k++) {
        scalay_workload_front_point point;
        assert_success(scalay_workload_front_get_point(front, k, &point));
        assert_true(point.time == (double)(first + k));
        check_linear_point(answer->profile, answer->n, &point);
    }
    scalay_workload_front_destroy(&front);
}

static void fronts_of_linear_functions_at_any_scale(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < 60 * rounds; k++) {
        const int64_t sizes = 2 + scalay_random_below(&random, 200);
        planted answer = plant_linear(&random, sizes);
        check_linear_front(&answer, sizes);
        scalay_profile_destroy(&answer.profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(communication_costs_and_all_numbers_of_processors),
        cmocka_unit_test(planted_least_times),
        cmocka_unit_test(planted_least_energies),
        cmocka_unit_test(fronts_of_linear_functions_at_any_scale),
    };
    read_rounds(count, argument, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
