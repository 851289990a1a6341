#ifndef SCALAY_CLI_DOCUMENT_H
#define SCALAY_CLI_DOCUMENT_H

/** @file JSON documents that subcommands read: what other subcommands printed. */

#include <jansson.h>

#include "base/status.h"
#include "scalay/partition.h"

/**
 * Reads a JSON document.
 * @param[in]  path      a file that holds one JSON object
 * @param[out] document  to be released with json_decref()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names the file and the line), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_document_read(const char *path, json_t **document);

/**
 * Reads the owner map of a partition.
 * @param[in]  path  what `scalay partition --json` printed
 * @param[out] map   to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT (the message names the file and the key), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_document_read_partition(const char *path, scalay_owner_map **map);

#endif
