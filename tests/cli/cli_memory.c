/* Each allocation of the planning subcommands fails once: the subcommand returns the status and leaves nothing behind.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "quiet.h"

/* Runs a command line with the n-th allocation failing, for n = 1, 2, ... until it ends with `expected`. */
static void sweep(const char *line, scalay_status expected)
{
    scalay_status status = SCALAY_ERROR_MEMORY;
    int64_t n = 0;
    while (status == SCALAY_ERROR_MEMORY && n < 20000) {
        scalay_memory_fail_at(++n);
        status = quiet_run(line, NULL);
        scalay_memory_fail_at(0);
        if (scalay_memory_live() != 0)
            fail_msg("%s: allocation %lld: %lld arrays are left", line, (long long)n, (long long)scalay_memory_live());
    }
    if (status != expected)
        fail_msg("%s: allocation %lld: %s: %s", line, (long long)n, scalay_status_name(status), scalay_error_message());
    assert_true(n > 5);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void show_survives_every_failed_allocation(void **state)
{
    (void)state;
    sweep("show skewed:m=40,n=30,mb=4,nb=4,p=2,q=2", SCALAY_SUCCESS);
    sweep("show cyclic:m=40,n=30,mb=4,nb=4,p=2,q=2 --json", SCALAY_SUCCESS);
}

static void map_survives_every_failed_allocation(void **state)
{
    (void)state;
    sweep("map --from skewed:m=40,n=30,mb=4,nb=4,p=2,q=2 --to cyclic:mb=4,nb=4,p=2,q=2 --schedule --check",
          SCALAY_SUCCESS);
    sweep("map --from skewed:m=40,n=30,mb=4,nb=4,p=2,q=2 --to cyclic:mb=4,nb=4,p=2,q=2 --schedule --check --json "
          "--preemptive",
          SCALAY_SUCCESS);
    sweep(
        "map --from cyclic:m=40,n=30,mb=4,nb=4,p=2,q=2 --from cyclic:m=8,n=8,mb=1,nb=1,p=2,q=2 "
        "--to cyclic:mb=5,nb=4,p=2,q=2 --to cyclic:mb=2,nb=2,p=2,q=2 --objective grid-volume --schedule --check --json "
        "--preemptive",
        SCALAY_SUCCESS);
    sweep("map --from skewed:m=40,n=30,mb=4,nb=4,p=2,q=2 --to cyclic:mb=4,nb=4,p=2,q=2 --objective front --json",
          SCALAY_SUCCESS);
}

static void map_of_files_survives_every_failed_allocation(void **state)
{
    (void)state;
    write_file("cli_memory_q.csv", "1,2,3\n4,5,6\n7,8,9\n");
    write_file("cli_memory_d.csv", "0,1,2\n1,0,2\n2,2,0\n");
    sweep("map --traffic cli_memory_q.csv --link-cost cli_memory_d.csv --objective time --check --json",
          SCALAY_SUCCESS);
    sweep("map --traffic cli_memory_q.csv --distance cli_memory_d.csv --objective time --check --json", SCALAY_SUCCESS);
}

static void partition_survives_every_failed_allocation(void **state)
{
    (void)state;
    sweep("partition --size 40x30 --speeds 1,0.5,0.25 --shape columns", SCALAY_SUCCESS);
    sweep("partition --size 40x30 --speeds 1,0.5,0.25 --shape columns --json", SCALAY_SUCCESS);
}

static void workload_survives_every_failed_allocation(void **state)
{
    (void)state;
    write_file("cli_memory_p.csv",
               "processor,size,time,energy,count\na,1,1,4,2\na,2,3,5,2\na,4,5,6,2\nb,1,2,1,1\nb,3,4,2,1\n");
    write_file("cli_memory_c.csv", "processors,cost\n1,3\n2,1\n3,2\n");
    sweep("workload --profile cli_memory_p.csv --size 7", SCALAY_SUCCESS);
    sweep("workload --profile cli_memory_p.csv --size 7 --json --comm cli_memory_c.csv --comm-variant atmost "
          "--objective energy",
          SCALAY_SUCCESS);
    sweep("workload --profile cli_memory_p.csv --size 7 --json --comm hockney:alpha=1,beta=1,block=1 "
          "--comm-variant atmost --objective energy",
          SCALAY_SUCCESS);
    sweep("workload --profile cli_memory_p.csv --size 7 --objective front --knee", SCALAY_SUCCESS);
    sweep("workload --profile cli_memory_p.csv --size 7 --objective total-front --base-power 2.5 --knee --json",
          SCALAY_SUCCESS);
}

static void infeasible_workload_survives_every_failed_allocation(void **state)
{
    (void)state;
    write_file("cli_memory_p.csv", "processor,size,time,energy\na,2,1,4\nb,4,2,1\n");
    sweep("workload --profile cli_memory_p.csv --size 7 --json", SCALAY_ERROR_INFEASIBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(show_survives_every_failed_allocation),
        cmocka_unit_test(map_survives_every_failed_allocation),
        cmocka_unit_test(map_of_files_survives_every_failed_allocation),
        cmocka_unit_test(partition_survives_every_failed_allocation),
        cmocka_unit_test(workload_survives_every_failed_allocation),
        cmocka_unit_test(infeasible_workload_survives_every_failed_allocation),
    };
    quiet_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
