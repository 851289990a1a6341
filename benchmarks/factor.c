/*
 * QR, LU and Cholesky on unequal processes: the engine on 1D-1D maps beside ScaLAPACK on grids, all in one run.
 *
 *   mpirun -n 4 bench_factor KIND N REPEATS CORES CONTENDER...      KIND: qr, lu or cholesky
 *
 * CORES names the core that each rank is bound to, such as 0,0,1,1. The speed of a rank is 1 over the number of ranks
 * of its contender on its core. If CORES is -, ranks are not bound, and the environment variable SPEEDS names the speed
 * of each rank, such as 1,.5,.5: for ranks whose BLAS is made slower by other means. A contender is one of
 *
 *   own:RANKS:GROUPS:NB[:RULE]  the engine on a 1D-1D map of so many groups; 0: chosen by the library. NB 0: likewise.
 *                               RULE: one process factors a panel (one), or its owners together (together)
 *   own:RANKS:PxQ:NB            the engine on a block-cyclic layout
 *   mpi:...                     as own, with panels that are sent although all processes are on one node
 *   peer:RANKS:PxQ:NB           ScaLAPACK's routine
 *   try:RANKS                   own: with tiles of 32 to 128, whole tile columns and 2 groups, both rules, and the
 * choice of the library, which is compared with the best of the others
 *
 * for example own:0,2,3:3:64 and peer:0,2,3:1x3:64. The contenders take turns in each of REPEATS rounds; each has a
 * sleeping barrier before and after. Printed are medians, their ratio to the limit (flops over the sum of the dgemm
 * rates of all ranks of the first contender), the ratio of ScaLAPACK's best median to each, and predicted times: with
 * typical rates besides that of dgemm, or with those of a calibration, the file that SCALAY_MACHINE names. On
 * block-cyclic layouts, the prediction is that of the library, also between nodes, with the rates that it keeps. Run it
 * with one BLAS thread, OMPI_MCA_hwloc_base_binding_policy=none and OMPI_MCA_mpi_yield_when_idle=1.
 */
#define _GNU_SOURCE

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/engine.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "parallel/machine_file.h"
#include "parallel/scalapack.h"
#include "scalay/factor.h"

enum { MAX_CONTENDERS = 64, MAX_RANKS = 64, MAX_REPEATS = 64, GEMM = 768 };

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);

typedef struct {
    const char *text;
    int is_own, is_choice, sends, count, rank[MAX_RANKS], here, nb, groups, nprow, npcol;
    scalay_factor_panels panels;
    double speed[MAX_RANKS], time[MAX_REPEATS], predicted;
    MPI_Comm mpi;
    scalay_comm *comm;
    scalay_layout *layout;
    scalay_factor *factor;
    scalay_factor_statistics statistics;
    int ctxt, desc[DLEN_], lwork, *ipiv;
    double *a, *tau, *work;
} contender;

static int me, world, is_bound;
static double given_speed[MAX_RANKS];
static scalay_machine machine; /* rates for the choice */

static void stop(const char *text)
{
    fprintf(stderr, "bench_factor: %s: %s\n", text, scalay_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double element(scalay_factor_kind kind, int64_t n, uint64_t i, uint64_t j)
{
    if (kind == SCALAY_FACTOR_CHOLESKY && i < j) return element(kind, n, j, i);
    uint64_t x = i * 0x9e3779b97f4a7c15u + j * 0xc2b2ae3d27d4eb4fu + 1;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)(int64_t)(x ^ x >> 31) * 0x1p-64 + (kind == SCALAY_FACTOR_CHOLESKY && i == j ? (double)n : 0);
}

static double flops(scalay_factor_kind kind, double n)
{
    const double cubes[] = {4.0 / 3, 2.0 / 3, 1.0 / 3};
    return cubes[kind] * n * n * n;
}

/* A barrier that leaves the cores to others. */
static void sleep_until_all(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) usleep(500);
}

