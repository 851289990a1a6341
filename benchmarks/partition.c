/* Partitions: how near to the lower bound every method comes, and the processor seconds it takes, over seeded speed
 * vectors; then the scenarios of Malik and Lastovetsky (2021).
 *
 * The bound is that of docs/partition.md; "plain" is the one that takes the requirements of its case III one at a time.
 * Speed vectors: uniform, skewed (cubes), one dominant, two levels; as many of each as the first argument says.
 *
 * Usage: bench_partition [vectors of each kind, default 10] [largest number of parts, default 64] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../tests/support/speeds.h"
#include "partition/methods.h"

enum { MOST_METHODS = 32 };

/* Of the processor, so that a busy machine does not count. */
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(3);
}

/* ----------------------------------------------------------------------------------------------- quality */

typedef struct {
    double ratio[KINDS]; /* sums of f_c / bound; infinity once it was not feasible */
    double seconds;
} tally;

/* One vector by one method; returns f_c. */
static double measure(const scalay_partition_method *method, const scalay_partition_problem *problem, double *seconds)
{
    scalay_candidate candidate = {0};
    double start = now();
    must(method->draw(problem, method->variant, &candidate));
    *seconds += now() - start;
    double cost = candidate.feasible ? candidate.continuous_cost : INFINITY;
    scalay_candidate_free(&candidate);
    return cost;
}

static void print_tally(const char *name, const tally *sums, int vectors)
{
    double all = 0.0;
    printf("  %-18s", name);
    for (int kind = 0; kind < KINDS; kind++) {
        printf(" %8.4f", sums->ratio[kind] / vectors);
        all += sums->ratio[kind];
    }
    printf(" %8.4f %11.6f\n", all / (KINDS * vectors), sums->seconds / (KINDS * vectors));
}

static int serves(const scalay_partition_method *method, int parts)
{
    return parts >= method->min_parts && (method->max_parts == 0 || parts <= method->max_parts);
}

static void compare_methods(int parts, int vectors)
{
    static double speed[MOST_SPEEDS];
    tally sums[MOST_METHODS] = {{{0.0}, 0.0}};
    tally best = {{0.0}, 0.0};
    tally plain = {{0.0}, 0.0};
    const scalay_partition_method *table = scalay_partition_method_table;
    scalay_partition_options options = scalay_partition_options_default();
    scalay_random random = scalay_random_seed(1);
    for (int kind = 0; kind < KINDS; kind++)
        for (int vector = 0; vector < vectors; vector++) {
            double bound;
            double least = INFINITY;
            random_areas(&random, kind, parts, 1.0, speed);
            const scalay_partition_problem problem = {1.0, 1.0, parts, speed, &options};
            must(scalay_partition_bound(&problem, &bound));
            for (int k = 0; table[k].name != NULL; k++) {
                if (!serves(&table[k], parts)) continue;
                double cost = measure(&table[k], &problem, &sums[k].seconds);
                sums[k].ratio[kind] += cost / bound;
                least = fmin(least, cost);
            }
            best.ratio[kind] += least / bound;
            plain.ratio[kind] += least / plain_bound(parts, speed);
        }
    printf("%d parts\n", parts);
    for (int k = 0; table[k].name != NULL; k++) {
        if (!serves(&table[k], parts)) continue;
        best.seconds += sums[k].seconds;
        print_tally(table[k].name, &sums[k], vectors);
    }
    plain.seconds = best.seconds;
    print_tally("auto", &best, vectors);
    print_tally("auto, plain bound", &plain, vectors);
}

/* ------------------------------------------------------------------------------------------- whole calls */

static void time_create(int parts)
{
    static double speed[MOST_SPEEDS];
    scalay_random random = scalay_random_seed(2);
    scalay_partition *partition = NULL;
    random_areas(&random, UNIFORM, parts, 1.0, speed);
    double start = now();
    must(scalay_partition_create(10000, 10000, parts, speed, NULL, &partition));
    double seconds = now() - start;
    scalay_partition_summary summary;
    scalay_partition_candidate chosen;
    must(scalay_partition_get_summary(partition, &summary));
    must(scalay_partition_get_candidate(partition, summary.chosen, &chosen));
    printf("  %5d parts %10.6f s  %-18s %8.4f of the bound, load error %.2g\n", parts, seconds, chosen.shape,
           chosen.continuous_cost / summary.lower_bound, summary.load_error);
    scalay_partition_destroy(&partition);
}

/* ------------------------------------------------------------------------------------- the paper's cases */

/* Joules per 1e9 bytes between P and Q, P and R, Q and R; N = 22528, 8 bytes an element. */
static void fill_links(double *joules)
{
    static const double of[3][3] = {{0.0, 4.30, 62.60}, {4.30, 0.0, 12.69}, {62.60, 12.69, 0.0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) joules[3 * i + j] = of[i][j] * 8e-9;
}

static void run_scenario(const double *ratio)
{
    enum { N = 22528 };
    double joules[9];
    scalay_links links = scalay_links_default();
    scalay_partition_options options = scalay_partition_options_default();
    fill_links(joules);
    links.processors = 3;
    links.joules_per_element = joules;
    options.links = &links;
    printf("  1 : %g : %g\n", ratio[1], ratio[2]);
    for (int energy = 0; energy < 2; energy++) {
        scalay_partition *partition = NULL;
        scalay_partition_summary summary;
        options.objective = energy ? SCALAY_PARTITION_ENERGY : SCALAY_PARTITION_VOLUME;
        must(scalay_partition_create(N, N, 3, ratio, &options, &partition));
        must(scalay_partition_get_summary(partition, &summary));
        for (int k = 0; k < summary.candidates; k++) {
            scalay_partition_candidate candidate;
            must(scalay_partition_get_candidate(partition, k, &candidate));
            if (!candidate.feasible) continue;
            printf("    %s %c %-18s volume / n^2 %.4f, %6.1f J\n", energy ? "energy" : "volume",
                   k == summary.chosen ? '*' : ' ', candidate.shape, candidate.continuous_cost / ((double)N * N),
                   candidate.energy);
        }
        scalay_partition_destroy(&partition);
    }
}

int main(int argc, char **argv)
{
    static const int sizes[] = {2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64};
    static const double scenario[][3] = {{1, .5, .25}, {1, .15, .10}, {1, .7, .10}, {1, .15, .05}, {1, .7, .07}};
    int vectors = argc > 1 ? atoi(argv[1]) : 10;
    int most = argc > 2 ? atoi(argv[2]) : 64;
    if (vectors < 1) vectors = 1;
    printf("mean f_c / bound, and seconds of the processor\n  %-18s %8s %8s %8s %8s %8s %11s\n", "", "uniform",
           "skewed", "dominant", "levels", "all", "seconds");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (sizes[k] <= most) compare_methods(sizes[k], vectors);
    printf("scalay_partition_create, 10000 x 10000, uniform speeds\n");
    for (int parts = 2; parts <= MOST_SPEEDS; parts *= 2) time_create(parts);
    printf("speeds of the paper, N = 22528, * = chosen\n");
    for (size_t k = 0; k < sizeof scenario / sizeof scenario[0]; k++) run_scenario(scenario[k]);
    return 0;
}
