/*
 * Predicted time of p?geqrf, p?getrf and p?potrf on a process grid: panels one after the other, without lookahead.
 *
 * Each panel has a factorisation by level-2 BLAS, messages for each matrix column, a broadcast along the grid row, and
 * an update by level-3 BLAS. Rates come from the measured curves. More than 256 panels are sampled. Time: O(1) per
 * panel, with speeds O(processes).
 *
 * If the curves are measured, effects of PBLAS and BLACS are added:
 *   - calls take time for each column and panel, in small calls of the BLAS;
 *   - norms of columns take many flops for each element, in all precisions;
 *   - panels are copied, and messages of submatrices are copied element by element;
 *   - sender and receiver of a submatrix above MPI's eager limit agree before it is sent;
 *   - an update passes over the trailing matrix, whose rate depends on its size: it may be in a cache;
 *   - triangular solves are slow up to a width of 64, the block of the BLAS.
 * Their factors have no unit, so they scale with the measured rates of a machine. They were geometric means of fits on
 * two processors, an Intel Xeon and an AMD EPYC: 439 and 210 factorisations of order 64 to 1024 on grids of 1 and 2
 * processes, with blocks of 1 to 512. Since copies are measured by size, they are the fit to 210 factorisations on the
 * AMD EPYC that begins there and stays near (docs/benchmarks.md). Small calls were measured on a third processor:
 * there, the factors of calls are fits to factorisations of order 64 to 256 on grids of 1 and 2 processes, in fast and
 * in slow states of the cores (docs/benchmarks-onecall.md).
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/factorization.h"
#include "model/load.h"
#include "model/machine.h"
#include "model/move.h"

/* What differs between the routines. */
typedef struct {
    double passes;          /* over the trailing matrix in an update, if the curves are not measured */
    double update;          /* time of an update over that of dgemm */
    double measured_passes; /* likewise, if they are measured; LU: none besides the product */
    double column_calls;    /* time of the calls of a column, in small calls of the BLAS */
    double row_calls;       /* of a column and level of the grid's row */
    double col_calls;       /* of a column and level of the grid's column */
    double broadcast_calls; /* of a panel and level of the grid's row */
    double panel_calls;     /* of a panel */
    double panel_copies;    /* of each byte of a panel */
    double copies;          /* of each byte of a message */
    double row_latencies;   /* of a level of a broadcast along the grid's row */
} routine;

static const routine measured[] = {
    [SCALAY_MODEL_QR] = {.update = 1.14,
                         .measured_passes = 4.0,
                         .column_calls = 4.6,
                         .row_calls = 0.8,
                         .col_calls = 6.0,
                         .broadcast_calls = 10.0,
                         .panel_calls = 3.2,
                         .panel_copies = 5.75,
                         .copies = 1.8,
                         .row_latencies = 3.0},
    [SCALAY_MODEL_LU] = {.update = 1.0,
                         .column_calls = 2.9,
                         .row_calls = 2.6,
                         .col_calls = 8.0,
                         .broadcast_calls = 10.0,
                         .panel_calls = 5.8,
                         .panel_copies = 2.8,
                         .copies = 2.3,
                         .row_latencies = 2.8},
    [SCALAY_MODEL_CHOLESKY] = {.update = 1.03,
                               .measured_passes = 2.2,
                               .column_calls = 0.7,
                               .panel_calls = 15.0,
                               .panel_copies = 2.2,
                               .copies = 0.5,
                               .row_latencies = 2.2},
};

/* Without measured curves, the effects of PBLAS and BLACS are not known. */
static const routine unmeasured[] = {
    [SCALAY_MODEL_QR] = {.passes = 6.0, .row_latencies = 1.0},
    [SCALAY_MODEL_LU] = {.passes = 3.0, .row_latencies = 2.0},
    [SCALAY_MODEL_CHOLESKY] = {.passes = 1.5, .row_latencies = 2.4},
};

