#ifndef SCALAY_DROPIN_PREDICTION_H
#define SCALAY_DROPIN_PREDICTION_H

/**
 * @file
 * Predicted times of compute routines, for what process 0 reports, and for its choice whether a call moves.
 *
 * The models are those of scalay_advice_create(), scalay_factorization_on_grid() and scalay_model_driver(), with the
 * measured rates of the machine if there are any. A routine that has no model is predicted as the one whose steps it
 * repeats: p?gesv as p?getrf; p?posv and p?potri as p?potrf; all others as p?geqrf. Solves with triangles have a model
 * of their own.
 */

#include "scalay/layout.h"
#include "scalay/measure.h"
#include "scalay/types.h"

/** Seconds of a routine where its matrix is, and on another grid. */
typedef struct {
    double stay_seconds, kernel_seconds;
    double move_seconds;  /* of the matrix alone */
    int nprow, npcol, nb; /* the grid; 0 on entry: the best one is chosen */
} scalay_prediction;

/** Reads the measured rates: SCALAY_MACHINE, or the file in the cache. Returns 0 if the machine was not measured. */
int scalay_prediction_machine(scalay_machine *machine);

/** A call that is predicted. */
typedef struct {
    const char *routine;         /* "pdgesv" */
    const scalay_layout *source; /* of the matrix; not read by scalay_prediction_stay() */
    int64_t m, n;                /* its extents */
    int nprow, npcol, nb;        /* its grid and blocks */
    int is_spread;               /* 1: columns of its array do not compete for sets of the caches */
    int is_upper;                /* 1: an upper triangle */
    int64_t vectors;             /* eigenvectors or singular vectors; -1: all */
    int brings_back;             /* 1: the matrix moves back */
} scalay_predicted_call;

/** Returns 1 if a routine has a model of its own among the drivers. */
int scalay_prediction_is_driver(const char *routine);

/** Returns the predicted seconds of a driver where its matrix is; 0: not predicted. Local. */
double scalay_prediction_stay(const scalay_predicted_call *call);

/**
 * Predicts a call where its matrix is, and on another grid. Local.
 * @param[in]     call        the call
 * @param[in,out] prediction  of one call
 * @return 0 if there is no prediction
 */
int scalay_prediction_of(const scalay_predicted_call *call, scalay_prediction *prediction);

/**
 * Predicts a driver where its matrix is, and on the fastest grid of the same processes; move_seconds is not set. Local.
 * @param[in]  machine  measured rates; NULL: those of a typical machine
 * @return 0 if there is no prediction
 */
int scalay_prediction_of_driver(const scalay_predicted_call *call, const scalay_machine *machine,
                                scalay_prediction *prediction);

/**
 * Predicts the factorisation whose steps a routine repeats where its matrix is, and on the grid of `prediction`, where
 * columns do not compete for sets of the caches; move_seconds is not set. Local.
 * @param[in] machine  measured rates; NULL: those of a typical machine
 * @return 0 if there is no prediction
 */
int scalay_prediction_of_factorisation(const scalay_predicted_call *call, const scalay_machine *machine,
                                       scalay_prediction *prediction);

/** A solve with triangles. */
typedef struct {
    scalay_type type;
    double n, columns;    /* order of the triangles; columns that are solved for */
    int triangles;        /* 1 or 2 */
    int nprow, npcol, nb; /* of A; for solves from the right, those of its transpose */
    int shares;           /* 1: each process solves for columns of its own, with panels that all copy */
} scalay_solve_shape;

/**
 * Predicts a solve where the matrices are: by ScaLAPACK (stay_seconds) and by the kernel of libscalay (kernel_seconds).
 * Local. Without measured rates, those of a typical machine count.
 *
 * ScaLAPACK: the steps of blocks, of which the processes of one column compute. The kernel: level-3 BLAS at the rate of
 * panels, and the words that are copied.
 */
void scalay_prediction_of_solve(const scalay_solve_shape *shape, scalay_prediction *prediction);

#endif