static void read_contender(contender *c, const int *core)
{
    char what[8] = "", ranks[256] = "", where[32] = "", rule[16] = "";
    if (sscanf(c->text, "%7[^:]:%255[^:]:%31[^:]:%d:%15s", what, ranks, where, &c->nb, rule) < 4) stop(c->text);
    c->panels = rule[0] == 'o'   ? SCALAY_PANELS_ONE_PROCESS
                : rule[0] == 't' ? SCALAY_PANELS_TOGETHER
                                 : SCALAY_PANELS_CHOOSE;
    c->sends = strcmp(what, "mpi") == 0;
    c->is_own = c->sends || strcmp(what, "own") == 0;
    c->here = MPI_UNDEFINED;
    for (char *t = strtok(ranks, ","); t != NULL; t = strtok(NULL, ",")) c->rank[c->count++] = atoi(t);
    for (int r = 0; r < c->count; r++) {
        int sharing = 0;
        for (int s = 0; s < c->count; s++) sharing += core[c->rank[s]] == core[c->rank[r]];
        c->speed[r] = is_bound ? 1.0 / sharing : given_speed[c->rank[r]];
        if (c->rank[r] == me) c->here = r;
    }
    if (sscanf(where, "%dx%d", &c->nprow, &c->npcol) != 2) {
        c->groups = atoi(where);
        c->nprow = c->npcol = 0;
    }
    MPI_Comm_split(MPI_COMM_WORLD, c->here == MPI_UNDEFINED ? MPI_UNDEFINED : 0, c->here, &c->mpi);
}

/* The map of a contender; sets the tile extent and the rule for panels if the library chooses them. */
static void make_map(contender *c, scalay_factor_kind kind, int n, scalay_owner_map **map)
{
    const scalay_trailing trailing = kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    const scalay_engine_problem problem = {.kind = kind,
                                           .type = SCALAY_DOUBLE,
                                           .ranks = c->count,
                                           .speed = c->speed,
                                           .machine = &machine,
                                           .panels_together = (int)c->panels - 1};
    scalay_engine_choice choice = {0};
    if (c->groups == 0) {
        if (scalay_engine_choose_map(&problem, n, n, c->nb, &choice)) stop("choice");
        c->nb = choice.nb;
    } else {
        if (scalay_owner_map_1d1d(n, n, c->nb, c->count, c->speed, trailing, c->groups, &choice.map)) stop("map");
        if (scalay_engine_choose_panels(&problem, choice.map, c->nb, &choice)) stop("choice");
    }
    c->panels = choice.panels_together ? SCALAY_PANELS_TOGETHER : SCALAY_PANELS_ONE_PROCESS;
    c->predicted = choice.seconds;
    *map = choice.map;
}

static void set_up_own(contender *c, scalay_factor_kind kind, int n)
{
    scalay_owner_map *map = NULL;
    scalay_factor_options options = scalay_factor_options_default();
    options.speeds = c->speed;
    options.placement = SCALAY_PLACEMENT_STAY;
    if (c->nprow > 0) {
        if (scalay_layout_block_cyclic(n, n, c->nb, c->nb, c->nprow, c->npcol, 0, 0, SCALAY_ROW_MAJOR, &c->layout))
            stop("layout");
    } else {
        make_map(c, kind, n, &map);
        if (scalay_layout_from_owner_map_ascending(map, &c->layout)) stop("layout");
    }
    options.nb = c->nb;
    options.panels = c->panels;
    if (c->sends) options.transport = "mpi";
    if (getenv("BENCH_COPY") != NULL) { /* start from columns, so that the engine works in its own arrays */
        scalay_layout_destroy(&c->layout);
        if (scalay_layout_block_cyclic(n, n, 64, 64, 1, c->count, 0, 0, SCALAY_ROW_MAJOR, &c->layout)) stop("layout");
        options.placement = SCALAY_PLACEMENT_MOVE;
        options.map = map;
    }
    if (scalay_factor_create(c->comm, kind, c->layout, SCALAY_DOUBLE, &options, &c->factor)) stop("create");
    scalay_owner_map_destroy(&map);
}

