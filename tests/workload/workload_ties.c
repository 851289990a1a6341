/* Ties: least time prefers the least energy; energies of which many are equal; equal groups. */
#include "support/serial.h"

#include <math.h>
#include <stdio.h>

#include "scalay/workload.h"

/* The first processor can compute 2 units in 4 s with 1 J or, as fast, 3 units with 9 J. */
static void the_least_time_has_the_least_energy(void **state)
{
    static const int64_t size[] = {1, 2, 3};
    static const double first_time[] = {4.0, 4.0, 4.0};
    static const double first_energy[] = {1.0, 1.0, 9.0};
    static const double second_time[] = {4.0, 4.0, 5.0};
    static const double second_energy[] = {1.0, 2.0, 3.0};
    scalay_profile *part[2] = {NULL, NULL};
    scalay_profile *profile = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    int64_t sizes[2];
    (void)state;
    assert_success(scalay_profile_table("first", 1, 3, size, first_time, first_energy, &part[0]));
    assert_success(scalay_profile_table("second", 1, 3, size, second_time, second_energy, &part[1]));
    assert_success(scalay_profile_join(2, (const scalay_profile *const *)part, &profile));
    assert_success(scalay_workload_min_time(profile, 3, NULL, &workload));
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_success(scalay_workload_sizes(workload, 0, 2, sizes));
    assert_true(summary.time == 4.0 && summary.energy == 2.0);
    assert_true(sizes[0] == 2 && sizes[1] == 1);
    scalay_workload_destroy(&workload);
    scalay_profile_destroy(&profile);
    scalay_profile_destroy(&part[0]);
    scalay_profile_destroy(&part[1]);
}

enum { LARGEST = 10000 };

/* Energy of size x: start + slope * x. */
typedef struct {
    double start;
    double slope;
} line;

static int on_line(int64_t x, double *time, double *energy, void *context)
{
    const line *of = context;
    *time = (double)x;
    *energy = of->start + of->slope * (double)x;
    return 1;
}

/* All have the same line: as few processors as possible, whatever their sizes. */
static void check_line(int groups, int64_t count, line of)
{
    scalay_profile *part[4] = {NULL};
    scalay_profile *profile = NULL;
    for (int j = 0; j < groups; j++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", j);
        assert_success(scalay_profile_function(name, count, LARGEST - (j > 0), on_line, &of, 1, &part[j]));
    }
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile));
    for (int64_t n = LARGEST / 3; n < groups * count * (LARGEST - 1); n += 2 * LARGEST / 3 * count) {
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        int64_t active = 0;
        for (int64_t left = n; left > 0; active++) left -= active < count ? LARGEST : LARGEST - 1;
        assert_success(scalay_workload_min_energy(profile, n, NULL, &workload));
        assert_success(scalay_workload_get_summary(workload, &summary));
        assert_int_equal(summary.active, active);
        assert_true(summary.energy == of.start * (double)active + of.slope * (double)n);
        scalay_workload_destroy(&workload);
    }
    scalay_profile_destroy(&profile);
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
}

static void equal_energies_need_the_fewest_processors(void **state)
{
    static const line lines[] = {{1.0, 0.0}, {0.0, 1.0}, {3.0, 2.0}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        check_line(1, 3, lines[k]);
        check_line(1, 40, lines[k]);
        check_line(2, 2, lines[k]);
        check_line(4, 1, lines[k]);
    }
}

/* Six groups, equal in pairs, against three groups of twice as many processors. */
static void equal_groups_are_one_group(void **state)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "f"};
    line of[] = {{5.0, 3.0}, {40.0, 2.0}, {9.0, 2.5}};
    scalay_profile *part[9] = {NULL};
    scalay_profile *listed = NULL;
    scalay_profile *grouped = NULL;
    (void)state;
    for (int j = 0; j < 6; j++)
        assert_success(scalay_profile_function(name[j], 1 + j / 3, 30, on_line, &of[j % 3], 1, &part[j]));
    for (int j = 0; j < 3; j++)
        assert_success(scalay_profile_function(name[j], 3, 30, on_line, &of[j], 1, &part[6 + j]));
    assert_success(scalay_profile_join(6, (const scalay_profile *const *)part, &listed));
    assert_success(scalay_profile_join(3, (const scalay_profile *const *)(part + 6), &grouped));
    for (int64_t n = 0; n <= 270; n += 9) {
        scalay_workload *a = NULL;
        scalay_workload *b = NULL;
        scalay_workload_summary x;
        scalay_workload_summary y;
        int64_t size[9];
        int64_t sum = 0;
        assert_success(scalay_workload_min_energy(listed, n, NULL, &a));
        assert_success(scalay_workload_min_energy(grouped, n, NULL, &b));
        assert_success(scalay_workload_get_summary(a, &x));
        assert_success(scalay_workload_get_summary(b, &y));
        assert_true(x.energy == y.energy && x.active == y.active && x.processors == 9);
        assert_success(scalay_workload_sizes(a, 0, 9, size));
        for (int k = 0; k < 9; k++) sum += size[k];
        assert_int_equal(sum, n);
        scalay_workload_destroy(&a);
        scalay_workload_destroy(&b);
    }
    scalay_profile_destroy(&listed);
    scalay_profile_destroy(&grouped);
    for (int j = 0; j < 9; j++) scalay_profile_destroy(&part[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_time_has_the_least_energy),
        cmocka_unit_test(equal_energies_need_the_fewest_processors),
        cmocka_unit_test(equal_groups_are_one_group),
    };
    return run_all_tests(tests);
}
