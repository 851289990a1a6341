/*
 * Predicted time of p?geqrf, p?getrf and p?potrf on a process grid: panels one after the other, without lookahead.
 *
 * Each panel has a factorisation by level-2 BLAS, messages for each matrix column, a broadcast along the grid row, and
 * an update by level-3 BLAS. Rates come from the measured curves. More than 256 panels are sampled. Time: O(1) per
 * panel, with speeds O(processes).
 *
 * If the curves are measured, three effects of PBLAS and BLACS are added: calls take time for each column and panel,
 * messages of submatrices are copied element by element, and updates do not reach the rate of dgemm. Their factors have
 * no unit. They were fitted to 271 factorisations of order 64 to 1024 on grids of 1 and 2 processes, with blocks of 1
 * to 512 (docs/benchmarks.md). They scale with the measured rates of a machine.
 */
#include <math.h>

#include "base/integer.h"
#include "base/status.h"
#include "model/factorization.h"
#include "model/load.h"
#include "model/machine.h"
#include "model/move.h"

/* What differs between the routines. */
typedef struct {
    double update;       /* time of an update over that of dgemm, if the curve is measured */
    double passes;       /* over the trailing matrix in an update, if the curve is not measured */
    double column_calls; /* time of the calls of a column, in flops of a small dgemv */
    double panel_calls;  /* of a panel */
    double copies;       /* of each byte of a message */
} routine;

static const routine routines[] = {
    [SCALAY_MODEL_QR] = {1.4, 6.0, 13000.0, 0.0, 6.5},
    [SCALAY_MODEL_LU] = {1.0, 3.0, 8000.0, 0.0, 3.5},
    [SCALAY_MODEL_CHOLESKY] = {1.65, 1.5, 1500.0, 37000.0, 0.5},
};

/* Messages per column and level of the grid's column, counted in ScaLAPACK 2.2. p?geqr2: a norm combined and broadcast,
 * the pivot broadcast, w = v^H A summed. p?getf2: a pivot combined and broadcast, and the exchange of its row. */
#define QR_MESSAGES_PER_COLUMN 4.0
#define LU_MESSAGES_PER_COLUMN 3.0
/* Interchanges of rows over the copy of as many bytes: the rows of a panel are exchanged together. */
#define INTERCHANGE 0.35
/* Latencies of a level of a broadcast in p?potrf: the panel is broadcast, transposed and broadcast again. */
#define CHOLESKY_LATENCIES 2.4
/* Time of the triangular solves of a panel over that of dgemm. */
#define CHOLESKY_SOLVE 4.0
/* Time of the diagonal block over that of dgemv. */
#define CHOLESKY_DIAGONAL 0.45
/* Time of p?getf2 over that of dgemv: it updates the panel, and does not only read it. */
#define LU_PANEL 1.4
/* Segments of the transposed panel over segments of a move. */
#define CHOLESKY_SEGMENTS 2.0

enum { SAMPLES = 256 };

/* A factorisation. */
typedef struct {
    scalay_model_kind kind;
    scalay_machine rates;
    double weight;     /* seconds of a flop of the type over those of a double */
    double flop;       /* seconds of a level-3 flop of the type, without passes over memory */
    double size;       /* of an element, in bytes */
    double touch;      /* of one element read or written in memory */
    double transfer;   /* of one element sent */
    double copied;     /* of one byte copied by calls of PBLAS; 0: not measured */
    double call;       /* of a flop of a small dgemv; 0: not measured */
    double row_levels; /* log2 of the grid's columns: levels of a broadcast along a row */
    double col_levels; /* log2 of the grid's rows */
    double speeds;     /* of all processes, added up */
    scalay_load_grid grid;
} problem;

static double real_operations(scalay_model_kind kind, scalay_type type, int64_t m, int64_t n)
{
    static const double over_qr[] = {1.0, 0.5, 0.25};
    double tall = (double)scalay_max_int64(m, n), thin = (double)scalay_min_int64(m, n);
    double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    return over_qr[kind] * complex_factor * 2.0 * thin * thin * (tall - thin / 3.0);
}

static problem state_problem(const scalay_machine *machine, scalay_model_kind kind, scalay_type type,
                             const scalay_load_grid *grid)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const double weight = scalay_type_flop_weight(type), size = (double)scalay_type_size(type);
    const double copied = rates.gemm_curve[0] > 0.0 ? rates.seconds_per_byte_copied : 0.0;
    return (problem){
        .kind = kind,
        .rates = rates,
        .weight = weight,
        .flop = weight * rates.seconds_per_flop,
        .size = size,
        /* Level 2 on doubles reads 8 bytes for every two operations. */
        .touch = 2.0 * rates.seconds_per_flop_vector * size / 8.0,
        .transfer = size * (rates.seconds_per_byte + routines[kind].copies * copied),
        .copied = copied,
        .call = rates.vector_curve[0],
        .row_levels = log2(grid->npcol),
        .col_levels = log2(grid->nprow),
        .speeds = scalay_load_speeds(grid),
        .grid = *grid,
    };
}

/* Returns the seconds of an update of `width` columns with so many flops and updated elements. */
static double update_seconds(const problem *p, double width, double flops, double updated)
{
    const routine *r = &routines[p->kind];
    /* The measured curve includes the passes over memory. */
    if (p->rates.gemm_curve[0] > 0.0) return r->update * flops * p->weight * scalay_machine_gemm_rate(&p->rates, width);
    return flops * p->flop + r->passes * updated * p->touch;
}

