#ifndef SCALAY_FACTOR_FACTOR_H
#define SCALAY_FACTOR_FACTOR_H

/** @file Factorisation objects within the library: what the command reports besides their public statistics, their
 * copies of matrices, predictions. */

#include "scalay/factor.h"

/** The choice of a factorisation; the same on every rank, owned by it. */
typedef struct {
    const scalay_owner_map *map;     /* on which the engine works: part j is on rank j */
    const double *speed;             /* shape [ranks] */
    double predicted_kernel_seconds; /* the engine on that map */
    double predicted_move_seconds;   /* moving the matrix there; 0: in place */
} scalay_factor_choice;

/** Returns the choice of a factorisation. Not collective. */
scalay_factor_choice scalay_factor_get_choice(const scalay_factor *factor);

/** Gives the copy of the matrix to base/kept_memory.h, if the factorisation has one, until it executes again. NULL is
 * allowed. Not collective. */
void scalay_factor_give_copy(scalay_factor *factor);

/** Takes memory for the copy again. `function`: for messages. NULL is allowed for the factorisation. Not collective. */
scalay_status scalay_factor_take_copy(const char *function, scalay_factor *factor);

/** Prediction of a factorisation object before it exists. */
typedef struct {
    double slowdown; /* mean speed over the smallest one: of a routine that gives all processes equal work */
    double seconds;  /* one execution, with moves there and back; 0: not predicted */
    int nb;          /* columns of a panel */
    int is_copied;   /* 1: the object has a copy of the matrix */
} scalay_factor_prediction;

/**
 * Predicts scalay_factor_create() and its execution, with the speeds of options->speeds, of the profile or of
 * SCALAY_PROFILE. Collective; the ranks agree on the status. The arguments have been checked.
 * @param[in] least_slowdown  the time is predicted for a larger slowdown only
 */
scalay_status scalay_factor_predict(const char *function, scalay_comm *comm, scalay_factor_kind kind,
                                    const scalay_layout *layout, scalay_type type, const scalay_factor_options *options,
                                    double least_slowdown, scalay_factor_prediction *prediction);

#endif
