/* The time of communication alone, predicted and measured, of the shapes for three processors: Malik and Lastovetsky's
   validation (2021, section VI), at three ratios of speeds of which each shape wins one. Two of the ratios are not the
   paper's, whose winners contradict its own formulae (docs/partition.md). Three rates are measured in the same run, in
   the way that panels travel: where memory is read, by segments of two lengths and by copies of what a rank has
   itself; by messages, on strips and Latin squares. What each rank reads and copies is counted by SUMMA.
   Arrays are ordinary ones: those of scalay_alloc() would be used where they are. Seconds are medians of the slowest
   rank; all take turns. Usage: mpirun -n 3 bench_gemm_shapes [ROUNDS [N ...]] */

/* For sysconf. */
#define _POSIX_C_SOURCE 200809L
#include "products.h"

#include <math.h>
#include <mpi.h>
#include <unistd.h>

#include "scalay/scalay.h"

enum { MOST_ROUNDS = 31 };

static const char *const shapes[] = {"block-rectangle", "square-corner", "square-rectangle"};

static scalay_comm *comm, *alone;
static int rank, ranks, processors;
enum { RANKS = 3 };

enum { PANEL = 256, SMALL = 96, NARROW = 2, SHORT = 128, LONG = 1024, ASIDE = 40 };
enum { RATIOS = 3, RATES = 3, CASES = RATES + 3 * RATIOS };

/* A product of which only the panels move. */
typedef struct {
    const char *shape;
    const double *speed;
    scalay_owner_map *map; /* of C; NULL: the shape does not exist */
    scalay_layout *layout[3];
    scalay_summa *summa;
    int64_t inner, panel;
    int64_t messages[RANKS], copied[RANKS]; /* of each rank, as SUMMA counts them */
    double seconds[MOST_ROUNDS];
    double measured, predicted;
} moving;

/* All of them: they take turns, so that a disturbance does not hit one of them alone. */
typedef struct {
    const char *transport;
    int rounds;
    moving cases[CASES]; /* those to calibrate with, three shapes for each ratio */
    double *a, *b, *c;   /* large enough for all */
} fleet;

/* A Latin square: everybody needs everything, of A and of B, and gives as much. */
static scalay_owner_map *latin_square(int n)
{
    const int64_t cuts[] = {0, n / 3, 2 * n / 3, n};
    const int owner[] = {0, 1, 2, 1, 2, 0, 2, 0, 1};
    scalay_owner_map *map = NULL;
    timing_must(scalay_owner_map_create(3, 3, cuts, cuts, 3, owner, &map));
    return map;
}

/* Strips of columns: A travels, in one piece. */
static scalay_owner_map *columns(int n)
{
    const int64_t cuts[] = {0, n / 3, 2 * n / 3, n}, all[] = {0, n};
    const int owner[] = {0, 1, 2};
    scalay_owner_map *map = NULL;
    timing_must(scalay_owner_map_create(1, 3, all, cuts, 3, owner, &map));
    return map;
}

/* A row for each rank: B travels, in segments of a panel's width. */
static scalay_owner_map *three_rows(int n)
{
    const int64_t cuts[] = {0, 1, 2, 3}, all[] = {0, n};
    const int owner[] = {0, 1, 2};
    scalay_owner_map *map = NULL;
    timing_must(scalay_owner_map_create(3, 1, cuts, all, 3, owner, &map));
    return map;
}

/* All in one part: nothing travels. */
static scalay_owner_map *in_one_part(int n)
{
    const int64_t all[] = {0, n};
    const int owner[] = {0};
    scalay_owner_map *map = NULL;
    timing_must(scalay_owner_map_create(1, 1, all, all, 3, owner, &map));
    return map;
}

static scalay_owner_map *cut(int n, const double *speed, const char *shape)
{
    scalay_partition *partition = NULL;
    scalay_owner_map *map = NULL;
    scalay_partition_options options = scalay_partition_options_default();
    options.shape = shape;
    if (scalay_partition_create(n, n, ranks, speed, &options, &partition) != SCALAY_SUCCESS) return NULL;
    timing_must(scalay_owner_map_resize(scalay_partition_map(partition), n, n, &map));
    scalay_partition_destroy(&partition);
    return map;
}

static void lay_out(const scalay_owner_map *map, int64_t rows, int64_t cols, scalay_layout **layout)
{
    scalay_owner_map *stretched = NULL;
    timing_must(scalay_owner_map_resize(map, rows, cols, &stretched));
    timing_must(scalay_layout_from_owner_map(stretched, layout));
    scalay_owner_map_destroy(&stretched);
}

static void plan(const fleet *f, scalay_comm *with, moving *x)
{
    scalay_summa_options options = scalay_summa_options_default();
    options.no_computation = 1;
    options.transport = f->transport;
    options.panel = x->panel;
    timing_must(scalay_summa_create(with, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, x->layout[0],
                                    x->layout[1], x->layout[2], &options, &x->summa));
}

