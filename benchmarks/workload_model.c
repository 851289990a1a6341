/* Table 13 of Lastovetsky and Reddy Manumachu (2018): what share of the time of a SUMMA product PARALEPH would take on
 * a forecast exascale machine, by the paper's own formulas (2a) to (3c) and parameters (table 12).
 *
 * Three columns: as the paper must have done it, with the bandwidth term of (2c) left at beta = 0.01 as if that were
 * seconds, which gives 9 of its 11 entries to both digits; with the same units everywhere (beta = 0.01 ns = 1e-11 s per
 * byte, 8 bytes per element); and with gamma, 1e18 operations per second, as the peak of the whole machine, of which
 * each processor has its share (2b divides by p and by gamma). */
#include "timing.h"

#include <math.h>

enum { ENTRIES = 11 };

static const double processors = 1048576.0;
static const double points = 1024.0;  /* m */
static const double granule = 1024.0; /* N = 1024 n */
static const double flops = 1e18;     /* gamma */
static const double latency = 500e-9; /* alpha */
static const double per_byte = 1e-11; /* beta */
static const double block = 256.0;    /* b */
static const double balanced = 0.75;  /* tau: what better distributions leave of the time of computation */
static const double printed[ENTRIES] = {1.2e-6, 6.1e-7, 3.0e-7, 1.5e-7, 7.6e-8, 3.8e-8,
                                        2.0e-8, 9.5e-9, 4.8e-9, 2.4e-9, 1.2e-9};

/* Formulas 2a to 2c; bandwidth in seconds per element, speed in operations per second and processor. */
static double summa_seconds(double n, double bandwidth, double speed)
{
    const double size = n * granule;
    const double side = sqrt(processors);
    const double computation = 2.0 * size * size * size / processors * balanced / speed;
    const double messages = (log2(processors) + 2.0 * (side - 1.0)) * latency * size / block;
    return computation + messages + 4.0 * (1.0 - 1.0 / side) * bandwidth * size * size / side;
}

/* Formulas 3a to 3c. */
static double paraleph_seconds(double n)
{
    return points * (n + processors) / flops + (latency + per_byte * 8.0) * n * processors;
}

int main(void)
{
    timing_print_machine(NULL);
    printf("\nPercent of the product's time\n%6s %10s %10s %10s %14s\n", "n/p", "printed", "slip", "same units",
           "and gamma of all");
    for (int k = 0; k < ENTRIES; k++) {
        const double n = ldexp(processors, k);
        const double percent = 100.0 * paraleph_seconds(n);
        printf("%6d %10.1e %10.1e %10.1e %14.1e\n", 1 << k, printed[k], percent / summa_seconds(n, 0.01, flops),
               percent / summa_seconds(n, 8.0 * per_byte, flops),
               percent / summa_seconds(n, 8.0 * per_byte, flops / processors));
    }
    return 0;
}