/* Messages per column and level of the grid's column, counted in ScaLAPACK 2.2. p?geqr2: a norm combined and broadcast,
 * the pivot broadcast, w = v^H A summed; as many as fit between nodes. p?getf2: a pivot combined and broadcast, and the
 * exchange of its row, which is counted apart if the curves are measured. */
#define QR_MESSAGES_PER_COLUMN (p->is_measured ? 5.2 : 4.0)
#define LU_MESSAGES_PER_COLUMN 3.0
/* Small calls of the BLAS for a real number of the norm of a column: p?nrm2 compares and divides them one by one.
 * What p?geqr2 with 16 to 64 columns of 1024 and 4096 takes besides dgemv, dger and calls. */
#define QR_NORM 0.046
/* Copies of W = V^H A, and of each row of it that is summed. */
#define QR_COPIES 4.0
/* A pivot row of another process is exchanged in the panel, left of it and right of it: each time both send and
 * receive, and take so many small calls of the BLAS. BLACS packs and unpacks the elements of a row, which are
 * far apart, on both sides: copies of their cache lines. Fitted to orders 64 to 1024 on 2 x 1, as the difference
 * between matrices with and without interchanges. */
#define LU_EXCHANGES 3.0
#define LU_EXCHANGE_CALLS 7.0
#define LU_EXCHANGE_LINES 4.0
/* Time of p?getf2 over that of dgemv: it updates the panel, and does not only read it. */
#define LU_PANEL 1.7
/* Time of a triangular solve over that of dgemm, up to a width of SOLVE_WIDTH. */
#define LU_SOLVE 9.9
#define SOLVE_WIDTH 64.0
/* Time of the triangular solves of a panel over that of dgemm. */
#define CHOLESKY_SOLVE 2.6
/* Segments of the transposed panel over segments of a move, and copies of each element. Its rows are as far apart as
 * the local columns, so the rate is that of the trailing triangle. They fit orders of 512 to 2048 on 2 x 2. */
#define CHOLESKY_SEGMENTS 8.0
#define CHOLESKY_SEGMENT_COPIES 6.0
/* Small calls of the BLAS for a block of the panel along a grid row, and for each of its columns: PBLAS transposes the
 * block, and updates a block of the diagonal. */
#define CHOLESKY_BLOCK 2.0
#define CHOLESKY_BLOCK_COLUMN 0.28
/* p?syrk updates strips of the columns. On a single grid column, they have STRIP columns: rows of the panel are
 * gathered and sent to all grid rows, and the strip is computed apart and added. Otherwise they have twice as many
 * local columns. Small calls of the BLAS for a strip, and for gathering it if it has rows of several blocks: */
#define STRIP 32.0
#define STRIP_CALLS 9.5
#define GATHER_CALLS 25.0
/* The BLAS packs the panel for each strip: copies of each element. Wide panels have more columns than a cache has room
 * for. As measured for products of 128 to 1000 x 32 x k. */
#define PACK_COPIES_PER_COLUMN (1.0 / 48.0)
#define MIN_PACK_COPIES 1.0
#define MAX_PACK_COPIES 3.0

/* Copies of each element that the update of one process takes besides the product: dsyrk of small rank. Fitted to
 * orders 128 and 256 in blocks of 1 to 64. */
#define SINGLE_COPIES 4.0

enum { SAMPLES = 256 };

/* A factorisation. */
typedef struct {
    scalay_model_kind kind;
    const routine *routine;
    int is_measured;  /* 1: the curves are measured */
    int64_t distance; /* of columns in the local arrays, in bytes */
    scalay_machine rates;
    double weight;       /* seconds of a flop of the type over those of a double */
    double intensity;    /* flops for each byte, over those of a double; also the real numbers of an element */
    double flop;         /* seconds of a level-3 flop of the type, without passes over memory */
    double size;         /* of an element, in bytes */
    double touch;        /* of one element read or written in memory */
    double row_transfer; /* of one element sent along a row */
    double col_transfer; /* along a column */
    double combined;     /* of one element of a transposed panel that is combined along a column */
    double replicated;   /* of one element that is sent to all processes of a column, by each of them in turn */
    double row_message;  /* latency of a message along a row */
    double col_message;  /* along a column */
    double call;         /* of a small call of the BLAS; 0: not measured */
    double row_levels;   /* log2 of the grid's columns: levels of a broadcast along a row */
    double col_levels;   /* log2 of the grid's rows */
    double speeds;       /* of all processes, added up */
    scalay_load_grid grid;
} problem;