/* A panel: its width, and maximum local numbers of rows below its top and of columns right of it. */
typedef struct {
    double b, r, c;
    double factored, updated; /* rows and elements that determine the time of all processes */
    int has_update;
} panel;

/* Returns the seconds per flop of a panel. Its mean column works on half of its columns and, over the factorisation, on
 * half of its rows. */
static double panel_rate(const problem *p, const panel *a)
{
    return p->weight * scalay_machine_vector_rate(&p->rates, 0.25 * a->r * a->b * p->size);
}

static void add_qr_panel(const problem *p, const panel *a, double times, scalay_qr_cost *cost)
{
    const double multiplied = a->r > 0.0 ? a->updated / a->r : 0.0, b = a->b;
    const double flop_vector = panel_rate(p, a);
    cost->panel_seconds += times * 3.0 * a->factored * b * b * flop_vector;
    cost->update_seconds += times * update_seconds(p, b, 4.0 * b * a->updated + b * b * multiplied, a->updated);
    double latencies = QR_MESSAGES_PER_COLUMN * b * p->col_levels, elements = 0.0;
    if (a->has_update) {
        latencies += p->row_levels + 2.0 * p->col_levels;
        elements = (p->grid.npcol > 1 ? a->r * b : 0.0) + 2.0 * p->col_levels * b * a->c;
    }
    cost->message_seconds += times * (latencies * p->rates.seconds_per_message + elements * p->transfer);
}

/* `all`: maximum local number of columns of the matrix, in which rows are interchanged. */
static void add_lu_panel(const problem *p, const panel *a, double all, double times, scalay_qr_cost *cost)
{
    const double multiplied = a->r > 0.0 ? a->updated / a->r : 0.0, b = a->b;
    const double flop_vector = panel_rate(p, a), lu_panel = p->call > 0.0 ? LU_PANEL : 1.0;
    cost->panel_seconds +=
        times * (lu_panel * a->factored * b * b * flop_vector + INTERCHANGE * 2.0 * b * all * p->size * p->copied);
    cost->update_seconds += times * update_seconds(p, b, 2.0 * b * a->updated + b * b * multiplied, a->updated);
    double latencies = LU_MESSAGES_PER_COLUMN * b * p->col_levels, elements = 0.0;
    if (a->has_update) {
        latencies += 2.0 * p->row_levels + p->col_levels;
        elements = (p->grid.npcol > 1 ? a->r * b : 0.0) + (p->grid.nprow > 1 ? b * (a->c + all) : 0.0);
    }
    cost->message_seconds += times * (latencies * p->rates.seconds_per_message + elements * p->transfer);
}

/* The rows of the panel are those below its diagonal block. */
static void add_cholesky_panel(const problem *p, const panel *a, double times, scalay_qr_cost *cost)
{
    const double b = a->b, flop_vector = p->weight * scalay_machine_vector_rate(&p->rates, b * b * p->size);
    const double solve = p->call > 0.0 ? CHOLESKY_SOLVE : 1.0, diagonal = p->call > 0.0 ? CHOLESKY_DIAGONAL : 1.0;
    cost->panel_seconds += times * (diagonal * b * b * b / 3.0 * flop_vector +
                                    solve * a->factored * b * b * p->weight * scalay_machine_gemm_rate(&p->rates, b));
    cost->update_seconds += times * update_seconds(p, b, b * a->updated, 0.5 * a->updated);
    if (!a->has_update) return;
    const double latencies = CHOLESKY_LATENCIES * (p->row_levels + 2.0 * p->col_levels);
    const double elements = (p->grid.npcol > 1 ? a->r * b : 0.0) + (p->grid.nprow > 1 ? 2.0 * a->c * b : 0.0);
    const double segments = p->grid.nprow > 1 ? a->c : 0.0;
    cost->message_seconds += times * (latencies * p->rates.seconds_per_message + elements * p->transfer +
                                      CHOLESKY_SEGMENTS * segments * SCALAY_SEGMENT_BYTES * p->copied);
}

/* One panel of `width` columns with `rows` left below its top and `cols` right of it, from block `at` on; adds `times`
 * of it. `n`: columns of the matrix. */
static void add_panel(const problem *p, int64_t at, int64_t rows, int64_t cols, int64_t width, int64_t n, double times,
                      scalay_qr_cost *cost)
{
    const scalay_load_grid *grid = &p->grid;
    const int64_t below = p->kind == SCALAY_MODEL_CHOLESKY ? rows - width : rows;
    const int64_t top = at * grid->nb / grid->mb;
    const panel a = {
        .b = (double)width,
        .r = (double)scalay_load_maximum(below, grid->mb, grid->nprow),
        .c = (double)scalay_load_maximum(cols, grid->nb, grid->npcol),
        .factored = scalay_load_rows(&p->rates, grid, below, top, at),
        .updated = scalay_load_elements(&p->rates, grid, below, cols, top, at + 1),
        .has_update = cols > 0,
    };
    const routine *r = &routines[p->kind];
    cost->panel_seconds += times * (r->column_calls * a.b + r->panel_calls) * p->call;
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
    const problem p = state_problem(machine, kind, type, grid);
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
    const scalay_load_grid grid = {nprow, npcol, nb, nb, NULL};
    return scalay_factorization_on_grid(machine, SCALAY_MODEL_QR, type, m, n, &grid, __func__, cost);
}

scalay_status scalay_model_qr_speeds(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                                     int npcol, int nb, const double *speed, scalay_qr_cost *cost)
{
    const scalay_load_grid grid = {nprow, npcol, nb, nb, speed};
    return scalay_factorization_on_grid(machine, SCALAY_MODEL_QR, type, m, n, &grid, __func__, cost);
}
