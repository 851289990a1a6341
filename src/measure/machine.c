/*
 * The rates of the machine: scalay_machine_measure(), scalay_machine_cores().
 *
 * Rates are measured in passes. A pass has a window for each rate that is not precise yet; so a disturbance affects one
 * window of each rate. In a window all ranks repeat an operation, and its value is the mean over the ranks. Passes are
 * added until Student's t distribution says that the means are precise, or until the time limit.
 *
 * On shared hardware, the speed of a core depends on what others do: a small call of the BLAS takes 1.8 times as long
 * while the other thread of the core is busy, and this changes within seconds. Programs run in this mixture, so the
 * rate is the mean of the middle half of its windows, and the precision is that of this mean. A window counts at most
 * the processor time of its rank times the ranks per processor, so that the time slices of other programs on this
 * system do not count. Their part of a processor is reported.
 *
 * A measurement has several takes, one after the other, and a rate is the mean of the middle half of the takes.
 * Links are measured by links.c.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "measure/machine.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "measure/blas.h"
#include "measure/repeat.h"
#include "measure/sample.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "parallel/grid.h"
#include "parallel/node.h"
#include "parallel/scalapack.h"
#include "scalay/measure.h"

/* ----------------------------------------------------------------------------------------------- cores of the ranks */

/* Returns the processors that the ranks have together, at most one per rank; the same on all ranks. Collective. */
static scalay_status count_concurrent(scalay_comm *comm, int64_t *concurrent)
{
    scalay_status status = SCALAY_SUCCESS;
    double all = 0.0;
    SCALAY_TRY(scalay_node_probe(comm));
    const double mine = fmin(1.0, scalay_node_share(comm->node));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm->mpi));
    *concurrent = (int64_t)fmax(1.0, round(all));
cleanup:
    return status;
}

scalay_status scalay_machine_cores(scalay_comm *comm, int *core)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_check_not_null(core, __func__, "core")));
    SCALAY_TRY(scalay_node_probe(comm));
    const scalay_node *node = comm->node;
    const scalay_member *me = &node->members[node->rank];
    int first = node->rank;
    for (int k = node->size - 1; k >= 0 && me->processors == 1; k--)
        if (node->members[k].processor_set == me->processor_set) first = k;
    const int mine = node->ranks[first];
    SCALAY_TRY_MPI(MPI_Allgather(&mine, 1, MPI_INT, core, 1, MPI_INT, comm->mpi));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- windows */

enum { MIN_WINDOWS = 3 };
#define CONFIDENCE 0.95
#define PRECISION 0.025
/* A window of ranks that share processors holds many of their time slices. */
#define WINDOW 0.01
#define SHARED_WINDOW 0.1
/* Below this, ranks that share processors are not started together, which takes longer than the window. */
#define SHORT_WINDOW 0.015

/* The middle half of the windows, at least MIN_WINDOWS if there are so many. */
typedef struct {
    double value[SCALAY_MAX_WINDOWS], mean;
    int count;
} middle_half;

static middle_half middle_of(const scalay_windows *w)
{
    middle_half half = {.count = (int)scalay_min_int64(w->count, scalay_max_int64(MIN_WINDOWS, (w->count + 1) / 2))};
    double sorted[SCALAY_MAX_WINDOWS];
    memcpy(sorted, w->value, (size_t)w->count * sizeof *sorted);
    qsort(sorted, (size_t)w->count, sizeof *sorted, scalay_compare_doubles);
    memcpy(half.value, sorted + (w->count - half.count) / 2, (size_t)half.count * sizeof *sorted);
    for (int k = 0; k < half.count; k++) half.mean += half.value[k] / half.count;
    return half;
}

double scalay_windows_value(const scalay_windows *w)
{
    return middle_of(w).mean;
}

double scalay_windows_spread(const scalay_windows *w)
{
    double squares = 0.0;
    if (w->count < 2) return 1.0;
    const middle_half half = middle_of(w);
    for (int k = 0; k < half.count; k++) squares += (half.value[k] - half.mean) * (half.value[k] - half.mean);
    const double error = sqrt(squares / (half.count - 1) / half.count);
    return half.mean > 0.0 ? scalay_student_two_sided(CONFIDENCE, half.count - 1) * error / half.mean : 0.0;
}

int scalay_windows_are_precise(const scalay_windows *w)
{
    return w->count == SCALAY_MAX_WINDOWS || (w->count >= MIN_WINDOWS && scalay_windows_spread(w) <= PRECISION);
}

