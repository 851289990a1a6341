/* The published methods by their names: what callers get is what the exact solvers give, or a refusal with a reason. */
#include "oracle_cmocka.h"
#include "scalay/published.h"
#include "scalay/workload.h"
#include "support/measured.h"

enum { LARGEST = 60 };

static scalay_profile *identical(profile_shape shape, uint64_t seed, int64_t count)
{
    double workspace[3 * LARGEST];
    scalay_profile *profile = NULL;
    assert_success(profile_generate("node", count, shape, seed, 100.0, LARGEST, workspace, &profile));
    return profile;
}

static scalay_profile *different(uint64_t seed, int64_t count)
{
    double workspace[3 * LARGEST];
    scalay_profile *part[3] = {NULL};
    scalay_profile *profile = NULL;
    static const char *const names[] = {"cpu", "gpu", "phi"};
    for (int j = 0; j < 3; j++)
        assert_success(
            profile_generate(names[j], count, (profile_shape)j, seed, 50.0 * (j + 1), LARGEST, workspace, &part[j]));
    assert_success(scalay_profile_join(3, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < 3; j++) scalay_profile_destroy(&part[j]);
    return profile;
}

static scalay_status call(const scalay_profile *profile, int64_t n, const char *method, int energy,
                          scalay_workload **workload)
{
    if (strcmp(method, "auto") != 0) return scalay_published_distribute(profile, n, method, workload);
    return energy ? scalay_workload_min_energy(profile, n, NULL, workload)
                  : scalay_workload_min_time(profile, n, NULL, workload);
}

/* Sizes and sums as the profile has them; returns what was made small. */
static double check_workload(const scalay_profile *profile, int64_t n, const char *method,
                             const scalay_workload *workload)
{
    scalay_workload_summary summary;
    const scalay_workload_share *share = NULL;
    int64_t shares = 0;
    int64_t sum = 0;
    double longest = 0.0;
    assert_true(scalay_workload_feasible(workload));
    assert_success(scalay_workload_get_summary(workload, &summary));
    assert_string_equal(summary.method, method);
    assert_success(scalay_workload_histogram(workload, &shares, &share));
    for (int64_t k = 0; k < shares; k++) {
        double time = 0.0;
        assert_success(scalay_profile_get_point(profile, share[k].group, share[k].size, &time, NULL));
        longest = fmax(longest, time);
        sum += share[k].size * share[k].count;
    }
    assert_int_equal(sum, n);
    assert_true(longest == summary.time);
    return summary.total;
}

static void agree(const scalay_profile *profile, int64_t n, const char *method, int energy)
{
    scalay_workload *theirs = NULL;
    scalay_workload *ours = NULL;
    assert_success(call(profile, n, method, energy, &theirs));
    assert_success(call(profile, n, "auto", energy, &ours));
    assert_true(check_workload(profile, n, method, theirs) == check_workload(profile, n, "auto", ours));
    scalay_workload_destroy(&theirs);
    scalay_workload_destroy(&ours);
}

static void exact_methods_return_what_auto_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        scalay_profile *same = identical((profile_shape)(seed % PROFILE_SHAPES), seed, 5);
        scalay_profile *groups = different(seed, 2);
        const int64_t n = 100 + 13 * (int64_t)seed;
        agree(same, n, "popta", 0);
        agree(same, n, "eopta", 1);
        agree(same, n, "hpopta", 0);
        agree(groups, n, "hpopta", 0);
        agree(groups, n, "hipopta", 0);
        scalay_profile_destroy(&same);
        scalay_profile_destroy(&groups);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void compare_fronts(const scalay_profile *profile, int64_t n, const char *method, double power)
{
    scalay_workload_front *theirs = NULL;
    scalay_workload_front *ours = NULL;
    assert_success(scalay_published_front(profile, n, fmax(power, 0.0), method, &theirs));
    assert_success(power < 0.0 ? scalay_workload_front_create(profile, n, NULL, &ours)
                               : scalay_workload_front_create_total(profile, n, power, NULL, &ours));
    assert_int_equal(scalay_workload_front_count(theirs), scalay_workload_front_count(ours));
    for (int64_t k = 0; k < scalay_workload_front_count(ours); k++) {
        scalay_workload_front_point mine, point;
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        assert_success(scalay_workload_front_get_point(ours, k, &mine));
        assert_success(scalay_workload_front_get_point(theirs, k, &point));
        assert_true(point.time == mine.time && point.energy == mine.energy && point.active >= mine.active);
        assert_success(scalay_workload_front_get_workload(theirs, k, &workload));
        (void)check_workload(profile, n, method, workload);
        assert_success(scalay_workload_get_summary(workload, &summary));
        assert_true(summary.time == point.time && summary.energy == point.energy && summary.active == point.active);
        scalay_workload_destroy(&workload);
    }
    scalay_workload_front_destroy(&theirs);
    scalay_workload_front_destroy(&ours);
}

static void front_methods_return_what_auto_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        scalay_profile *same = identical((profile_shape)(seed % PROFILE_SHAPES), seed, 4);
        scalay_profile *groups = different(seed, 1);
        compare_fronts(same, 90, "aleph", -1.0);
        compare_fronts(same, 90, "hepopta", -1.0);
        compare_fronts(groups, 90, "hepopta", -1.0);
        compare_fronts(groups, 90, "htpopta", 50.0 * (double)seed);
        scalay_profile_destroy(&same);
        scalay_profile_destroy(&groups);
    }
    assert_int_equal(scalay_memory_live(), 0);
}

