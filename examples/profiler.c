/* Measures profiles: the time of a kernel at each size, on all processes at the same time. One kernel is of the
 * program, one of the library. The library and `scalay workload` read the resulting file. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/scalay.h"

/* A kernel of the program: sums `size` rows of 1000 numbers. */
enum { COLUMNS = 1000 };

typedef struct {
    double *rows;
    double sum;
} summing;

static scalay_status prepare(void *data, int64_t size)
{
    summing *s = data;
    s->rows = calloc((size_t)size * COLUMNS, sizeof *s->rows);
    if (s->rows == NULL) return scalay_error_set(SCALAY_ERROR_MEMORY, "the rows do not fit");
    for (int64_t k = 0; k < size * COLUMNS; k++) s->rows[k] = 1.0 / (double)(k + 1);
    return SCALAY_SUCCESS;
}

static scalay_status sum_up(void *data, int64_t size)
{
    summing *s = data;
    for (int64_t k = 0; k < size * COLUMNS; k++) s->sum += s->rows[k];
    return SCALAY_SUCCESS;
}

static void forget(void *data)
{
    summing *s = data;
    free(s->rows);
    s->rows = NULL;
}

static double operations(void *data, int64_t size)
{
    (void)data;
    return (double)size * COLUMNS;
}

static void tell(const scalay_profiler_step *step, void *data)
{
    (void)data;
    printf("size %lld: %lld of %lld sizes are done\n", (long long)step->size, (long long)step->done,
           (long long)step->total);
}

/* Short, because this program is also a test. By default, a size is repeated until its mean is precise to 2.5%. */
static scalay_profiler_options quick_options(scalay_repeat_options *repeat)
{
    static const int64_t sizes[] = {20, 40, 80};
    scalay_profiler_options options = scalay_profiler_options_default();
    *repeat = scalay_repeat_options_default();
    repeat->max_repetitions = 20;
    repeat->max_seconds = 0.3;
    options.sizes = 3;
    options.list = sizes;
    options.repeat = repeat;
    options.progress = tell;
    return options;
}

static int measure_own(scalay_comm *comm)
{
    summing data = {.rows = NULL, .sum = 0.0};
    const scalay_profile_kernel kernel = {.name = "sum of rows of 1000",
                                          .prepare = prepare,
                                          .run = sum_up,
                                          .release = forget,
                                          .flops = operations,
                                          .data = &data};
    scalay_repeat_options repeat;
    scalay_profiler_options options = quick_options(&repeat);
    scalay_profile *profile = NULL;
    double seconds = 0.0;
    options.refine = 0.5;
    if (scalay_profiler_run(comm, &kernel, &options, &profile, NULL) != SCALAY_SUCCESS) return 0;
    scalay_status status = scalay_profile_get_point(profile, 0, 80, &seconds, NULL);
    if (scalay_comm_rank(comm) == 0)
        printf("%d groups of %lld processors; p0 sums up 80 rows in %.3g s\n", scalay_profile_groups(profile),
               (long long)scalay_profile_processors(profile), seconds);
    scalay_profile_destroy(&profile);
    return status == SCALAY_SUCCESS && seconds > 0.0;
}

/* Prints the statistics of each point. */
static int print_record(const scalay_profile_record *record)
{
    scalay_profile_facts facts;
    scalay_profile_processor processor;
    scalay_profile_point point;
    if (scalay_profile_record_get(record, &facts) != SCALAY_SUCCESS) return 0;
    printf("%s, meter %s:\n", facts.kernel, facts.meter);
    for (int p = 0; p < facts.processors; p++) {
        if (scalay_profile_record_processor(record, p, &processor) != SCALAY_SUCCESS) return 0;
        printf("  %s on %s, hardware threads %s, %d threads, in group %s:", processor.name, processor.host,
               processor.binding, processor.threads, processor.group);
        for (int64_t k = 0; k < facts.sizes; k++) {
            if (scalay_profile_record_point(record, p, k, &point) != SCALAY_SUCCESS) return 0;
            printf("  %lld: %.3g s +- %.1g (%lld)", (long long)point.size, point.time, point.time_half_width,
                   (long long)point.repetitions);
        }
        printf("\n");
    }
    return facts.state == SCALAY_PROFILE_COMPLETE;
}

/* The file is written after each size. A run that is started again continues with it. */
static int measure_dgemm(scalay_comm *comm, const char *path)
{
    scalay_profile_kernel *kernel = NULL;
    scalay_profile_record *record = NULL;
    scalay_repeat_options repeat;
    scalay_profiler_options options = quick_options(&repeat);
    options.path = path;
    options.restart = 1;
    int fine = scalay_profile_kernel_create("dgemm:n=64", 0.0, &kernel) == SCALAY_SUCCESS &&
               scalay_profiler_run(comm, kernel, &options, NULL, NULL) == SCALAY_SUCCESS;
    scalay_profile_kernel_destroy(&kernel);
    if (fine && scalay_comm_rank(comm) == 0)
        fine = scalay_profile_record_read(path, &record) == SCALAY_SUCCESS && print_record(record);
    scalay_profile_record_destroy(&record);
    return fine;
}

/* Ranks that share one meter: times are measured together, energies one rank after another. This meter reports 100 W at
 * all times. No static power is subtracted here, so the energies need not add up. */
static int measure_shared(scalay_comm *comm)
{
    summing data = {.rows = NULL, .sum = 0.0};
    const scalay_profile_kernel kernel = {
        .name = "sum of rows of 1000", .prepare = prepare, .run = sum_up, .release = forget, .data = &data};
    scalay_repeat_options repeat;
    scalay_profiler_options options = quick_options(&repeat);
    scalay_profile_record *record = NULL;
    double difference = 0.0, uncertainty = 0.0;
    options.sizes = 1;
    repeat.max_repetitions = 5;
    repeat.min_interval = 0.05; /* several steps of the meter */
    options.static_power = 0.0;
    options.shared_meter = 1;
    if (scalay_meter_create("command:awk '{printf \"%.2f\", 100 * $1}' /proc/uptime", &options.meter) != SCALAY_SUCCESS)
        return 0;
    int fine = scalay_profiler_run(comm, &kernel, &options, NULL, &record) == SCALAY_SUCCESS &&
               scalay_profile_record_additive(record, 0, &difference, &uncertainty) == SCALAY_SUCCESS;
    if (fine && scalay_comm_rank(comm) == 0)
        printf("the energy of all at once differs by %+.0f%% +- %.0f%% from the sum\n", 100.0 * difference,
               100.0 * uncertainty);
    scalay_profile_record_destroy(&record);
    scalay_meter_destroy(&options.meter);
    return fine && isfinite(difference);
}

int main(int argc, char **argv)
{
    scalay_comm *comm = NULL;
    MPI_Init(&argc, &argv);
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    int fine = measure_own(comm) && measure_dgemm(comm, "example_profiler.csv") && measure_shared(comm);
    if (!fine) puts(scalay_error_message());
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
