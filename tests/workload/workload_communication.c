/* Communication: every number of processors is tried here, and the best of them has to be found. */
#include "profiles.h"

#include "base/integer.h"
#include "workload/charge.h"
#include "workload_check.h"

static instance made;

enum { MOST_COSTS = 64 };

/* Costs by number of processors; infinity: not possible. */
typedef struct {
    int64_t known;
    double cost[MOST_COSTS + 1];
    int64_t calls;
} costs;

static double cost_of(int64_t n, int64_t processors, void *context)
{
    costs *of = context;
    (void)n;
    of->calls++;
    return processors <= of->known ? of->cost[processors] : INFINITY;
}

/* Costs of some kind: rising, falling, constant, with impossible numbers. */
static void random_costs(scalay_random *random, int64_t processors, costs *of)
{
    const int kind = (int)scalay_random_below(random, 4);
    of->known = processors;
    of->calls = 0;
    for (int64_t q = 1; q <= processors; q++) {
        const double noise = (double)scalay_random_below(random, 8) / 8.0;
        of->cost[q] = kind == 0 ? (double)q / 4.0 : kind == 1 ? 8.0 / (double)q : kind == 2 ? 0.5 : noise;
        if (scalay_random_below(random, 4) == 0) of->cost[q] = INFINITY;
    }
}

/* The possible entries as a table, in falling order. */
static scalay_communication *table_of(const costs *of)
{
    int64_t processors[MOST_COSTS + 2];
    double cost[MOST_COSTS + 2];
    int64_t entries = 0;
    scalay_communication *communication = NULL;
    processors[entries] = of->known + 5; /* of no interest */
    cost[entries++] = 0.0;
    for (int64_t q = of->known; q > 0; q--) {
        if (!(of->cost[q] < INFINITY)) continue;
        processors[entries] = q;
        cost[entries++] = of->cost[q];
    }
    assert_success(scalay_communication_table(entries, processors, cost, &communication));
    return communication;
}

/* Values for exactly 0, 1, ... processors as values for at most so many. */
static void accumulate(double *values, int64_t processors)
{
    for (int64_t q = 1; q <= processors; q++) values[q] = fmin(values[q], values[q - 1]);
}

static void check_one(const scalay_profile *profile, int64_t n, const costs *of, const double *values, int energy,
                      const scalay_workload_options *options)
{
    double best = INFINITY;
    int64_t best_q = 0;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    for (int64_t q = 1; q <= of->known; q++)
        if (values[q] + of->cost[q] < best) {
            best = values[q] + of->cost[q];
            best_q = q;
        }
    assert_success(energy ? scalay_workload_min_energy(profile, n, options, &workload)
                          : scalay_workload_min_time(profile, n, options, &workload));
    assert_int_equal(scalay_workload_feasible(workload), best < INFINITY);
    assert_success(scalay_workload_get_summary(workload, &summary));
    if (best < INFINITY) {
        assert_null(workload_check(profile, n, workload));
        assert_true(summary.total == best);
        assert_int_equal(summary.taking_part, best_q);
        assert_true(summary.communication == of->cost[best_q]);
        assert_true((energy ? summary.energy : summary.time) == values[best_q]);
        assert_true(options->variant == SCALAY_COMMUNICATION_EXACT ? summary.active == best_q
                                                                   : summary.active <= best_q);
    }
    scalay_workload_destroy(&workload);
}

static void check_variants(const scalay_profile *profile, int64_t n, costs *of)
{
    scalay_communication *communication[2] = {table_of(of), NULL};
    assert_success(scalay_communication_function(cost_of, of, &communication[1]));
    for (int energy = 0; energy < 2; energy++) {
        double *values = values_of(&made.problem, energy);
        for (int variant = 0; variant < 2; variant++) {
            scalay_workload_options options = scalay_workload_options_default();
            options.variant = variant == 0 ? SCALAY_COMMUNICATION_EXACT : SCALAY_COMMUNICATION_AT_MOST;
            if (variant == 1) accumulate(values, made.problem.processors);
            for (int k = 0; k < 2; k++) {
                options.communication = communication[k];
                check_one(profile, n, of, values, energy, &options);
            }
        }
        free(values);
    }
    scalay_communication_destroy(&communication[0]);
    scalay_communication_destroy(&communication[1]);
}

