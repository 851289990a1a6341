/* Text in and out: integers are read strictly, messages show what can be shown, a text ends where its array does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"

static void expect(const char *text, scalay_number_verdict verdict, int64_t expected)
{
    int64_t value = 77;
    assert_int_equal(scalay_text_to_int64(text, strlen(text), &value), verdict);
    assert_true(value == (verdict == SCALAY_NUMBER_FINE ? expected : 77));
}

static void integers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    expect("0", SCALAY_NUMBER_FINE, 0);
    expect("-0", SCALAY_NUMBER_FINE, 0);
    expect("0012", SCALAY_NUMBER_FINE, 12);
    expect("-345", SCALAY_NUMBER_FINE, -345);
    expect("9223372036854775807", SCALAY_NUMBER_FINE, INT64_MAX);
    expect("-9223372036854775808", SCALAY_NUMBER_FINE, INT64_MIN);
    expect("9223372036854775808", SCALAY_NUMBER_LARGE, 0);
    expect("-9223372036854775809", SCALAY_NUMBER_LARGE, 0);
    expect("99999999999999999999999999999999999999999999", SCALAY_NUMBER_LARGE, 0);
    expect("9999999999999999999999999999999999999999999x", SCALAY_NUMBER_BAD, 0);
    const char *const bad[] = {"", "-", "--1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "one", "1-"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) expect(bad[k], SCALAY_NUMBER_BAD, 0);
    int64_t value = 0;
    assert_int_equal(scalay_text_to_int64("123456", 3, &value), SCALAY_NUMBER_FINE);
    assert_int_equal(value, 123);
}

static void bytes_that_cannot_be_printed_are_question_marks(void **state)
{
    (void)state;
    char shown[6];
    assert_string_equal(scalay_printable("a\n\xff~", 4, shown, sizeof shown), "a??~");
    assert_string_equal(scalay_printable("abcdefgh", 8, shown, sizeof shown), "abcde");
    assert_string_equal(scalay_printable("", 0, shown, sizeof shown), "");
}

static void a_text_is_cut_and_counted_on(void **state)
{
    (void)state;
    char array[8] = "xxxxxxx";
    scalay_text text = {array, 6, 0}, none = {NULL, 0, 0};
    scalay_text_append(&text, "%d-", 12);
    assert_string_equal(array, "12-");
    scalay_text_append(&text, "%s", "abcdef");
    assert_string_equal(array, "12-ab");
    scalay_text_append(&text, "!");
    assert_string_equal(array, "12-ab");
    assert_int_equal(array[6], 'x');
    assert_int_equal(text.length, 10);
    scalay_text_append(&none, "%s", "abcdef");
    assert_int_equal(none.length, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_whole_or_not_at_all),
        cmocka_unit_test(bytes_that_cannot_be_printed_are_question_marks),
        cmocka_unit_test(a_text_is_cut_and_counted_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
