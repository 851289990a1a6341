#ifndef SCALAY_MODEL_QR_H
#define SCALAY_MODEL_QR_H

/** @file Predicted time of p?geqrf on blocks that are not square. */

#include "model/load.h"
#include "scalay/model.h"

/** As scalay_model_qr_speeds(), with mb x nb blocks. Failures are in the name of `function`. */
scalay_status scalay_qr_on_grid(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n,
                                const scalay_load_grid *grid, const char *function, scalay_qr_cost *cost);

#endif
