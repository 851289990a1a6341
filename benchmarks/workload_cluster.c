/* Simulated clusters of hybrid nodes: ours beside HPOPTA and HiPOPTA, and what they gain over FPM and CPM.
 *
 * As section 5 of the supplement of Khaleghzadeh et al. (2018): 8 to 256 nodes of three abstract processors (CPU, GPU,
 * accelerator), all nodes alike, so 24 to 768 processors in three groups; n runs over sizes per node. Their profiles
 * are not published; these come from a generator, with drops as in their figures. Ours and the peers are medians of
 * runs. CPM takes its speeds at n / p, and, as in the paper, at three sizes for all n. Then processors that all differ.
 *
 * Usage: bench_workload_cluster [--full] [--limit SECONDS, default 1] [--minutes M, default 2] [--seed N, default 1]
 *                               [--csv FILE] */
#include "workload_runs.h"

#include <math.h>

#include "../tests/support/measured.h"
#include "scalay/published.h"
#include "scalay/workload.h"

enum { LARGEST = 700, DIFFERENT_LARGEST = 1024, KINDS = 3, REFERENCES = 3, BASELINES = 2 + REFERENCES };

/* Where speeds are taken: the paper's 4736, 28672 and 44800, which is 700 times 64. */
static const int64_t references[REFERENCES] = {74, 448, 700};

typedef struct {
    const scalay_profile *profile;
    int64_t n;
    const char *method; /* NULL: exact */
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
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    const double start = timing_now();
    const scalay_status status = asked->method == NULL
                                     ? scalay_workload_min_time(asked->profile, asked->n, NULL, &workload)
                                     : scalay_published_distribute(asked->profile, asked->n, asked->method, &workload);
    if (status != SCALAY_SUCCESS) return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    timing_must(scalay_workload_get_summary(workload, &summary));
    *time = summary.time;
    scalay_workload_destroy(&workload);
    return seconds;
}

/* ------------------------------------------------------------------------------------------ beside the peers */

static void print_peer(const runs_options *options, const runs_row *row, question *asked, const char *method,
                       const runs_outcome *ours)
{
    asked->method = method;
    const runs_job job = {run, NULL, asked};
    const runs_outcome peer = runs_measure(&job, runs_limit(options, 0.5));
    printf(" ");
    runs_print_peer(&peer, runs_median(ours));
    if (peer.count > 0 && peer.value != ours->value) printf(" OTHER TIME");
    printf(" |");
    runs_write(options, row, method, runs_median(ours), &peer);
}

/* Ours and the peers; destroys the profile. */
static void print_times(const runs_options *options, scalay_profile *profile, int64_t n, profile_shape shape)
{
    question asked = {profile, n, NULL};
    const runs_row row = {"clusters", profile_shape_name(shape), scalay_profile_processors(profile), n};
    const runs_outcome ours = runs_measure_ours(run, &asked, RUNS_MOST);
    printf("| %lld in %d groups | %s | %.1f |", (long long)row.processors, scalay_profile_groups(profile), row.profiles,
           1e6 * runs_median(&ours));
    runs_write(options, &row, "auto", 0.0, &ours);
    print_peer(options, &row, &asked, "hpopta", &ours);
    print_peer(options, &row, &asked, "hipopta", &ours);
    printf("\n");
    fflush(stdout);
    scalay_profile_destroy(&profile);
}

static void print_all_times(const runs_options *options)
{
    static const profile_shape shapes[] = {PROFILE_GEMM, PROFILE_FFT};
    static const int different[] = {5, 24, 96, 768};
    const uint64_t seed = options->timing.seed;
    printf("\nLeast time: m = %d and n = m for each node of three groups; m = %d and n = p m / 4 where all differ\n\n"
           "| processors | profiles | ours, us | HPOPTA / ours | HiPOPTA / ours |\n|---|---|---|---|---|\n",
           LARGEST, DIFFERENT_LARGEST);
    for (int s = 0; s < 2; s++)
        for (int64_t nodes = 1; nodes <= 256; nodes = nodes == 1 ? 8 : 2 * nodes)
            print_times(options, make_cluster(nodes, shapes[s], seed), nodes * LARGEST, shapes[s]);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            print_times(options, make_different(different[k], shapes[s], seed),
                        different[k] * (int64_t)DIFFERENT_LARGEST / 4, shapes[s]);
}

