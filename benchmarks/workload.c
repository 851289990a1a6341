/* Identical processors: ours beside POPTA, EOPTA and PARALEPH on one thread, in one program, on one core.
 *
 * Tables 4 to 7 of Lastovetsky and Reddy Manumachu (2018) at their sizes, m = 1024: processor seconds of each, and how
 * many times ours that is. Every peer runs in a process of its own for at most `limit` seconds; where it takes longer,
 * the cells below it in the same column are left out ("-"), as they only take longer. Then ours alone up to 2^20
 * processors, and on other shapes of profiles.
 *
 * Usage: bench_workload [--full] [--limit SECONDS, default 5] [--seed N, default 1] */
#include "timing.h"

#include <mpi.h>

#include "../tests/support/measured.h"
#include "scalay/context.h"
#include "scalay/workload.h"

enum { LARGEST = 1024, PROFILES = 9, REPETITIONS = 21, CALLS = 8 };

static const int64_t counts[] = {2, 4, 16, 36, 64, 100, 144, 196, 256, 324, 400, 484, 576};
static const int64_t units_each[] = {8, 16, 32, 64, 128};

typedef struct {
    scalay_profile *profile;
    int64_t n;
    int energy;         /* 0: least time, 1: least energy */
    const char *method; /* "paraleph" too */
} question;

static scalay_profile *make_profile(profile_shape shape, uint64_t seed, int64_t count)
{
    static double workspace[3 * LARGEST];
    scalay_profile *profile = NULL;
    timing_must(profile_generate("p", count, shape, seed, 1000.0, LARGEST, workspace, &profile));
    return profile;
}

static scalay_status solve(const question *asked, scalay_workload **workload)
{
    scalay_workload_options options = scalay_workload_options_default();
    options.method = asked->method;
    options.published = 1;
    return asked->energy ? scalay_workload_min_energy(asked->profile, asked->n, &options, workload)
                         : scalay_workload_min_time(asked->profile, asked->n, &options, workload);
}

static double total_of(const scalay_workload *workload)
{
    scalay_workload_summary summary;
    timing_must(scalay_workload_get(workload, &summary));
    return summary.total;
}

/* Of ours, warm: the median over repetitions, of some calls each, as looking at the clock takes half a microsecond. */
static double time_ours(const question *asked, double *value)
{
    double seconds[REPETITIONS];
    for (int k = 0; k < REPETITIONS; k++) {
        scalay_workload *workload[CALLS] = {NULL};
        const double start = timing_now();
        for (int call = 0; call < CALLS; call++) timing_must(solve(asked, &workload[call]));
        seconds[k] = (timing_now() - start) / CALLS;
        *value = total_of(workload[0]);
        for (int call = 0; call < CALLS; call++) scalay_workload_destroy(&workload[call]);
    }
    return timing_median(seconds, REPETITIONS);
}

/* The median over profiles; `value` is that of the first. */
static double time_profiles(profile_shape shape, uint64_t seed, int64_t p, int64_t n, int energy, double *value)
{
    double seconds[PROFILES];
    for (int k = PROFILES - 1; k >= 0; k--) {
        question asked = {make_profile(shape, seed + (uint64_t)k, p), n, energy, "auto"};
        seconds[k] = time_ours(&asked, value);
        scalay_profile_destroy(&asked.profile);
    }
    return timing_median(seconds, PROFILES);
}

static double run_published(void *context, double *value)
{
    scalay_workload *workload = NULL;
    const double start = timing_now();
    if (solve(context, &workload) != SCALAY_SUCCESS) return TIMING_REFUSED;
    const double seconds = timing_now() - start;
    *value = total_of(workload);
    return seconds;
}

/* MPI is started in the process of the run: one that has started it must not fork. */
static double run_paraleph(void *context, double *value)
{
    const question *asked = context;
    scalay_workload_options options = scalay_workload_options_default();
    scalay_workload *workload = NULL;
    scalay_comm *comm = NULL;
    MPI_Init(NULL, NULL);
    timing_must(scalay_comm_create(MPI_COMM_SELF, &comm));
    options.threads = 1;
    const double start = timing_now();
    const scalay_status status =
        scalay_workload_paraleph(comm, asked->profile, asked->n,
                                 asked->energy ? SCALAY_WORKLOAD_ENERGY : SCALAY_WORKLOAD_TIME, &options, &workload);
    const double seconds = timing_now() - start;
    if (status == SCALAY_SUCCESS) *value = total_of(workload);
    scalay_workload_destroy(&workload);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return status == SCALAY_SUCCESS ? seconds : TIMING_REFUSED;
}

