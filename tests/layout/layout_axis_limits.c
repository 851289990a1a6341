/* Axes up to the largest integers: sums and neighbours that must fit together, whatever the sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "layout/axis.h"

/* One period that is as long as integers go. */
static void the_largest_extent_is_counted(void **state)
{
    (void)state;
    scalay_axis_overlap overlap;
    scalay_axis whole = {INT64_MAX, 0, INT64_MAX, INT64_MAX, 1000, 999, NULL};
    scalay_axis thirds = {INT64_MAX, 0, INT64_MAX, INT64_MAX / 3, 4, 0, NULL};
    assert_int_equal(scalay_axis_overlap_create(&whole, &thirds, &overlap), SCALAY_SUCCESS);
    assert_int_equal(overlap.start[999], 0);
    assert_int_equal(overlap.start[1000], 4);
    for (int k = 0; k < 3; k++) assert_true(overlap.count[k] == INT64_MAX / 3);
    assert_true(overlap.count[3] == INT64_MAX % 3 || overlap.count[3] == INT64_MAX - 3 * (INT64_MAX / 3));
    scalay_axis_overlap_free(&overlap);
}

static int64_t below(scalay_random *random, int64_t bound)
{
    /* Of every order of magnitude. */
    int64_t value = scalay_random_below(random, bound);
    return value >> scalay_random_below(random, 63);
}

static scalay_axis huge_axis(scalay_random *random, int64_t extent)
{
    scalay_axis axis = {.extent = extent};
    axis.first = below(random, INT64_MAX - extent);
    axis.whole = axis.first + extent + below(random, INT64_MAX - extent - axis.first);
    axis.block = 1 + below(random, INT64_MAX - 1);
    axis.classes = 1 + scalay_random_below(random, 40);
    axis.source = scalay_random_below(random, axis.classes);
    return axis;
}

static void check_stretch(const scalay_axis *axis, int64_t class, int64_t k)
{
    scalay_axis_run stretch = scalay_axis_get_run(axis, class, k);
    int64_t last = stretch.index + stretch.count - 1;
    assert_true(stretch.index >= 0 && stretch.count > 0 && last < axis->extent);
    assert_int_equal(scalay_axis_class(axis, stretch.index), class);
    assert_int_equal(scalay_axis_class(axis, last), class);
    assert_true(scalay_axis_local_index(axis, stretch.index) == stretch.local);
    assert_true(scalay_axis_local_index(axis, last) == stretch.local + stretch.count - 1);
    assert_true(stretch.index == 0 || (axis->first + stretch.index) % axis->block == 0);
    assert_true(last == axis->extent - 1 || (axis->first + last) % axis->block == axis->block - 1);
    assert_true(stretch.local == scalay_axis_count_upto(axis, class, axis->first + stretch.index));
}

static void extents_up_to_the_largest_integer_do_not_overflow(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(16);
    print_message("seed 16\n");
    for (int k = 0; k < 20000; k++) {
        int64_t extent = below(&random, INT64_MAX), total = 0;
        scalay_axis a = huge_axis(&random, extent);
        for (int64_t class = 0; class < a.classes; class ++) {
            int64_t stretches = scalay_axis_run_count(&a, class);
            total += scalay_axis_count(&a, class);
            assert_int_equal(stretches > 0, scalay_axis_count(&a, class) > 0);
            if (stretches == 0) continue;
            check_stretch(&a, class, 0);
            check_stretch(&a, class, stretches / 2);
            check_stretch(&a, class, stretches - 1);
        }
        assert_true(total == extent);
    }
}

/* Blocks so large that a walk is short, or so small that only the closed form ends: rows and columns add up. */
static void huge_overlaps_add_up(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(17);
    print_message("seed 17\n");
    for (int k = 0; k < 5000; k++) {
        int64_t extent = 1 + below(&random, INT64_MAX - 1), large = 1 + extent / 300;
        scalay_axis a = huge_axis(&random, extent), b = huge_axis(&random, extent);
        int small = scalay_random_below(&random, 3) == 0;
        a.block = small ? 1 + scalay_random_below(&random, 70) : large + below(&random, INT64_MAX - large);
        b.block = small ? 1 + scalay_random_below(&random, 70) : large + below(&random, INT64_MAX - large);
        scalay_axis_overlap overlap;
        int64_t sum_b[40] = {0};
        assert_int_equal(scalay_axis_overlap_create(&a, &b, &overlap), SCALAY_SUCCESS);
        for (int64_t class_a = 0; class_a < a.classes; class_a++) {
            int64_t sum = 0;
            for (int64_t e = overlap.start[class_a]; e < overlap.start[class_a + 1]; e++) {
                assert_true(overlap.count[e] > 0);
                sum += overlap.count[e];
                sum_b[overlap.class_b[e]] += overlap.count[e];
            }
            assert_true(sum == scalay_axis_count(&a, class_a));
        }
        for (int64_t class_b = 0; class_b < b.classes; class_b++)
            assert_true(sum_b[class_b] == scalay_axis_count(&b, class_b));
        scalay_axis_overlap_free(&overlap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_extent_is_counted),
        cmocka_unit_test(extents_up_to_the_largest_integer_do_not_overflow),
        cmocka_unit_test(huge_overlaps_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
