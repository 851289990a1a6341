/* Measuring the machine: plausible, the same on all ranks, and no rank is left alone when something is wrong. */
#define _GNU_SOURCE
#include <sched.h>

#include <math.h>
#include <string.h>

#include "measure/machine.h"
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
    CHECK(machine.solo_time_ratio > 0.0 && machine.solo_time_ratio <= 1.0 && machine.ring_slowdown >= 1.0);
    CHECK(machine.concurrent_processes >= 1 && machine.concurrent_processes <= machine.processes);
    first = machine;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, scalay_comm_handle(comm));
    CHECK(memcmp(&first, &machine, sizeof first) == 0);
    if (scalay_comm_rank(comm) == 0)
        printf("flop %.3g, vector flop %.3g, message %.3g, byte %.3g, byte copied %.3g s\n", machine.seconds_per_flop,
               machine.seconds_per_flop_vector, machine.seconds_per_message, machine.seconds_per_byte,
               machine.seconds_per_byte_copied);
}

/* All ranks on the processor that the first one begins with share it; afterwards they are where they were. */
static void check_cores(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    scalay_comm *bound = NULL;
    scalay_machine_sample sample = {.busy = -1.0};
    cpu_set_t before, one;
    int core[64] = {0}, first = 0;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    while (!CPU_ISSET((size_t)first, &before)) first++;
    MPI_Bcast(&first, 1, MPI_INT, 0, scalay_comm_handle(comm));
    CPU_ZERO(&one);
    CPU_SET((size_t)first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK_STATUS(scalay_comm_create(scalay_comm_handle(comm), &bound), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_machine_cores(bound, core), SCALAY_SUCCESS);
    for (int p = 0; p < size; p++) CHECK(core[p] == 0);
    CHECK_STATUS(scalay_machine_sample_measure(bound, 0.1, &sample), SCALAY_SUCCESS);
    CHECK(sample.machine.concurrent_processes == 1);
    for (int rate = 0; rate < SCALAY_RATES; rate++) CHECK(sample.spread[rate] >= 0.0 && sample.spread[rate] < 100.0);
    CHECK(sample.busy >= 0.0 && sample.busy <= 1.0 && sample.seconds > 0.0);
    scalay_comm_destroy(&bound);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    if (CPU_COUNT(&before) > 1) {
        CHECK_STATUS(scalay_comm_create(scalay_comm_handle(comm), &bound), SCALAY_SUCCESS);
        CHECK_STATUS(scalay_machine_cores(bound, core), SCALAY_SUCCESS);
        CHECK(core[rank] == rank);
        scalay_comm_destroy(&bound);
    }
    CHECK_STATUS(scalay_machine_cores(NULL, core), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_machine_cores(comm, rank == size - 1 ? NULL : core), SCALAY_ERROR_ARGUMENT);
}

static void check_errors(scalay_comm *comm)
{
    scalay_machine machine = {0};
    int last = scalay_comm_size(comm) - 1;
    CHECK_STATUS(scalay_machine_measure(NULL, &machine), SCALAY_ERROR_ARGUMENT);
    CHECK_STATUS(scalay_machine_measure(comm, scalay_comm_rank(comm) == last ? NULL : &machine), SCALAY_ERROR_ARGUMENT);
    scalay_memory_fail_at(scalay_comm_rank(comm) == last ? 1 : 0);
    CHECK_STATUS(scalay_machine_measure(comm, &machine), SCALAY_ERROR_MEMORY);
    scalay_memory_fail_at(0);
    CHECK(machine.seconds_per_flop == 0.0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    check_plausible(comm);
    check_cores(comm);
    check_errors(comm);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
