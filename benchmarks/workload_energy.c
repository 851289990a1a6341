/* Least energy on profiles that are far from convex: ours beside HEPOPTA, whose front ends with it, and beside a plain
 * dynamic program written for the benchmark (one processor after the other, every sum up to n, with its choices kept to
 * tell the distribution), with the most memory that each allocates beside the input.
 *
 * Such profiles leave the quick ways (residues of a critical edge, few moves): energies that rise ever more slowly,
 * exactly, rounded to millijoules, and with noise of 10%; processors that cost much to start and ever more then; sizes
 * with a common divisor but few; holes. m = 450, n = p m / 4 + 1.
 *
 * Usage: bench_workload_energy [--full] [--limit SECONDS, default 10] [--minutes M, default 3] [--seed N, default 1]
 *                              [--csv FILE] */
#include "workload_runs.h"

#include <math.h>

#include "../tests/support/measured.h"
#include "scalay/published.h"
#include "scalay/workload.h"

enum { LARGEST = 450 };

typedef struct {
    scalay_profile *profile;
    int64_t n;
} question;

/* So many different processors, each so many times. */
typedef struct {
    int kinds;
    int64_t count;
} machine;

typedef struct {
    const char *name;
    profile_shape shape;
    double noise;  /* of the energies, as a share of them */
    double digits; /* energies are rounded to so many parts of a joule */
    double start;  /* at most, as a share of the energy of the largest size */
} kind;

static const kind kinds[] = {
    {"fft", PROFILE_FFT, 0.0, 1e3, 0.0},
    {"holes", PROFILE_HOLES, 0.0, 1e3, 0.0},
    {"concave, to uJ", PROFILE_CONCAVE, 0.0, 1e6, 0.0},
    {"concave, to mJ", PROFILE_CONCAVE, 0.0, 1e3, 0.0},
    {"concave, 10% noise", PROFILE_CONCAVE, 0.1, 1e3, 0.0},
    {"dear to start", PROFILE_SMOOTH, 0.0, 1e3, 1.0},
    {"gcd", PROFILE_GCD, 0.0, 1e3, 0.0},
    {"gcd, 10% noise", PROFILE_GCD, 0.1, 1e3, 0.0},
};

static scalay_profile *make_group(int j, int64_t count, const kind *of, uint64_t seed)
{
    static int64_t size[LARGEST];
    static double time[LARGEST];
    static double energy[LARGEST];
    char name[32];
    scalay_profile *profile = NULL;
    const double speed = 100.0 * (1.0 + 0.37 * (j % 5) + 0.011 * j);
    scalay_random random = scalay_random_seed(seed * 7919 + (uint64_t)j);
    const int64_t points = profile_points(of->shape, seed * 1000 + (uint64_t)j, speed, LARGEST, size, time, energy);
    const double start = of->start * scalay_random_unit(&random) * energy[points - 1];
    for (int64_t k = 0; k < points; k++) {
        const double trend = of->shape == PROFILE_CONCAVE ? 90.0 * pow((double)size[k], 0.8) / speed : energy[k];
        const double joules = start + trend * (1.0 + of->noise * scalay_random_unit(&random));
        energy[k] = (floor(joules * of->digits) + 1.0) / of->digits;
    }
    snprintf(name, sizeof name, "processor %d", j);
    timing_must(scalay_profile_table(name, count, points, size, time, energy, &profile));
    return profile;
}