/* ---------------------------------------------------------------------------------------------- rates of a rank */

/* Blocks of 256 have the full rate of level 3. Scratch memory of 32 MB exceeds the caches of a process, and 16 MB are
 * copied within it. Rates near the size of a cache differ from minute to minute, as other programs share it: with
 * sources of 8 MB, two processes have 32 MB, and copied at 9 to 26 GB/s where a cache of 32 MB is shared. */
enum { SQUARE = 256, LONG = 2048, STRIP = 64, PADDING = 8 };
enum { HALF = LONG * (1024 + PADDING), SCRATCH = 2 * HALF, VECTORS = 2 * LONG };
/* Elements of the smallest matrices of the curves, and of the largest one of level 2. */
enum { SMALLEST = 2048, LARGEST = 2 * LONG * 1024 };
/* Rows of a panel, and of the smallest matrix whose rows are exchanged. The largest one has 16 MB. */
enum { SWAPPED = 64 };
/* Order of factorisations that hardly compute, and their number of calls in the model: 167, and as many as what they
 * compute takes (docs/benchmarks-onecall.md). */
enum { SMALL = 16, SMALL_CALLS = 180 };
/* Extents of C in the curve of level 3, and the largest rank for which C is to fit into a cache of one core. */
enum { UPDATED = 512, NARROW = 32 };

/* One execution of an operation on the scratch memory. Returns the number of flops or bytes. */
typedef double (*operation)(const scalay_measurement *m, int argument);

static double multiply(const scalay_measurement *m, int argument)
{
    const int n = SQUARE;
    const double one = 1.0, zero = 0.0;
    (void)argument;
    dgemm_("N", "N", &n, &n, &n, &one, m->from, &n, m->from + n * n, &n, &zero, m->to, &n, 1, 1);
    return 2.0 * n * (double)n * n;
}

/* Update of rank k, as in the steps of a product or a factorisation. With small k the speed depends on the memory.
 * Models add passes over a large C, so C is in a cache here. */
static double update(const scalay_measurement *m, int k)
{
    const int rows = k <= NARROW ? UPDATED / 2 : UPDATED, cols = rows;
    const double one = 1.0;
    dgemm_("N", "N", &rows, &cols, &k, &one, m->from, &rows, m->from + HALF / 2, &k, &one, m->to, &rows, 1, 1);
    return 2.0 * rows * (double)cols * k;
}

/* Product of a matrix of `elements` and a vector. */
static double multiply_vector(const scalay_measurement *m, int elements)
{
    const int step = 1, rows = (int)scalay_min_int64(LONG, elements / 16), cols = elements / rows;
    const double one = 1.0, zero = 0.0;
    dgemv_("T", &rows, &cols, &one, m->from, &rows, m->vectors, &step, &zero, m->vectors + rows, &step, 1);
    return 2.0 * elements;
}

/* Packs strips of the columns of a matrix of `elements`, as a redistribution does. Its columns do not begin at
 * multiples of a power of two, which caches would evict. */
static double pack(const scalay_measurement *m, int elements)
{
    const int rows = (int)scalay_min_int64(LONG, elements / 16), cols = elements / rows;
    double *to = m->to;
    for (int strip = 0; strip < rows / STRIP; strip++)
        for (int col = 0; col < cols; col++) {
            memcpy(to, m->from + strip * STRIP + (size_t)col * (size_t)(rows + PADDING), STRIP * sizeof *to);
            to += STRIP;
        }
    return (double)sizeof *to * elements;
}

/* Exchanges rows of a matrix with so many rows and half as many columns, as pivoting does with the SWAPPED rows of a
 * panel: rows that follow each other, and rows of the whole matrix. The distance of the columns is a power of two, so
 * their elements compete for few sets of the caches. */
static double swap_rows(const scalay_measurement *m, int rows)
{
    const int cols = rows / 2;
    uint32_t random = 1;
    for (int row = 0; row < SWAPPED; row++) {
        random = random * 1664525u + 1013904223u;
        dswap_(&cols, m->to + row, &rows, m->to + (random >> 8) % (uint32_t)rows, &rows);
    }
    return (double)SWAPPED * cols;
}

