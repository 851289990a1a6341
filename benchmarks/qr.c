/* QR after redistribution: Herrmann et al. 2016, tables 1a and 1b, on the machine at hand. A matrix of n x n tiles sits
   as a skewed or a chunked tile map (or block-cyclic on a grid that p?geqrf can use at once) and is factored
     - where it is (owner; ScaLAPACK cannot do that with a tile map),
     - on the block-cyclic grid with part j on process j, moved by ScaLAPACK's pdgemr2d (block-cyclic sources only),
     - on the same grid, moved by ScaLAY: canonical, least volume, fewest steps and then least volume.
   Volume and steps are in tiles, means over MAPS seeds; times are medians over all rounds and the first TIMED of them,
   of the slowest rank, with the contenders in turn, another one first in each round; total is move + kernel + back.
   Usage: mpirun -n P bench_qr [CSV [ROUNDS [TILE [TILES ...]]]] */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/summaries.h"
#include "base/memory.h"
#include "base/random.h"
#include "layout/layout.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "parallel/scalapack.h"
#include "scalay/factor.h"
#include "scalay/redist.h"

void Cpdgemr2d(int m, int n, void *a, int ia, int ja, int *desca, void *b, int ib, int jb, int *descb, int ctxt);

enum { MAPS = 50, TIMED = 3, MAX_ROUNDS = 25, PHASES = 4 };

typedef enum { OWNER, PDGEMR2D, CANONICAL, VOLUME, STEPS, CONTENDERS } contender;

static const struct {
    const char *name;
    scalay_objective objective; /* of our own */
} contenders[CONTENDERS] = {{"owner", SCALAY_CANONICAL},
                            {"pdgemr2d", SCALAY_CANONICAL},
                            {"canonical", SCALAY_CANONICAL},
                            {"volume", SCALAY_MIN_VOLUME},
                            {"steps", SCALAY_MIN_STEPS_THEN_VOLUME}};

/* Seconds of one run. */
typedef struct {
    double phase[PHASES]; /* move, kernel, back, total */
} run_time;

typedef struct {
    scalay_comm *comm;
    FILE *csv;
    int rounds, tile, tiles, n;
    int nprow, npcol;
    /* The case at hand. */
    const char *set;
    scalay_layout *layout;
    double *a, *work_copy;
    int64_t local;
    double volume[CONTENDERS], steps[CONTENDERS]; /* in tiles, summed over the maps */
    run_time times[CONTENDERS][TIMED * MAX_ROUNDS];
    int runs[CONTENDERS];
} arena;

/* ------------------------------------------------------------------------------------------------- sources */

typedef scalay_status (*source_maker)(const arena *s, uint64_t seed, scalay_layout **layout);

static scalay_status make_skewed(const arena *s, uint64_t seed, scalay_layout **layout)
{
    return scalay_layout_skewed(s->n, s->n, s->tile, s->tile, s->nprow, s->npcol, seed, layout);
}

static scalay_status make_chunks(const arena *s, uint64_t seed, scalay_layout **layout)
{
    return scalay_layout_chunks(s->n, s->n, s->tile, s->tile, s->comm->size, seed, layout);
}

/* The right grid in the other order: a good mapping has nothing to move. */
static scalay_status make_column_order(const arena *s, uint64_t seed, scalay_layout **layout)
{
    (void)seed;
    return scalay_layout_block_cyclic(s->n, s->n, s->tile, s->tile, s->nprow, s->npcol, 0, 0, SCALAY_COLUMN_MAJOR,
                                      layout);
}

/* One slab of columns for each process, as a program may have it that never thought of ScaLAPACK. */
static scalay_status make_slabs(const arena *s, uint64_t seed, scalay_layout **layout)
{
    (void)seed;
    const int width = (s->n + s->comm->size - 1) / s->comm->size;
    return scalay_layout_block_cyclic(s->n, s->n, width, width, 1, s->comm->size, 0, 0, SCALAY_ROW_MAJOR, layout);
}

