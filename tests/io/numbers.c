/* Numbers as text, numbers between types and byte orders, and pieces of slabs. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "io/convert.h"
#include "io/slab.h"
#include "support/serial.h"

static scalay_number_verdict read_double(const char *text, double *value)
{
    char copy[SCALAY_NUMBER_SIZE];
    snprintf(copy, sizeof copy, "%s", text);
    return scalay_number_double(copy, value);
}

static void numbers_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0.0},           {"-1", -1.0},   {"+2.5", 2.5},     {".5", 0.5},
                {"5.", 5.0},          {"1e3", 1e3},   {"1E+3", 1e3},     {"1.5d-2", 0.015},
                {"-1.5D+02", -150.0}, {"007", 7.0},   {"inf", INFINITY}, {"-Infinity", -INFINITY},
                {"+INF", INFINITY},   {"1e-400", 0.0}};
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        double value = -77.0;
        assert_int_equal(read_double(good[k].text, &value), SCALAY_NUMBER_VALID);
        assert_true(value == good[k].value);
    }
    double value = 0.0;
    assert_int_equal(read_double("NaN", &value), SCALAY_NUMBER_VALID);
    assert_true(isnan(value));
    assert_int_equal(read_double("-nan", &value), SCALAY_NUMBER_VALID);
    assert_true(isnan(value));
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    "1.0x", "x",     "+",      "-",     ".",         "+.",    "e5", "1e",    "1e+",  "1e5.0",  "0x10", "1,5",
        "--1", "1-2",  "1.2.3", "nan(1)", "infin", "infinityy", "1_000", "1f", "1e5d2", "nanx", "% text", "(1,2)"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        double value = 0.0;
        assert_int_equal(read_double(bad[k], &value), SCALAY_NUMBER_INVALID);
    }
    static const char *const no_integers[] = {"", "1.0", "1e3", "+", "0x1", "nan", "1 ", "12a"};
    for (size_t k = 0; k < sizeof no_integers / sizeof no_integers[0]; k++) {
        int value = 0;
        assert_int_equal(scalay_number_int(no_integers[k], &value), SCALAY_NUMBER_INVALID);
    }
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    double d = 0.0;
    float s = 0.0f;
    int i = 0;
    char large[] = "1e39", largest[] = "3.4028234663852886e38";
    assert_int_equal(read_double("1e309", &d), SCALAY_NUMBER_TOO_LARGE);
    assert_int_equal(read_double("-1D400", &d), SCALAY_NUMBER_TOO_LARGE);
    assert_int_equal(scalay_number_float(large, &s), SCALAY_NUMBER_TOO_LARGE);
    assert_int_equal(scalay_number_float(largest, &s), SCALAY_NUMBER_VALID);
    assert_true(s == FLT_MAX);
    assert_int_equal(scalay_number_int("2147483647", &i), SCALAY_NUMBER_VALID);
    assert_int_equal(i, INT_MAX);
    assert_int_equal(scalay_number_int("-2147483648", &i), SCALAY_NUMBER_VALID);
    assert_int_equal(i, INT_MIN);
    assert_int_equal(scalay_number_int("2147483648", &i), SCALAY_NUMBER_TOO_LARGE);
    assert_int_equal(scalay_number_int("-99999999999999999999999", &i), SCALAY_NUMBER_TOO_LARGE);
}

static void the_locale_comes_back(void **state)
{
    (void)state;
    scalay_locale locale = {0};
    locale_t before = uselocale((locale_t)0);
    assert_int_equal(scalay_locale_enter(&locale), SCALAY_SUCCESS);
    assert_true(uselocale((locale_t)0) != before);
    assert_string_equal(localeconv()->decimal_point, ".");
    scalay_locale_leave(&locale);
    scalay_locale_leave(&locale);
    assert_true(uselocale((locale_t)0) == before);
}

/* ---------------------------------------------------------------------------------------------- conversion */

enum { COUNT = 700 }; /* more than two blocks of the conversion */

static void types_convert_where_nothing_is_lost(void **state)
{
    (void)state;
    static const char *const wanted[] = {"sdcz-", "sdcz-", "--cz-", "--cz-", "sdczi"};
    static const char letters[] = "sdczi";
    for (int from = 0; from < 5; from++)
        for (int to = 0; to < 5; to++)
            assert_int_equal(scalay_convertible(from + 1, to + 1), wanted[from][to] == letters[to]);
}