static double real_operations(scalay_model_kind kind, scalay_type type, int64_t m, int64_t n)
{
    static const double over_qr[] = {1.0, 0.5, 0.25};
    double tall = (double)scalay_max_int64(m, n), thin = (double)scalay_min_int64(m, n);
    double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    return over_qr[kind] * complex_factor * 2.0 * thin * thin * (tall - thin / 3.0);
}

static void set_messages(const scalay_load_grid *grid, problem *p)
{
    const scalay_link row = scalay_load_row_link(&p->rates, grid), col = scalay_load_col_link(&p->rates, grid);
    /* p?geqrf sends panels around a ring. The others split the ring. */
    p->row_transfer = p->size * (p->kind == SCALAY_MODEL_QR ? row.byte_ring : row.byte_split_ring);
    p->col_transfer = p->size * col.byte;
    /* Between nodes, the parts of all processes are on the links in both directions at once. */
    p->replicated = p->size * (col.nodes > 1 ? col.byte_in_turn : p->col_levels * col.byte);
    /* It is combined and broadcast. */
    p->combined = grid->nprow == 1 ? 0.0 : (col.nodes > 1 ? 1.0 : 2.0) * p->replicated;
    p->row_message = row.message;
    p->col_message = col.message;
}

/* Local arrays have columns of all local rows, and a cache line more if they are spread over the sets of the caches. */
static int64_t column_distance(const scalay_load_grid *grid, int64_t m, int64_t size)
{
    const int64_t bytes = scalay_max_int64(1, scalay_load_maximum(m, grid->mb, grid->nprow)) * size;
    return bytes + (grid->is_spread && bytes % SCALAY_SET_BYTES == 0 ? (int64_t)SCALAY_LINE_BYTES : 0);
}

static problem state_problem(const scalay_machine *machine, scalay_model_kind kind, scalay_type type, int64_t m,
                             const scalay_load_grid *grid)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const double weight = scalay_type_flop_weight(type), size = (double)scalay_type_size(type);
    const int is_measured = rates.gemm_curve[0] > 0.0 && rates.vector_curve[0] > 0.0;
    const routine *r = is_measured ? &measured[kind] : &unmeasured[kind];
    problem p = {
        .kind = kind,
        .routine = r,
        .is_measured = is_measured,
        .distance = column_distance(grid, m, (int64_t)scalay_type_size(type)),
        .rates = rates,
        .weight = weight,
        .intensity = scalay_type_flops_per_byte(type),
        .flop = weight * rates.seconds_per_flop,
        .size = size,
        /* Level 2 on doubles reads 8 bytes for every two operations. */
        .touch = 2.0 * rates.seconds_per_flop_vector * size / 8.0,
        .call = scalay_machine_small_call(&rates),
        .row_levels = log2(grid->npcol),
        .col_levels = log2(grid->nprow),
        .speeds = scalay_load_speeds(grid),
        .grid = *grid,
    };
    set_messages(grid, &p);
    return p;
}

/* Returns the seconds of an update with so many flops and updated elements. */
static double update_seconds(const problem *p, double flops, double updated)
{
    const routine *r = p->routine;
    if (!p->is_measured) return flops * p->flop + r->passes * updated * p->touch;
    const double bytes = updated * p->size;
    return r->update * flops * p->flop +
           r->measured_passes * 0.25 * bytes * scalay_machine_vector_rate(&p->rates, bytes);
}

/* Returns the seconds per flop of a product of rank b. */
static double gemm_rate(const problem *p, double b)
{
    return p->weight * scalay_machine_gemm_rate(&p->rates, p->intensity * b);
}

