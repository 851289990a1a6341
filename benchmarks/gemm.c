/* Products on processes of different speeds, and what the model says of them. Three benchmarks:

   mpirun -n P bench_gemm speeds [ROUNDS [N ...]]   (P = 3 or 4, on two processors; --bind-to none)
     Rank 0 has a processor, the others share another one: bound here. Their speeds are measured by the profiler, all at
     the same time. pdgemm on the homogeneous grid, where the matrices are, beside SUMMA on the shapes that the
     speeds ask for. Each contender multiplies once to warm up, then all take turns. Seconds are medians of the slowest
     rank: of the multiplication (A and B where they belong), and with A and B moved there and C brought back. Ratios:
   how many times faster than pdgemm. Predicted: from the measured profile and machine.

   mpirun -n 3 bench_gemm shapes [ROUNDS [N ...]]
     Malik and Lastovetsky's validation: the time of communication alone, predicted and measured, of three shapes
     at three ratios of speeds, of which each wins one. Two of the ratios are not the paper's, whose winners contradict
   its own formulae. Latency and bandwidth are measured in the same run, in the way that panels travel: on maps of three
   equal columns. Arrays are ordinary ones: those of scalay_alloc would be used where they are.

   mpirun -n P bench_gemm waiting
     What a rank that waits in MPI takes from one that computes on the same processor. */

#define _GNU_SOURCE
#include <sched.h>

#include "timing.h"

#include <math.h>
#include <mpi.h>

#include "scalay/measure.h"
#include "scalay/profiler.h"
#include "scalay/scalay.h"

enum { MOST_ROUNDS = 31, MOST_RANKS = 16, SHAPES = 4, BLOCK = 64, KERNEL_N = 1024 };

static const char *const shapes[SHAPES] = {"block-rectangle", "square-corner", "square-rectangle", "columns"};

static scalay_comm *comm;
static int rank, ranks;

static double slowest(double mine)
{
    double all = 0.0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static double *random_local(const scalay_layout *layout)
{
    const int64_t size = scalay_layout_local_size(layout, rank);
    double *a = malloc(((size_t)size + 1) * sizeof *a);
    if (a == NULL) timing_must(SCALAY_ERROR_MEMORY);
    for (int64_t k = 0; k < size; k++) a[k] = (double)((k * 7919 + rank) % 1000) * 1e-3 - 0.5;
    return a;
}

/* -------------------------------------------------------------------------------------------------- binding */

static void bind(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0) return;
    fprintf(stderr, "rank %d cannot be bound to processor %d\n", rank, processor);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Seconds per operation of each rank, all at work at the same time, as the profiler finds them. */
static void measure_speeds(double *seconds_per_flop)
{
    const int64_t sizes[] = {KERNEL_N / 2, KERNEL_N};
    char text[32];
    scalay_profile_kernel *kernel = NULL;
    scalay_profile *profile = NULL;
    scalay_profiler_options options = scalay_profiler_options_default();
    options.sizes = 2;
    options.size = sizes;
    options.no_groups = 1;
    options.repeat.min_repetitions = 5;
    options.repeat.max_repetitions = 9;
    snprintf(text, sizeof text, "dgemm:n=%d", KERNEL_N);
    timing_must(scalay_profile_kernel_create(text, 0.0, &kernel));
    timing_must(scalay_profiler_run(comm, kernel, &options, &profile, NULL));
    for (int r = 0; r < ranks; r++) {
        double seconds = 0.0;
        timing_must(scalay_profile_get(profile, r, KERNEL_N, &seconds, NULL));
        seconds_per_flop[r] = seconds / (2.0 * KERNEL_N * KERNEL_N * KERNEL_N);
    }
    scalay_profile_destroy(&profile);
    scalay_profile_kernel_destroy(&kernel);
}

/* ------------------------------------------------------------------------------------- different speeds */

typedef struct {
    const char *name;
    scalay_partition *partition; /* NULL: pdgemm */
    scalay_gemm *gemm;           /* NULL: the shape does not exist for these speeds */
    scalay_gemm_statistics statistics;
    double multiply[MOST_ROUNDS], whole[MOST_ROUNDS];
} contender;

typedef struct {
    int n, rounds, grid[2];
    scalay_machine machine;
    double seconds_per_flop[MOST_RANKS];
    scalay_layout *layout;
    double *a, *b, *c;
    contender contenders[SHAPES + 1]; /* the first is pdgemm */
} arena;

static void make_contender(arena *s, contender *x)
{
    double speed[MOST_RANKS];
    scalay_partition_options cut = scalay_partition_options_default();
    scalay_gemm_options options = scalay_gemm_options_default();
    for (int r = 0; r < ranks; r++) speed[r] = 1.0 / s->seconds_per_flop[r];
    options.machine = &s->machine;
    options.seconds_per_flop = s->seconds_per_flop;
    options.nprow = s->grid[0];
    options.npcol = s->grid[1];
    options.nb = BLOCK;
    if (x != s->contenders) {
        cut.shape = x->name;
        if (scalay_partition_create(s->n, s->n, ranks, speed, &cut, &x->partition) != SCALAY_SUCCESS) return;
        options.map = scalay_partition_map(x->partition);
        options.nprow = options.npcol = 0;
    }
    timing_must(scalay_gemm_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, s->layout, s->layout,
                                   s->layout, &options, &x->gemm));
}

