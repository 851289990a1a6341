/*
 * Patterns in JSON: the layout has the owners of the pattern that the table makes, what is wrong is named with its
 * line, and nothing hostile costs memory.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "scalay/layout.h"
#include "scalay/pattern.h"

static char path[] = "/tmp/scalay_pattern_XXXXXX";
static char text[sizeof path + 64];

/* Sets `text` to a layout text with keys before the name. */
static const char *with_keys(const char *keys)
{
    (void)snprintf(text, sizeof text, "pattern:%s%s", keys, path);
    return text;
}

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    if (file < 0) return 1;
    return close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_bytes(const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *content)
{
    write_bytes(content, strlen(content));
}

static scalay_layout *parsed(const char *words)
{
    scalay_layout *layout = NULL;
    if (scalay_layout_parse(words, &layout) != SCALAY_SUCCESS) fail_msg("%s: %s", words, scalay_error_message());
    return layout;
}

/* -------------------------------------------------------------------------------------------------- what is right */

static void write_rows(FILE *file, const char *key, const int *value, int rows, int cols)
{
    if (value == NULL) return;
    fprintf(file, ",\n \"%s\" : [", key);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            fprintf(file, "%s%d%s",
                    j > 0   ? ", "
                    : i > 0 ? ",\n  ["
                            : "[",
                    value[i * cols + j], j + 1 < cols ? "" : "]");
    fprintf(file, "]");
}

/* Writes a table with keys of other meanings round it. */
static void write_table(const scalay_pattern_table *t)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file,
            "\n {\"version\":1, \"method\": \"a \\\"\\u00e9\\\\\", \"x\": [[], {}, {\"y\": [-0.5e+3, true, null]}]");
    write_rows(file, "diagonal", t->diagonal, t->rows, t->copies);
    write_rows(file, "copies", t->permutation, t->copies, t->parts);
    write_rows(file, "owners", t->owner, t->rows, t->cols);
    fprintf(file, ",\r\n\"cols\":%d,\t\"rows\":%d,\"row_offset\":%d,\"col_offset\":%d, \"processes\":%d}\n\n", t->cols,
            t->rows, t->row_offset, t->col_offset, t->parts);
    assert_int_equal(fclose(file), 0);
}

/* Writes one period of a pattern as text, for a matrix of 101 x 87 elements and tiles of 3 x 4. */
static void write_period(const scalay_pattern *pattern, int rows, int cols, int parts)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "101 87 3 4 %d %d %d\n", parts, rows, cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            fprintf(file, "%d%c", scalay_pattern_owner(pattern, i, j), j + 1 < cols ? ' ' : '\n');
    assert_int_equal(fclose(file), 0);
}

static void compare_owners(const scalay_pattern *pattern, scalay_layout *layout)
{
    assert_int_equal(scalay_layout_rows(layout), 101);
    assert_int_equal(scalay_layout_cols(layout), 87);
    for (int64_t i = 0; i < 101; i++)
        for (int64_t j = 0; j < 87; j++)
            if (scalay_layout_owner(layout, i, j) != scalay_pattern_owner(pattern, i / 3, j / 4))
                fail_msg("element (%d, %d) is on %d, not %d", (int)i, (int)j, scalay_layout_owner(layout, i, j),
                         scalay_pattern_owner(pattern, i / 3, j / 4));
    scalay_layout_destroy(&layout);
}

static void compare_with_the_table(scalay_pattern *pattern)
{
    scalay_pattern_table t;
    assert_int_equal(scalay_pattern_get_table(pattern, &t), SCALAY_SUCCESS);
    write_table(&t);
    compare_owners(pattern, parsed(with_keys("n=87,m=101,mb=3,nb=4,")));
    write_period(pattern, t.rows * t.copies, t.cols * t.copies, t.parts);
    compare_owners(pattern, parsed(with_keys("")));
    scalay_pattern_destroy(&pattern);
    assert_int_equal(scalay_memory_live(), 0);
}

