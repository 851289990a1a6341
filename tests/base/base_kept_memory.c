/* Memory that is kept for later calls: which array is taken, what is released, and what a limit counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/kept_memory.h"
#include "base/memory.h"

enum { SMALL = 100 << 10, LARGE = 3 << 20, LARGER = 5 << 20 };

/* The smallest array that is large enough is taken; a new one if there is none. */
static void the_smallest_array_that_is_large_enough_is_taken(void **state)
{
    (void)state;
    char *larger = scalay_kept_memory_take(LARGER), *large = scalay_kept_memory_take(LARGE);
    assert_true(larger != NULL && large != NULL && large != larger);
    memset(larger, 1, LARGER);
    memset(large, 2, LARGE);
    scalay_kept_memory_give(larger);
    scalay_kept_memory_give(large);
    const int64_t bytes = scalay_kept_memory_bytes();
    assert_true(bytes >= LARGER + LARGE);
    char *again = scalay_kept_memory_take(LARGE - 1);
    assert_true(again == large);
    char *rest = scalay_kept_memory_take(SMALL);
    assert_true(rest == larger);
    assert_true(scalay_kept_memory_bytes() == bytes);
    char *new_array = scalay_kept_memory_take(SMALL);
    assert_true(new_array != large && new_array != larger && scalay_kept_memory_bytes() >= bytes + SMALL);
    scalay_kept_memory_give(again);
    scalay_kept_memory_give(rest);
    scalay_kept_memory_give(new_array);
    scalay_kept_memory_give(NULL);
    assert_true(scalay_memory_live() == 3);
    scalay_kept_memory_release();
    assert_true(scalay_kept_memory_bytes() == 0 && scalay_memory_live() == 0);
}

/* An array of nearly half of the bytes makes room for the new one, which serves both. Much smaller ones stay. */
static void a_larger_array_replaces_one_of_nearly_half_its_size(void **state)
{
    (void)state;
    const int64_t twice = 2 * LARGE + SMALL;
    void *small = scalay_kept_memory_take(SMALL), *large = scalay_kept_memory_take(LARGE);
    scalay_kept_memory_give(small);
    scalay_kept_memory_give(large);
    scalay_memory_reset_peak();
    const int64_t before = scalay_memory_bytes();
    void *larger = scalay_kept_memory_take(twice);
    assert_true(scalay_memory_live() == 2 && scalay_memory_peak() < before + twice);
    scalay_kept_memory_give(larger);
    void *again = scalay_kept_memory_take(LARGE);
    assert_true(again == larger);
    scalay_kept_memory_give(again);
    scalay_kept_memory_release();
    assert_true(scalay_memory_live() == 0);
}

/* At most 8 arrays of 128 MiB are kept: the oldest ones are released, also for a new array. */
static void the_oldest_arrays_make_room(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    void *array[COUNT];
    for (int k = 0; k < COUNT; k++) array[k] = scalay_kept_memory_take(SMALL + k);
    for (int k = 0; k < COUNT; k++) scalay_kept_memory_give(array[k]);
    assert_true(scalay_memory_live() == 8);
    void *huge = scalay_kept_memory_take(80 << 20), *other = scalay_kept_memory_take(60 << 20);
    scalay_kept_memory_give(other);
    assert_true(scalay_memory_live() == 9);
    scalay_kept_memory_give(huge);
    assert_true(scalay_memory_live() == 1);
    void *again = scalay_kept_memory_take(80 << 20);
    assert_true(again == huge);
    scalay_kept_memory_give(again);
    void *new_array = scalay_kept_memory_take(90 << 20);
    assert_true(scalay_memory_live() == 1);
    scalay_kept_memory_give(new_array);
    void *too_large = scalay_kept_memory_take(129 << 20);
    scalay_kept_memory_give(too_large);
    assert_true(scalay_memory_live() == 0);
    scalay_kept_memory_release();
    assert_true(scalay_memory_live() == 0);
}

/* A limit counts what is taken and what is kept. What is kept makes room. */
static void a_limit_counts_what_is_taken_and_kept(void **state)
{
    (void)state;
    void *kept = scalay_kept_memory_take(LARGE), *taken = scalay_kept_memory_take(LARGE);
    scalay_kept_memory_give(kept);
    const int64_t size = scalay_kept_memory_bytes() / 2;
    scalay_kept_memory_limit(3 * size);
    assert_true(scalay_kept_memory_bytes() == 2 * size);
    assert_true(scalay_kept_memory_take(3 * LARGE) == NULL);
    void *larger = scalay_kept_memory_take(LARGE + LARGE / 2);
    assert_true(larger != NULL && scalay_kept_memory_bytes() <= 3 * size);
    scalay_kept_memory_give(taken);
    scalay_kept_memory_limit(0);
    assert_true(scalay_kept_memory_bytes() >= LARGE && scalay_memory_live() == 1);
    scalay_kept_memory_give(larger);
    assert_true(scalay_kept_memory_bytes() == 0 && scalay_memory_live() == 0);
    assert_true(scalay_kept_memory_take(1) == NULL);
    scalay_kept_memory_limit(-1);
    void *any = scalay_kept_memory_take(1);
    assert_true(any != NULL);
    scalay_kept_memory_give(any);
    scalay_kept_memory_release();
}

/* A failed allocation leaves everything as it was. */
static void a_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    scalay_memory_fail_at(1);
    assert_true(scalay_kept_memory_take(LARGE) == NULL);
    scalay_memory_fail_at(0);
    assert_true(scalay_kept_memory_bytes() == 0 && scalay_memory_live() == 0);
    assert_true(scalay_kept_memory_take(INT64_MAX) == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_array_that_is_large_enough_is_taken),
        cmocka_unit_test(a_larger_array_replaces_one_of_nearly_half_its_size),
        cmocka_unit_test(the_oldest_arrays_make_room),
        cmocka_unit_test(a_limit_counts_what_is_taken_and_kept),
        cmocka_unit_test(a_failed_allocation_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
