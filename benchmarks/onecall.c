/* The one-call routines beside the routines of ScaLAPACK that they replace, on the layout of the caller.
   Each case is a routine, an order n, a grid and a block size. Pairs of calls alternate (ABBA) until the 95% interval
   of the median ratio is within 1% each way, or until the time limit. "first" is the median of first calls on new
   communicators, which plan; the pairs are later calls, whose plans are kept. A ratio above 1 says that our call takes
   longer. Usage: mpirun -n 2 --bind-to core bench_onecall [qr|lu|cholesky|gemm|all] [SECONDS [N[:NB] ...]], where N:NB
   has blocks of NB only.

   With "choice" first, staying, moving and the engine are measured beside their predictions, and the choice of the
   library is compared with them. For products, staying is p?gemm of ScaLAPACK, moving is p?gemm on a 1 x P grid with
   blocks of 64, and the engine is SUMMA on the layout of the caller. The ways alternate until the 95% intervals of the
   ratios that decide are within 1% each way, or until SECONDS have passed for a layout. A wrong move takes more than
   1.03 of staying; a wrong stay takes more than 1.10 of another way. A case is wrong if the whole interval is beyond
   this bar. Run scalay calibrate with the same number of processes before. Before, between and after the rounds of a
   layout, all processes multiply matrices of order 256 and copy 16 MB: medians of the mean Gflop/s and GB/s of a
   process tell a wrong prediction from a machine that has become slower. Usage: mpirun -n 2 --bind-to core
   bench_onecall choice [qr|lu|cholesky|gemm|all] [SECONDS [N[:NB] ...]]

   With "choice fresh", predictions have rates of the machine that are measured eight times for each layout, between its
   rounds: the state of the cores changes within seconds. Predictions are those of the mean rates, and are compared with
   the mean times instead of the medians. */

#include "timing.h"

#include <math.h>
#include <mpi.h>

#include "measure/machine.h"
#include "scalay/scalay.h"

enum { MAX_PAIRS = 2000, MIN_PAIRS = 7, FIRST_CALLS = 7 };

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_gridexit(int ctxt);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *irsrc, const int *icsrc,
               const int *ictxt, const int *lld, int *info);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *tau,
              double *work, const int *lwork, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *ipiv,
              int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *info,
              size_t length);
void pdgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc, size_t length_a, size_t length_b);
void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t length_a, size_t length_b);

static int rank, ranks;
static int wants_fresh_rates; /* 1: all ways but the choice use the machine of their job */

typedef struct {
    const char *routine;
    int n, nprow, npcol, nb;
    int desc[9], lwork;
    int64_t elements;
    scalay_comm *comm;
    scalay_layout *layout;
    const scalay_machine *machine; /* rates of the communicator, or fresh ones; NULL: typical ones */
    const int *wanted;             /* grid and block of a move; NULL: of the library */
    int stays, engine, grid[3];    /* of our last call */
    int settled;                   /* 1: repeated calls go on like it */
    int trial;                     /* 1: it measured another way than the choice */
    scalay_placement placement;
    double predicted; /* seconds of our last call */
    double *given, *a, *b, *c, *tau, *work;
    int *ipiv;
} job;

