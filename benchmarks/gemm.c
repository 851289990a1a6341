/* Products on processes of different speeds, beside pdgemm on the same processes, and what the model says of them.

   mpirun -n P --bind-to none bench_gemm [ROUNDS [N ...]]   (P = 3 or more, on two processors; N such as 2048 4096 6144)
     Rank 0 has a processor, the others share another one: bound here. Their speeds are measured by the profiler, all at
   the same time. pdgemm on the homogeneous grid, where the matrices are, beside SUMMA on the shapes that the speeds ask
   for. Each contender multiplies once to warm up, and its product is checked; then all take turns. Seconds are medians
   of the slowest rank: of the multiplication (A and B where they belong), and with A and B moved there and C brought
   back. Ratios: how many times faster than pdgemm. Predicted: from the measured profile and machine.
     BENCH_GEMM_PROFILE=FILE.csv keeps the profile for another run, such as one that spins (--mca mpi_yield_when_idle
   0).

   mpirun -n 3 --bind-to none bench_gemm uneven [ROUNDS [N ...]]
     The same at speeds of about 1 : 0.15 : 0.05, at which a square corner exists: the two ranks that share a processor
   are nice to different degrees, beside a process that does nothing but compute there, and ends with the benchmark.

   mpirun -n P bench_gemm waiting
     What ranks that wait in MPI take from one that computes on the same processor. */

#define _GNU_SOURCE
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "products.h"

#include <math.h>
#include <mpi.h>

#include "scalay/measure.h"
#include "scalay/profiler.h"
#include "scalay/scalay.h"

enum { MOST_ROUNDS = 31, MOST_RANKS = 16, SHAPES = 4, BLOCK = 64, KERNEL_N = 1024 };

/* NULL: no more. Four parts and more have no shapes of their own. */
static const char *const shapes_of_three[SHAPES] = {"block-rectangle", "square-corner", "square-rectangle", "columns"};
static const char *const shapes_of_many[SHAPES] = {"columns", "auto"};

static scalay_comm *comm;
static int rank, ranks;

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

/* A process that computes on this one's processor until it is killed, or this one ends. */
static pid_t start_hog(void)
{
    const pid_t child = fork();
    if (child < 0) MPI_Abort(MPI_COMM_WORLD, 2);
    if (child > 0) return child;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int file = 0; file < 3; file++) close(file);
    for (volatile uint64_t k = 0;; k++) {
    }
}

/* Of the weights of Linux' scheduler: 1024 for the hog, 215 and 70, so about 0.16 and 0.05 of a processor. */
static pid_t make_uneven(void)
{
    static const int nice_to_others[] = {0, 7, 12};
    pid_t hog = 0;
    if (rank == 1) hog = start_hog();
    if (setpriority(PRIO_PROCESS, 0, nice_to_others[rank]) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    return hog;
}

static void end_hog(pid_t hog)
{
    if (hog == 0) return;
    (void)kill(hog, SIGKILL);
    (void)waitpid(hog, NULL, 0);
}

/* Seconds per operation of each rank, all at work at the same time, as the profiler finds them. */
static void measure_speeds(double *seconds_per_flop)
{
    const int64_t sizes[] = {KERNEL_N / 2, KERNEL_N};
    char text[32];
    scalay_profile_kernel *kernel = NULL;
    scalay_profile *profile = NULL;
    scalay_profiler_options options = scalay_profiler_options_default();
    scalay_repeat_options repeat = scalay_repeat_options_default();
    options.sizes = 2;
    options.list = sizes;
    options.no_groups = 1;
    options.path = getenv("BENCH_GEMM_PROFILE");
    options.repeat = &repeat;
    repeat.min_repetitions = 5;
    repeat.max_repetitions = 9;
    snprintf(text, sizeof text, "dgemm:n=%d", KERNEL_N);
    timing_must(scalay_profile_kernel_create(text, 0.0, &kernel));
    timing_must(scalay_profiler_run(comm, kernel, &options, &profile, NULL));
    for (int r = 0; r < ranks; r++) {
        double seconds = 0.0;
        timing_must(scalay_profile_get_point(profile, r, KERNEL_N, &seconds, NULL));
        seconds_per_flop[r] = seconds / (2.0 * KERNEL_N * KERNEL_N * KERNEL_N);
    }
    scalay_profile_destroy(&profile);
    scalay_profile_kernel_destroy(&kernel);
}

/* ------------------------------------------------------------------------------------- different speeds */

typedef struct {
    const char *name;            /* NULL: nothing */
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
    if (x->name == NULL) return;
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
        if (rank == 0 && x->name != NULL) printf("  %-18s does not exist for these speeds\n", x->name);
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
    s->a = random_local(s->layout, rank);
    s->b = random_local(s->layout, rank);
    s->c = random_local(s->layout, rank);
    const char *const *shapes = ranks == 3 ? shapes_of_three : shapes_of_many;
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

static void bench_speeds(int rounds, int count, char **n, int uneven)
{
    static arena s;
    pid_t hog = 0;
    s.rounds = rounds;
    s.grid[0] = ranks % 2 == 0 ? 2 : 1;
    s.grid[1] = ranks / s.grid[0];
    bind(rank == 0 ? 0 : 1);
    if (uneven) hog = make_uneven();
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
    end_hog(hog);
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
    const int waiting = argc > 1 && strcmp(argv[1], "waiting") == 0;
    const int uneven = argc > 1 && strcmp(argv[1], "uneven") == 0;
    const int first = 1 + (waiting || uneven);
    const int rounds = argc > first ? atoi(argv[first]) : 5;
    if (rounds < 1 || rounds > MOST_ROUNDS || ranks > MOST_RANKS || (uneven && ranks != 3)) {
        if (rank == 0)
            fprintf(stderr, "usage: bench_gemm [ROUNDS [N ...]] | uneven [ROUNDS [N ...]] | waiting, 1 to %d rounds\n",
                    MOST_ROUNDS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int given = argc > first + 1;
    if (rank == 0) timing_print_machine(NULL);
    if (waiting)
        bench_waiting();
    else
        bench_speeds(rounds, given ? argc - first - 1 : 2, given ? argv + first + 1 : usual, uneven);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
