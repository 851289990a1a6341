/* Bad arguments, and the n-th allocation that fails, for every constructor, the reader and the writer. */
#include "profiles.h"

#include <math.h>
#include <unistd.h>

static const int64_t size[] = {1, 2};
static const double time_list[] = {1, 2};
static const double energy_list[] = {3, 4};

static int constant_one(int64_t asked, double *time, double *energy, void *context)
{
    (void)asked;
    *time = 1;
    *energy = *(const double *)context;
    return 1;
}

static void expect_refusal(scalay_status status, scalay_profile *profile, const char *function, const char *word)
{
    assert_int_equal(status, SCALAY_ERROR_ARGUMENT);
    assert_null(profile);
    assert_message(function);
    assert_message(word);
}

#define REFUSED(word, function, ...)                                                                                   \
    do {                                                                                                               \
        scalay_profile *profile = (scalay_profile *)&profile;                                                          \
        scalay_status refused = function(__VA_ARGS__, &profile);                                                       \
        expect_refusal(refused, profile, #function, word);                                                             \
    } while (0)

static void tables_with_bad_arguments_are_refused(void **state)
{
    (void)state;
    const int64_t twice[] = {2, 2};
    const int64_t zero[] = {1, 0};
    const double negative[] = {1, -1e-300};
    const double infinite[] = {INFINITY, 1};
    const double nan_list[] = {1, NAN};
    char name[257];
    memset(name, 'x', 256);
    name[256] = '\0';
    REFUSED("name is NULL", scalay_profile_table, NULL, 1, 2, size, time_list, NULL);
    REFUSED("name is ''", scalay_profile_table, "", 1, 2, size, time_list, NULL);
    REFUSED("name is 'a,b'", scalay_profile_table, "a,b", 1, 2, size, time_list, NULL);
    REFUSED("name is 'a\"'", scalay_profile_table, "a\"", 1, 2, size, time_list, NULL);
    REFUSED("name is 'a?b'", scalay_profile_table, "a\nb", 1, 2, size, time_list, NULL);
    REFUSED("name is '#a'", scalay_profile_table, "#a", 1, 2, size, time_list, NULL);
    REFUSED("name is ' a'", scalay_profile_table, " a", 1, 2, size, time_list, NULL);
    REFUSED("255 bytes", scalay_profile_table, name, 1, 2, size, time_list, NULL);
    REFUSED("count is 0", scalay_profile_table, "a", 0, 2, size, time_list, NULL);
    REFUSED("points is 0", scalay_profile_table, "a", 1, 0, size, time_list, NULL);
    REFUSED("size is NULL", scalay_profile_table, "a", 1, 2, NULL, time_list, NULL);
    REFUSED("time is NULL", scalay_profile_table, "a", 1, 2, size, NULL, NULL);
    REFUSED("size[1] is 2, equal to size[0]", scalay_profile_table, "a", 1, 2, twice, time_list, NULL);
    REFUSED("size[1] is 0", scalay_profile_table, "a", 1, 2, zero, time_list, NULL);
    REFUSED("time[1] is -1e-300", scalay_profile_table, "a", 1, 2, size, negative, NULL);
    REFUSED("time[0] is inf", scalay_profile_table, "a", 1, 2, size, infinite, NULL);
    REFUSED("energy[1] is nan", scalay_profile_table, "a", 1, 2, size, time_list, nan_list);
    assert_int_equal(scalay_profile_table("a", 1, 2, size, time_list, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_message("profile is NULL");
    assert_int_equal(scalay_memory_live(), 0);
}

static void functions_with_bad_arguments_are_refused(void **state)
{
    (void)state;
    double joules = NAN;
    const int64_t twice[] = {2, 2};
    REFUSED("largest is 0", scalay_profile_constant_speed, "a", 1, 0, 1.0, 1.0);
    REFUSED("count is -1", scalay_profile_constant_speed, "a", -1, 1, 1.0, 1.0);
    REFUSED("speed is 0", scalay_profile_constant_speed, "a", 1, 1, 0.0, 1.0);
    REFUSED("speed is nan", scalay_profile_constant_speed, "a", 1, 1, NAN, 1.0);
    REFUSED("speed is inf", scalay_profile_constant_speed, "a", 1, 1, INFINITY, 1.0);
    REFUSED("power is nan", scalay_profile_constant_speed, "a", 1, 1, 1.0, NAN);
    REFUSED("time(1) is inf", scalay_profile_constant_speed, "a", 1, 1, 1e-310, -1.0);
    REFUSED("size[1] is 2", scalay_profile_piecewise_linear, "a", 1, 2, twice, time_list, NULL);
    REFUSED("points is -1", scalay_profile_piecewise_linear, "a", 1, -1, size, time_list, NULL);
    REFUSED("callback is NULL", scalay_profile_function, "a", 1, 2, NULL, NULL, 0);
    REFUSED("largest is -5", scalay_profile_function, "a", 1, -5, constant_one, &joules, 1);
    REFUSED("energy(1) is nan", scalay_profile_function, "a", 1, 2, constant_one, &joules, 1);
    REFUSED("profiles is 0", scalay_profile_join, 0, NULL);
    REFUSED("list is NULL", scalay_profile_join, 1, NULL);
    const scalay_profile *none[] = {NULL};
    REFUSED("list[0] is NULL", scalay_profile_join, 1, none);
    REFUSED("path is NULL", scalay_profile_read, NULL);
    REFUSED("text is NULL", scalay_profile_parse, "t", NULL, 0);
    REFUSED("name is NULL", scalay_profile_parse, NULL, "", 0);
    assert_int_equal(scalay_profile_constant_speed("a", 1, 4, 1.0, 1.0, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_memory_live(), 0);
}

static void more_points_than_memory_fail_at_once(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    const int64_t far[] = {1, INT64_MAX};
    assert_int_equal(scalay_profile_constant_speed("a", 1, INT64_MAX / 8, 1.0, 1.0, &profile), SCALAY_ERROR_MEMORY);
    assert_int_equal(scalay_profile_piecewise_linear("a", 1, 2, far, time_list, NULL, &profile), SCALAY_ERROR_MEMORY);
    assert_null(profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void queries_outside_are_refused(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    int64_t points = 7;
    const int64_t *told = size;
    double time = 0;
    assert_success(scalay_profile_table("a", 1, 2, size, time_list, energy_list, &profile));
    assert_int_equal(scalay_profile_points(profile, 1, &points, &told, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_message("group is 1");
    assert_true(points == 0 && told == NULL);
    assert_int_equal(scalay_profile_points(profile, 0, NULL, NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_points(NULL, 0, &points, NULL, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_get_point(profile, -1, 1, &time, NULL), SCALAY_ERROR_ARGUMENT);
    assert_message("group is -1");
    assert_int_equal(scalay_profile_get_point(profile, 0, 1, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_get_point(NULL, 0, 1, &time, NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_write(NULL, "x"), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_profile_write(profile, NULL), SCALAY_ERROR_ARGUMENT);
    assert_string_equal(scalay_profile_name(profile, 1), "");
    assert_string_equal(scalay_profile_name(NULL, 0), "");
    assert_int_equal(scalay_profile_multiplicity(profile, 2) + scalay_profile_largest(profile, 2), 0);
    assert_int_equal(scalay_profile_groups(NULL) + scalay_profile_has_energy(NULL), 0);
    assert_int_equal(scalay_profile_processors(NULL), 0);
    scalay_profile_destroy(&profile);
    scalay_profile_destroy(&profile);
    scalay_profile_destroy(NULL);
    assert_int_equal(scalay_memory_live(), 0);
}

enum { TABLE, CONSTANT, LINEAR, FUNCTION, JOIN, PARSE, READ, WAYS };

static scalay_status make(int way, const scalay_profile *const *list, scalay_profile **profile)
{
    static const char text[] = "processor,size,time,energy,count\nb,2,1,1.5,2\na,1,1,1,1\nb,1,1,0.25,2\n";
    double joules = 2.5;
    switch (way) {
    case TABLE:
        return scalay_profile_table("t", 1, 2, size, time_list, energy_list, profile);
    case CONSTANT:
        return scalay_profile_constant_speed("c", 1, 20, 2.0, 1.0, profile);
    case LINEAR:
        return scalay_profile_piecewise_linear("l", 1, 2, size, time_list, energy_list, profile);
    case FUNCTION:
        return scalay_profile_function("f", 1, 10, constant_one, &joules, 1, profile);
    case JOIN:
        return scalay_profile_join(2, list, profile);
    case PARSE:
        return scalay_profile_parse("text", text, sizeof text - 1, profile);
    default:
        return scalay_profile_read("profile_errors.csv", profile);
    }
}

static void an_allocation_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    scalay_profile *part[2] = {NULL, NULL};
    assert_success(scalay_profile_table("a", 1, 2, size, time_list, energy_list, &part[0]));
    assert_success(scalay_profile_table("b", 1, 2, size, time_list, energy_list, &part[1]));
    const scalay_profile *list[] = {part[0], part[1]};
    assert_success(scalay_profile_write(part[0], "profile_errors.csv"));
    int64_t before = scalay_memory_live();
    for (int way = 0; way < WAYS; way++) {
        scalay_status status = SCALAY_ERROR_MEMORY;
        int failures = 0;
        for (int64_t n = 1; status != SCALAY_SUCCESS; n++) {
            scalay_profile *profile = NULL;
            scalay_memory_fail_at(n);
            status = make(way, list, &profile);
            scalay_memory_fail_at(0);
            assert_true(status == SCALAY_SUCCESS || (status == SCALAY_ERROR_MEMORY && profile == NULL));
            failures += status != SCALAY_SUCCESS;
            scalay_profile_destroy(&profile);
            assert_int_equal(scalay_memory_live(), before);
        }
        assert_true(failures >= 5);
    }
    scalay_profile_destroy(&part[0]);
    scalay_profile_destroy(&part[1]);
    (void)unlink("profile_errors.csv");
    assert_int_equal(scalay_memory_live(), 0);
}

static void a_write_without_memory_leaves_no_file(void **state)
{
    (void)state;
    scalay_profile *profile = NULL;
    assert_success(scalay_profile_table("a", 1, 2, size, time_list, energy_list, &profile));
    for (int64_t n = 1; n <= 2; n++) {
        scalay_memory_fail_at(n);
        assert_int_equal(scalay_profile_write(profile, "profile_errors_2.csv"), SCALAY_ERROR_MEMORY);
        scalay_memory_fail_at(0);
        assert_int_not_equal(access("profile_errors_2.csv", F_OK), 0);
    }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_with_bad_arguments_are_refused),
        cmocka_unit_test(functions_with_bad_arguments_are_refused),
        cmocka_unit_test(more_points_than_memory_fail_at_once),
        cmocka_unit_test(queries_outside_are_refused),
        cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
        cmocka_unit_test(a_write_without_memory_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
