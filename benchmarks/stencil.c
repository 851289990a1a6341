/* A stencil after redistribution: Herrmann et al. 2016, figures 5 and 6, on the machine at hand. Items are blocks of
   doubles, spread over the processes at random, as many for each; K iterations of a three-point stencil on them
     - where they are (owner),
     - after a move to one block for each process, in order (can), mapped for volume (vol) and for steps (steps),
     - after a move to what scalay_model_stencil_choose() finds (ours).
   tau_comm is the time of a canonical move over its steps, measured beforehand; tau_calc is set to it or to a tenth of
   it: an update takes so long. "sleep" lets it pass without the processor, as if every process had one to itself;
   "work" computes. In milliseconds: predicted by the steps model, means over the maps, and measured, medians over maps
   and rounds of the slowest rank; contenders take turns. Nothing is brought back.

   Usage: mpirun -n P bench_stencil [MAPS [ITEMS_EACH [DOUBLES [sleep|work [ROUNDS [RATIO]]]]]]; by default 5 maps, 16
   items, 4096 doubles, sleep, 3 rounds, ratios 1 and 10 (figures 5 and 6). Each K chooses anew for each map: at 256
   items that is most of the time. */
#define _POSIX_C_SOURCE 200809L

#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "parallel/comm.h"
#include "scalay/redist.h"
#include "scalay/stencil.h"

enum { MOST_ITERATIONS = 9, MOST_MAPS = 30, MOST_ROUNDS = 30, MOST_RUNS = MOST_MAPS * MOST_ROUNDS, MOVES = 21 };

typedef enum { OWNER, CANONICAL, VOLUME, STEPS, OURS, CONTENDERS } contender;

static const char *const names[CONTENDERS] = {"owner", "canonical", "volume", "steps", "search"};
static const char *const titles[CONTENDERS] = {"owner", "can", "vol", "steps", "ours"};

typedef struct {
    scalay_comm *comm;
    int maps, items_each, doubles, sleeps, rounds;
    double tau_comm, tau_calc;
} arena;

