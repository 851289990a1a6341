#ifndef SCALAY_LAYOUT_PARSE_H
#define SCALAY_LAYOUT_PARSE_H

/** @file Reading layouts from text: what the compact form and tile files have in common. */

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "scalay/layout.h"

/** More processes than this are taken for a mistake in a text, before memory is asked for. */
#define SCALAY_PARSE_PROCESSES 16777216

/** What a text is as a number. */
typedef enum { SCALAY_NUMBER_GOOD, SCALAY_NUMBER_NONE, SCALAY_NUMBER_TOO_LARGE } scalay_number;

/** Reads a whole text of the form -?[0-9]+. */
scalay_number scalay_number_read(const char *text, size_t length, int64_t *value);

/** Copies a text for a message: cut at size - 1 bytes, what cannot be printed as '?'. Returns copy. */
const char *scalay_printable(const char *text, size_t length, char *copy, size_t size);

/** Reads a `tiles:` file. As scalay_layout_parse(), in whose name it fails. */
scalay_status scalay_tile_file_read(const char *path, scalay_layout **layout);

#endif
