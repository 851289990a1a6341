#ifndef SCALAY_LAYOUT_PARSE_H
#define SCALAY_LAYOUT_PARSE_H

/** @file Reading layouts from text: what the compact form and tile files have in common. */

#include "base/status.h"
#include "scalay/layout.h"

/** More processes than this are taken for a mistake in a text, before memory is asked for. */
#define SCALAY_PARSE_PROCESSES 16777216

/** Reads a `tiles:` file. As scalay_layout_parse(), in whose name it fails. */
scalay_status scalay_tile_file_read(const char *path, scalay_layout **layout);

#endif
