/* Axes against the definition of a block-cyclic distribution, index by index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "layout/axis.h"

enum { MOST = 64 };

/* What the definition says of each index of the dimension: dealt out one by one. */
typedef struct {
    int64_t class[MOST];
    int64_t local[MOST];
} dealt;

static dealt deal(const scalay_axis *axis)
{
    dealt all;
    int64_t next[MOST] = {0};
    int64_t class = axis->source, in_block = 0;
    for (int64_t g = 0; g < axis->whole; g++) {
        all.class[g] = class;
        all.local[g] = next[class]++;
        if (++in_block < axis->block) continue;
        in_block = 0;
        class = class + 1 == axis->classes ? 0 : class + 1;
    }
    return all;
}

static void check_axis(const scalay_axis *axis)
{
    dealt all = deal(axis);
    for (int64_t i = 0; i < axis->extent; i++) {
        assert_int_equal(scalay_axis_class(axis, i), all.class[axis->first + i]);
        assert_int_equal(scalay_axis_local_index(axis, i), all.local[axis->first + i]);
    }
    for (int64_t class = 0; class < axis->classes; class ++) {
        int64_t count = 0, stretches = 0;
        for (int64_t i = 0; i < axis->extent; i++) {
            int64_t g = axis->first + i;
            if (all.class[g] != class) continue;
            if (i == 0 || all.class[g - 1] != class || g % axis->block == 0) {
                scalay_axis_run stretch = scalay_axis_get_run(axis, class, stretches++);
                assert_int_equal(stretch.index, i);
                assert_int_equal(stretch.local, all.local[g]);
                int64_t end = i;
                while (end < axis->extent && (end == i || (axis->first + end) % axis->block != 0)) end++;
                assert_int_equal(stretch.count, end - i);
            }
            count++;
        }
        assert_int_equal(scalay_axis_count(axis, class), count);
        assert_int_equal(scalay_axis_run_count(axis, class), stretches);
        for (int64_t upto = 0; upto <= axis->whole; upto++) {
            int64_t among = 0;
            for (int64_t g = 0; g < upto; g++) among += all.class[g] == class;
            assert_int_equal(scalay_axis_count_upto(axis, class, upto), among);
        }
    }
}

static void indices_go_where_the_definition_deals_them(void **state)
{
    (void)state;
    for (int64_t whole = 0; whole <= 13; whole++)
        for (int64_t block = 1; block <= 6; block++)
            for (int64_t classes = 1; classes <= 4; classes++)
                for (int64_t source = 0; source < classes; source++)
                    for (int64_t first = 0; first <= whole; first += 1 + whole / 5)
                        for (int64_t extent = 0; first + extent <= whole; extent++)
                            check_axis(&(scalay_axis){extent, first, whole, block, classes, source, NULL});
}

/* ------------------------------------------------------------------------------------- pairs of axes */

static void check_share(const scalay_axis *a, const scalay_axis *b, const dealt *in_a, const dealt *in_b, int64_t class)
{
    scalay_axis_intersection share;
    int64_t met = 0;
    assert_int_equal(scalay_axis_intersection_create(a, class, b, 0, &share), SCALAY_SUCCESS);
    for (int64_t class_b = 0; class_b < b->classes; class_b++) {
        int64_t count = 0, run = met < share.classes ? share.start[met] : 0, in_run = 0;
        for (int64_t i = 0; i < a->extent; i++) {
            if (in_a->class[a->first + i] != class || in_b->class[b->first + i] != class_b) continue;
            if (count++ == 0) assert_true(met < share.classes && share.class_b[met] == class_b);
            if (in_run == share.runs[run].count) {
                run++;
                in_run = 0;
            }
            assert_true(run < share.start[met + 1]);
            assert_int_equal(share.runs[run].local_a + in_run, in_a->local[a->first + i]);
            assert_int_equal(share.runs[run].local_b + in_run, in_b->local[b->first + i]);
            in_run++;
        }
        if (count == 0) continue;
        assert_int_equal(share.count[met], count);
        assert_int_equal(share.runs[run].count, in_run);
        assert_int_equal(share.start[met + 1], run + 1);
        for (int64_t k = share.start[met] + 1; k <= run; k++) {
            const scalay_common_run *before = &share.runs[k - 1];
            assert_false(before->local_a + before->count == share.runs[k].local_a &&
                         before->local_b + before->count == share.runs[k].local_b);
        }
        met++;
    }
    assert_int_equal(share.classes, met);
    scalay_axis_intersection_free(&share);
}

