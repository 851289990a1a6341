/* Large profiles: many rows are read as a few are, and a front of a hundred thousand points stays small. */
#include "profiles.h"

#include <math.h>

#include "scalay/workload.h"

enum { ROWS = 200000, GROUPS = 8, POINTS = 110000, SAMPLES = 20 };

/* Some characters a row: enough for all. */
enum { ROW_SIZE = 40 };

/* Sizes come in an order that jumps about: k times an odd number, modulo a power of two, and what is below a bound. */
static int64_t shuffled(int64_t k, int64_t mask)
{
    return (k * 40503 + 977) & mask;
}

/* ROWS rows of `groups` processors in turn, each with all sizes up to ROWS / groups. */
static char *make_text(int64_t groups, const char *end_of_line, size_t *length)
{
    const int64_t largest = ROWS / groups;
    int64_t mask = 1;
    char *text = malloc((size_t)ROWS * ROW_SIZE);
    assert_non_null(text);
    while (mask < largest) mask = 2 * mask + 1;
    size_t at = (size_t)sprintf(text, "processor,size,time,energy,count%s", end_of_line);
    for (int64_t k = 0; k <= mask; k++) {
        const int64_t size = shuffled(k, mask) + 1;
        for (int64_t j = 0; j < groups && size <= largest; j++)
            at += (size_t)sprintf(text + at, "p%d,%lld,%lld.%03d,%lld.5,%d%s", (int)j, (long long)size,
                                  (long long)(size * (j + 1)), (int)(size % 1000), (long long)(3 * size + j),
                                  (int)(j + 1), end_of_line);
    }
    *length = at;
    return text;
}

static void check_rows(const scalay_profile *profile, int64_t groups)
{
    const int64_t largest = ROWS / groups;
    assert_int_equal(profile->groups, groups);
    assert_int_equal(profile->processors, groups * (groups + 1) / 2);
    assert_int_equal(profile->energy_digits, 1);
    for (int j = 0; j < groups; j++) {
        const scalay_profile_group *group = &profile->group[j];
        assert_int_equal(group->points, largest);
        for (int64_t k = 0; k < largest; k++) {
            const int64_t size = k + 1;
            assert_true(group->size[k] == size && group->energy_units[k] == 30 * size + 10 * j + 5);
            assert_true(fabs(group->time[k] - (double)(size * (j + 1)) - (double)(size % 1000) / 1000.0) < 1e-9);
        }
    }
}

static void many_rows_are_read(void **state)
{
    (void)state;
    static const char path[] = "profile_large.tmp.csv";
    for (int64_t groups = 1; groups <= GROUPS; groups += GROUPS - 1) {
        scalay_profile *profile = NULL;
        size_t length = 0;
        char *text = make_text(groups, groups == 1 ? "\n" : "\r\n", &length);
        scalay_memory_reset_peak();
        assert_success(scalay_profile_parse("text", text, length, &profile));
        check_rows(profile, groups);
        /* What a row takes while it is read, and what is kept of it. */
        assert_true(scalay_memory_peak() < (int64_t)ROWS * 400);
        assert_true(scalay_memory_bytes() < (int64_t)ROWS * 130);
        free(text);
        if (groups == GROUPS) {
            scalay_profile *same = NULL;
            assert_success(scalay_profile_write(profile, path));
            assert_success(scalay_profile_read(path, &same));
            assert_int_equal(remove(path), 0);
            assert_same(profile, same);
            scalay_profile_destroy(&same);
        }
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_mistake_in_the_last_of_a_million_rows_is_told(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    size_t length = 0;
    char *text = make_text(1, "\n", &length);
    length += (size_t)sprintf(text + length, "p0,7,1,1,1\n");
    assert_int_equal(scalay_profile_parse("text", text, length, &profile), SCALAY_ERROR_FORMAT);
    assert_null(profile);
    assert_message("text, line 200002, field 2 (size) is 7; line ");
    free(text);
    assert_int_equal(scalay_memory_live(), 0);
}

static double energy_of(int processor, int64_t size)
{
    return (processor == 0 ? 1.0 : 16.0) * (double)size * (double)size;
}

/* A slow processor with little energy and a fast one with much: every way to share between the thriftiest and the
 * fastest is a point. */
static scalay_profile *make_pair(void)
{
    scalay_profile *part[2] = {NULL, NULL};
    scalay_profile *profile = NULL;
    int64_t *size = malloc(POINTS * sizeof *size);
    double *time = malloc(POINTS * sizeof *time);
    double *energy = malloc(POINTS * sizeof *energy);
    assert_true(size != NULL && time != NULL && energy != NULL);
    for (int j = 0; j < 2; j++) {
        for (int64_t k = 0; k < POINTS; k++) {
            size[k] = k + 1;
            time[k] = (double)(k + 1) * (j == 0 ? 100.0 : 0.5);
            energy[k] = energy_of(j, k + 1);
        }
        assert_success(scalay_profile_table(j == 0 ? "slow" : "fast", 1, POINTS, size, time, energy, &part[j]));
    }
    assert_success(scalay_profile_join(2, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < 2; j++) scalay_profile_destroy(&part[j]);
    free(size);
    free(time);
    free(energy);
    return profile;
}

static void check_point(const scalay_workload_front *front, int64_t k)
{
    scalay_workload_front_point point;
    scalay_workload *workload = NULL;
    int64_t size[2] = {0, 0};
    assert_success(scalay_workload_front_get_point(front, k, &point));
    assert_success(scalay_workload_front_get_workload(front, k, &workload));
    assert_success(scalay_workload_sizes(workload, 0, 2, size));
    assert_int_equal(size[0] + size[1], POINTS);
    assert_true(point.time == fmax(100.0 * (double)size[0], 0.5 * (double)size[1]));
    assert_true(point.energy == energy_of(0, size[0]) + energy_of(1, size[1]));
    scalay_workload_destroy(&workload);
}

static void a_front_of_a_hundred_thousand_points_is_small(void **state)
{
    (void)state;
    scalay_profile *profile = make_pair();
    scalay_workload_front *front = NULL;
    const int64_t before = scalay_memory_bytes();
    scalay_memory_reset_peak();
    assert_success(scalay_workload_front_create(profile, POINTS, NULL, &front));
    const int64_t count = scalay_workload_front_count(front);
    assert_true(count > 100000);
    const int64_t kept = scalay_memory_bytes() - before;
    print_message("%lld points, %.1f bytes each, %.1f while they were found\n", (long long)count,
                  (double)kept / (double)count, (double)(scalay_memory_peak() - before) / (double)count);
    assert_true(kept <= 24 * count + 1024);
    for (int64_t k = 0; k < SAMPLES; k++) check_point(front, k * (count - 1) / (SAMPLES - 1));
    assert_int_equal(scalay_memory_bytes() - before, kept);
    scalay_workload_front_destroy(&front);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows_are_read),
        cmocka_unit_test(a_mistake_in_the_last_of_a_million_rows_is_told),
        cmocka_unit_test(a_front_of_a_hundred_thousand_points_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