static void check_product(const arena *s, const char *name)
{
    double error = NAN;
    const scalay_gemm_product product = {.type = SCALAY_DOUBLE,
                                         .layout_a = s->layout,
                                         .layout_b = s->layout,
                                         .layout_c = s->layout,
                                         .a = s->a,
                                         .b = s->b,
                                         .c = s->c};
    timing_must(scalay_gemm_check(comm, &product, 1, &error));
    if (error < 1.0) return;
    fprintf(stderr, "%s: wrong product, check %g\n", name, error);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run(arena *s, contender *x, int round)
{
    if (x->gemm == NULL) return;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    timing_must(scalay_gemm_execute(x->gemm, NULL, s->a, s->b, NULL, s->c));
    const double whole = slowest(MPI_Wtime() - began);
    timing_must(scalay_gemm_get_statistics(x->gemm, &x->statistics));
    const double multiply = slowest(x->statistics.multiply_seconds);
    if (round < 0) {
        check_product(s, x->name);
        return;
    }
    x->multiply[round] = multiply;
    x->whole[round] = whole;
}

static void print_contender(arena *s, contender *x)
{
    const contender *peer = s->contenders;
    const double bytes = 8e-6 * (double)x->statistics.multiply_volume;
    if (x->gemm == NULL) {
        if (rank == 0) printf("  %-18s does not exist for these speeds\n", x->name);
        return;
    }
    const double multiply = timing_median(x->multiply, s->rounds), whole = timing_median(x->whole, s->rounds);
    const double compute = slowest(x->statistics.compute_seconds);
    const double predicted = x->statistics.predicted_multiply_seconds;
    if (rank == 0)
        printf("  %-18s %9.3f %6.3f %9.3f %6.3f %10.3f %9.3f %9.3f %9.1f\n", x->name, multiply,
               peer->multiply[s->rounds / 2] / multiply, whole, peer->whole[s->rounds / 2] / whole, compute, predicted,
               predicted / multiply, bytes);
}

static void bench_speeds_of(arena *s)
{
    const char *const header[] = {"multiply",  "ratio",     "with move", "ratio",
                                  "computing", "predicted", "pred/meas", "MB"};
    timing_must(scalay_layout_block_cyclic(s->n, s->n, BLOCK, BLOCK, s->grid[0], s->grid[1], 0, 0, SCALAY_ROW_MAJOR,
                                           &s->layout));
    s->a = random_local(s->layout);
    s->b = random_local(s->layout);
    s->c = random_local(s->layout);
    for (int k = 0; k <= SHAPES; k++) {
        s->contenders[k] = (contender){.name = k == 0 ? "pdgemm" : shapes[k - 1]};
        make_contender(s, &s->contenders[k]);
        run(s, &s->contenders[k], -1);
    }
    for (int round = 0; round < s->rounds; round++)
        for (int k = 0; k <= SHAPES; k++) run(s, &s->contenders[(round + k) % (SHAPES + 1)], round);
    if (rank == 0)
        printf("n = %d, pdgemm on %d x %d, %d rounds; seconds\n  %-18s %9s %6s %9s %6s %10s %9s %9s %9s\n", s->n,
               s->grid[0], s->grid[1], s->rounds, "", header[0], header[1], header[2], header[3], header[4], header[5],
               header[6], header[7]);
    for (int k = 0; k <= SHAPES; k++) print_contender(s, &s->contenders[k]);
    if (rank == 0) fflush(stdout);
    for (int k = 0; k <= SHAPES; k++) {
        scalay_gemm_destroy(&s->contenders[k].gemm);
        scalay_partition_destroy(&s->contenders[k].partition);
    }
    free(s->c);
    free(s->b);
    free(s->a);
    scalay_layout_destroy(&s->layout);
}

static void bench_speeds(int rounds, int count, char **n)
{
    static arena s;
    s.rounds = rounds;
    s.grid[0] = ranks % 2 == 0 ? 2 : 1;
    s.grid[1] = ranks / s.grid[0];
    bind(rank == 0 ? 0 : 1);
    MPI_Barrier(MPI_COMM_WORLD);
    timing_must(scalay_machine_measure(comm, &s.machine));
    measure_speeds(s.seconds_per_flop);
    if (rank == 0) {
        printf("rank 0 on processor 0, the others on processor 1; speeds 1");
        for (int r = 1; r < ranks; r++) printf(" : %.3f", s.seconds_per_flop[0] / s.seconds_per_flop[r]);
        printf(" (%.1f Gflop/s on rank 0)\n", 1e-9 / s.seconds_per_flop[0]);
    }
    for (int k = 0; k < count; k++) {
        s.n = atoi(n[k]);
        bench_speeds_of(&s);
    }
}

/* ------------------------------------------------------------------------------------------- communication */

/* Seconds of moving all panels of C := A B on a map, nothing multiplied: the median of the slowest rank. */
static double communicate(const scalay_owner_map *map, const char *transport, int64_t panel, int rounds)
{
    scalay_layout *layout = NULL;
    scalay_summa *summa = NULL;
    scalay_summa_options options = scalay_summa_options_default();
    double seconds[MOST_ROUNDS];
    const double one = 1.0, zero = 0.0;
    options.no_computation = 1;
    options.transport = transport;
    options.panel = panel;
    timing_must(scalay_layout_from_owner_map(map, &layout));
    double *a = random_local(layout), *b = random_local(layout), *c = random_local(layout);
    timing_must(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, layout, layout,
                                    layout, &options, &summa));
    for (int round = -1; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = MPI_Wtime();
        timing_must(scalay_summa_execute(summa, &one, a, b, &zero, c));
        const double now = slowest(MPI_Wtime() - began);
        if (round >= 0) seconds[round] = now;
    }
    free(c);
    free(b);
    free(a);
    scalay_summa_destroy(&summa);
    scalay_layout_destroy(&layout);
    return timing_median(seconds, rounds);
}

