/* Fronts of time and energy: ours beside HEPOPTA and HTPOPTA, in one program, on one core.
 *
 * The problems of Khaleghzadeh et al. (2020): five abstract processors (two CPUs, two GPUs, an accelerator), m = 450,
 * and up to 768 different ones. Peers run in a process of their own for at most `limit` seconds each. Then the sizes of
 * the fronts over all n up to 2 m, as in their section 8, and what the ends of the front are worth beside the
 * load-balanced distribution.
 *
 * Peers run twice: as published, with maps, and with our sorted arrays in place of them.
 *
 * Usage: bench_workload_front [--full] [--limit SECONDS, default 30] [--seed N, default 1] */
#include "timing.h"

#include "../tests/support/measured.h"
#include "scalay/workload.h"

enum { LARGEST = 450, MOST_REPETITIONS = 9 };

/* Watts of the whole platform, idle: for the fronts of total energy. */
static const double base_power = 400.0;

typedef struct {
    scalay_profile *profile;
    int64_t n;
    int total;
    const char *method;
    int published;
} question;

static scalay_status solve(const question *asked, scalay_front **front)
{
    scalay_workload_options options = scalay_workload_options_default();
    options.method = asked->method;
    options.published = asked->published;
    return asked->total ? scalay_workload_total_front(asked->profile, asked->n, base_power, &options, front)
                        : scalay_workload_front(asked->profile, asked->n, &options, front);
}

