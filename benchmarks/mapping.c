/* Optimal mappings and schedules beside textbook solvers, published algorithms and LEMON: processor seconds, in one
 * run, on one core. Results are checked in the run: ours by scalay_mapping_check(), the peers' values against ours.
 *
 * Usage: bench_mapping [volume] [steps] [schedules] [nodes] [--repeat N, default 3] [--limit SECONDS, default 10]
 * [--full] [--seed N]; without a table's name all of them are printed. A peer that takes longer than the limit is given
 * up. */
#include "timing.h"

#include "mapping_runs.h"

typedef struct {
    const char *name;
    void (*print)(const mapping_settings *settings);
    int wanted;
} table;

/* Takes what only this program understands off the command line: tables' names and --repeat. */
static int read_own(int argc, char **argv, table *tables, int count, mapping_settings *settings)
{
    int kept = 1;
    for (int k = 1; k < argc; k++) {
        int found = 0;
        for (int t = 0; t < count; t++)
            if (strcmp(argv[k], tables[t].name) == 0) found = tables[t].wanted = 1;
        if (!found && strcmp(argv[k], "--repeat") == 0 && k + 1 < argc)
            settings->repetitions = atoi(argv[++k]);
        else if (!found)
            argv[kept++] = argv[k];
    }
    return kept;
}

int main(int argc, char **argv)
{
    enum { TABLES = 4 };
    table tables[TABLES] = {{"volume", mapping_volume_table, 0},
                            {"steps", mapping_steps_table, 0},
                            {"schedules", mapping_schedule_table, 0},
                            {"nodes", mapping_nodes_table, 0}};
    mapping_settings settings = {.repetitions = 3};
    int wanted = 0;
    argc = read_own(argc, argv, tables, TABLES, &settings);
    const timing_options options = timing_read_options(argc, argv, (timing_options){10, 1});
    settings.limit = options.limit;
    settings.seed = options.seed;
    timing_print_machine(&options);
    for (int t = 0; t < TABLES; t++) wanted += tables[t].wanted;
    for (int t = 0; t < TABLES; t++)
        if (wanted == 0 || tables[t].wanted) tables[t].print(&settings);
    if (mapping_differences() > 0) printf("\n%d values of peers differ from ours.\n", mapping_differences());
    return mapping_differences() > 0;
}