/* Returns the seconds per flop of level 2 on a matrix of so many bytes. */
static double vector_rate(const problem *p, double bytes)
{
    return p->weight / p->intensity * scalay_machine_vector_rate(&p->rates, bytes);
}

/* Returns the seconds of an update by one product of rank b. One of small rank takes as long as a copy in place. */
static double product_seconds(const problem *p, double b, double updated)
{
    const double bytes = updated * p->size;
    if (!p->is_measured) return update_seconds(p, 2.0 * b * updated, updated);
    return fmax(bytes * scalay_machine_pass_rate(&p->rates, p->distance, bytes),
                p->routine->update * 2.0 * b * updated * gemm_rate(p, b));
}

/* Returns the seconds of a byte that calls of PBLAS copy, within a matrix of so many elements; 0: not measured. */
static double copied(const problem *p, double elements)
{
    return p->is_measured ? scalay_machine_copy_rate(&p->rates, elements * p->size) : 0.0;
}

/* A panel: its width, and maximum local numbers of rows below its top and of columns right of it. */
typedef struct {
    double b, r, c;
    double away;                       /* fraction of the rows that the process of the panel's rows does not have */
    double factored, updated;          /* rows and elements that determine the time of all processes */
    double copied;                     /* seconds of a byte of the panel that is copied */
    double row_transfer, col_transfer; /* of one element sent along a row or a column, with its copies */
    double transfer_copied;            /* of these copies */
    int has_update;
} panel;

/* Returns the seconds in which sender and receiver of a submatrix of so many elements agree, if it is a large message.
 */
static double agreement_seconds(const problem *p, double elements)
{
    return scalay_machine_start_up(&p->rates, 0.0, elements * p->size);
}

/* Returns the seconds per flop of a panel. Its mean column works on half of its columns and, over the factorisation, on
 * half of its rows. */
static double panel_rate(const problem *p, const panel *a)
{
    return vector_rate(p, 0.25 * a->r * a->b * p->size);
}

static void add_qr_panel(const problem *p, const panel *a, double times, scalay_qr_cost *cost)
{
    const double multiplied = a->r > 0.0 ? a->updated / a->r : 0.0, b = a->b;
    const double flop_vector = panel_rate(p, a), triangle = p->is_measured ? 2.0 : 1.0;
    const double norms = QR_NORM * p->intensity * p->call * a->factored * b;
    cost->panel_seconds += times * (3.0 * a->factored * b * b * flop_vector + norms);
    cost->update_seconds += times * update_seconds(p, 4.0 * b * a->updated + triangle * b * b * multiplied, a->updated);
    double seconds = QR_MESSAGES_PER_COLUMN * b * p->col_levels * p->col_message;
    if (a->has_update)
        seconds += p->routine->row_latencies * p->row_levels * p->row_message +
                   p->row_levels * agreement_seconds(p, a->r * b) +
                   2.0 * p->col_levels * (p->col_message + agreement_seconds(p, b * a->c)) +
                   (p->grid.npcol > 1 ? a->r * b : 0.0) * a->row_transfer +
                   2.0 * p->col_levels * b * a->c * a->col_transfer +
                   QR_COPIES * b * a->c * p->size * copied(p, b * a->c);
    cost->message_seconds += times * seconds;
}

/* Returns the seconds of the triangular solve for the rows of U. */
static double solve_seconds(const problem *p, double b, double cols)
{
    if (!p->is_measured) return b * b * cols * p->flop;
    return LU_SOLVE * b * fmin(b, SOLVE_WIDTH) * cols * p->flop;
}

/* Returns the seconds of the interchanges of a panel in `all` local columns, if the pivot rows are on the same process.
 */
static double interchange_seconds(const problem *p, const panel *a, double all)
{
    if (!p->is_measured) return 0.0;
    return (1.0 - a->away) * a->b * all *
           scalay_machine_swap_rate(&p->rates, p->distance, p->size, a->r * all * p->size);
}

