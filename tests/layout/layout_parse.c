/* Layouts from text: what is right is read, what is wrong is named, and nothing hostile costs memory. */
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
#include "layout/layout.h"
#include "scalay/layout.h"

static char path[] = "/tmp/scalay_tiles_XXXXXX";
static char text[sizeof path + 8];

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    if (file < 0) return 1;
    (void)close(file);
    (void)snprintf(text, sizeof text, "tiles:%s", path);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static scalay_layout *parsed(const char *words)
{
    scalay_layout *layout = NULL;
    if (scalay_layout_parse(words, &layout) != SCALAY_SUCCESS) fail_msg("%s: %s", words, scalay_error_message());
    return layout;
}

static void assert_same_drawing(scalay_layout *a, scalay_layout *b)
{
    char text_a[256], text_b[256];
    scalay_layout_describe(a, text_a, sizeof text_a);
    scalay_layout_describe(b, text_b, sizeof text_b);
    assert_string_equal(text_a, text_b);
    assert_int_equal(scalay_layout_same_owners(a, b), 1);
    scalay_layout_destroy(&a);
    scalay_layout_destroy(&b);
}

static void keys_make_what_the_functions_make(void **state)
{
    (void)state;
    scalay_layout *whole = NULL, *expected = NULL;
    scalay_layout_block_cyclic(100, 80, 7, 6, 2, 3, 0, 0, SCALAY_ROW_MAJOR, &expected);
    assert_same_drawing(parsed("cyclic:m=100,n=80,mb=7,nb=6,p=2,q=3"), expected);
    scalay_layout_block_cyclic(100, 80, 7, 6, 2, 3, 1, 2, SCALAY_COLUMN_MAJOR, &whole);
    scalay_layout_submatrix(whole, 9, 30, 91, 50, &expected);
    scalay_layout_destroy(&whole);
    assert_same_drawing(parsed("cyclic:order=col,ja=31,m=91,n=50,csrc=2,mb=7,rsrc=1,nb=6,q=3,p=2,ia=10"), expected);
    scalay_layout_skewed(40, 30, 4, 3, 2, 2, 1, &expected);
    assert_same_drawing(parsed("skewed:m=40,n=30,mb=4,nb=3,p=2,q=2"), expected);
    scalay_layout_skewed(40, 30, 4, 3, 2, 2, 77, &expected);
    assert_same_drawing(parsed("skewed:m=40,n=30,mb=4,nb=3,p=2,q=2,seed=77"), expected);
    scalay_layout_chunks(40, 30, 4, 3, 5, 9, &expected);
    assert_same_drawing(parsed("chunks:m=40,n=30,mb=4,nb=3,p=5,seed=9"), expected);
    assert_int_equal(scalay_memory_live(), 0);
}

static void refuse(const char *words, scalay_status expected, const char *named)
{
    scalay_layout *layout = (scalay_layout *)&layout;
    scalay_status status = scalay_layout_parse(words, &layout);
    if (status != expected)
        fail_msg("\"%s\" gives %s, not %s: %s", words, scalay_status_name(status), scalay_status_name(expected),
                 status == SCALAY_SUCCESS ? "" : scalay_error_message());
    assert_null(layout);
    if (strstr(scalay_error_message(), named) == NULL) fail_msg("no \"%s\" in: %s", named, scalay_error_message());
    if (strncmp(scalay_error_message(), "scalay_layout_", 14) != 0) fail_msg("%s", scalay_error_message());
}

