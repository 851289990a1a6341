#ifndef SCALAY_DROPIN_TRANSPOSE_H
#define SCALAY_DROPIN_TRANSPOSE_H

/** @file C := beta C + alpha op(A), as PBLAS has it. */

#include "scalay/types.h"

/** One of the routines. */
typedef struct {
    const char *name;   /* "pdtran" */
    const char *symbol; /* "pdtran_" */
    scalay_type type;
    scalay_op op;
} scalay_transposition;

/** A routine with its arguments. */
void scalay_pblas_transpose(const scalay_transposition *routine, const int *m, const int *n, const void *alpha,
                            const void *a, const int *ia, const int *ja, const int *desca, const void *beta, void *c,
                            const int *ic, const int *jc, const int *descc);

#endif
