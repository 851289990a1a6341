#ifndef SCALAY_TESTS_MACHINE_H
#define SCALAY_TESTS_MACHINE_H

/** @file Files with the rates of machines that were never measured. */

#include "parallel/machine_numbers.h"
#include "support/check.h"

/** Rates with fast messages, on which all operations cost the same. */
static inline scalay_machine even_machine(void)
{
    scalay_machine machine = {.seconds_per_flop = 1e-11,
                              .seconds_per_flop_vector = 1e-9,
                              .seconds_per_message = 1e-7,
                              .seconds_per_byte = 1e-12,
                              .seconds_per_byte_copied = 1e-12,
                              .solo_time_ratio = 1.0,
                              .ring_slowdown = 1.0,
                              .concurrent_processes = check_size()};
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = 1e-11;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) machine.vector_curve[k] = k == 0 ? 1e-11 : 1e-8;
    for (int k = 0; k < SCALAY_COPY_CURVE; k++) machine.copy_curve[k] = 1e-12;
    return machine;
}

/** Writes the file of a machine, with the conditions of this one. Collective. */
static inline void write_machine(const char *path, const scalay_machine *machine)
{
    scalay_comm *comm = NULL;
    scalay_calibration here = {.sample.machine = *machine};
    int64_t key = 0;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_calibration_find_conditions(comm, SCALAY_SUCCESS, &here, &key), SCALAY_SUCCESS);
    if (check_rank() == 0) CHECK_STATUS(scalay_calibration_write(path, &here), SCALAY_SUCCESS);
    scalay_comm_destroy(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

#endif
