/* Simulated clusters of hybrid nodes: ours beside HPOPTA and HiPOPTA, and what they gain over FPM and CPM.
 *
 * As section 5 of the supplement of Khaleghzadeh et al. (2018): 8 to 256 nodes of three abstract processors (CPU, GPU,
 * accelerator), all nodes alike, so 24 to 768 processors in three groups; n runs over sizes per node. Their profiles
 * are not published; these come from a generator, with drops as in their figures. Peers run in a process of their own
 * for at most `limit` seconds each, on one n. CPM takes its speeds at n / p, the papers at sizes of their choice. Then
 * processors that all differ.
 *
 * Usage: bench_workload_cluster [--full] [--limit SECONDS, default 30] [--seed N, default 1] */
#include "timing.h"

#include "../tests/support/measured.h"
#include "scalay/workload.h"

enum { LARGEST = 700, DIFFERENT_LARGEST = 1024, REPETITIONS = 9, KINDS = 3 };

typedef struct {
    const scalay_profile *profile;
    int64_t n;
    const char *method;
} question;

static scalay_profile *make_cluster(int64_t nodes, profile_shape shape, uint64_t seed)
{
    static double workspace[3 * LARGEST];
    static const char *const names[KINDS] = {"cpu", "gpu", "phi"};
    static const double speed[KINDS] = {100.0, 250.0, 80.0};
    scalay_profile *part[KINDS] = {NULL};
    scalay_profile *cluster = NULL;
    for (int j = 0; j < KINDS; j++)
        timing_must(
            profile_generate(names[j], nodes, shape, seed * 10 + (uint64_t)j, speed[j], LARGEST, workspace, &part[j]));
    timing_must(scalay_profile_join(KINDS, (const scalay_profile *const *)part, &cluster));
    for (int j = 0; j < KINDS; j++) scalay_profile_destroy(&part[j]);
    return cluster;
}

/* p processors of which no two are alike. */
static scalay_profile *make_different(int p, profile_shape shape, uint64_t seed)
{
    static double workspace[3 * DIFFERENT_LARGEST];
    scalay_profile **part = calloc((size_t)p, sizeof *part);
    scalay_profile *different = NULL;
    if (part == NULL) timing_must(SCALAY_ERROR_MEMORY);
    for (int j = 0; j < p; j++) {
        char name[32];
        snprintf(name, sizeof name, "processor %d", j);
        timing_must(profile_generate(name, 1, shape, seed * 1000 + (uint64_t)j, 100.0 * (1.0 + 0.001 * j),
                                     DIFFERENT_LARGEST, workspace, &part[j]));
    }
    timing_must(scalay_profile_join(p, (const scalay_profile *const *)part, &different));
    for (int j = 0; j < p; j++) scalay_profile_destroy(&part[j]);
    free(part);
    return different;
}

static double run(void *context, double *time)
{
    const question *asked = context;
    scalay_workload_options options = scalay_workload_options_default();
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    options.method = asked->method;
    const double start = timing_now();
    if (scalay_workload_min_time(asked->profile, asked->n, &options, &workload) != SCALAY_SUCCESS)
        return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    timing_must(scalay_workload_get(workload, &summary));
    *time = summary.time;
    scalay_workload_destroy(&workload);
    return seconds;
}

static void print_peer(question *asked, const char *method, double ours, double time, int limit)
{
    double theirs = 0.0;
    asked->method = method;
    const double seconds = timing_limited(run, asked, limit, &theirs);
    timing_print_peer(seconds, ours, limit);
    if (seconds >= 0.0 && theirs != time) printf("!");
}

/* Ours and the peers; destroys the profile. */
static void print_times(scalay_profile *profile, int64_t n, profile_shape shape, int limit)
{
    double seconds[REPETITIONS];
    double time = 0.0;
    question asked = {profile, n, "auto"};
    for (int k = 0; k < REPETITIONS; k++) seconds[k] = run(&asked, &time);
    const double ours = timing_median(seconds, REPETITIONS);
    printf("%5lld %6s %9.1f", (long long)scalay_profile_processors(profile), profile_shape_name(shape), 1e6 * ours);
    print_peer(&asked, "hpopta", ours, time, limit);
    print_peer(&asked, "hipopta", ours, time, limit);
    printf("\n");
    fflush(stdout);
    scalay_profile_destroy(&profile);
}

typedef struct {
    double least;
    double sum;
    double largest;
    int count;
    int refused;
} improvement;

/* By how many percent a baseline is slower. */
static void compare(const scalay_profile *profile, int64_t n, const char *method, double time, improvement *of)
{
    question asked = {profile, n, method};
    double theirs = 0.0;
    const double seconds = run(&asked, &theirs);
    if (seconds < 0.0) {
        of->refused++;
        return;
    }
    const double percent = (theirs - time) / time * 100.0;
    if (of->count == 0 || percent < of->least) of->least = percent;
    if (of->count == 0 || percent > of->largest) of->largest = percent;
    of->sum += percent;
    of->count++;
}

static void print_improvement(const improvement *of)
{
    printf(" %8.1f %8.1f %8.1f %7d", of->least, of->count > 0 ? of->sum / of->count : 0.0, of->largest, of->refused);
}

static void print_improvements(int64_t nodes, profile_shape shape, uint64_t seed)
{
    improvement fpm = {0};
    improvement cpm = {0};
    scalay_profile *cluster = make_cluster(nodes, shape, seed);
    for (int64_t each = 100; each <= 1500; each += 100) {
        double time = 0.0;
        question asked = {cluster, nodes * each + each / 3, "auto"};
        (void)run(&asked, &time);
        compare(cluster, asked.n, "fpm", time, &fpm);
        compare(cluster, asked.n, "cpm", time, &cpm);
    }
    printf("%5lld %6s", (long long)(nodes * KINDS), profile_shape_name(shape));
    print_improvement(&fpm);
    print_improvement(&cpm);
    printf("\n");
    fflush(stdout);
    scalay_profile_destroy(&cluster);
}

static void print_head(const char *what)
{
    printf("\n%s\n%5s %6s %9s %11s %10s %11s %10s\n", what, "p", "shape", "ours us", "hpopta s", "ratio", "hipopta s",
           "ratio");
}

int main(int argc, char **argv)
{
    static const profile_shape shapes[] = {PROFILE_GEMM, PROFILE_FFT};
    static const int different[] = {5, 24, 96, 768};
    const timing_options options = timing_read_options(argc, argv, (timing_options){30, 1});
    const uint64_t seed = options.seed;
    const int limit = options.limit;
    timing_print_machine(&options);
    printf("m        %d\n", LARGEST);
    print_head("Least time, n = m for each node");
    for (int s = 0; s < 2; s++)
        for (int64_t nodes = 1; nodes <= 256; nodes = nodes == 1 ? 8 : 2 * nodes)
            print_times(make_cluster(nodes, shapes[s], seed), nodes * LARGEST, shapes[s], limit);
    print_head("Least time, processors that all differ, m = 1024, n = p m / 4");
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            print_times(make_different(different[k], shapes[s], seed), different[k] * (int64_t)DIFFERENT_LARGEST / 4,
                        shapes[s], limit);
    printf(
        "\nPercent that the baselines are slower, n = 100 to 1500 for each node\n%5s %6s %8s %8s %8s %7s %8s %8s %8s "
        "%7s\n",
        "p", "shape", "fpm min", "mean", "max", "refused", "cpm min", "mean", "max", "refused");
    for (int s = 0; s < 2; s++)
        for (int64_t nodes = 8; nodes <= 256; nodes *= 2) print_improvements(nodes, shapes[s], seed);
    return 0;
}
