/* Statuses, memory, integers, types, random numbers and text, each against what can be counted by hand. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/text.h"
#include "scalay/types.h"

static void every_status_has_a_name_and_a_text(void **state)
{
    (void)state;
    assert_string_equal(scalay_status_name(SCALAY_SUCCESS), "SCALAY_SUCCESS");
    assert_string_equal(scalay_status_name(SCALAY_ERROR_RANGE), "SCALAY_ERROR_RANGE");
    for (int k = 0; k <= SCALAY_ERROR_INTERNAL; k++) {
        assert_string_not_equal(scalay_status_name((scalay_status)k), "unknown status");
        assert_string_not_equal(scalay_status_text((scalay_status)k), "unknown status");
    }
    assert_string_equal(scalay_status_name((scalay_status)(SCALAY_ERROR_INTERNAL + 1)), "unknown status");
    assert_string_equal(scalay_status_text((scalay_status)-1), "unknown status");
}

static void messages_name_the_function_and_may_quote_the_last_message(void **state)
{
    (void)state;
    assert_int_equal(scalay_fail(SCALAY_ERROR_FILE, "scalay_open", "%s = %d", "k", 7), SCALAY_ERROR_FILE);
    assert_string_equal(scalay_error_message(), "scalay_open: k = 7");
    scalay_fail(SCALAY_ERROR_FILE, "scalay_outer", "because of [%s]", scalay_error_message());
    assert_string_equal(scalay_error_message(), "scalay_outer: because of [scalay_open: k = 7]");
}

static scalay_status helper(void)
{
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "k = %d", 7);
}

static void messages_do_not_name_helpers(void **state)
{
    (void)state;
    assert_int_equal(helper(), SCALAY_ERROR_FILE);
    assert_string_equal(scalay_error_message(), "k = 7");
}

static void long_messages_are_cut(void **state)
{
    (void)state;
    char text[2 * SCALAY_MESSAGE_SIZE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    scalay_fail(SCALAY_ERROR_FILE, "f", "%s", text);
    assert_int_equal(strlen(scalay_error_message()), SCALAY_MESSAGE_SIZE - 1);
    scalay_set_message("");
    assert_string_equal(scalay_error_message(), "");
}

static void memory_is_zeroed_aligned_and_counted(void **state)
{
    (void)state;
    int64_t arrays = scalay_memory_live(), bytes = scalay_memory_bytes();
    double *a = NULL;
    assert_int_equal(SCALAY_NEW(a, 1000), SCALAY_SUCCESS);
    for (int k = 0; k < 1000; k++) assert_true(a[k] == 0.0);
    assert_int_equal((uintptr_t)a % _Alignof(max_align_t), 0);
    assert_int_equal(scalay_memory_live(), arrays + 1);
    assert_in_range(scalay_memory_bytes() - bytes, 8000, 8000 + 64);
    scalay_release(a);
    assert_int_equal(scalay_memory_live(), arrays);
    assert_int_equal(scalay_memory_bytes(), bytes);
    scalay_release(NULL);
    void *empty = scalay_allocate(0, 8);
    assert_non_null(empty);
    scalay_release(empty);
}

/* Sizes around those from which pages come in batches and huge pages are asked for. */
static void large_arrays_are_zeroed_or_keep_what_is_written(void **state)
{
    const int64_t sizes[] = {65535, 65536, 100001, (2 << 20) - 17, 2 << 20, (5 << 20) + 3};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned char *zeroed = scalay_allocate(sizes[k], 1), *unset = scalay_allocate_unset(sizes[k], 1);
        int64_t wrong = 0;
        for (int64_t i = 0; i < sizes[k]; i++) wrong += zeroed[i] != 0;
        for (int64_t i = 0; i < sizes[k]; i++) unset[i] = (unsigned char)(i % 251);
        scalay_memory_populate(unset, sizes[k]);
        scalay_memory_populate(unset + 1, 0);
        for (int64_t i = 0; i < sizes[k]; i++) wrong += unset[i] != i % 251;
        assert_int_equal(wrong, 0);
        scalay_release(unset);
        scalay_release(zeroed);
    }
}

