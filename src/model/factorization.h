#ifndef SCALAY_MODEL_FACTORIZATION_H
#define SCALAY_MODEL_FACTORIZATION_H

/** @file Predicted time of p?geqrf, p?getrf and p?potrf. */

#include "model/load.h"
#include "scalay/model.h"

/** A routine of ScaLAPACK. */
typedef enum {
    SCALAY_MODEL_QR = 0,      /* p?geqrf */
    SCALAY_MODEL_LU = 1,      /* p?getrf */
    SCALAY_MODEL_CHOLESKY = 2 /* p?potrf of a lower triangle; an upper one: on the transposed grid */
} scalay_model_kind;

/** As scalay_model_qr_speeds(), for a routine and mb x nb blocks. Failures are in the name of `function`. */
SCALAY_API scalay_status scalay_factorization_on_grid(const scalay_machine *machine, scalay_model_kind kind,
                                                      scalay_type type, int64_t m, int64_t n,
                                                      const scalay_load_grid *grid, const char *function,
                                                      scalay_qr_cost *cost);

#endif
