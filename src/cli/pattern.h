#ifndef SCALAY_CLI_PATTERN_H
#define SCALAY_CLI_PATTERN_H

/** @file Patterns as LAYOUT arguments, and tables of owners for other libraries. */

#include "scalay/pattern.h"

/** Formats of --export for tables of tiles. */
#define SCALAY_EXPORT_CHOICES "chameleon|slate|dplasma|csv"

/** Returns the kernel lu, qr, cholesky or gemm; SCALAY_PATTERN_LU for NULL. */
scalay_pattern_kernel scalay_input_pattern_kernel(const char *name);

/**
 * Reads the layout of a pattern file or of the output of `scalay pattern --json`.
 * @param[in]  text    [m=M,][n=N,][mb=MB,][nb=NB,]FILE; the keys are for JSON files without these entries
 * @param[in]  m, n    extents if neither the text nor the file has them; -1: unknown. n is m by default
 * @param[out] layout  release with scalay_layout_destroy()
 * @return as scalay_layout_parse()
 */
scalay_status scalay_input_pattern_layout(const char *text, int64_t m, int64_t n, scalay_layout **layout);

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