static void owners_are_those_of_the_pattern(void **state)
{
    (void)state;
    const double speed[] = {1, 0.5, 0.5, 3};
    const int owner[] = {0, 1, 2, 2, 0, 1}, swapped[] = {0, 1, 2, 2, 1, 0, 1, 0, 2};
    const int symmetric[] = {-1, 0, 1, 0, -1, 2, 1, 2, -1}, diagonal[] = {0, 1, 0, 2, 1, 2};
    const scalay_pattern_table tables[] = {
        {.parts = 3, .rows = 2, .cols = 3, .owner = owner},
        {.parts = 3, .rows = 3, .cols = 2, .owner = owner, .row_offset = 2, .col_offset = 1},
        {.parts = 3, .rows = 2, .cols = 3, .owner = owner, .row_offset = 1, .copies = 3, .permutation = swapped},
        {.parts = 3, .rows = 3, .cols = 3, .owner = symmetric},
        {.parts = 3, .rows = 3, .cols = 3, .owner = symmetric, .copies = 2, .diagonal = diagonal}};
    scalay_pattern *pattern = NULL;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        assert_int_equal(scalay_pattern_create(&tables[k], &pattern), SCALAY_SUCCESS);
        compare_with_the_table(pattern);
    }
    for (scalay_pattern_kernel kernel = SCALAY_PATTERN_GEMM; kernel <= SCALAY_PATTERN_CHOLESKY; kernel++) {
        assert_int_equal(scalay_pattern_find(kernel, 7, NULL, 0, &pattern), SCALAY_SUCCESS);
        compare_with_the_table(pattern);
        assert_int_equal(scalay_pattern_find(kernel, 4, speed, 0, &pattern), SCALAY_SUCCESS);
        compare_with_the_table(pattern);
    }
}

static void assert_matrix(const char *keys, const char *described)
{
    char shown[256];
    scalay_layout *layout = parsed(with_keys(keys));
    scalay_layout_describe(layout, shown, sizeof shown);
    if (strstr(shown, described) == NULL) fail_msg("%s: \"%s\", not \"%s\"", text, shown, described);
    scalay_layout_destroy(&layout);
}

/* Owners of a column of 200 elements change with the tile. */
static int64_t first_tile(const char *keys, int axis)
{
    int64_t k = 1;
    scalay_layout *layout = parsed(with_keys(keys));
    const int first = scalay_layout_owner(layout, 0, 0);
    while ((axis == 0 ? scalay_layout_owner(layout, k, 0) : scalay_layout_owner(layout, 0, k)) == first) k++;
    scalay_layout_destroy(&layout);
    return k;
}

static void keys_before_the_name_come_before_the_file(void **state)
{
    (void)state;
    write_text("{\"rows\": 2, \"cols\": 2, \"owners\": [[0, 1], [2, 3]]}");
    assert_matrix("m=200,", "200 x 200");
    assert_matrix("n=100,m=200,", "200 x 100");
    assert_int_equal(first_tile("m=200,", 0), 64);
    assert_int_equal(first_tile("mb=5,m=200,", 0), 5);
    assert_int_equal(first_tile("mb=5,m=200,", 1), 5);
    assert_int_equal(first_tile("mb=5,m=200,nb=3,", 1), 3);
    write_text("{\"rows\": 2, \"cols\": 2, \"owners\": [[0, 1], [2, 3]], \"m\": 30, \"n\": 40, \"mb\": 7, \"nb\": 8}");
    assert_matrix("", "30 x 40");
    assert_matrix("n=50,", "30 x 50");
    assert_int_equal(first_tile("", 0), 7);
    assert_int_equal(first_tile("", 1), 8);
    assert_int_equal(first_tile("nb=9,", 1), 9);
    write_text("30 40 7 8 4 2 2\n0 1\n2 3\n");
    assert_matrix("n=50,", "30 x 50");
    assert_int_equal(first_tile("mb=9,", 0), 9);
    assert_int_equal(scalay_memory_live(), 0);
}

/* -------------------------------------------------------------------------------------------------- what is wrong */

static void refuse(const char *words, scalay_status expected, const char *named)
{
    scalay_layout *layout = (scalay_layout *)&layout;
    scalay_status status = scalay_layout_parse(words, &layout);
    if (status != expected)
        fail_msg("\"%s\" gives %s, not %s: %s", words, scalay_status_name(status), scalay_status_name(expected),
                 status == SCALAY_SUCCESS ? "" : scalay_error_message());
    assert_null(layout);
    if (strstr(scalay_error_message(), named) == NULL) fail_msg("no \"%s\" in: %s", named, scalay_error_message());
    if (strncmp(scalay_error_message(), "scalay_layout_parse: ", 21) != 0) fail_msg("%s", scalay_error_message());
    assert_int_equal(scalay_memory_live(), 0);
}

/* Refuses a file, whose keys m and so on are before the name. */
static void refuse_file(const char *content, const char *named)
{
    write_text(content);
    refuse(with_keys("m=4,mb=1,"), SCALAY_ERROR_FORMAT, named);
    assert_non_null(strstr(scalay_error_message(), path));
}

#define TABLE "\"rows\": 2, \"cols\": 2,\n\"owners\": [[0, 1],\n[1, 0]]"