static void converted_numbers_are_the_same_numbers(void **state)
{
    (void)state;
    static float s[COUNT], sc[2 * COUNT];
    static double d[COUNT], zc[2 * COUNT];
    static int i[COUNT];
    for (int k = 0; k < COUNT; k++) {
        i[k] = k * 1000003 - 7;
        s[k] = (float)k + 0.25f;
    }
    assert_int_equal(scalay_convert(s, scalay_element_of(SCALAY_FLOAT), d, SCALAY_DOUBLE, COUNT), COUNT);
    for (int k = 0; k < COUNT; k++) assert_true(d[k] == (double)s[k]);
    assert_int_equal(scalay_convert(i, scalay_element_of(SCALAY_INT), d, SCALAY_DOUBLE, COUNT), COUNT);
    for (int k = 0; k < COUNT; k++) assert_true(d[k] == (double)i[k]);
    assert_int_equal(scalay_convert(d, scalay_element_of(SCALAY_DOUBLE), sc, SCALAY_COMPLEX_FLOAT, COUNT), COUNT);
    for (int k = 0; k < COUNT; k++) assert_true(sc[2 * k] == (float)d[k] && sc[2 * k + 1] == 0.0f);
    assert_int_equal(scalay_convert(sc, scalay_element_of(SCALAY_COMPLEX_FLOAT), zc, SCALAY_COMPLEX_DOUBLE, COUNT),
                     COUNT);
    for (int k = 0; k < 2 * COUNT; k++) assert_true(zc[k] == (double)sc[k]);
    zc[2 * 555 + 1] = -1e300; /* the imaginary part of element 555 */
    assert_int_equal(scalay_convert(zc, scalay_element_of(SCALAY_COMPLEX_DOUBLE), sc, SCALAY_COMPLEX_FLOAT, COUNT),
                     555);
    zc[2 * 555 + 1] = -INFINITY;
    assert_int_equal(scalay_convert(zc, scalay_element_of(SCALAY_COMPLEX_DOUBLE), sc, SCALAY_COMPLEX_FLOAT, COUNT),
                     COUNT);
}

static void bytes_are_turned_around_number_by_number(void **state)
{
    (void)state;
    unsigned char bytes[16], expected[16];
    static const size_t part[] = {4, 8, 4, 8, 4};
    for (scalay_type type = SCALAY_FLOAT; type <= SCALAY_INT; type++) {
        size_t size = scalay_type_size(type), width = part[type - 1];
        for (size_t k = 0; k < 16; k++) {
            bytes[k] = (unsigned char)k;
            expected[k] = (unsigned char)(k / width * width + width - 1 - k % width);
        }
        scalay_swap_bytes(bytes, scalay_element_of(type), (int64_t)(16 / size));
        assert_memory_equal(bytes, expected, 16);
    }
}

static void a_transposed_matrix_has_its_elements_mirrored(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 8, 16};
    static char in[70 * 90 * 16], out[90 * 80 * 16];
    scalay_random random = scalay_random_seed(5);
    for (size_t k = 0; k < sizeof in; k++) in[k] = (char)scalay_random_bits(&random);
    for (int trial = 0; trial < 3; trial++) {
        int64_t rows = 65, cols = 83, ld_in = 90, ld_out = 80;
        size_t size = sizes[trial];
        memset(out, 0, sizeof out);
        scalay_transpose(in, ld_in, out, ld_out, rows, cols, size);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                assert_memory_equal(out + (size_t)(i + j * ld_out) * size, in + (size_t)(i * ld_in + j) * size, size);
    }
}

/* --------------------------------------------------------------------------------------------------- slabs */

/* The slabs of all ranks cover every line once, and the pieces of a slab every element once, in order. */
static void slabs_and_pieces_cover_everything_once(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(8);
    for (int trial = 0; trial < 300; trial++) {
        int64_t m = scalay_random_below(&random, 30), n = scalay_random_below(&random, 30);
        int64_t elements = 1 + scalay_random_below(&random, 40), next_line = 0;
        int size = 1 + (int)scalay_random_below(&random, 16);
        scalay_order order = (scalay_order)(trial % 2);
        for (int rank = 0; rank < size; rank++) {
            scalay_comm comm = {.rank = rank, .size = size};
            scalay_slab slab;
            assert_int_equal(scalay_slab_create(&comm, m, n, order, &slab), SCALAY_SUCCESS);
            assert_int_equal(slab.lines, order == SCALAY_COLUMN_MAJOR ? n : m);
            assert_int_equal(slab.first, next_line);
            assert_int_equal(scalay_layout_elements(slab.layout, rank), slab.count * slab.line);
            next_line += slab.count;
            int64_t offset = 0;
            for (int64_t k = 0; k < scalay_slab_pieces(&slab, slab.count, elements); k++) {
                scalay_file_piece piece = scalay_slab_piece(&slab, elements, k);
                assert_int_equal(scalay_slab_piece_offset(&slab, &piece), offset);
                assert_true(piece.lines >= 1 && piece.count >= 1 && piece.lines * piece.count <= elements);
                assert_true(piece.lines == 1 || piece.count == slab.line);
                offset += piece.lines * piece.count;
            }
            assert_int_equal(offset, slab.count * slab.line);
            scalay_slab_free(&slab);
        }
        assert_int_equal(next_line, order == SCALAY_COLUMN_MAJOR ? n : m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_they_are_written),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(the_locale_comes_back),
        cmocka_unit_test(types_convert_where_nothing_is_lost),
        cmocka_unit_test(converted_numbers_are_the_same_numbers),
        cmocka_unit_test(bytes_are_turned_around_number_by_number),
        cmocka_unit_test(a_transposed_matrix_has_its_elements_mirrored),
        cmocka_unit_test(slabs_and_pieces_cover_everything_once),
    };
    return run_all_tests(tests);
}