/* QR, LU and Cholesky by ScaLAPACK on this process. LU has interchanges. Returns the number of calls. */
static double factor_small(const scalay_measurement *m, int order)
{
    const int desc[] = {1, m->own_grid, order, order, order, order, 0, 0, order}, one = 1, lwork = 3 * SMALL * SMALL;
    double a[SMALL * SMALL], tau[SMALL], work[3 * SMALL * SMALL];
    int pivots[2 * SMALL], info = 0;
    memcpy(a, m->small, sizeof a);
    pdgeqrf_(&order, &order, a, &one, &one, desc, tau, work, &lwork, &info);
    memcpy(a, m->small, sizeof a);
    pdpotrf_("L", &order, a, &one, &one, desc, &info, 1);
    memcpy(a, m->small, sizeof a);
    for (int k = 0; k < order; k++) a[k * (order + 1)] -= order;
    pdgetrf_(&order, &order, a, &one, &one, desc, pivots, &info);
    return SMALL_CALLS;
}

static double processor_seconds(void)
{
    struct timespec used;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 ? (double)used.tv_sec + 1e-9 * (double)used.tv_nsec
                                                               : 0.0;
}

/* Sets seconds to the mean of one execution's flop or byte in one window, without the time slices of other programs. */
static void run_window(scalay_measurement *m, operation once, int argument, double *seconds)
{
    double count = 0.0, now = 0.0;
    const double used = processor_seconds(), start = MPI_Wtime();
    do {
        count += once(m, argument);
        now = MPI_Wtime();
    } while (now - start < m->window);
    const double ranks = fmax(1.0, m->oversubscription), mine = processor_seconds() - used;
    *seconds = (mine > 0.0 ? fmin(now - start, mine * ranks) : now - start) / count;
    m->used += mine;
    m->expected += (now - start) / ranks;
}

/* A rate of a rank: seconds per flop or byte with all ranks at work. */
typedef struct {
    operation once;
    int argument;
    double *seconds; /* receives the rate */
    double *spread;  /* receives its precision */
    scalay_windows windows;
} rank_rate;

enum { RANK_RATES = 3 + SCALAY_GEMM_CURVE + SCALAY_VECTOR_CURVE + SCALAY_COPY_CURVE + SCALAY_SWAP_CURVE };

static void list_rates(scalay_machine_sample *sample, rank_rate rate[RANK_RATES])
{
    scalay_machine *found = &sample->machine;
    double *spread = sample->spread;
    int count = 0;
    rate[count++] = (rank_rate){multiply, 0, &found->seconds_per_flop, &spread[SCALAY_RATE_FLOP], {0}};
    rate[count++] =
        (rank_rate){multiply_vector, LARGEST, &found->seconds_per_flop_vector, &spread[SCALAY_RATE_FLOP_VECTOR], {0}};
    rate[count++] = (rank_rate){factor_small, SMALL, &found->seconds_per_call, &spread[SCALAY_RATE_CALL], {0}};
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++)
        rate[count++] = (rank_rate){update, 1 << k, &found->gemm_curve[k], &sample->gemm_spread[k], {0}};
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++)
        rate[count++] =
            (rank_rate){multiply_vector, SMALLEST << (2 * k), &found->vector_curve[k], &sample->vector_spread[k], {0}};
    for (int k = 0; k < SCALAY_COPY_CURVE; k++)
        rate[count++] = (rank_rate){pack, SMALLEST << (2 * k), &found->copy_curve[k], &sample->copy_spread[k], {0}};
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++)
        rate[count++] = (rank_rate){swap_rows, SWAPPED << k, &found->swap_curve[k], &sample->swap_spread[k], {0}};
}

/* Seconds per flop of level 3 on the nodes of each type: minimum over the passes of the mean over the ranks. */
typedef struct {
    double seconds[SCALAY_NODE_TYPES];
} type_rates;

/* Adds a pass of level 3, of which this rank took `mine`; 0: it took none. Collective. */
static scalay_status add_types(const scalay_measurement *m, double mine, type_rates *types)
{
    scalay_status status = SCALAY_SUCCESS;
    double part[2][SCALAY_NODE_TYPES] = {{0.0}}, all[2][SCALAY_NODE_TYPES] = {{0.0}};
    const scalay_node *node = m->comm->node;
    if (node->types < 2 || mine == 0.0) return SCALAY_SUCCESS;
    part[0][node->type] = mine;
    part[1][node->type] = 1.0;
    SCALAY_TRY_MPI(MPI_Allreduce(part, all, 2 * SCALAY_NODE_TYPES, MPI_DOUBLE, MPI_SUM, m->comm->mpi));
    for (int t = 0; t < node->types; t++) {
        const double seconds = all[0][t] / all[1][t];
        if (types->seconds[t] == 0.0 || seconds < types->seconds[t]) types->seconds[t] = seconds;
    }
cleanup:
    return status;
}

