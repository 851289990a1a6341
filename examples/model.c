/* Predicts the times of messages, of a move, of products and of a factorisation on the measured machine, and chooses a
 * process grid. */
#include <mpi.h>
#include <stdio.h>

#include "scalay/scalay.h"

/* The measured machine beside the default machine. */
static int measure(scalay_comm *comm, scalay_machine *machine)
{
    const scalay_machine typical = scalay_machine_typical();
    if (scalay_machine_measure(comm, machine) != SCALAY_SUCCESS) return 0;
    if (scalay_comm_rank(comm) == 0)
        printf("%.1f Gflop/s a process (typical: %.1f), a message takes %.1f us, then %.2f GB/s\n",
               1e-9 / machine->seconds_per_flop, 1e-9 / typical.seconds_per_flop, 1e6 * machine->seconds_per_message,
               1e-9 / machine->seconds_per_byte);
    return machine->seconds_per_flop > 0.0;
}

/* From row slabs to a 2 x 2 grid: half of the matrix moves. */
static int predict_move(const scalay_machine *machine)
{
    scalay_layout *source = NULL, *target = NULL;
    scalay_traffic *traffic = NULL;
    scalay_mapping *mapping = NULL;
    scalay_move move = {0};
    int fine =
        scalay_layout_block_cyclic(4000, 4000, 1000, 4000, 4, 1, 0, 0, SCALAY_ROW_MAJOR, &source) == SCALAY_SUCCESS &&
        scalay_layout_block_cyclic(4000, 4000, 64, 64, 2, 2, 0, 0, SCALAY_ROW_MAJOR, &target) == SCALAY_SUCCESS &&
        scalay_traffic_create(source, target, &traffic) == SCALAY_SUCCESS &&
        scalay_mapping_from_traffic(traffic, SCALAY_MIN_VOLUME, NULL, &mapping) == SCALAY_SUCCESS &&
        scalay_move_from_traffic(traffic, scalay_mapping_process(mapping), &move) == SCALAY_SUCCESS;
    move.segments = scalay_layout_segments(source, target);
    const double seconds = fine ? scalay_model_move(machine, SCALAY_DOUBLE, &move) : -1.0;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("moving %lld elements in %lld steps and at most %lld messages a process: %.3g s\n",
               (long long)move.volume, (long long)move.steps, (long long)move.messages, seconds);
    scalay_mapping_destroy(&mapping);
    scalay_traffic_destroy(&traffic);
    scalay_layout_destroy(&target);
    scalay_layout_destroy(&source);
    return fine && seconds > 0.0;
}

/* Hockney's model of a message, of SUMMA on 1024 processors, and of PARALEPH; an eigensolver of ScaLAPACK. */
static int predict_messages(const scalay_machine *machine)
{
    scalay_hockney_time product = {0}, shares = {0};
    const int fine = scalay_model_summa(machine, SCALAY_DOUBLE, 65536, 1024, 64, 1.0, &product) == SCALAY_SUCCESS &&
                     scalay_model_paraleph(machine, 1024, 65536, 1024, &shares) == SCALAY_SUCCESS;
    const double narrow = scalay_model_driver(machine, SCALAY_DRIVER_SYEVD, SCALAY_DOUBLE, 2000, 2000, 2000, 4, 4, 1);
    const double wide = scalay_model_driver(machine, SCALAY_DRIVER_SYEVD, SCALAY_DOUBLE, 2000, 2000, 2000, 4, 4, 32);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("p?syevd of order 2000 on 4 x 4: %.3g s in blocks of 1, %.3g s in blocks of 32\n", narrow, wide);
    if (fine && rank == 0)
        printf("a message of 1 MB takes %.3g s, starting one as long as %lld doubles\n"
               "SUMMA of order 65536 on 1024 processors: %.3g s, %.3g s of them messages; PARALEPH for it: %.3g s\n",
               scalay_model_message(machine, 1000000), (long long)scalay_model_startup(machine, SCALAY_DOUBLE),
               product.seconds, product.message_seconds, shares.seconds);
    return fine && product.seconds > product.message_seconds;
}

/* No good grid has 13 processes. A grid of 12 is faster. */
static int choose_grid(const scalay_machine *machine)
{
    scalay_qr_choice *choice = NULL;
    scalay_qr_candidate best = {0};
    scalay_qr_cost flat = {0};
    char text[1024];
    const scalay_qr_limits limits = scalay_qr_limits_default(13);
    int fine = scalay_model_qr_choose(machine, SCALAY_DOUBLE, 8000, 8000, &limits, &choice) == SCALAY_SUCCESS &&
               scalay_qr_choice_get_candidate(choice, 0, &best) == SCALAY_SUCCESS &&
               scalay_model_qr(machine, SCALAY_DOUBLE, 8000, 8000, 13, 1, best.nb, &flat) == SCALAY_SUCCESS;
    (void)scalay_qr_choice_describe(choice, text, sizeof text);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("out of %d candidates: %s\n", scalay_qr_choice_count(choice), text);
    scalay_qr_choice_destroy(&choice);
    return fine && best.cost.seconds <= flat.seconds;
}

/* A product on two processes, one of them three times as fast: its part is three quarters of C. */
static int predict_product(const scalay_machine *machine)
{
    const double area[] = {3.0, 1.0}, speed[] = {machine->seconds_per_flop, 3.0 * machine->seconds_per_flop};
    scalay_partition *partition = NULL;
    scalay_multiply_time time = {0};
    double compute[2] = {0.0}, communicate[2] = {0.0};
    scalay_multiply_options options = scalay_multiply_options_default();
    options.seconds_per_flop = speed;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int fine = scalay_partition_create(4000, 4000, 2, area, NULL, &partition) == SCALAY_SUCCESS &&
                     scalay_model_multiply(machine, SCALAY_DOUBLE, scalay_partition_map(partition), 4000, &options,
                                           compute, communicate, &time) == SCALAY_SUCCESS;
    if (fine && rank == 0)
        printf(
            "a product of order 4000: %lld elements travel, %.3g s: computing %.3g s and %.3g s, communicating %.3g s "
            "and %.3g s\n",
            (long long)time.volume, time.seconds, compute[0], compute[1], communicate[0], communicate[1]);
    scalay_partition_destroy(&partition);
    return fine && compute[0] < 1.01 * compute[1] && compute[1] < 1.01 * compute[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_machine machine = {0};
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    int fine = measure(comm, &machine) && predict_messages(&machine) && predict_move(&machine) &&
               predict_product(&machine) && choose_grid(&machine) && choose_grid(NULL);
    if (!fine) puts(scalay_error_message());
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return fine ? 0 : 1;
}
