/*
 * Predicted time of p?geqrf on a process grid: panels one after the other, without lookahead.
 *
 * Each panel has a factorisation by level-2 BLAS, messages along the grid column for each matrix column, a broadcast
 * along the grid row, and an update by level-3 BLAS. Rates come from the measured curves. More than 256 panels are
 * sampled. Time: O(1) per panel, with speeds O(processes).
 */
#include <math.h>

#include "base/integer.h"
#include "base/status.h"
#include "model/load.h"
#include "model/machine.h"
#include "model/qr.h"

/* Messages of p?geqr2 per column and level of the grid's column, counted in ScaLAPACK 2.2: a norm combined and
 * broadcast, the pivot broadcast, w = v^H A summed. */
#define MESSAGES_PER_COLUMN 4.0
/* Passes over the trailing matrix in an update: read, packed and read again for V^H C, read and written for C - V W,
 * and what the caches lose in between. */
#define PASSES_PER_UPDATE 6.0
enum { SAMPLES = 256 };

/* A factorisation. */
typedef struct {
    scalay_machine rates;
    double weight;     /* seconds of a flop of the type over those of a double */
    double flop;       /* seconds of a level-3 flop of the type, without passes over memory */
    double size;       /* of an element, in bytes */
    double touch;      /* of one element read or written in memory */
    double transfer;   /* of one element sent */
    double row_levels; /* log2 of the grid's columns: levels of a broadcast along a row */
    double col_levels; /* log2 of the grid's rows */
    double speeds;     /* of all processes, added up */
    scalay_load_grid grid;
} problem;

static double real_operations(scalay_type type, int64_t m, int64_t n)
{
    double tall = (double)scalay_max_int64(m, n), thin = (double)scalay_min_int64(m, n);
    double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    return complex_factor * 2.0 * thin * thin * (tall - thin / 3.0);
}

static problem state_problem(const scalay_machine *machine, scalay_type type, const scalay_load_grid *grid)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const double weight = scalay_type_flop_weight(type), size = (double)scalay_type_size(type);
    return (problem){
        .rates = rates,
        .weight = weight,
        .flop = weight * rates.seconds_per_flop,
        .size = size,
        /* Level 2 on doubles reads 8 bytes for every two operations. */
        .touch = 2.0 * rates.seconds_per_flop_vector * size / 8.0,
        .transfer = size * rates.seconds_per_byte,
        .row_levels = log2(grid->npcol),
        .col_levels = log2(grid->nprow),
        .speeds = scalay_load_speeds(grid),
        .grid = *grid,
    };
}

/* Returns the seconds of an update with `width` reflectors of `updated` elements in `multiplied` columns. */
static double update_seconds(const problem *p, double width, double updated, double multiplied)
{
    const double flops = 4.0 * width * updated + width * width * multiplied;
    /* The measured curve includes the passes over memory. */
    if (p->rates.gemm_curve[0] > 0.0) return flops * p->weight * scalay_machine_gemm_rate(&p->rates, width);
    return flops * p->flop + PASSES_PER_UPDATE * updated * p->touch;
}

/* One panel of `width` columns with `rows` left below its top and `cols` right of it, from block `at` on; adds `times`
 * of it. */
static void add_panel(const problem *p, int64_t at, int64_t rows, int64_t cols, int64_t width, double times,
                      scalay_qr_cost *cost)
{
    const scalay_load_grid *grid = &p->grid;
    const double r = (double)scalay_load_maximum(rows, grid->mb, grid->nprow);
    const double c = (double)scalay_load_maximum(cols, grid->nb, grid->npcol), b = (double)width;
    const int64_t top = at * grid->nb / grid->mb;
    const double factored = scalay_load_rows(&p->rates, grid, rows, top, at);
    const double updated = scalay_load_elements(&p->rates, grid, rows, cols, top, at + 1);
    const double multiplied = r > 0.0 ? updated / r : 0.0;
    const double flop_vector = p->weight * scalay_machine_vector_rate(&p->rates, r * b * p->size);
    cost->panel_seconds += times * 3.0 * factored * b * b * flop_vector;
    cost->update_seconds += times * update_seconds(p, b, updated, multiplied);
    double latencies = MESSAGES_PER_COLUMN * b * p->col_levels;
    double elements = 0.0;
    if (cols > 0) {
        latencies += p->row_levels + 2.0 * p->col_levels;
        elements = (grid->npcol > 1 ? r * b : 0.0) + 2.0 * p->col_levels * b * c;
    }
    cost->message_seconds += times * (latencies * p->rates.seconds_per_message + elements * p->transfer);
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
        add_panel(p, at, m - top, n - top - width, width, (double)(next - first), cost);
        add_balance(p, at, m - top, n - top - width, (double)(next - first), &maximum, &mean);
    }
    cost->balance = maximum > 0.0 ? mean / maximum : 1.0;
}

scalay_status scalay_qr_on_grid(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                const scalay_load_grid *grid, const char *function, scalay_qr_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(cost, function, "cost"));
    if (m < 0 || n < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "m, n are %lld, %lld; they must be at least 0",
                           (long long)m, (long long)n);
    SCALAY_TRY(scalay_load_check(grid, function));
    const problem p = state_problem(machine, type, grid);
    SCALAY_TRY(scalay_machine_check(&p.rates, type, function));
    scalay_qr_cost found = {.flops = real_operations(type, m, n)};
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
    return scalay_qr_on_grid(machine, type, m, n, &grid, __func__, cost);
}

scalay_status scalay_model_qr_speeds(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                                     int npcol, int nb, const double *speed, scalay_qr_cost *cost)
{
    const scalay_load_grid grid = {nprow, npcol, nb, nb, speed};
    return scalay_qr_on_grid(machine, type, m, n, &grid, __func__, cost);
}