/* Adds a window to each rate that is not precise. Returns 1 in `is_done` if there is no such rate, or if the time limit
 * is over. Collective. */
static scalay_status measure_pass(scalay_measurement *m, rank_rate rate[RANK_RATES], double start, type_rates *types,
                                  int *is_done)
{
    scalay_status status = SCALAY_SUCCESS;
    double mine[RANK_RATES + 1] = {0.0}, all[RANK_RATES + 1] = {0.0};
    for (int k = 0; k < RANK_RATES; k++) {
        if (scalay_windows_are_precise(&rate[k].windows)) continue;
        if (rate[k].windows.count == 0) (void)rate[k].once(m, rate[k].argument);
        SCALAY_TRY(scalay_begin_together(m->comm, m->together, 0));
        run_window(m, rate[k].once, rate[k].argument, &mine[k]);
    }
    SCALAY_TRY(add_types(m, mine[0], types));
    /* Only the clock of rank 0 decides. */
    mine[RANK_RATES] = m->comm->rank == 0 ? MPI_Wtime() - start : 0.0;
    SCALAY_TRY_MPI(MPI_Allreduce(mine, all, RANK_RATES + 1, MPI_DOUBLE, MPI_SUM, m->comm->mpi));
    *is_done = 1;
    for (int k = 0; k < RANK_RATES; k++) {
        scalay_windows *w = &rate[k].windows;
        if (!scalay_windows_are_precise(w)) w->value[w->count++] = all[k] / m->comm->size;
        if (!scalay_windows_are_precise(w) && all[RANK_RATES] < m->rates_seconds) *is_done = 0;
    }
cleanup:
    return status;
}

static scalay_status measure_rates(scalay_measurement *m, scalay_machine_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    rank_rate rate[RANK_RATES];
    const double start = MPI_Wtime();
    type_rates types = {{0.0}};
    list_rates(sample, rate);
    for (int is_done = 0; !is_done;) SCALAY_TRY(measure_pass(m, rate, start, &types, &is_done));
    for (int k = 0; k < RANK_RATES; k++) {
        *rate[k].seconds = scalay_windows_value(&rate[k].windows);
        *rate[k].spread = scalay_windows_spread(&rate[k].windows);
    }
    sample->machine.seconds_per_byte_copied = sample->machine.copy_curve[SCALAY_COPY_CURVE - 1];
    sample->spread[SCALAY_RATE_BYTE_COPIED] = sample->copy_spread[SCALAY_COPY_CURVE - 1];
    scalay_machine_sample_smooth(sample);
    if (m->comm->node->types < 2) types.seconds[0] = sample->machine.seconds_per_flop;
    memcpy(sample->machine.type_seconds_per_flop, types.seconds, sizeof types.seconds);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------- ranks that share cores */

/* A panel that is passed on exceeds MPI's eager limit. Products per panel take longer than the panel. */
enum { PANEL = 32768, PIECE = 3, RING_WINDOWS = 6 };

/* Measures the seconds of level 3 of rank 0 while the others wait in MPI, over those of all at work. A waiting rank
 * polls; the fraction includes that. Collective. */
static scalay_status measure_solo(scalay_measurement *m, double all_at_work, double *ratio)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_windows w = {0};
    double fraction = 1.0;
    SCALAY_TRY_MPI(MPI_Barrier(m->comm->mpi));
    if (m->comm->rank == 0) {
        for (; w.count < MIN_WINDOWS; w.count++) run_window(m, multiply, 0, &w.value[w.count]);
        fraction = fmin(1.0, scalay_windows_value(&w) / all_at_work);
    }
    SCALAY_TRY_MPI(MPI_Bcast(&fraction, 1, MPI_DOUBLE, 0, m->comm->mpi));
    *ratio = fraction;
cleanup:
    return status;
}

