#ifndef SCALAY_MEASURE_CALIBRATION_H
#define SCALAY_MEASURE_CALIBRATION_H

/** @file Calibration with everything that is known about the measurement. */

#include "measure/machine.h"
#include "scalay/measure.h"

/**
 * As scalay_machine_calibrate(), with all that is known about the measurement.
 * @param[out] path         NULL, or shape [path_size]: the file
 * @param[out] calibration  caller-owned; texts and times only on rank 0
 */
scalay_status scalay_calibrate(scalay_comm *comm, const scalay_calibration_options *options, char *path,
                               size_t path_size, scalay_calibration *calibration);

/**
 * As scalay_machine_read(), for a layout of nodes.
 * @param[in]  layout  scalay_calibration_layout(); 0: any layout, one node before the others
 * @param[out] path    NULL, or shape [path_size]: the file
 */
scalay_status scalay_machine_read_layout(int processes, int64_t layout, const scalay_calibration_options *options,
                                         char *path, size_t path_size, scalay_machine *machine);

#endif