/* Returns the seconds in which the rows of a panel are exchanged with pivot rows of other processes. */
static double exchange_seconds(const problem *p, const panel *a, double all)
{
    if (!p->is_measured && (p->grid.nprow == 1 || !a->has_update)) return 0.0;
    if (!p->is_measured) return a->b * (p->col_levels * agreement_seconds(p, all) + all * p->col_transfer);
    const double bytes = a->r * all * p->size, in_cache = LU_EXCHANGE_LINES * SCALAY_LINE_BYTES * copied(p, 0.0);
    const double lines = in_cache + scalay_machine_line_seconds(&p->rates, p->distance, p->size, bytes) -
                         scalay_machine_line_seconds(&p->rates, p->distance, p->size, 0.0);
    const double row = LU_EXCHANGES * (p->col_message + LU_EXCHANGE_CALLS * p->call) +
                       agreement_seconds(p, all - a->b - a->c) + agreement_seconds(p, a->c) +
                       all * (p->col_transfer + lines);
    return a->away * a->b * row;
}

/* `all`: maximum local number of columns of the matrix, in which rows are interchanged. */
static void add_lu_panel(const problem *p, const panel *a, double all, double times, scalay_qr_cost *cost)
{
    const double multiplied = a->r > 0.0 ? a->updated / a->r : 0.0, b = a->b;
    const double flop_vector = panel_rate(p, a), lu_panel = p->is_measured ? LU_PANEL : 1.0;
    const double interchanges = interchange_seconds(p, a, all);
    cost->panel_seconds += times * (lu_panel * a->factored * b * b * flop_vector + interchanges);
    cost->update_seconds += times * (product_seconds(p, b, a->updated) + solve_seconds(p, b, multiplied));
    double seconds = LU_MESSAGES_PER_COLUMN * b * p->col_levels * p->col_message + exchange_seconds(p, a, all);
    if (a->has_update)
        seconds += p->routine->row_latencies * p->row_levels * p->row_message + p->col_levels * p->col_message +
                   p->row_levels * agreement_seconds(p, a->r * b) + p->col_levels * agreement_seconds(p, b * a->c) +
                   (p->grid.npcol > 1 ? a->r * b : 0.0) * a->row_transfer +
                   (p->grid.nprow > 1 ? b * a->c : 0.0) * a->col_transfer;
    cost->message_seconds += times * seconds;
}

/* Returns 1 if p?syrk adds strips: PBLAS estimates that so less is sent. */
static int has_strips(const problem *p)
{
    return p->is_measured && p->grid.nprow > 1 && p->grid.npcol == 1;
}

/* Returns the seconds of the update of a triangle. What is not in the caches takes longer by what dgemv does. */
static double triangle_seconds(const problem *p, const panel *a)
{
    const double elements = 0.5 * a->updated, bytes = elements * p->size, b = a->b;
    if (!p->is_measured) return update_seconds(p, 2.0 * b * elements, elements);
    const double strip = has_strips(p) ? STRIP : 2.0 * STRIP;
    const double copies = fmin(MAX_PACK_COPIES, fmax(MIN_PACK_COPIES, PACK_COPIES_PER_COLUMN * b));
    const double packed = copies * copied(p, 0.0) * b / strip;
    const double out = scalay_machine_vector_rate(&p->rates, bytes) - scalay_machine_vector_rate(&p->rates, 0.0);
    const double single = p->grid.nprow * p->grid.npcol == 1 ? SINGLE_COPIES * copied(p, elements) : 0.0;
    const double pass =
        has_strips(p) ? copied(p, elements) : 0.25 * p->routine->measured_passes * fmax(0.0, out) + single;
    return p->routine->update * 2.0 * b * elements * gemm_rate(p, b) + bytes * (packed + pass);
}

