/* How planning grows with the number of processes, up to 10^6, in one process: processor seconds and peak of the
 * memory that the library allocates, layouts included. Between two numbers of processes, the exponent of growth is
 * printed: 0 is flat, 1 is proportional to the number of processes.
 *
 * The matrix grows with the grid: 1000 x 1000 elements per process. Grids are square.
 *
 * "budgets": what mappings of 10^6 processes take of a time budget, instead: each objective between several pairs of
 * layouts.
 *
 * Usage: bench_scale [BUDGET of a mapping in seconds, default 0: none] [REPETITIONS, default 1]
 *        bench_scale budgets [SECONDS, default 0.3] */
#include "timing.h"

#include <math.h>

#include "base/memory.h"
#include "redist/packages.h"
#include "scalay/schedule.h"

enum { SIZES = 4, MAX_REPETITIONS = 9 };
static const int grid_rows[SIZES] = {32, 100, 316, 1000};

/* Two layouts, and what is made of them. */
typedef struct {
    int rows;
    double budget;
    scalay_layout *source, *target;
} situation;

/* What one call took. */
typedef struct {
    double seconds, bytes;
} effort;

typedef struct {
    const char *name;
    int target_block;
    int max_rows; /* of the grid; larger ones are left out */
    void (*run)(const situation *given);
} case_spec;

static void map(const situation *given, scalay_objective objective)
{
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    options.budget_seconds = given->budget;
    timing_must(scalay_mapping_create(given->source, given->target, objective, &options, &mapping));
    scalay_mapping_destroy(&mapping);
}

static void map_volume(const situation *given)
{
    map(given, SCALAY_MIN_VOLUME);
}

static void map_steps_then_volume(const situation *given)
{
    map(given, SCALAY_MIN_STEPS_THEN_VOLUME);
}

static void make_traffic(const situation *given)
{
    scalay_traffic *traffic = NULL;
    timing_must(scalay_traffic_create(given->source, given->target, &traffic));
    scalay_traffic_destroy(&traffic);
}

static void make_schedule(const situation *given)
{
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_schedule *schedule = NULL;
    timing_must(scalay_traffic_create(given->source, given->target, &traffic));
    timing_must(scalay_mapping_create(given->source, given->target, SCALAY_CANONICAL, NULL, &mapping));
    timing_must(scalay_schedule_create(traffic, scalay_mapping_process(mapping), NULL, &schedule));
    scalay_schedule_destroy(&schedule);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
}

static void plan_rank(const situation *given)
{
    const int64_t n = scalay_layout_rows(given->source);
    const scalay_side_spec spec = {.source = given->source,
                                   .target = given->target,
                                   .trapezoid = scalay_trapezoid_of(SCALAY_WHOLE, SCALAY_NON_UNIT, n, n)};
    scalay_side source, target;
    timing_must(scalay_side_create(&spec, SCALAY_SIDE_SOURCE, 0, &source));
    timing_must(scalay_side_create(&spec, SCALAY_SIDE_TARGET, 0, &target));
    scalay_side_free(&source);
    scalay_side_free(&target);
}

static scalay_layout *make_layout(int rows, int block)
{
    scalay_layout *layout = NULL;
    const int64_t n = (int64_t)rows * 1000;
    timing_must(scalay_layout_block_cyclic(n, n, block, block, rows, rows, 0, 0, SCALAY_ROW_MAJOR, &layout));
    return layout;
}

static effort measure(const case_spec *spec, int rows, double budget, int repetitions)
{
    double seconds[MAX_REPETITIONS];
    situation given = {rows, budget, NULL, NULL};
    scalay_memory_reset_peak();
    const int64_t before = scalay_memory_bytes();
    given.source = make_layout(rows, 64);
    given.target = make_layout(rows, spec->target_block);
    for (int k = 0; k < repetitions; k++) {
        const double begin = timing_now();
        spec->run(&given);
        seconds[k] = timing_now() - begin;
    }
    scalay_layout_destroy(&given.source);
    scalay_layout_destroy(&given.target);
    return (effort){timing_median(seconds, repetitions), (double)(scalay_memory_peak() - before)};
}

static double exponent(double before, double after, int rows_before, int rows_after)
{
    return log(after / before) / (2 * log((double)rows_after / rows_before));
}

static void print_case(const case_spec *spec, double budget, int repetitions)
{
    effort last = {0};
    for (int k = 0; k < SIZES && grid_rows[k] <= spec->max_rows; k++) {
        const int rows = grid_rows[k];
        const effort of = measure(spec, rows, budget, repetitions);
        printf("| %s | %d | %.2g | %.3g |", spec->name, rows * rows, of.seconds, of.bytes * 1e-6);
        if (k == 0)
            printf(" | |\n");
        else
            printf(" %.1f | %.1f |\n", exponent(last.seconds, of.seconds, grid_rows[k - 1], rows),
                   exponent(last.bytes, of.bytes, grid_rows[k - 1], rows));
        fflush(stdout);
        last = of;
    }
}

