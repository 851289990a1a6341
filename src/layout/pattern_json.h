#ifndef SCALAY_LAYOUT_PATTERN_JSON_H
#define SCALAY_LAYOUT_PATTERN_JSON_H

/** @file Patterns in JSON, as `scalay pattern --json` prints them. */

#include <stdio.h>

#include "base/status.h"
#include "scalay/pattern.h"

/** Entries of the matrix in a pattern file. */
enum { SCALAY_MATRIX_M, SCALAY_MATRIX_N, SCALAY_MATRIX_MB, SCALAY_MATRIX_NB, SCALAY_MATRIX_ENTRIES };

/**
 * Reads a pattern from an open file that starts with a JSON object. Not collective. Keys without a meaning for a
 * pattern are skipped. Memory: O(integers in the tables of the file).
 * @param[in]  function  public function, for messages
 * @param[in]  path      for messages
 * @param[in]  line      line of the next character, 1-based
 * @param[out] matrix    shape [SCALAY_MATRIX_ENTRIES]: m, n, mb, nb; entries that the file does not have are unchanged
 * @param[out] pattern   release with scalay_pattern_destroy(); unchanged on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT, SCALAY_ERROR_ARGUMENT and SCALAY_ERROR_RANGE as scalay_pattern_create(),
 *         SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_pattern_read_json(const char *function, const char *path, FILE *file, int64_t line,
                                       int64_t *matrix, scalay_pattern **pattern);

#endif
