#ifndef SCALAY_CLI_PATTERN_H
#define SCALAY_CLI_PATTERN_H

/** @file Kernels of patterns, and tables of owners for other libraries. */

#include "scalay/pattern.h"

/** Formats of --export for tables of tiles. */
#define SCALAY_EXPORT_CHOICES "chameleon|slate|dplasma|csv"

/** Returns the kernel lu, qr, cholesky or gemm; SCALAY_PATTERN_LU for NULL. */
scalay_pattern_kernel scalay_input_pattern_kernel(const char *name);

/** Returns the largest tile extent for which owners change between tiles only. */
int64_t scalay_input_tile(const scalay_owner_map *map);

/**
 * Prints the owners of the nb x nb tiles of a layout.
 * @param[in] nb       0: scalay_input_tile()
 * @param[in] process  shape [parts]: process of each part; NULL: as in the layout
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (owners change within tiles), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_export_layout(const char *format, const scalay_layout *layout, int64_t nb, const int *process);

#endif
