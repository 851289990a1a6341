/* Fronts of time and energy: ours beside HEPOPTA and HTPOPTA, in one program, on one core.
 *
 * The problems of Khaleghzadeh et al. (2020): five abstract processors (two CPUs, two GPUs, an accelerator), m = 450,
 * and up to 768 different ones. Both sides are medians of runs. Then how many points fronts have and how long ours
 * takes for 5 to 768 processors, over profiles of several seeds; then what section 8 reports, over n up to 2 m. Last,
 * fronts of energies that are concave, convex or linear up to rounding.
 *
 * Usage: bench_workload_front [--full] [--limit SECONDS, default 40] [--minutes M, default 4] [--seed N, default 1]
 *                             [--csv FILE] */
#include "workload_runs.h"

#include <math.h>

#include "../tests/support/measured.h"
#include "base/random.h"
#include "scalay/published.h"
#include "scalay/workload.h"

enum { LARGEST = 450, SEEDS = 5 };

/* Watts of the whole platform, idle: for the fronts of total energy. */
static const double base_power = 400.0;

typedef struct {
    scalay_profile *profile;
    int64_t n;
    int total;
    const char *method; /* NULL: exact */
} question;

/* A front of so many different processors, each so many times. */
typedef struct {
    int kinds;
    int64_t count;
    int64_t n;
    int total;
    int smooth;
} front_case;

static scalay_status solve(const question *asked, scalay_workload_front **front)
{
    if (asked->method != NULL)
        return scalay_published_front(asked->profile, asked->n, asked->total ? base_power : 0.0, asked->method, front);
    return asked->total ? scalay_workload_front_create_total(asked->profile, asked->n, base_power, NULL, front)
                        : scalay_workload_front_create(asked->profile, asked->n, NULL, front);
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
    scalay_workload_front *front = NULL;
    const double start = timing_now();
    if (solve(context, &front) != SCALAY_SUCCESS) return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    *points = (double)scalay_workload_front_count(front);
    scalay_workload_front_destroy(&front);
    return seconds;
}

static const char *profiles_of(const front_case *given)
{
    static const char *const names[2][2] = {{"rough, dynamic", "rough, total"}, {"smooth, dynamic", "smooth, total"}};
    return names[given->smooth][given->total];
}

/* Long runs are repeated less often. */
static int repetitions_of(const front_case *given)
{
    return given->kinds >= 384 ? 1 : given->kinds >= 96 || (given->smooth && given->kinds > 5) ? RUNS_LEAST : RUNS_MOST;
}

/* ------------------------------------------------------------------------------------------ beside the peers */

/* The published algorithm, which must find as many points. */
static void print_peer(const runs_options *options, const runs_row *row, question *asked, const runs_outcome *ours,
                       int limit)
{
    asked->method = asked->total ? "htpopta" : "hepopta";
    const runs_job job = {run, NULL, asked};
    const runs_outcome peer = runs_measure(&job, limit);
    printf(" ");
    runs_print_peer(&peer, runs_median(ours));
    if (peer.count > 0 && peer.value != ours->value) printf(" OTHER NUMBER OF POINTS");
    printf(" |");
    fflush(stdout);
    runs_write(options, row, "published", runs_median(ours), &peer);
}

static void print_front(const runs_options *options, const front_case *given)
{
    question asked = {make_profile(given->kinds, given->count, options->timing.seed, given->smooth), given->n,
                      given->total, NULL};
    const runs_row row = {"fronts", profiles_of(given), given->kinds * given->count, given->n};
    const runs_outcome ours = runs_measure_ours(run, &asked, repetitions_of(given));
    printf("| %lld in %d groups | %lld | %s | %.0f | %.3g |", (long long)row.processors, given->kinds,
           (long long)given->n, row.profiles, ours.value, 1e3 * runs_median(&ours));
    runs_write(options, &row, "auto", 0.0, &ours);
    print_peer(options, &row, &asked, &ours, runs_limit(options, 0.8));
    printf("\n");
    scalay_profile_destroy(&asked.profile);
}

