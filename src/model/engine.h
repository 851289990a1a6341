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
    double move_byte_seconds;      /* of a byte that a move sends; 0: the rate of the machine */
    int panels_together;           /* 1: owners factor panels together; 0: one process does; -1: one, up to
                                      SCALAY_ENGINE_ONE_FACTORS owners */
} scalay_engine_problem;

/** A map with its tile extent and the rule for panels. */
typedef struct {
    scalay_owner_map *map; /* release with scalay_owner_map_destroy() */
    int nb;
    int panels_together; /* 0 or 1 */
    double seconds;      /* predicted */
} scalay_engine_choice;

/** Largest number of owners of a panel that one of them factors; more owners factor it together. */
enum { SCALAY_ENGINE_ONE_FACTORS = 4 };

/** Returns the tile extents that are tried, ascending: number k of them, 0 behind the last one. */
int scalay_engine_extent(int k);

/**
 * Returns the tile extent that suits an owner map: the largest divisor of all its cuts that is at most `preferred`, if
 * it is at least 16; otherwise `preferred` if the runs are longer than that on average; otherwise the divisor.
 */
int scalay_engine_map_extent(const scalay_owner_map *map, int preferred);

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

/** Returns the predicted seconds of moving all elements of a map once, or the triangle of Cholesky. `stays`: 1: they
 * are copied within their processes. */
double scalay_engine_predict_move(const scalay_engine_problem *problem, const scalay_owner_map *map, int stays);

/**
 * Predicts both rules for panels on a map, and chooses that with the smaller time, unless the problem names one.
 * @param[in]     nb      tile extent
 * @param[in,out] choice  panels_together and seconds are set
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_choose_panels(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                          scalay_engine_choice *choice);

/**
 * Chooses a 1D-1D map, its tile extent and the rule for panels by predicted time. Maps: whole tile columns on up to 4
 * processes, all numbers of groups on up to 16, and the default of scalay_owner_map_1d1d() on more.
 * @param[in]  nb      tile extent; 0: chosen
 * @param[out] choice  its map is NULL on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_choose_map(const scalay_engine_problem *problem, int64_t m, int64_t n, int nb,
                                       scalay_engine_choice *choice);

#endif
