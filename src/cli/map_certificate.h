#ifndef SCALAY_CLI_MAP_CERTIFICATE_H
#define SCALAY_CLI_MAP_CERTIFICATE_H

/** @file What proves a mapping, as JSON. */

#include <jansson.h>

#include "scalay/mapping.h"

/** The dual variables, the crowd and the duals of lines that a mapping has; empty where nothing is proven; NULL when
 * memory has run out. */
json_t *scalay_map_certificate(const scalay_mapping *mapping);

#endif