/* --------------------------------------------------------------------------------------------------- budgets */

/* From blocks of `block` on 1000 x 1000 processes to others, of n x n elements. */
typedef struct {
    const char *name;
    int block, mb, nb, rows, cols;
    int64_t n;
} layout_pair;

enum { MILLION_ROWS = 1000, MILLION = 1000000 };
static const layout_pair pairs[] = {{"64 -> 48", 64, 48, 48, 1000, 1000, MILLION},
                                    {"64 -> 63", 64, 63, 63, 1000, 1000, MILLION},
                                    {"64 -> 100 x 20", 64, 100, 20, 1000, 1000, MILLION},
                                    {"1 -> 64", 1, 64, 64, 1000, 1000, MILLION},
                                    {"64 -> 64, 999 x 1001 processes", 64, 64, 64, 999, 1001, MILLION},
                                    {"64 -> 48, 500 x 2000 processes", 64, 48, 48, 500, 2000, MILLION},
                                    {"64 -> 48, whole periods", 64, 48, 48, 1000, 1000, 960000}};

typedef struct {
    const char *name;
    scalay_objective objective;
} named_objective;

static const named_objective objectives[] = {{"volume", SCALAY_MIN_VOLUME},
                                             {"steps", SCALAY_MIN_STEPS},
                                             {"steps, then volume", SCALAY_MIN_STEPS_THEN_VOLUME},
                                             {"volume, then steps", SCALAY_MIN_VOLUME_THEN_STEPS},
                                             {"time", SCALAY_MIN_TIME},
                                             {"grid volume", SCALAY_MIN_GRID_VOLUME}};
enum { OBJECTIVES = (int)(sizeof objectives / sizeof objectives[0]) };

/* Prints the time of each objective over the budget. Many searches end before. */
static void print_budgets_of(const layout_pair *pair, double budget, double *most)
{
    situation given = {pair->rows, budget, NULL, NULL};
    timing_must(scalay_layout_block_cyclic(pair->n, pair->n, pair->block, pair->block, MILLION_ROWS, MILLION_ROWS, 0, 0,
                                           SCALAY_ROW_MAJOR, &given.source));
    timing_must(scalay_layout_block_cyclic(pair->n, pair->n, pair->mb, pair->nb, pair->rows, pair->cols, 0, 0,
                                           SCALAY_ROW_MAJOR, &given.target));
    printf("| %s |", pair->name);
    for (int k = 0; k < OBJECTIVES; k++) {
        const double begin = timing_now();
        map(&given, objectives[k].objective);
        const double ratio = (timing_now() - begin) / budget;
        printf(" %.2f |", ratio);
        fflush(stdout);
        *most = fmax(*most, ratio);
    }
    printf("\n");
    scalay_layout_destroy(&given.source);
    scalay_layout_destroy(&given.target);
}

static void print_budgets(double budget)
{
    double most = 0;
    printf("\nProcessor seconds over a budget of %g s, %d processes\n\n| |", budget, MILLION);
    for (int k = 0; k < OBJECTIVES; k++) printf(" %s |", objectives[k].name);
    printf("\n|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) print_budgets_of(&pairs[k], budget, &most);
    printf("\nLargest: %.2f\n", most);
}

int main(int argc, char **argv)
{
    static const case_spec cases[] = {{"tables of one rank, 64 -> 48", 48, 1000, plan_rank},
                                      {"tables of one rank, 64 -> 128", 128, 1000, plan_rank},
                                      {"traffic matrix, 64 -> 48", 48, 1000, make_traffic},
                                      {"least volume, 64 -> 48", 48, 1000, map_volume},
                                      {"steps, then volume, 64 -> 48", 48, 1000, map_steps_then_volume},
                                      {"steps, then volume, 64 -> 128", 128, 1000, map_steps_then_volume},
                                      {"schedule, 64 -> 128", 128, 100, make_schedule}};
    const int of_budgets = argc > 1 && strcmp(argv[1], "budgets") == 0;
    const double budget = argc > 1 ? atof(argv[1]) : 0;
    const int asked = argc > 2 ? atoi(argv[2]) : 1;
    const int repetitions = asked < 1 ? 1 : asked > MAX_REPETITIONS ? MAX_REPETITIONS : asked;
    timing_print_machine(NULL);
    if (of_budgets) {
        print_budgets(argc > 2 ? atof(argv[2]) : 0.3);
        return 0;
    }
    printf("\n| | processes | s | MB | exponent of s | of MB |\n|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) print_case(&cases[k], budget, repetitions);
    return 0;
}