static void wrong_words_are_named(void **state)
{
    (void)state;
    const scalay_status format = SCALAY_ERROR_FORMAT, range = SCALAY_ERROR_RANGE, argument = SCALAY_ERROR_ARGUMENT;
    refuse("", format, "is not a layout");
    refuse("cyclic", format, "\"cyclic\" is not a layout");
    refuse("Cyclic:m=1", format, "is not a layout");
    refuse("\x01\xff:x", format, "\"??:x\"");
    refuse("cyclic:", format, "key=value");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2", format, "key q is missing");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,", format, "key=value");
    refuse("cyclic:m=4,,n=4,mb=1,nb=1,p=2,q=2", format, "key=value");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,seed=3", format, "\"seed\"");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,Q=3", format, "\"Q\"");
    refuse("cyclic:m=4,n=4,m=5,mb=1,nb=1,p=2,q=2", format, "key m is given twice");
    refuse("cyclic:m=four,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"four\"");
    refuse("cyclic:m=,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"\"");
    refuse("cyclic:m=-,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"-\"");
    refuse("cyclic:m=4x,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"4x\"");
    refuse("cyclic:m=4 ,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"4 \"");
    refuse("cyclic:m=+4,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"+4\"");
    refuse("cyclic:m=1e3,n=4,mb=1,nb=1,p=2,q=2", format, "m is \"1e3\"");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,order=diagonal", format, "order is \"diagonal\"");
    refuse("cyclic:m=9223372036854775808,n=1,mb=1,nb=1,p=2,q=2", range, "m is 9223372036854775808");
    refuse("cyclic:m=99999999999999999999999999999999999,n=1,mb=1,nb=1,p=2,q=2", range, "m is 9999");
    refuse("cyclic:m=9223372036854775807,n=2,mb=1,nb=1,p=2,q=2", range, "2^63");
    refuse("cyclic:m=9223372036854775807,n=1,mb=1,nb=1,p=2,q=2,ia=2", range, "ia is 2");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2147483648,q=1", range, "p is 2147483648");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=65536,q=65536", range, "grid");
    refuse("cyclic:m=-4,n=4,mb=1,nb=1,p=2,q=2", argument, "m is -4");
    refuse("cyclic:m=4,n=4,mb=0,nb=1,p=2,q=2", argument, "mb is 0");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,rsrc=2", argument, "rsrc is 2");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,ia=0", argument, "ia is 0");
    refuse("cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2,ja=-1", argument, "ja is -1");
    refuse("skewed:m=4,n=4,mb=1,nb=1,p=2,q=2,rsrc=1", format, "\"rsrc\"");
    refuse("skewed:m=4,n=4,mb=1,nb=1,p=2,q=0", argument, "q is 0");
    refuse("skewed:m=4,n=4,mb=1,nb=1,p=2,q=2,seed=-1", argument, "seed is -1");
    refuse("chunks:m=4,n=4,mb=1,nb=1", format, "key p is missing");
    refuse("chunks:m=4,n=4,mb=1,nb=1,p=2000000000", range, "2000000000");
    refuse("skewed:m=4,n=4,mb=1,nb=1,p=65536,q=65536", range, "4294967296");
    refuse("tiles:", SCALAY_ERROR_FILE, "cannot be opened");
    refuse("tiles:/nonexistent/map", SCALAY_ERROR_FILE, "/nonexistent/map");
    refuse("tiles:/tmp", SCALAY_ERROR_FILE, "cannot be read");
    assert_int_equal(scalay_layout_parse(NULL, &(scalay_layout *){NULL}), argument);
    assert_int_equal(scalay_layout_parse("cyclic:", NULL), argument);
    assert_int_equal(scalay_memory_live(), 0);
}

/* ------------------------------------------------------------------------------------------------ files */

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

static void files_give_the_owner_of_every_tile(void **state)
{
    (void)state;
    const int owner[] = {0, 1, 2, 2, 1, 0};
    const char *const same[] = {"5 8 3 3 4\n0 1 2\n2 1 0\n", "5 8 3 3 4\r\n0 1 2\r\n2 1 0\r\n",
                                "5 8 3 3 4\n0\n1 2 2\t1   0", "  5 8 3 3 4  \n\n\n0 1 2 2 1 0\n\n"};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        scalay_layout *expected = NULL;
        write_text(same[k]);
        assert_int_equal(scalay_layout_tiles(5, 8, 3, 3, 4, owner, &expected), SCALAY_SUCCESS);
        assert_same_drawing(parsed(text), expected);
    }
    write_text("0 8 3 3 4\n");
    scalay_layout *empty = parsed(text);
    assert_int_equal(scalay_layout_parts(empty), 4);
    assert_int_equal(scalay_layout_rows(empty), 0);
    scalay_layout_destroy(&empty);
}

