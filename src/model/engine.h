#ifndef SCALAY_MODEL_ENGINE_H
#define SCALAY_MODEL_ENGINE_H

/** @file Predicted time of the engine for factorisations (src/factor) on an owner map, and the choice of a map. */

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

/** Largest number of owners of a panel that one of them factors; more owners factor it together. */
enum { SCALAY_ENGINE_ONE_FACTORS = 4 };

/** Returns the tile extent that suits a matrix: 32, 48, 64 or 96. */
int scalay_engine_preferred_extent(scalay_factor_kind kind, int64_t m, int64_t n, int ranks);

/** Computes the trailing balance of a map, in (0, 1]; 1 if the map is empty. */
scalay_status scalay_engine_balance(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                    double *balance);

/**
 * Predicts a factorisation on a map with tiles of extent nb. Time: O(steps + cells) after the trailing balance.
 *
 * A step takes the maximum of two times, because the engine looks ahead by one panel: the update of the trailing matrix
 * with the panels that the busiest process factors, and the next panel with its messages.
 * @param[out] seconds  the prediction
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_predict(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                    double *seconds);

/** Returns the predicted seconds of moving all elements of a map once. */
double scalay_engine_predict_move(const scalay_engine_problem *problem, const scalay_owner_map *map);

/**
 * Chooses a 1D-1D map: whole tile columns on up to 4 processes, the number of groups with the least predicted time on
 * up to 16, and the default of scalay_owner_map_1d1d() on more.
 * @param[in]  nb       tile extent
 * @param[out] map      release with scalay_owner_map_destroy()
 * @param[out] seconds  its prediction
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_choose_map(const scalay_engine_problem *problem, int64_t m, int64_t n, int nb,
                                       scalay_owner_map **map, double *seconds);

#endif
