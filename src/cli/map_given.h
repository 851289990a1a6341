#ifndef SCALAY_CLI_MAP_GIVEN_H
#define SCALAY_CLI_MAP_GIVEN_H

/** @file A mapping that the user has, judged against what is proven of the best one. */

#include <jansson.h>

#include "map_report.h"
#include "options.h"

/**
 * Reads a mapping: what `scalay map --json` printed, or the process of each part, separated by commas or line ends.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (two parts on one process, or on none), SCALAY_ERROR_FORMAT,
 *         SCALAY_ERROR_FILE, SCALAY_ERROR_MISMATCH (another number of parts, or a grid that is not kept),
 *         SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_read_given(const char *path, scalay_map_result *result);

/** Says whether it is proven optimal for the objective, or how far from that it can be. */
void scalay_map_print_given(const scalay_map_result *result);

/** The same as JSON; NULL when memory has run out. */
json_t *scalay_map_given_as_json(const scalay_map_result *result);

#endif