static scalay_partition *cut(int n, const double *speed, const char *shape)
{
    scalay_partition *partition = NULL;
    scalay_partition_options options = scalay_partition_options_default();
    options.shape = shape;
    return scalay_partition_create(n, n, ranks, speed, &options, &partition) == SCALAY_SUCCESS ? partition : NULL;
}

static scalay_multiply_time predict(const scalay_machine *machine, const scalay_owner_map *map, const char *transport,
                                    int64_t panel)
{
    scalay_multiply_options options = scalay_multiply_options_default();
    scalay_multiply_time time;
    const int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    options.panel = panel;
    options.reads = strcmp(transport, "shared") == 0;
    options.lanes = processors < ranks ? processors : ranks;
    timing_must(
        scalay_model_multiply(machine, SCALAY_DOUBLE, map, scalay_owner_map_cols(map), &options, NULL, NULL, &time));
    return time;
}

/* Latency from many tiny panels, bandwidth from few large ones: three equal columns, where all carry as much. */
static scalay_machine calibrate(const char *transport, int n, int64_t panel, int rounds)
{
    enum { SMALL = 96, NARROW = 2 };
    const double even[] = {1.0, 1.0, 1.0};
    scalay_machine machine = {.seconds_per_message = 1.0};
    scalay_partition *small = cut(SMALL, even, "columns"), *large = cut(n, even, "columns");
    if (small == NULL || large == NULL) timing_must(SCALAY_ERROR_INTERNAL);
    const double units = predict(&machine, scalay_partition_map(small), transport, NARROW).communicate_seconds;
    machine.seconds_per_message = communicate(scalay_partition_map(small), transport, NARROW, rounds) / units;
    const double latency = predict(&machine, scalay_partition_map(large), transport, panel).communicate_seconds;
    machine.seconds_per_byte = 1.0;
    const double bytes = predict(&machine, scalay_partition_map(large), transport, panel).communicate_seconds - latency;
    const double seconds = communicate(scalay_partition_map(large), transport, panel, rounds);
    machine.seconds_per_byte = fmax(0.0, seconds - latency) / bytes;
    scalay_partition_destroy(&large);
    scalay_partition_destroy(&small);
    return machine;
}

