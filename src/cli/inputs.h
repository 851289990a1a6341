#ifndef SCALAY_CLI_INPUTS_H
#define SCALAY_CLI_INPUTS_H

/** @file What the arguments of options name: layouts, objectives, communication costs. */

#include <stdint.h>

#include "base/status.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/workload.h"

/**
 * Reads a LAYOUT argument.
 * @param[in]  option  its name for messages, such as "--from"
 * @param[in]  text    as scalay_layout_parse(), or partition:FILE.json (what scalay partition --json printed)
 * @param[in]  m, n    extents for a text that says nothing of them; -1: the text must say them
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return as scalay_layout_parse(), but a file that cannot be read is SCALAY_ERROR_FORMAT
 */
scalay_status scalay_input_layout(const char *option, const char *text, int64_t m, int64_t n, scalay_layout **layout);

/**
 * A LAYOUT text with the keys m and n that it may lack (a tiles:FILE or partition:FILE lacks nothing).
 * @param[in]  text   as scalay_layout_parse()
 * @param[in]  m, n   extents; -1: nothing is added
 * @param[out] whole  to be released with scalay_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_complete(const char *text, int64_t m, int64_t n, char **whole);

/** The objective of a name that the option's table has let through. */
scalay_objective scalay_input_objective(const char *name);

/** The element type of a name: s, d, c or z; SCALAY_DOUBLE for NULL. */
scalay_type scalay_input_type(const char *name);

/**
 * Reads a communication cost: hockney:alpha=..,beta=..,block=.. or the name of a file.
 * @param[in]  option         its name for messages, such as "--comm"
 * @param[in]  text           the argument
 * @param[out] communication  to be released with scalay_communication_destroy()
 * @return as scalay_communication_read(), but a file that cannot be read is SCALAY_ERROR_FORMAT
 */
scalay_status scalay_input_communication(const char *option, const char *text, scalay_communication **communication);

#endif