static void wrong_syntax_is_named_with_its_line(void **state)
{
    (void)state;
    char nested[80] = "{\"x\": ";
    refuse_file("{", "line 1: the file ends; the next must be a text in quotes");
    refuse_file("{" TABLE, "line 3: the file ends; the next must be ',' or '}'");
    refuse_file("{" TABLE "} x", "line 3: the next is 'x'; it must be the end of the file");
    refuse_file("{" TABLE "}\n{}", "line 4: the next is '{'; it must be the end");
    refuse_file("{" TABLE ",}", "line 3: the next is '}'; it must be a text");
    refuse_file("{rows: 2}", "the next is 'r'");
    refuse_file("{\"rows\" 2}", "it must be ':'");
    refuse_file("{\"rows\": 2;", "the next is ';'; it must be ',' or '}'");
    refuse_file("{\"rows\": 02}", "no leading zeros");
    refuse_file("{\"x\": -}", "must be a digit");
    refuse_file("{\"x\": 1.}", "must be a digit");
    refuse_file("{\"x\": 1e+}", "must be a digit");
    refuse_file("{\"x\": +1}", "must be a value");
    refuse_file("{\"x\": True}", "must be a value");
    refuse_file("{\"x\": nul}", "the rest of true");
    refuse_file("{\"x\": \"a\nb\"}", "a character or the closing quote");
    refuse_file("{\"x\": \"\\a\"}", "one of");
    refuse_file("{\"x\": \"\\u12g4\"}", "hexadecimal");
    refuse_file("{\"x\": [1, 2}", "must be ',' or ']'");
    refuse_file("{\"x\": [1,]}", "must be a value");
    for (int k = 0; k < 40; k++) strcat(nested, "[");
    refuse_file(nested, "nested more than 32");
    write_bytes("{\"x\": \"a\0b\"}", 13);
    refuse(with_keys(""), SCALAY_ERROR_FORMAT, "closing quote");
}

static void wrong_tables_are_named_with_their_line(void **state)
{
    (void)state;
    refuse_file("{}", "\"rows\" is missing");
    refuse_file("{\"rows\": 2, \"owners\": [[0]]}", "\"cols\" is missing");
    refuse_file("{\"rows\": 2, \"cols\": 2}", "\"owners\" has 0 rows");
    refuse_file("{\"rows\": 0}", "\"rows\" has the value 0; it must be an integer from 1 to 32768");
    refuse_file("{\"rows\": 99999999999999999999999999999999}", "\"rows\" has a value that is out of range");
    refuse_file("{\"rows\": 2.0}", "\"rows\" has a value that is not an integer");
    refuse_file("{\"rows\": \"2\"}", "\"rows\" has a value that is not an integer");
    refuse_file("{\"version\": 2}", "\"version\" has the value 2");
    refuse_file("{" TABLE ", \"cols\": 2}", "line 3: key \"cols\" is given twice");
    refuse_file("{" TABLE ", \"owners\": [[0]]}", "line 3: key \"owners\" is given twice");
    refuse_file("{\"rows\": 2, \"cols\": 2, \"owners\": [[0, 1]]}", "\"owners\" has 1 rows of 2 integers");
    refuse_file("{\"rows\": 2, \"cols\": 2, \"owners\": [[0, 1],\n[1]]}", "line 2: row 1 of \"owners\" has 1 integers");
    refuse_file("{\"rows\": 2, \"cols\": 3, \"owners\": [[0, 1], [1, 0]]}", "must have 2 rows of 3");
    refuse_file("{\"owners\": [[]]}", "must be a value");
    refuse_file("{\"owners\": []}", "a row, such as");
    refuse_file("{\"owners\": 3}", "a list of rows");
    refuse_file("{\"owners\": [[0, -2]]}", "\"owners\" has the value -2");
    refuse_file("{\"owners\": [[16777216]]}", "\"owners\" has the value 16777216");
    refuse_file("{" TABLE ", \"copies\": [[0, 1, 2]]}",
                "\"copies\" has 1 rows of 3 integers; it must have 1 rows of 2");
    refuse_file("{" TABLE ", \"diagonal\": [[0]]}", "\"diagonal\" has 1 rows");
    refuse_file("{\"rows\": 1, \"cols\": 1, \"owners\": [[7]]}", "\"processes\" is 8, and the tables have 1 integers");
}

