#ifndef SCALAY_CLI_FRONT_POINT_H
#define SCALAY_CLI_FRONT_POINT_H

/** @file The options that choose a point of a front: --knee, --within-time and --within-energy. */

#include "options.h"
#include "scalay/workload.h"

#define SCALAY_WITHIN_TIME_HELP                                                                                        \
    "chooses the point of the front with the least energy among those that take at most SHARE "                        \
    "(such as 5%) more time than the fastest"
#define SCALAY_WITHIN_ENERGY_HELP                                                                                      \
    "chooses the fastest point of the front among those that need at most SHARE more energy than the most frugal"
#define SCALAY_KNEE_HELP "chooses the point of the front furthest below the line between its ends"

/** How many of them are given. */
int scalay_front_point_count(const scalay_options *options);

/** The one that counts, without its dashes; NULL: none is given. */
const char *scalay_front_point_option(const scalay_options *options);

/** The point that it chooses of a front that has any; -1: none is given. */
int64_t scalay_front_point_choose(const scalay_options *options, const scalay_workload_front *front);

#endif
