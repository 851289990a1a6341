#ifndef SCALAY_MODEL_ADVICE_H
#define SCALAY_MODEL_ADVICE_H

/** @file What advice holds, and how candidates are added to it. */

#include "model/machine.h"
#include "scalay/advice.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"

/** Room for a candidate's name. */
enum { SCALAY_ADVICE_NAME = 64 };

/** A candidate. */
typedef struct {
    char name[SCALAY_ADVICE_NAME];
    scalay_advice_candidate told; /* its name is set when it is told */
    scalay_layout *layout;        /* owned */
} scalay_advice_entry;

struct scalay_advice {
    scalay_advice_options options; /* with the machine and the processes filled in */
    scalay_machine machine;
    const scalay_layout *source; /* only while advice is made */
    int64_t m, n;
    const char *obstacle; /* why ScaLAPACK cannot run it where it is; NULL: it can, or is not what would run */
    int64_t count, capacity;
    scalay_advice_entry *entries;
};

/**
 * Adds a candidate.
 * @param[in,out] advice     advice in the making
 * @param[in]     name       cut where it is too long
 * @param[in]     candidate  without its name and its sum
 * @param[in,out] layout     where it has the matrix; taken over, NULL then
 */
scalay_status scalay_advice_add(scalay_advice *advice, const char *name, const scalay_advice_candidate *candidate,
                                scalay_layout **layout);

/** Adds staying, when the kernel can run where the matrix is; notes the obstacle otherwise. */
scalay_status scalay_advice_add_owner(scalay_advice *advice);

/** Adds grids with their mappings. */
scalay_status scalay_advice_add_grids(scalay_advice *advice);

/** Adds distributions for the stencil, staying among them. */
scalay_status scalay_advice_add_stencils(scalay_advice *advice);

/** Predicted seconds of one run on a grid; negative: it cannot run there. */
scalay_status scalay_advice_kernel(const scalay_advice *advice, int nprow, int npcol, int nb, double *seconds);

#endif
