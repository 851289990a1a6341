/* Decimal numbers: the shortest of a double reads back and none is shorter; texts are read and written exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/number.h"
#include "base/random.h"

static double value_of(scalay_decimal decimal)
{
    char text[SCALAY_DECIMAL_SIZE];
    (void)snprintf(text, sizeof text, "%llde%d", (long long)decimal.digits, decimal.exponent);
    return strtod(text, NULL);
}

static int count_digits(int64_t digits)
{
    int count = 1;
    for (; digits >= 10; digits /= 10) count++;
    return count;
}

/* 1 when a decimal number of so many digits reads as the value: the nearest one or one of its neighbours would. */
static int has_decimal(double value, int count)
{
    char text[SCALAY_DECIMAL_SIZE];
    (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    char *mark = strchr(text, 'e');
    int exponent = atoi(mark + 1) - (count - 1);
    *mark = '\0';
    if (count > 1) memmove(text + 1, text + 2, strlen(text + 2) + 1);
    for (int step = -1; step <= 1; step++)
        if (value_of((scalay_decimal){atoll(text) + step, exponent}) == value) return 1;
    return 0;
}

static void check_shortest(double value)
{
    scalay_decimal decimal = scalay_decimal_shortest(value);
    int count = count_digits(decimal.digits);
    if (value_of(decimal) != value || (count > 1 && has_decimal(value, count - 1)) ||
        (decimal.digits != 0 && decimal.digits % 10 == 0))
        fail_msg("%a: %lld * 10^%d", value, (long long)decimal.digits, decimal.exponent);
}

static void the_shortest_reads_back_and_none_is_shorter(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(20260301);
    const double special[] = {0.0,
                              0.1,
                              1.0,
                              1e15,
                              999999999999999.0,
                              1e16,
                              9007199254740993.0,
                              1e22,
                              1e23,
                              5e-324,
                              2.2250738585072014e-308,
                              1.7976931348623157e308,
                              0x1p-44,
                              0x1p-1074,
                              1e-7,
                              123456.789,
                              0.3,
                              2.0 / 3.0};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) check_shortest(special[k]);
    for (int k = -1074; k < 1024; k++) check_shortest(ldexp(1.0, k));
    for (int k = 0; k < 20000; k++) {
        uint64_t bits = scalay_random_bits(&random) >> 1;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) check_shortest(value);
        check_shortest((double)scalay_random_below(&random, 1000000000) / 1e6);
        check_shortest((double)scalay_random_below(&random, 100000) / 1e3);
        check_shortest(scalay_random_unit(&random));
    }
    assert_int_equal(scalay_decimal_shortest(0x1p-44).digits,
                     INT64_C(5684341886080802)); /* known to need the upper one */
}

static void expect(const char *text, int64_t digits, int exponent)
{
    scalay_decimal decimal;
    assert_int_equal(scalay_decimal_from_text(text, &decimal), SCALAY_NUMBER_VALID);
    assert_int_equal(decimal.digits, digits);
    assert_int_equal(decimal.exponent, exponent);
}

static void texts_are_read_exactly(void **state)
{
    (void)state;
    scalay_decimal decimal;
    expect("0", 0, 0);
    expect("-0.000e99999999999", 0, 0);
    expect("1", 1, 0);
    expect("100", 1, 2);
    expect("+0.00120", 12, -4);
    expect("1e-3", 1, -3);
    expect("12.50E+2", 125, 1);
    expect(".5", 5, -1);
    expect("5.", 5, 0);
    expect("123456789012345678", INT64_C(123456789012345678), 0);
    expect("1234567890.12345678", INT64_C(123456789012345678), -8);
    expect("1000000000000000000000000", 1, 24);
    expect("00000000000000000000000000010000000000000000000000000.000000000000000000000000", 1, 25);
    expect("1.000000000000000010", INT64_C(100000000000000001), -17);
    assert_int_equal(scalay_decimal_from_text("1234567890123456789", &decimal), SCALAY_NUMBER_TOO_LARGE);
    assert_int_equal(scalay_decimal_from_text("1.000000000000000001", &decimal), SCALAY_NUMBER_TOO_LARGE);
    assert_int_equal(scalay_decimal_from_text("1e-99999999999", &decimal), SCALAY_NUMBER_TOO_LARGE);
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    char text[SCALAY_DECIMAL_SIZE];
    scalay_random random = scalay_random_seed(7);
    for (int k = 0; k < 20000; k++) {
        int64_t limit = 10;
        for (int64_t zeros = scalay_random_below(&random, 18); zeros > 0; zeros--) limit *= 10;
        scalay_decimal from =
            scalay_decimal_normalise(scalay_random_below(&random, limit), (int)scalay_random_below(&random, 60) - 40);
        int length = scalay_decimal_print(from, text);
        assert_int_equal(length, strlen(text));
        expect(text, from.digits, from.exponent);
    }
    (void)scalay_decimal_print((scalay_decimal){123, -5}, text);
    assert_string_equal(text, "0.00123");
    (void)scalay_decimal_print((scalay_decimal){12, 3}, text);
    assert_string_equal(text, "12000");
    (void)scalay_decimal_print((scalay_decimal){1, -9}, text);
    assert_string_equal(text, "1e-9");
}

static void multiples_are_exact_or_refused(void **state)
{
    (void)state;
    int64_t multiple = 77;
    assert_true(scalay_decimal_scale((scalay_decimal){125, -2}, 4, 12500, &multiple));
    assert_int_equal(multiple, 12500);
    assert_false(scalay_decimal_scale((scalay_decimal){125, -2}, 4, 12499, &multiple));
    assert_false(scalay_decimal_scale((scalay_decimal){125, -2}, 1, INT64_MAX, &multiple));
    assert_false(scalay_decimal_scale((scalay_decimal){1, 300}, 0, INT64_MAX, &multiple));
    assert_true(scalay_decimal_scale((scalay_decimal){0, 0}, 18, 0, &multiple));
    assert_int_equal(multiple, 0);
    assert_int_equal(scalay_decimal_places((scalay_decimal){125, -2}), 2);
    assert_int_equal(scalay_decimal_places((scalay_decimal){125, 2}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_reads_back_and_none_is_shorter),
        cmocka_unit_test(texts_are_read_exactly),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(multiples_are_exact_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
