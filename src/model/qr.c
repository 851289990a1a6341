#include <math.h>

#include "core/integer.h"
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
    int nprow, npcol, nb;
} problem;

/* The most indices of `extent` that one of `processes` holds, block-cyclic in blocks of nb, the first block's process
 * being any. */
static int64_t most_local(int64_t extent, int nb, int processes)
{
    int64_t blocks = extent / nb, rest = extent % nb;
    int64_t rounds = blocks / processes;
    return rounds * nb + (blocks % processes > 0 ? nb : rest);
}

static double real_operations(scalay_type type, int64_t m, int64_t n)
{
    double tall = (double)scalay_max_int64(m, n), thin = (double)scalay_min_int64(m, n);
    double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    return complex_factor * 2.0 * thin * thin * (tall - thin / 3.0);
}

static problem state_problem(const scalay_machine *machine, scalay_type type, int nprow, int npcol, int nb)
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
        .row_levels = log2(npcol),
        .col_levels = log2(nprow),
        .nprow = nprow,
        .npcol = npcol,
        .nb = nb,
    };
}

/* One panel of `width` columns with `rows` left below its top and `cols` right of it; adds `times` of it. */
static void add_panel(const problem *p, int64_t rows, int64_t cols, int64_t width, double times, scalay_qr_cost *cost)
{
    const double r = (double)most_local(rows, p->nb, p->nprow), c = (double)most_local(cols, p->nb, p->npcol);
    const double b = (double)width;
    cost->panel_seconds += times * 3.0 * r * b * b * p->flop_vector;
    cost->update_seconds += times * ((4.0 * r * b * c + b * b * c) * p->flop + PASSES_PER_UPDATE * r * c * p->touch);
    double latencies = MESSAGES_PER_COLUMN * b * p->col_levels;
    double elements = 0.0;
    if (cols > 0) {
        latencies += p->row_levels + 2.0 * p->col_levels;
        elements = (p->npcol > 1 ? r * b : 0.0) + 2.0 * p->col_levels * b * c;
    }
    cost->message_seconds += times * (latencies * p->rates.seconds_per_message + elements * p->transfer);
}

/* Elements updated by the busiest process, against the mean. */
static void add_balance(const problem *p, int64_t rows, int64_t cols, double times, double *most, double *mean)
{
    *most += times * (double)most_local(rows, p->nb, p->nprow) * (double)most_local(cols, p->nb, p->npcol);
    *mean += times * (double)rows * (double)cols / ((double)p->nprow * (double)p->npcol);
}

static void add_all_panels(const problem *p, int64_t m, int64_t n, scalay_qr_cost *cost)
{
    const int64_t reflectors = scalay_min_int64(m, n);
    const int64_t panels = scalay_ceil_div(reflectors, p->nb);
    const int64_t samples = scalay_min_int64(panels, SAMPLES);
    double most = 0.0, mean = 0.0;
    for (int64_t s = 0; s < samples; s++) {
        /* Sample s stands for the panels of its stretch, by the one in the middle. */
        int64_t first = panels / samples * s + panels % samples * s / samples;
        int64_t next = panels / samples * (s + 1) + panels % samples * (s + 1) / samples;
        int64_t top = (first + (next - first - 1) / 2) * p->nb;
        int64_t width = scalay_min_int64(p->nb, reflectors - top);
        add_panel(p, m - top, n - top - width, width, (double)(next - first), cost);
        add_balance(p, m - top, n - top - width, (double)(next - first), &most, &mean);
    }
    cost->balance = most > 0.0 ? mean / most : 1.0;
}

scalay_status scalay_model_qr(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int nprow,
                              int npcol, int nb, scalay_qr_cost *cost)
{
    if (cost == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "cost is NULL; pass the address of a scalay_qr_cost");
    if (scalay_type_flop_weight(type) == 0.0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "type is %d; pass SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or "
                           "_COMPLEX_DOUBLE",
                           type);
    if (m < 0 || n < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the matrix is %lld x %lld; extents are 0 or more", (long long)m,
                           (long long)n);
    if (nprow < 1 || npcol < 1 || nb < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the grid is %d x %d with blocks of %d; all are at least 1", nprow,
                           npcol, nb);
    const problem p = state_problem(machine, type, nprow, npcol, nb);
    if (!scalay_machine_is_valid(&p.rates))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "machine has a rate that is negative or not finite; measure it with "
                                                  "scalay_machine_measure");
    scalay_qr_cost found = {.flops = real_operations(type, m, n)};
    add_all_panels(&p, m, n, &found);
    found.seconds = found.update_seconds + found.panel_seconds + found.message_seconds;
    *cost = found;
    return SCALAY_SUCCESS;
}
