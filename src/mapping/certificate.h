#ifndef SCALAY_MAPPING_CERTIFICATE_H
#define SCALAY_MAPPING_CERTIFICATE_H

/** @file What scalay_mapping_check() does about grids. Each denial is SCALAY_ERROR_MISMATCH in its name. */

#include "mapping/mapping.h"

/** What a check answers when something does not hold. */
#define DENY(...) scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_mapping_check", __VA_ARGS__)

/** The mapping permutes rows and columns of its grid, and nothing else. */
scalay_status scalay_certificate_check_grid(const scalay_mapping *mapping);

/** The duals of the lines prove the volume; the grid has been checked. */
scalay_status scalay_certificate_check_lines(const scalay_traffic *traffic, const scalay_mapping *mapping);

#endif