static void what_cannot_be_distributed_is_an_answer(void **state)
{
    (void)state;
    static const char *const methods[] = {"popta", "hpopta", "hipopta", "even", "cpm", "fpm", "eopta"};
    scalay_profile *profile = identical(PROFILE_FFT, 1, 3);
    for (int m = 0; m < 7; m++) {
        int64_t below = 0;
        int64_t above = 0;
        scalay_workload *workload = NULL;
        assert_success(call(profile, 3 * LARGEST + 5, methods[m], m == 6, &workload));
        assert_false(scalay_workload_feasible(workload));
        assert_success(scalay_workload_nearest(workload, &below, &above));
        assert_true(below == 3 * LARGEST && above == -1);
        scalay_workload_destroy(&workload);
    }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void expect(const scalay_profile *profile, int64_t n, const char *method, scalay_status status, const char *word)
{
    scalay_workload *workload = NULL;
    assert_int_equal(scalay_published_distribute(profile, n, method, &workload), status);
    assert_null(workload);
    assert_non_null(strstr(scalay_error_message(), "scalay_published_distribute"));
    assert_non_null(strstr(scalay_error_message(), word));
}

static void expect_front(const scalay_profile *profile, double power, const char *method, scalay_status status,
                         const char *word)
{
    scalay_workload_front *front = NULL;
    assert_int_equal(scalay_published_front(profile, 50, power, method, &front), status);
    assert_null(front);
    assert_non_null(strstr(scalay_error_message(), "scalay_published_front"));
    assert_non_null(strstr(scalay_error_message(), word));
}

static void refusals_name_function_method_and_remedy(void **state)
{
    (void)state;
    const int64_t size[] = {1, 2, 4, 7};
    const double time[] = {1.0, 2.0, 3.0, 4.0};
    const double none[] = {0.0, 0.0, 0.0, 0.0};
    scalay_profile *groups = different(1, 2);
    scalay_profile *holes = NULL;
    scalay_profile *many = NULL;
    scalay_profile *instant = NULL;
    assert_success(scalay_profile_table("node", 2, 4, size, time, time, &holes));
    assert_success(scalay_profile_table("node", 2, 4, size, none, time, &instant));
    assert_success(scalay_profile_table("node", INT64_C(1) << 40, 4, size, time, time, &many));
    expect(groups, 50, "popta", SCALAY_ERROR_UNSUPPORTED, "popta");
    expect(groups, 50, "eopta", SCALAY_ERROR_UNSUPPORTED, "eopta");
    expect(groups, 50, "hepopta", SCALAY_ERROR_ARGUMENT, "hepopta");
    expect(groups, 50, "magic\n", SCALAY_ERROR_ARGUMENT, "popta, eopta");
    expect(groups, 50, NULL, SCALAY_ERROR_ARGUMENT, "method is NULL");
    expect(groups, -1, "even", SCALAY_ERROR_ARGUMENT, "n = -1");
    expect(NULL, 50, "even", SCALAY_ERROR_ARGUMENT, "profile is NULL");
    expect_front(groups, 0.0, "aleph", SCALAY_ERROR_UNSUPPORTED, "3 groups");
    expect_front(groups, 0.0, "popta", SCALAY_ERROR_ARGUMENT, "hepopta, htpopta, aleph");
    expect_front(groups, 1.0, "hepopta", SCALAY_ERROR_ARGUMENT, "base_power = 1");
    expect_front(groups, -1.0, "htpopta", SCALAY_ERROR_ARGUMENT, "base_power = -1");
    expect_front(groups, 1e308, "htpopta", SCALAY_ERROR_RANGE, "base_power = 1e+308");
    assert_int_equal(scalay_published_distribute(groups, 50, "even", NULL), SCALAY_ERROR_ARGUMENT);
    assert_int_equal(scalay_published_front(groups, 50, 0.0, "hepopta", NULL), SCALAY_ERROR_ARGUMENT);
    /* {4, 2} is even for 6, but not listed as {3, 3}. */
    expect(holes, 6, "even", SCALAY_ERROR_UNSUPPORTED, "even wants to give 3");
    expect(holes, 6, "cpm", SCALAY_ERROR_UNSUPPORTED, "cpm wants to give 3");
    expect(instant, 6, "cpm", SCALAY_ERROR_UNSUPPORTED, "takes no time");
    expect(many, INT64_C(1) << 40, "popta", SCALAY_ERROR_UNSUPPORTED, "popta needs a table");
    expect(many, INT64_C(1) << 40, "hpopta", SCALAY_ERROR_UNSUPPORTED, "hpopta needs a table");
    expect(many, INT64_C(1) << 40, "fpm", SCALAY_ERROR_UNSUPPORTED, "use method \"auto\"");
    expect(many, INT64_C(1) << 40, "eopta", SCALAY_ERROR_UNSUPPORTED, "eopta needs a table");
    scalay_profile_destroy(&groups);
    scalay_profile_destroy(&holes);
    scalay_profile_destroy(&instant);
    scalay_profile_destroy(&many);
    assert_int_equal(scalay_memory_live(), 0);
}

static void all_methods_are_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"popta",   "eopta", "eopta-convex", "hpopta", "hipopta", "hepopta",
                                        "htpopta", "aleph", "even",         "cpm",    "fpm"};
    scalay_published_objective objective = SCALAY_OBJECTIVE_FRONT;
    for (int k = 0; k < 11; k++) assert_string_equal(scalay_published_methods(k, NULL), names[k]);
    assert_null(scalay_published_methods(11, NULL));
    assert_null(scalay_published_methods(-1, NULL));
    assert_non_null(scalay_published_methods(2, &objective));
    assert_int_equal(objective, SCALAY_OBJECTIVE_ENERGY);
}

