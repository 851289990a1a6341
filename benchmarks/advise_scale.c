/* How long advice takes for machines that nobody has here: a matrix of order 10^6 on many processes, QR or a product
 * once, by the rates of a typical machine. Everything is planned in this process. Processor seconds, medians.
 *
 * Usage: bench_advise_scale [REPETITIONS, default 3] */
#include "timing.h"

#include "scalay/advice.h"

enum { ORDER = 1000000, MOST_REPETITIONS = 99 };

typedef struct {
    int nprow, npcol, nb;
    scalay_kernel kernel;
} situation;

static void run(const situation *given, int repetitions)
{
    double seconds[MOST_REPETITIONS];
    scalay_advice_candidate chosen = {0};
    scalay_layout *source = NULL;
    scalay_advice *advice = NULL;
    scalay_advice_options options = scalay_advice_options_default();
    options.kernel = given->kernel;
    timing_must(scalay_layout_block_cyclic(ORDER, ORDER, given->nb, given->nb, given->nprow, given->npcol, 0, 0,
                                           SCALAY_ROW_MAJOR, &source));
    for (int k = 0; k < repetitions; k++) {
        scalay_advice_destroy(&advice);
        const double begin = timing_now();
        timing_must(scalay_advice_create(source, &options, &advice));
        seconds[k] = timing_now() - begin;
    }
    timing_must(scalay_advice_get_candidate(advice, 0, &chosen));
    printf("| %6d | %5d x %3d, %4d | %-6s | %-22s | %6.3f |\n", given->nprow * given->npcol, given->nprow, given->npcol,
           given->nb, scalay_kernel_name(given->kernel), chosen.name, timing_median(seconds, repetitions));
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
}

int main(int argc, char **argv)
{
    static const situation situations[] = {{32, 32, 64, SCALAY_KERNEL_QR},     {64, 64, 64, SCALAY_KERNEL_QR},
                                           {256, 256, 64, SCALAY_KERNEL_QR},   {256, 256, 1000, SCALAY_KERNEL_QR},
                                           {256, 256, 64, SCALAY_KERNEL_GEMM}, {65521, 1, 8, SCALAY_KERNEL_QR}};
    const int asked = argc > 1 ? atoi(argv[1]) : 3;
    const int repetitions = asked < 1 ? 1 : asked > MOST_REPETITIONS ? MOST_REPETITIONS : asked;
    timing_print_machine(NULL);
    printf("\n| P | grid, block | kernel | advised | s |\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof situations / sizeof situations[0]; k++) run(&situations[k], repetitions);
    return 0;
}