static void the_first_access_to_a_page_takes_time(void **state)
{
    (void)state;
    const double seconds = scalay_memory_page_seconds();
    assert_true(seconds > 0.0 && seconds < 1.0);
    assert_true(scalay_memory_page_seconds() == seconds);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    assert_null(scalay_allocate(INT64_MAX, 8));
    assert_null(scalay_allocate(INT64_MAX / 8, 8));
    assert_null(scalay_allocate(-1, 8));
    assert_null(scalay_allocate(1, 0));
    double *a = NULL;
    assert_int_equal(SCALAY_NEW(a, INT64_MAX), SCALAY_ERROR_MEMORY);
    assert_non_null(strstr(scalay_error_message(), "9223372036854775807 elements of 8 bytes"));
}

static void growing_keeps_the_elements(void **state)
{
    (void)state;
    int *a = NULL;
    int64_t capacity = 0;
    for (int k = 0; k < 1000; k++) {
        assert_int_equal(SCALAY_GROW(a, capacity, k + 1), SCALAY_SUCCESS);
        a[k] = k;
    }
    for (int k = 0; k < 1000; k++) assert_int_equal(a[k], k);
    assert_in_range(capacity, 1000, 2000);
    scalay_memory_fail_at(1);
    assert_int_equal(SCALAY_GROW(a, capacity, capacity + 1), SCALAY_ERROR_MEMORY);
    scalay_memory_fail_at(0);
    assert_int_equal(a[999], 999);
    scalay_release(a);
}

static void the_chosen_allocation_fails_once(void **state)
{
    (void)state;
    scalay_memory_fail_at(2);
    void *first = scalay_allocate(1, 1), *second = scalay_allocate(1, 1), *third = scalay_allocate(1, 1);
    assert_int_equal(scalay_memory_requests(), 3);
    scalay_memory_fail_at(0);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    scalay_release(first);
    scalay_release(third);
    assert_int_equal(scalay_memory_live(), 0);
}

static void the_peak_is_the_most_there_was(void **state)
{
    (void)state;
    scalay_memory_reset_peak();
    int64_t before = scalay_memory_bytes();
    scalay_release(scalay_allocate(100000, 1));
    scalay_release(scalay_allocate(10, 1));
    assert_in_range(scalay_memory_peak() - before, 100000, 100064);
    assert_int_equal(scalay_memory_bytes(), before);
}

static void integer_overflow_is_noticed(void **state)
{
    (void)state;
    int64_t value = 5;
    assert_false(scalay_add_int64(INT64_MAX, 1, &value));
    assert_false(scalay_add_int64(INT64_MIN, -1, &value));
    assert_false(scalay_multiply_int64(INT64_MAX, 2, &value));
    assert_false(scalay_multiply_int64((int64_t)1 << 32, (int64_t)1 << 31, &value));
    assert_int_equal(value, 5);
    assert_true(scalay_add_int64(INT64_MAX, -1, &value));
    assert_true(value == INT64_MAX - 1);
    assert_true(scalay_multiply_int64(-3, 4, &value));
    assert_int_equal(value, -12);
    int narrow = 0;
    assert_int_equal(scalay_to_int((int64_t)INT_MAX + 1, "scalay_f", "m", &narrow), SCALAY_ERROR_RANGE);
    assert_non_null(strstr(scalay_error_message(), "scalay_f: m is 2147483648"));
    assert_int_equal(scalay_to_int(INT_MIN, "f", "m", &narrow), SCALAY_SUCCESS);
    assert_int_equal(narrow, INT_MIN);
}

static void division_and_divisors_agree_with_counting(void **state)
{
    (void)state;
    for (int64_t a = 0; a < 60; a++)
        for (int64_t b = 1; b < 60; b++) {
            int64_t k = 0, g = 1;
            while (k * b < a) k++;
            for (int64_t d = 1; d <= (a > b ? a : b); d++)
                if (a % d == 0 && b % d == 0) g = d;
            assert_int_equal(scalay_ceil_div(a, b), k);
            assert_int_equal(scalay_gcd(a, b), g);
        }
    assert_int_equal(scalay_min_int64(-1, 2), -1);
    assert_int_equal(scalay_max_int64(-1, 2), 2);
}

static void element_types_have_scalapacks_letters_and_sizes(void **state)
{
    (void)state;
    const struct {
        scalay_type type;
        const char *name;
        size_t size;
    } expected[] = {{SCALAY_FLOAT, "s", 4},
                    {SCALAY_DOUBLE, "d", 8},
                    {SCALAY_COMPLEX_FLOAT, "c", 8},
                    {SCALAY_INT, "i", 4},
                    {SCALAY_RAW(1), "raw", 1},
                    {SCALAY_COMPLEX_DOUBLE, "z", 16},
                    {0, "unknown", 0},
                    {SCALAY_RAW(0), "unknown", 0},
                    {SCALAY_RAW(65536), "raw", 65536},
                    {-1, "unknown", 0},
                    {6, "unknown", 0},
                    {SCALAY_RAW(65537), "unknown", 0}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        assert_string_equal(scalay_type_name(expected[k].type), expected[k].name);
        assert_int_equal(scalay_type_size(expected[k].type), expected[k].size);
    }
}