/* A panel goes from rank to rank, starting at the root. */
static scalay_status pass_round(scalay_comm *comm, double *panel, int root, int tag)
{
    scalay_status status = SCALAY_SUCCESS;
    const int before = (comm->rank + comm->size - 1) % comm->size, after = (comm->rank + 1) % comm->size;
    if (comm->rank != root)
        SCALAY_TRY_MPI(MPI_Recv(panel, PANEL, MPI_DOUBLE, before, tag, comm->mpi, MPI_STATUS_IGNORE));
    if (after != root) SCALAY_TRY_MPI(MPI_Send(panel, PANEL, MPI_DOUBLE, after, tag, comm->mpi));
cleanup:
    return status;
}

/* Seconds of a round in which a panel goes round all ranks and each rank computes. Collective. */
static scalay_status run_rounds(scalay_measurement *m, int rounds, int tag, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = m->comm;
    double *panel = m->to + HALF - PANEL;
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    const double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        SCALAY_TRY(pass_round(comm, panel, round % comm->size, tag));
        for (int k = 0; k < PIECE; k++) (void)multiply(m, 0);
    }
    SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
    *seconds = (MPI_Wtime() - start) / rounds;
    SCALAY_TRY_MPI(MPI_Bcast(seconds, 1, MPI_DOUBLE, 0, comm->mpi));
cleanup:
    return status;
}

/* Measures the factor by which computing takes longer if a panel goes round all ranks before each piece of work, each
 * rank being the root in turn. Ranks that share cores lose the time in which the next rank does not run. Collective. */
static scalay_status measure_ring(scalay_measurement *m, double all_at_work, double *factor)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_comm *comm = m->comm;
    scalay_windows w = {0};
    const double piece = all_at_work * PIECE * 2.0 * SQUARE * (double)SQUARE * SQUARE;
    const double seconds = m->rate_seconds / RING_WINDOWS;
    const int turns = (int)scalay_min_int64(100, (int64_t)ceil(seconds / piece / comm->size));
    const int rounds = comm->size * turns, tag = scalay_comm_tag(comm);
    for (; w.count < RING_WINDOWS && !scalay_windows_are_precise(&w); w.count++)
        SCALAY_TRY(run_rounds(m, rounds, tag, &w.value[w.count]));
    *factor = fmax(1.0, scalay_windows_value(&w) / piece);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ all of them */

/* A measurement has as many takes as its time limit allows. */
#define TAKE_SECONDS 1.5

/* Shares of the time limit: rates of a rank, solo and ring, links. */
enum { RATES_SHARES = 24, SHARES = RATES_SHARES + 2 + SCALAY_LINK_SHARES };

const char *scalay_rate_name(int rate)
{
    static const char *const names[] = {
        [SCALAY_RATE_FLOP] = "seconds_per_flop",
        [SCALAY_RATE_FLOP_VECTOR] = "seconds_per_flop_vector",
        [SCALAY_RATE_BYTE_COPIED] = "seconds_per_byte_copied",
        [SCALAY_RATE_BYTE] = "seconds_per_byte",
        [SCALAY_RATE_MESSAGE] = "seconds_per_message",
        [SCALAY_RATE_BYTE_WITHIN] = "seconds_per_byte_within",
        [SCALAY_RATE_MESSAGE_WITHIN] = "seconds_per_message_within",
        [SCALAY_RATE_LARGE_MESSAGE] = "seconds_per_large_message",
        [SCALAY_RATE_BYTE_ALONE] = "seconds_per_byte_alone",
        [SCALAY_RATE_CALL] = "seconds_per_call",
    };
    return names[rate];
}

/* Sets the largest fraction of a processor that a rank did not get. Collective. */
static scalay_status find_busy(scalay_measurement *m, double *busy)
{
    scalay_status status = SCALAY_SUCCESS;
    const double mine = fmax(0.0, 1.0 - m->used / m->expected);
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, busy, 1, MPI_DOUBLE, MPI_MAX, m->comm->mpi));
    m->sends_to_itself = *busy > SCALAY_BUSY && m->oversubscription <= 1.0 && m->comm->node->size == m->comm->size;
cleanup:
    return status;
}

