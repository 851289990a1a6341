#ifndef SCALAY_PARTITION_SPEEDS_H
#define SCALAY_PARTITION_SPEEDS_H

/** @file Checks of arguments that all maps for factorisations have. */

#include "base/status.h"
#include "scalay/partition.h"

/** Checks speeds: finite, at least 0 (positive: above 0), not all 0. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT */
scalay_status scalay_check_speeds(const char *function, int parts, const double *speed, int positive);

/** Checks that a trailing matrix is full or lower. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT */
scalay_status scalay_check_trailing(const char *function, scalay_trailing trailing);

/** Checks extents and the tile extent. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (m n) */
scalay_status scalay_check_tiled_extents(const char *function, int64_t m, int64_t n, int64_t nb);

#endif