static void bench_ratio(const scalay_machine *machine, const char *transport, int n, int64_t panel, int rounds,
                        const double *speed)
{
    int best_predicted = -1, best_measured = -1;
    double predicted[3], measured[3];
    for (int k = 0; k < 3; k++) {
        scalay_partition *partition = cut(n, speed, shapes[k]);
        predicted[k] = measured[k] = INFINITY;
        if (partition == NULL) continue;
        const scalay_multiply_time time = predict(machine, scalay_partition_map(partition), transport, panel);
        predicted[k] = time.communicate_seconds;
        measured[k] = communicate(scalay_partition_map(partition), transport, panel, rounds);
        if (best_predicted < 0 || predicted[k] < predicted[best_predicted]) best_predicted = k;
        if (best_measured < 0 || measured[k] < measured[best_measured]) best_measured = k;
        if (rank == 0)
            printf("  1 : %.2f : %.2f  %-18s %10.1f %10.2f %10.2f %8.3f\n", speed[1], speed[2], shapes[k],
                   8e-6 * (double)time.volume, 1e3 * predicted[k], 1e3 * measured[k], predicted[k] / measured[k]);
        scalay_partition_destroy(&partition);
    }
    if (rank == 0)
        printf("                   predicted best %s, measured best %s (the former takes %.3f of the latter)\n",
               shapes[best_predicted], shapes[best_measured], measured[best_predicted] / measured[best_measured]);
    if (rank == 0) fflush(stdout);
}

static void bench_shapes(int rounds, int count, char **n)
{
    static const char *const transports[] = {"shared", "messages"};
    static const double speeds[][3] = {{1.0, 0.5, 0.25}, {1.0, 0.15, 0.05}, {1.0, 0.7, 0.07}};
    enum { PANEL = 256 };
    if (ranks != 3) {
        if (rank == 0) fprintf(stderr, "bench_gemm shapes: use mpirun -n 3\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int k = 0; k < count; k++)
        for (int t = 0; t < 2; t++) {
            const scalay_machine machine = calibrate(transports[t], atoi(n[k]), PANEL, rounds);
            if (rank == 0)
                printf("n = %s, panels of %d, \"%s\": %.2f us a message, %.2f GB/s; %d rounds\n"
                       "  %-32s %10s %10s %10s %8s\n",
                       n[k], PANEL, transports[t], 1e6 * machine.seconds_per_message, 1e-9 / machine.seconds_per_byte,
                       rounds, "speeds, shape", "MB", "pred. ms", "meas. ms", "p/m");
            for (int r = 0; r < 3; r++) bench_ratio(&machine, transports[t], atoi(n[k]), PANEL, rounds, speeds[r]);
        }
}

/* ------------------------------------------------------------------------------------------------- waiting */

static double spin_seconds(void)
{
    const double began = MPI_Wtime();
    volatile double sum = 0.0;
    for (int64_t k = 0; k < 400000000; k++) sum += 1e-9 * (double)k;
    return MPI_Wtime() - began;
}

/* Rank 0 computes; the others wait on the same processor. */
static void bench_waiting(void)
{
    double alone = 0.0, beside = 0.0;
    bind(1);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) *(turn == 0 ? &alone : &beside) = spin_seconds();
        if (rank > 0 && turn == 0) sleep(4);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("computing takes %.3f s beside ranks that sleep, %.3f times as long beside ranks that wait in MPI\n",
               alone, beside / alone);
}

int main(int argc, char **argv)
{
    static char *usual[] = {"2048", "4096"};
    MPI_Init(&argc, &argv);
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &comm));
    rank = scalay_comm_rank(comm);
    ranks = scalay_comm_size(comm);
    const char *what = argc > 1 ? argv[1] : "speeds";
    const int rounds = argc > 2 ? atoi(argv[2]) : 5;
    const int count = argc > 3 ? argc - 3 : 2;
    char **n = argc > 3 ? argv + 3 : usual;
    if (rounds < 1 || rounds > MOST_ROUNDS || ranks > MOST_RANKS) {
        if (rank == 0)
            fprintf(stderr, "usage: bench_gemm speeds|shapes|waiting [ROUNDS [N ...]], 1 to %d rounds\n", MOST_ROUNDS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0) timing_print_machine(NULL);
    if (strcmp(what, "speeds") == 0) bench_speeds(rounds, count, n);
    if (strcmp(what, "shapes") == 0) bench_shapes(rounds, count, n);
    if (strcmp(what, "waiting") == 0) bench_waiting();
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
