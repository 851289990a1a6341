/* Identical processors: ours beside POPTA, EOPTA and PARALEPH on one thread, in one program, on one core.
 *
 * Tables 4 to 7 of Reddy Manumachu and Lastovetsky (2018) at their sizes, m = 1024: ours in microseconds, and how many
 * times that the peers take, both as medians of runs on the same profile; then the same on other shapes of profiles.
 * Cells are visited from the smallest problem on, so that what no longer fits into the program's minutes are the
 * largest; a peer that would take longer than `limit` seconds is left out too ("-"). Then ours alone up to 2^20
 * processors. The tables are Markdown; --csv has every median with the number of runs.
 *
 * Usage: bench_workload [--full] [--limit SECONDS, default 25] [--minutes M, default 8] [--seed N, default 1]
 *                       [--csv FILE] */
#include "workload_runs.h"

#include <mpi.h>

#include "../tests/support/measured.h"
#include "scalay/context.h"
#include "scalay/published.h"
#include "scalay/workload.h"

enum { LARGEST = 1024, PROFILES = 9, CALLS = 8, COUNTS = 13, SHARES = 5, CELLS = COUNTS * SHARES };

static const int64_t counts[COUNTS] = {2, 4, 16, 36, 64, 100, 144, 196, 256, 324, 400, 484, 576};
static const int64_t units_each[SHARES] = {8, 16, 32, 64, 128};

typedef struct {
    scalay_profile *profile;
    int64_t n;
    int energy;         /* 0: least time, 1: least energy */
    const char *method; /* "paraleph" too; NULL: exact */
} question;

/* A cell of a table. */
typedef struct {
    runs_row row;
    runs_outcome ours;         /* on the profile that the peers get */
    double profiles[PROFILES]; /* medians on other profiles too, ascending */
    runs_outcome sequential;
    runs_outcome paraleph;
} cell;

static scalay_profile *make_profile(profile_shape shape, uint64_t seed, int64_t count)
{
    static double workspace[3 * LARGEST];
    scalay_profile *profile = NULL;
    timing_must(profile_generate("p", count, shape, seed, 1000.0, LARGEST, workspace, &profile));
    return profile;
}

static scalay_status solve(const question *asked, scalay_workload **workload)
{
    if (asked->method != NULL)
        return scalay_published_distribute(asked->profile, asked->n, asked->energy ? "eopta-convex" : asked->method,
                                           workload);
    return asked->energy ? scalay_workload_min_energy(asked->profile, asked->n, NULL, workload)
                         : scalay_workload_min_time(asked->profile, asked->n, NULL, workload);
}

/* What it comes to; releases it. */
static double total_of(scalay_workload *workload)
{
    scalay_workload_summary summary;
    timing_must(scalay_workload_get_summary(workload, &summary));
    scalay_workload_destroy(&workload);
    return summary.total;
}

