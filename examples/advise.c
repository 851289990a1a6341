/* Advice: whether a matrix should move before a kernel runs, and to which layout. For QR, for a kernel of the program,
 * and for processes of different speeds. */
#include <mpi.h>
#include <stdio.h>

#include "scalay/scalay.h"

/* Measures the machine once and keeps the numbers in a file. The second call reads the file. */
static int calibrate(scalay_comm *comm, scalay_machine *machine)
{
    scalay_machine kept = {0};
    char path[4096];
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = "example_advise_machine.txt"; /* default: a file in the cache folder of the user */
    const int fine = scalay_machine_calibrate(comm, &options, machine) == SCALAY_SUCCESS &&
                     scalay_machine_read(scalay_comm_size(comm), &options, &kept) == SCALAY_SUCCESS;
    if (fine && scalay_comm_rank(comm) == 0 && scalay_calibration_path(4, path, sizeof path) > 0)
        printf("%.3g Gflop/s a process with all at work; without a path, 4 processes are kept in %s\n",
               1e-9 / kept.seconds_per_flop, path);
    return fine && kept.seconds_per_flop == machine->seconds_per_flop;
}

static int print_advice(scalay_comm *comm, const scalay_advice *advice)
{
    scalay_advice_candidate c = {0};
    char text[1024];
    if (scalay_advice_get_candidate(advice, 0, &c) != SCALAY_SUCCESS) return 0;
    if (scalay_comm_rank(comm) != 0) return 1;
    for (int k = 0; k < scalay_advice_count(advice) && k < 3; k++) {
        (void)scalay_advice_get_candidate(advice, k, &c);
        printf("  %-22s move %.3g s, kernel %.3g s, total %.3g s\n", c.name, c.move_seconds, c.kernel_seconds,
               c.seconds);
    }
    (void)scalay_advice_describe(advice, text, sizeof text);
    printf("%s\n", text);
    return 1;
}

/* One slab of columns per process is a slow layout for a factorisation. Follows the advice. */
static int advise_qr(scalay_comm *comm, const scalay_machine *machine)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_advice *advice = NULL;
    scalay_plan *plan = NULL;
    int core[4] = {0};
    scalay_advice_options options = scalay_advice_options_default();
    options.machine = machine;
    options.times = 10;
    options.core = core; /* ranks that share a core do not run at the same time */
    int fine =
        scalay_machine_cores(comm, core) == SCALAY_SUCCESS &&
        scalay_layout_block_cyclic(1000, 1000, 250, 250, 1, 4, 0, 0, SCALAY_ROW_MAJOR, &source) == SCALAY_SUCCESS &&
        scalay_advice_create(source, &options, &advice) == SCALAY_SUCCESS && print_advice(comm, advice);
    if (fine && scalay_advice_should_move(advice))
        fine = scalay_advice_layout(advice, 0, &target) == SCALAY_SUCCESS &&
               scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan) == SCALAY_SUCCESS;
    scalay_plan_destroy(&plan);
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&source);
    return fine;
}

/* Time of a sweep over columns: that of the process with the most columns. */
static double sweep_cost(const scalay_layout *layout, void *context)
{
    int64_t most = 0;
    for (int p = 0; p < scalay_layout_processes(layout); p++) {
        const int64_t mine = scalay_layout_elements(layout, p);
        most = mine > most ? mine : most;
    }
    return (double)most * *(const double *)context;
}

static int advise_own_kernel(scalay_comm *comm, const scalay_machine *machine)
{
    scalay_layout *source = NULL;
    scalay_advice *advice = NULL;
    double seconds_per_element = 1e-6;
    scalay_advice_options options = scalay_advice_options_default();
    options.machine = machine;
    options.kernel = SCALAY_KERNEL_OTHER;
    options.cost = sweep_cost;
    options.cost_context = &seconds_per_element;
    /* Three blocks of columns on four processes: one process has no block. */
    int fine =
        scalay_layout_block_cyclic(600, 600, 600, 200, 1, 4, 0, 0, SCALAY_ROW_MAJOR, &source) == SCALAY_SUCCESS &&
        scalay_advice_create(source, &options, &advice) == SCALAY_SUCCESS;
    if (fine && scalay_comm_rank(comm) == 0) printf("kernel \"%s\":\n", scalay_kernel_name(options.kernel));
    fine = fine && print_advice(comm, advice);
    scalay_advice_destroy(&advice);
    scalay_layout_destroy(&source);
    return fine;
}

/* One process of half the speed delays all others, in a factorisation and in a product. */
static int slow_process(scalay_comm *comm)
{
    const double speed[4] = {1.0, 1.0, 1.0, 0.5};
    scalay_qr_cost equal = {0}, qr = {0};
    scalay_gemm_cost gemm = {0};
    int fine = scalay_model_qr(NULL, SCALAY_DOUBLE, 4000, 4000, 2, 2, 64, &equal) == SCALAY_SUCCESS &&
               scalay_model_qr_speeds(NULL, SCALAY_DOUBLE, 4000, 4000, 2, 2, 64, speed, &qr) == SCALAY_SUCCESS &&
               scalay_model_gemm(NULL, SCALAY_DOUBLE, 4000, 4000, 4000, 2, 2, 64, speed, &gemm) == SCALAY_SUCCESS;
    if (fine && scalay_comm_rank(comm) == 0)
        printf("QR on four equal processes: %.3g s, one of half the speed: %.3g s; a product there: %.3g s, balance "
               "%.2f\n",
               equal.seconds, qr.seconds, gemm.seconds, gemm.balance);
    return fine && qr.seconds > equal.seconds;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_machine machine = {0};
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    int fine = calibrate(comm, &machine) && advise_qr(comm, &machine) && advise_own_kernel(comm, &machine) &&
               slow_process(comm);
    if (!fine) puts(scalay_error_message());
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
