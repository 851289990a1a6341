#ifndef SCALAY_PUBLISHED_LEVELS_H
#define SCALAY_PUBLISHED_LEVELS_H

/**
 * @file
 * The processors as the levels of a search tree: HPOPTA and HEPOPTA decide for one processor after the other.
 */

#include "published/published.h"

/** All processors of a problem, one by one. More of a group than there are units are left out: they stay idle. */
typedef struct {
    const scalay_problem *problem;
    int processors;    /* p */
    int *group;        /* shape [processors]: of a processor */
    int64_t *points;   /* shape [groups]: listed sizes */
    int64_t **point;   /* shape [groups][points]: sizes by ascending time or energy, then ascending size */
    int64_t *capacity; /* shape [processors + 1]: sigma; from scalay_levels_limit_time() or _energy() */
} scalay_levels;

/**
 * Lists the processors.
 * @param[in]  method       in whose name to fail
 * @param[in]  problem      n is at least 1
 * @param[in]  by_energy    1: sort points by energy, 0: by time
 * @param[out] levels       to be released with scalay_levels_free(), also after a failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_UNSUPPORTED, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_levels_create(const char *method, const scalay_problem *problem, int by_energy,
                                   scalay_levels *levels);

/** Releases what the levels hold; zeroed is fine. */
void scalay_levels_free(scalay_levels *levels);

/** The time of a size on a processor: 0 for idle, infinity for a hole and beyond the largest. */
double scalay_levels_time(const scalay_levels *levels, int processor, int64_t size);

/** The energy of a size on a processor: 0 for idle, SCALAY_NO_VALUE for a hole and beyond the largest. */
int64_t scalay_levels_energy(const scalay_levels *levels, int processor, int64_t size);

/** SizeThresholdCalc of HPOPTA: capacity[i] is what processors i, i + 1, ... hold in less than `time`. */
void scalay_levels_limit_time(scalay_levels *levels, double time);

/** SizeThresholdCalc of HEPOPTA: capacity[i] is what they hold with at most `energy` each. */
void scalay_levels_limit_energy(scalay_levels *levels, int64_t energy);

#endif
