/* Profiles from tables and functions: what they tell is what was given, energies are exact, references are counted. */
#include "profiles.h"

#include <math.h>

static void a_table_is_sorted_and_told(void **state)
{
    (void)state;
    const int64_t size[] = {5, 1, 3};
    const double time[] = {1.5, 0.1, 0.7};
    const double energy[] = {1.25, -0.0, 3e-3};
    scalay_profile *profile = NULL;
    int64_t points = 0;
    const int64_t *told_size = NULL;
    const double *told_time = NULL;
    const double *told_energy = NULL;
    assert_success(scalay_profile_table("gpu", 4, 3, size, time, energy, &profile));
    assert_int_equal(scalay_profile_groups(profile), 1);
    assert_int_equal(scalay_profile_processors(profile), 4);
    assert_int_equal(scalay_profile_multiplicity(profile, 0), 4);
    assert_int_equal(scalay_profile_largest(profile, 0), 5);
    assert_true(scalay_profile_has_energy(profile));
    assert_string_equal(scalay_profile_name(profile, 0), "gpu");
    assert_success(scalay_profile_points(profile, 0, &points, &told_size, &told_time, &told_energy));
    assert_int_equal(points, 3);
    const int order[] = {1, 2, 0};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(told_size[k], size[order[k]]);
        assert_true(told_time[k] == time[order[k]]);
        assert_true(told_energy[k] == energy[order[k]] && !signbit(told_energy[k]));
    }
    assert_int_equal(profile->energy_digits, 3);
    assert_int_equal(profile->group[0].energy_units[0], 0);
    assert_int_equal(profile->group[0].energy_units[1], 3);
    assert_int_equal(profile->group[0].energy_units[2], 1250);
    scalay_profile_destroy(&profile);
    assert_null(profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void sizes_are_points_holes_or_nothing(void **state)
{
    (void)state;
    const int64_t size[] = {2, 3, 7};
    const double time[] = {1, 2, 3};
    const double energy[] = {4, 5, 6};
    scalay_profile *with = NULL;
    scalay_profile *without = NULL;
    assert_success(scalay_profile_table("a", 1, 3, size, time, energy, &with));
    assert_success(scalay_profile_table("a", 1, 3, size, time, NULL, &without));
    for (int64_t x = -2; x < 10; x++) {
        double t = -1;
        double e = -1;
        int k = x == 2 ? 0 : x == 3 ? 1 : x == 7 ? 2 : -1;
        assert_success(scalay_profile_get_point(with, 0, x, &t, &e));
        assert_true(t == (k >= 0 ? time[k] : x == 0 ? 0.0 : (double)INFINITY));
        assert_true(e == (k >= 0 ? energy[k] : x == 0 ? 0.0 : (double)INFINITY));
        assert_success(scalay_profile_get_point(without, 0, x, &t, &e));
        assert_true(e == (k >= 0 || x == 0 ? 0.0 : (double)INFINITY));
        assert_success(scalay_profile_get_point(without, 0, x, &t, NULL));
    }
    assert_false(scalay_profile_has_energy(without));
    scalay_profile_destroy(&with);
    scalay_profile_destroy(&without);
    assert_int_equal(scalay_memory_live(), 0);
}

static void constant_speeds_are_size_over_speed(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_constant_speed("c", 2, 1000, 3.0, 50.0, &profile));
    assert_int_equal(profile->group[0].points, 1000);
    assert_true(profile->energy_digits <= 6);
    for (int64_t x = 1; x <= 1000; x++) {
        double t = 0;
        double e = 0;
        assert_success(scalay_profile_get_point(profile, 0, x, &t, &e));
        assert_true(t == (double)x / 3.0);
        assert_true(fabs(e - 50.0 * (double)x / 3.0) <= 0.5000001e-6);
        assert_true(e == (double)profile->group[0].energy_units[x - 1] / pow(10, profile->energy_digits));
    }
    scalay_profile_destroy(&profile);
    assert_success(scalay_profile_constant_speed("c", 2, 10, 3.0, -1.0, &profile));
    assert_false(scalay_profile_has_energy(profile));
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void piecewise_linear_functions_pass_through_their_points(void **state)
{
    (void)state;
    const int64_t size[] = {10, 4, 5};
    const double time[] = {3.5, 2, 1};
    const double energy[] = {100, 8, 20};
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_piecewise_linear("p", 1, 3, size, time, energy, &profile));
    /* 0.5 x to 4, 6 - x to 5, 0.5 x - 1.5 to 10; energies 2 x, 12 x - 40, 16 x - 60. */
    for (int64_t x = 1; x <= 10; x++) {
        double t = 0;
        double e = 0;
        double y = (double)x;
        assert_success(scalay_profile_get_point(profile, 0, x, &t, &e));
        assert_true(fabs(t - (x <= 4 ? 0.5 * y : x <= 5 ? 6 - y : 0.5 * y - 1.5)) < 1e-12);
        assert_true(e == (x <= 4 ? 2 * y : x <= 5 ? 12 * y - 40 : 16 * y - 60));
    }
    assert_int_equal(scalay_profile_largest(profile, 0), 10);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static int even_squares(int64_t size, double *time, double *energy, void *context)
{
    int64_t *calls = context;
    if (*time != 0.0 || *energy != 0.0 || size != ++*calls) return 1;
    *time = 0.5 * (double)size;
    *energy = (double)(size * size);
    return size % 2 == 0;
}

static void functions_are_asked_once_for_every_size(void **state)
{
    (void)state;
    int64_t calls = 0;
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_function("f", 1, 9, even_squares, &calls, 1, &profile));
    assert_int_equal(calls, 9);
    assert_int_equal(profile->group[0].points, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(profile->group[0].size[k], 2 * k + 2);
        assert_true(profile->group[0].time[k] == k + 1);
        assert_int_equal(profile->group[0].energy_units[k], (2 * k + 2) * (2 * k + 2));
    }
    scalay_profile_destroy(&profile);
    calls = 0;
    assert_int_equal(scalay_profile_function("f", 1, 1, even_squares, &calls, 1, &profile), SCALAY_ERROR_ARGUMENT);
    assert_message("all sizes are holes");
    assert_int_equal(scalay_memory_live(), 0);
}