static void set_up_peer(contender *c, int n)
{
    int position[4] = {0}, one = 1;
    if (scalay_layout_block_cyclic(n, n, c->nb, c->nb, c->nprow, c->npcol, 0, 0, SCALAY_ROW_MAJOR, &c->layout) ||
        scalay_grid_acquire(c->comm, c->nprow, c->npcol, NULL, &c->ctxt))
        stop("grid");
    if (c->ctxt < 0) return;
    Cblacs_gridinfo(c->ctxt, &position[0], &position[1], &position[2], &position[3]);
    scalay_subarray local = {.rows = 1, .cols = 1, .ld = 1};
    (void)scalay_layout_subarray(c->layout, c->here, 0, &local);
    const int desc[DLEN_] = {1, c->ctxt, n, n, c->nb, c->nb, 0, 0, (int)local.ld};
    memcpy(c->desc, desc, sizeof desc);
    c->lwork = c->nb * (int)(local.rows + local.cols + 2 * c->nb) * one;
    c->work = calloc((size_t)c->lwork + 1, sizeof *c->work);
}

static void set_up(contender *c, scalay_factor_kind kind, int n)
{
    if (c->here == MPI_UNDEFINED) return;
    if (scalay_comm_create(c->mpi, &c->comm)) stop("communicator");
    c->ctxt = -1;
    if (c->is_own)
        set_up_own(c, kind, n);
    else
        set_up_peer(c, n);
    c->a = calloc((size_t)scalay_layout_local_size(c->layout, c->here) + 1, sizeof *c->a);
    c->tau = calloc((size_t)n + 1, sizeof *c->tau);
    c->ipiv = calloc((size_t)(n + c->nb) + 1, sizeof *c->ipiv);
}

static void fill(const contender *c, scalay_factor_kind kind, int n)
{
    for (int64_t k = 0; k < scalay_layout_rectangle_count(c->layout, c->here); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(c->layout, c->here, k, &r)) stop("rectangle");
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                c->a[r.offset + i + j * r.ld] = element(kind, n, (uint64_t)(r.row + i), (uint64_t)(r.col + j));
    }
}

static void run(contender *c, scalay_factor_kind kind, int n, int round)
{
    int one = 1, info = 0;
    if (c->here == MPI_UNDEFINED) return;
    fill(c, kind, n);
    MPI_Barrier(c->mpi);
    const double began = MPI_Wtime();
    if (c->is_own) {
        if (scalay_factor_execute(c->factor, c->a, &info)) stop("execute");
    } else if (c->ctxt >= 0) {
        if (kind == SCALAY_FACTOR_QR)
            pdgeqrf_(&n, &n, c->a, &one, &one, c->desc, c->tau, c->work, &c->lwork, &info);
        else if (kind == SCALAY_FACTOR_LU)
            pdgetrf_(&n, &n, c->a, &one, &one, c->desc, c->ipiv, &info);
        else
            pdpotrf_("L", &n, c->a, &one, &one, c->desc, &info, 1);
    }
    MPI_Barrier(c->mpi);
    c->time[round] = MPI_Wtime() - began;
    if (info != 0) printf("%s: info %d\n", c->text, info);
    if (!c->is_own) return;
    (void)scalay_factor_get_statistics(c->factor, &c->statistics);
    if (c->nprow > 0) c->predicted = c->statistics.predicted_seconds;
    if (c->statistics.move_seconds > 0 && !c->statistics.in_place) c->time[round] = c->statistics.kernel_seconds;
}