static void prepare(const fleet *f, moving *x)
{
    if (x->map == NULL) return;
    const int64_t rows = scalay_owner_map_rows(x->map), cols = scalay_owner_map_cols(x->map);
    x->inner = x->inner > 0 ? x->inner : cols;
    lay_out(x->map, rows, x->inner, &x->layout[0]);
    lay_out(x->map, x->inner, cols, &x->layout[1]);
    lay_out(x->map, rows, cols, &x->layout[2]);
    plan(f, comm, x);
}

/* Each rank for itself: panels of A and of B are put together from two tiles. */
static void prepare_copies(const fleet *f, int n, moving *x)
{
    const int owner[] = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++)
        timing_must(scalay_layout_tiles(n, n, (n + 1) / 2, (n + 1) / 2, 1, owner, &x->layout[k]));
    x->map = in_one_part(n);
    x->inner = n;
    x->panel = PANEL;
    plan(f, alone, x);
}

/* What SUMMA did on each rank. */
static void count(moving *x)
{
    scalay_summa_statistics mine;
    timing_must(scalay_summa_get_statistics(x->summa, &mine));
    MPI_Allgather(&mine.segments_read, 1, MPI_INT64_T, x->messages, 1, MPI_INT64_T, MPI_COMM_WORLD);
    MPI_Allgather(&mine.elements_copied, 1, MPI_INT64_T, x->copied, 1, MPI_INT64_T, MPI_COMM_WORLD);
}

static void move(fleet *f, moving *x, int round)
{
    const double one = 1.0, zero = 0.0;
    if (x->map == NULL) return;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    timing_must(scalay_summa_execute(x->summa, &one, f->a, f->b, &zero, f->c));
    const double now = slowest(MPI_Wtime() - began);
    if (round >= 0)
        x->seconds[round] = now;
    else
        count(x);
}

static void measure_fleet(fleet *f)
{
    for (int round = -1; round < f->rounds; round++)
        for (int k = 0; k < CASES; k++) move(f, &f->cases[(round + 1 + k) % CASES], round);
    for (int k = 0; k < CASES; k++) f->cases[k].measured = timing_median(f->cases[k].seconds, f->rounds);
}

static double predict(const fleet *f, const scalay_machine *machine, const moving *x)
{
    scalay_multiply_options options = scalay_multiply_options_default();
    scalay_multiply_time time;
    options.panel = x->panel;
    options.reads = strcmp(f->transport, "shared") == 0;
    options.concurrent_transfers = options.reads ? processors : 1; /* messages: the memory of the node */
    options.copied = x->copied;
    if (options.reads) options.messages = x->messages;
    timing_must(scalay_model_multiply(machine, SCALAY_DOUBLE, x->map, x->inner, &options, NULL, NULL, &time));
    return time.communicate_seconds;
}

static double determinant(double m[RATES][RATES])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* The rates by which the model takes as long as was measured for the cases to calibrate with: it is linear in them. */
static scalay_machine calibrate(const fleet *f)
{
    const scalay_machine unit[RATES] = {
        {.seconds_per_message = 1.0}, {.seconds_per_byte = 1.0}, {.seconds_per_byte_copied = 1.0}};
    double weight[RATES][RATES], rate[RATES], one[RATES][RATES];
    for (int k = 0; k < RATES; k++)
        for (int r = 0; r < RATES; r++) weight[k][r] = predict(f, &unit[r], &f->cases[k]);
    for (int r = 0; r < RATES; r++) {
        memcpy(one, weight, sizeof one);
        for (int k = 0; k < RATES; k++) one[k][r] = f->cases[k].measured;
        rate[r] = fmax(0.0, determinant(one) / determinant(weight));
    }
    return (scalay_machine){
        .seconds_per_message = rate[0], .seconds_per_byte = rate[1], .seconds_per_byte_copied = rate[2]};
}

static void print_ratio(const fleet *f, const scalay_machine *machine, moving *x)
{
    int predicted = -1, measured = -1;
    for (int k = 0; k < 3; k++) {
        if (x[k].map == NULL) continue;
        x[k].predicted = predict(f, machine, &x[k]);
        if (predicted < 0 || x[k].predicted < x[predicted].predicted) predicted = k;
        if (measured < 0 || x[k].measured < x[measured].measured) measured = k;
        scalay_summa_statistics statistics = {0};
        (void)scalay_summa_get_statistics(x[k].summa, &statistics);
        if (rank == 0)
            printf("  1 : %.2f : %.2f  %-18s %10.1f %10.2f %10.2f %8.3f\n", x[k].speed[1], x[k].speed[2], x[k].shape,
                   8e-6 * (double)statistics.volume, 1e3 * x[k].predicted, 1e3 * x[k].measured,
                   x[k].predicted / x[k].measured);
    }
    if (rank == 0)
        printf("                   predicted best %s, measured best %s (the former takes %.3f of the latter)\n",
               x[predicted].shape, x[measured].shape, x[predicted].measured / x[measured].measured);
    if (rank == 0) fflush(stdout);
}

