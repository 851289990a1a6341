/* The published methods by their names: what callers get is what the exact solvers give, or a refusal with a reason. */
#include "oracle_cmocka.h"
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
    scalay_workload_options options = scalay_workload_options_default();
    options.method = method;
    return energy ? scalay_workload_min_energy(profile, n, &options, workload)
                  : scalay_workload_min_time(profile, n, &options, workload);
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
    scalay_workload_options options = scalay_workload_options_default();
    scalay_workload_front *theirs = NULL;
    scalay_workload_front *ours = NULL;
    options.method = method;
    assert_success(power < 0.0 ? scalay_workload_front_create(profile, n, &options, &theirs)
                               : scalay_workload_front_create_total(profile, n, power, &options, &theirs));
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

static void expect(const scalay_profile *profile, int64_t n, const char *method, int energy, scalay_status status,
                   const char *word)
{
    scalay_workload *workload = NULL;
    assert_int_equal(call(profile, n, method, energy, &workload), status);
    assert_null(workload);
    assert_non_null(strstr(scalay_error_message(), energy ? "scalay_workload_min_energy" : "scalay_workload_min_time"));
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
    expect(groups, 50, "popta", 0, SCALAY_ERROR_UNSUPPORTED, "popta");
    expect(groups, 50, "eopta", 1, SCALAY_ERROR_UNSUPPORTED, "eopta");
    expect(groups, 50, "popta", 1, SCALAY_ERROR_ARGUMENT, "eopta");
    expect(groups, 50, "hepopta", 0, SCALAY_ERROR_ARGUMENT, "hepopta");
    /* {4, 2} is even for 6, but not listed as {3, 3}. */
    expect(holes, 6, "even", 0, SCALAY_ERROR_UNSUPPORTED, "even wants to give 3");
    expect(holes, 6, "cpm", 0, SCALAY_ERROR_UNSUPPORTED, "cpm wants to give 3");
    expect(instant, 6, "cpm", 0, SCALAY_ERROR_UNSUPPORTED, "takes no time");
    expect(many, INT64_C(1) << 40, "popta", 0, SCALAY_ERROR_UNSUPPORTED, "popta needs a table");
    expect(many, INT64_C(1) << 40, "hpopta", 0, SCALAY_ERROR_UNSUPPORTED, "hpopta needs a table");
    expect(many, INT64_C(1) << 40, "fpm", 0, SCALAY_ERROR_UNSUPPORTED, "use method \"auto\"");
    expect(many, INT64_C(1) << 40, "eopta", 1, SCALAY_ERROR_UNSUPPORTED, "eopta needs a table");
    scalay_profile_destroy(&groups);
    scalay_profile_destroy(&holes);
    scalay_profile_destroy(&instant);
    scalay_profile_destroy(&many);
    assert_int_equal(scalay_memory_live(), 0);
}

static void all_methods_are_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"auto",    "popta", "eopta", "hpopta", "hipopta", "hepopta",
                                        "htpopta", "aleph", "even",  "cpm",    "fpm"};
    for (int k = 0; k < 11; k++) assert_string_equal(scalay_workload_methods(k), names[k]);
    assert_null(scalay_workload_methods(11));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_methods_return_what_auto_does),
        cmocka_unit_test(front_methods_return_what_auto_does),
        cmocka_unit_test(what_cannot_be_distributed_is_an_answer),
        cmocka_unit_test(refusals_name_function_method_and_remedy),
        cmocka_unit_test(all_methods_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
