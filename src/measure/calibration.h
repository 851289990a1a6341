#ifndef SCALAY_MEASURE_CALIBRATION_H
#define SCALAY_MEASURE_CALIBRATION_H

/** @file Calibration: a measured machine, the conditions under which it is valid, and its file. */

#include "measure/machine.h"
#include "scalay/measure.h"

/** Size of a text, including the NUL. */
enum { SCALAY_CALIBRATION_TEXT = 512 };

/** A measurement and its conditions. */
typedef struct {
    char host[SCALAY_CALIBRATION_TEXT];    /* of rank 0 */
    char cpu[SCALAY_CALIBRATION_TEXT];     /* model of rank 0's processor; "unknown" */
    char blas[SCALAY_CALIBRATION_TEXT];    /* file of dgemm; "unknown" */
    char mpi[SCALAY_CALIBRATION_TEXT];     /* version of the MPI library */
    char library[SCALAY_CALIBRATION_TEXT]; /* version of ScaLAY */
    int64_t processes;
    int64_t binding; /* fingerprint of the nodes and of the cores that the ranks share; 0: unknown */
    int64_t threads; /* of a BLAS call; 0: unknown */
    int64_t written; /* seconds since 1970 */
    scalay_machine_sample sample;
} scalay_calibration;

/** Sets the fields that this process knows: all except the binding, the processes and the sample. */
void scalay_calibration_describe(scalay_calibration *calibration);

/** Returns a fingerprint of processor, BLAS, threads and MPI, above 0. It is part of the file's name. */
int64_t scalay_calibration_key(const scalay_calibration *calibration);

/**
 * Reads a file.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FILE (it cannot be opened), SCALAY_ERROR_FORMAT (the message names the line)
 */
scalay_status scalay_calibration_read(const char *path, scalay_calibration *calibration);

/** Creates the folder of a file and its parent folder. If that is impossible, writing the file fails. */
scalay_status scalay_calibration_make_folders(const char *path);

/** Replaces a file; on failure the old file is unchanged. SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY. */
scalay_status scalay_calibration_write(const char *path, const scalay_calibration *calibration);

/**
 * As scalay_machine_calibrate(), with all that is known about the measurement.
 * @param[out] path         NULL, or shape [path_size]: the file
 * @param[out] calibration  caller-owned; texts and times only on rank 0
 */
scalay_status scalay_calibrate(scalay_comm *comm, const scalay_calibration_options *options, char *path,
                               size_t path_size, scalay_calibration *calibration);

#endif