static const struct {
    const char *name;
    source_maker make;
    int block_cyclic;
} sources[] = {{"skewed", make_skewed, 0},
               {"chunks", make_chunks, 0},
               {"column order", make_column_order, 1},
               {"column slabs", make_slabs, 1}};

/* ---------------------------------------------------------------------------------------------------- runs */

static double slowest(const arena *s, double start)
{
    double seconds = MPI_Wtime() - start, most = 0.0;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm->mpi);
    return most;
}

/* pdgeqrf on the ranks of a descriptor. */
static scalay_status factor(double *a, const int *desc, int local_cols)
{
    scalay_status status = SCALAY_SUCCESS;
    const int one = 1, query = -1;
    double wanted = 0.0, *tau = NULL, *work = NULL;
    int info = 0;
    if (desc[CTXT_] < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(tau, local_cols + 1));
    pdgeqrf_(&desc[M_], &desc[N_], a, &one, &one, desc, tau, &wanted, &query, &info);
    const int lwork = (int)wanted;
    SCALAY_TRY(SCALAY_NEW(work, lwork));
    pdgeqrf_(&desc[M_], &desc[N_], a, &one, &one, desc, tau, work, &lwork, &info);
cleanup:
    scalay_release(work);
    scalay_release(tau);
    return status;
}

static scalay_status run_owner(arena *s, run_time *t)
{
    scalay_status status = SCALAY_SUCCESS;
    int ctxt = -1, desc[DLEN_];
    memcpy(s->work_copy, s->a, (size_t)s->local * sizeof *s->a);
    SCALAY_TRY(scalay_grid_create(s->comm, s->layout, NULL, &ctxt, desc));
    double start = MPI_Wtime();
    SCALAY_TRY(factor(s->work_copy, desc, s->n));
    t->phase[1] = slowest(s, start);
    SCALAY_TRY(scalay_grid_release(s->comm, &ctxt));
cleanup:
    return status;
}

static scalay_status run_pdgemr2d(arena *s, run_time *t)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    double *b = NULL;
    int from = -1, to = -1, all = -1, from_desc[DLEN_], to_desc[DLEN_];
    SCALAY_TRY(
        scalay_layout_block_cyclic(s->n, s->n, s->tile, s->tile, s->nprow, s->npcol, 0, 0, SCALAY_ROW_MAJOR, &target));
    SCALAY_TRY(SCALAY_NEW(b, scalay_layout_local_size(target, s->comm->rank) + 1));
    SCALAY_TRY(scalay_grid_create(s->comm, s->layout, NULL, &from, from_desc));
    SCALAY_TRY(scalay_grid_create(s->comm, target, NULL, &to, to_desc));
    SCALAY_TRY(scalay_grid_acquire(s->comm, 1, s->comm->size, NULL, &all));
    double start = MPI_Wtime();
    Cpdgemr2d(s->n, s->n, s->a, 1, 1, from_desc, b, 1, 1, to_desc, all);
    t->phase[0] = slowest(s, start);
    start = MPI_Wtime();
    SCALAY_TRY(factor(b, to_desc, s->n));
    t->phase[1] = slowest(s, start);
    start = MPI_Wtime();
    Cpdgemr2d(s->n, s->n, b, 1, 1, to_desc, s->work_copy, 1, 1, from_desc, all);
    t->phase[2] = slowest(s, start);
cleanup:
    (void)scalay_grid_release(s->comm, &all);
    (void)scalay_grid_release(s->comm, &to);
    (void)scalay_grid_release(s->comm, &from);
    scalay_release(b);
    scalay_layout_destroy(&target);
    return status;
}

static scalay_status run_ours(arena *s, contender which, run_time *t)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_qr *qr = NULL;
    scalay_qr_statistics statistics;
    scalay_qr_options options = scalay_qr_options_default();
    options.nprow = s->nprow;
    options.npcol = s->npcol;
    options.nb = s->tile;
    options.objective = contenders[which].objective;
    SCALAY_TRY(scalay_qr_create(s->comm, s->layout, SCALAY_DOUBLE, &options, s->a, &qr));
    SCALAY_TRY(scalay_qr_bring_back(qr, s->work_copy));
    SCALAY_TRY(scalay_qr_get_statistics(qr, &statistics));
    t->phase[0] = statistics.move_seconds;
    t->phase[1] = statistics.kernel_seconds;
    t->phase[2] = statistics.back_seconds;
