#ifndef SCALAY_TESTS_EPYC_H
#define SCALAY_TESTS_EPYC_H

/** @file Rates of a machine that was measured. */

#include "scalay/model.h"

/** Two processes of an AMD EPYC with OpenBLAS. */
static const scalay_machine measured_machine = {
    .seconds_per_flop = 1.949e-11,
    .seconds_per_flop_vector = 1.040e-10,
    .seconds_per_message = 3.96e-07,
    .seconds_per_byte = 4.9e-11,
    .seconds_per_byte_copied = 9.59e-11,
    .seconds_per_large_message = 3.80e-06,
    .gemm_curve = {9.432e-11, 5.054e-11, 3.132e-11, 2.338e-11, 2.103e-11, 2.001e-11, 1.949e-11, 1.949e-11, 1.949e-11},
    .vector_curve = {5.141e-11, 5.186e-11, 4.819e-11, 4.644e-11, 6.044e-11},
    .copy_curve = {3.265e-11, 3.143e-11, 3.129e-11, 3.261e-11, 3.471e-11, 9.590e-11},
    .swap_curve = {5.981e-10, 3.579e-09, 9.301e-09, 1.491e-08, 1.547e-08, 1.667e-08}};

#endif
