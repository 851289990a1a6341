#ifndef SCALAY_DROPIN_PREDICTION_H
#define SCALAY_DROPIN_PREDICTION_H

/**
 * @file
 * Predicted times of compute routines, for what process 0 reports. No choice depends on them.
 *
 * The models are those of scalay_advice_create(), with the measured rates of the machine if there are any. A routine
 * that is neither a factorisation nor a product is predicted as the one whose steps it repeats: p?gesv, p?getri as
 * p?getrf; p?posv, p?potri as p?potrf; p?getrs, p?potrs, p?trsm as p?gemm; all others as p?geqrf.
 */

#include "scalay/layout.h"
#include "scalay/measure.h"

/** Seconds of a routine where its matrix is, and on another grid. */
typedef struct {
    double stay_seconds, kernel_seconds;
    double move_seconds;  /* of the matrix alone */
    int nprow, npcol, nb; /* the grid; 0 on entry: the best one is chosen */
} scalay_prediction;

/** Reads the measured rates: SCALAY_MACHINE, or the file in the cache. Returns 0 if the machine was not measured. */
int scalay_prediction_machine(scalay_machine *machine);

/**
 * Predicts a factorisation or a product of the matrix, as said above. Local.
 * @param[in]     routine      "pdgesv"
 * @param[in]     source       layout of the matrix
 * @param[in]     brings_back  1: the matrix moves back
 * @param[in,out] prediction   of one call
 * @return 0 if there is no prediction
 */
int scalay_prediction_of(const char *routine, const scalay_layout *source, int brings_back,
                         scalay_prediction *prediction);

#endif
