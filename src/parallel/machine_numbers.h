#ifndef SCALAY_PARALLEL_MACHINE_NUMBERS_H
#define SCALAY_PARALLEL_MACHINE_NUMBERS_H

/**
 * @file
 * The machine's numbers of a communicator, by which calls choose between ways of computing.
 *
 * All ranks have the same numbers, bit for bit: rank 0 reads or measures them for all kinds of nodes, and broadcasts
 * them once per communicator. A choice compares predictions in whole nanoseconds (scalay_whole_nanoseconds()).
 * Therefore all ranks choose alike, without further communication.
 *
 * How to use them:
 *
 *     const scalay_machine_numbers *numbers = NULL;
 *     SCALAY_TRY(scalay_machine_numbers_get(comm, 0, &numbers));
 *     if (numbers->source == SCALAY_NUMBERS_NONE) ...  // not measured: stay unless the descriptor alone decides
 *     seconds = scalay_model_move(&numbers->machine, type, &move);
 *     if (scalay_whole_nanoseconds(seconds) < scalay_whole_nanoseconds(staying)) ...
 *
 * A call that takes long enough passes a time limit, such as min(0.5 s, 10% of the predicted seconds of its kernel):
 * if no file has the numbers, they are measured once within that limit, and kept for later runs. If the file has
 * imprecise numbers, of a busy machine for example, they are measured again after SCALAY_CALIBRATION_PAUSE, and merged
 * (scalay_machine_sample_merge()).
 *
 * The file is in the cache folder of the user (scalay_calibration_path()). Its name has a fingerprint of processor
 * model, BLAS, threads and MPI, and the number of ranks. A file that cannot be read or written is not an error: the
 * process keeps what it measured. The environment variable SCALAY_CALIBRATE=off forbids measuring, and
 * SCALAY_MACHINE=FILE names another file.
 */

#include <math.h>
#include <stdint.h>

#include "base/status.h"
#include "parallel/machine_file.h"

/** Where the numbers come from. */
typedef enum {
    SCALAY_NUMBERS_NONE = 0,    /* nothing was measured; the rates are 0 */
    SCALAY_NUMBERS_KEPT = 1,    /* from a file */
    SCALAY_NUMBERS_MEASURED = 2 /* measured with this communicator */
} scalay_numbers_source;

/** Numbers of a communicator. */
typedef struct {
    scalay_machine machine;
    scalay_numbers_source source;
    double spread;       /* largest relative half width of a rate's 95% confidence interval; 0 without a measurement */
    double busy;         /* fraction of a processor that other programs had during the measurement */
    double page_seconds; /* of the first access to a page of 4 KiB on rank 0; measured in any case. Longer if ranks
                            share its processor */
    int needs_renewal;   /* 1: the file has imprecise numbers */
    int can_be_measured; /* 0: SCALAY_CALIBRATE=off */
} scalay_machine_numbers;

/** Limits below this one, in nanoseconds, are too short for a measurement. */
enum { SCALAY_NUMBERS_MIN_LIMIT = 50 * 1000 * 1000 };

/**
 * Returns the numbers of a communicator. The first call is collective over comm: scalay_node_probe(), one reduction and
 * one broadcast. If it finds no file or imprecise numbers, the first call with a sufficient limit is collective too,
 * and measures. All other calls are local.
 * @param[in]  limit    time limit in nanoseconds of a measurement; 0: do not measure. The same on all ranks
 * @param[out] numbers  owned by the communicator
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_machine_numbers_get(scalay_comm *comm, int64_t limit, const scalay_machine_numbers **numbers);

/**
 * Measures the machine. Collective over comm. Declared here, because scalay_machine_numbers_get() calls it, and defined
 * in measure/machine.c: it is the only function that this folder calls and does not contain. Each rate is measured in
 * windows until the 95% confidence interval of the mean is within 2.5% of the mean, or until the rate's share of the
 * time limit is over.
 * @param[in]  comm         the ranks
 * @param[in]  max_seconds  time limit of the whole measurement, above 0, the same on all ranks
 * @param[out] sample       caller-owned, the same on all ranks
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_machine_sample_measure(scalay_comm *comm, double max_seconds, scalay_machine_sample *sample);

/** Rounds seconds to whole nanoseconds, at most INT64_MAX; INT64_MAX for a NaN. */
static inline int64_t scalay_whole_nanoseconds(double seconds)
{
    const double nanoseconds = seconds * 1e9;
    return nanoseconds < 0x1p63 ? (int64_t)floor(nanoseconds + 0.5) : INT64_MAX;
}

#endif
