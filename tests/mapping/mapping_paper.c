/* The figures and tables of the redistribution paper come out again, within 2%, with fixed seeds. */
#include "instances.h"

#include <math.h>

#include "layout/layout.h"
#include "paper.h"
#include "summaries.h"

/* Of the expected value; of ratios, which are at most 1, in absolute terms. */
static const double tolerance = 0.02;

/* The values of the tables are rounded to integers. */
static const double rounding = 0.5;

static void assert_near(double found, double expected, double allowed, const char *what, int where)
{
    if (fabs(found - expected) <= allowed) return;
    fail_msg("%s at %d: %g instead of %g", what, where, found, expected);
}

static void check_figure(const paper_point *points, int count)
{
    for (int k = 0; k < count; k++) {
        paper_mean mean;
        assert_success(paper_figure_mean(&points[k], 2016, &mean));
        assert_near(mean.volume[1] / mean.volume[0], points[k].volume, tolerance, "volume", k);
        assert_near(mean.steps[1] / mean.steps[0], points[k].steps, tolerance, "steps", k);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void figure_2_comes_out_again(void **state)
{
    (void)state;
    check_figure(paper_figure_2, PAPER_POINTS);
}

static void figure_3_comes_out_again(void **state)
{
    (void)state;
    check_figure(paper_figure_3, PAPER_ROWS);
}

static void check_table(const paper_row *rows, int chunks, int runs)
{
    for (int k = 0; k < PAPER_ROWS; k++) {
        paper_mean mean;
        assert_success(paper_table_mean(rows[k].tiles, chunks, runs, 1, &mean));
        for (int which = 0; which < 2; which++) {
            double volume = rows[k].volume[which];
            double steps = rows[k].steps[which];
            assert_near(mean.volume[which] / mean.runs, volume, tolerance * volume + rounding, "volume", rows[k].tiles);
            if (steps > 0)
                assert_near(mean.steps[which] / mean.runs, steps, tolerance * steps + rounding, "steps", rows[k].tiles);
        }
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void table_1a_comes_out_again(void **state)
{
    (void)state;
    check_table(paper_table_1a, 0, 50);
}

static void table_1b_comes_out_again(void **state)
{
    (void)state;
    check_table(paper_table_1b, 1, 50);
}

/* The paper's steps mapping breaks ties at will. */
static void ties_in_steps_are_broken_by_volume(void **state)
{
    (void)state;
    scalay_layout *source = NULL;
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    assert_success(scalay_layout_block_cyclic(16, 16, 1, 1, 4, 4, 0, 0, SCALAY_ROW_MAJOR, &target));
    int64_t sum[3] = {0, 0, 0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static const scalay_objective objectives[3] = {SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME,
                                                       SCALAY_MIN_STEPS};
        assert_success(scalay_layout_skewed(16, 16, 1, 1, 4, 4, seed, &source));
        assert_success(scalay_traffic_create(source, target, &traffic));
        for (int k = 0; k < 3; k++) {
            scalay_mapping *mapping = NULL;
            assert_success(scalay_mapping_from_traffic(traffic, objectives[k], NULL, &mapping));
            sum[k] += mapping_summary(mapping).volume;
            scalay_mapping_destroy(&mapping);
        }
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
    }
    scalay_layout_destroy(&target);
    assert_true(sum[0] <= sum[1] && sum[1] < sum[2]);
    assert_true((double)sum[1] <= 1.02 * (double)sum[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_comes_out_again),           cmocka_unit_test(figure_3_comes_out_again),
        cmocka_unit_test(table_1a_comes_out_again),           cmocka_unit_test(table_1b_comes_out_again),
        cmocka_unit_test(ties_in_steps_are_broken_by_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
