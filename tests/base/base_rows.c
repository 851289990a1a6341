/* Rows of numbers: what vectors make of them is what one number after the other would be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/rows.h"
#include "support/serial.h"

enum { LONGEST = 300, ROUNDS = 2000 };

typedef struct {
    int64_t value[LONGEST];
    double time[LONGEST];
    scalay_row_costs of;
    int64_t count;
} row;

/* With holes, ties and times at the limit. */
static void make_row(scalay_random *random, row *made)
{
    made->count = scalay_random_below(random, LONGEST + 1);
    for (int64_t k = 0; k < made->count; k++) {
        made->value[k] = scalay_random_below(random, 8) == 0 ? INT64_MAX : scalay_random_below(random, 50) - 10;
        made->time[k] = (double)scalay_random_below(random, 6);
    }
    made->of = (scalay_row_costs){made->value,
                                  made->time,
                                  scalay_random_below(random, 4) == 0 ? INFINITY : 4.0,
                                  scalay_random_below(random, INT64_C(1) << 40),
                                  scalay_random_below(random, INT64_C(1) << 50) - (INT64_C(1) << 49),
                                  scalay_random_below(random, 100) - 50};
}

static int64_t height_at(const row *of, int64_t k)
{
    if (of->value[k] == INT64_MAX || !(of->time[k] < of->of.limit)) return INT64_MAX;
    return of->of.weight * of->value[k] + of->of.start - of->of.step * k;
}

static void heights_are_those_of_each_number(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(71));
    for (int round = 0; round < ROUNDS; round++) {
        static row made;
        int64_t height[LONGEST];
        int64_t lowest = INT64_MAX;
        int64_t found = -1;
        int64_t low = 0;
        make_row(&random, &made);
        scalay_row_reduced_costs(&made.of, made.count, height);
        for (int64_t k = 0; k < made.count; k++) {
            assert_true(height[k] == height_at(&made, k));
            if (height[k] >= lowest) continue;
            lowest = height[k];
            found = k;
        }
        assert_int_equal(scalay_row_min_reduced_cost(&made.of, made.count, &low), found);
        assert_true(low == lowest);
    }
}

static void the_least_are_kept(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(72));
    for (int round = 0; round < ROUNDS; round++) {
        int64_t least[LONGEST], index[LONGEST], owner[LONGEST], cost[LONGEST], before[LONGEST];
        const int64_t count = scalay_random_below(&random, LONGEST + 1);
        for (int64_t k = 0; k < count; k++) {
            cost[k] = scalay_random_below(&random, 9) == 0 ? INT64_MAX : scalay_random_below(&random, 20);
            least[k] = before[k] = scalay_random_below(&random, 20);
            index[k] = owner[k] = -1;
        }
        scalay_row_update_minimum(least, index, owner, cost, count, 1000, round);
        for (int64_t k = 0; k < count; k++) {
            const int taken = cost[k] < before[k];
            assert_true(least[k] == (taken ? cost[k] : before[k]));
            assert_true(index[k] == (taken ? 1000 + k : -1) && owner[k] == (taken ? round : -1));
        }
    }
}

static int64_t random_whole(scalay_random *random)
{
    return scalay_random_below(random, 7) == 0 ? INT64_C(1) << 61 : scalay_random_below(random, INT64_C(1) << 60);
}

static void sums_and_limits_are_those_of_each_number(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(74));
    for (int round = 0; round < ROUNDS; round++) {
        int64_t target[LONGEST], source[LONGEST], before[LONGEST], limit[LONGEST];
        const int64_t count = scalay_random_below(&random, LONGEST + 1);
        const int64_t value = scalay_random_below(&random, INT64_C(1) << 60);
        for (int64_t k = 0; k < count; k++) {
            target[k] = before[k] = random_whole(&random);
            source[k] = random_whole(&random);
            limit[k] = random_whole(&random);
        }
        scalay_row_min_sum(target, source, count, value);
        for (int64_t k = 0; k < count; k++)
            assert_true(target[k] == (before[k] < source[k] + value ? before[k] : source[k] + value));
        memcpy(before, target, (size_t)count * sizeof *before);
        scalay_row_discard_above(target, limit, count, INT64_C(1) << 61);
        for (int64_t k = 0; k < count; k++)
            assert_true(target[k] == (before[k] > limit[k] ? INT64_C(1) << 61 : before[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_limits_are_those_of_each_number),
        cmocka_unit_test(heights_are_those_of_each_number),
        cmocka_unit_test(the_least_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
