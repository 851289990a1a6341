#ifndef SCALAY_MODEL_ADVICE_H
#define SCALAY_MODEL_ADVICE_H

/** @file Representation of advice, and the functions that add candidates. */

#include "base/text.h"
#include "model/load.h"
#include "model/machine.h"
#include "model/nodes.h"
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

/** Predicted time of one run of the kernel. */
typedef struct {
    double seconds;      /* negative or infinite: the kernel cannot run */
    const char *routine; /* of scalay_advice_candidate */
} scalay_advice_run;

/** Ranks of equal speed that use processes of different speeds: more of them on the faster ones. ranks 0: none. */
typedef struct {
    int ranks, nprow, npcol, nb; /* nprow 0: not a grid */
    scalay_advice_run run;       /* by ScaLAPACK on the best grid, or by the engine */
} scalay_advice_ranks;

struct scalay_advice {
    scalay_advice_options options; /* with the number of processes; pointers only during the creation */
    scalay_machine machine;
    const scalay_layout *source; /* only during the creation */
    int64_t m, n;
    const char *obstacle; /* why the kernel cannot run on the source; NULL: it can */
    int64_t count, capacity;
    scalay_advice_entry *entries;
    scalay_advice_ranks more;
};

/**
 * Adds a candidate.
 * @param[in]     name       truncated if it is too long
 * @param[in]     candidate  without its name and its sum
 * @param[in,out] layout     of the candidate; the advice becomes its owner, and the pointer becomes NULL
 */
scalay_status scalay_advice_add(scalay_advice *advice, const char *name, const scalay_advice_candidate *candidate,
                                scalay_layout **layout);

/** Returns the nodes of the processes. */
scalay_nodes scalay_advice_nodes(const scalay_advice *advice);

/** Predicts a move of all matrices of the kernel. `process`: of each part; traffic NULL: nodes are not counted. */
scalay_status scalay_advice_predict_move(const scalay_advice *advice, const scalay_traffic *traffic, const int *process,
                                         const scalay_move *move, double *seconds);

/** Adds staying if the kernel can run on the source; otherwise sets the obstacle. */
scalay_status scalay_advice_add_owner(scalay_advice *advice);

/** Adds grids with their mappings. */
scalay_status scalay_advice_add_grids(scalay_advice *advice);

/** Name of patterns in the names of candidates. */
#define SCALAY_ADVICE_PATTERN "pattern"

/** Adds patterns for numbers of processes without a good grid. */
scalay_status scalay_advice_add_patterns(scalay_advice *advice);

/** A layout that is mapped and added. */
typedef struct {
    scalay_layout *layout;
    const char *name; /* before the tile in the name of the candidate; NULL: the grid */
    int nprow, npcol; /* 0: not a grid */
    int tile;
    scalay_advice_run run; /* of the kernel, with part j on process j; an engine's is that of all mappings */
} scalay_advice_target;

/** Adds a target by canonical mapping, and without speeds by minimum volume. */
scalay_status scalay_advice_add_target(scalay_advice *advice, const scalay_advice_target *target);

/** The routine of the engine. */
#define SCALAY_ADVICE_ENGINE "engine"

/** Returns the scalay_factor_kind of a kernel; -1: not a factorisation. */
int scalay_advice_factor_kind(scalay_kernel kernel);

/** Adds the engine of scalay_factor_create() on a 1D-1D map. Nothing for other kernels. */
scalay_status scalay_advice_add_engine(scalay_advice *advice);

/** Finds the best grid of more ranks on faster processes, if the speeds differ. */
scalay_status scalay_advice_find_more_ranks(scalay_advice *advice);

/** Says that more ranks are as good as the first candidate, if they are. */
void scalay_advice_append_more_ranks(scalay_text *text, const scalay_advice *advice);

/** Appends what a pattern costs, and what the best grid with idle processes costs instead. */
void scalay_advice_append_idle(scalay_text *text, const scalay_advice *advice);

/** Adds distributions for the stencil, with staying. */
scalay_status scalay_advice_add_stencils(scalay_advice *advice);

/** Predicts one run of the kernel on a layout with parts on processes: by the fastest routine, but not by the engine.
 */
scalay_status scalay_advice_predict(const scalay_advice *advice, const scalay_layout *layout, scalay_advice_run *run);

/** Predicts a factorisation by the engine on the owners of a layout. Negative: it is not predicted. */
scalay_status scalay_advice_predict_engine(const scalay_advice *advice, const scalay_layout *layout,
                                           scalay_advice_run *run);

/** Predicts the routine of ScaLAPACK on a grid. */
scalay_status scalay_advice_predict_scalapack(const scalay_advice *advice, const scalay_load_grid *grid,
                                              scalay_advice_run *run);

#endif
