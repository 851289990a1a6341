#ifndef SCALAY_MODEL_ADVICE_H
#define SCALAY_MODEL_ADVICE_H

/** @file Representation of advice, and the functions that add candidates. */

#include "base/text.h"
#include "model/load.h"
#include "model/machine.h"
#include "scalay/advice.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"

/** Size of a candidate's name, including the NUL. */
enum { SCALAY_ADVICE_NAME = 64 };

/** A candidate. */
typedef struct {
    char name[SCALAY_ADVICE_NAME];
    scalay_advice_candidate predicted; /* without its name */
    scalay_layout *layout;             /* owned */
} scalay_advice_entry;

struct scalay_advice {
    scalay_advice_options options; /* with the number of processes; pointers only during the creation */
    scalay_machine machine;
    const scalay_layout *source; /* only during the creation */
    int64_t m, n;
    const char *obstacle; /* why the kernel cannot run on the source; NULL: it can */
    int64_t count, capacity;
    scalay_advice_entry *entries;
};

/**
 * Adds a candidate.
 * @param[in]     name       truncated if it is too long
 * @param[in]     candidate  without its name and its sum
 * @param[in,out] layout     of the candidate; the advice becomes its owner, and the pointer becomes NULL
 */
scalay_status scalay_advice_add(scalay_advice *advice, const char *name, const scalay_advice_candidate *candidate,
                                scalay_layout **layout);

/** Adds staying if the kernel can run on the source; otherwise sets the obstacle. */
scalay_status scalay_advice_add_owner(scalay_advice *advice);

/** Adds grids with their mappings. */
scalay_status scalay_advice_add_grids(scalay_advice *advice);

/** Name of patterns in the names of candidates. */
#define SCALAY_ADVICE_PATTERN "pattern"

/** Adds patterns for products on numbers of processes without a good grid. */
scalay_status scalay_advice_add_patterns(scalay_advice *advice);

/** Appends what a pattern costs, and what the best grid with idle processes costs instead. */
void scalay_advice_append_idle(scalay_text *text, const scalay_advice *advice);

/** Adds distributions for the stencil, with staying. */
scalay_status scalay_advice_add_stencils(scalay_advice *advice);

/** Predicted time of one run of the kernel. */
typedef struct {
    double seconds;      /* negative or infinite: the kernel cannot run */
    const char *routine; /* of scalay_advice_candidate */
} scalay_advice_run;

/** Predicts one run of the kernel on a layout with parts on processes, by the fastest routine. */
scalay_status scalay_advice_predict(const scalay_advice *advice, const scalay_layout *layout, scalay_advice_run *run);

#endif