static scalay_profile *make_profile(const machine *given, const kind *of, uint64_t seed)
{
    scalay_profile **part = calloc((size_t)given->kinds, sizeof *part);
    scalay_profile *profile = NULL;
    if (part == NULL) timing_must(SCALAY_ERROR_MEMORY);
    for (int j = 0; j < given->kinds; j++) part[j] = make_group(j, given->count, of, seed);
    timing_must(scalay_profile_join(given->kinds, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < given->kinds; j++) scalay_profile_destroy(&part[j]);
    free(part);
    return profile;
}

static double run_ours(void *context, double *value)
{
    const question *asked = context;
    scalay_workload *workload = NULL;
    scalay_workload_summary summary;
    const double start = timing_now();
    if (scalay_workload_min_energy(asked->profile, asked->n, NULL, &workload) != SCALAY_SUCCESS) return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    timing_must(scalay_workload_get_summary(workload, &summary));
    *value = summary.energy;
    scalay_workload_destroy(&workload);
    return seconds;
}

/* The end of the front. */
static double run_hepopta(void *context, double *value)
{
    const question *asked = context;
    scalay_workload_front *front = NULL;
    scalay_workload_front_point point;
    const double start = timing_now();
    if (scalay_published_front(asked->profile, asked->n, 0.0, "hepopta", &front) != SCALAY_SUCCESS)
        return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    timing_must(scalay_workload_front_get_point(front, scalay_workload_front_count(front) - 1, &point));
    *value = point.energy;
    scalay_workload_front_destroy(&front);
    return seconds;
}

/* ------------------------------------------------------------------------------------------- dynamic program */

typedef struct {
    int64_t n;
    double *best;     /* shape [n + 1]: the least energy of the processors so far, by their sum */
    uint16_t *choice; /* shape [processors][n + 1]: the size of the last of them */
} program;

/* One processor more; sums from the largest on, so that `best` is still that without it below. */
static void add_processor(program *of, int64_t points, const int64_t *size, const double *energy, uint16_t *choice)
{
    for (int64_t v = of->n; v >= 0; v--) {
        double least = of->best[v];
        for (int64_t k = 0; k < points && size[k] <= v; k++) {
            const double sum = of->best[v - size[k]] + energy[k];
            if (sum < least) {
                least = sum;
                choice[v] = (uint16_t)size[k];
            }
        }
        of->best[v] = least;
    }
}

static double run_program(void *context, double *value)
{
    const question *asked = context;
    const int64_t processors = scalay_profile_processors(asked->profile);
    const double start = timing_now();
    program of = {.n = asked->n, .best = scalay_allocate(asked->n + 1, sizeof *of.best)};
    of.choice = scalay_allocate(processors * (asked->n + 1), sizeof *of.choice);
    if (of.best == NULL || of.choice == NULL) return TIMING_REFUSED;
    int64_t done = 0;
    for (int64_t v = 0; v <= of.n; v++) of.best[v] = v == 0 ? 0.0 : INFINITY;
    for (int j = 0; j < scalay_profile_groups(asked->profile); j++) {
        int64_t points = 0;
        const int64_t *size = NULL;
        const double *energy = NULL;
        timing_must(scalay_profile_points(asked->profile, j, &points, &size, NULL, &energy));
        for (int64_t copy = 0; copy < scalay_profile_multiplicity(asked->profile, j); copy++)
            add_processor(&of, points, size, energy, &of.choice[done++ * (of.n + 1)]);
    }
    *value = of.best[of.n];
    scalay_release(of.best);
    scalay_release(of.choice);
    return timing_now() - start;
}

/* ---------------------------------------------------------------------------------------------------- tables */

static void print_peer(const runs_options *options, const runs_row *row, const char *method, timing_run run,
                       question *asked, const runs_outcome *ours)
{
    const runs_job job = {run, NULL, asked};
    const runs_outcome peer = runs_measure(&job, runs_limit(options, 0.95));
    printf(" ");
    runs_print_peer(&peer, runs_median(ours));
    if (peer.count > 0) printf(", %.0f kB", 1e3 * peer.megabytes);
    if (peer.count > 0 && fabs(peer.value - ours->value) > 1e-9 * ours->value) printf(" ANOTHER ENERGY");
    printf(" |");
    runs_write(options, row, method, runs_median(ours), &peer);
}

static void print_row(const runs_options *options, const machine *given, const kind *of)
{
    question asked = {make_profile(given, of, options->timing.seed), 0};
    const int64_t processors = given->kinds * given->count;
    asked.n = processors * LARGEST / 4 + 1;
    const runs_row row = {"least energy", of->name, processors, asked.n};
    const runs_job job = {run_ours, NULL, &asked};
    const runs_outcome ours = runs_measure(&job, 0);
    printf("| %lld in %d groups | %s |", (long long)processors, given->kinds, of->name);
    runs_write(options, &row, "auto", 0.0, &ours);
    if (ours.count == 0) {
        printf(" refused | | | |\n");
    } else {
        printf(" %.3g | %.0f |", 1e3 * runs_median(&ours), 1e3 * ours.megabytes);
        print_peer(options, &row, "dynamic program", run_program, &asked, &ours);
        print_peer(options, &row, "hepopta", run_hepopta, &asked, &ours);
        printf("\n");
    }
    fflush(stdout);
    scalay_profile_destroy(&asked.profile);
}

int main(int argc, char **argv)
{
    static const machine machines[] = {{5, 1}, {24, 1}, {96, 1}, {3, 8}, {3, 256}};
    runs_options options = runs_read_options(argc, argv, 10, 3.0);
    printf(
        "\nLeast energy, m = %d, n = p m / 4 + 1\n\n| processors | profiles | ours, ms | kB | dynamic program / ours | "
        "HEPOPTA / ours |\n|---|---|---|---|---|---|\n",
        LARGEST);
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) print_row(&options, &machines[m], &kinds[k]);
    return runs_close(&options);
}