static void must(scalay_status status)
{
    if (status == SCALAY_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static double slowest(const arena *s, double seconds)
{
    double most = 0.0;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, scalay_comm_handle(s->comm));
    return most;
}

/* --------------------------------------------------------------------------------------------------- updates */

/* The time passes for all items of a stretch, and their blocks are averaged with their neighbours'. */
static void update(int64_t count, const void *x, void *y, void *context)
{
    const arena *s = context;
    const double began = MPI_Wtime(), until = began + s->tau_calc * (double)count;
    const double *in = x;
    double *out = y;
    const int64_t all = count * s->doubles;
    for (int64_t k = 0; k < all; k++) out[k] = 0.25 * in[k - s->doubles] + 0.5 * in[k] + 0.25 * in[k + s->doubles];
    const double left = until - MPI_Wtime();
    if (s->sleeps && left > 0.0) {
        const struct timespec pause = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
        nanosleep(&pause, NULL);
    }
    while (!s->sleeps && MPI_Wtime() < until) continue;
}

/* ------------------------------------------------------------------------------------------------ one run */

/* Everything that a contender needs, made beforehand. */
typedef struct {
    double predicted;
    int64_t volume;
    scalay_layout *layout;
    scalay_plan *plan;
    scalay_stencil *stencil;
    double *x;
} entry;

/* The candidate of a name as one owner per item, and what it costs. */
static void find(const scalay_stencil_choice *choice, const char *name, int64_t n, int *owner, entry *e)
{
    scalay_stencil_candidate candidate;
    const int64_t *first = NULL;
    const int *run_owner = NULL;
    for (int k = 0; k < scalay_stencil_choice_count(choice); k++) {
        must(scalay_stencil_choice_get_candidate(choice, k, &candidate));
        if (strcmp(candidate.name, name) != 0) continue;
        must(scalay_stencil_choice_runs(choice, k, &first, &run_owner));
        for (int64_t r = 0; r < candidate.runs; r++)
            for (int64_t x = first[r]; x < (r + 1 < candidate.runs ? first[r + 1] : n); x++) owner[x] = run_owner[r];
        e->predicted = candidate.cost.seconds;
        e->volume = candidate.cost.volume;
    }
}

/* Rank 0 has chosen for all. */
static void open_entry(const arena *s, const scalay_layout *source, const scalay_stencil_choice *choice,
                       const char *name, entry *e)
{
    const scalay_type item = SCALAY_RAW(s->doubles * (int)sizeof(double));
    const int64_t n = scalay_layout_cols(source);
    MPI_Comm mpi = scalay_comm_handle(s->comm);
    int *owner = calloc((size_t)n, sizeof *owner);
    if (choice != NULL) find(choice, name, n, owner, e);
    MPI_Bcast(owner, (int)n, MPI_INT, 0, mpi);
    MPI_Bcast(&e->predicted, 1, MPI_DOUBLE, 0, mpi);
    MPI_Bcast(&e->volume, 1, MPI_INT64_T, 0, mpi);
    must(scalay_layout_tiles(1, n, 1, 1, scalay_comm_size(s->comm), owner, &e->layout));
    free(owner);
    must(scalay_plan_create(s->comm, source, e->layout, NULL, item, NULL, &e->plan));
    must(scalay_stencil_create(s->comm, e->layout, item, NULL, &e->stencil));
    const int64_t items = scalay_layout_local_size(e->layout, scalay_comm_rank(s->comm));
    e->x = calloc((size_t)(items * s->doubles) + 1, sizeof *e->x);
}

static void close_entry(entry *e)
{
    free(e->x);
    scalay_stencil_destroy(&e->stencil);
    scalay_plan_destroy(&e->plan);
    scalay_layout_destroy(&e->layout);
}

/* Nothing moves where nothing has to: the owner's plan would copy. */
static double run(arena *s, entry *e, const double *a, int iterations)
{
    MPI_Barrier(scalay_comm_handle(s->comm));
    const double began = MPI_Wtime();
    if (e->volume > 0) must(scalay_plan_execute(e->plan, a, e->x));
    must(scalay_stencil_execute_with(e->stencil, update, (void *)s, iterations, e->x));
    return slowest(s, MPI_Wtime() - began);
}

/* ------------------------------------------------------------------------------------------------ a figure */

static scalay_layout *balanced(const arena *s, uint64_t seed)
{
    const int processes = scalay_comm_size(s->comm), n = processes * s->items_each;
    int *owner = malloc((size_t)n * sizeof *owner);
    scalay_layout *layout = NULL;
    scalay_random random = scalay_random_seed(seed);
    for (int x = 0; x < n; x++) owner[x] = x % processes;
    for (int x = n - 1; x > 0; x--) {
        const int64_t other = scalay_random_below(&random, x + 1);
        const int kept = owner[x];
        owner[x] = owner[other];
        owner[other] = kept;
    }
    must(scalay_layout_tiles(1, n, 1, 1, processes, owner, &layout));
    free(owner);
    return layout;
}

typedef struct {
    double predicted[CONTENDERS], measured[CONTENDERS][MOST_RUNS];
} row;

static void measure_map(arena *s, int map, int iterations, row *r)
{
    scalay_layout *source = balanced(s, (uint64_t)map + 1);
    scalay_stencil_choice *choice = NULL;
    entry entries[CONTENDERS] = {0};
    const scalay_stencil_problem problem =
        scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, s->tau_comm, s->tau_calc, iterations);
    if (scalay_comm_rank(s->comm) == 0) must(scalay_model_stencil_choose(&problem, source, &choice));
    const int64_t items = scalay_layout_local_size(source, scalay_comm_rank(s->comm));
    double *a = calloc((size_t)(items * s->doubles) + 1, sizeof *a);
    for (int c = 0; c < CONTENDERS; c++) open_entry(s, source, choice, names[c], &entries[c]);
    for (int c = 0; c < CONTENDERS; c++) (void)run(s, &entries[c], a, 1); /* touches all memory */
    for (int k = 0; k < CONTENDERS * s->rounds; k++) {
        const int round = k / CONTENDERS, c = (k + map + round) % CONTENDERS;
        r->measured[c][map * s->rounds + round] = run(s, &entries[c], a, iterations);
    }
    for (int c = 0; c < CONTENDERS; c++) {
        r->predicted[c] += entries[c].predicted / s->maps;
        close_entry(&entries[c]);
    }
    free(a);
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&source);
}