/* Large enough for a matrix of each. The copies have a layout of one process, which is rank 0 there. */
static double *largest_local(const fleet *f)
{
    const scalay_layout *largest = NULL;
    int64_t most = -1;
    int of = 0;
    for (int k = 0; k < CASES; k++)
        for (int m = 0; m < 3 && f->cases[k].map != NULL; m++) {
            const scalay_layout *layout = f->cases[k].layout[m];
            const int here = scalay_layout_processes(layout) > 1 ? rank : 0;
            if (scalay_layout_local_size(layout, here) <= most) continue;
            most = scalay_layout_local_size(layout, here);
            largest = layout;
            of = here;
        }
    return random_local(largest, of);
}

/* What to measure rates with. */
static void calibrations(fleet *f, int n)
{
    if (strcmp(f->transport, "shared") == 0) {
        const int64_t inner = 3 * ((int64_t)n + ASIDE);
        f->cases[0] = (moving){.map = three_rows(n / 3), .inner = inner, .panel = SHORT};
        f->cases[1] = (moving){.map = three_rows(n / 3), .inner = inner, .panel = LONG};
        prepare_copies(f, n, &f->cases[2]);
    } else {
        f->cases[0] = (moving){.map = latin_square(SMALL), .panel = NARROW};
        f->cases[1] = (moving){.map = columns(n), .panel = PANEL};
        f->cases[2] = (moving){.map = latin_square(n), .panel = PANEL};
    }
}

static void launch(fleet *f, int n)
{
    static const double speeds[RATIOS][3] = {{1.0, 0.5, 0.25}, {1.0, 0.15, 0.05}, {1.0, 0.7, 0.07}};
    calibrations(f, n);
    for (int k = RATES; k < CASES; k++) {
        const double *speed = speeds[(k - RATES) / 3];
        f->cases[k] = (moving){.shape = shapes[(k - RATES) % 3], .speed = speed, .panel = PANEL};
        f->cases[k].map = cut(n, speed, f->cases[k].shape);
    }
    for (int k = 0; k < CASES; k++)
        if (f->cases[k].summa == NULL) prepare(f, &f->cases[k]);
    f->a = largest_local(f);
    f->b = largest_local(f);
    f->c = largest_local(f);
}

static void sink(fleet *f)
{
    free(f->c);
    free(f->b);
    free(f->a);
    for (int k = 0; k < CASES; k++) {
        scalay_summa_destroy(&f->cases[k].summa);
        for (int m = 0; m < 3; m++) scalay_layout_destroy(&f->cases[k].layout[m]);
        scalay_owner_map_destroy(&f->cases[k].map);
    }
}

static void bench_shapes_of(const char *transport, int n, int rounds)
{
    static fleet f;
    f.transport = transport;
    f.rounds = rounds;
    launch(&f, n);
    measure_fleet(&f);
    const scalay_machine machine = calibrate(&f);
    if (rank == 0)
        printf("n = %d, panels of %d, \"%s\": %.2f us a %s, %.2f GB/s, copied %.2f GB/s; %d rounds\n"
               "  %-32s %10s %10s %10s %8s\n",
               n, PANEL, transport, 1e6 * machine.seconds_per_message,
               strcmp(transport, "shared") == 0 ? "stretch" : "message", 1e-9 / machine.seconds_per_byte,
               1e-9 / machine.seconds_per_byte_copied, rounds, "speeds, shape", "MB", "pred. ms", "meas. ms", "p/m");
    for (int r = 0; r < RATIOS; r++) print_ratio(&f, &machine, &f.cases[RATES + 3 * r]);
    sink(&f);
}

int main(int argc, char **argv)
{
    static char *usual[] = {"2048", "4096"};
    MPI_Init(&argc, &argv);
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &comm));
    timing_must(scalay_comm_create(MPI_COMM_SELF, &alone));
    rank = scalay_comm_rank(comm);
    ranks = scalay_comm_size(comm);
    processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const int rounds = argc > 1 ? atoi(argv[1]) : 15;
    const int count = argc > 2 ? argc - 2 : 2;
    char **n = argc > 2 ? argv + 2 : usual;
    if (ranks != 3 || rounds < 1 || rounds > MOST_ROUNDS) {
        if (rank == 0) fprintf(stderr, "usage: mpirun -n 3 bench_gemm_shapes [ROUNDS [N ...]], 1 to %d\n", MOST_ROUNDS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0) timing_print_machine(NULL);
    for (int k = 0; k < count; k++) {
        bench_shapes_of("shared", atoi(n[k]), rounds);
        bench_shapes_of("messages", atoi(n[k]), rounds);
    }
    scalay_comm_destroy(&alone);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return 0;
}