/* One peer in one cell; what it finds must be what ours found, unless it is EOPTA, which may find worse. */
static void print_peer(timing_run run, question *asked, double ours, double found, int limit, int *too_long)
{
    double value = 0.0;
    if (*too_long) {
        timing_print_peer(TIMING_TOO_LONG, ours, 0);
        return;
    }
    const double seconds = timing_limited(run, asked, limit, &value);
    *too_long = seconds <= TIMING_TOO_LONG;
    timing_print_peer(seconds, ours, limit);
    if (seconds >= 0.0 && value != found) printf(value > found ? "+" : "!");
}

static void print_cell(profile_shape shape, int64_t p, int64_t n, int energy, uint64_t seed, int limit, int *too_long)
{
    double found = 0.0;
    const double ours = time_profiles(shape, seed, p, n, energy, &found);
    question asked = {make_profile(shape, seed, p), n, energy, energy ? "eopta" : "popta"};
    printf(" %9.1f", 1e6 * ours);
    print_peer(run_published, &asked, ours, found, limit, &too_long[0]);
    print_peer(run_paraleph, &asked, ours, found, limit, &too_long[1]);
    printf("\n");
    fflush(stdout);
    scalay_profile_destroy(&asked.profile);
}

static void print_head(int energy, const char *first, const char *second)
{
    printf("%7s %5s %9s %11s %10s %11s %10s\n", first, second, "ours us", energy ? "eopta s" : "popta s", "ratio",
           "paraleph s", "ratio");
}

static void print_tables(int energy, uint64_t seed, int limit)
{
    printf("\nTables %s: least %s; times ours. + found a worse distribution, ! a better one.\n",
           energy ? "6 and 7" : "4 and 5", energy ? "energy" : "time");
    print_head(energy, "n/p", "p");
    for (size_t u = 0; u < sizeof units_each / sizeof units_each[0]; u++) {
        int too_long[2] = {0, 0};
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            printf("%7lld %5lld", (long long)units_each[u], (long long)counts[c]);
            print_cell(PROFILE_FFT, counts[c], counts[c] * units_each[u], energy, seed, limit, too_long);
        }
    }
}

/* n one more than a multiple of p, so that the even distribution is none of equal shares. */
static void print_shapes(int energy, uint64_t seed, int limit)
{
    printf("\nOther shapes, p = 36, n = 36 x 64 + 1: least %s\n", energy ? "energy" : "time");
    print_head(energy, "shape", "p");
    for (int s = 0; s < PROFILE_SHAPES; s++) {
        int too_long[2] = {0, 0};
        printf("%7s %5d", profile_shape_name((profile_shape)s), 36);
        print_cell((profile_shape)s, 36, 36 * 64 + 1, energy, seed, limit, too_long);
    }
}

static void print_large(uint64_t seed)
{
    printf("\nOurs up to 2^20 processors, medians over %d profiles, microseconds\n%8s %5s", PROFILES, "p", "n/p");
    for (int s = 0; s < PROFILE_SHAPES; s++) printf(" %9s", profile_shape_name((profile_shape)s));
    for (int energy = 0; energy < 2; energy++) {
        printf("\nleast %s\n", energy ? "energy" : "time");
        for (int64_t p = 1 << 8; p <= 1 << 20; p <<= 4)
            for (int64_t each = 8; each <= 512; each *= 8) {
                printf("%8lld %5lld", (long long)p, (long long)each);
                for (int s = 0; s < PROFILE_SHAPES; s++) {
                    double found = 0.0;
                    printf(" %9.1f", 1e6 * time_profiles((profile_shape)s, seed, p, p * each + 1, energy, &found));
                }
                printf("\n");
                fflush(stdout);
            }
    }
}

int main(int argc, char **argv)
{
    const timing_options options = timing_read_options(argc, argv, (timing_options){5, 1});
    const uint64_t seed = options.seed;
    const int limit = options.limit;
    timing_print_machine(&options);
    for (int energy = 0; energy < 2; energy++) print_tables(energy, seed, limit);
    for (int energy = 0; energy < 2; energy++) print_shapes(energy, seed, limit);
    print_large(seed);
    return 0;
}