static void check_overlap(const scalay_axis *a, const scalay_axis *b, const dealt *in_a, const dealt *in_b)
{
    scalay_axis_overlap overlap;
    assert_int_equal(scalay_axis_overlap_create(a, b, &overlap), SCALAY_SUCCESS);
    assert_int_equal(overlap.classes_a, a->classes);
    assert_int_equal(overlap.classes_b, b->classes);
    assert_int_equal(overlap.start[0], 0);
    for (int64_t class_a = 0; class_a < a->classes; class_a++) {
        int64_t entry = overlap.start[class_a];
        for (int64_t class_b = 0; class_b < b->classes; class_b++) {
            int64_t count = 0;
            for (int64_t i = 0; i < a->extent; i++)
                count += in_a->class[a->first + i] == class_a && in_b->class[b->first + i] == class_b;
            if (count == 0) continue;
            assert_true(entry < overlap.start[class_a + 1]);
            assert_int_equal(overlap.class_b[entry], class_b);
            assert_int_equal(overlap.count[entry], count);
            entry++;
        }
        assert_int_equal(entry, overlap.start[class_a + 1]);
    }
    scalay_axis_overlap_free(&overlap);
}

static void check_pair(const scalay_axis *a, const scalay_axis *b)
{
    dealt in_a = deal(a), in_b = deal(b);
    check_overlap(a, b, &in_a, &in_b);
    for (int64_t class = 0; class < a->classes; class ++) check_share(a, b, &in_a, &in_b, class);
}

static scalay_axis random_axis(scalay_random *random, int64_t extent, int64_t most_block, int64_t most_classes)
{
    scalay_axis axis = {.extent = extent};
    axis.first = scalay_random_below(random, 3) == 0 ? scalay_random_below(random, 20) : 0;
    axis.whole = axis.first + extent + (scalay_random_below(random, 2) == 0 ? scalay_random_below(random, 4) : 0);
    if (axis.whole > MOST) axis.whole = MOST;
    axis.block = 1 + scalay_random_below(random, most_block);
    axis.classes = 1 + scalay_random_below(random, most_classes);
    axis.source = scalay_random_below(random, axis.classes);
    return axis;
}

static void random_pairs(uint64_t seed, int64_t most_block, int64_t most_classes, int pairs)
{
    print_message("seed %llu\n", (unsigned long long)seed);
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < pairs; k++) {
        int64_t extent = scalay_random_below(&random, 41);
        scalay_axis a = random_axis(&random, extent, most_block, most_classes);
        scalay_axis b = random_axis(&random, extent, most_block, most_classes);
        check_pair(&a, &b);
    }
}

static void pairs_share_what_both_definitions_say(void **state)
{
    (void)state;
    random_pairs(11, 3, 3, 20000); /* several periods in most extents */
    random_pairs(12, 7, 5, 20000);
    random_pairs(13, 4, 30, 10000); /* as in tile maps: hardly a class comes twice */
    random_pairs(14, 50, 3, 10000); /* blocks as large as the matrix */
    assert_int_equal(scalay_memory_live(), 0);
}

/* Counting by walking on, for extents that hold many periods. */
static void check_long_overlap(const scalay_axis *a, const scalay_axis *b)
{
    scalay_axis_overlap overlap;
    int64_t table[32][32] = {{0}};
    for (int64_t i = 0; i < a->extent; i++) {
        int64_t class_a = ((a->first + i) / a->block + a->source) % a->classes;
        int64_t class_b = ((b->first + i) / b->block + b->source) % b->classes;
        table[class_a][class_b]++;
    }
    assert_int_equal(scalay_axis_overlap_create(a, b, &overlap), SCALAY_SUCCESS);
    for (int64_t class_a = 0; class_a < a->classes; class_a++)
        for (int64_t k = overlap.start[class_a]; k < overlap.start[class_a + 1]; k++) {
            assert_int_equal(overlap.count[k], table[class_a][overlap.class_b[k]]);
            table[class_a][overlap.class_b[k]] = 0;
        }
    for (int64_t class_a = 0; class_a < a->classes; class_a++)
        for (int64_t class_b = 0; class_b < b->classes; class_b++) assert_int_equal(table[class_a][class_b], 0);
    scalay_axis_overlap_free(&overlap);
}