static void print_row(const arena *s, int iterations, row *r)
{
    if (scalay_comm_rank(s->comm) != 0) return;
    printf("| %d |", iterations);
    for (int c = 0; c < CONTENDERS; c++) printf(" %.0f |", 1e3 * r->predicted[c]);
    for (int c = 0; c < CONTENDERS; c++) printf(" %.0f |", 1e3 * timing_median(r->measured[c], s->maps * s->rounds));
    puts("");
    fflush(stdout);
}

static void figure(arena *s, double ratio)
{
    s->tau_calc = s->tau_comm / ratio;
    if (scalay_comm_rank(s->comm) == 0) {
        printf("\ntau_comm / tau_calc = %g, milliseconds: predicted, measured\n| K |", ratio);
        for (int c = 0; c < 2 * CONTENDERS; c++) printf(" %s |", titles[c % CONTENDERS]);
        puts("");
    }
    for (int iterations = 0; iterations <= MOST_ITERATIONS; iterations++) {
        static row r;
        r = (row){0};
        for (int map = 0; map < s->maps; map++) measure_map(s, map, iterations, &r);
        print_row(s, iterations, &r);
    }
}

/* Seconds of a step of a canonical move. */
static double step_time(arena *s)
{
    const scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 1.0, 0.0, 0);
    scalay_layout *source = balanced(s, 1000);
    scalay_stencil_choice *choice = NULL;
    entry canonical = {0};
    double times[MOVES];
    const int64_t items = scalay_layout_local_size(source, scalay_comm_rank(s->comm));
    double *a = calloc((size_t)(items * s->doubles) + 1, sizeof *a);
    if (scalay_comm_rank(s->comm) == 0) must(scalay_model_stencil_choose(&problem, source, &choice));
    open_entry(s, source, choice, names[CANONICAL], &canonical);
    for (int k = 0; k < MOVES; k++) times[k] = run(s, &canonical, a, 0);
    const double seconds =
        timing_median(times, MOVES) / canonical.predicted; /* with tau_comm = 1 these are the steps */
    close_entry(&canonical);
    free(a);
    scalay_stencil_choice_destroy(&choice);
    scalay_layout_destroy(&source);
    return seconds;
}

static int read_number(int argc, char **argv, int which, int missing)
{
    return argc > which && atoi(argv[which]) > 0 ? atoi(argv[which]) : missing;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    arena s = {.maps = read_number(argc, argv, 1, 5),
               .items_each = read_number(argc, argv, 2, 16),
               .doubles = read_number(argc, argv, 3, 4096),
               .sleeps = argc <= 4 || strcmp(argv[4], "work") != 0,
               .rounds = read_number(argc, argv, 5, 3)};
    const int ratio = read_number(argc, argv, 6, 0);
    if (s.maps > MOST_MAPS) s.maps = MOST_MAPS;
    if (s.rounds > MOST_ROUNDS) s.rounds = MOST_ROUNDS;
    if (s.doubles > SCALAY_RAW_MAX / (int)sizeof(double)) s.doubles = SCALAY_RAW_MAX / (int)sizeof(double);
    must(scalay_comm_create(MPI_COMM_WORLD, &s.comm));
    s.tau_comm = step_time(&s);
    if (scalay_comm_rank(s.comm) == 0)
        printf("%d processes, %d items each of %d doubles, %d maps, %d rounds, updates %s; tau_comm %.3g ms\n",
               scalay_comm_size(s.comm), s.items_each, s.doubles, s.maps, s.rounds, s.sleeps ? "sleep" : "work",
               1e3 * s.tau_comm);
    if (ratio == 0 || ratio == 1) figure(&s, 1.0);
    if (ratio != 1) figure(&s, ratio > 0 ? ratio : 10.0);
    scalay_comm_destroy(&s.comm);
    MPI_Finalize();
    return 0;
}