/* Returns the seconds in which the rows of strips are gathered and sent to all grid rows. */
static double strip_seconds(const problem *p, const panel *a)
{
    const int64_t mb = p->grid.mb, width = (int64_t)STRIP;
    const double strips = ceil(a->c / STRIP), gathered = mb % width == 0 ? 0.0 : fmin(1.0, STRIP / (double)mb);
    const double message = p->col_message + agreement_seconds(p, STRIP * a->b);
    const double gather = gathered * (GATHER_CALLS * p->call + p->col_message);
    return strips * (STRIP_CALLS * p->call + p->col_levels * (message + gather)) +
           a->c * a->b * (p->replicated + p->col_levels * a->transfer_copied);
}

/* Returns the seconds in which PBLAS transposes a panel. On each level of the combination along a grid column, its
 * elements are copied and added. */
static double transpose_seconds(const problem *p, const panel *a)
{
    const double segments = p->col_levels * a->c, blocks = p->grid.npcol > 1 ? a->c / a->b : 0.0;
    const double bytes =
        segments * (CHOLESKY_SEGMENTS * SCALAY_SEGMENT_BYTES + CHOLESKY_SEGMENT_COPIES * a->b * p->size);
    return bytes * copied(p, 0.5 * a->r * a->c) + (CHOLESKY_BLOCK + CHOLESKY_BLOCK_COLUMN * a->b) * blocks * p->call;
}

/* Returns the seconds in which the panel is sent along grid rows, and transposed along grid columns. */
static double replicate_seconds(const problem *p, const panel *a)
{
    const double b = a->b, col_latencies = p->is_measured ? 0.0 : 2.0 * p->col_levels * p->col_message;
    const double latencies = p->routine->row_latencies * (p->row_levels * p->row_message + col_latencies) +
                             p->row_levels * agreement_seconds(p, a->r * b) +
                             2.0 * p->col_levels * agreement_seconds(p, a->c * b);
    const double elements = (p->grid.npcol > 1 ? a->r * b : 0.0) * a->row_transfer +
                            a->c * b * (p->combined + p->col_levels * 2.0 * a->transfer_copied);
    return latencies + elements + transpose_seconds(p, a);
}

/* The rows of the panel are those below its diagonal block. */
static void add_cholesky_panel(const problem *p, const panel *a, double times, scalay_qr_cost *cost)
{
    const double b = a->b, flop_vector = vector_rate(p, 0.5 * b * b * p->size);
    const double solve = p->is_measured ? CHOLESKY_SOLVE : 1.0;
    cost->panel_seconds += times * (b * b * b / 3.0 * flop_vector + solve * a->factored * b * b * gemm_rate(p, b));
    cost->update_seconds += times * triangle_seconds(p, a);
    if (a->has_update) cost->message_seconds += times * (has_strips(p) ? strip_seconds(p, a) : replicate_seconds(p, a));
}

/* One panel of `width` columns with `rows` left below its top and `cols` right of it, from block `at` on; adds `times`
 * of it. `n`: columns of the matrix. */
static void add_panel(const problem *p, int64_t at, int64_t rows, int64_t cols, int64_t width, int64_t n, double times,
                      scalay_qr_cost *cost)
{
    const scalay_load_grid *grid = &p->grid;
    const int64_t below = p->kind == SCALAY_MODEL_CHOLESKY ? rows - width : rows;
    const int64_t top = at * grid->nb / grid->mb;
    const double local_rows = (double)scalay_load_maximum(below, grid->mb, grid->nprow);
    const double panel_copied = copied(p, local_rows * (double)width);
    const double transfer_copied = p->size * p->routine->copies * panel_copied;
    const panel a = {
        .b = (double)width,
        .r = local_rows,
        .c = (double)scalay_load_maximum(cols, grid->nb, grid->npcol),
        .away = below > 0 ? 1.0 - local_rows / (double)below : 0.0,
        .factored = scalay_load_rows(&p->rates, grid, below, top, at),
        .updated = scalay_load_elements(&p->rates, grid, below, cols, top, at + 1),
        .copied = panel_copied,
        .row_transfer = p->row_transfer + transfer_copied,
        .col_transfer = p->col_transfer + transfer_copied,
        .transfer_copied = transfer_copied,
        .has_update = cols > 0,
    };
    const routine *r = p->routine;
    const double calls = (r->column_calls + r->row_calls * p->row_levels + r->col_calls * p->col_levels) * a.b +
                         r->panel_calls + r->broadcast_calls * p->row_levels;
    const double copies = a.has_update ? r->panel_copies * a.r * a.b * p->size : 0.0;
    cost->panel_seconds += times * (calls * p->call + copies * a.copied);
    if (p->kind == SCALAY_MODEL_QR) add_qr_panel(p, &a, times, cost);
    if (p->kind == SCALAY_MODEL_LU)
        add_lu_panel(p, &a, (double)scalay_load_maximum(n, grid->nb, grid->npcol), times, cost);
    if (p->kind == SCALAY_MODEL_CHOLESKY) add_cholesky_panel(p, &a, times, cost);
}