/* Some calls each, as looking at the clock takes half a microsecond. */
static double run_ours(void *context, double *value)
{
    scalay_workload *workload[CALLS] = {NULL};
    const double start = timing_now();
    for (int call = 0; call < CALLS; call++) timing_must(solve(context, &workload[call]));
    const double seconds = (timing_now() - start) / CALLS;
    for (int call = 0; call < CALLS; call++) *value = total_of(workload[call]);
    return seconds;
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

/* MPI is started in the process of the runs: one that has started it must not fork. */
static double run_paraleph(void *context, double *value)
{
    const question *asked = context;
    scalay_workload *workload = NULL;
    scalay_comm *comm = NULL;
    int started = 0;
    MPI_Initialized(&started);
    if (!started) MPI_Init(NULL, NULL);
    timing_must(scalay_comm_create(MPI_COMM_SELF, &comm));
    const double start = timing_now();
    const scalay_status status = scalay_published_paraleph(
        comm, asked->profile, asked->n, asked->energy ? SCALAY_OBJECTIVE_ENERGY : SCALAY_OBJECTIVE_TIME, 1, &workload);
    const double seconds = timing_now() - start;
    scalay_comm_destroy(&comm);
    if (status != SCALAY_SUCCESS) return TIMING_REFUSED;
    *value = total_of(workload);
    return seconds;
}

static void finish_paraleph(void)
{
    MPI_Finalize();
}

/* ---------------------------------------------------------------------------------------------------- cells */

static void measure_ours(cell *of, profile_shape shape, uint64_t seed, int energy)
{
    for (int k = PROFILES - 1; k >= 0; k--) {
        question asked = {make_profile(shape, seed + (uint64_t)k, of->row.processors), of->row.n, energy, NULL};
        of->ours = runs_measure_ours(run_ours, &asked, RUNS_MOST);
        of->profiles[k] = runs_median(&of->ours);
        scalay_profile_destroy(&asked.profile);
    }
    (void)timing_median(of->profiles, PROFILES);
}

/* The seconds that a peer may take in a cell, -1 for none: the work grows with p^2 at least, and less of it took so
 * long. */
static int limit_of(const runs_options *options, double share, const cell *of, const cell *smaller,
                    const runs_outcome *before)
{
    const int limit = runs_limit(options, share);
    if (smaller == NULL || limit <= 0) return limit;
    const double growth = (double)of->row.processors / (double)smaller->row.processors;
    if (before->count == 0) return before->why == TIMING_REFUSED ? limit : -1;
    return runs_median(before) * growth * growth > (double)limit ? -1 : limit;
}

static void measure_cell(const runs_options *options, cell *of, const cell *smaller, profile_shape shape, int energy,
                         double share)
{
    const uint64_t seed = options->timing.seed;
    question asked = {NULL, of->row.n, energy, energy ? "eopta" : "popta"};
    measure_ours(of, shape, seed, energy);
    asked.profile = make_profile(shape, seed, of->row.processors);
    const runs_job sequential = {run_published, NULL, &asked};
    const runs_job paraleph = {run_paraleph, finish_paraleph, &asked};
    of->sequential =
        runs_measure(&sequential, limit_of(options, share, of, smaller, smaller == NULL ? NULL : &smaller->sequential));
    of->paraleph =
        runs_measure(&paraleph, limit_of(options, share, of, smaller, smaller == NULL ? NULL : &smaller->paraleph));
    scalay_profile_destroy(&asked.profile);
    runs_write(options, &of->row, "auto", 0.0, &of->ours);
    runs_write(options, &of->row, asked.method, runs_median(&of->ours), &of->sequential);
    runs_write(options, &of->row, "paraleph", runs_median(&of->ours), &of->paraleph);
    fprintf(stderr, "%s %s p = %lld, n = %lld\n", of->row.table, of->row.profiles, (long long)of->row.processors,
            (long long)of->row.n);
}

/* What a peer found must be what ours found, unless it is EOPTA, which may find worse. */
static const char *mark_of(const runs_outcome *peer, const runs_outcome *ours)
{
    if (peer->count == 0 || peer->value == ours->value) return "";
    return peer->value > ours->value ? "+" : "!";
}

static void print_cell(cell *of)
{
    const double ours = runs_median(&of->ours);
    printf(" %.1f (%.1f) / ", 1e6 * of->profiles[PROFILES / 2], 1e6 * of->profiles[PROFILES - 1]);
    runs_print_peer(&of->sequential, ours);
    printf("%s / ", mark_of(&of->sequential, &of->ours));
    runs_print_peer(&of->paraleph, ours);
    printf("%s |", mark_of(&of->paraleph, &of->ours));
}

/* --------------------------------------------------------------------------------------------------- tables */

static int by_size(const void *a, const void *b)
{
    const cell *x = *(const cell *const *)a;
    const cell *y = *(const cell *const *)b;
    const int64_t left = x->row.processors * x->row.n;
    const int64_t right = y->row.processors * y->row.n;
    return (left > right) - (left < right);
}

/* Adds how many times ours a peer takes in the cells from so many processors on. */
static void print_summary(const char *what, const cell *cells, int64_t from, int paraleph)
{
    static statistic ratios;
    ratios.count = 0;
    for (int k = 0; k < CELLS; k++) {
        const runs_outcome *peer = paraleph ? &cells[k].paraleph : &cells[k].sequential;
        if (cells[k].row.processors >= from && peer->count > 0)
            statistic_take(&ratios, runs_median(peer) / runs_median(&cells[k].ours));
    }
    printf("| %s, p >= %lld, times ours, %d cells: least / median / most |", what, (long long)from, ratios.count);
    statistic_print(&ratios, "%.3g");
    printf("\n");
}

static void print_summaries(const cell *cells, int energy)
{
    static statistic ours;
    ours.count = 0;
    for (int k = 0; k < CELLS; k++)
        for (int profile = 0; profile < PROFILES; profile++) statistic_take(&ours, 1e6 * cells[k].profiles[profile]);
    printf("\n| least %s | |\n|---|---|\n| ours, us, %d cells of %d profiles: least / median / most |",
           energy ? "energy" : "time", CELLS, PROFILES);
    statistic_print(&ours, "%.1f");
    printf("\n");
    print_summary(energy ? "EOPTA" : "POPTA", cells, 2, 0);
    print_summary("PARALEPH", cells, 2, 1);
    print_summary("PARALEPH", cells, 256, 1);
}

static void print_table(cell *cells, int energy)
{
    printf(
        "\nTables %s: least %s. In each cell: ours in us, median (most) of %d profiles / times ours %s takes / times "
        "ours PARALEPH on one thread takes, on the first profile. + found a worse distribution, ! a better one.\n\n"
        "| p \\ n/p |",
        energy ? "6 and 7" : "4 and 5", energy ? "energy" : "time", PROFILES, energy ? "EOPTA" : "POPTA");
    for (int u = 0; u < SHARES; u++) printf(" %lld |", (long long)units_each[u]);
    printf("\n|---|---|---|---|---|---|\n");
    for (int c = 0; c < COUNTS; c++) {
        printf("| %lld |", (long long)counts[c]);
        for (int u = 0; u < SHARES; u++) print_cell(&cells[u * COUNTS + c]);
        printf("\n");
    }
    print_summaries(cells, energy);
    fflush(stdout);
}

static void make_table(const runs_options *options, int energy, double share)
{
    static cell cells[CELLS];
    cell *order[CELLS];
    for (int k = 0; k < CELLS; k++) {
        const int64_t p = counts[k % COUNTS];
        const int64_t each = units_each[k / COUNTS];
        cells[k] = (cell){.row = {energy ? "tables 6 and 7" : "tables 4 and 5", "fft", p, p * each}};
        order[k] = &cells[k];
    }
    qsort(order, CELLS, sizeof(cell *), by_size);
    for (int k = 0; k < CELLS; k++) {
        const int first = (order[k] - cells) % COUNTS == 0;
        measure_cell(options, order[k], first ? NULL : order[k] - 1, PROFILE_FFT, energy, share);
    }
    print_table(cells, energy);
}

/* n one more than a multiple of p, so that the even distribution is none of equal shares. */
static void make_shapes(const runs_options *options, int energy, double share)
{
    const int64_t p = 36;
    printf(
        "\nOther shapes, p = %lld, n = 64 p + 1, least %s; cells as above.\n\n| shape | ours / sequential / PARALEPH "
        "|\n|---|---|\n",
        (long long)p, energy ? "energy" : "time");
    for (int s = 0; s < PROFILE_SHAPES; s++) {
        cell of = {
            .row = {energy ? "shapes, energy" : "shapes, time", profile_shape_name((profile_shape)s), p, p * 64 + 1}};
        measure_cell(options, &of, NULL, (profile_shape)s, energy, share);
        printf("| %s |", of.row.profiles);
        print_cell(&of);
        printf("\n");
        fflush(stdout);
    }
}

static void print_large_row(const runs_options *options, int energy, int64_t p, int64_t each)
{
    printf("| %s | %lld | %lld |", energy ? "energy" : "time", (long long)p, (long long)each);
    for (int s = 0; s < PROFILE_SHAPES; s++) {
        cell of = {
            .row = {energy ? "large, energy" : "large, time", profile_shape_name((profile_shape)s), p, p * each + 1}};
        measure_ours(&of, (profile_shape)s, options->timing.seed, energy);
        runs_write(options, &of.row, "auto", 0.0, &of.ours);
        printf(" %.1f (%.1f) |", 1e6 * of.profiles[PROFILES / 2], 1e6 * of.profiles[PROFILES - 1]);
    }
    printf("\n");
    fflush(stdout);
}

static void make_large(const runs_options *options)
{
    printf("\nOurs up to 2^20 processors, n = p n/p + 1, us: median (most) of %d profiles\n\n| least | p | n/p |",
           PROFILES);
    for (int s = 0; s < PROFILE_SHAPES; s++) printf(" %s |", profile_shape_name((profile_shape)s));
    printf("\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int energy = 0; energy < 2; energy++)
        for (int64_t p = 1 << 8; p <= 1 << 20; p <<= 4)
            for (int64_t each = 8; each <= 512; each *= 8) print_large_row(options, energy, p, each);
}

int main(int argc, char **argv)
{
    runs_options options = runs_read_options(argc, argv, 25, 8.0);
    make_large(&options);
    for (int energy = 0; energy < 2; energy++) make_shapes(&options, energy, 0.2);
    make_table(&options, 0, 0.55);
    make_table(&options, 1, 0.97);
    return runs_close(&options);
}