static void refuse_file(const char *content, scalay_status expected, const char *named)
{
    write_text(content);
    refuse(text, expected, named);
    assert_non_null(strstr(scalay_error_message(), path));
}

static void wrong_files_are_named_with_their_line(void **state)
{
    (void)state;
    const scalay_status format = SCALAY_ERROR_FORMAT;
    refuse_file("", format, "line 1: m is missing");
    refuse_file("4 4 2\n", format, "line 1: nb is missing");
    refuse_file("4 4 2\n2 2\n0 0 0 0\n", format, "line 1: nb is missing");
    refuse_file("\n4 4 2 2 2\n0 0 0 0\n", format, "line 1: m is missing");
    refuse_file("4 4 2 2 2 0\n0 0 0\n", format, "line 1: the line must be");
    refuse_file("4 4 2 2 2\n0 1\n0\n", format, "has 3 of the 4");
    refuse_file("4 4 2 2 2\n0 1\n0 1\n1\n", format, "line 4: the file has more owners than the 4");
    refuse_file("4 4 2 2 2\n0 1\n0 2\n", format, "line 3: owner is 2; it must be in [0, 1]");
    refuse_file("4 4 2 2 2\n0 1\n0 -1\n", format, "line 3: owner is -1");
    refuse_file("4 4 2 2 2\n0 1\n0 x\n", format, "line 3: owner is \"x\"");
    refuse_file("4 4 2 2 2\n0 1\n0 1.0\n", format, "\"1.0\"");
    refuse_file("-4 4 2 2 2\n", format, "m is -4; it must");
    refuse_file("4 4 0 2 2\n", format, "mb is 0; it must");
    refuse_file("4 4 2 2 0\n", format, "P is 0; it must");
    refuse_file("4 4 2 2 2147483647\n0 0 0 0\n", format, "P is 2147483647; it must");
    refuse_file("99999999999999999999 4 2 2 2\n", format, "m is 99999999999999999999; it must");
    refuse_file("9999999999999999999999999999999999999999 4 2 2 2\n", format, "must be a whole number");
    refuse_file("4294967296 4294967296 2 2 2\n", SCALAY_ERROR_RANGE, "2^63");
    write_bytes("\x93NUMPY\x00\x01\xff\xfe\x00\x00", 12);
    refuse(text, format, "line 1: m is \"?NUMPY");
    write_bytes("4 4 2 2 2\n0 1\0 0 1\n", 20);
    refuse(text, format, "line 2: owner is \"1?\"");
}

static void a_word_without_end_is_not_read_to_its_end(void **state)
{
    (void)state;
    refuse("pattern:/nonexistent/pattern", SCALAY_ERROR_FILE, "/nonexistent/pattern");
    refuse("tiles:/dev/zero", SCALAY_ERROR_FORMAT, "/dev/zero, line 1: m is \"????");
}

static void a_promise_costs_no_memory(void **state)
{
    (void)state;
    scalay_memory_reset_peak();
    int64_t before = scalay_memory_peak();
    refuse_file("3000000000 3000000000 1 1 4\n0 1 2 3\n", SCALAY_ERROR_FORMAT,
                "the file has 4 of the 9000000000000000000");
    assert_true(scalay_memory_peak() - before < 1000);
}