/* Adds the elements that the busiest process updates, and the mean. */
static void add_balance(const problem *p, int64_t at, int64_t rows, int64_t cols, double times, double *maximum,
                        double *mean)
{
    const scalay_machine dedicated = {0};
    const scalay_load_grid *grid = &p->grid;
    *maximum += times * scalay_load_elements(&dedicated, grid, rows, cols, at * grid->nb / grid->mb, at + 1);
    *mean += times * (double)rows * (double)cols / p->speeds;
}

static void add_all_panels(const problem *p, int64_t m, int64_t n, scalay_qr_cost *cost)
{
    const int64_t reflectors = scalay_min_int64(m, n);
    const int64_t panels = scalay_ceil_div(reflectors, p->grid.nb);
    const int64_t samples = scalay_min_int64(panels, SAMPLES);
    double maximum = 0.0, mean = 0.0;
    for (int64_t s = 0; s < samples; s++) {
        /* Sample s is the middle panel of its range. */
        int64_t first = panels / samples * s + panels % samples * s / samples;
        int64_t next = panels / samples * (s + 1) + panels % samples * (s + 1) / samples;
        int64_t at = first + (next - first - 1) / 2, top = at * p->grid.nb;
        int64_t width = scalay_min_int64(p->grid.nb, reflectors - top);
        add_panel(p, at, m - top, n - top - width, width, n, (double)(next - first), cost);
        add_balance(p, at, m - top, n - top - width, (double)(next - first), &maximum, &mean);
    }
    cost->balance = maximum > 0.0 ? mean / maximum : 1.0;
}

scalay_status scalay_factorization_on_grid(const scalay_machine *machine, scalay_model_kind kind, scalay_type type,
                                           int64_t m, int64_t n, const scalay_load_grid *grid, const char *function,
                                           scalay_qr_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(cost, function, "cost"));
    if (m < 0 || n < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "m, n are %lld, %lld; they must be at least 0",
                           (long long)m, (long long)n);
    SCALAY_TRY(scalay_load_check(grid, function));
    const problem p = state_problem(machine, kind, type, m, grid);
    SCALAY_TRY(scalay_machine_check(&p.rates, type, function));
    scalay_qr_cost found = {.flops = real_operations(kind, type, m, n)};
    add_all_panels(&p, m, n, &found);
    found.seconds = found.update_seconds + found.panel_seconds + found.message_seconds;
    *cost = found;
cleanup:
    return status;
}

scalay_status scalay_model_qr(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                              int npcol, int nb, scalay_qr_cost *cost)
{
    const scalay_load_grid grid = {.nprow = nprow, .npcol = npcol, .mb = nb, .nb = nb};
    return scalay_factorization_on_grid(machine, SCALAY_MODEL_QR, type, m, n, &grid, __func__, cost);
}

scalay_status scalay_model_qr_speeds(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                                     int npcol, int nb, const double *speed, scalay_qr_cost *cost)
{
    const scalay_load_grid grid = {.nprow = nprow, .npcol = npcol, .mb = nb, .nb = nb, .speed = speed};
    return scalay_factorization_on_grid(machine, SCALAY_MODEL_QR, type, m, n, &grid, __func__, cost);
}