/* Sizes up to `most` are free, the next one costs so much. */
static scalay_profile *free_up_to(int64_t most, int64_t count, double joules)
{
    int64_t *size = malloc((size_t)(most + 1) * sizeof *size);
    double *time = malloc((size_t)(most + 1) * sizeof *time);
    double *energy = malloc((size_t)(most + 1) * sizeof *energy);
    scalay_profile *profile = NULL;
    assert_true(size != NULL && time != NULL && energy != NULL);
    for (int64_t k = 0; k <= most; k++) {
        size[k] = k + 1;
        time[k] = 1.0;
        energy[k] = k < most ? 0.0 : joules;
    }
    assert_success(scalay_profile_table("p", count, most + 1, size, time, energy, &profile));
    free(size);
    free(time);
    free(energy);
    return profile;
}

/* Bounds that rounding lifts above the truth would lose ties, or the best. */
static void bounds_are_not_above_what_they_bound(void **state)
{
    (void)state;
    scalay_workload_options options = scalay_workload_options_default();
    scalay_communication *communication = NULL;
    for (int64_t most = 3; most < 40; most++)
        for (int64_t n = most + 1; n < 10 * most; n += 7) {
            scalay_profile *profile = free_up_to(most, 40, 1000.0);
            scalay_workload *workload = NULL;
            scalay_workload_summary summary;
            costs of = {.known = 40};
            assert_success(scalay_communication_function(cost_of, &of, &communication));
            options.communication = communication;
            options.variant = SCALAY_COMMUNICATION_AT_MOST;
            assert_success(scalay_workload_min_energy(profile, n, &options, &workload));
            assert_success(scalay_workload_get_summary(workload, &summary));
            assert_int_equal(summary.taking_part, (n + most - 1) / most);
            scalay_workload_destroy(&workload);
            scalay_communication_destroy(&communication);
            scalay_profile_destroy(&profile);
        }
    for (int64_t most = 20; most <= 2000; most *= 10)
        for (int64_t q = 7; q < 2000000; q = 3 * q + 1) {
            /* One unit more than q processors have for nothing: a tiny bit less than another processor costs. */
            const int64_t processors[] = {q, q + 1};
            const double cost[] = {0.0, 1e6 + 1e-5};
            scalay_profile *profile = free_up_to(most, q + 1, 1e6);
            scalay_workload *workload = NULL;
            scalay_workload_summary summary;
            assert_success(scalay_communication_table(2, processors, cost, &communication));
            options.communication = communication;
            for (int variant = 0; variant < 2; variant++) {
                options.variant = variant == 0 ? SCALAY_COMMUNICATION_EXACT : SCALAY_COMMUNICATION_AT_MOST;
                assert_success(scalay_workload_min_energy(profile, most * q + 1, &options, &workload));
                assert_success(scalay_workload_get_summary(workload, &summary));
                assert_int_equal(summary.taking_part, q);
                assert_true(summary.total == 1e6);
                scalay_workload_destroy(&workload);
            }
            scalay_communication_destroy(&communication);
            scalay_profile_destroy(&profile);
        }
}