static double start(job *x)
{
    memcpy(x->a, x->given, (size_t)x->elements * sizeof *x->a);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* Returns the seconds of the slowest rank. */
static double stop(double began)
{
    double seconds = MPI_Wtime() - began;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static double run_scalapack(job *x)
{
    const int one = 1;
    const double unit = 1.0, zero = 0.0;
    int info = 0;
    const double began = start(x);
    if (strcmp(x->routine, "qr") == 0)
        pdgeqrf_(&x->n, &x->n, x->a, &one, &one, x->desc, x->tau, x->work, &x->lwork, &info);
    else if (strcmp(x->routine, "lu") == 0)
        pdgetrf_(&x->n, &x->n, x->a, &one, &one, x->desc, x->ipiv, &info);
    else if (strcmp(x->routine, "cholesky") == 0)
        pdpotrf_("L", &x->n, x->a, &one, &one, x->desc, &info, 1);
    else
        pdgemm_("N", "N", &x->n, &x->n, &x->n, &unit, x->a, &one, &one, x->desc, x->b, &one, &one, x->desc, &zero, x->c,
                &one, &one, x->desc, 1, 1);
    return stop(began);
}

static int is_product(const job *x)
{
    return strcmp(x->routine, "gemm") == 0;
}

/* Sets the grid of a product that moves. */
static void set_grid(const job *x, int grid[3])
{
    grid[0] = 1;
    grid[1] = ranks;
    grid[2] = x->n < 64 * ranks ? (x->n + ranks - 1) / ranks : 64;
}

/* The product in the given placement. */
static double run_product(job *x)
{
    scalay_gemm_options options = scalay_gemm_options_default();
    const scalay_summa_options summa = scalay_summa_options_default();
    scalay_gemm_statistics g = {0};
    set_grid(x, x->grid);
    if (x->placement == SCALAY_PLACEMENT_MOVE) {
        options.nprow = x->grid[0];
        options.npcol = x->grid[1];
        options.nb = x->grid[2];
    }
    if (x->placement == SCALAY_PLACEMENT_ENGINE) options.summa = &summa;
    if (x->placement != SCALAY_PLACEMENT_CHOOSE) options.machine = x->machine;
    const double began = start(x);
    timing_must(scalay_pdgemm(x->comm, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, 1.0, x->layout, x->a, x->layout, x->b,
                              0.0, x->layout, x->c, &options, &g));
    const double seconds = stop(began);
    /* p?gemm counts no elements. */
    MPI_Allreduce(MPI_IN_PLACE, &g.elements_received, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    x->engine = g.elements_received > 0;
    x->stays = !g.moves_a && !g.moves_b && !g.moves_c;
    x->settled = x->engine; /* calls by p?gemm may come before the plan of SUMMA */
    x->predicted = g.predicted_move_seconds + g.predicted_multiply_seconds;
    return seconds;
}

/* Staying: p?gemm of ScaLAPACK. */
static double run_staying_product(job *x)
{
    scalay_gemm_cost cost;
    const double seconds = run_scalapack(x);
    timing_must(scalay_model_gemm(x->machine, SCALAY_DOUBLE, x->n, x->n, x->n, x->nprow, x->npcol, x->nb, NULL, &cost));
    x->predicted = cost.seconds;
    return seconds;
}

static double run_ours(job *x)
{
    int info = 0;
    scalay_one_call_options options = scalay_one_call_options_default();
    scalay_one_call_statistics s = {0};
    if (is_product(x)) return x->placement == SCALAY_PLACEMENT_STAY ? run_staying_product(x) : run_product(x);
    options.placement = x->placement;
    if (wants_fresh_rates && x->placement != SCALAY_PLACEMENT_CHOOSE) options.machine = x->machine;
    if (x->wanted != NULL) {
        options.nprow = x->wanted[0];
        options.npcol = x->wanted[1];
        options.nb = x->wanted[2];
    }
    const double began = start(x);
    if (strcmp(x->routine, "qr") == 0)
        timing_must(scalay_pdgeqrf(x->comm, x->layout, &options, x->a, x->tau, &s));
    else if (strcmp(x->routine, "lu") == 0)
        timing_must(scalay_pdgetrf(x->comm, x->layout, &options, x->a, x->ipiv, &info, &s));
    else
        timing_must(scalay_pdpotrf(x->comm, SCALAY_LOWER, x->layout, &options, x->a, &info, &s));
    const double seconds = stop(began);
    x->stays = s.stays;
    x->engine = s.engine;
    x->settled = s.settled;
    x->trial = s.trial;
    x->grid[0] = s.nprow;
    x->grid[1] = s.npcol;
    x->grid[2] = s.nb;
    x->predicted = s.predicted_move_seconds + s.predicted_kernel_seconds;
    return seconds;
}

static double *numbers(int64_t count)
{
    double *array = malloc((size_t)(count > 0 ? count : 1) * sizeof *array);
    for (int64_t k = 0; k < count; k++) array[k] = rand() / (double)RAND_MAX - 0.5;
    return array;
}

/* Reads the rates of the communicator. */
static void find_machine(job *x)
{
    const scalay_machine_numbers *numbers = NULL;
    timing_must(scalay_machine_numbers_get(x->comm, 0, &numbers));
    x->machine = numbers->source != SCALAY_NUMBERS_NONE ? &numbers->machine : NULL;
}

static void prepare(job *x)
{
    const int zero = 0;
    int ctxt, row, col, info;
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", x->nprow, x->npcol);
    Cblacs_gridinfo(ctxt, &x->nprow, &x->npcol, &row, &col);
    const int rows = numroc_(&x->n, &x->nb, &row, &zero, &x->nprow);
    const int cols = numroc_(&x->n, &x->nb, &col, &zero, &x->npcol), lld = rows > 1 ? rows : 1;
    descinit_(x->desc, &x->n, &x->n, &x->nb, &x->nb, &zero, &zero, &ctxt, &lld, &info);
    x->elements = (int64_t)rows * cols;
    x->lwork = x->nb * (rows + cols + x->nb);
    x->given = numbers(x->elements);
    x->a = numbers(x->elements);
    x->b = numbers(x->elements);
    x->c = numbers(x->elements);
    x->tau = numbers(cols);
    x->work = numbers(x->lwork);
    x->ipiv = malloc((size_t)(rows + x->nb) * sizeof *x->ipiv);
    /* Diagonally dominant: positive definite for Cholesky. LU is to interchange rows. */
    for (int j = 0; j < cols && strcmp(x->routine, "lu") != 0; j++)
        for (int i = 0; i < rows; i++)
            if ((i / x->nb * x->nprow + row) * x->nb + i % x->nb == (j / x->nb * x->npcol + col) * x->nb + j % x->nb)
                x->given[i + (int64_t)j * lld] = x->n;
    timing_must(scalay_comm_create(MPI_COMM_WORLD, &x->comm));
    timing_must(scalay_layout_from_desc(x->comm, x->desc, &x->layout));
}

static void finish(job *x)
{
    scalay_layout_destroy(&x->layout);
    scalay_comm_destroy(&x->comm);
    Cblacs_gridexit(x->desc[1]);
    free(x->ipiv);
    free(x->work);
    free(x->tau);
    free(x->c);
    free(x->b);
    free(x->a);
    free(x->given);
}

/* Order statistics of the 95% interval of a median of `count` sorted values: ranks of a binomial distribution. */
static int interval_of(int count)
{
    const int low = (int)floor(0.5 * (count - 1.96 * sqrt(count)));
    return low > 0 ? low : 0;
}

/* Returns the median ratio of the first calls on new communicators, which plan, to calls of ScaLAPACK. */
static double measure_first(job *x)
{
    double ratio[FIRST_CALLS];
    for (int k = 0; k < FIRST_CALLS; k++) {
        scalay_layout_destroy(&x->layout);
        scalay_comm_destroy(&x->comm);
        timing_must(scalay_comm_create(MPI_COMM_WORLD, &x->comm));
        timing_must(scalay_layout_from_desc(x->comm, x->desc, &x->layout));
        const double theirs = run_scalapack(x);
        ratio[k] = run_ours(x) / theirs;
    }
    return timing_median(ratio, FIRST_CALLS);
}

static void measure(job *x, double limit)
{
    static double theirs[MAX_PAIRS], ours[MAX_PAIRS], ratio[MAX_PAIRS];
    int count = 0, low = 0, ends = 0;
    prepare(x);
    (void)run_scalapack(x);
    const double first = measure_first(x);
    const double began = MPI_Wtime();
    while (count < MAX_PAIRS && !ends) {
        if (count % 2 == 0) theirs[count] = run_scalapack(x);
        ours[count] = run_ours(x);
        if (count % 2 == 1) theirs[count] = run_scalapack(x);
        ratio[count] = ours[count] / theirs[count];
        count++;
        if (count < MIN_PAIRS) continue;
        double sorted[MAX_PAIRS];
        memcpy(sorted, ratio, (size_t)count * sizeof *ratio);
        const double median = timing_median(sorted, count);
        low = interval_of(count);
        ends = (sorted[count - 1 - low] < 1.01 * median && sorted[low] > 0.99 * median) || MPI_Wtime() - began > limit;
        MPI_Bcast(&ends, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    timing_median(ratio, count);
    if (rank == 0)
        printf("%-8s %5d %2d x %-2d %5d %9.3f %9.3f %6.3f  [%.3f, %.3f] %5d %6.3f  %s %d x %d, %d\n", x->routine, x->n,
               x->nprow, x->npcol, x->nb, 1e3 * timing_median(theirs, count), 1e3 * timing_median(ours, count),
               ratio[count / 2], ratio[low], ratio[count - 1 - low], count, first, x->stays ? "stays" : "", x->grid[0],
               x->grid[1], x->grid[2]);
    fflush(stdout);
    finish(x);
}

/* `block`: the only block size; 0: all of them. */
static void measure_layouts(const char *routine, int n, int block, double limit)
{
    const int blocks[] = {1, 8, 32, 64, 128, (n + ranks - 1) / ranks};
    const int tall = ranks >= 4 ? 2 : 1;
    for (int k = 0; k < (int)(sizeof blocks / sizeof *blocks); k++) {
        if (blocks[k] > (n + ranks - 1) / ranks || (block > 0 && blocks[k] != block)) continue;
        job wide = {.routine = routine, .n = n, .nprow = tall, .npcol = ranks / tall, .nb = blocks[k]};
        job column = {.routine = routine, .n = n, .nprow = ranks / tall, .npcol = tall, .nb = blocks[k]};
        measure(&wide, limit);
        if (ranks > 1) measure(&column, limit);
    }
}

/* ------------------------------------------------------------------------------------------------- choices */

enum { MAX_CASES = 64 };

/* Counts of all cases. */
static struct {
    int cases, few, predictions, precise, right, wrong_moves, wrong_stays, large, good;
} counts;

/* Seconds of the cases of one routine and order. */
static struct {
    int count;
    double stay[MAX_CASES], chosen[MAX_CASES];
} order;

static void count_prediction(double predicted, double measured)
{
    counts.predictions++;
    counts.precise += predicted <= 1.3 * measured && measured <= 1.3 * predicted;
}

/* Rates of the machine while a layout is measured: medians of the mean over the processes. */
enum { MULTIPLIED = 256, COPIED = 1 << 21, MAX_RATES = 64 };
/* They are measured between rounds, too, if a move takes at least so many seconds. */
#define LONG_WAY 0.02

static struct {
    int count;
    double *memory; /* shape [2 * COPIED] */
    double flops[MAX_RATES], bytes[MAX_RATES];
} rates;

/* Adds a value of both rates. */
static void measure_rates(void)
{
    const int n = MULTIPLIED;
    const double one = 1.0, zero = 0.0;
    double seconds[2];
    if (rates.memory == NULL) rates.memory = numbers(2 * COPIED);
    if (rates.count == MAX_RATES) return;
    double *c = rates.memory + 2 * n * n;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int warm = 1; warm >= 0; warm--) {
        const double began = MPI_Wtime();
        dgemm_("N", "N", &n, &n, &n, &one, rates.memory, &n, rates.memory + n * n, &n, &zero, c, &n, 1, 1);
        seconds[0] = MPI_Wtime() - began;
    }
    const double began = MPI_Wtime();
    memcpy(rates.memory + COPIED, rates.memory, COPIED * sizeof *rates.memory);
    seconds[1] = MPI_Wtime() - began;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    rates.flops[rates.count] = 2.0 * n * n * n * ranks / seconds[0];
    rates.bytes[rates.count++] = (double)(COPIED * sizeof *rates.memory) * ranks / seconds[1];
}

/* Ways to compute: staying, moving to a grid, the engine, and the choice of repeated calls. */
enum { STAY, MOVE, ENGINE, CHOSEN, WAYS };
static const scalay_placement placement_of[WAYS] = {SCALAY_PLACEMENT_STAY, SCALAY_PLACEMENT_MOVE,
                                                    SCALAY_PLACEMENT_ENGINE, SCALAY_PLACEMENT_CHOOSE};

typedef struct {
    double seconds[WAYS][MAX_PAIRS], predicted[WAYS], median[WAYS];
    double compared[WAYS]; /* with the prediction: the median, or with fresh rates the mean */
    int grid[3], count;
} ways;

/* The 95% interval of the median of a ratio. */
typedef struct {
    double low, median, high;
} interval;

/* Ratios of the seconds of two ways, round by round. The first round plans. */
static interval ratio_of(const ways *w, int of, int by)
{
    double ratio[MAX_PAIRS];
    const int count = w->count - 1, low = interval_of(count);
    for (int k = 0; k < count; k++) ratio[k] = w->seconds[of][k + 1] / w->seconds[by][k + 1];
    const double median = timing_median(ratio, count);
    return (interval){ratio[low], median, ratio[count - 1 - low]};
}

/* Returns the ratio that decides: of the choice to staying, or of staying to the way that is better by most. */
static interval deciding_ratio(const ways *w, int stays)
{
    if (!stays) return ratio_of(w, CHOSEN, STAY);
    const interval move = ratio_of(w, STAY, MOVE), engine = ratio_of(w, STAY, ENGINE);
    return move.low > engine.low ? move : engine;
}

static int is_precise(interval ratio)
{
    return ratio.high < 1.01 * ratio.median && ratio.low > 0.99 * ratio.median;
}

static void run_way(job *x, int way, int stays, ways *w)
{
    if (way == CHOSEN && stays) return;
    x->placement = placement_of[way];
    w->seconds[way][w->count] = run_ours(x);
    w->predicted[way] = x->predicted;
    if (way == MOVE) memcpy(w->grid, x->grid, sizeof w->grid);
}

/* Alternates between the ways: forwards and backwards in turn. Adds rounds, at least `least`. */
static void run_ways(job *x, double limit, int least, int stays, ways *w)
{
    const double began = MPI_Wtime();
    const int first = w->count;
    for (int ends = 0; !ends && w->count < MAX_PAIRS;) {
        for (int k = STAY; k < WAYS; k++) run_way(x, w->count % 2 == 0 ? k : CHOSEN - k, stays, w);
        if (stays) w->seconds[CHOSEN][w->count] = w->seconds[STAY][w->count];
        w->count++;
        if (w->seconds[MOVE][w->count - 1] >= LONG_WAY) measure_rates();
        if (w->count - first >= least) ends = MPI_Wtime() - began > limit;
        if (w->count > MIN_PAIRS && !wants_fresh_rates) ends = ends || is_precise(deciding_ratio(w, stays));
        MPI_Bcast(&ends, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* Returns the mean of sorted values without the least and the largest ones, one in ten each, and at least one of five.
 */
static double mean_of_most(const double *sorted, int count)
{
    const int left_out = count >= 5 ? (count + 9) / 10 : 0;
    double sum = 0.0;
    for (int k = left_out; k < count - left_out; k++) sum += sorted[k];
    return sum / (count - 2 * left_out);
}

/* The first round plans. */
static void find_means(ways *w)
{
    double sorted[MAX_PAIRS];
    for (int way = STAY; way < WAYS; way++) {
        memcpy(sorted, w->seconds[way] + 1, (size_t)(w->count - 1) * sizeof *sorted);
        w->median[way] = timing_median(sorted, w->count - 1);
        w->compared[way] = wants_fresh_rates ? mean_of_most(sorted, w->count - 1) : w->median[way];
    }
}

/* Counts a choice, and returns what is wrong about it. */
static const char *count_choice(const ways *w, int stays, interval ratio)
{
    /* Fewer than 6 values have no 95% interval of their median. */
    const int is_known = w->count - 1 >= 6;
    const int wrong_stay = is_known && stays && ratio.low > 1.10;
    const int wrong_move = is_known && !stays && ratio.low > 1.03;
    counts.few += !is_known;
    counts.cases++;
    counts.wrong_stays += wrong_stay;
    counts.wrong_moves += wrong_move;
    counts.right = counts.cases - counts.wrong_stays - counts.wrong_moves;
    order.stay[order.count] = w->median[STAY];
    order.chosen[order.count++] = w->median[CHOSEN];
    return wrong_stay || wrong_move ? "WRONG" : "";
}

/* `calls`: until the choice was settled; negative: it was not. */
static void print_choice(const job *x, const ways *w, const char *choice, int calls, interval ratio, const char *wrong)
{
    if (rank != 0) return;
    printf("%-8s %5d %2d x %-2d %5d", x->routine, x->n, x->nprow, x->npcol, x->nb);
    for (int way = STAY; way < CHOSEN; way++)
        printf(" %9.3f %5.2f", 1e3 * w->compared[way], w->predicted[way] / w->compared[way]);
    printf(" %9.3f  %5.3f [%.3f, %.3f] %4d %5.1f %5.1f  %-6s %5d%s %s %d x %d, %d\n", 1e3 * w->median[CHOSEN],
           ratio.median, ratio.low, ratio.high, w->count - 1, 1e-9 * timing_median(rates.flops, rates.count),
           1e-9 * timing_median(rates.bytes, rates.count), choice, abs(calls), calls > 0 ? "" : "+", wrong, w->grid[0],
           w->grid[1], w->grid[2]);
    fflush(stdout);
}

/* A move or the engine is planned as soon as the plan is worth it, and ways are compared when that is cheap, so the
 * choice of the last call that is no trial counts: when it is settled, or after six seconds more than the time limit.
 * Returns the calls. */
static int settle(job *x, double limit)
{
    const int calls = x->n <= 256 ? 300 : 20;
    double seconds = 0.0;
    int call = 0;
    x->placement = SCALAY_PLACEMENT_CHOOSE;
    x->settled = 0;
    x->trial = 0;
    while (((call < calls || !x->settled) && (call < 3 || seconds < (x->settled ? 0.25 * limit : limit + 6.0))) ||
           x->trial) {
        seconds += run_ours(x);
        call++;
    }
    return call;
}

/* Runs the rounds of a layout. */
static void run_rounds(job *x, double limit, int stays, ways *w)
{
    measure_rates();
    run_ways(x, limit, 3, stays, w);
    measure_rates();
}

/* Predicts the seconds of the ways that were measured. */
static void predict_ways(job *x, ways *w)
{
    for (int way = STAY; way < CHOSEN; way++) {
        x->placement = placement_of[way];
        x->wanted = way == MOVE ? w->grid : NULL;
        (void)run_ours(x);
        w->predicted[way] = x->predicted;
    }
    x->wanted = NULL;
}

/* Measurements of fresh rates, and seconds of each. */
enum { FRESH_TAKES = SCALAY_MAX_TAKES };
#define FRESH_SECONDS 0.25

/* Runs the rounds of a layout between measurements of the machine, and predicts with all of these. */
static void run_with_fresh_rates(job *x, double limit, int stays, ways *w)
{
    static scalay_machine_sample take[FRESH_TAKES], joined;
    const scalay_machine *kept = x->machine;
    for (int k = 0; k < FRESH_TAKES; k++) {
        timing_must(scalay_machine_sample_measure(x->comm, FRESH_SECONDS, &take[k]));
        measure_rates();
        run_ways(x, limit / FRESH_TAKES, k == 0 ? 2 : 1, stays, w);
    }
    scalay_machine_sample_join(take, FRESH_TAKES, &joined);
    x->machine = &joined.machine;
    predict_ways(x, w);
    x->machine = kept;
}

/* Staying, moving and the engine, alternately, and the choice of repeated calls. */
static void measure_choice(job *x, double limit)
{
    static ways w;
    w.count = 0;
    rates.count = 0;
    prepare(x);
    find_machine(x);
    const int calls = settle(x, limit);
    const char *choice = x->engine ? "engine" : x->stays ? "stay" : "move";
    const int stays = x->stays && !x->engine, settled = x->settled;
    if (wants_fresh_rates)
        run_with_fresh_rates(x, limit, stays, &w);
    else
        run_rounds(x, limit, stays, &w);
    find_means(&w);
    const interval ratio = deciding_ratio(&w, stays);
    for (int way = STAY; way < CHOSEN; way++) count_prediction(w.predicted[way], w.compared[way]);
    print_choice(x, &w, choice, settled ? calls : -calls, ratio, count_choice(&w, stays, ratio));
    finish(x);
}

static void measure_choices(const char *routine, int n, int block, double limit)
{
    const int blocks[] = {1, 4, 8, 16, 32, 64, 128, 256, (n + ranks - 1) / ranks};
    double best = HUGE_VAL, worst = 0.0;
    order.count = 0;
    for (int k = 0; k < (int)(sizeof blocks / sizeof *blocks); k++) {
        if ((k < 8 && blocks[k] >= (n + ranks - 1) / ranks) || (block > 0 && blocks[k] != block)) continue;
        for (int nprow = 1; nprow <= ranks; nprow++) {
            if (ranks % nprow != 0) continue;
            job x = {.routine = routine, .n = n, .nprow = nprow, .npcol = ranks / nprow, .nb = blocks[k]};
            measure_choice(&x, limit);
        }
    }
    for (int k = 0; k < order.count; k++) best = fmin(best, order.stay[k]);
    for (int k = 0; k < order.count; k++) {
        counts.large += n >= 1024;
        counts.good += n >= 1024 && order.chosen[k] <= 1.15 * best;
        worst = fmax(worst, order.chosen[k] / best);
    }
    if (rank == 0)
        printf("%-8s %5d: best grid and block %.3f ms; the choices take up to %.2f of it\n", routine, n, 1e3 * best,
               worst);
}

static void print_counts(void)
{
    if (rank != 0) return;
    printf("\n%d choices: %d right (%.1f%%), %d wrong moves (above 1.03 of staying), %d wrong stays (above 1.10 of "
           "moving)\n",
           counts.cases, counts.right, 100.0 * counts.right / counts.cases, counts.wrong_moves, counts.wrong_stays);
    if (counts.few > 0) printf("%d choices have fewer than 6 runs, and count as right\n", counts.few);
    printf("%d predictions: %d within 30%% of the measurement (%.1f%%)\n", counts.predictions, counts.precise,
           100.0 * counts.precise / counts.predictions);
    if (counts.large > 0)
        printf("%d choices at n >= 1024: %d within 1.15 of the best grid and block tried\n", counts.large, counts.good);
}

/* Returns NB of N:NB; 0: all blocks. */
static int block_of(const char *size)
{
    const char *colon = strchr(size, ':');
    return colon != NULL ? atoi(colon + 1) : 0;
}

int main(int argc, char **argv)
{
    const char *const routines[] = {"qr", "lu", "cholesky", "gemm"};
    void (*run)(const char *, int, int, double) = measure_layouts;
    const int usual[] = {64, 128, 256, 512, 1024, 2048};
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &ranks);
    if (argc > 1 && argv[1][0] == '-') {
        if (rank == 0)
            printf("usage: mpirun -n 2 %s [choice [fresh]] [qr|lu|cholesky|gemm|all] [SECONDS [N[:NB] ...]]\n",
                   argv[0]);
        MPI_Finalize();
        return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    if (argc > 1 && strcmp(argv[1], "choice") == 0) {
        run = measure_choices;
        argc--;
        argv++;
    }
    if (run == measure_choices && argc > 1 && strcmp(argv[1], "fresh") == 0) {
        wants_fresh_rates = 1;
        argc--;
        argv++;
    }
    const char *routine = argc > 1 ? argv[1] : "all";
    const double limit = argc > 2 ? atof(argv[2]) : 60.0;
    if (rank == 0 && run == measure_choices)
        printf("%-8s %5s %-7s %5s %9s %5s %9s %5s %9s %5s %9s  %5s %-14s %4s %5s %5s  %s\n", "routine", "n", "grid",
               "nb", "stay ms", "pred.", "move ms", "pred.", "eng. ms", "pred.", "taken ms", "ratio", "95% interval",
               "runs", "Gf/s", "GB/s", "choice, grid and block of the move");
    else if (rank == 0)
        printf("%-8s %5s %-7s %5s %9s %9s %6s  %-14s %5s %6s  %s\n", "routine", "n", "grid", "nb", "theirs ms",
               "ours ms", "ratio", "95% interval", "pairs", "first", "chosen grid and block");
    for (int r = 0; r < 4; r++) {
        if (strcmp(routine, "all") != 0 && strcmp(routine, routines[r]) != 0) continue;
        for (int k = 3; k < argc; k++) run(routines[r], atoi(argv[k]), block_of(argv[k]), limit);
        for (int k = 0; argc <= 3 && k < 6; k++) run(routines[r], usual[k], 0, limit);
    }
    if (run == measure_choices) print_counts();
    MPI_Finalize();
    return 0;
}
