/* Student's t and chi-squared: against printed tables, and against another library where that is installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#ifdef HAVE_GSL
#include <gsl/gsl_cdf.h>
#endif

#include "measure/sample.h"

static void assert_near(double found, double expected, double tolerance)
{
    if (fabs(found - expected) <= tolerance * fmax(1.0, fabs(expected))) return;
    print_error("%.17g is not %.17g\n", found, expected);
    fail();
}

/* Abramowitz, Stegun (1964), table 26.10: A(t|freedom) of 0.9, 0.95, 0.99. */
static void student_has_the_printed_values(void **state)
{
    (void)state;
    static const struct {
        int64_t freedom;
        double t[3];
    } table[] = {{1, {6.314, 12.706, 63.657}}, {2, {2.920, 4.303, 9.925}},        {3, {2.353, 3.182, 5.841}},
                 {4, {2.132, 2.776, 4.604}},   {5, {2.015, 2.571, 4.032}},        {10, {1.812, 2.228, 3.169}},
                 {29, {1.699, 2.045, 2.756}},  {30, {1.697, 2.042, 2.750}},       {60, {1.671, 2.000, 2.660}},
                 {120, {1.658, 1.980, 2.617}}, {100000000, {1.645, 1.960, 2.576}}};
    static const double within[] = {0.9, 0.95, 0.99};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        for (int c = 0; c < 3; c++)
            assert_near(scalay_student_two_sided(within[c], table[k].freedom) / table[k].t[c], 1.0,
                        0.0006 / table[k].t[c]);
}

/* The same, table 26.8: chi-squared values that are exceeded with probability 0.9, 0.05 and 0.01. */
static void chi_squared_has_the_printed_values(void **state)
{
    (void)state;
    static const struct {
        int64_t freedom;
        double x[3];
    } table[] = {{1, {0.0157908, 3.84146, 6.63490}}, {2, {0.210720, 5.99147, 9.21034}},
                 {3, {0.584375, 7.81473, 11.3449}},  {5, {1.61031, 11.0705, 15.0863}},
                 {10, {4.86518, 18.3070, 23.2093}},  {29, {19.7677, 42.5569, 49.5879}},
                 {30, {20.5992, 43.7729, 50.8922}},  {100, {82.3581, 124.342, 135.807}}};
    static const double above[] = {0.9, 0.05, 0.01};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        for (int c = 0; c < 3; c++)
            assert_near(scalay_chi_squared_above(table[k].x[c], table[k].freedom), above[c], 2e-5);
    assert_near(scalay_chi_squared_above(0.0, 7), 1.0, 0.0);
    assert_near(scalay_chi_squared_above(5000.0, 5000), 0.4973, 1e-4); /* exp(-2500) alone is 0 */
}

/* Few degrees of freedom have formulas without sums. */
static void few_degrees_have_closed_forms(void **state)
{
    (void)state;
    for (double p = 0.005; p < 1.0; p += 0.005) {
        assert_near(scalay_student_two_sided(p, 1), tan(p * acos(-1.0) / 2.0), 1e-12);
        assert_near(scalay_student_two_sided(p, 2), p * sqrt(2.0 / (1.0 - p * p)), 1e-12);
    }
    for (double x = 0.1; x < 50.0; x += 0.1) {
        assert_near(scalay_chi_squared_above(x, 1), erfc(sqrt(x / 2.0)), 1e-14);
        assert_near(scalay_chi_squared_above(x, 2), exp(-x / 2.0), 1e-14);
    }
}

/* The sum and the series that takes over beyond 1000 meet; the quantile falls with the degrees of freedom. */
static void sum_and_series_meet(void **state)
{
    (void)state;
    for (double p = 0.1; p < 0.9999; p = 1.0 - 0.7 * (1.0 - p)) {
        assert_near(scalay_student_within(scalay_student_two_sided(p, 1001), 1001), p, 1e-12);
        assert_near(scalay_student_within(scalay_student_two_sided(p, 1002), 1002), p, 1e-12);
        for (int64_t freedom = 1; freedom < 1010; freedom++)
            assert_true(scalay_student_two_sided(p, freedom) > scalay_student_two_sided(p, freedom + 1));
    }
    assert_near(scalay_student_two_sided(0.0, 5), 0.0, 1e-12);
}

#ifdef HAVE_GSL
static void another_library_agrees(void **state)
{
    (void)state;
    static const double within[] = {0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999999};
    for (int64_t freedom = 1; freedom < 3000; freedom += 1 + freedom / 7)
        for (size_t k = 0; k < sizeof within / sizeof within[0]; k++) {
            const double theirs = gsl_cdf_tdist_Pinv(0.5 + 0.5 * within[k], (double)freedom);
            assert_near(scalay_student_two_sided(within[k], freedom) / theirs, 1.0, 1e-8);
            const double x = gsl_cdf_chisq_Qinv(1.0 - within[k], (double)freedom);
            assert_near(scalay_chi_squared_above(x, freedom), 1.0 - within[k], 1e-8);
        }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_has_the_printed_values), cmocka_unit_test(chi_squared_has_the_printed_values),
        cmocka_unit_test(few_degrees_have_closed_forms),  cmocka_unit_test(sum_and_series_meet),
#ifdef HAVE_GSL
        cmocka_unit_test(another_library_agrees),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