static void the_best_number_of_processors_is_that_of_trying_all(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 500; seed++) {
        scalay_random random = scalay_random_seed(seed);
        costs of;
        scalay_profile *profile = random_profile(&random, 1 + (int)(seed % 3), seed % 3 == 0 ? 8 : 3, 1);
        const int64_t n = 1 + scalay_random_below(&random, 50);
        instance_of_profile(profile, n, &made);
        random_costs(&random, made.problem.processors, &of);
        check_variants(profile, n, &of);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* ----------------------------------------------------------------------------------------------------- Hockney */

/* The formula as it stands in the header. */
static double by_definition(double alpha, double beta, double block, int64_t n, int64_t processors)
{
    const double q = (double)processors;
    const double extent = 1024.0 * (double)n;
    return (log2(q) + 2.0 * (sqrt(q) - 1.0)) * alpha * extent / block +
           4.0 * (1.0 - 1.0 / sqrt(q)) * beta * extent * extent / sqrt(q);
}

static void the_model_is_the_formula(void **state)
{
    (void)state;
    scalay_communication *communication = NULL;
    assert_success(scalay_communication_hockney(1e-5, 1e-9, 64, &communication));
    assert_true(scalay_communication_evaluate(communication, 100, 1) == 0.0);
    for (int64_t q = 1; q <= 4096; q += 7) {
        const double expected = by_definition(1e-5, 1e-9, 64.0, 30, q);
        assert_true(fabs(scalay_communication_evaluate(communication, 30, q) - expected) <= 1e-13 * expected);
    }
    assert_true(isinf(scalay_communication_evaluate(communication, 30, 0)));
    assert_true(isinf(scalay_communication_evaluate(communication, -1, 4)));
    assert_true(isinf(scalay_communication_evaluate(NULL, 30, 4)));
    scalay_communication_destroy(&communication);
    scalay_communication_destroy(NULL);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The same with the costs from a callback, which are searched one by one. */
static double hockney_cost(int64_t n, int64_t processors, void *context)
{
    return scalay_communication_evaluate(context, n, processors);
}

static void the_model_is_searched_like_any_cost(void **state)
{
    const uint64_t first = test_seed(1);
    (void)state;
    for (uint64_t seed = first; seed < first + 40; seed++) {
        scalay_random random = scalay_random_seed(seed);
        scalay_communication *hockney = NULL;
        scalay_communication *callback = NULL;
        scalay_workload *workload[2] = {NULL, NULL};
        scalay_workload_summary summary[2];
        scalay_workload_options options = scalay_workload_options_default();
        scalay_profile *profile = random_group(&random, "cpu", 300, PROFILE_POINTS, 1, 1);
        const int64_t n = 1 + scalay_random_below(&random, 2000);
        const double alpha = scalay_random_unit(&random) * 1e-4;
        const double beta = scalay_random_unit(&random) * 1e-13;
        assert_success(scalay_communication_hockney(alpha, beta, 64, &hockney));
        assert_success(scalay_communication_function(hockney_cost, hockney, &callback));
        options.variant = seed % 2 ? SCALAY_COMMUNICATION_EXACT : SCALAY_COMMUNICATION_AT_MOST;
        for (int k = 0; k < 2; k++) {
            options.communication = k == 0 ? hockney : callback;
            assert_success(seed % 4 < 2 ? scalay_workload_min_time(profile, n, &options, &workload[k])
                                        : scalay_workload_min_energy(profile, n, &options, &workload[k]));
            assert_null(workload_check(profile, n, workload[k]));
            assert_success(scalay_workload_get_summary(workload[k], &summary[k]));
            scalay_workload_destroy(&workload[k]);
        }
        assert_true(summary[0].total == summary[1].total && summary[0].taking_part == summary[1].taking_part);
        scalay_communication_destroy(&callback);
        scalay_communication_destroy(&hockney);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

/* A trillion processors that nobody wants to ask one by one. */
static void the_model_needs_few_of_very_many_processors(void **state)
{
    (void)state;
    scalay_communication *hockney = NULL;
    scalay_communication *callback = NULL;
    scalay_profile *profile = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    scalay_workload_options options = scalay_workload_options_default();
    assert_success(scalay_profile_constant_speed("node", INT64_C(1000000000000), 1024, 100.0, 50.0, &profile));
    assert_success(scalay_communication_hockney(1e-7, 1e-15, 256, &hockney));
    options.communication = hockney;
    for (int variant = 0; variant < 2; variant++) {
        options.variant = variant == 0 ? SCALAY_COMMUNICATION_EXACT : SCALAY_COMMUNICATION_AT_MOST;
        assert_success(scalay_workload_min_time(profile, 2000000, &options, &workload));
        assert_null(workload_check(profile, 2000000, workload));
        assert_success(scalay_workload_get_summary(workload, &summary));
        for (int64_t q = 2000; q <= 1000000; q += 997) { /* 2000000 / q units take a hundredth of that, rounded up */
            const double time = (double)scalay_ceil_div(2000000, q) / 100.0;
            assert_true(time + by_definition(1e-7, 1e-15, 256.0, 2000000, q) >= summary.total * (1.0 - 1e-12));
        }
        scalay_workload_destroy(&workload);
    }
    assert_success(scalay_communication_function(hockney_cost, hockney, &callback));
    options.communication = callback;
    assert_gives(scalay_workload_min_time(profile, INT64_C(1) << 40, &options, &workload), SCALAY_ERROR_RANGE);
    assert_non_null(strstr(scalay_error_message(), "table"));
    scalay_communication_destroy(&callback);
    scalay_communication_destroy(&hockney);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Two or three groups of a thousand million processors, whose energies are nearly straight: no number that is tried is
 * better than the one found. It takes milliseconds where bounds are good, and minutes where they are not. */
static void groups_of_very_many_processors_are_bounded_well(void **state)
{
    (void)state;
    const uint64_t first = test_seed(3);
    for (uint64_t seed = first; seed < first + 12; seed++) {
        scalay_random random = scalay_random_seed(seed);
        scalay_communication *hockney = NULL;
        scalay_distribution made_of = {0};
        scalay_charge charge;
        scalay_workload_options options = scalay_workload_options_default();
        const int groups = 2 + (int)(seed % 2);
        for (int j = 0; j < groups; j++) {
            const int64_t slope = 10 + scalay_random_below(&random, 200);
            instance_group(&made, j, &random, NOISY, 500000000 + scalay_random_below(&random, 500000000), 30, 0);
            for (int64_t x = 1; x <= 30; x++)
                made.energy[j][x] = 200 + slope * x + (seed % 4 < 2 ? scalay_random_below(&random, 30) : x * x);
        }
        const int64_t n = 1 + scalay_random_below(&random, INT64_C(15000000000));
        instance_close(&made, groups, n);
        made.problem.units_per_joule = 1.0;
        const double beta = (double)scalay_random_below(&random, 100000) / (double)n / 1048576.0;
        assert_success(scalay_communication_hockney(1e-5, beta, 64, &hockney));
        options.communication = hockney;
        options.variant = seed % 3 == 0 ? SCALAY_COMMUNICATION_AT_MOST : SCALAY_COMMUNICATION_EXACT;
        assert_success(scalay_solve_charged("test", &made.problem, n, &options, 1, &charge, &made_of));
        double time = 0.0;
        int64_t energy = 0;
        int64_t active = 0;
        check_distribution(&made.problem, &made_of, &time, &energy, &active);
        for (int k = 0; k < 40; k++) {
            const int64_t near = charge.taking_part + k - 20;
            const int64_t q = k % 2 == 0 ? near : 1 + scalay_random_below(&random, made.problem.processors);
            int64_t least = 0;
            if (q < 1 || q > made.problem.processors) continue;
            assert_success(scalay_solve_min_energy_active(&made.problem, q, seed % 3 != 0, &least, NULL));
            if (least == SCALAY_NO_ENERGY) continue;
            assert_true((double)least + scalay_communication_evaluate(hockney, n, q) >=
                        (double)energy + charge.communication);
        }
        scalay_distribution_free(&made_of);
        scalay_communication_destroy(&hockney);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void nothing_to_do_costs_nothing(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    scalay_profile *profile = random_profile(&random, 2, 3, 1);
    costs of = {.known = 1, .cost = {0.0, 5.0}};
    scalay_workload_options options = scalay_workload_options_default();
    scalay_communication *communication = table_of(&of);
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    options.communication = communication;
    assert_success(scalay_workload_min_time(profile, 0, &options, &workload));
    assert_null(workload_check(profile, 0, workload));
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_true(summary.total == 0.0 && summary.communication == 0.0 && summary.taking_part == 0);
    scalay_workload_destroy(&workload);
    scalay_communication_destroy(&communication);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_not_above_what_they_bound),
        cmocka_unit_test(the_best_number_of_processors_is_that_of_trying_all),
        cmocka_unit_test(the_model_is_the_formula),
        cmocka_unit_test(the_model_is_searched_like_any_cost),
        cmocka_unit_test(the_model_needs_few_of_very_many_processors),
        cmocka_unit_test(groups_of_very_many_processors_are_bounded_well),
        cmocka_unit_test(nothing_to_do_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
