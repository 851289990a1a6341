#ifndef SCALAY_FACTOR_ENGINE_MODEL_H
#define SCALAY_FACTOR_ENGINE_MODEL_H

/** @file Predicted time of the engine on an owner map. Pure: no MPI. */

#include "scalay/factor.h"
#include "scalay/model.h"
#include "scalay/partition.h"

/** A factorisation on processes of given speeds. */
typedef struct {
    scalay_factor_kind kind;
    scalay_type type;
    int ranks;
    const double *speed;           /* shape [ranks]: positive */
    const scalay_machine *machine; /* NULL: scalay_machine_typical() */
} scalay_engine_problem;

/** Returns the tile extent that suits a matrix: 32, 48 or 64. */
int scalay_engine_preferred_extent(scalay_factor_kind kind, int64_t m, int64_t n, int ranks);

/** Returns the trailing balance of a map, in (0, 1]; 1 if the map is empty. */
double scalay_engine_balance(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb);

/**
 * Returns the predicted seconds of a factorisation on a map with tiles of extent nb. A step takes the maximum of the
 * update of the trailing matrix, and of the next panel with its messages, because the engine looks ahead by one panel.
 * Time: O(steps) after the trailing balance.
 */
double scalay_engine_predict(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb);

/** Returns the predicted seconds of moving all elements of a map once. */
double scalay_engine_predict_move(const scalay_engine_problem *problem, const scalay_owner_map *map);

#endif