/* The units against the definition: every energy is units / 10^digits, and with one digit less some is not. */
static void energies_are_multiples_of_the_coarsest_unit(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(41));
    for (int round = 0; round < 2000; round++) {
        enum { POINTS = 5 };
        int64_t size[POINTS];
        int64_t units[POINTS];
        double time[POINTS] = {0};
        double energy[POINTS];
        int digits = (int)scalay_random_below(&random, 13);
        int64_t bound = INT64_C(999999999999999) >> scalay_random_below(&random, 40);
        int whole = 1;
        for (int k = 0; k < POINTS; k++) {
            char text[64];
            size[k] = POINTS - k;
            units[k] = scalay_random_below(&random, bound + 1);
            whole = whole && units[k] % 10 == 0;
            (void)snprintf(text, sizeof text, "%llde-%d", (long long)units[k], digits);
            energy[k] = strtod(text, NULL);
        }
        if (whole && digits > 0) continue;
        scalay_profile *profile = NULL;
        assert_success(scalay_profile_table("r", 1, POINTS, size, time, energy, &profile));
        assert_int_equal(profile->energy_digits, digits);
        for (int k = 0; k < POINTS; k++) assert_int_equal(profile->group[0].energy_units[POINTS - 1 - k], units[k]);
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void energies_without_a_common_unit_are_refused(void **state)
{
    (void)state;
    const int64_t size[] = {1, 2};
    const double time[] = {1, 1};
    const double mixed[] = {1e10, 0.1234567};
    const double fine[] = {1, 1e-19};
    const double most[] = {9007199254740992.0, 1};
    const double more[] = {9007199254740994.0, 1};
    const double thirds[] = {1000.0 / 3.0, 1};
    scalay_profile *profile = NULL;
    assert_int_equal(scalay_profile_table("a", 1, 2, size, time, mixed, &profile), SCALAY_ERROR_RANGE);
    assert_message("energy[0] is 10000000000");
    assert_message("energy[1], 0.1234567");
    assert_int_equal(scalay_profile_table("a", 1, 2, size, time, fine, &profile), SCALAY_ERROR_RANGE);
    assert_message("energy[1] is 1e-19");
    assert_int_equal(scalay_profile_table("a", 1, 2, size, time, more, &profile), SCALAY_ERROR_RANGE);
    assert_success(scalay_profile_table("a", 1, 2, size, time, most, &profile));
    assert_int_equal(profile->group[0].energy_units[0], INT64_C(1) << 53);
    scalay_profile_destroy(&profile);
    assert_success(scalay_profile_table("a", 1, 2, size, time, thirds, &profile)); /* 333.3333333333333 */
    assert_int_equal(profile->energy_digits, 13);
    assert_int_equal(profile->group[0].energy_units[0], INT64_C(3333333333333333));
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void joined_profiles_share_a_unit(void **state)
{
    (void)state;
    const int64_t size[] = {1, 2};
    const double time[] = {1, 2};
    const double coarse[] = {20, 30};
    const double finer[] = {0.25, 1.5};
    const double large[] = {1e15, 1};
    scalay_profile *part[4] = {NULL};
    scalay_profile *whole = NULL;
    assert_success(scalay_profile_table("a", 3, 2, size, time, coarse, &part[0]));
    assert_success(scalay_profile_table("b", 1, 2, size, time, finer, &part[1]));
    assert_success(scalay_profile_table("c", 2, 2, size, time, NULL, &part[2]));
    assert_success(scalay_profile_table("d", 1, 2, size, time, large, &part[3]));
    const scalay_profile *two[] = {part[0], part[1]};
    assert_success(scalay_profile_join(2, two, &whole));
    assert_int_equal(scalay_profile_groups(whole), 2);
    assert_int_equal(scalay_profile_processors(whole), 4);
    assert_int_equal(whole->energy_digits, 2);
    assert_int_equal(whole->group[0].energy_units[1], 3000);
    assert_int_equal(whole->group[1].energy_units[0], 25);
    assert_true(whole->group[0].energy[1] == 30);
    scalay_profile_destroy(&whole);
    const scalay_profile *unknown[] = {part[1], part[2]};
    assert_success(scalay_profile_join(2, unknown, &whole));
    assert_false(scalay_profile_has_energy(whole));
    assert_null(whole->group[0].energy);
    assert_int_equal(whole->energy_digits, 0);
    scalay_profile_destroy(&whole);
    const scalay_profile *apart[] = {part[3], part[1]};
    assert_int_equal(scalay_profile_join(2, apart, &whole), SCALAY_ERROR_RANGE);
    assert_message("'d' is 1000000000000000 J");
    assert_message("'b'");
    const scalay_profile *twice[] = {part[0], part[0]};
    assert_int_equal(scalay_profile_join(2, twice, &whole), SCALAY_ERROR_ARGUMENT);
    assert_message("'a'");
    for (int k = 0; k < 4; k++) scalay_profile_destroy(&part[k]);
    assert_int_equal(scalay_memory_live(), 0);
}

/* The lower hull by its definition: no point lies below the line through two corners next to each other, and every
 * corner but the ends lies below the line through its neighbours. */
static void check_hull(const scalay_profile_group *group)
{
    const scalay_profile_corner *corner = group->corner;
    assert_true(group->corners >= 2 && corner[0].place == 0 && corner[group->corners - 1].place == group->points);
    for (int64_t k = 0; k + 1 < group->corners; k++) {
        const int64_t left = corner[k].place;
        const int64_t right = corner[k + 1].place;
        const double start = left == 0 ? 0.0 : (double)group->size[left - 1];
        const double slope =
            (double)(group->energies[right] - group->energies[left]) / ((double)group->size[right - 1] - start);
        double lift = INFINITY;
        for (int64_t place = 1; place <= group->points; place++) {
            const double height = (double)(group->energies[place] - group->energies[left]) -
                                  slope * ((double)group->size[place - 1] - start);
            assert_true(height > -1e-6);
            if (place > left && place < right) lift = fmin(lift, height);
            if (k > 0 && place == corner[k - 1].place) assert_true(height > 1e-6);
        }
        assert_true(lift == corner[k].lift || fabs(lift - corner[k].lift) < 1e-6);
    }
}

static void profiles_keep_hulls_and_how_soon_sizes_can_be_done(void **state)
{
    (void)state;
    scalay_random random = scalay_random_seed(1);
    for (int round = 0; round < 300; round++) {
        int64_t size[40];
        double time[40];
        double energy[40];
        const int64_t points = 1 + scalay_random_below(&random, 40);
        for (int64_t k = 0; k < points; k++) {
            size[k] = (k > 0 ? size[k - 1] : 0) + 1 + scalay_random_below(&random, 3);
            time[k] = (double)scalay_random_below(&random, 50);
            energy[k] = (double)(scalay_random_below(&random, 20) + (round % 3) * size[k]);
        }
        scalay_profile *profile = NULL;
        assert_success(scalay_profile_table("p", 3, points, size, time, energy, &profile));
        const scalay_profile_group *group = &profile->group[0];
        check_hull(group);
        for (int64_t place = 0; place <= points; place++) {
            double least = INFINITY;
            for (int64_t k = place; k <= points; k++) least = fmin(least, group->times[k]);
            assert_true(group->soonest[place] == least);
        }
        scalay_profile_destroy(&profile);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void what_is_retained_outlives_its_maker(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_constant_speed("c", 1, 3, 1.0, 1.0, &profile));
    scalay_profile *same = scalay_profile_retain(profile);
    scalay_profile_destroy(&profile);
    assert_null(profile);
    assert_int_equal(scalay_profile_largest(same, 0), 3);
    scalay_profile_destroy(&same);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_sorted_and_told),
        cmocka_unit_test(sizes_are_points_holes_or_nothing),
        cmocka_unit_test(constant_speeds_are_size_over_speed),
        cmocka_unit_test(piecewise_linear_functions_pass_through_their_points),
        cmocka_unit_test(functions_are_asked_once_for_every_size),
        cmocka_unit_test(energies_are_multiples_of_the_coarsest_unit),
        cmocka_unit_test(energies_without_a_common_unit_are_refused),
        cmocka_unit_test(joined_profiles_share_a_unit),
        cmocka_unit_test(profiles_keep_hulls_and_how_soon_sizes_can_be_done),
        cmocka_unit_test(what_is_retained_outlives_its_maker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