/* ---------------------------------------------------------------------------------------------- improvements */

/* Constant speeds as in the paper: taken at one size, whatever n is. The time of sizes in proportion to them, each
 * rounded down and what is left given to the fastest; negative where a size is not listed. */
static double time_of_constant(const scalay_profile *cluster, int64_t nodes, int64_t n, int64_t reference)
{
    double time[KINDS];
    int64_t size[KINDS];
    double sum = 0.0;
    double longest = 0.0;
    int64_t left = n;
    int fastest = 0;
    for (int j = 0; j < KINDS; j++) {
        timing_must(scalay_profile_get_point(cluster, j, reference, &time[j], NULL));
        sum += (double)nodes / time[j];
        if (time[j] < time[fastest]) fastest = j;
    }
    for (int j = 0; j < KINDS; j++) {
        size[j] = (int64_t)((double)n / (time[j] * sum));
        left -= nodes * size[j];
    }
    for (int j = 0; j < KINDS; j++) {
        const int64_t largest = size[j] + (j == fastest ? (left + nodes - 1) / nodes : 0);
        double seconds = 0.0;
        timing_must(scalay_profile_get_point(cluster, j, largest, &seconds, NULL));
        longest = seconds > longest ? seconds : longest;
    }
    return longest < INFINITY ? longest : -1.0;
}

/* By how many percent a baseline is slower; a negative time: it has no answer. */
static void compare(double theirs, double ours, statistic *of)
{
    if (theirs < 0.0)
        of->refused++;
    else
        statistic_take(of, (theirs - ours) / ours * 100.0);
}

static double time_by(const scalay_profile *cluster, int64_t n, const char *method)
{
    question asked = {cluster, n, method};
    double time = 0.0;
    return run(&asked, &time) < 0.0 ? -1.0 : time;
}

static void take_improvements(const scalay_profile *cluster, int64_t nodes, int64_t n, statistic *of)
{
    const double ours = time_by(cluster, n, NULL);
    compare(time_by(cluster, n, "fpm"), ours, &of[0]);
    compare(time_by(cluster, n, "cpm"), ours, &of[1]);
    for (int k = 0; k < REFERENCES; k++) compare(time_of_constant(cluster, nodes, n, references[k]), ours, &of[2 + k]);
}

static void print_improvement(statistic *of)
{
    const double mean = statistic_mean(of);
    const double median = statistic_median(of);
    if (of->count == 0)
        printf(" - |");
    else
        printf(" %.0f / %.0f / %.0f / %.0f |", of->value[0], mean, median, of->value[of->count - 1]);
}

static void print_improvements(int64_t nodes, profile_shape shape, uint64_t seed)
{
    static statistic of[BASELINES];
    scalay_profile *cluster = make_cluster(nodes, shape, seed);
    for (int k = 0; k < BASELINES; k++) of[k].count = of[k].refused = 0;
    for (int64_t each = 100; each <= 1500; each += nodes < 64 ? 50 : 100)
        take_improvements(cluster, nodes, nodes * each + each / 3, of);
    printf("| %lld | %s |", (long long)(nodes * KINDS), profile_shape_name(shape));
    for (int k = 0; k < BASELINES; k++) print_improvement(&of[k]);
    for (int k = 0; k < BASELINES; k++) printf(" %d%s", of[k].refused, k + 1 < BASELINES ? "," : " |\n");
    fflush(stdout);
    scalay_profile_destroy(&cluster);
}

static void print_all_improvements(uint64_t seed)
{
    static const profile_shape shapes[] = {PROFILE_GEMM, PROFILE_FFT};
    printf(
        "\nPercent by which the baselines are slower, n = 100 to 1500 for each node: least / mean / median / most\n\n"
        "| processors | profiles | FPM | CPM, speeds at n / p |");
    for (int k = 0; k < REFERENCES; k++) printf(" CPM, at %lld |", (long long)references[k]);
    printf(" without an answer |\n|---|---|---|---|---|---|---|---|\n");
    for (int s = 0; s < 2; s++)
        for (int64_t nodes = 8; nodes <= 256; nodes *= 2) print_improvements(nodes, shapes[s], seed);
}

int main(int argc, char **argv)
{
    runs_options options = runs_read_options(argc, argv, 1, 2.0);
    printf("m        %d\n", LARGEST);
    print_all_times(&options);
    print_all_improvements(options.timing.seed);
    return runs_close(&options);
}
