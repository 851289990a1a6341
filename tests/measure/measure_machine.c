/* Measuring the machine: plausible, the same on all ranks, and no rank is left alone when something is wrong. */
#include <math.h>
#include <string.h>

#include "scalay/measure.h"
#include "support/check.h"

static void check_plausible(scalay_comm *comm)
{
    scalay_machine machine = {0}, first = {0};
    CHECK_STATUS(scalay_machine_measure(comm, &machine), SCALAY_SUCCESS);
    /* Between a hundredth of a Gflop/s and 10 Tflop/s, 1 MB/s and 10 TB/s, 10 ns and a second. */
    CHECK(machine.seconds_per_flop > 1e-13 && machine.seconds_per_flop < 1e-7);
    CHECK(machine.seconds_per_flop_vector > 1e-13 && machine.seconds_per_flop_vector < 1e-7);
    CHECK(machine.seconds_per_byte > 1e-13 && machine.seconds_per_byte < 1e-6);
    CHECK(machine.seconds_per_byte_copied > 1e-13 && machine.seconds_per_byte_copied < 1e-6);
    CHECK(machine.seconds_per_message > 1e-8 && machine.seconds_per_message < 1.0);
    first = machine;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, scalay_comm_handle(comm));
    CHECK(memcmp(&first, &machine, sizeof first) == 0);
    if (scalay_comm_rank(comm) == 0)
        printf("flop %.3g, vector flop %.3g, message %.3g, byte %.3g, byte copied %.3g s\n", machine.seconds_per_flop,
               machine.seconds_per_flop_vector, machine.seconds_per_message, machine.seconds_per_byte,
               machine.seconds_per_byte_copied);
}

static void check_errors(scalay_comm *comm)
{
    scalay_machine machine = {0};
    int last = scalay_comm_size(comm) - 1;
    CHECK_STATUS(scalay_machine_measure(NULL, &machine), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_machine_measure(comm, scalay_comm_rank(comm) == last ? NULL : &machine), SCALAY_ERROR_ARGUMENT);
    for (int n = 1; n <= 2; n++) {
        scalay_memory_fail_at(scalay_comm_rank(comm) == last ? n : 0);
        CHECK_STATUS(scalay_machine_measure(comm, &machine), SCALAY_ERROR_MEMORY);
        scalay_memory_fail_at(0);
    }
    CHECK(machine.seconds_per_flop == 0.0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    check_plausible(comm);
    check_errors(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
