/* Table 13 of Lastovetsky and Reddy Manumachu (2018): what share of the time of a SUMMA product PARALEPH would take on
 * a forecast exascale machine, by the paper's own formulas (2a) to (3c), scalay_model_summa() and
 * scalay_model_paraleph(), and its parameters (table 12).
 *
 * Four columns: as the paper must have done it, with the bandwidth term of (2c) left at beta = 0.01 as if that were
 * seconds, which gives 9 of its 11 entries to both digits; with its unit, 0.01 ns = 1e-11 s; per byte, with 8 bytes an
 * element, as (3c) has it; and with gamma, 1e18 operations per second, as the peak of the whole machine, of which each
 * processor has its share (2b divides by p and by gamma). */
#include "timing.h"

#include <math.h>

#include "scalay/model.h"

enum { ENTRIES = 11, POINTS = 1024, GRANULE = 1024, BLOCK = 256, PROCESSORS = 1 << 20 };

static const double all_flops = 1e18; /* gamma */
static const double balance = 0.75;   /* tau: what better distributions leave of the time of computation */
static const double printed[ENTRIES] = {1.2e-6, 6.1e-7, 3.0e-7, 1.5e-7, 7.6e-8, 3.8e-8,
                                        2.0e-8, 9.5e-9, 4.8e-9, 2.4e-9, 1.2e-9};

static scalay_machine machine_of(double seconds_per_byte, double flops)
{
    return (scalay_machine){
        .seconds_per_message = 500e-9, .seconds_per_byte = seconds_per_byte, .seconds_per_flop = 1.0 / flops};
}

/* PARALEPH's time in percent of that of SUMMA. */
static double percent(int64_t n, const scalay_machine *paraleph, const scalay_machine *summa)
{
    scalay_hockney_time shares = {0}, product = {0};
    if (scalay_model_paraleph(paraleph, POINTS, n, PROCESSORS, &shares) != SCALAY_SUCCESS ||
        scalay_model_summa(summa, SCALAY_DOUBLE, n * GRANULE, PROCESSORS, BLOCK, balance, &product) != SCALAY_SUCCESS) {
        fprintf(stderr, "%s\n", scalay_error_message());
        exit(1);
    }
    return 100.0 * shares.seconds / product.seconds;
}

int main(void)
{
    const scalay_machine slip = machine_of(0.01 / 8.0, all_flops), element = machine_of(1e-11 / 8.0, all_flops),
                         units = machine_of(1e-11, all_flops), each = machine_of(1e-11, all_flops / PROCESSORS);
    timing_print_machine(NULL);
    printf(
        "\nPercent of the product's time\n\n| n/p | printed, %% | beta = 0.01 in (2), %% | beta = 0.01 ns, %% | and 8 "
        "bytes an element, %% | and gamma not divided by p, %% |\n|---|---|---|---|---|---|\n");
    for (int k = 0; k < ENTRIES; k++) {
        const int64_t n = (int64_t)PROCESSORS << k;
        printf("| %d | %.1E | %.3G | %.3G | %.3G | %.3G |\n", 1 << k, printed[k], percent(n, &units, &slip),
               percent(n, &units, &element), percent(n, &units, &units), percent(n, &each, &each));
    }
    return 0;
}