cleanup:
    scalay_qr_destroy(&qr);
    return status;
}

static scalay_status run(arena *s, contender which, int keep)
{
    scalay_status status = SCALAY_SUCCESS;
    run_time t = {{0.0}};
    if (which == OWNER)
        SCALAY_TRY(run_owner(s, &t));
    else if (which == PDGEMR2D)
        SCALAY_TRY(run_pdgemr2d(s, &t));
    else
        SCALAY_TRY(run_ours(s, which, &t));
    t.phase[3] = t.phase[0] + t.phase[1] + t.phase[2];
    if (keep) s->times[which][s->runs[which]++] = t;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- cases */

/* Volume and steps by definition of the mapping, without moving anything. */
static scalay_status count_moves(arena *s)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    const double tile = (double)s->tile * s->tile;
    SCALAY_TRY(
        scalay_layout_block_cyclic(s->n, s->n, s->tile, s->tile, s->nprow, s->npcol, 0, 0, SCALAY_ROW_MAJOR, &target));
    SCALAY_TRY(scalay_traffic_create(s->layout, target, &traffic));
    for (int k = PDGEMR2D; k < CONTENDERS; k++) {
        SCALAY_TRY(scalay_mapping_from_traffic(traffic, contenders[k].objective, NULL, &mapping));
        s->volume[k] += (double)mapping_summary(mapping).volume / tile;
        s->steps[k] += (double)mapping_summary(mapping).steps / tile;
        scalay_mapping_destroy(&mapping);
    }
cleanup:
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&target);
    return status;
}

