/* Statistics of samples: confidence intervals hold the truth as often as they say, outliers are counted, normality is
 * doubted where it should be. Samples come from a seeded generator; their truth is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "measure/sample.h"
#include "scalay/measure.h"

#define SEED 20261121u
enum { TRIALS = 2500, NORMALITY_TRIALS = 400, MOST = 400 };

/* Box, Muller (1958). */
static double normal(scalay_random *random)
{
    const double radius = sqrt(-2.0 * log(1.0 - scalay_random_unit(random)));
    return radius * cos(2.0 * acos(-1.0) * scalay_random_unit(random));
}

static scalay_statistics statistics_of(int64_t count, const double *value, double confidence)
{
    scalay_statistics s = {0};
    assert_int_equal(scalay_statistics_of(count, value, confidence, 0.025, &s), SCALAY_SUCCESS);
    return s;
}

/* The share of samples of a normal distribution whose interval holds its mean. */
static double coverage(int count, double confidence, scalay_random *random)
{
    double value[MOST];
    int held = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int k = 0; k < count; k++) value[k] = 10.0 + normal(random);
        const scalay_statistics s = statistics_of(count, value, confidence);
        held += fabs(s.mean - 10.0) <= s.half_width;
    }
    return (double)held / TRIALS;
}

static void an_interval_holds_the_mean_as_often_as_it_says(void **state)
{
    (void)state;
    static const int counts[] = {2, 5, 10, 30};
    static const double confidences[] = {0.9, 0.95, 0.99};
    scalay_random random = scalay_random_seed(SEED);
    print_message("seed %u\n", SEED);
    for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++) {
            const double p = confidences[c];
            const double found = coverage(counts[n], p, &random);
            print_message("%d values, %g%%: %.2f%%\n", counts[n], 100.0 * p, 100.0 * found);
            assert_true(fabs(found - p) < 4.0 * sqrt(p * (1.0 - p) / TRIALS));
        }
}

/* To look at the interval again and again, and to stop when it is narrow, favours those that are too narrow: by how
 * much, docs/measuring.md says. */
static void stopping_when_precise_costs_little_coverage(void **state)
{
    (void)state;
    static const double deviations[] = {0.02, 0.05, 0.1, 0.3};
    scalay_random random = scalay_random_seed(SEED + 1);
    scalay_repeat_options options = scalay_repeat_options_default();
    for (int d = 0; d < 4; d++) {
        int held = 0;
        double repetitions = 0.0;
        for (int trial = 0; trial < TRIALS / 5; trial++) {
            scalay_series series = {0};
            do {
                assert_int_equal(scalay_series_reserve(&series), SCALAY_SUCCESS);
                scalay_series_add(&series, 1.0 + deviations[d] * normal(&random));
            } while (series.count < options.min_repetitions || !scalay_series_is_precise(&series, &options));
            repetitions += (double)series.count;
            held += fabs(series.mean - 1.0) <= options.precision;
            scalay_release(series.value);
        }
        print_message("deviation %g%%: precise after %.1f repetitions on average, right in %.1f%%\n",
                      100.0 * deviations[d], repetitions * 5.0 / TRIALS, 500.0 * held / TRIALS);
        assert_true(5.0 * held / TRIALS > 0.88);
    }
}

static void normality_is_doubted_where_it_should_be(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(SEED + 2);
    double value[MOST];
    int doubted_normal = 0, doubted_exponential = 0, doubted_two_levels = 0;
    for (int trial = 0; trial < NORMALITY_TRIALS; trial++) {
        for (int k = 0; k < 100; k++) value[k] = 5.0 + 0.1 * normal(&random);
        doubted_normal += statistics_of(100, value, 0.95).normality < 0.05;
        for (int k = 0; k < 100; k++) value[k] = -log(1.0 - scalay_random_unit(&random));
        doubted_exponential += statistics_of(100, value, 0.95).normality < 0.05;
        for (int k = 0; k < 100; k++) value[k] = (k % 2 ? 1.0 : 2.0) + 0.05 * normal(&random);
        doubted_two_levels += statistics_of(100, value, 0.95).normality < 0.05;
    }
    print_message("of %d samples of 100: normal doubted %d, exponential %d, two levels %d\n", NORMALITY_TRIALS,
                  doubted_normal, doubted_exponential, doubted_two_levels);
    /* Pearson's test with estimated mean and deviation errs a little more often than it says. */
    assert_true(doubted_normal > NORMALITY_TRIALS / 100 && doubted_normal < NORMALITY_TRIALS / 9);
    assert_true(doubted_exponential > NORMALITY_TRIALS - 4 && doubted_two_levels == NORMALITY_TRIALS);
}

