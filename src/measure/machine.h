#ifndef SCALAY_MEASURE_MACHINE_H
#define SCALAY_MEASURE_MACHINE_H

/** @file Measurement of the machine's rates with their precision. */

#include "base/status.h"
#include "scalay/types.h"

/** Rates of a scalay_machine that are measured one by one. */
enum {
    SCALAY_RATE_FLOP,
    SCALAY_RATE_FLOP_VECTOR,
    SCALAY_RATE_BYTE_COPIED,
    SCALAY_RATE_BYTE,
    SCALAY_RATE_MESSAGE,
    SCALAY_RATES
};

/** Returns the name of a rate in messages and files, such as "seconds_per_flop". */
const char *scalay_rate_name(int rate);

/** A measured machine, and how well it was measured. */
typedef struct {
    scalay_machine machine;
    double spread[SCALAY_RATES]; /* half the 95% confidence interval of the mean, over the mean */
    double busy;                 /* largest fraction of a processor that a computing rank did not get; 0: quiet */
    double seconds;              /* duration of the measurement */
} scalay_machine_sample;

/** A rank is called busy from this fraction on. */
#define SCALAY_BUSY 0.1

/**
 * Measures the machine. Collective over comm. Each rate is measured in windows until the 95% confidence interval of the
 * mean is within 2.5% of the mean, or until the rate's share of the time limit is over.
 * @param[in]  comm         the ranks
 * @param[in]  max_seconds  time limit of the whole measurement, above 0, the same on all ranks
 * @param[out] sample       caller-owned, the same on all ranks
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_machine_sample_measure(scalay_comm *comm, double max_seconds, scalay_machine_sample *sample);

#endif