static scalay_status time_map(arena *s, int block_cyclic, uint64_t seed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_random random = scalay_random_seed(seed + (uint64_t)s->comm->rank);
    s->local = scalay_layout_local_size(s->layout, s->comm->rank);
    SCALAY_TRY(SCALAY_NEW(s->a, s->local + 1));
    SCALAY_TRY(SCALAY_NEW(s->work_copy, s->local + 1));
    for (int64_t k = 0; k < s->local; k++) s->a[k] = scalay_random_unit(&random) - 0.5;
    const int first = block_cyclic ? OWNER : CANONICAL, count = CONTENDERS - first;
    for (int round = -1; round < s->rounds; round++) /* the first one warms up */
        for (int k = 0; k < count; k++) SCALAY_TRY(run(s, (contender)(first + (round + 1 + k) % count), round >= 0));
cleanup:
    scalay_release(s->work_copy);
    scalay_release(s->a);
    s->a = s->work_copy = NULL;
    return status;
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(const arena *s, int which, int phase)
{
    double values[TIMED * MAX_ROUNDS];
    const int count = s->runs[which];
    for (int k = 0; k < count; k++) values[k] = s->times[which][k].phase[phase];
    qsort(values, (size_t)count, sizeof values[0], compare_doubles);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static void report_contender(const arena *s, int which, int maps)
{
    if (s->runs[which] == 0) {
        printf("  %-10s %8s %8s %9s %9s %9s %9s %9s\n", contenders[which].name, "-", "-", "-", "-", "-", "-", "-");
        return;
    }
    const double volume = s->volume[which] / maps, steps = s->steps[which] / maps;
    const double total = median(s, which, 3), ratio = total / median(s, CANONICAL, 3);
    printf("  %-10s %8.1f %8.1f %9.4f %9.4f %9.4f %9.4f %9.3f\n", contenders[which].name, volume, steps,
           median(s, which, 0), median(s, which, 1), median(s, which, 2), total, ratio);
    if (s->csv != NULL)
        fprintf(s->csv, "%s,%d,%d,%d,%s,%.2f,%.2f,%.6f,%.6f,%.6f,%.6f,%.4f\n", s->set, s->comm->size, s->tiles, s->tile,
                contenders[which].name, volume, steps, median(s, which, 0), median(s, which, 1), median(s, which, 2),
                total, ratio);
}

static void report(const arena *s, int maps)
{
    if (s->comm->rank != 0) return;
    printf("%s, %d x %d tiles of %d, %d processes (%d x %d)\n", s->set, s->tiles, s->tiles, s->tile, s->comm->size,
           s->nprow, s->npcol);
    printf("  %-10s %8s %8s %9s %9s %9s %9s %9s\n", "mapping", "volume", "steps", "move s", "kernel s", "back s",
           "total s", "/canon.");
    for (int k = 0; k < CONTENDERS; k++) report_contender(s, k, maps);
    printf("\n");
    fflush(stdout);
}

static scalay_status run_case(arena *s, int which)
{
    scalay_status status = SCALAY_SUCCESS;
    const int maps = sources[which].block_cyclic ? 1 : MAPS;
    s->set = sources[which].name;
    memset(s->volume, 0, sizeof s->volume);
    memset(s->steps, 0, sizeof s->steps);
    memset(s->runs, 0, sizeof s->runs);
    for (int map = 0; map < maps; map++) {
        SCALAY_TRY(sources[which].make(s, 1 + (uint64_t)map, &s->layout));
        SCALAY_TRY(count_moves(s));
        if (map < TIMED) SCALAY_TRY(time_map(s, sources[which].block_cyclic, 100 + (uint64_t)map));
        scalay_layout_destroy(&s->layout);
    }
    report(s, maps);
cleanup:
    scalay_layout_destroy(&s->layout);
    return status;
}

static scalay_status run_size(arena *s, int tiles)
{
    scalay_status status = SCALAY_SUCCESS;
    s->tiles = tiles;
    s->n = tiles * s->tile;
    for (int k = 0; k < (int)(sizeof sources / sizeof sources[0]); k++) SCALAY_TRY(run_case(s, k));
cleanup:
    return status;
}

static void choose_shape(arena *s)
{
    for (int p = 1; p * p <= s->comm->size; p++)
        if (s->comm->size % p == 0) s->nprow = p;
    s->npcol = s->comm->size / s->nprow;
}

/* argv[k], or a default, kept within bounds. */
static int number(int argc, char **argv, int k, int otherwise, int least, int most)
{
    int value = k < argc ? atoi(argv[k]) : otherwise;
    return value < least ? least : value > most ? most : value;
}

static scalay_status run_all(arena *s, int argc, char **argv)
{
    scalay_status status = SCALAY_SUCCESS;
    if (argc > 4)
        for (int k = 4; k < argc; k++) SCALAY_TRY(run_size(s, number(argc, argv, k, 16, 1, 1000)));
    else
        for (int tiles = 16; tiles <= 34; tiles += 18) SCALAY_TRY(run_size(s, tiles));
cleanup:
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_memory_keep_released();
    static arena s;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &s.comm);
    if (status == SCALAY_SUCCESS) {
        s.rounds = number(argc, argv, 2, 3, 1, MAX_ROUNDS);
        s.tile = number(argc, argv, 3, 48, 1, 1000);
        choose_shape(&s);
        if (s.comm->rank == 0 && argc > 1 && strcmp(argv[1], "-") != 0) {
            s.csv = fopen(argv[1], "w");
            if (s.csv == NULL) perror(argv[1]);
        }
        if (s.csv != NULL)
            fputs("set,processes,tiles,tile,mapping,volume,steps,move,kernel,back,total,ratio_to_canonical\n", s.csv);
        status = run_all(&s, argc, argv);
    }
    if (status != SCALAY_SUCCESS) fprintf(stderr, "%s\n", scalay_error_message());
    if (s.csv != NULL) fclose(s.csv);
    scalay_comm_destroy(&s.comm);
    MPI_Finalize();
    return status != SCALAY_SUCCESS;
}