static void wrong_patterns_and_keys_are_named(void **state)
{
    (void)state;
    write_text("{" TABLE ", \"processes\": 3}");
    refuse(with_keys("m=4,"), SCALAY_ERROR_ARGUMENT, "process 2 owns no tile");
    assert_non_null(strstr(scalay_error_message(), path));
    write_text("{" TABLE ", \"row_offset\": 2}");
    refuse(with_keys("m=4,"), SCALAY_ERROR_ARGUMENT, "row_offset");
    write_text("{" TABLE "}");
    refuse(with_keys(""), SCALAY_ERROR_FORMAT, "no key \"m\"");
    refuse(with_keys("m=4,m=5,"), SCALAY_ERROR_FORMAT, "key m is given twice");
    refuse(with_keys("m=four,"), SCALAY_ERROR_FORMAT, "m is \"four\"");
    refuse(with_keys("m=-4,"), SCALAY_ERROR_ARGUMENT, "m is -4");
    refuse(with_keys("m=4,mb=0,"), SCALAY_ERROR_ARGUMENT, "mb is 0");
    refuse(with_keys("m=99999999999999999999,"), SCALAY_ERROR_RANGE, "m is 99999999999999999999");
    refuse("pattern:m=4,/tmp", SCALAY_ERROR_FILE, "cannot be read");
    refuse("pattern:m=4,k=4,/tmp", SCALAY_ERROR_FILE, "k=4,/tmp: the file cannot be opened");
}

/* ------------------------------------------------------------------------------------------------- what is hostile */

static const char whole[] =
    "{\"version\": 1, \"rows\": 3, \"cols\": 3, \"owners\": [[-1, 0, 1], [0, -1, 2], [1, 2, -1]],"
    " \"diagonal\": [[0, 1], [0, 2], [1, 2]], \"cost\": 2.0, \"m\": 9, \"mb\": 2}";

static void a_promise_costs_no_memory(void **state)
{
    (void)state;
    scalay_memory_reset_peak();
    int64_t before = scalay_memory_peak();
    refuse_file("{\"rows\": 32768, \"cols\": 32768, \"processes\": 16777216, \"owners\": [[0]]}",
                "32768 rows of 32768");
    refuse_file("{\"rows\": 1, \"cols\": 1, \"processes\": 16777216, \"owners\": [[0]]}", "\"processes\" is 16777216");
    refuse_file("4 4 1 1 16777216 1 2\n0 1\n", "line 1: P is 16777216, r * c is 2");
    assert_true(scalay_memory_peak() - before < 1000);
}

static void a_part_of_a_file_is_refused(void **state)
{
    (void)state;
    for (size_t length = 1; length < sizeof whole - 1; length++) {
        write_bytes(whole, length);
        refuse(with_keys(""), SCALAY_ERROR_FORMAT, "line 1");
    }
    write_text(whole);
    assert_matrix("", "9 x 9");
}

static void random_changes_are_survived(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789 \n-,:.[]{}\"\\eun";
    scalay_random random = scalay_random_seed(47);
    print_message("seed 47\n");
    for (int k = 0; k < 2000; k++) {
        char bytes[sizeof whole];
        memcpy(bytes, whole, sizeof whole);
        for (int64_t changes = 1 + scalay_random_below(&random, 4); changes > 0; changes--)
            bytes[scalay_random_below(&random, sizeof whole - 1)] =
                scalay_random_below(&random, 4) == 0 ? (char)scalay_random_below(&random, 256)
                                                     : alphabet[scalay_random_below(&random, sizeof alphabet - 1)];
        scalay_layout *layout = NULL;
        write_bytes(bytes, sizeof whole - 1);
        const scalay_status status = scalay_layout_parse(with_keys(""), &layout);
        assert_true((status == SCALAY_SUCCESS) == (layout != NULL));
        scalay_layout_destroy(&layout);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    write_text(whole);
    while (status != SCALAY_SUCCESS) {
        scalay_layout *layout = NULL;
        scalay_memory_fail_at(++n);
        status = scalay_layout_parse(with_keys(""), &layout);
        assert_true(status == SCALAY_SUCCESS || (status == SCALAY_ERROR_MEMORY && layout == NULL));
        scalay_layout_destroy(&layout);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_true(n > 5);
    scalay_memory_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_are_those_of_the_pattern),
        cmocka_unit_test(keys_before_the_name_come_before_the_file),
        cmocka_unit_test(wrong_syntax_is_named_with_its_line),
        cmocka_unit_test(wrong_tables_are_named_with_their_line),
        cmocka_unit_test(wrong_patterns_and_keys_are_named),
        cmocka_unit_test(a_promise_costs_no_memory),
        cmocka_unit_test(a_part_of_a_file_is_refused),
        cmocka_unit_test(random_changes_are_survived),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