/* `kinds` different processors, each `count` times; kinds 0 and 3 are CPUs, 1 and 4 GPUs, 2 is slow, and so on. */
static scalay_profile *make_profile(int kinds, int64_t count, uint64_t seed, int smooth)
{
    static double workspace[3 * LARGEST];
    static const double speed[] = {1.0, 3.0, 0.6, 1.2, 4.0};
    scalay_profile **part = calloc((size_t)kinds, sizeof *part);
    scalay_profile *profile = NULL;
    if (part == NULL) timing_must(SCALAY_ERROR_MEMORY);
    for (int j = 0; j < kinds; j++) {
        char name[32];
        const profile_shape rough = j % 5 == 1 || j % 5 == 4 ? PROFILE_GPU : PROFILE_FFT;
        snprintf(name, sizeof name, "processor %d", j);
        timing_must(profile_generate(name, count, smooth ? PROFILE_SMOOTH : rough, seed * 1000 + (uint64_t)j,
                                     100.0 * speed[j % 5] * (1.0 + 0.001 * j), LARGEST, workspace, &part[j]));
    }
    timing_must(scalay_profile_join(kinds, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < kinds; j++) scalay_profile_destroy(&part[j]);
    free(part);
    return profile;
}

static double run(void *context, double *points)
{
    scalay_front *front = NULL;
    const double start = timing_now();
    if (solve(context, &front) != SCALAY_SUCCESS) return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    *points = (double)scalay_front_count(front);
    scalay_front_destroy(&front);
    return seconds;
}

static double time_ours(question *asked, int repetitions, double *points)
{
    double seconds[MOST_REPETITIONS];
    for (int k = 0; k < repetitions; k++) seconds[k] = run(asked, points);
    return timing_median(seconds, repetitions);
}

/* The published algorithm, which must find as many points. */
static void print_peer(question *asked, int published, double ours, double points, int limit)
{
    double theirs = 0.0;
    asked->method = asked->total ? "htpopta" : "hepopta";
    asked->published = published;
    const double seconds = timing_limited(run, asked, limit, &theirs);
    timing_print_peer(seconds, ours, limit);
    if (seconds >= 0.0 && theirs != points) printf("  OTHER NUMBER OF POINTS");
    fflush(stdout);
}

static void print_front(int kinds, int64_t count, int64_t n, int total, int smooth, uint64_t seed, int limit)
{
    double points = 0.0;
    question asked = {make_profile(kinds, count, seed, smooth), n, total, "auto", 0};
    const double ours = time_ours(&asked, kinds > 100 ? 1 : MOST_REPETITIONS, &points);
    printf("%5d %6lld %8lld %-7s %-7s %7.0f %10.3f", kinds, (long long)count, (long long)n, smooth ? "smooth" : "rough",
           total ? "total" : "dynamic", points, 1e3 * ours);
    print_peer(&asked, 1, ours, points, limit);
    print_peer(&asked, 0, ours, points, limit);
    printf("\n");
    scalay_profile_destroy(&asked.profile);
}

static void print_times(uint64_t seed, int limit)
{
    printf("\n%5s %6s %8s %-7s %-7s %7s %10s %11s %10s %11s %10s\n", "kinds", "of each", "n", "shape", "energy",
           "points", "ours ms", "published s", "ratio", "arrays s", "ratio");
    for (int smooth = 0; smooth < 2; smooth++)
        for (int total = 0; total < 2; total++) {
            print_front(5, 1, LARGEST, total, smooth, seed, limit);
            print_front(5, 1, 2 * LARGEST, total, smooth, seed, limit);
        }
    print_front(16, 1, 16 * LARGEST / 4, 0, 0, seed, limit);
    print_front(24, 1, 24 * LARGEST / 4, 0, 0, seed, limit);
    print_front(24, 1, 24 * LARGEST / 4, 1, 0, seed, limit);
    print_front(96, 1, 96 * LARGEST / 4, 0, 0, seed, limit > 0 ? limit : 3600);
    print_front(768, 1, 768 * LARGEST / 4, 0, 0, seed, limit > 0 ? limit : 3600);
    print_front(3, 8, 24 * LARGEST / 4, 0, 0, seed, limit);
    print_front(3, 256, 768 * LARGEST / 4, 0, 0, seed, limit > 0 ? limit : 3600);
}

/* ------------------------------------------------------------------------------------ all n, as in section 8 */

typedef struct {
    double least;
    double sum;
    double largest;
    int count;
} statistic;

static void take(statistic *of, double value)
{
    if (of->count == 0 || value < of->least) of->least = value;
    if (of->count == 0 || value > of->largest) of->largest = value;
    of->sum += value;
    of->count++;
}

static void print_statistic(const char *what, const statistic *of)
{
    printf("  %-58s %8.1f %8.1f %8.1f\n", what, of->least, of->sum / of->count, of->largest);
}

/* Percent by which a is above b. */
static double percent(double a, double b)
{
    return (a - b) / b * 100.0;
}

typedef struct {
    statistic points;
    statistic total_points;
    statistic faster;  /* the fastest point beside the load-balanced distribution */
    statistic thrifty; /* the point of least energy beside it */
} section;

static void take_front(const scalay_profile *profile, int64_t n, section *of)
{
    scalay_workload_options options = scalay_workload_options_default();
    scalay_front *front = NULL;
    scalay_front *total = NULL;
    scalay_workload *balanced = NULL;
    scalay_workload_summary summary;
    scalay_front_point first, last;
    options.method = "fpm";
    timing_must(scalay_workload_front(profile, n, NULL, &front));
    timing_must(scalay_workload_total_front(profile, n, base_power, NULL, &total));
    timing_must(scalay_workload_min_time(profile, n, &options, &balanced));
    timing_must(scalay_workload_get(balanced, &summary));
    timing_must(scalay_front_get(front, 0, &first));
    timing_must(scalay_front_get(front, scalay_front_count(front) - 1, &last));
    take(&of->points, (double)scalay_front_count(front));
    take(&of->total_points, (double)scalay_front_count(total));
    take(&of->faster, percent(summary.time, first.time));
    take(&of->thrifty, percent(summary.energy, last.energy));
    scalay_front_destroy(&front);
    scalay_front_destroy(&total);
    scalay_workload_destroy(&balanced);
}

static void print_section(uint64_t seed, int smooth)
{
    section of = {0};
    scalay_profile *profile = make_profile(5, 1, seed, smooth);
    for (int64_t n = 1; n <= 2 * LARGEST; n += 7) take_front(profile, n, &of);
    printf("\n%s profiles, five processors, every seventh n up to %d\n  %-58s %8s %8s %8s\n",
           smooth ? "Smooth" : "Rough", 2 * LARGEST, "", "least", "mean", "most");
    print_statistic("points of the front of dynamic energy", &of.points);
    print_statistic("points of the front of total energy", &of.total_points);
    print_statistic("load-balanced distribution: slower than the least time, %", &of.faster);
    print_statistic("load-balanced distribution: above the least energy, %", &of.thrifty);
    scalay_profile_destroy(&profile);
}

int main(int argc, char **argv)
{
    const timing_options options = timing_read_options(argc, argv, (timing_options){30, 1});
    const uint64_t seed = options.seed;
    const int limit = options.limit;
    timing_print_machine(&options);
    printf("m        %d, base power %g W\n", LARGEST, base_power);
    print_times(seed, limit);
    for (int smooth = 0; smooth < 2; smooth++) print_section(seed, smooth);
    return 0;
}