static scalay_status measure_all(scalay_measurement *m, scalay_machine_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_machine *found = &sample->machine;
    SCALAY_TRY(count_concurrent(m->comm, &found->concurrent_processes));
    SCALAY_TRY(measure_rates(m, sample));
    SCALAY_TRY(find_busy(m, &sample->busy));
    SCALAY_TRY(measure_solo(m, found->seconds_per_flop, &found->solo_time_ratio));
    SCALAY_TRY(measure_ring(m, found->seconds_per_flop, &found->ring_slowdown));
    SCALAY_TRY(scalay_measure_links(m, sample));
    /* On a busy machine, all rounds are wrong alike. */
    const int has_nodes = found->seconds_per_byte_alone > 0.0;
    const int last = has_nodes ? SCALAY_RATE_BYTE_ALONE : SCALAY_RATE_LARGE_MESSAGE;
    for (int rate = SCALAY_RATE_BYTE; rate <= last && sample->busy > SCALAY_BUSY; rate++)
        sample->spread[rate] = fmax(sample->spread[rate], sample->busy);
    sample->measurements = 1;
    found->processes = m->comm->size;
cleanup:
    return status;
}

/* Sets the numbers of the machine at a position to the means of the middle half of the takes in which they are known.
 */
static void join_numbers(scalay_machine_sample *const *take, int count, size_t position, int numbers,
                         scalay_machine_sample *sample)
{
    for (int n = 0; n < numbers; n++) {
        scalay_windows w = {0};
        for (int k = 0; k < count; k++) {
            const double *value = (const double *)((const char *)&take[k]->machine + position) + n;
            if (*value > 0.0) w.value[w.count++] = *value;
        }
        if (w.count > 0) ((double *)((char *)&sample->machine + position))[n] = scalay_windows_value(&w);
    }
}

/* Joins rate r. Fewer than MIN_WINDOWS takes do not tell their precision. */
static void join_rate(scalay_machine_sample *const *take, int count, int r, scalay_machine_sample *sample)
{
    scalay_sample_rate rate[SCALAY_SAMPLE_RATES];
    scalay_windows w = {0};
    double spread = 0.0, fastest = HUGE_VAL, slowest = 0.0;
    for (int k = 0; k < count; k++) {
        scalay_machine_sample_list_rates(take[k], rate);
        w.value[w.count++] = *rate[r].seconds;
        spread = fmax(spread, *rate[r].spread);
        fastest = fmin(fastest, *rate[r].seconds);
        slowest = fmax(slowest, *rate[r].seconds);
    }
    scalay_machine_sample_list_rates(sample, rate);
    *rate[r].seconds = scalay_windows_value(&w);
    *rate[r].spread = count < MIN_WINDOWS ? spread : scalay_windows_spread(&w);
    if (fastest > 0.0) sample->variation = fmax(sample->variation, slowest / fastest - 1.0);
}

void scalay_machine_sample_join(scalay_machine_sample *take, int count, scalay_machine_sample *sample)
{
    static const struct {
        size_t position;
        int numbers;
    } others[] = {{offsetof(scalay_machine, solo_time_ratio), 1},
                  {offsetof(scalay_machine, ring_slowdown), 1},
                  {offsetof(scalay_machine, long_message_ratio), 1},
                  {offsetof(scalay_machine, type_seconds_per_flop), SCALAY_NODE_TYPES},
                  {offsetof(scalay_machine, type_seconds_per_message), SCALAY_NODE_TYPES},
                  {offsetof(scalay_machine, type_seconds_per_byte), SCALAY_NODE_TYPES},
                  {offsetof(scalay_machine, pair_seconds_per_message), SCALAY_NODE_TYPE_PAIRS},
                  {offsetof(scalay_machine, pair_seconds_per_byte), SCALAY_NODE_TYPE_PAIRS}};
    scalay_machine_sample *used[SCALAY_MAX_TAKES];
    int quiet = 0, uses = 0;
    double seconds = 0.0, busy = HUGE_VAL;
    for (int k = 0; k < count; k++) {
        quiet += take[k].busy <= SCALAY_BUSY;
        seconds += take[k].seconds;
        busy = fmin(busy, take[k].busy);
    }
    for (int k = 0; k < count; k++)
        if (quiet == 0 || take[k].busy <= SCALAY_BUSY) used[uses++] = &take[k];
    *sample = *used[0];
    for (int r = 0; r < SCALAY_SAMPLE_RATES; r++) join_rate(used, uses, r, sample);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        join_numbers(used, uses, others[k].position, others[k].numbers, sample);
    sample->busy = busy;
    sample->seconds = seconds;
    scalay_machine_sample_smooth(sample);
}

/* Takes follow each other, because on shared hardware all of a core's rates change for seconds at a time, by up to 1.8.
 * Collective. */