/* Flops per second of dgemm on all ranks of a contender at once. */
static double dgemm_rate(const contender *c)
{
    const int size = GEMM, ld = GEMM + 8;
    const double minus = -1, plus = 1;
    double *x = malloc(sizeof *x * 3 * GEMM * (GEMM + 8)), rate = 0;
    for (int i = 0; i < 3 * GEMM * (GEMM + 8); i++) x[i] = 1e-3 * (i % 17);
    if (c->here != MPI_UNDEFINED) {
        int calls = 0;
        MPI_Barrier(c->mpi);
        const double began = MPI_Wtime();
        for (; calls == 0 || MPI_Wtime() - began < 0.2; calls++)
            dgemm_("N", "N", &size, &size, &size, &minus, x, &ld, x + GEMM * ld, &ld, &plus, x + 2 * GEMM * ld, &ld);
        rate = 2.0 * GEMM * GEMM * GEMM * calls / (MPI_Wtime() - began);
    }
    free(x);
    sleep_until_all();
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return rate;
}

/* Rates for predictions and choices. Those of level 2 and 3 are scaled to the rate of dgemm here. */
static void set_machine(double seconds_per_flop)
{
    scalay_calibration found = {.host = ""};
    const char *path = getenv("SCALAY_MACHINE");
    machine = scalay_machine_typical();
    if (path != NULL && scalay_calibration_read(path, &found)) stop(path);
    if (path != NULL) machine = found.sample.machine;
    const double slower = seconds_per_flop / machine.seconds_per_flop;
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] *= slower;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) machine.vector_curve[k] *= slower;
    machine.seconds_per_flop = seconds_per_flop;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(contender *list, int count, int repeats, double limit)
{
    double best = INFINITY;
    for (int k = 0; k < count; k++) {
        MPI_Bcast(list[k].time, 64, MPI_DOUBLE, list[k].rank[0], MPI_COMM_WORLD);
        qsort(list[k].time, (size_t)repeats, sizeof(double), compare_doubles);
        if (!list[k].is_own) best = fmin(best, list[k].time[repeats / 2]);
    }
    for (int k = 0; k < count; k++) {
        contender *c = &list[k];
        double all[4 * MAX_RANKS] = {0};
        const scalay_factor_statistics *s = &c->statistics;
        const double own[4] = {1e3 * s->panel_seconds, 1e3 * s->wait_seconds, (double)s->bytes / 1e6, s->balance};
        if (c->here != MPI_UNDEFINED) memcpy(all + 4 * c->here, own, sizeof own);
        MPI_Reduce(me == 0 ? MPI_IN_PLACE : all, all, 4 * MAX_RANKS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (me != 0) continue;
        const double time = c->time[repeats / 2];
        printf("%-24s %8.1f %7.2f %7.2f %8.1f", c->text, 1e3 * time, time / limit, best / time, 1e3 * c->predicted);
        if (c->is_own) printf(" %7.3f |", all[3]);
        for (int r = 0; c->is_own && r < c->count; r++)
            printf(" %.0f,%.0f,%.0f", all[4 * r], all[4 * r + 1], all[4 * r + 2]);
        printf("\n");
    }
}

/* Compares the choice of the library with the best combination that was tried. */
static void report_choice(const contender *list, int count, int repeats)
{
    const contender *best = NULL, *choice = NULL;
    for (int k = 0; k < count; k++) {
        if (list[k].is_choice) choice = &list[k];
        if (list[k].is_own && !list[k].is_choice &&
            (best == NULL || list[k].time[repeats / 2] < best->time[repeats / 2]))
            best = &list[k];
    }
    if (me != 0 || choice == NULL || best == NULL) return;
    printf("choice: nb %d, %s: %.3f of the best that was tried, %s\n", choice->nb,
           choice->panels == SCALAY_PANELS_TOGETHER ? "panels together" : "panels by one process",
           choice->time[repeats / 2] / best->time[repeats / 2], best->text);
}

/* Adds a contender; text is kept. */
static void add(contender *list, int *count, const char *text, const int *core)
{
    if (*count == MAX_CONTENDERS) stop("too many contenders");
    list[*count].text = text;
    read_contender(&list[(*count)++], core);
}

/* Adds the combinations of try:RANKS. */
static void add_tried(contender *list, int *count, const char *ranks, const int *core)
{
    static char text[MAX_CONTENDERS][64];
    static const char *const rules[] = {"one", "together"};
    int processes = 1, used = 0;
    for (const char *c = ranks; *c != '\0'; c++) processes += *c == ',';
    for (int k = 0; scalay_engine_extent(k) > 0; k++)
        for (int kind = 0; kind < 3; kind++) {
            const int groups = kind == 0 ? processes : processes > 2 ? 2 : 1;
            (void)snprintf(text[used], sizeof text[0], "own:%s:%d:%d:%s", ranks, groups, scalay_engine_extent(k),
                           rules[kind == 2]);
            add(list, count, text[used++], core);
        }
    (void)snprintf(text[used], sizeof text[0], "own:%s:0:0", ranks);
    add(list, count, text[used], core);
    list[*count - 1].is_choice = 1;
}

static void tear_down(contender *c)
{
    if (c->here == MPI_UNDEFINED) return;
    scalay_factor_destroy(&c->factor);
    (void)scalay_grid_release(c->comm, &c->ctxt);
    scalay_layout_destroy(&c->layout);
    scalay_comm_destroy(&c->comm);
    MPI_Comm_free(&c->mpi);
    free(c->a);
    free(c->tau);
    free(c->ipiv);
    free(c->work);
}

/* Binds this rank to its core, or reads the speeds of ranks that are not bound. */
static void bind(char *cores, int *core)
{
    char speeds[256] = "";
    cpu_set_t set;
    is_bound = strcmp(cores, "-") != 0;
    if (!is_bound) (void)snprintf(speeds, sizeof speeds, "%s", getenv("SPEEDS") != NULL ? getenv("SPEEDS") : "1");
    char *t = strtok(is_bound ? cores : speeds, ",");
    for (int r = 0; r < world; r++, t = t != NULL ? strtok(NULL, ",") : NULL) {
        core[r] = t != NULL && is_bound ? atoi(t) : 0;
        given_speed[r] = t != NULL ? atof(t) : 1;
    }
    CPU_ZERO(&set);
    CPU_SET((size_t)core[me], &set);
    if (is_bound) (void)sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
    static contender list[MAX_CONTENDERS];
    int core[MAX_RANKS] = {0}, count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (argc < 6 || argc - 5 > MAX_CONTENDERS || world > MAX_RANKS) {
        if (me == 0) printf("usage: bench_factor qr|lu|cholesky N REPEATS CORES CONTENDER...\n");
        MPI_Finalize();
        return argc > 1 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    const scalay_factor_kind kind = argv[1][0] == 'q'   ? SCALAY_FACTOR_QR
                                    : argv[1][0] == 'l' ? SCALAY_FACTOR_LU
                                                        : SCALAY_FACTOR_CHOLESKY;
    const int n = atoi(argv[2]), repeats = atoi(argv[3]);
    if (repeats < 1 || repeats > MAX_REPEATS) stop("REPEATS must be 1 to 64");
    bind(argv[4], core);
    for (int k = 5; k < argc; k++)
        if (strncmp(argv[k], "try:", 4) == 0)
            add_tried(list, &count, argv[k] + 4, core);
        else
            add(list, &count, argv[k], core);
    double rate = dgemm_rate(&list[0]);
    set_machine(list[0].count / rate);
    for (int k = 0; k < count; k++) set_up(&list[k], kind, n);
    for (int round = 0; round < repeats; round++) {
        for (int k = 0; k < count; k++) {
            sleep_until_all();
            run(&list[k], kind, n, round);
        }
        sleep_until_all();
        rate = fmax(rate, dgemm_rate(&list[0]));
    }
    if (me == 0)
        printf("%s n %d: limit %.0f ms (%.1f GF)\n%-24s %8s %7s %7s %8s %7s | per rank: panel ms, wait ms, MB sent\n",
               argv[1], n, 1e3 * flops(kind, n) / rate, rate / 1e9, "contender", "ms", "/limit", "peer/", "model",
               "balance");
    report(list, count, repeats, flops(kind, n) / rate);
    report_choice(list, count, repeats);
    for (int k = 0; k < count; k++) tear_down(&list[k]);
    MPI_Finalize();
    return 0;
}