/* Whatever the bytes are: a layout or a message, never a crash or a leak. */
static void random_bytes_are_survived(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789 \n\r\t-,=.:mnbpqx";
    scalay_random random = scalay_random_seed(31);
    print_message("seed 31\n");
    for (int k = 0; k < 600; k++) {
        char bytes[64] = "4 4 2 2 2\n0 1 1 0";
        int64_t length = 17;
        for (int64_t changes = 1 + scalay_random_below(&random, 4); changes > 0; changes--)
            bytes[scalay_random_below(&random, length)] =
                scalay_random_below(&random, 4) == 0 ? (char)scalay_random_below(&random, 256)
                                                     : alphabet[scalay_random_below(&random, sizeof alphabet - 1)];
        scalay_layout *layout = NULL;
        write_bytes(bytes, (size_t)(length - scalay_random_below(&random, 3)));
        scalay_status status = scalay_layout_parse(text, &layout);
        assert_true((status == SCALAY_SUCCESS) == (layout != NULL));
        scalay_layout_destroy(&layout);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    write_text("5 8 3 3 4\n0 1 2\n2 1 0\n");
    const char *const texts[] = {text, "cyclic:m=9,n=9,mb=2,nb=2,p=2,q=2,ia=3", "skewed:m=9,n=9,mb=2,nb=2,p=2,q=2",
                                 "chunks:m=9,n=9,mb=2,nb=2,p=3"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        scalay_status status = SCALAY_ERROR_MEMORY;
        int64_t n = 0;
        while (status != SCALAY_SUCCESS) {
            scalay_layout *layout = NULL;
            scalay_memory_fail_at(++n);
            status = scalay_layout_parse(texts[k], &layout);
            assert_true(status == SCALAY_SUCCESS || (status == SCALAY_ERROR_MEMORY && layout == NULL));
            scalay_layout_destroy(&layout);
            assert_int_equal(scalay_memory_live(), 0);
        }
        assert_true(n > 1);
    }
    scalay_memory_fail_at(0);
}

/* ---------------------------------------------------------------------------------------------- drawing */

static void a_drawing_shows_one_owner_per_cell(void **state)
{
    (void)state;
    char drawing[256], little[6];
    scalay_layout *layout = parsed("cyclic:m=7,n=9,mb=2,nb=3,p=2,q=2,rsrc=1");
    assert_int_equal(scalay_layout_draw(layout, 100, drawing, sizeof drawing), (int)strlen("2 3 2\n") * 4);
    assert_string_equal(drawing, "2 3 2\n0 1 0\n2 3 2\n0 1 0\n");
    assert_int_equal(scalay_layout_draw(layout, 100, little, sizeof little), 24);
    assert_string_equal(little, "2 3 2");
    assert_int_equal(scalay_layout_draw(layout, 100, NULL, 0), 24);
    assert_int_equal(scalay_layout_draw(layout, 1, drawing, sizeof drawing), 2);
    scalay_layout_destroy(&layout);

    layout = parsed("cyclic:m=5,n=4,mb=2,nb=3,p=2,q=2,ia=2,ja=3");
    scalay_layout_draw(layout, 100, drawing, sizeof drawing);
    assert_string_equal(drawing, "0 1\n2 3\n0 1\n");
    scalay_layout_destroy(&layout);

    layout = parsed("cyclic:m=12,n=1,mb=1,nb=1,p=11,q=1");
    scalay_layout_draw(layout, 100, drawing, sizeof drawing);
    assert_string_equal(drawing, " 0\n 1\n 2\n 3\n 4\n 5\n 6\n 7\n 8\n 9\n10\n 0\n");
    scalay_layout_draw(layout, 3, drawing, sizeof drawing);
    assert_string_equal(drawing, " 2\n 6\n10\n");
    scalay_layout_destroy(&layout);

    layout = parsed("cyclic:m=0,n=4,mb=2,nb=3,p=2,q=2");
    assert_int_equal(scalay_layout_draw(layout, 100, drawing, sizeof drawing), 0);
    assert_string_equal(drawing, "");
    assert_int_equal(scalay_layout_draw(NULL, 100, drawing, sizeof drawing), 0);
    scalay_layout_destroy(&layout);

    layout = parsed("cyclic:m=3000000000,n=3000000000,mb=1,nb=1,p=200,q=300");
    assert_int_equal(scalay_layout_draw(layout, 4, drawing, sizeof drawing), 4 * 4 * 6);
    scalay_layout_destroy(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_make_what_the_functions_make),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(files_give_the_owner_of_every_tile),
        cmocka_unit_test(wrong_files_are_named_with_their_line),
        cmocka_unit_test(a_word_without_end_is_not_read_to_its_end),
        cmocka_unit_test(a_promise_costs_no_memory),
        cmocka_unit_test(random_bytes_are_survived),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
        cmocka_unit_test(a_drawing_shows_one_owner_per_cell),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
