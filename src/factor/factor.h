#ifndef SCALAY_FACTOR_FACTOR_H
#define SCALAY_FACTOR_FACTOR_H

/** @file What the command reports about a factorisation besides its public statistics. */

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

#endif
