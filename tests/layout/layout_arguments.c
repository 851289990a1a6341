/* Layouts: arguments that are not valid are named, failed allocations leave nothing, descriptions say what differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "layout/layout.h"

static void expect(scalay_status status, scalay_status expected, scalay_layout *layout, const char *words)
{
    assert_int_equal(status, expected);
    assert_null(layout);
    if (strstr(scalay_error_message(), words) == NULL) fail_msg("no \"%s\" in: %s", words, scalay_error_message());
}

static void bad_extents_are_named(void **state)
{
    (void)state;
    scalay_layout *l = NULL;
    const scalay_status bad = SCALAY_ERROR_ARGUMENT;
    expect(scalay_layout_block_cyclic(-1, 1, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &l), bad, l, "m is -1");
    expect(scalay_layout_block_cyclic(1, -2, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &l), bad, l, "n is -2");
    expect(scalay_layout_block_cyclic(1, 1, 0, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &l), bad, l, "mb is 0");
    expect(scalay_layout_block_cyclic(1, 1, 1, -7, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &l), bad, l, "nb is -7");
    expect(scalay_layout_block_cyclic(1, 1, 1, 1, 0, 1, 0, 0, SCALAY_ROW_MAJOR, &l), bad, l, "nprow is 0");
    expect(scalay_layout_block_cyclic(1, 1, 1, 1, 1, -1, 0, 0, SCALAY_ROW_MAJOR, &l), bad, l, "npcol is -1");
    expect(scalay_layout_block_cyclic(1, 1, 1, 1, 2, 2, 2, 0, SCALAY_ROW_MAJOR, &l), bad, l, "rsrc is 2");
    expect(scalay_layout_block_cyclic(1, 1, 1, 1, 2, 2, 0, -1, SCALAY_ROW_MAJOR, &l), bad, l, "csrc is -1");
    expect(scalay_layout_block_cyclic(1, 1, 1, 1, 2, 2, 0, 0, (scalay_order)5, &l), bad, l, "order is 5");
    expect(scalay_layout_block_cyclic(1, 1, 1, 1, 1 << 16, 1 << 16, 0, 0, SCALAY_ROW_MAJOR, &l), SCALAY_ERROR_RANGE, l,
           "grid is 65536 x 65536");
    expect(scalay_layout_block_cyclic(1LL << 32, 1LL << 31, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &l), SCALAY_ERROR_RANGE,
           l, "2^63");
    assert_int_equal(scalay_layout_block_cyclic(1, 1, 1, 1, 1, 1, 0, 0, SCALAY_ROW_MAJOR, NULL), bad);
    const int owner[] = {0, 1, 2, 3};
    expect(scalay_layout_tiles(4, 4, 2, 2, 3, owner, &l), bad, l, "owner[3] is 3");
    expect(scalay_layout_tiles(4, 4, 2, 2, 0, owner, &l), bad, l, "parts is 0");
    expect(scalay_layout_tiles(4, 4, 2, 2, 4, NULL, &l), bad, l, "owner is NULL");
    expect(scalay_layout_tiles(4, 4, 2, 0, 4, owner, &l), bad, l, "nb is 0");
    assert_int_equal(scalay_layout_tiles(4, 4, 2, 2, 4, owner, NULL), bad);
    assert_int_equal(scalay_memory_live(), 0);
}

static void bad_windows_and_placements_are_named(void **state)
{
    (void)state;
    scalay_layout *layout = NULL, *l = NULL;
    const scalay_status bad = SCALAY_ERROR_ARGUMENT;
    const int twice[] = {1, 2, 1, 0}, beyond[] = {0, 1, 2, 4}, below[] = {0, 1, -1, 2};
    assert_int_equal(scalay_layout_block_cyclic(9, 8, 2, 2, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &layout), SCALAY_SUCCESS);
    expect(scalay_layout_submatrix(layout, -1, 0, 1, 1, &l), bad, l, "row is -1");
    expect(scalay_layout_submatrix(layout, 0, 9, 0, 0, &l), bad, l, "col is 9");
    expect(scalay_layout_submatrix(layout, 3, 0, 7, 1, &l), bad, l, "m is 7");
    expect(scalay_layout_submatrix(layout, 3, 0, 6, -1, &l), bad, l, "n is -1");
    expect(scalay_layout_submatrix(NULL, 0, 0, 1, 1, &l), bad, l, "layout is NULL");
    assert_int_equal(scalay_layout_submatrix(layout, 0, 0, 1, 1, NULL), bad);
    expect(scalay_layout_relabel(layout, 3, NULL, &l), bad, l, "processes is 3");
    expect(scalay_layout_relabel(layout, 4, twice, &l), bad, l, "process[2] is 1");
    expect(scalay_layout_relabel(layout, 4, beyond, &l), bad, l, "process[3] is 4");
    expect(scalay_layout_relabel(layout, 4, below, &l), bad, l, "process[2] is -1");
    expect(scalay_layout_relabel(NULL, 4, NULL, &l), bad, l, "layout is NULL");
    assert_int_equal(scalay_layout_relabel(layout, 4, NULL, NULL), bad);
    assert_int_equal(scalay_layout_rectangle(layout, 0, 0, NULL), bad);
    assert_int_equal(scalay_layout_rectangle(NULL, 0, 0, &(scalay_rectangle){0}), bad);
    assert_int_equal(scalay_layout_part_of_process(layout, 4), -1);
    assert_int_equal(scalay_layout_process_of_part(layout, -1), -1);
    assert_int_equal(scalay_layout_rows(NULL) + scalay_layout_cols(NULL) + scalay_layout_parts(NULL), 0);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(&layout);
    scalay_layout_destroy(NULL);
    assert_int_equal(scalay_memory_live(), 0);
}

/* Everything that allocates, one after the other. */
static scalay_status make_all(void)
{
    const int owner[] = {0, 1, 2, 1, 0, 2}, process[] = {3, 1, 0};
    scalay_layout *made[5] = {NULL};
    scalay_status status = scalay_layout_tiles(5, 6, 2, 3, 3, owner, &made[0]);
    if (status == SCALAY_SUCCESS) status = scalay_layout_relabel(made[0], 4, process, &made[1]);
    if (status == SCALAY_SUCCESS) status = scalay_layout_submatrix(made[1], 1, 1, 3, 4, &made[2]);
    if (status == SCALAY_SUCCESS)
        status = scalay_layout_block_cyclic(5, 6, 2, 2, 2, 1, 0, 0, SCALAY_ROW_MAJOR, &made[3]);
    if (status == SCALAY_SUCCESS) status = scalay_layout_submatrix(made[3], 1, 1, 3, 4, &made[4]);
    if (status == SCALAY_SUCCESS) (void)scalay_layout_same_owners(made[2], made[4]);
    for (int k = 0; k < 5; k++) scalay_layout_destroy(&made[k]);
    return status;
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_memory_fail_at(0);
    assert_int_equal(make_all(), SCALAY_SUCCESS);
    int64_t requests = scalay_memory_requests();
    int failures = 0;
    for (int64_t n = 1; n <= requests; n++) {
        scalay_memory_fail_at(n);
        scalay_status status = make_all();
        assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
        failures += status == SCALAY_ERROR_MEMORY;
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_true(failures > 10);
    scalay_memory_fail_at(0);
}

static void descriptions_say_what_differs(void **state)
{
    (void)state;
    const int process[] = {3, 1, 0, 2}, owner[] = {0, 1, 1, 0};
    scalay_layout *a = NULL, *b = NULL, *c = NULL;
    char text[200], little[8];
    assert_int_equal(scalay_layout_block_cyclic(1000, 800, 64, 64, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &a), SCALAY_SUCCESS);
    int length = scalay_layout_describe(a, text, sizeof text);
    assert_string_equal(text, "1000 x 800 block-cyclic, blocks 64 x 64, grid 2 x 2");
    assert_int_equal(length, (int)strlen(text));
    assert_int_equal(scalay_layout_describe(a, little, sizeof little), length);
    assert_string_equal(little, "1000 x ");
    assert_int_equal(scalay_layout_describe(a, NULL, 0), length);
    assert_int_equal(scalay_layout_relabel(a, 5, process, &b), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_submatrix(b, 10, 20, 30, 40, &c), SCALAY_SUCCESS);
    scalay_layout_describe(c, text, sizeof text);
    assert_string_equal(text, "30 x 40 from (10, 20) of 1000 x 800 block-cyclic, blocks 64 x 64, grid 2 x 2, "
                              "assigned to 5 processes");
    scalay_layout_destroy(&a);
    scalay_layout_destroy(&b);
    scalay_layout_destroy(&c);
    assert_int_equal(scalay_layout_tiles(7, 8, 4, 5, 2, owner, &a), SCALAY_SUCCESS);
    scalay_layout_describe(a, text, sizeof text);
    assert_string_equal(text, "7 x 8 tile map, tiles 4 x 5, 2 parts");
    scalay_layout_destroy(&a);

    const int same[] = {0, 1, 2, 3};
    assert_int_equal(scalay_layout_block_cyclic(9, 8, 2, 2, 2, 2, 1, 0, SCALAY_COLUMN_MAJOR, &a), SCALAY_SUCCESS);
    assert_int_equal(scalay_layout_relabel(a, 4, same, &b), SCALAY_SUCCESS);
    scalay_layout_describe(b, text, sizeof text);
    assert_string_equal(text, "9 x 8 block-cyclic, blocks 2 x 2, grid 2 x 2, source (1, 0), column order");
    scalay_layout_destroy(&a);
    scalay_layout_destroy(&b);
    assert_int_equal(scalay_layout_describe(NULL, text, sizeof text), (int)strlen("no layout"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_extents_are_named),
        cmocka_unit_test(bad_windows_and_placements_are_named),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
        cmocka_unit_test(descriptions_say_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
