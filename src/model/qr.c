#include <math.h>

#include "base/integer.h"
#include "model/load.h"
#include "model/machine.h"

/* Messages of p?geqr2 per column and level of the grid's column, counted in ScaLAPACK 2.2: a norm combined and
 * broadcast, the pivot broadcast, w = v^H A summed. */
#define MESSAGES_PER_COLUMN 4.0
/* Passes over the trailing matrix in an update: read, packed and read again for V^H C, read and written for C - V W,
 * and what the caches lose in between. */
#define PASSES_PER_UPDATE 6.0
enum { SAMPLES = 256 };

/* What one factorisation is computed with. */
typedef struct {
    scalay_machine rates;
    double flop;        /* seconds of a level-3 operation on this type */
    double flop_vector; /* of a level-2 operation */
    double touch;       /* of one element read or written in memory */
    double transfer;    /* of one element sent */
    double row_levels;  /* log2 of the grid's columns: levels of a broadcast along a row */
    double col_levels;  /* log2 of the grid's rows */
    double speeds;      /* of all processes, added up */
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
        .flop = weight * rates.seconds_per_flop,
        .flop_vector = weight * rates.seconds_per_flop_vector,
        /* Level 2 on doubles reads 8 bytes for every two operations. */
        .touch = 2.0 * rates.seconds_per_flop_vector * size / 8.0,
        .transfer = size * rates.seconds_per_byte,
        .row_levels = log2(grid->npcol),
        .col_levels = log2(grid->nprow),
        .speeds = scalay_load_speeds(grid),
        .grid = *grid,
    };
}

/* One panel of `width` columns with `rows` left below its top and `cols` right of it, from block `at` on; adds `times`
 * of it. */
static void add_panel(const problem *p, int64_t at, int64_t rows, int64_t cols, int64_t width, double times,
                      scalay_qr_cost *cost)
{
    const scalay_load_grid *grid = &p->grid;
    const double r = (double)scalay_load_most(rows, grid->nb, grid->nprow);
    const double c = (double)scalay_load_most(cols, grid->nb, grid->npcol), b = (double)width;
    const double factored = scalay_load_rows(&p->rates, grid, rows, at, at);
    const double updated = scalay_load_elements(&p->rates, grid, rows, cols, at, at + 1);
    const double multiplied = r > 0.0 ? updated / r : 0.0;
    cost->panel_seconds += times * 3.0 * factored * b * b * p->flop_vector;
    cost->update_seconds +=
        times * ((4.0 * b * updated + b * b * multiplied) * p->flop + PASSES_PER_UPDATE * updated * p->touch);
    double latencies = MESSAGES_PER_COLUMN * b * p->col_levels;
    double elements = 0.0;
    if (cols > 0) {
        latencies += p->row_levels + 2.0 * p->col_levels;
        elements = (grid->npcol > 1 ? r * b : 0.0) + 2.0 * p->col_levels * b * c;
    }
    cost->message_seconds += times * (latencies * p->rates.seconds_per_message + elements * p->transfer);
}

/* Elements updated by the busiest process, against the mean. */
static void add_balance(const problem *p, int64_t at, int64_t rows, int64_t cols, double times, double *most,
                        double *mean)
{
    const scalay_machine dedicated = {0};
    const scalay_load_grid *grid = &p->grid;
    *most += times * scalay_load_elements(&dedicated, grid, rows, cols, at, at + 1);
    *mean += times * (double)rows * (double)cols / p->speeds;
}

static void add_all_panels(const problem *p, int64_t m, int64_t n, scalay_qr_cost *cost)
{
    const int64_t reflectors = scalay_min_int64(m, n);
    const int64_t panels = scalay_ceil_div(reflectors, p->grid.nb);
    const int64_t samples = scalay_min_int64(panels, SAMPLES);
    double most = 0.0, mean = 0.0;
    for (int64_t s = 0; s < samples; s++) {
        /* Sample s stands for the panels of its stretch, by the one in the middle. */
        int64_t first = panels / samples * s + panels % samples * s / samples;
        int64_t next = panels / samples * (s + 1) + panels % samples * (s + 1) / samples;
        int64_t at = first + (next - first - 1) / 2, top = at * p->grid.nb;
        int64_t width = scalay_min_int64(p->grid.nb, reflectors - top);
        add_panel(p, at, m - top, n - top - width, width, (double)(next - first), cost);
        add_balance(p, at, m - top, n - top - width, (double)(next - first), &most, &mean);
    }
    cost->balance = most > 0.0 ? mean / most : 1.0;
}

static scalay_status predict(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                             const scalay_load_grid *grid, const char *function, scalay_qr_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    if (cost == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "cost is NULL; pass the address of a scalay_qr_cost");
    if (m < 0 || n < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the matrix is %lld x %lld; extents are 0 or more",
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
    const scalay_load_grid grid = {nprow, npcol, nb, NULL};
    return predict(machine, type, m, n, &grid, __func__, cost);
}

scalay_status scalay_model_qr_speeds(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                                     int npcol, int nb, const double *speed, scalay_qr_cost *cost)
{
    const scalay_load_grid grid = {nprow, npcol, nb, speed};
    return predict(machine, type, m, n, &grid, __func__, cost);
}
