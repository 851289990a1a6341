#include <math.h>

#include "base/integer.h"
#include "model/load.h"
#include "model/machine.h"

/* PBLAS multiplies panels of so many columns of A and rows of B, whatever the blocks of the matrices: its pilaenv. */
#define PANEL 32
/* Each panel is copied twice on its way: collected for the broadcast, and put into the order of the blocks. */
#define COPIES 2.0
/* Where the columns of a local array begin at the same place of every page they meet in the caches: so many times as
 * long, in bench_advise's situations. */
#define CONFLICTS 1.2
enum { PAGE_BYTES = 4096 };

/* What a panel of `width` costs, in the seconds of the machine. */
static void add_panels(const scalay_machine *rates, scalay_type type, int64_t m, int64_t n, int64_t k,
                       const scalay_load_grid *grid, scalay_gemm_cost *cost)
{
    const double size = (double)scalay_type_size(type), weight = scalay_type_flop_weight(type);
    const double rows = (double)scalay_load_most(m, grid->nb, grid->nprow);
    const double cols = (double)scalay_load_most(n, grid->nb, grid->npcol);
    const double elements = scalay_load_elements(rates, grid, m, n, 0, 0);
    const double panels = (double)scalay_ceil_div(k, PANEL), depth = (double)k;
    const double touch = 2.0 * rates->seconds_per_flop_vector * size / 8.0;
    const double levels = log2(grid->npcol) + log2(grid->nprow);
    const double conflicts = fmod(rows * size, PAGE_BYTES) == 0.0 ? CONFLICTS : 1.0;
    cost->compute_seconds = conflicts * 2.0 * elements * depth * weight * rates->seconds_per_flop;
    cost->memory_seconds = conflicts * 2.0 * elements * panels * touch;
    /* A rank's panels of A come along its grid row, those of B along its column. */
    const double sent = (grid->npcol > 1 ? rows * depth : 0.0) + (grid->nprow > 1 ? cols * depth : 0.0);
    cost->message_seconds = panels * levels * rates->seconds_per_message +
                            sent * size * (rates->seconds_per_byte + COPIES * rates->seconds_per_byte_copied);
}

scalay_status scalay_model_gemm(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                int nprow, int npcol, int nb, const double *speed, scalay_gemm_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine), dedicated = {0};
    const scalay_load_grid grid = {nprow, npcol, nb, speed};
    if (cost == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "cost is NULL; pass the address of a scalay_gemm_cost");
    if (m < 0 || n < 0 || k < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "the product is %lld x %lld with an inner extent of %lld; extents are 0 or more",
                           (long long)m, (long long)n, (long long)k);
    SCALAY_TRY(scalay_load_check(&grid, __func__));
    SCALAY_TRY(scalay_machine_check(&rates, type, __func__));
    const double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    const double most = scalay_load_elements(&dedicated, &grid, m, n, 0, 0);
    scalay_gemm_cost found = {.flops = complex_factor * 2.0 * (double)m * (double)n * (double)k};
    found.balance = most > 0.0 ? (double)m * (double)n / scalay_load_speeds(&grid) / most : 1.0;
    add_panels(&rates, type, m, n, k, &grid, &found);
    found.seconds = found.compute_seconds + found.memory_seconds + found.message_seconds;
    *cost = found;
cleanup:
    return status;
}
