#ifndef SCALAY_MEASURE_CALIBRATION_H
#define SCALAY_MEASURE_CALIBRATION_H

/** @file A measured machine with what it holds for: in memory, in a file, and of the process at hand. */

#include "base/status.h"
#include "scalay/measure.h"

/** Room for texts, their NUL included. */
enum { SCALAY_CALIBRATION_TEXT = 512 };

/** Where a measurement was made, and what came out. */
typedef struct {
    char host[SCALAY_CALIBRATION_TEXT];    /* of rank 0 */
    char blas[SCALAY_CALIBRATION_TEXT];    /* the file that dgemm comes from; "unknown" */
    char library[SCALAY_CALIBRATION_TEXT]; /* ScaLAY's version */
    int64_t processes;
    int64_t binding; /* a fingerprint of the hosts of all ranks and the cores they may use; 0: not known */
    int64_t threads; /* of a BLAS call; 0: not known */
    int64_t written; /* seconds since 1970 */
    scalay_machine machine;
} scalay_calibration;

/** What the process at hand can say without others: all but the binding, the processes and the machine. */
void scalay_calibration_describe(scalay_calibration *calibration);

/** Hosts and bindings of all ranks. Collective. */
scalay_status scalay_calibration_binding(scalay_comm *comm, int64_t *binding);

/**
 * Reads a file, strictly.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FILE (it cannot be opened), SCALAY_ERROR_FORMAT (the message names the line)
 */
scalay_status scalay_calibration_read(const char *path, scalay_calibration *calibration);

/** Makes the folder of a file and the one above it, as far as they are missing; that they cannot be made shows when the
 * file is written. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_calibration_make_folders(const char *path);

/** Writes a file, or leaves what was there. SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY. */
scalay_status scalay_calibration_write(const char *path, const scalay_calibration *calibration);

/**
 * Whether a calibration holds for what is at hand.
 * @param[in] function   in whose name to fail
 * @param[in] path       for the message
 * @param[in] found      from a file
 * @param[in] here       what is at hand; processes and binding 0: any will do
 * @param[in] options    most age, anywhere
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH (the message says what differs, and the remedy)
 */
scalay_status scalay_calibration_compare(const char *function, const char *path, const scalay_calibration *found,
                                         const scalay_calibration *here, const scalay_calibration_options *options);

#endif
