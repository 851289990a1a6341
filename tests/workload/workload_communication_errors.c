/* Communication costs that are refused, and tables of them from files. */
#include "profiles.h"

/* The cost of 1, 2, ... processors. */
typedef struct {
    int64_t known;
    double cost[8];
} costs;

static double cost_of(int64_t n, int64_t processors, void *context)
{
    const costs *of = context;
    (void)n;
    return processors <= of->known ? of->cost[processors] : INFINITY;
}

static void bad_costs_are_refused(void **state)
{
    static const double bad[] = {-1.0, NAN, -INFINITY};
    (void)state;
    scalay_random random = scalay_random_seed(test_seed(1));
    scalay_profile *profile = random_group(&random, "cpu", 3, 8, 1, 1);
    scalay_workload_options options = scalay_workload_options_default();
    scalay_communication *communication = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_front *front = NULL;
    costs of = {.known = 3, .cost = {0.0, 1.0, 1.0, 1.0}};
    assert_success(scalay_communication_function(cost_of, &of, &communication));
    options.communication = communication;
    for (int k = 0; k < 3; k++) {
        of.cost[2] = bad[k];
        assert_gives(scalay_workload_min_time(profile, 6, &options, &workload), SCALAY_ERROR_ARGUMENT);
        assert_message("scalay_workload_min_time", "on 2 processors");
        assert_null(workload);
    }
    assert_gives(scalay_workload_front_create(profile, 6, &options, &front), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_workload_front_create", "communication");
    scalay_communication_destroy(&communication);
    scalay_profile_destroy(&profile);
    assert_int_equal(scalay_memory_live(), 0);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const int64_t processors[] = {4, 2, 4};
    const int64_t none[] = {0};
    const double cost[] = {1.0, 2.0, 3.0};
    const double bad[] = {INFINITY};
    scalay_communication *communication = NULL;
    assert_gives(scalay_communication_function(NULL, NULL, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_function(cost_of, NULL, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_table(3, processors, cost, &communication), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_communication_table", "4 twice");
    assert_gives(scalay_communication_table(0, processors, cost, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_table(1, none, cost, &communication), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_communication_table", "processors[0] = 0");
    assert_gives(scalay_communication_table(1, processors, bad, &communication), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_communication_table", "cost[0] = inf");
    assert_gives(scalay_communication_table(1, NULL, cost, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_table(1, processors, NULL, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_table(1, processors, cost, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_hockney(-1.0, 0.0, 1, &communication), SCALAY_ERROR_ARGUMENT);
    assert_message("scalay_communication_hockney", "alpha = -1");
    assert_gives(scalay_communication_hockney(0.0, NAN, 1, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_hockney(0.0, 0.0, 0, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_hockney(0.0, 0.0, 1, NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_read(NULL, &communication), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_read("x", NULL), SCALAY_ERROR_ARGUMENT);
    assert_gives(scalay_communication_read("/there/is/none", &communication), SCALAY_ERROR_FILE);
    assert_null(communication);
    assert_int_equal(scalay_memory_live(), 0);
}

static scalay_status read_text(const char *text, scalay_communication **communication)
{
    static const char path[] = "workload_communication.csv";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    const scalay_status status = scalay_communication_read(path, communication);
    assert_int_equal(remove(path), 0);
    return status;
}

static void tables_are_read_from_files(void **state)
{
    (void)state;
    scalay_communication *communication = NULL;
    assert_success(read_text("# measured\ncost,processors\n0.5,4\n0,1\n1.25e-3,16\n", &communication));
    assert_true(scalay_communication_evaluate(communication, 10, 4) == 0.5);
    assert_true(scalay_communication_evaluate(communication, 10, 1) == 0.0);
    assert_true(scalay_communication_evaluate(communication, 99, 16) == 0.00125);
    assert_true(isinf(scalay_communication_evaluate(communication, 10, 2)));
    scalay_communication_destroy(&communication);
    assert_gives(read_text("processors,cost\n", &communication), SCALAY_ERROR_FORMAT);
    assert_gives(read_text("", &communication), SCALAY_ERROR_FORMAT);
    assert_gives(read_text("processors\n4\n", &communication), SCALAY_ERROR_FORMAT);
    assert_gives(read_text("processors,cost\n4,-1\n", &communication), SCALAY_ERROR_FORMAT);
    assert_message("line 2", "-1");
    assert_gives(read_text("processors,cost\n4,1\n0,1\n", &communication), SCALAY_ERROR_FORMAT);
    assert_message("line 3", "0");
    assert_gives(read_text("processors,cost\n4,1\n\n7,1\n4,2\n", &communication), SCALAY_ERROR_FORMAT);
    assert_message("line 5", "line 2");
    assert_null(communication);
    assert_int_equal(scalay_memory_live(), 0);
}

static scalay_status solve_with_table(const scalay_profile *profile, const costs *of)
{
    const int64_t processors[] = {1, 2, 3, 5, 7};
    scalay_workload_options options = scalay_workload_options_default();
    scalay_communication *communication = NULL;
    scalay_workload *workload = NULL;
    scalay_status status = scalay_communication_table(5, processors, of->cost, &communication);
    options.communication = communication;
    options.variant = SCALAY_COMMUNICATION_AT_MOST;
    if (status == SCALAY_SUCCESS) status = scalay_workload_min_time(profile, 12, &options, &workload);
    scalay_workload_destroy(&workload);
    if (status == SCALAY_SUCCESS) status = scalay_workload_min_energy(profile, 12, &options, &workload);
    scalay_workload_destroy(&workload);
    scalay_communication_destroy(&communication);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        scalay_random random = scalay_random_seed(seed);
        scalay_profile *profile = random_profile(&random, 1 + (int)(seed % 3), 4, 1);
        const costs of = {.known = 5, .cost = {3.0, 1.0, 0.5, 2.0, 0.75}};
        scalay_status status = SCALAY_ERROR_MEMORY;
        for (int64_t request = 1; status != SCALAY_SUCCESS; request++) {
            scalay_memory_fail_at(request);
            status = solve_with_table(profile, &of);
            scalay_memory_fail_at(0);
            if (status != SCALAY_SUCCESS) assert_int_equal(status, SCALAY_ERROR_MEMORY);
        }
        scalay_profile_destroy(&profile);
        assert_int_equal(scalay_memory_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_costs_are_refused),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(tables_are_read_from_files),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
