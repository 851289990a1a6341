#ifndef SCALAY_CLI_MAP_INPUT_H
#define SCALAY_CLI_MAP_INPUT_H

/** @file What the options of scalay map say: checked, and read into the problem. */

#include "map_report.h"
#include "options.h"

/** Whether all trade-offs are wanted. */
int scalay_map_wants_front(const scalay_options *options);

/** SCALAY_ERROR_ARGUMENT for options that do not go together. */
scalay_status scalay_map_check_options(const scalay_options *options);

/** Reads layouts, or traffic, and where parts may go. */
scalay_status scalay_map_read(const scalay_options *options, scalay_map_result *result);

/** Counts the traffic of all pairs of layouts, unless that has been done. */
scalay_status scalay_map_count_traffic(scalay_map_result *result);

#endif