/* Each name is accepted by the call for its objective, and by no other. */
static void every_method_solves_what_it_is_listed_for(void **state)
{
    (void)state;
    scalay_profile *profile = identical(PROFILE_FFT, 5, 3);
    scalay_published_objective objective;
    const char *name = NULL;
    for (int k = 0; (name = scalay_published_methods(k, &objective)) != NULL; k++) {
        scalay_workload *workload = NULL;
        scalay_workload_front *front = NULL;
        const int of_fronts = objective == SCALAY_OBJECTIVE_FRONT || objective == SCALAY_OBJECTIVE_TOTAL_FRONT;
        const double power = objective == SCALAY_OBJECTIVE_TOTAL_FRONT ? 1.0 : 0.0;
        assert_int_equal(scalay_published_distribute(profile, 6, name, &workload) == SCALAY_SUCCESS, !of_fronts);
        assert_int_equal(scalay_published_front(profile, 6, power, name, &front) == SCALAY_SUCCESS, of_fronts);
        scalay_workload_destroy(&workload);
        scalay_workload_front_destroy(&front);
    }
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_methods_return_what_auto_does),
        cmocka_unit_test(front_methods_return_what_auto_does),
        cmocka_unit_test(what_cannot_be_distributed_is_an_answer),
        cmocka_unit_test(refusals_name_function_method_and_remedy),
        cmocka_unit_test(all_methods_are_listed),
        cmocka_unit_test(every_method_solves_what_it_is_listed_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