static scalay_status measure_takes(scalay_measurement *m, int takes, scalay_machine_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_machine_sample take[SCALAY_MAX_TAKES] = {{.busy = 0.0}};
    for (int k = 0; k < takes; k++) {
        const double start = MPI_Wtime();
        m->used = m->expected = 0.0;
        m->sends_to_itself = 0;
        SCALAY_TRY(measure_all(m, &take[k]));
        take[k].seconds = MPI_Wtime() - start;
        SCALAY_TRY_MPI(MPI_Bcast(&take[k], (int)sizeof take[k], MPI_BYTE, 0, m->comm->mpi));
    }
    scalay_machine_sample_join(take, takes, sample);
cleanup:
    return status;
}

/* Finds nodes and types of nodes, if that was not done yet. Collective. */
static scalay_status find_nodes(scalay_comm *comm, int64_t *nodes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration here = {.host = ""};
    int64_t key = 0, leads = 0;
    SCALAY_TRY(scalay_node_probe(comm));
    if (comm->node->types == 0) SCALAY_TRY(scalay_calibration_find_conditions(comm, SCALAY_SUCCESS, &here, &key));
    leads = comm->node->rank == 0;
    SCALAY_TRY_MPI(MPI_Allreduce(&leads, nodes, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
cleanup:
    return status;
}

/* Random numbers between 0 and 1, and a diagonal with which the matrix is positive definite. */
static void fill_small(double *a)
{
    scalay_random random = scalay_random_seed(1);
    for (int k = 0; k < SMALL * SMALL; k++) a[k] = scalay_random_unit(&random);
    for (int k = 0; k < SMALL; k++) a[k * (SMALL + 1)] += SMALL;
}

scalay_status scalay_machine_sample_measure(scalay_comm *comm, double max_seconds, scalay_machine_sample *sample)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t nodes = 1;
    scalay_core_use use = {0};
    const int takes = (int)fmin(SCALAY_MAX_TAKES, fmax(1.0, max_seconds / TAKE_SECONDS));
    const double seconds = max_seconds / takes;
    scalay_measurement m = {.comm = comm,
                            .rate_seconds = seconds / SHARES,
                            .rates_seconds = seconds / SHARES * RATES_SHARES,
                            .own_grid = -1,
                            .oversubscription = 1.0};
    SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(m.from, SCRATCH + VECTORS + SMALL * SMALL)));
    m.to = m.from + HALF;
    m.vectors = m.from + SCRATCH;
    m.small = m.vectors + VECTORS;
    for (int k = 0; k < SCRATCH; k++) m.from[k] = 1.0 / (1.0 + k % 7);
    fill_small(m.small);
    m.own_grid = scalay_grid_of_process();
    SCALAY_TRY(find_nodes(comm, &nodes));
    SCALAY_TRY(scalay_find_oversubscription(comm, 1, &m.oversubscription));
    SCALAY_TRY(scalay_core_use_find(comm, &use));
    /* Nodes of MPI that are on one host have its cores together. */
    if (use.shared > 1 && use.ranks > use.cores)
        m.oversubscription = fmax(m.oversubscription, (double)use.ranks / (double)use.cores);
    m.window = fmin(m.oversubscription > 1.0 ? SHARED_WINDOW : WINDOW, m.rates_seconds / RANK_RATES / MIN_WINDOWS);
    m.together = m.window >= SHORT_WINDOW ? m.oversubscription : 1.0;
    SCALAY_TRY(measure_takes(&m, takes, sample));
    sample->machine.nodes = nodes;
    sample->machine.node_types = comm->node->types;
    sample->core_use = use;
    if (use.shared > 1 && use.ranks > use.cores)
        sample->machine.concurrent_processes = scalay_min_int64(
            sample->machine.concurrent_processes, scalay_max_int64(1, comm->size * use.cores / use.ranks));
cleanup:
    if (m.own_grid >= 0) Cblacs_gridexit(m.own_grid);
    scalay_release(m.from);
    return status;
}

/* Time limit of scalay_machine_measure(), in seconds. */
#define MAX_SECONDS 2.0

scalay_status scalay_machine_measure(scalay_comm *comm, scalay_machine *machine)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_machine_sample sample;
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_check_not_null(machine, __func__, "machine")));
    SCALAY_TRY(scalay_machine_sample_measure(comm, MAX_SECONDS, &sample));
    *machine = sample.machine;
cleanup:
    return status;
}