static void what_cannot_be_told_is_not_a_number(void **state)
{
    (void)state;
    const double value[] = {3.0, 3.0, 3.0};
    scalay_statistics s = statistics_of(0, NULL, 0.95);
    assert_true(s.count == 0 && isnan(s.mean) && isnan(s.median) && isnan(s.half_width) && !s.is_precise);
    s = statistics_of(1, value, 0.95);
    assert_true(s.mean == 3.0 && s.median == 3.0 && isnan(s.deviation) && isnan(s.half_width) && !s.is_precise);
    s = statistics_of(3, value, 0.95);
    assert_true(s.deviation == 0.0 && s.half_width == 0.0 && s.is_precise && isnan(s.normality) && s.outliers == 0);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Against the definitions, on samples of all sizes. */
static void order_and_outliers_follow_their_definitions(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(SEED + 3);
    double value[MOST], sorted[MOST];
    for (int count = 1; count <= 60; count++) {
        int outliers = 0;
        for (int k = 0; k < count; k++) {
            value[k] = sorted[k] = exp(3.0 * normal(&random));
        }
        qsort(sorted, (size_t)count, sizeof *sorted, compare);
        const scalay_statistics s = statistics_of(count, value, 0.95);
        assert_true(fabs(s.median - 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2])) <= 1e-12 * s.median);
        assert_true(s.minimum == sorted[0] && s.maximum == sorted[count - 1]);
        assert_true(s.quartile_1 <= s.median && s.median <= s.quartile_3);
        if (count % 4 == 1) {
            assert_true(s.quartile_1 == sorted[count / 4]);
            assert_true(s.quartile_3 == sorted[3 * (count / 4)]);
        }
        for (int k = 0; k < count; k++) {
            const double reach = 1.5 * (s.quartile_3 - s.quartile_1);
            outliers += value[k] > s.quartile_3 + reach || value[k] < s.quartile_1 - reach;
        }
        assert_int_equal(s.outliers, outliers);
        assert_int_equal(s.count, count); /* they are in the sample all the same */
    }
}

/* A small spread on a large number, where the sum of squares would have lost it; and one value after the other. */
static void a_large_mean_does_not_drown_the_deviation(void **state)
{
    (void)state;
    scalay_series series = {0};
    double value[MOST];
    for (int k = 0; k < MOST; k++) {
        value[k] = 1e9 + (k % 2 ? 1.0 : -1.0) / 64.0;
        assert_int_equal(scalay_series_reserve(&series), SCALAY_SUCCESS);
        scalay_series_add(&series, value[k]);
    }
    const scalay_statistics s = statistics_of(MOST, value, 0.95);
    const double expected = sqrt((double)MOST / (MOST - 1)) / 64.0;
    assert_true(s.mean == 1e9);
    assert_true(fabs(s.deviation / expected - 1.0) < 1e-6);
    assert_true(fabs(sqrt(series.squares / (MOST - 1)) / expected - 1.0) < 1e-6);
    scalay_release(series.value);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const double fine[] = {1.0, 2.0}, bad[] = {1.0, NAN};
    scalay_statistics s = {.count = 77};
    assert_int_equal(scalay_statistics_of(2, fine, 0.95, 0.025, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_statistics_of(-1, fine, 0.95, 0.025, &s), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_statistics_of(2, NULL, 0.95, 0.025, &s), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_statistics_of(2, fine, 1.0, 0.025, &s), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_statistics_of(2, fine, NAN, 0.025, &s), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_statistics_of(2, fine, 0.95, 0.0, &s), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_statistics_of(2, bad, 0.95, 0.025, &s), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(s.count, 77);
    double many[30];
    for (int k = 0; k < 30; k++) many[k] = k;
    for (int n = 1; n <= 2; n++) {
        scalay_memory_fail_at(n);
        assert_int_equal(scalay_statistics_of(30, many, 0.95, 0.025, &s), SCALAY_ERROR_MEMORY);
        scalay_memory_fail_at(0);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_holds_the_mean_as_often_as_it_says),
        cmocka_unit_test(stopping_when_precise_costs_little_coverage),
        cmocka_unit_test(normality_is_doubted_where_it_should_be),
        cmocka_unit_test(what_cannot_be_told_is_not_a_number),
        cmocka_unit_test(order_and_outliers_follow_their_definitions),
        cmocka_unit_test(a_large_mean_does_not_drown_the_deviation),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