static void print_times(const runs_options *options)
{
    static const front_case cases[] = {
        {5, 1, LARGEST, 0, 0},          {5, 1, 2 * LARGEST, 0, 0},       {5, 1, LARGEST, 1, 0},
        {5, 1, 2 * LARGEST, 1, 0},      {5, 1, LARGEST, 0, 1},           {5, 1, 2 * LARGEST, 0, 1},
        {5, 1, LARGEST, 1, 1},          {5, 1, 2 * LARGEST, 1, 1},       {16, 1, 16 * LARGEST / 4, 0, 0},
        {3, 8, 24 * LARGEST / 4, 0, 0}, {24, 1, 24 * LARGEST / 4, 0, 0}, {24, 1, 24 * LARGEST / 4, 1, 0},
    };
    printf("\n| processors | n | profiles, energy | points | ours, ms | published / ours |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) print_front(options, &cases[k]);
}

/* --------------------------------------------------------------------------------------- 5 to 768 processors */

static void print_sizes_row(const runs_options *options, const front_case *given)
{
    static statistic points;
    static statistic milliseconds;
    points.count = milliseconds.count = 0;
    for (int k = 0; k < SEEDS; k++) {
        const uint64_t seed = options->timing.seed + (uint64_t)k;
        const runs_row row = {"sizes", profiles_of(given), given->kinds * given->count, given->n};
        question asked = {make_profile(given->kinds, given->count, seed, given->smooth), given->n, given->total, NULL};
        const runs_outcome ours = runs_measure_ours(run, &asked, repetitions_of(given));
        statistic_take(&points, ours.value);
        statistic_take(&milliseconds, 1e3 * runs_median(&ours));
        runs_write(options, &row, "auto", 0.0, &ours);
        scalay_profile_destroy(&asked.profile);
    }
    printf("| %lld in %d groups | %s |", (long long)(given->kinds * given->count), given->kinds, profiles_of(given));
    statistic_print(&points, "%.0f");
    statistic_print(&milliseconds, "%.3g");
    printf("\n");
    fflush(stdout);
}

static void print_sizes(const runs_options *options)
{
    static const int processors[] = {5, 24, 48, 96, 192, 384, 768};
    printf("\nFronts of 5 to 768 processors, n = p m / 4, profiles of %d seeds\n\n| processors | profiles, energy | "
           "points: least / median / most | ours, ms: least / median / most |\n|---|---|---|---|\n",
           SEEDS);
    for (size_t k = 0; k < sizeof processors / sizeof processors[0]; k++)
        for (int total = 0; total < 2; total++) {
            const int p = processors[k];
            print_sizes_row(options, &(front_case){p, 1, p * LARGEST / 4, total, 0});
            if (p > 5) print_sizes_row(options, &(front_case){3, p / 3, p * LARGEST / 4, total, 0});
            if (p <= 24) print_sizes_row(options, &(front_case){p, 1, p * LARGEST / 4, total, 1});
        }
}

/* ------------------------------------------------------------------------------------ all n, as in section 8 */

enum {
    POINTS,
    FASTER,
    THRIFTY,
    TIME_OF_5,
    ENERGY_OF_5,
    TOTAL_POINTS,
    TOTAL_TIME_OF_5,
    TOTAL_ENERGY_OF_5,
    TOTAL_SAVED,
    SECTION_ROWS
};

static const char *const section_rows[SECTION_ROWS] = {
    "points of the front of dynamic energy",
    "load-balanced distribution: slower than the least time, %",
    "load-balanced distribution: above the least energy, %",
    "time gained from the end of least energy by 5% more energy, %",
    "energy saved from the end of least time by 5% more time, %",
    "points of the front of total energy",
    "time gained from the end of least total energy by 5% more, %",
    "total energy saved from the end of least time by 5% more time, %",
    "total energy at the end of least dynamic energy above the least, %",
};

/* Percent by which a is above b; nothing when both are 0. */
static double percent(double a, double b)
{
    return a > b ? (a - b) / b * 100.0 : 0.0;
}

/* The ends of a front, and the points that 5% more than the least time or energy allow. */
typedef struct {
    int64_t count;
    scalay_workload_front_point first, last, within_time, within_energy;
} front_ends;

static front_ends ends_of(scalay_workload_front *front)
{
    front_ends ends = {.count = scalay_workload_front_count(front)};
    timing_must(scalay_workload_front_get_point(front, 0, &ends.first));
    timing_must(scalay_workload_front_get_point(front, ends.count - 1, &ends.last));
    timing_must(
        scalay_workload_front_get_point(front, scalay_workload_front_within_time(front, 0.05), &ends.within_time));
    timing_must(
        scalay_workload_front_get_point(front, scalay_workload_front_within_energy(front, 0.05), &ends.within_energy));
    scalay_workload_front_destroy(&front);
    return ends;
}

static scalay_workload_summary balanced(const scalay_profile *profile, int64_t n)
{
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    timing_must(scalay_published_distribute(profile, n, "fpm", &workload));
    timing_must(scalay_workload_get_summary(workload, &summary));
    scalay_workload_destroy(&workload);
    return summary;
}

static void take_front(const scalay_profile *profile, int64_t n, statistic *of)
{
    scalay_workload_front *front = NULL;
    scalay_workload_front *total_front = NULL;
    timing_must(scalay_workload_front_create(profile, n, NULL, &front));
    timing_must(scalay_workload_front_create_total(profile, n, base_power, NULL, &total_front));
    const front_ends dynamic = ends_of(front);
    const front_ends total = ends_of(total_front);
    const scalay_workload_summary even = balanced(profile, n);
    const double thriftiest = dynamic.last.energy + base_power * dynamic.last.time;
    statistic_take(&of[POINTS], (double)dynamic.count);
    statistic_take(&of[FASTER], percent(even.time, dynamic.first.time));
    statistic_take(&of[THRIFTY], percent(even.energy, dynamic.last.energy));
    statistic_take(&of[TIME_OF_5], percent(dynamic.last.time, dynamic.within_energy.time));
    statistic_take(&of[ENERGY_OF_5], percent(dynamic.first.energy, dynamic.within_time.energy));
    statistic_take(&of[TOTAL_POINTS], (double)total.count);
    statistic_take(&of[TOTAL_TIME_OF_5], percent(total.last.time, total.within_energy.time));
    statistic_take(&of[TOTAL_ENERGY_OF_5], percent(total.first.total_energy, total.within_time.total_energy));
    statistic_take(&of[TOTAL_SAVED], percent(thriftiest, total.last.total_energy));
}

static void print_section(uint64_t seed, int smooth)
{
    static statistic of[SECTION_ROWS];
    scalay_profile *profile = make_profile(5, 1, seed, smooth);
    for (int k = 0; k < SECTION_ROWS; k++) of[k].count = 0;
    for (int64_t n = 1; n <= 2 * LARGEST; n += 7) take_front(profile, n, of);
    printf("\n| %s profiles, five processors, every seventh n up to %d | least | mean | median | most |\n"
           "|---|---|---|---|---|\n",
           smooth ? "smooth" : "rough", 2 * LARGEST);
    for (int k = 0; k < SECTION_ROWS; k++) {
        const double mean = statistic_mean(&of[k]);
        const double median = statistic_median(&of[k]);
        printf("| %s | %.3g | %.3g | %.3g | %.3g |\n", section_rows[k], of[k].value[0], mean, median,
               of[k].value[of[k].count - 1]);
    }
    scalay_profile_destroy(&profile);
}

/* --------------------------------------------------------------------------- concave or linear up to rounding */

enum { FAMILY_LARGEST = 1024, MICRO = 1000000 };

/* Energies start + factor x^power in microjoules; start and factor differ by processor, up to twice. */
typedef struct {
    const char *name;
    int kinds;
    int64_t count;
    double power;
    double start;
} family;

typedef struct {
    double speed;
    double start;
    double factor;
    double power;
} family_member;

static int family_point(int64_t x, double *time, double *energy, void *context)
{
    const family_member *of = context;
    *time = (double)x / of->speed;
    *energy = round(MICRO * (of->start + of->factor * pow((double)x, of->power))) / MICRO;
    return 1;
}

static scalay_profile *make_family(const family *given, uint64_t seed)
{
    scalay_profile *part[96] = {NULL};
    scalay_profile *profile = NULL;
    scalay_random random = scalay_random_seed(seed);
    for (int j = 0; j < given->kinds; j++) {
        char name[32];
        family_member of = {100.0 * (1.0 + 4.0 * scalay_random_unit(&random)),
                            given->start * (1.0 + scalay_random_unit(&random)), 1.0 + scalay_random_unit(&random),
                            given->power};
        snprintf(name, sizeof name, "processor %d", j);
        timing_must(scalay_profile_function(name, given->count, FAMILY_LARGEST, family_point, &of, 1, &part[j]));
    }
    timing_must(scalay_profile_join(given->kinds, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < given->kinds; j++) scalay_profile_destroy(&part[j]);
    return profile;
}

static void print_families(const runs_options *options)
{
    static const family families[] = {{"x^0.34", 8, 2, 0.34, 0.0},       {"x^0.7", 8, 2, 0.7, 0.0},
                                      {"100 + x", 16, 1, 1.0, 100.0},    {"x^1.2", 8, 2, 1.2, 0.0},
                                      {"100 + x", 96, 1, 1.0, 100.0},    {"x^0.7", 96, 1, 0.7, 0.0},
                                      {"100 + x^1.2", 96, 1, 1.2, 100.0}};
    printf("\n| energies | processors | points | ours, s | ms a point |\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        const family *given = &families[k];
        const int64_t processors = given->kinds * given->count;
        question asked = {make_family(given, options->timing.seed), processors * FAMILY_LARGEST / 2, 0, NULL};
        double points = 0.0;
        const double seconds = run(&asked, &points);
        printf("| %s | %lld in %d groups | %.0f | %.2f | %.3f |\n", given->name, (long long)processors, given->kinds,
               points, seconds, 1e3 * seconds / points);
        fflush(stdout);
        scalay_profile_destroy(&asked.profile);
    }
}

int main(int argc, char **argv)
{
    runs_options options = runs_read_options(argc, argv, 40, 4.0);
    printf("m        %d, base power %g W\n", LARGEST, base_power);
    for (int smooth = 0; smooth < 2; smooth++) print_section(options.timing.seed, smooth);
    print_sizes(&options);
    print_times(&options);
    print_families(&options);
    return runs_close(&options);
}