static void random_numbers_are_the_published_sequence_and_even(void **state)
{
    (void)state;
    /* The first outputs of splitmix64 for the seed 1234567 (Vigna's reference implementation). */
    scalay_random random = scalay_random_seed(1234567);
    assert_true(scalay_random_bits(&random) == 6457827717110365317u);
    assert_true(scalay_random_bits(&random) == 3203168211198807973u);
    int64_t seen[7] = {0};
    for (int k = 0; k < 70000; k++) seen[scalay_random_below(&random, 7)]++;
    for (int k = 0; k < 7; k++) assert_in_range(seen[k], 9500, 10500); /* five standard deviations */
    for (int k = 0; k < 1000; k++) {
        double x = scalay_random_unit(&random);
        assert_true(x >= 0 && x < 1);
    }
    assert_int_equal(scalay_random_below(&random, 1), 0);
}

static void integers_are_read_strictly(void **state)
{
    (void)state;
    const struct {
        const char *text;
        scalay_number_verdict verdict;
        int64_t value;
    } cases[] = {{"0", SCALAY_NUMBER_VALID, 0},
                 {"-17", SCALAY_NUMBER_VALID, -17},
                 {"9223372036854775807", SCALAY_NUMBER_VALID, INT64_MAX},
                 {"9223372036854775808", SCALAY_NUMBER_TOO_LARGE, 0},
                 {"", SCALAY_NUMBER_INVALID, 0},
                 {"-", SCALAY_NUMBER_INVALID, 0},
                 {"1x", SCALAY_NUMBER_INVALID, 0},
                 {" 1", SCALAY_NUMBER_INVALID, 0},
                 {"1.0", SCALAY_NUMBER_INVALID, 0},
                 {"+1", SCALAY_NUMBER_INVALID, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int64_t value = 0;
        assert_int_equal(scalay_text_to_int64(cases[k].text, strlen(cases[k].text), &value), cases[k].verdict);
        assert_true(value == cases[k].value);
    }
}

static void text_counts_what_does_not_fit(void **state)
{
    (void)state;
    char room[8];
    scalay_text text = {room, sizeof room, 0};
    scalay_text_append(&text, "%s", "12345");
    scalay_text_append(&text, "%s", "67890");
    assert_string_equal(room, "1234567");
    assert_int_equal(text.length, 10);
    scalay_text nowhere = {NULL, 0, 0};
    scalay_text_append(&nowhere, "%d", 123);
    assert_int_equal(nowhere.length, 3);
}

static void fingerprints_tell_order_and_extent(void **state)
{
    (void)state;
    const int one[] = {1, 2, 3}, two[] = {1, 3, 2};
    uint64_t start = scalay_fingerprint_start();
    assert_true(scalay_fingerprint_add_ints(start, one, 3) != scalay_fingerprint_add_ints(start, two, 3));
    assert_true(scalay_fingerprint_add(start, 1) != scalay_fingerprint_add(start, 2));
    assert_true(scalay_fingerprint_add_ints(start, one, 3) == scalay_fingerprint_add_ints(start, one, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_and_a_text),
        cmocka_unit_test(messages_name_the_function_and_may_quote_the_last_message),
        cmocka_unit_test(messages_do_not_name_helpers),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(memory_is_zeroed_aligned_and_counted),
        cmocka_unit_test(large_arrays_are_zeroed_or_keep_what_is_written),
        cmocka_unit_test(the_first_access_to_a_page_takes_time),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(growing_keeps_the_elements),
        cmocka_unit_test(the_chosen_allocation_fails_once),
        cmocka_unit_test(the_peak_is_the_most_there_was),
        cmocka_unit_test(integer_overflow_is_noticed),
        cmocka_unit_test(division_and_divisors_agree_with_counting),
        cmocka_unit_test(element_types_have_scalapacks_letters_and_sizes),
        cmocka_unit_test(random_numbers_are_the_published_sequence_and_even),
        cmocka_unit_test(integers_are_read_strictly),
        cmocka_unit_test(text_counts_what_does_not_fit),
        cmocka_unit_test(fingerprints_tell_order_and_extent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
