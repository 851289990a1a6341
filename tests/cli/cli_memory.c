/* Every allocation of the planning subcommands fails once: the status says so, and nothing is left behind. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/csv.h"
#include "quiet.h"

static void sweep(const scalay_command *command, const scalay_options *options)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    while (status != SCALAY_SUCCESS) {
        scalay_memory_fail_at(++n);
        status = quiet_run(command, options, NULL);
        scalay_memory_fail_at(0);
        if (status != SCALAY_SUCCESS && status != SCALAY_ERROR_MEMORY)
            fail_msg("allocation %lld: %s: %s", (long long)n, scalay_status_name(status), scalay_error_message());
        if (scalay_memory_live() != 0)
            fail_msg("allocation %lld: %lld arrays are left", (long long)n, (long long)scalay_memory_live());
        assert_true(n < 20000);
    }
    assert_true(n > 5);
}

static void show_survives_every_failed_allocation(void **state)
{
    (void)state;
    scalay_options text = {.operand = "skewed:m=40,n=30,mb=4,nb=4,p=2,q=2"};
    scalay_options json = {.operand = "cyclic:m=40,n=30,mb=4,nb=4,p=2,q=2", .json = 1};
    sweep(&scalay_command_show, &text);
    sweep(&scalay_command_show, &json);
}

static void map_survives_every_failed_allocation(void **state)
{
    (void)state;
    scalay_options options = {.from_list = {1, {"skewed:m=40,n=30,mb=4,nb=4,p=2,q=2"}},
                              .to_list = {1, {"cyclic:mb=4,nb=4,p=2,q=2"}},
                              .schedule = 1,
                              .check = 1};
    sweep(&scalay_command_map, &options);
    options.json = 1;
    options.preemptive = 1;
    sweep(&scalay_command_map, &options);
    options.from_list =
        (scalay_option_list){2, {"cyclic:m=40,n=30,mb=4,nb=4,p=2,q=2", "cyclic:m=8,n=8,mb=1,nb=1,p=2,q=2"}};
    options.to_list = (scalay_option_list){2, {"cyclic:mb=5,nb=4,p=2,q=2", "cyclic:mb=2,nb=2,p=2,q=2"}};
    options.objective = "grid-volume";
    sweep(&scalay_command_map, &options);
}

static void map_of_files_survives_every_failed_allocation(void **state)
{
    (void)state;
    FILE *traffic = fopen("cli_memory_q.csv", "w");
    FILE *costs = fopen("cli_memory_d.csv", "w");
    assert_non_null(traffic);
    assert_non_null(costs);
    fprintf(traffic, "1,2,3\n4,5,6\n7,8,9\n");
    fprintf(costs, "0,1,2\n1,0,2\n2,2,0\n");
    fclose(traffic);
    fclose(costs);
    scalay_options options = {
        .traffic = "cli_memory_q.csv", .link_cost = "cli_memory_d.csv", .objective = "time", .check = 1, .json = 1};
    sweep(&scalay_command_map, &options);
    options.distance = options.link_cost;
    options.link_cost = NULL;
    sweep(&scalay_command_map, &options);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void workload_survives_every_failed_allocation(void **state)
{
    (void)state;
    write_file("cli_memory_p.csv",
               "processor,size,time,energy,count\na,1,1,4,2\na,2,3,5,2\na,4,5,6,2\nb,1,2,1,1\nb,3,4,2,1\n");
    write_file("cli_memory_c.csv", "processors,cost\n1,3\n2,1\n3,2\n");
    scalay_options options = {.profile = "cli_memory_p.csv", .size = {1, 7}};
    sweep(&scalay_command_workload, &options);
    options.json = 1;
    options.comm = "cli_memory_c.csv";
    options.comm_variant = "atmost";
    options.objective = "energy";
    sweep(&scalay_command_workload, &options);
    options.comm = "hockney:alpha=1,beta=1,block=1";
    sweep(&scalay_command_workload, &options);
}

static void fronts_survive_every_failed_allocation(void **state)
{
    (void)state;
    write_file("cli_memory_p.csv",
               "processor,size,time,energy,count\na,1,1,4,2\na,2,3,5,2\na,4,5,6,2\nb,1,2,1,1\nb,3,4,2,1\n");
    scalay_options options = {.profile = "cli_memory_p.csv", .size = {1, 7}, .objective = "front", .knee = 1};
    sweep(&scalay_command_workload, &options);
    options.json = 1;
    options.objective = "total-front";
    options.base_power = (scalay_option_number){1, 2.5};
    sweep(&scalay_command_workload, &options);
}

/* The answer that there is none takes memory too; the last run says so instead of succeeding. */
static void what_is_infeasible_survives_every_failed_allocation(void **state)
{
    (void)state;
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    write_file("cli_memory_p.csv", "processor,size,time,energy\na,2,1,4\nb,4,2,1\n");
    scalay_options options = {.profile = "cli_memory_p.csv", .size = {1, 7}, .json = 1};
    while (status == SCALAY_ERROR_MEMORY && n < 1000) {
        scalay_memory_fail_at(++n);
        status = quiet_run(&scalay_command_workload, &options, NULL);
        scalay_memory_fail_at(0);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_int_equal(status, SCALAY_ERROR_INFEASIBLE);
    assert_true(n > 5);
}

static void options_survive_every_failed_allocation(void **state)
{
    (void)state;
    char name[] = "map";
    char option[] = "--json";
    char *arguments[] = {name, option, NULL};
    scalay_options options = {0};
    for (int64_t n = 1; n <= 2; n++) {
        scalay_memory_fail_at(n);
        assert_int_equal(scalay_options_read(&scalay_command_map, 2, arguments, &options), SCALAY_ERROR_MEMORY);
        assert_int_equal(scalay_memory_live(), 0);
    }
    assert_int_equal(scalay_options_read(&scalay_command_map, 2, arguments, &options), SCALAY_SUCCESS);
    assert_int_equal(options.json, 1);
    assert_int_equal(scalay_memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(show_survives_every_failed_allocation),
        cmocka_unit_test(map_survives_every_failed_allocation),
        cmocka_unit_test(map_of_files_survives_every_failed_allocation),
        cmocka_unit_test(workload_survives_every_failed_allocation),
        cmocka_unit_test(fronts_survive_every_failed_allocation),
        cmocka_unit_test(what_is_infeasible_survives_every_failed_allocation),
        cmocka_unit_test(options_survive_every_failed_allocation),
    };
    quiet_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