static void whole_periods_count_as_walked(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(15);
    print_message("seed 15\n");
    for (int k = 0; k < 600; k++) {
        int64_t block[2], classes[2], first[2];
        for (int s = 0; s < 2; s++) {
            block[s] = 1 + scalay_random_below(&random, 60);
            classes[s] = 1 + scalay_random_below(&random, 6);
            first[s] = scalay_random_below(&random, 2) * scalay_random_below(&random, 1000);
        }
        int64_t extent = scalay_random_below(&random, 40000);
        scalay_axis a = {
            extent, first[0], first[0] + extent, block[0], classes[0], scalay_random_below(&random, classes[0]), NULL};
        scalay_axis b = {
            extent, first[1], first[1] + extent, block[1], classes[1], scalay_random_below(&random, classes[1]), NULL};
        check_long_overlap(&a, &b);
    }
}

/* More classes than the digits of a sort, met several times each and not in order. */
static void many_classes_that_come_again_are_counted(void **state)
{
    (void)state;
    enum { EXTENT = 5000, CLASSES_A = 700, CLASSES_B = 1500 };
    scalay_axis a = {EXTENT, 5, EXTENT + 5, 2, CLASSES_A, 650, NULL}, b = {EXTENT, 0, EXTENT, 3, CLASSES_B, 1300, NULL};
    scalay_axis_overlap overlap;
    int *table = calloc((size_t)CLASSES_A * CLASSES_B, sizeof *table);
    for (int64_t i = 0; i < EXTENT; i++)
        table[((i + 5) / 2 + 650) % CLASSES_A * CLASSES_B + (i / 3 + 1300) % CLASSES_B]++;
    assert_int_equal(scalay_axis_overlap_create(&a, &b, &overlap), SCALAY_SUCCESS);
    for (int64_t class_a = 0; class_a < CLASSES_A; class_a++)
        for (int64_t k = overlap.start[class_a]; k < overlap.start[class_a + 1]; k++) {
            if (k > overlap.start[class_a]) assert_true(overlap.class_b[k] > overlap.class_b[k - 1]);
            assert_int_equal(overlap.count[k], table[class_a * CLASSES_B + overlap.class_b[k]]);
            table[class_a * CLASSES_B + overlap.class_b[k]] = 0;
        }
    for (int64_t k = 0; k < CLASSES_A * CLASSES_B; k++) assert_int_equal(table[k], 0);
    free(table);
    scalay_axis_overlap_free(&overlap);
}

/* Two tile maps of 10^5 tile rows: the table of all pairs would have 10^10 entries. */
static void many_classes_stay_sparse(void **state)
{
    (void)state;
    scalay_axis a = {3200000, 0, 3200000, 32, 100000, 0, NULL};
    scalay_axis b = {3200000, 0, 3200000, 33, 96970, 0, NULL};
    scalay_axis_overlap overlap;
    scalay_memory_reset_peak();
    assert_int_equal(scalay_axis_overlap_create(&a, &b, &overlap), SCALAY_SUCCESS);
    assert_true(scalay_memory_peak() < 32 * 1000 * 1000);
    for (int64_t class_a = 0; class_a < a.classes; class_a += 997) {
        int64_t first_b = class_a * 32 / 33, last_b = (class_a * 32 + 31) / 33;
        assert_int_equal(overlap.start[class_a + 1] - overlap.start[class_a], last_b - first_b + 1);
        assert_int_equal(overlap.class_b[overlap.start[class_a]], first_b);
    }
    scalay_axis_overlap_free(&overlap);
    assert_int_equal(scalay_memory_live(), 0);
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    scalay_axis a = {60, 1, 64, 2, 20, 5, NULL}, b = {60, 0, 60, 3, 15, 2, NULL}, few = {60, 0, 60, 2, 2, 0, NULL};
    const scalay_axis *partners[] = {&b, &few};
    for (int which = 0; which < 2; which++) {
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
            scalay_axis_intersection share;
            scalay_memory_fail_at(n);
            status = scalay_axis_intersection_create(partners[which], 1, &a, 0, &share);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            if (status == SCALAY_SUCCESS) scalay_axis_intersection_free(&share);
            assert_int_equal(scalay_memory_live(), 0);
        }
        status = SCALAY_ERROR_MEMORY;
        for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
            scalay_axis_overlap overlap;
            scalay_memory_fail_at(n);
            status = scalay_axis_overlap_create(which == 0 ? &a : &few, partners[which], &overlap);
            assert_true(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY);
            if (status == SCALAY_SUCCESS) scalay_axis_overlap_free(&overlap);
            assert_int_equal(scalay_memory_live(), 0);
        }
    }
    scalay_memory_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_go_where_the_definition_deals_them),
        cmocka_unit_test(pairs_share_what_both_definitions_say),
        cmocka_unit_test(whole_periods_count_as_walked),
        cmocka_unit_test(many_classes_that_come_again_are_counted),
        cmocka_unit_test(many_classes_stay_sparse),
        cmocka_unit_test(every_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
