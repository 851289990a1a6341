/* Text in and out: integers are read strictly, messages show what can be shown, a text ends where its array does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void expect(const char *text, scalay_number_verdict verdict, int64_t expected)
{
    int64_t value = 77;
    assert_int_equal(scalay_text_to_int64(text, strlen(text), &value), verdict);
    assert_true(value == (verdict == SCALAY_NUMBER_VALID ? expected : 77));
}

static void integers_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    expect("0", SCALAY_NUMBER_VALID, 0);
    expect("-0", SCALAY_NUMBER_VALID, 0);
    expect("0012", SCALAY_NUMBER_VALID, 12);
    expect("-345", SCALAY_NUMBER_VALID, -345);
    expect("9223372036854775807", SCALAY_NUMBER_VALID, INT64_MAX);
    expect("-9223372036854775808", SCALAY_NUMBER_VALID, INT64_MIN);
    expect("9223372036854775808", SCALAY_NUMBER_TOO_LARGE, 0);
    expect("-9223372036854775809", SCALAY_NUMBER_TOO_LARGE, 0);
    expect("99999999999999999999999999999999999999999999", SCALAY_NUMBER_TOO_LARGE, 0);
    expect("9999999999999999999999999999999999999999999x", SCALAY_NUMBER_INVALID, 0);
    const char *const bad[] = {"", "-", "--1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "one", "1-"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) expect(bad[k], SCALAY_NUMBER_INVALID, 0);
    int64_t value = 0;
    assert_int_equal(scalay_text_to_int64("123456", 3, &value), SCALAY_NUMBER_VALID);
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

/* A number in UTF-8, by the definition: six bits in each byte but the first. */
static int encode(unsigned number, int length, char text[5])
{
    static const unsigned char first[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    for (int at = length - 1; at > 0; at--, number >>= 6) text[at] = (char)(0x80 | (number & 0x3F));
    text[0] = (char)(first[length] | number);
    text[length] = '\0';
    return length;
}

static void characters_are_those_of_utf_8(void **state)
{
    (void)state;
    static const unsigned limits[] = {0, 0x80, 0x800, 0x10000, 0x110000};
    char text[5];
    for (int length = 1; length <= 4; length++)
        for (unsigned number = length == 1; number < limits[4] && number < (1u << (length == 1 ? 7 : 5 * length + 1));
             number++) {
            int surrogate = number >= 0xD800 && number <= 0xDFFF;
            int fine = number >= limits[length - 1] && !surrogate;
            encode(number, length, text);
            if (scalay_text_character(text) != (fine ? length : 0))
                fail_msg("U+%04X in %d bytes is taken for %d", number, length, scalay_text_character(text));
        }
    const char *const bad[] = {
        "", "\x80", "\xff", "\xc3", "\xc3(", "\xe2\x82", "\xe2\x82(", "\xf0\x9f\x98", "\xf4\x90\x80\x80"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_int_equal(scalay_text_character(bad[k]), 0);
}

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    char copy[8];
    assert_string_equal(scalay_text_clean("", copy, sizeof copy), "");
    assert_string_equal(scalay_text_clean("abcdefg", copy, sizeof copy), "abcdefg");
    assert_string_equal(scalay_text_clean("abcdefgh", copy, sizeof copy), "abcd...");
    assert_string_equal(scalay_text_clean("abc\xc3\xa4gh", copy, sizeof copy), "abc\xc3\xa4gh");
    assert_string_equal(scalay_text_clean("abc\xc3\xa4ghi", copy, sizeof copy), "abc...");
    assert_string_equal(scalay_text_clean("\xe4"
                                          "b\xc3",
                                          copy, sizeof copy),
                        "?b?");
    assert_string_equal(scalay_text_clean("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", copy, sizeof copy),
                        "\xe2\x82\xac...");
    assert_string_equal(scalay_text_clean("abcdefgh", copy, 4), "...");
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
        cmocka_unit_test(characters_are_those_of_utf_8),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(a_text_is_cut_and_counted_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
